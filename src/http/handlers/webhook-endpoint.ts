import { Effect } from "effect"
import { Events } from "../../engine/resources/webhooks/event.ts"
import { WebhookEndpoints } from "../../engine/resources/webhooks/webhook-endpoint.ts"
import { EventsApi, WebhookEndpointsApi } from "../api/webhook-endpoint.ts"
import { endpoints, statusFirst } from "../endpoint.ts"

export const webhookEndpoints = Effect.gen(function* () {
  const webhooks = yield* WebhookEndpoints
  const events = yield* Events
  return [
    ...endpoints(WebhookEndpointsApi, {
      createWebhookEndpoint: ({ call, body }) => webhooks.create(call, body),
      listWebhookEndpoints: ({ call, query }) => webhooks.list(call, query),
      getWebhookEndpoint: ({ call, params }) => webhooks.get(call, params.id),
      updateWebhookEndpoint: ({ call, params, body }) => webhooks.update(call, params.id, body),
      deleteWebhookEndpoint: ({ call, params }) => webhooks.remove(call, params.id),
      rotateWebhookSecret: ({ call, params }) => webhooks.rotateSecret(call, params.id),
      replayWebhookEvents: statusFirst(
        ({ call, params }) => webhooks.checkActive(call, params.id),
        ({ call, params, body }) => webhooks.replay(call, params.id, body)
      ),
      pingWebhookEndpoint: ({ call, params }) => webhooks.ping(call, params.id),
      listWebhookDeliveries: ({ call, params, query }) => webhooks.deliveries(call, params.id, query)
    }),
    ...endpoints(EventsApi, {
      listEvents: ({ call, query }) => events.list(call, query),
      feedEvents: ({ call, query }) => events.feed(call, query),
      getEvent: ({ call, params }) => events.get(call, params.id)
    })
  ]
})
