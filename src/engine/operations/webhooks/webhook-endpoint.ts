import { Schema } from "effect"
import { del, Deleted, get, list, patch, post, section, type Sections } from "../../calls/operation.ts"
import { Id } from "../../input/schemas.ts"
import {
  DeliveryBody,
  WebhookEndpointBody,
  WebhookEndpointSecretBody
} from "../../representations/webhooks/webhook-endpoint.ts"
import {
  CreateWebhookEndpoint,
  ListDeliveries,
  ListWebhookEndpoints,
  ReplayWebhookEndpoint,
  UpdateWebhookEndpoint,
  WebhookEndpointKind,
  WebhookEndpoints
} from "../../resources/webhooks/webhook-endpoint.ts"
import { WebhookRosterKind } from "../../resources/webhooks/webhook-roster.ts"
import type { Registration } from "../registration.ts"

const params = { id: Id("whe") }
const ReplayedBody = Schema.Struct({
  id: Schema.String,
  replayed: Schema.Int.annotate({ description: "How many events are sent again." })
}).annotate({ identifier: "Replayed" })

const operations = {
  merchant: section(
    {
      id: "webhook_endpoints",
      title: "Webhook endpoints",
      description:
        "Where events are sent: signed as Standard Webhooks, at least once, in no order, retried for three days. At most twenty."
    },
    {
      webhooks: {
        create: post(
          "createWebhookEndpoint",
          "/v1/notifications/webhooks",
          {
            summary: "Create a webhook endpoint",
            description:
              "It is inactive: nothing is sent before it is activated. The signing secret is in this answer alone. " +
              "Without categories it gets the events of all of them. The url is https, and its host is public; in the test environment http and loopback are taken too.",
            input: CreateWebhookEndpoint,
            output: WebhookEndpointSecretBody,
            examples: { transfers: { url: "https://example.com/webhooks", categories: ["transfer", "deposit"] } },
            refusals: ["invalid_status"]
          },
          ({ call, input }) => WebhookEndpoints.use((s) => s.create(call, input))
        ),
        list: list(
          "listWebhookEndpoints",
          "/v1/notifications/webhooks",
          { summary: "List webhook endpoints", input: ListWebhookEndpoints, output: WebhookEndpointBody },
          ({ call, input }) => WebhookEndpoints.use((s) => s.list(call, input))
        ),
        get: get(
          "getWebhookEndpoint",
          "/v1/notifications/webhooks/:id",
          { summary: "Show a webhook endpoint", params, output: WebhookEndpointBody },
          ({ call, params }) => WebhookEndpoints.use((s) => s.get(call, params.id))
        ),
        update: patch(
          "updateWebhookEndpoint",
          "/v1/notifications/webhooks/:id",
          {
            summary: "Activate, deactivate or change a webhook endpoint",
            description:
              "It gets the events that happen while it is active. What was still to be sent when it is deactivated is not sent; replay it.",
            params,
            input: UpdateWebhookEndpoint,
            output: WebhookEndpointBody,
            examples: { activate: { active: true } },
            refusals: ["conflict"]
          },
          ({ call, params, input }) => WebhookEndpoints.use((s) => s.update(call, params.id, input))
        ),
        delete: del(
          "deleteWebhookEndpoint",
          "/v1/notifications/webhooks/:id",
          { summary: "Delete a webhook endpoint", params, output: Deleted, role: "admin", refusals: ["conflict"] },
          ({ call, params }) => WebhookEndpoints.use((s) => s.remove(call, params.id))
        ),
        rotateSecret: post(
          "rotateWebhookSecret",
          "/v1/notifications/webhooks/:id/rotate-secret",
          {
            summary: "Rotate the signing secret",
            description: "The new secret is in this answer alone. The old one signs beside it for 24 hours.",
            params,
            output: WebhookEndpointSecretBody,
            role: "admin"
          },
          ({ call, params }) => WebhookEndpoints.use((s) => s.rotateSecret(call, params.id))
        ),
        replay: post(
          "replayWebhookEvents",
          "/v1/notifications/webhooks/:id/replay",
          {
            summary: "Send events again",
            description:
              "One event by its id, or those of the endpoint's categories from `since` to `until` (now), at most 5000. Ids and bodies are what they were.",
            params,
            input: ReplayWebhookEndpoint,
            output: ReplayedBody,
            examples: { one: { event_id: "evt_01j9z3k4m5n6p7q8r9s0t1v2w3" }, range: { since: "2026-01-31T00:00:00Z" } },
            refusals: ["invalid_status"],
            before: ({ call, params }) => WebhookEndpoints.use((s) => s.checkActive(call, params.id))
          },
          ({ call, params, input }) => WebhookEndpoints.use((s) => s.replay(call, params.id, input))
        ),
        ping: post(
          "pingWebhookEndpoint",
          "/v1/notifications/webhooks/:id/ping",
          {
            summary: "Send a test event",
            description:
              "A signed event of type `ping`, to this endpoint alone, once. Look the delivery up to see how it went.",
            params,
            output: DeliveryBody,
            refusals: ["invalid_status"]
          },
          ({ call, params }) => WebhookEndpoints.use((s) => s.ping(call, params.id))
        ),
        deliveries: list(
          "listWebhookDeliveries",
          "/v1/notifications/webhooks/:id/deliveries",
          {
            summary: "List the deliveries of a webhook endpoint",
            description: "What was sent, every attempt and how it went, newest first.",
            params,
            input: ListDeliveries,
            output: DeliveryBody
          },
          ({ call, params, input }) => WebhookEndpoints.use((s) => s.deliveries(call, params.id, input))
        )
      }
    }
  )
} as const satisfies Sections

export const webhookEndpoint = {
  kind: WebhookEndpointKind,
  records: [WebhookRosterKind],
  layer: WebhookEndpoints.layer,
  operations
} satisfies Registration
