/** Events: what is sent to webhook endpoints, and can be read here. */
import type { Event, WebhookEndpoint } from "../../../client/generated/resources.ts"
import { useRoute } from "preact-iso"
import { rich, t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { useLoad } from "../../frame/load.ts"
import { period } from "../../parts/filters.tsx"
import { Id } from "../../parts/id.tsx"
import { DataView } from "../../parts/json.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { Card, Facts, Page } from "../../parts/page.tsx"
import { Empty, Show } from "../../parts/states.tsx"
import { StatusPill } from "../../parts/status.tsx"
import { Time } from "../../parts/time.tsx"
import { DeliveryList, ReplayEvent } from "./deliveries.tsx"
import { makeEndpointUrl } from "./health.tsx"
import { eventCategories } from "../../parts/vocabulary.ts"

export const makeEventUrl = (id: string): string => to(`/events/${encodeURIComponent(id)}`)

export const EventsPage = () => (
  <ListPage<Event>
    title={t("Events")}
    lead={t("What happened to your resources, newest first. Active webhook endpoints receive each.")}
    filters={[
      { name: "category", label: t("Category"), options: eventCategories },
      { name: "event_type", label: t("Type"), placeholder: "offramp.success" },
      { name: "event_object_id", label: t("Resource"), pick: "resource" },
      ...period
    ]}
    caption={t("Events, newest first")}
    path="/v1/notifications/events"
    every={5}
    keyOf={({ event_id }) => event_id}
    columns={[
      { title: t("When"), cell: ({ event_created_at }) => <Time at={event_created_at} exact /> },
      {
        title: t("Event"),
        cell: ({ event_id, event_type: type }) => (
          <a href={makeEventUrl(event_id)}>
            <code>{type}</code>
          </a>
        )
      },
      {
        title: t("Status"),
        cell: ({ event_object_status }) => <StatusPill status={event_object_status} />
      },
      { title: t("Resource"), cell: ({ event_object_id: id }) => <Id id={id} brief /> },
      {
        title: t("Id"),
        cell: ({ event_id }) => <Id id={event_id} brief href={makeEventUrl(event_id)} copy />
      }
    ]}
    empty={[t("Nothing has happened yet"), t("Each change of a movement, deposit or verification is an event.")]}
    unmatched={t("No event matches")}
  />
)

/** The deliveries of one event to one endpoint, if there are any, and a button that sends it again. */
const EventDeliveries = ({ endpoint, event_id }: { readonly endpoint: WebhookEndpoint; readonly event_id: string }) => (
  <Card
    title={endpoint.url}
    actions={
      endpoint.active ? (
        <ReplayEvent endpoint={endpoint.id} event_id={event_id} />
      ) : (
        <span class="dim">
          {rich("Inactive: <a>activate it</a> to send the event again.", {
            a: (inner) => <a href={makeEndpointUrl(endpoint.id)}>{inner}</a>
          })}
        </span>
      )
    }
    flush
  >
    <DeliveryList
      endpoint={endpoint}
      query={{ event_id }}
      caption={t("Deliveries to {url} ({id})", { url: endpoint.url, id: endpoint.id })}
      pageName={`${endpoint.id}_page`}
      empty={[
        t("It was not sent here"),
        endpoint.active
          ? t("The endpoint was inactive, or did not have this category, when the event happened.")
          : t("The endpoint is inactive.")
      ]}
    />
  </Card>
)

export const PublishedEventPage = () => {
  const { id = "" } = useRoute().params
  const event = useLoad<Event>(`/v1/notifications/events/${encodeURIComponent(id)}`)
  const endpoints = useLoad<ReadonlyArray<WebhookEndpoint>>("/v1/notifications/webhooks?per_page=200")
  const found = event.answer.value?.data
  return (
    <Page title={found?.event_type ?? t("Event")} lead={<Id id={id} href={null} />}>
      <Show of={event}>
        {(shown) => (
          <>
            <Card>
              <Facts
                of={[
                  [t("When"), <Time at={shown.event_created_at} exact />],
                  [t("Resource"), <Id id={shown.event_object_id} />],
                  [t("Its status"), <StatusPill status={shown.event_object_status} />],
                  [t("Number among its events"), shown.event_sequence]
                ]}
              />
            </Card>
            <Card title={t("Body, as it is sent")}>
              <DataView value={shown} what={t("Event body")} />
            </Card>
          </>
        )}
      </Show>
      <h2>{t("Deliveries")}</h2>
      <Show of={endpoints}>
        {(all) =>
          all.length === 0 ? (
            <Card>
              <Empty title={t("There is no webhook endpoint")}>
                {rich("<a>Create one</a> to receive events.", { a: (inner) => <a href={to("/webhooks")}>{inner}</a> })}
              </Empty>
            </Card>
          ) : (
            all.map((endpoint) => <EventDeliveries key={endpoint.id} endpoint={endpoint} event_id={id} />)
          )
        }
      </Show>
    </Page>
  )
}
