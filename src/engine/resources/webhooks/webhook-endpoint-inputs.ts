/** The inputs of webhook endpoints. */
import { Schema } from "effect"
import { only } from "../../input/members.ts"
import {
  CreatedAfter,
  CreatedBefore,
  describe,
  HttpUrl,
  Id,
  listing,
  Optional,
  TextOrEmpty
} from "../../input/schemas.ts"
import { type Category, categories } from "../../reference/vocabulary.ts"
import { eventTypes } from "../../representations/webhooks/published.ts"
import { deliveryStatuses } from "../../representations/webhooks/webhook-endpoint.ts"

const Categories = Schema.Array(Schema.Literals(categories))
  .annotate({ expected: `one or more of ${categories.join(", ")}` })
  .check(
    Schema.makeFilter((chosen: ReadonlyArray<Category>) => chosen.length > 0, {
      expected: `one or more of ${categories.join(", ")}`,
      code: "invalid_value",
      toJsonSchema: () => ({ minItems: 1 })
    })
  )

export const CreateWebhookEndpoint = Schema.Struct({
  url: describe(
    HttpUrl,
    "Where to post events: https with a public host. The test environment also accepts http and loopback.",
    "https://example.com/webhooks"
  ),
  description: Optional(TextOrEmpty(500), "A note for people.", "payouts service"),
  categories: Optional(Categories, "The categories whose events it receives, all events of each. Default: all.", [
    "offramp",
    "deposit"
  ])
}).annotate({ identifier: "CreateWebhookEndpoint" })
export type CreateWebhookEndpoint = typeof CreateWebhookEndpoint.Type

export const UpdateWebhookEndpoint = Schema.Struct({
  active: Optional(Schema.Boolean, "Whether it receives events."),
  url: Optional(HttpUrl, "Where to post events.", "https://example.com/webhooks"),
  description: Optional(TextOrEmpty(500), "A note for people.", "payouts service"),
  categories: Optional(Categories, "The categories whose events it receives, all events of each.", [
    "offramp",
    "deposit"
  ])
}).annotate({ identifier: "UpdateWebhookEndpoint" })
export type UpdateWebhookEndpoint = typeof UpdateWebhookEndpoint.Type

/** One event, or the events from `since` to `until`, both inclusive. Default of `until`: now. */
export const ReplayWebhookEndpoint = Schema.Struct({
  event_id: Optional(Id("evt"), "The event to send again. Either this or `since` is required."),
  since: Optional(
    CreatedAfter,
    "The beginning of the time whose events are sent again, inclusive: a date or an instant.",
    "2026-01-31T00:00:00Z"
  ),
  until: Optional(CreatedBefore, "The end of the time, inclusive: a date or an instant. Default: now.", "2026-01-31")
}).annotate({ identifier: "ReplayWebhookEndpoint" })
export type ReplayWebhookEndpoint = typeof ReplayWebhookEndpoint.Type

export const ListWebhookEndpoints = Schema.Struct(listing)

export const ListDeliveries = Schema.Struct({
  status: only(deliveryStatuses, "status"),
  event_type: Optional(
    Schema.Literals([...eventTypes, "ping"]),
    "Only deliveries of events of this type.",
    "offramp.success"
  ),
  event_id: Optional(Id("evt"), "Only deliveries of this event."),
  ...listing
})
export type ListDeliveries = typeof ListDeliveries.Type
