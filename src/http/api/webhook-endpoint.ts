import { Schema } from "effect"
import { EventBody } from "../../engine/representations/event.ts"
import { DeliveryBody, WebhookEndpointBody, WebhookEndpointSecretBody } from "../../engine/representations/webhook-endpoint.ts"
import { FeedEvents, ListEvents } from "../../engine/resources/event.ts"
import {
  CreateWebhookEndpoint,
  ListDeliveries,
  ListWebhookEndpoints,
  ReplayWebhookEndpoint,
  UpdateWebhookEndpoint
} from "../../engine/resources/webhook-endpoint.ts"
import { Id } from "../../engine/schemas.ts"
import { del, Deleted, get, group, list, Nothing, patch, post } from "./contract.ts"

const one = { id: Id("whe") }

export const WebhooksApi = group("webhooks", "Webhooks", "Endpoints that signed events are delivered to.").add(
  post("createWebhookEndpoint", "/v1/notifications/webhooks", CreateWebhookEndpoint, WebhookEndpointSecretBody, {
    summary: "Create a webhook endpoint",
    description: "It is inactive until it is activated. The signing secret is in this answer alone.",
    errors: ["invalid_input", "invalid_status"],
    examples: { all: { url: "https://example.com/webhooks", categories: ["offramp", "deposit"] } }
  }),
  list("listWebhookEndpoints", "/v1/notifications/webhooks", WebhookEndpointBody, {
    summary: "List webhook endpoints",
    query: ListWebhookEndpoints
  }),
  get("getWebhookEndpoint", "/v1/notifications/webhooks/:id", WebhookEndpointBody, { summary: "Get a webhook endpoint", params: one }),
  patch("updateWebhookEndpoint", "/v1/notifications/webhooks/:id", UpdateWebhookEndpoint, WebhookEndpointBody, {
    summary: "Change or activate a webhook endpoint",
    params: one,
    errors: ["invalid_input", "conflict"],
    examples: { activate: { active: true } }
  }),
  del("deleteWebhookEndpoint", "/v1/notifications/webhooks/:id", Nothing, Deleted, {
    summary: "Delete a webhook endpoint",
    params: one,
    role: "admin",
    errors: ["conflict"]
  }),
  post("rotateWebhookSecret", "/v1/notifications/webhooks/:id/rotate-secret", Nothing, WebhookEndpointSecretBody, {
    summary: "Rotate the signing secret",
    description: "The old secret signs beside the new one for 24 hours.",
    params: one,
    role: "admin"
  }),
  post(
    "replayWebhookEvents",
    "/v1/notifications/webhooks/:id/replay",
    ReplayWebhookEndpoint,
    Schema.Struct({ id: Schema.String, replayed: Schema.Int }).annotate({ identifier: "Replayed" }),
    {
      summary: "Deliver events again",
      description: "One event, or those of the endpoint's categories that happened in a span of time: the same ids and bodies, signed anew.",
      params: one,
      errors: ["invalid_status"],
      examples: { one: { event_id: "evt_01j9z3k4m5n6p7q8r9s0t1v2w3" }, since: { since: "2026-01-31" } }
    }
  ),
  post(
    "pingWebhookEndpoint",
    "/v1/notifications/webhooks/:id/ping",
    Nothing,
    DeliveryBody,
    { summary: "Send a signed test event", params: one, errors: ["invalid_status"] }
  ),
  list("listDeliveries", "/v1/notifications/webhooks/:id/deliveries", DeliveryBody, {
    summary: "List deliveries to an endpoint and their attempts",
    params: one,
    query: ListDeliveries
  })
)

export const EventsApi = group("events", "Events", "Published events, to be read instead of received.").add(
  list("listEvents", "/v1/notifications/events", EventBody, { summary: "List events", query: ListEvents }),
  get("feedEvents", "/v1/notifications/events/feed", Schema.Array(EventBody), {
    summary: "Read events in the order they happened",
    description: "Oldest first and without gaps: go on from the last event's id to catch up after an outage.",
    query: FeedEvents
  }),
  get("getEvent", "/v1/notifications/events/:id", EventBody, { summary: "Get an event", params: { id: Id("evt") } })
)
