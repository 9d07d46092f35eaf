/** Webhook endpoints: where events are sent. */
import type { WebhookEndpoint, WebhookEndpointWithSecret } from "../../../client/generated/resources.ts"
import { to } from "../../frame/base.ts"
import { allowMerchant } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field, tickedOf, Ticks } from "../../parts/field.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { SecretView } from "../../parts/secret.tsx"
import { words } from "../../parts/text.ts"
import { Time } from "../../parts/time.tsx"
import { eventCategories } from "../../parts/vocabulary.ts"
import { HealthView } from "./health.tsx"

export const endpointHref = (id: string): string => to(`/webhooks/${encodeURIComponent(id)}`)

export const EndpointFields = ({ of }: { readonly of?: WebhookEndpoint }) => (
  <>
    <Field
      name="url"
      label="URL"
      hint="Where events are posted to. In live it is https with a public host."
      required
      inputMode="url"
      value={of?.url}
    />
    <Field name="description" label="Description" maxLength={500} value={of?.description} />
    <Ticks
      name="categories"
      label="Categories of events"
      choices={eventCategories}
      ticked={of?.categories ?? eventCategories}
    />
  </>
)

/** The members of a request from the fields above. An emptied description is sent as such. */
export const endpointBody = (filled: Readonly<Record<string, string>>) => ({
  url: filled["url"],
  description: filled["description"] ?? "",
  categories: tickedOf(filled, "categories")
})

export const shownSecret = ({ signing_secret }: WebhookEndpointWithSecret) => (
  <SecretView
    text={signing_secret}
    what="signing secret"
    use="Give it to the receiver, which verifies each delivery with it."
  />
)

export const EndpointsPage = () => (
  <ListPage<WebhookEndpoint>
    title="Webhooks"
    lead="Endpoints receive events as signed requests, at least once each, with retries for three days."
    actions={
      <Action<WebhookEndpointWithSecret>
        label="Create endpoint"
        does="The endpoint is inactive until you activate it. Its signing secret is shown once."
        allowed={allowMerchant("developer", "admin")}
        tone="main"
        fields={<EndpointFields />}
        request={(filled) => ({ path: "/v1/notifications/webhooks", body: endpointBody(filled) })}
        done={({ data }) => (
          <>
            {shownSecret(data)}
            <p>
              Then <a href={endpointHref(data.id)}>open the endpoint</a> to activate it.
            </p>
          </>
        )}
      />
    }
    caption="Webhook endpoints"
    path="/v1/notifications/webhooks"
    every={15}
    columns={[
      {
        title: "URL",
        cell: ({ description, id, url }) => (
          <>
            <a href={endpointHref(id)}>{url}</a>
            {description !== null && <div class="dim">{description}</div>}
          </>
        )
      },
      { title: "Status", cell: (endpoint) => <HealthView of={endpoint} /> },
      {
        title: "Receives",
        wide: true,
        cell: ({ categories: chosen }) =>
          chosen.length === eventCategories.length ? "All events" : chosen.map(words).join(", ")
      },
      { title: "Created", wide: true, cell: ({ created_at }) => <Time at={created_at} /> }
    ]}
    empty={[
      "There is no endpoint yet",
      <>
        Create one to receive events. Until then, read them under <a href={to("/events")}>Events</a>.
      </>
    ]}
  />
)
