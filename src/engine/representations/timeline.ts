/** The shape of a timeline: what happened to a resource, in order, and what it waits for (TIMELINE-1). */
import { Schema } from "effect"
import { describe } from "../input/schemas.ts"
import { awaitedPersonBody } from "./operator.ts"
import {
  amountOf,
  anyIdOf,
  countOf,
  createdAt,
  currencyCodeOf,
  flagOf,
  idOf,
  orNull,
  textOf,
  timeOf,
  updatedAt,
  wordOf
} from "./members.ts"

const common = {
  at: timeOf("When it happened."),
  summary: textOf("The entry in one sentence.", "The offramp was created.")
}

const makeEntrySchema = <const T extends string, const F extends Schema.Struct.Fields>(
  type: T,
  identifier: string,
  description: string,
  fields: F
) =>
  Schema.Struct({ type: describe(Schema.Literal(type), `\`${type}\`.`), ...common, ...fields }).annotate({
    identifier,
    description
  })

const version = countOf("The version of the resource that this belongs to: 1 at its creation.", 2)
const provider = textOf("The provider.", "simulated")

const RequestEntry = makeEntrySchema(
  "request",
  "TimelineRequest",
  "A call of a merchant or operator that changed the resource.",
  {
    request_id: orNull(
      textOf("The id of the request. Null for requests before ids were recorded.", "req_01j9z3k4m5n6p7q8r9s0t1v2w3")
    ),
    key_id: orNull(idOf("key", "The API key. Null for an operator and an embedding application.")),
    operator: describe(
      Schema.NullOr(
        Schema.Struct({
          id: orNull(idOf("opr", "The id of the operator. Null for the configured token.")),
          name: textOf("The name of the operator.", "Ada Obi")
        }).annotate({ identifier: "TimelineOperator", description: "The operator who called." })
      ),
      "The operator who called. Null for a merchant."
    ),
    idempotency_key: orNull(textOf("The idempotency key of the request. Null without one.", "invoice-1042")),
    operation: orNull(textOf("The operationId. Null if it was not recorded.", "createOfframp"))
  }
)

const TransitionEntry = makeEntrySchema("transition", "TimelineTransition", "A transition of the resource.", {
  version,
  from: orNull(textOf("The state before. Null at the creation.", "created")),
  to: textOf("The state after.", "submitting"),
  event: textOf("The event of the machine.", "payout.begun"),
  cause: textOf(
    "What caused it: a request, a job, a timer or an event of the provider.",
    "job:ofr_01j9z3k4m5n6p7q8r9s0t1v2w3.payout"
  ),
  note: orNull(textOf("The operator's note. Null without one.", "Confirmed by phone"))
})

const PostingEntry = makeEntrySchema("posting", "TimelinePosting", "A posting of the ledger.", {
  version,
  debit: textOf("The account that is debited.", "available:wal_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  credit: textOf("The account that is credited.", "reserved:wal_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  amount: amountOf("The amount, in `currency`.", "100.00"),
  currency: currencyCodeOf("The currency of the posting.")
})

const providerOperations = [
  "submit",
  "lookup",
  "refund",
  "lookup_refund",
  "issue",
  "verify",
  "screen",
  "resolve_account",
  "resolve_proxy",
  "banks",
  "instruct",
  "start_verification",
  "price"
] as const

const ProviderCallEntry = makeEntrySchema("provider_call", "TimelineProviderCall", "A call to the provider.", {
  provider: orNull(textOf("The provider. Null where it is not shown.", "simulated")),
  operation: wordOf(providerOperations, "What was asked.", {
    submit: "to pay",
    lookup: "what became of a payment",
    refund: "to give money back",
    lookup_refund: "what became of a refund",
    issue: "for an address or account",
    verify: "what became of a verification",
    screen: "whether a beneficiary may be paid",
    resolve_account: "for the holder of an account",
    resolve_proxy: "for the holder of a payshap proxy",
    banks: "for its banks",
    instruct: "where to pay an onramp",
    start_verification: "for a page that verifies a customer",
    price: "for a rate; the provider is then the rate source"
  }),
  command_id: orNull(
    textOf(
      "The command: the provider's idempotency key. Null for a question that has none.",
      "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3.payout"
    )
  ),
  statement_reference: orNull(
    textOf("The reference by which a bank's statement names the command. Null without a command.", "01J9Z3K4M59XV3RT")
  ),
  attempt: countOf("The number of the attempt, from 1.", 1),
  latency_ms: orNull(countOf("How long the answer took, in milliseconds. Null without an answer.", 212)),
  answer: orNull(textOf("What the provider said. Null while no answer is recorded.", "accepted")),
  provider_reference: orNull(textOf("The provider's own reference. Null if it is not known.", "FT26031XK92")),
  awaited_person: awaitedPersonBody
})

const ProviderEventEntry = makeEntrySchema("provider_event", "TimelineProviderEvent", "A report of the provider.", {
  provider,
  event_id: textOf("The provider's id of the report.", "evt-88121"),
  event: textOf("What it reported.", "provider.succeeded")
})

const TimerEntry = makeEntrySchema("timer", "TimelineTimer", "A timer of the resource.", {
  name: textOf("The name of the timer.", "quote_expiry"),
  due_at: orNull(timeOf("When it is or was due. Null if it is not known.", "2026-01-31T09:35:00.000Z")),
  outcome: wordOf(["armed", "fired", "cancelled"], "What became of it.", { armed: "it is still to fire" })
})

const EventEntry = makeEntrySchema("event", "TimelineEvent", "An event that was published.", {
  event_id: idOf("evt", "The id of the event."),
  event_type: textOf("The type of the event.", "offramp.processing"),
  event_sequence: countOf("Its number among the events of the resource.", 3)
})

const DeliveryEntry = makeEntrySchema("delivery", "TimelineDelivery", "An attempt to deliver an event.", {
  delivery_id: textOf("The id of the delivery.", "dlv_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  event_id: idOf("evt", "The event that is delivered."),
  event_type: textOf("The type of the event.", "offramp.processing"),
  endpoint_id: idOf("whe", "The webhook endpoint."),
  url: orNull(textOf("Where it was sent. Null if nothing was sent.", "https://example.com/webhooks")),
  attempt: countOf("The number of the attempt, from 1; 0 before the first.", 1),
  status_code: orNull(countOf("The HTTP status of the response. Null without one.", 200)),
  error: orNull(textOf("Why it failed. Null if it did not.", "timeout after 15000 ms")),
  latency_ms: orNull(countOf("How long it took, in milliseconds. Null before the first attempt.", 84)),
  response_body: orNull(textOf("The start of the receiver's response as text. Null without a response.", "ok")),
  outcome: wordOf(["delivered", "failed", "retried", "pending"], "What became of the attempt.", {
    failed: "it failed and was the last",
    retried: "it failed, and another follows",
    pending: "it was not made yet"
  }),
  next_attempt_at: orNull(timeOf("When the next attempt is due. Null if none is.", "2026-01-31T09:35:05.000Z"))
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
  reason: textOf("What it waits for, in one word.", "outcome_unknown"),
  sentence: textOf(
    "What it waits for, in a sentence.",
    "The provider has not said whether it paid. Until it does, the money is neither returned nor paid again."
  ),
  since: timeOf("The time of the last progress."),
  until: orNull(
    timeOf(
      "Until when waiting is expected: the expiry of a quote or a link. Null: no limit.",
      "2026-01-31T09:35:00.000Z"
    )
  ),
  next_attempt_at: orNull(timeOf("When the next attempt is due. Null if none is.", "2026-01-31T09:31:00.000Z")),
  attempts: countOf("The number of submissions to the provider.", 1),
  awaited_person: awaitedPersonBody
}).annotate({ identifier: "WaitsFor", description: "What a resource waits for." })
export type WaitsForBody = typeof WaitsForBody.Type

const MoneyPlaceBody = Schema.Struct({
  account: textOf("The account of the ledger.", "available:wal_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  amount: amountOf("The amount of the resource in this account, in `currency`.", "100.00"),
  currency: currencyCodeOf("The currency of the amount."),
  summary: textOf(
    "The same in a sentence.",
    "100.00 USDC went back to the available balance of wal_01j9z3k4m5n6p7q8r9s0t1v2w3."
  )
}).annotate({ identifier: "MoneyPlace", description: "Where money of a resource is." })
export type MoneyPlaceBody = typeof MoneyPlaceBody.Type

export const ExplanationBody = Schema.Struct({
  reason: orNull(
    textOf("Why it failed, was returned, is held or was recorded, in one word. Null if none of these.", "failed")
  ),
  message: orNull(
    textOf(
      "The reason in a sentence. Null without a reason.",
      "The provider could not complete the payout. The full source amount was returned to the wallet."
    )
  ),
  provider_reason: orNull(
    textOf("The reason in the provider's own words. Null without one, and for a merchant.", "account closed")
  ),
  money: describe(
    Schema.Array(MoneyPlaceBody),
    "Where the money of the resource is, by its postings and those of what took it over. For a merchant, only the accounts of its wallets."
  ),
  next_step: orNull(
    textOf(
      "What to do next. Null when nothing is left to do.",
      "Check the details of the recipient, then start a new one."
    )
  )
}).annotate({
  identifier: "Explanation",
  description: "Why a resource failed or waits, where its money is, and what to do next."
})
export type ExplanationBody = typeof ExplanationBody.Type

const identity = {
  id: anyIdOf("The id of the resource.", "ofr"),
  kind: textOf("The kind of the resource.", "offramp"),
  merchant_id: textOf("The merchant that it belongs to.", "mer_01j9z3k4m5n6p7q8r9s0t1v2w3")
}

const stand = {
  status: textOf("Its status.", "processing"),
  state: textOf("The state of its machine, finer than `status`.", "submitting"),
  machine: textOf("The version of its machine.", "1"),
  created_at: createdAt
}

export const TimelineBody = Schema.Struct({
  ...identity,
  ...stand,
  ended_at: orNull(timeOf("When it ended. Null before.", "2026-01-31T09:30:04.000Z")),
  waits_for: describe(Schema.NullOr(WaitsForBody), "What it waits for. Null when it has ended."),
  explanation: ExplanationBody,
  entries: describe(Schema.Array(TimelineEntry), "What happened, oldest first. `type` tells the entries apart."),
  truncated: flagOf(
    "Whether entries are missing: older ones beyond the limit, or those whose records were deleted after their time.",
    false
  )
}).annotate({ identifier: "Timeline", description: "What happened to a resource, in order, and what it waits for." })
export type TimelineBody = typeof TimelineBody.Type

export const ResourceBody = Schema.Struct({
  ...identity,
  merchant_name: orNull(textOf("The name of the merchant. Null for the platform's own records.", "Lagos Trading")),
  customer_id: orNull(idOf("cust", "The customer. Null without one.")),
  ...stand,
  updated_at: updatedAt,
  resource: describe(Schema.Record(Schema.String, Schema.Unknown), "The resource as its own operation returns it.", {
    id: "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3",
    status: "processing"
  }),
  commands: describe(
    Schema.Array(
      Schema.Struct({
        command_id: textOf("The command: the provider's idempotency key.", "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3.payout"),
        statement_reference: textOf("What the provider gives to the bank for it.", "01J9Z3K4M59XV3RT")
      }).annotate({ identifier: "ResourceCommand", description: "A command that moves money of a resource." })
    ),
    "The commands that move its money, with the references by which statements name them."
  ),
  related: describe(
    Schema.Array(
      Schema.Struct({
        id: anyIdOf("The id of the related resource.", "quo"),
        kind: textOf("The kind of the related resource.", "quote"),
        relation: textOf("What it is to the resource.", "quote"),
        title: orNull(textOf("Its name or its reference. Null if it has neither.", "Ada Obi"))
      }).annotate({ identifier: "RelatedResource", description: "A related resource." })
    ),
    "The resources that it belongs to or made."
  )
}).annotate({ identifier: "Resource", description: "A resource of any kind and merchant." })
export type ResourceBody = typeof ResourceBody.Type
