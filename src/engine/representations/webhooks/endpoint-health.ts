/** The `/v1` shape of how a webhook endpoint does, and its operator's body (WEBHOOK-14, DELIVERY-14). */
import { Schema } from "effect"
import type { WebhookEndpointData } from "../../../machines/webhooks/webhook-endpoint.ts"
import { describe } from "../../input/schemas.ts"
import type { Job, Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { anyIdOf, countOf, idOf, orNull, textOf, timeOf, wordOf } from "../members.ts"
import { merchantFields } from "../operator.ts"
import {
  deliveryBody,
  type DeliveryBody,
  listAttempts,
  WebhookEndpointBody,
  webhookEndpointBody
} from "./webhook-endpoint.ts"

/** At most so many deliveries, the newest, are counted. */
export const countedMax = 100

export const endpointConditions = ["healthy", "failing", "inactive"] as const

const condition = {
  health: wordOf(endpointConditions, "How it does.", {
    healthy: "it is active, and its receiver acknowledged the last delivery or was asked for none",
    failing: "it is active, and deliveries fail without an acknowledgement since `failing_since`",
    inactive: "it receives nothing; `deactivated_for` says why where the service switched it off"
  }),
  failing_since: orNull(
    timeOf(
      "When deliveries began to fail without an acknowledgement since. Time without attempts is not counted. Null if the last one was acknowledged.",
      "2026-01-31T09:30:05.000Z"
    )
  ),
  deactivated_for: describe(
    Schema.NullOr(Schema.Literals(["gone", "failing"])),
    "Why the service switched it off: its receiver answered 410 (`gone`), or it failed for five days (`failing`). Null while it is active, and where the merchant switched it off.",
    null
  )
}

const deliveryCounts = {
  delivered: countOf("How many were acknowledged.", 88),
  failed: countOf("How many failed and are not tried again.", 8),
  pending: countOf("How many are tried, or tried again.", 4)
}

export const EndpointHealthBody = Schema.Struct({
  id: idOf("whe", "The id of the endpoint."),
  ...condition,
  last_attempt: describe(
    Schema.NullOr(
      Schema.Struct({
        event_id: anyIdOf("The event that was sent.", "evt"),
        event_type: textOf("The type of the event.", "offramp.success"),
        at: timeOf("When it was made.", "2026-01-31T09:30:05.000Z"),
        response_status: orNull(countOf("The HTTP status of the response. Null without a response.", 503)),
        error: orNull(textOf("Why it failed, in words. Null if it succeeded.", "returned HTTP 503"))
      }).annotate({ identifier: "LastAttempt", description: "The newest attempt of the counted deliveries." })
    ),
    "The newest attempt of the counted deliveries. Null if none was made."
  ),
  deliveries: countOf(`How many deliveries are counted: the newest, at most ${countedMax}.`, countedMax),
  since: orNull(timeOf("When the oldest counted delivery was created. Null if there is none.")),
  ...deliveryCounts,
  attempted: countOf("How many of the counted deliveries were attempted.", 96),
  success_share: orNull(
    textOf("`delivered` as a share of `attempted`, rounded down. Null if none was attempted.", "0.9166")
  ),
  by_event_type: describe(
    Schema.Array(
      Schema.Struct({
        event_type: textOf("The type of the events.", "offramp.success"),
        attempts: countOf("How many attempts were made.", 112),
        ...deliveryCounts
      }).annotate({ identifier: "EventTypeHealth", description: "The counted deliveries of one event type." })
    ),
    "The counted deliveries by event type: first what failed most."
  )
}).annotate({
  identifier: "WebhookEndpointHealth",
  description: "How a webhook endpoint does, by its newest deliveries."
})
export type EndpointHealthBody = typeof EndpointHealthBody.Type

export const MerchantEndpointBody = Schema.Struct({
  ...WebhookEndpointBody.fields,
  ...merchantFields,
  ...condition
}).annotate({ identifier: "MerchantWebhookEndpoint", description: "A receiver of events of any merchant." })
export type MerchantEndpointBody = typeof MerchantEndpointBody.Type

/** Reads from an endpoint's row whether it fails, since when, and why it was deactivated. */
const readHealth = ({ state, data }: Row<WebhookEndpointData>) => ({
  health:
    state !== "active"
      ? ("inactive" as const)
      : data.failing_since === null
        ? ("healthy" as const)
        : ("failing" as const),
  failing_since: isoOrNull(data.failing_since),
  deactivated_for: data.deactivated_for
})

/** Shows an endpoint to operators, without the name of the merchant, which is read elsewhere. */
export const merchantEndpointBody = (row: Row<WebhookEndpointData>): Omit<MerchantEndpointBody, "merchant_name"> => ({
  ...webhookEndpointBody(row),
  merchant_id: row.merchant_id,
  ...readHealth(row)
})

const countByStatus = (some: ReadonlyArray<DeliveryBody>) => {
  const of = (wanted: DeliveryBody["status"]): number => some.filter(({ status }) => status === wanted).length
  return { delivered: of("delivered"), failed: of("failed"), pending: of("pending") }
}

/** Shows how an endpoint does. `jobs`: its newest deliveries. */
export const endpointHealthBody = (row: Row<WebhookEndpointData>, jobs: ReadonlyArray<Job>): EndpointHealthBody => {
  const deliveries = jobs.map((job) => deliveryBody({ ...job, log: listAttempts(job) }))
  const attempts = deliveries.flatMap(({ attempts, event_id, event_type }) =>
    attempts.map(({ at, response_status, error }) => ({ event_id, event_type, at, response_status, error }))
  )
  const counts = countByStatus(deliveries)
  const attempted = deliveries.filter(({ attempts }) => attempts.length > 0).length
  return {
    id: row.id,
    ...readHealth(row),
    last_attempt: attempts.reduce<(typeof attempts)[number] | null>(
      (last, one) => (last === null || one.at > last.at ? one : last),
      null
    ),
    deliveries: deliveries.length,
    since: jobs.length === 0 ? null : iso(Math.min(...jobs.map(({ created_at }) => created_at))),
    ...counts,
    attempted,
    success_share: attempted === 0 ? null : (Math.floor((counts.delivered * 10_000) / attempted) / 10_000).toFixed(4),
    by_event_type: [...Map.groupBy(deliveries, ({ event_type }) => event_type)]
      .map(([event_type, some]) => ({
        event_type,
        attempts: some.reduce((sum, { attempts }) => sum + attempts.length, 0),
        ...countByStatus(some)
      }))
      .sort((a, b) => b.failed - a.failed || b.pending - a.pending || (a.event_type < b.event_type ? -1 : 1))
  }
}
