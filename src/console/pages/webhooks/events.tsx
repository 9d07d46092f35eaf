/** Events: what is sent to webhook endpoints, and can be read here. */
import type { Event, WebhookEndpoint } from "../../../client/generated/resources.ts"
import { useRoute } from "preact-iso"
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
import { endpointHref } from "./health.tsx"
import { eventCategories } from "../../parts/vocabulary.ts"

export const eventHref = (id: string): string => to(`/events/${encodeURIComponent(id)}`)

export const EventsPage = () => (
  <ListPage<Event>
    title="Events"
    lead="What happened to your resources, newest first. Active webhook endpoints receive each."
    filters={[
      { name: "category", label: "Category", options: eventCategories },
      { name: "event_type", label: "Type", placeholder: "offramp.success" },
      { name: "event_object_id", label: "Resource", pick: "resource" },
      ...period
    ]}
    caption="Events, newest first"
    path="/v1/notifications/events"
    every={5}
    keyOf={({ event_id }) => event_id}
    columns={[
      { title: "When", cell: ({ event_created_at }) => <Time at={event_created_at} exact /> },
      {
        title: "Event",
        cell: ({ event_id, event_type: type }) => (
          <a href={eventHref(event_id)}>
            <code>{type}</code>
          </a>
        )
      },
      { title: "Status", wide: true, cell: ({ event_object_status }) => <StatusPill status={event_object_status} /> },
      { title: "Resource", cell: ({ event_object_id: id }) => <Id id={id} brief /> },
      {
        title: "Id",
        wide: true,
        cell: ({ event_id }) => <Id id={event_id} brief href={eventHref(event_id)} copy />
      }
    ]}
    empty={["Nothing has happened yet", "Each change of a movement, deposit or verification is an event."]}
    unmatched="No event matches"
  />
)

/** The deliveries of one event to one endpoint, if there are any, and a button that sends it again. */
const To = ({ endpoint, event_id }: { readonly endpoint: WebhookEndpoint; readonly event_id: string }) => (
  <Card
    title={endpoint.url}
    actions={
      endpoint.active ? (
        <ReplayEvent endpoint={endpoint.id} event_id={event_id} />
      ) : (
        <span class="dim">
          Inactive: <a href={endpointHref(endpoint.id)}>activate it</a> to send the event again.
        </span>
      )
    }
    flush
  >
    <DeliveryList
      endpoint={endpoint}
      query={{ event_id }}
      caption={`Deliveries to ${endpoint.url} (${endpoint.id})`}
      pageName={`${endpoint.id}_page`}
      empty={[
        "It was not sent here",
        endpoint.active
          ? "The endpoint was inactive, or did not have this category, when the event happened."
          : "The endpoint is inactive."
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
    <Page title={found?.event_type ?? "Event"} lead={<Id id={id} href={null} />}>
      <Show of={event}>
        {(shown) => (
          <>
            <Card>
              <Facts
                of={[
                  ["When", <Time at={shown.event_created_at} exact />],
                  ["Resource", <Id id={shown.event_object_id} />],
                  ["Its status", <StatusPill status={shown.event_object_status} />],
                  ["Number among its events", shown.event_sequence]
                ]}
              />
            </Card>
            <Card title="Body, as it is sent">
              <DataView value={shown} what="Event body" />
            </Card>
          </>
        )}
      </Show>
      <h2>Deliveries</h2>
      <Show of={endpoints}>
        {(all) =>
          all.length === 0 ? (
            <Card>
              <Empty title="There is no webhook endpoint">
                <a href={to("/webhooks")}>Create one</a> to receive events.
              </Empty>
            </Card>
          ) : (
            all.map((endpoint) => <To key={endpoint.id} endpoint={endpoint} event_id={id} />)
          )
        }
      </Show>
    </Page>
  )
}
