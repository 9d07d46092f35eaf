/** The `/v1` shapes of a webhook endpoint and of its deliveries (WEBHOOK-1, WEBHOOK-2, WEBHOOK-12). */
import { Schema } from "effect"
import type { WebhookEndpointData } from "../../../machines/webhooks/webhook-endpoint.ts"
import { type Category, categories } from "../../reference/vocabulary.ts"
import { describe } from "../../input/schemas.ts"
import {
  anyIdOf,
  bodyOf,
  countOf,
  flagOf,
  givenUrlOf,
  idOf,
  orNull,
  textOf,
  timeOf,
  times,
  wordOf
} from "../members.ts"
import type { Job, JobWrite, Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { RESPONSE_BODY_MAX, type SentRequest } from "../../ports/WebhookSink.ts"

const endpointFields = {
  id: idOf("whe", "The id of the endpoint."),
  url: givenUrlOf("Where events are posted to.", "https://example.com/webhooks"),
  description: orNull(textOf("A note for people. Null if you sent none.", "payouts service")),
  categories: describe(
    Schema.Array(Schema.Literals(categories)),
    "The categories whose events it receives, all events of each.",
    ["offramp", "deposit"]
  ),
  active: flagOf("Whether it receives events. A new endpoint does not; five days of failures deactivate one."),
  ...times
}

export const WebhookEndpointBody = Schema.Struct(endpointFields).annotate({
  identifier: "WebhookEndpoint",
  description: "A receiver of events."
})
export type WebhookEndpointBody = typeof WebhookEndpointBody.Type

export const WebhookEndpointSecretBody = Schema.Struct({
  ...endpointFields,
  signing_secret: textOf(
    "The secret that signs the deliveries: `whsec_` and 32 bytes in base64. Returned only in this response.",
    "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw/wAsQ2pL1Yo="
  )
}).annotate({
  identifier: "WebhookEndpointWithSecret",
  description: "A receiver of events, with its new signing secret."
})
export type WebhookEndpointSecretBody = typeof WebhookEndpointSecretBody.Type

export const webhookEndpointBody = bodyOf(WebhookEndpointBody, ({ state, data }: Row<WebhookEndpointData>) => ({
  categories: data.categories as ReadonlyArray<Category>,
  active: state === "active"
}))

/** One attempt in the log of a delivery job. `at`: milliseconds since the epoch, by the service's clock. */
export interface Attempt {
  readonly at: number
  readonly response_status: number | null
  readonly error: string | null
  readonly duration_ms: number
  readonly request?: SentRequest
  readonly response_body?: string
  /** Nothing was sent: it says why, and is no attempt. Absent also in rows of earlier releases. */
  readonly unsent?: true
}

/** Lists what was sent of a delivery. */
export const listAttempts = ({ log }: Pick<Job, "log">): Job["log"] =>
  log.filter((one) => (one as Partial<Attempt>).unsent !== true)

/** `pending` while further attempts are possible. The log of a `failed` delivery has the reason. */
export const deliveryStatuses = ["pending", "delivered", "failed"] as const

const SentRequestBody = Schema.Struct({
  url: givenUrlOf("Where it was sent.", "https://example.com/webhooks"),
  headers: describe(Schema.Record(Schema.String, Schema.String), "The headers, without the signature.", {
    "content-type": "application/json",
    "webhook-id": "msg_evt_01j9z3k4m5n6p7q8r9s0t1v2w3"
  })
}).annotate({ identifier: "SentRequest", description: "What was sent beside the body." })

const AttemptBody = Schema.Struct({
  at: timeOf("When it was made.", "2026-01-31T09:30:05.000Z"),
  response_status: orNull(countOf("The HTTP status of the response. Null without a response.", 200)),
  error: orNull(textOf("Why it failed, in words. Null if it succeeded.", "timeout after 15000 ms")),
  duration_ms: countOf("How long it took, in milliseconds.", 84),
  request: describe(
    Schema.NullOr(SentRequestBody),
    "What was sent beside the body, without the signature. The body is the event as `GET /v1/notifications/events/{id}` returns it. Null when nothing was sent."
  ),
  response_body: orNull(
    textOf(`The start of the response as text, at most ${RESPONSE_BODY_MAX} bytes. Null without a response.`, "ok")
  )
}).annotate({ identifier: "DeliveryAttempt", description: "One attempt of a delivery." })

export const DeliveryBody = Schema.Struct({
  id: anyIdOf("The id of the delivery.", "dlv"),
  event_id: anyIdOf("The event that is delivered.", "evt"),
  event_type: textOf("The type of the event.", "offramp.success"),
  status: wordOf(deliveryStatuses, "Where the delivery stands.", {
    pending: "it will be attempted, or attempted again",
    delivered: "the receiver answered with 2xx",
    failed: "the last attempt failed, or the endpoint is no longer active"
  }),
  attempts: describe(Schema.Array(AttemptBody), "The attempts, oldest first."),
  next_attempt_at: orNull(timeOf("When it is attempted next. Null if it is not.", "2026-01-31T09:35:05.000Z")),
  payload: orNull(
    textOf("The exact body of a `ping`, which is no stored event. Null for every event.", '{"event_type":"ping"}')
  ),
  created_at: timeOf("When it was created: with the event, or by a replay or a ping.", "2026-01-31T09:30:04.000Z")
}).annotate({
  identifier: "WebhookDelivery",
  description: "The delivery of an event to an endpoint, with its attempts."
})
export type DeliveryBody = typeof DeliveryBody.Type

export const deliveryBody = (
  job: Pick<Job | JobWrite, "id" | "body" | "status" | "log" | "due_at" | "created_at">
): DeliveryBody => ({
  id: job.id,
  event_id: String(job.body["event_id"]),
  event_type: String(job.body["event_type"]),
  status: job.status as DeliveryBody["status"],
  attempts: (job.log as unknown as ReadonlyArray<Attempt>).map(
    ({ at, response_status, error, duration_ms, request = null, response_body = null }) => ({
      at: iso(at),
      response_status,
      error,
      duration_ms,
      request,
      response_body
    })
  ),
  next_attempt_at: isoOrNull(job.due_at),
  payload: typeof job.body["payload"] === "string" ? job.body["payload"] : null,
  created_at: iso(job.created_at)
})
