/** The shape of a timeline: what happened to a resource, in order, and what it waits for (TIMELINE-1). */
import { Schema } from "effect"
import { amountBody, timestampBody } from "./shared.ts"

const common = {
  at: timestampBody,
  summary: Schema.String.annotate({ description: "The entry in one sentence.", examples: ["The offramp was created."] })
}

const entry = <const T extends string, const F extends Schema.Struct.Fields>(type: T, identifier: string, fields: F) =>
  Schema.Struct({ type: Schema.Literal(type), ...common, ...fields }).annotate({ identifier })

const version = Schema.Int.annotate({ description: "The version of the resource that this belongs to." })
const maybe = Schema.NullOr(Schema.String)

/** A call of a merchant or of the operator that changed the resource. */
const RequestEntry = entry("request", "TimelineRequest", {
  /** Null where a request was made before its id was recorded. */
  request_id: maybe,
  key_id: maybe,
  operator: Schema.NullOr(Schema.Struct({ id: maybe, name: Schema.String })),
  idempotency_key: maybe,
  operation: maybe
})

const TransitionEntry = entry("transition", "TimelineTransition", {
  version,
  from: maybe,
  to: Schema.String,
  event: Schema.String,
  cause: Schema.String,
  note: maybe
})

const PostingEntry = entry("posting", "TimelinePosting", {
  version,
  debit: Schema.String,
  credit: Schema.String,
  amount: amountBody,
  currency: Schema.String
})

const providerOperations = ["submit", "lookup", "refund", "lookup_refund", "issue", "verify"] as const

const ProviderCallEntry = entry("provider_call", "TimelineProviderCall", {
  provider: maybe,
  operation: Schema.Literals(providerOperations),
  command_id: Schema.String,
  attempt: Schema.Int,
  latency_ms: Schema.NullOr(Schema.Int),
  /** Null while the call has no recorded answer. */
  answer: maybe,
  provider_reference: maybe
})

const ProviderEventEntry = entry("provider_event", "TimelineProviderEvent", {
  provider: Schema.String,
  event_id: Schema.String,
  event: Schema.String
})

const TimerEntry = entry("timer", "TimelineTimer", {
  name: Schema.String,
  due_at: Schema.NullOr(timestampBody),
  outcome: Schema.Literals(["armed", "fired", "cancelled"])
})

const EventEntry = entry("event", "TimelineEvent", {
  event_id: Schema.String,
  event_type: Schema.String,
  event_sequence: Schema.Int
})

/** One attempt of a delivery. `pending`: it was not attempted yet, and `attempt` is 0. `retried`: another attempt follows. */
const DeliveryEntry = entry("delivery", "TimelineDelivery", {
  delivery_id: Schema.String,
  event_id: Schema.String,
  event_type: Schema.String,
  endpoint_id: Schema.String,
  url: maybe,
  attempt: Schema.Int,
  status_code: Schema.NullOr(Schema.Int),
  error: maybe,
  latency_ms: Schema.NullOr(Schema.Int),
  outcome: Schema.Literals(["delivered", "failed", "retried", "pending"]),
  next_attempt_at: Schema.NullOr(timestampBody)
})

export const TimelineEntry = Schema.Union([
  RequestEntry,
  TransitionEntry,
  PostingEntry,
  ProviderCallEntry,
  ProviderEventEntry,
  TimerEntry,
  EventEntry,
  DeliveryEntry
])
export type TimelineEntry = typeof TimelineEntry.Type

export const WaitsForBody = Schema.Struct({
  reason: Schema.String,
  sentence: Schema.String,
  since: timestampBody,
  /** Until when waiting is expected: the expiry of a quote or a link. */
  until: Schema.NullOr(timestampBody),
  next_attempt_at: Schema.NullOr(timestampBody),
  /** The number of submissions to the provider. */
  attempts: Schema.Int
}).annotate({ identifier: "WaitsFor" })
export type WaitsForBody = typeof WaitsForBody.Type

export const TimelineBody = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  merchant_id: Schema.String,
  status: Schema.String,
  state: Schema.String,
  machine: Schema.String,
  created_at: timestampBody,
  ended_at: Schema.NullOr(timestampBody),
  waits_for: Schema.NullOr(WaitsForBody),
  /** Oldest first. */
  entries: Schema.Array(TimelineEntry),
  /** Whether entries are missing: older ones beyond the limit, or those whose records have been deleted after their time. */
  truncated: Schema.Boolean
}).annotate({ identifier: "Timeline" })
export type TimelineBody = typeof TimelineBody.Type

export const ResourceBody = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  merchant_id: Schema.String,
  merchant_name: maybe,
  customer_id: maybe,
  status: Schema.String,
  state: Schema.String,
  machine: Schema.String,
  created_at: timestampBody,
  updated_at: timestampBody,
  resource: Schema.Record(Schema.String, Schema.Unknown).annotate({
    description: "The resource as its own operation returns it."
  }),
  related: Schema.Array(Schema.Struct({ id: Schema.String, kind: Schema.String, relation: Schema.String }))
}).annotate({ identifier: "Resource" })
export type ResourceBody = typeof ResourceBody.Type
