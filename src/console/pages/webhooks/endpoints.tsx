/** Webhook endpoints: where events are sent. A merchant has its own, an operator sees those of all merchants. */
import type {
  MerchantWebhookEndpoint,
  WebhookEndpoint,
  WebhookEndpointWithSecret
} from "../../../client/generated/resources.ts"
import { rich, t } from "../../frame/language.ts"
import { to } from "../../frame/base.ts"
import { allowMerchant } from "../../frame/session.ts"
import { Action } from "../../parts/action.tsx"
import { Field, ticksOf, Ticks } from "../../parts/field.tsx"
import { createdColumn, merchantColumn } from "../../parts/columns.tsx"
import { byMerchant } from "../../parts/filters.tsx"
import { ListPage } from "../../parts/listing.tsx"
import { SecretView } from "../../parts/secret.tsx"
import { words } from "../../parts/text.ts"
import type { Column } from "../../parts/table.tsx"
import { endpointConditions, eventCategories } from "../../parts/vocabulary.ts"
import { makeEndpointUrl, makeEndpointsPath, HealthView } from "./health.tsx"

export const EndpointFields = ({ of }: { readonly of?: WebhookEndpoint }) => (
  <>
    <Field
      name="url"
      label={t("URL")}
      hint={t("Where events are posted to. In live it is https with a public host.")}
      required
      inputMode="url"
      value={of?.url}
    />
    <Field name="description" label={t("Description")} maxLength={500} value={of?.description} />
    <Ticks
      name="categories"
      label={t("Categories of events")}
      choices={eventCategories}
      ticked={of?.categories ?? eventCategories}
    />
  </>
)

/** Makes the body of a request from the fields of the form. An emptied description is sent as empty. */
export const makeEndpointBody = (filled: Readonly<Record<string, string>>) => ({
  url: filled["url"],
  description: filled["description"] ?? "",
  categories: ticksOf(filled, "categories")
})

export const showSecret = ({ signing_secret }: WebhookEndpointWithSecret) => (
  <SecretView
    text={signing_secret}
    what={t("signing secret")}
    use={t("Give it to the receiver, which verifies each delivery with it.")}
  />
)

const columns: ReadonlyArray<Column<WebhookEndpoint>> = [
  {
    title: t("URL"),
    cell: ({ description, id, url }) => (
      <>
        <a href={makeEndpointUrl(id)}>{url}</a>
        {description !== null && <div class="dim">{description}</div>}
      </>
    )
  },
  { title: t("Status"), cell: (endpoint) => <HealthView of={endpoint} /> },
  {
    title: t("Receives"),
    cell: ({ categories: chosen }) =>
      chosen.length === eventCategories.length ? t("All events") : chosen.map(words).join(", ")
  },
  createdColumn
]

const shared = { title: t("Webhooks"), caption: t("Webhook endpoints"), every: 15 }

export const EndpointsPage = () => (
  <ListPage<WebhookEndpoint>
    {...shared}
    path={makeEndpointsPath()}
    lead={t("Endpoints receive events as signed requests, at least once each, with retries for three days.")}
    actions={
      <Action<WebhookEndpointWithSecret>
        label={t("Create endpoint")}
        does={t("The endpoint is inactive until you activate it. Its signing secret is shown once.")}
        allowed={allowMerchant("developer", "admin")}
        tone="main"
        fields={<EndpointFields />}
        request={(filled) => ({ path: "/v1/notifications/webhooks", body: makeEndpointBody(filled) })}
        done={({ data }) => (
          <>
            {showSecret(data)}
            <p>
              {rich("Then <a>open the endpoint</a> to activate it.", {
                a: (inner) => <a href={makeEndpointUrl(data.id)}>{inner}</a>
              })}
            </p>
          </>
        )}
      />
    }
    columns={columns}
    empty={[
      t("There is no endpoint yet"),
      <>
        {rich("Create one to receive events. Until then, read them under <a>Events</a>.", {
          a: (inner) => <a href={to("/events")}>{inner}</a>
        })}
      </>
    ]}
  />
)

export const AllEndpointsPage = () => (
  <ListPage<MerchantWebhookEndpoint>
    {...shared}
    path={makeEndpointsPath()}
    lead={t("Where merchants receive their events, and how each endpoint does.")}
    filters={[{ name: "health", label: t("Health"), options: endpointConditions }, byMerchant]}
    columns={[...columns.slice(0, 2), merchantColumn, ...columns.slice(2)]}
    empty={[t("No endpoint matches"), t("Merchants create endpoints in their console or by the API.")]}
  />
)
