/** The `/v1` shapes of a webhook endpoint and of its deliveries (WEBHOOK-1, WEBHOOK-2, WEBHOOK-12). */
import { Schema } from "effect"
import type { WebhookEndpointData } from "../../../machines/webhooks/webhook-endpoint.ts"
import { type Category, categories } from "../../reference/vocabulary.ts"
import { Timestamp } from "../../input/schemas.ts"
import type { Job, JobWrite, Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { RESPONSE_BODY_MAX, type SentRequest } from "../../ports/WebhookSink.ts"

const endpointFields = {
  id: Schema.String,
  url: Schema.String,
  description: Schema.NullOr(Schema.String),
  categories: Schema.Array(Schema.Literals(categories)),
  active: Schema.Boolean,
  created_at: Timestamp,
  updated_at: Timestamp
}

export const WebhookEndpointBody = Schema.Struct(endpointFields).annotate({ identifier: "WebhookEndpoint" })
export type WebhookEndpointBody = typeof WebhookEndpointBody.Type

export const WebhookEndpointSecretBody = Schema.Struct({
  ...endpointFields,
  signing_secret: Schema.String.annotate({
    description: "whsec_ followed by 32 bytes in base64. Returned only in this response.",
    examples: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw/wAsQ2pL1Yo="]
  })
}).annotate({ identifier: "WebhookEndpointWithSecret" })
export type WebhookEndpointSecretBody = typeof WebhookEndpointSecretBody.Type

export const webhookEndpointBody = ({
  id,
  state,
  created_at,
  updated_at,
  data
}: Row<WebhookEndpointData>): WebhookEndpointBody => ({
  id,
  url: data.url,
  description: data.description,
  categories: data.categories as ReadonlyArray<Category>,
  active: state === "active",
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})

/** One attempt in the log of a delivery job. `at`: milliseconds since the epoch, by the service's clock. */
export interface Attempt {
  readonly at: number
  readonly response_status: number | null
  readonly error: string | null
  readonly duration_ms: number
  readonly request?: SentRequest
  readonly response_body?: string
}

/** `pending` while further attempts are possible. The log of a `failed` delivery has the reason. */
export const deliveryStatuses = ["pending", "delivered", "failed"] as const

export const DeliveryBody = Schema.Struct({
  id: Schema.String,
  event_id: Schema.String,
  event_type: Schema.String,
  status: Schema.Literals(deliveryStatuses),
  attempts: Schema.Array(
    Schema.Struct({
      at: Timestamp,
      response_status: Schema.NullOr(Schema.Int),
      error: Schema.NullOr(Schema.String),
      duration_ms: Schema.Int,
      request: Schema.NullOr(
        Schema.Struct({ url: Schema.String, headers: Schema.Record(Schema.String, Schema.String) })
      ).annotate({
        description:
          "What was sent beside the body, without the signature. The body is the event as `GET /v1/notifications/events/{id}` returns it. Null when nothing was sent."
      }),
      response_body: Schema.NullOr(Schema.String).annotate({
        description: `The start of the response as text, at most ${RESPONSE_BODY_MAX} bytes. Null without a response.`
      })
    })
  ),
  next_attempt_at: Schema.NullOr(Timestamp),
  payload: Schema.NullOr(Schema.String).annotate({
    description: "The exact body of a `ping`, which is no stored event. Null for every event."
  })
}).annotate({ identifier: "WebhookDelivery" })
export type DeliveryBody = typeof DeliveryBody.Type

export const deliveryBody = (job: Pick<Job | JobWrite, "id" | "body" | "status" | "log" | "due_at">): DeliveryBody => ({
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
  payload: typeof job.body["payload"] === "string" ? job.body["payload"] : null
})
