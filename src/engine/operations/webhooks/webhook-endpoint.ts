import { Layer, Schema } from "effect"
import {
  del,
  Deleted,
  get,
  getFrom,
  list,
  listFrom,
  patch,
  post,
  section,
  type Sections
} from "../../calls/operation.ts"
import { Id, Noted } from "../../input/schemas.ts"
import { AllWebhookEndpoints, ListAllEndpoints } from "../../reports/webhook-endpoints.ts"
import { countOf, idOf } from "../../representations/members.ts"
import { EndpointHealthBody, MerchantEndpointBody } from "../../representations/webhooks/endpoint-health.ts"
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
  WebhookEndpoints,
  WebhookRosterKind
} from "../../resources/webhooks/webhook-endpoint.ts"
import { operatorGroup, type Registration } from "../registration.ts"

const params = { id: Id("whe") }
const ReplayedBody = Schema.Struct({
  id: idOf("whe", "The id of the endpoint."),
  replayed: countOf("The number of events to send again.", 12)
}).annotate({ identifier: "Replayed", description: "What will be sent again." })

const ReplayedFailedBody = Schema.Struct({
  ...ReplayedBody.fields,
  remaining: countOf("How many more events the endpoint has not got: call again for them.", 0)
}).annotate({ identifier: "ReplayedFailed", description: "What will be sent again, and what is left." })

const replayFailed = {
  summary: "Send all events that failed again",
  description:
    "Sends the events again that the endpoint has not got: each has a failed delivery to it, and none that is delivered or pending. At most 5000, the oldest first; `remaining` counts the others. A repeat sends nothing twice. Ids and bodies do not change.",
  params,
  output: ReplayedFailedBody,
  refusals: ["invalid_status"]
} as const

const health = {
  summary: "Get the health of a webhook endpoint",
  description:
    "How its newest deliveries did, at most 100: the last attempt, the share that succeeded, and the counts by event type; and since when it fails, or why it was switched off.",
  params,
  output: EndpointHealthBody
}

const operations = {
  merchant: section(
    {
      id: "webhook_endpoints",
      title: "Webhook endpoints",
      description:
        "Receivers of events. Deliveries are signed as Standard Webhooks. They are made at least once, in no order, with retries for three days. A merchant has at most twenty endpoints."
    },
    {
      webhooks: {
        create: post(
          "createWebhookEndpoint",
          "/v1/notifications/webhooks",
          {
            summary: "Create a webhook endpoint",
            description:
              "The endpoint is inactive until you activate it. Only this response contains the signing secret. Default categories: all. The URL is https with a public host; the test environment also accepts http and loopback.",
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
          { summary: "Get a webhook endpoint", params, output: WebhookEndpointBody },
          ({ call, params }) => WebhookEndpoints.use((s) => s.get(call, params.id))
        ),
        update: patch(
          "updateWebhookEndpoint",
          "/v1/notifications/webhooks/:id",
          {
            summary: "Activate, deactivate or change a webhook endpoint",
            description:
              "An endpoint receives the events that happen while it is active. A delivery that falls due while it is inactive fails; replay-failed sends what failed. One whose next attempt comes after it is active again goes on by itself.",
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
            description:
              "Only this response contains the new secret. The old secret also signs deliveries for 24 hours. While four old secrets do, the response is 409 `invalid_status`.",
            params,
            output: WebhookEndpointSecretBody,
            role: "admin",
            refusals: ["invalid_status"]
          },
          ({ call, params }) => WebhookEndpoints.use((s) => s.rotateSecret(call, params.id))
        ),
        replay: post(
          "replayWebhookEvents",
          "/v1/notifications/webhooks/:id/replay",
          {
            summary: "Send events again",
            description:
              "Sends one event by its id, or the events of the endpoint's categories from `since` to `until`, at most 5000. Default `until`: now. Ids and bodies do not change.",
            params,
            input: ReplayWebhookEndpoint,
            output: ReplayedBody,
            examples: { one: { event_id: "evt_01j9z3k4m5n6p7q8r9s0t1v2w3" }, range: { since: "2026-01-31T00:00:00Z" } },
            refusals: ["invalid_status"],
            precheck: ({ call, params }) => WebhookEndpoints.use((s) => s.checkActive(call, params.id))
          },
          ({ call, params, input }) => WebhookEndpoints.use((s) => s.replay(call, params.id, input))
        ),
        replayFailed: post(
          "replayFailedWebhookEvents",
          "/v1/notifications/webhooks/:id/replay-failed",
          replayFailed,
          ({ call, params }) => WebhookEndpoints.use((s) => s.replayFailed(call, params.id))
        ),
        health: get("getWebhookEndpointHealth", "/v1/notifications/webhooks/:id/health", health, ({ call, params }) =>
          WebhookEndpoints.use((s) => s.health(call, params.id))
        ),
        ping: post(
          "pingWebhookEndpoint",
          "/v1/notifications/webhooks/:id/ping",
          {
            summary: "Send a test event",
            description:
              "Sends one signed event of type `ping` to this endpoint. Read the delivery to see the outcome.",
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
            description: "Deliveries with each attempt and its outcome, newest first.",
            params,
            input: ListDeliveries,
            output: DeliveryBody
          },
          ({ call, params, input }) => WebhookEndpoints.use((s) => s.deliveries(call, params.id, input))
        )
      }
    }
  ),
  operator: section(operatorGroup, {
    webhooks: {
      list: listFrom(
        AllWebhookEndpoints,
        "listAllWebhookEndpoints",
        "/operator/v1/webhook-endpoints",
        ListAllEndpoints,
        MerchantEndpointBody,
        "List the webhook endpoints of all merchants"
      ),
      get: getFrom(
        AllWebhookEndpoints,
        "getMerchantWebhookEndpoint",
        "/operator/v1/webhook-endpoints/:id",
        params,
        MerchantEndpointBody,
        "Get a webhook endpoint of any merchant"
      ),
      health: get(
        "getMerchantWebhookEndpointHealth",
        "/operator/v1/webhook-endpoints/:id/health",
        health,
        ({ call, params }) => WebhookEndpoints.use((s) => s.anyHealth(call, params.id))
      ),
      replayFailed: post(
        "replayFailedMerchantWebhookEvents",
        "/operator/v1/webhook-endpoints/:id/replay-failed",
        { ...replayFailed, role: "support", input: Noted },
        ({ call, params }) => WebhookEndpoints.use((s) => s.replayAnyFailed(call, params.id))
      ),
      deliveries: list(
        "listMerchantWebhookDeliveries",
        "/operator/v1/webhook-endpoints/:id/deliveries",
        {
          summary: "List the deliveries of any webhook endpoint",
          description:
            "Each attempt with the status and the start of the body of the receiver's response, newest first.",
          params,
          input: ListDeliveries,
          output: DeliveryBody
        },
        ({ call, params, input }) => WebhookEndpoints.use((s) => s.anyDeliveries(call, params.id, input))
      )
    }
  })
} as const satisfies Sections

export const webhookEndpoint = {
  kind: WebhookEndpointKind,
  records: [WebhookRosterKind],
  layer: Layer.mergeAll(WebhookEndpoints.layer, AllWebhookEndpoints.layer),
  operations
} satisfies Registration
