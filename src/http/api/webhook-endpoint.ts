/** Webhook endpoints, their deliveries, and the events themselves (EVENT-1 to EVENT-11). */
import { Schema } from "effect"
import { EventBody } from "../../engine/representations/webhooks/event.ts"
import {
  DeliveryBody,
  WebhookEndpointBody,
  WebhookEndpointSecretBody
} from "../../engine/representations/webhooks/webhook-endpoint.ts"
import { FeedEvents, ListEvents } from "../../engine/resources/webhooks/event.ts"
import {
  CreateWebhookEndpoint,
  ListDeliveries,
  ListWebhookEndpoints,
  ReplayWebhookEndpoint,
  UpdateWebhookEndpoint
} from "../../engine/resources/webhooks/webhook-endpoint.ts"
import { Id } from "../../engine/input/schemas.ts"
import { del, Deleted, get, group, list, Nothing, patch, post } from "./contract.ts"

const params = { id: Id("whe") }

export const ReplayedBody = Schema.Struct({
  id: Schema.String,
  replayed: Schema.Int.annotate({ description: "How many events are sent again." })
}).annotate({ identifier: "Replayed" })

export const WebhookEndpointsApi = group(
  "webhook_endpoints",
  "Webhook endpoints",
  "Where events are sent: signed as Standard Webhooks, at least once, in no order, retried for three days. At most twenty."
).add(
  post("createWebhookEndpoint", "/v1/notifications/webhooks", CreateWebhookEndpoint, WebhookEndpointSecretBody, {
    summary: "Create a webhook endpoint",
    description:
      "It is inactive: nothing is sent before it is activated. The signing secret is in this answer alone. " +
      "Without categories it gets the events of all of them. The url is https, and its host is public; in the test environment http and loopback are taken too.",
    errors: ["invalid_status"],
    examples: { transfers: { url: "https://example.com/webhooks", categories: ["transfer", "deposit"] } }
  }),
  list("listWebhookEndpoints", "/v1/notifications/webhooks", WebhookEndpointBody, {
    summary: "List webhook endpoints",
    query: ListWebhookEndpoints
  }),
  get("getWebhookEndpoint", "/v1/notifications/webhooks/:id", WebhookEndpointBody, {
    summary: "Show a webhook endpoint",
    params
  }),
  patch("updateWebhookEndpoint", "/v1/notifications/webhooks/:id", UpdateWebhookEndpoint, WebhookEndpointBody, {
    summary: "Activate, deactivate or change a webhook endpoint",
    description:
      "It gets the events that happen while it is active. What was still to be sent when it is deactivated is not sent; replay it.",
    params,
    errors: ["conflict"],
    examples: { activate: { active: true } }
  }),
  del("deleteWebhookEndpoint", "/v1/notifications/webhooks/:id", Nothing, Deleted, {
    summary: "Delete a webhook endpoint",
    params,
    role: "admin",
    errors: ["conflict"]
  }),
  post("rotateWebhookSecret", "/v1/notifications/webhooks/:id/rotate-secret", Nothing, WebhookEndpointSecretBody, {
    summary: "Rotate the signing secret",
    description: "The new secret is in this answer alone. The old one signs beside it for 24 hours.",
    params,
    role: "admin"
  }),
  post("replayWebhookEvents", "/v1/notifications/webhooks/:id/replay", ReplayWebhookEndpoint, ReplayedBody, {
    summary: "Send events again",
    description:
      "One event by its id, or those of the endpoint's categories from `since` to `until` (now), at most 5000. Ids and bodies are what they were.",
    params,
    errors: ["invalid_status"],
    examples: { one: { event_id: "evt_01j9z3k4m5n6p7q8r9s0t1v2w3" }, range: { since: "2026-01-31T00:00:00Z" } }
  }),
  post("pingWebhookEndpoint", "/v1/notifications/webhooks/:id/ping", Nothing, DeliveryBody, {
    summary: "Send a test event",
    description:
      "A signed event of type `ping`, to this endpoint alone, once. Look the delivery up to see how it went.",
    params,
    errors: ["invalid_status"]
  }),
  list("listWebhookDeliveries", "/v1/notifications/webhooks/:id/deliveries", DeliveryBody, {
    summary: "List the deliveries of a webhook endpoint",
    description: "What was sent, every attempt and how it went, newest first.",
    params,
    query: ListDeliveries
  })
)

export const EventsApi = group("events", "Events", "What was published, whether or not anybody received it.").add(
  list("listEvents", "/v1/notifications/events", EventBody, {
    summary: "List events, newest first",
    query: ListEvents
  }),
  get("feedEvents", "/v1/notifications/events/feed", Schema.Array(EventBody), {
    summary: "Read events in the order they were committed",
    description:
      "Oldest first, after the event named, at most `limit` (1 to 200, 50 when left out). Nothing is skipped, however many writers there are: " +
      "to catch up, go on from the last event received until the answer is empty.",
    query: FeedEvents,
    errors: ["not_found"]
  }),
  get("getEvent", "/v1/notifications/events/:id", EventBody, {
    summary: "Show an event as it was sent",
    params: { id: Id("evt") }
  })
)
