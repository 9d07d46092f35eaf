/**
 * The events of `/v1`, by category and type: what the webhooks of the OpenAPI document describe (EVENT-10, EVENT-18 to
 * EVENT-26).
 */
import { Schema } from "effect"
import type { Category } from "../../reference/vocabulary.ts"
import { describe } from "../../input/schemas.ts"
import { DepositEventObject } from "../deposits/deposit.ts"
import { type FailureSentences, idOf, wordOf, failureOf, payoutSentences } from "../members.ts"
import { ConversionEventObject, conversionStatuses, conversionSentences } from "../movements/conversion.ts"
import { OfframpEventObject, offrampStatuses } from "../movements/offramp.ts"
import { OnrampEventObject, onrampStatuses, onrampSentences } from "../movements/onramp.ts"
import { TransferEventObject } from "../movements/transfer.ts"
import { VerificationEventObject } from "../parties/verification.ts"
import { envelope } from "./event.ts"

type Members = { readonly [member: string]: unknown }

/** An event type. `sequence`, `previous` and `object` are what its example has instead of the examples of the members. */
interface PublishedType {
  readonly description: string
  /** The status that the event shows. */
  readonly status: string
  /** The status before; the same as `status` when nothing changed. */
  readonly previous: string | null
  readonly sequence: number
  readonly object: Members
  /** The members of the object that this type does not have. */
  readonly absent?: ReadonlyArray<string>
}

interface PublishedCategory {
  readonly prefix: string
  /** The envelope with the object. */
  readonly schema: Schema.Top
  readonly types: { readonly [type: string]: PublishedType }
}

/** Makes a category of events. Default of `statuses`: those of its types, in their order. */
const makeCategory = (
  category: Category,
  prefix: string,
  object: Schema.Top,
  types: { readonly [type: string]: PublishedType },
  statuses: ReadonlyArray<string> = Object.values(types).map(({ status }) => status),
  resource: string = category,
  identifier = `${category[0]!.toUpperCase()}${category.slice(1)}Event`
): PublishedCategory => ({
  prefix,
  schema: Schema.Struct({
    ...envelope,
    event_type: wordOf(Object.keys(types), "What happened."),
    event_category: describe(Schema.Literal(category), `\`${category}\`.`),
    event_object_id: idOf(prefix, `The id of the ${resource}.`),
    event_object_status: wordOf(statuses, `The status of the ${resource} at the event.`),
    event_object: object
  }).annotate({ identifier, description: `An event of a ${resource}.` }),
  types
})

/** What a movement that has not ended does not show. */
const unsettled = {
  received_amount: null,
  actual_source_amount: null,
  actual_destination_amount: null,
  actual_rate: null
}
/** What something that did not fail shows, in examples. */
export const noReason = { failure_reason: null, failure_reason_message: null }
const open = { ...unsettled, ...noReason, terminal_at: null }

/** What the movement of a quote does not have. */
const ofCategory: { readonly [category: string]: Members } = {
  onramp: { payment_instrument: null },
  conversion: { credential_id: null, parent_transaction_id: null }
}

/** How an exchange can end without success: after which status, at which place, and why. */
interface Ending {
  readonly previous: string
  readonly sequence: number
  readonly object: Members
}

/** Makes the event types of an exchange, whose first event has the status `first`. */
const makeExchangeTypes = (
  category: "onramp" | "offramp" | "conversion",
  first: "created" | "awaiting_deposit",
  texts: { readonly [event: string]: string },
  endings: { readonly failed: Ending; readonly returned: Ending }
): { readonly [type: string]: PublishedType } => {
  const absent = category === "onramp" ? ["transaction_hash"] : []
  const type = (
    event: string,
    status: string,
    { object, previous, sequence }: Omit<Ending, "previous"> & { readonly previous: string | null }
  ) =>
    [
      `${category}.${event}`,
      {
        description: texts[event]!,
        status,
        previous,
        sequence,
        object: { ...ofCategory[category], status, ...object },
        absent: event === "success" ? [] : absent
      }
    ] as const
  const ended = ({ object, ...rest }: Ending): Ending => ({ ...rest, object: { ...unsettled, ...object } })
  return Object.fromEntries([
    type(first, first, { previous: null, sequence: 1, object: open }),
    type("funds_received", first, { previous: first, sequence: 2, object: open }),
    type("processing", "processing", { previous: first, sequence: 3, object: open }),
    type("success", "success", { previous: "processing", sequence: 4, object: noReason }),
    type("failed", "failed", ended(endings.failed)),
    type("returned", "returned", ended(endings.returned))
  ])
}

const makeReturnEnding = (previous: string, sequence: number, sentences: FailureSentences): Ending => ({
  previous,
  sequence,
  object: failureOf("returned", sentences)
})

/** Where the money of a failure is that says so, whatever its event says of others (PAYOUT-2). */
const unlessRefundFailed = "With the reason `refund_failed` it is with the platform, which decides about it. Terminal."

const onramp = makeExchangeTypes(
  "onramp",
  "awaiting_deposit",
  {
    awaiting_deposit: "The onramp was created and waits for the payer's money, see `deposit_instruction`.",
    funds_received: "The payer's money arrived. The wallet is not credited yet.",
    processing: "The money is being paid out to the wallet.",
    success:
      "The wallet is credited. Terminal. It may have the `transaction_hash` of the payout, which appears nowhere else.",
    failed:
      "The onramp was not funded in time (`quote_expired`), or could not be completed. Terminal, unless a payment that was made in time is applied after `quote_expired`: `onramp.funds_received` and `onramp.processing` follow.",
    returned: "The payer's money was sent back. Terminal."
  },
  {
    failed: {
      previous: "awaiting_deposit",
      sequence: 2,
      object: failureOf("quote_expired", onrampSentences)
    },
    returned: makeReturnEnding("processing", 4, onrampSentences)
  }
)

const offramp = makeExchangeTypes(
  "offramp",
  "created",
  {
    created: "The offramp was accepted. The source amount is reserved in the wallet.",
    funds_received: "The source amount was debited from the wallet.",
    processing: "The payout was submitted to the provider.",
    success: "The recipient was paid. Terminal, unless the bank returns the money later.",
    failed: `The payout could not be completed, and the source amount is back in the wallet. ${unlessRefundFailed}`,
    returned:
      "The bank returned the money, and the full source amount is back in the wallet: no deposit event is published for it. Terminal. It can follow `offramp.success`."
  },
  {
    failed: {
      previous: "processing",
      sequence: 4,
      object: failureOf("failed", payoutSentences)
    },
    returned: makeReturnEnding("success", 5, payoutSentences)
  }
)

const conversion = makeExchangeTypes(
  "conversion",
  "created",
  {
    created: "The conversion was accepted. The source amount is reserved.",
    funds_received: "The source amount was debited.",
    processing: "The conversion was submitted to the provider.",
    success: "The destination wallet is credited. Terminal.",
    failed: `The conversion could not be completed, and the source amount is back at its source. ${unlessRefundFailed}`,
    returned: "The source amount is back at its source. Terminal."
  },
  {
    failed: {
      previous: "processing",
      sequence: 4,
      object: failureOf("failed", conversionSentences)
    },
    returned: makeReturnEnding("processing", 4, conversionSentences)
  }
)

const transfer: { readonly [type: string]: PublishedType } = {
  "transfer.processing": {
    description: "The payout was accepted. The amount is reserved in the wallet.",
    status: "processing",
    previous: null,
    sequence: 1,
    object: { status: "processing", transaction_hash: null, terminal_at: null, ...noReason }
  },
  "transfer.success": {
    description: "The recipient was paid. Terminal.",
    status: "success",
    previous: "processing",
    sequence: 2,
    object: { status: "success", ...noReason }
  },
  "transfer.failed": {
    description: `The payout failed, was cancelled or was reversed, and the amount is back in the wallet: \`failure_reason\` says which. ${unlessRefundFailed}`,
    status: "failed",
    previous: "processing",
    sequence: 2,
    object: {
      status: "failed",
      transaction_hash: null,
      ...failureOf("cancelled", payoutSentences)
    }
  }
}

/** A deposit of 25 USDC to a deposit address, in examples. */
export const deposited = {
  type: "deposit",
  source_type: "deposit_address",
  source_id: "da_01j9z3k4m5n6p7q8r9s0t1v2w3",
  reference: null,
  metadata: { from_address: "0x8617E340B3D01FA5F11F306F4090FD50E238070D" },
  from_wallet_id: null,
  beneficiary_id: null,
  recipient: null,
  source_amount: "25.00",
  destination_amount: "25.00",
  destination_currency: "USDC",
  quoted_received_amount: "25.00",
  received_amount: "25.00",
  fee: { line_items: [] },
  parent_transaction_id: null,
  related_transactions: []
}
const sameCurrency = ["wallet", "customer", "credential"]

const deposit: { readonly [type: string]: PublishedType } = {
  "deposit.received": {
    description:
      "Money was detected that is not final, or that arrived in another currency. In another currency, the destination amount is the quoted one; conversion events follow, and say what is converted. A conversion that has begun is in `related_transactions`. `deposit.held` or `deposit.failed` may still follow before them.",
    status: "received",
    previous: null,
    sequence: 1,
    object: {
      ...deposited,
      source_type: "credential",
      source_id: "wcr_01j9z3k4m5n6p7q8r9s0t1v2w3",
      status: "received",
      metadata: { sender_name: "Chidi Eze", sender_bank: "Zenith Bank", sender_account_number: "3344" },
      transaction_hash: null,
      confirmed_at: null,
      source_amount: "150000.00",
      source_currency: "NGN",
      destination_amount: "99.25",
      quoted_received_amount: "99.25",
      received_amount: "99.25"
    }
  },
  "deposit.held": {
    description:
      "Money arrived and is withheld for a review. `metadata.hold_reason` is `tier_limit`, `payin_frozen` or `payin_disabled`. `deposit.confirmed` or `deposit.failed` follows.",
    status: "held",
    previous: null,
    sequence: 1,
    object: {
      ...deposited,
      status: "processing",
      metadata: { ...deposited.metadata, hold_reason: "tier_limit" },
      confirmed_at: null
    },
    absent: sameCurrency
  },
  "deposit.confirmed": {
    description: "The wallet is credited, and the money can be spent. Terminal.",
    status: "confirmed",
    previous: null,
    sequence: 1,
    object: { ...deposited, status: "success" },
    absent: sameCurrency
  },
  "deposit.failed": {
    description: "The money was not credited: it did not arrive after all, or the operator sent it back. Terminal.",
    status: "failed",
    previous: "received",
    sequence: 2,
    object: { ...deposited, status: "failed", confirmed_at: null },
    absent: sameCurrency
  }
}

const kyc: { readonly [type: string]: PublishedType } = {
  "kyc.approved": {
    description: "The customer is verified: `customer.tier` is the new tier. Terminal.",
    status: "approved",
    previous: "in_progress",
    sequence: 1,
    object: { status: "approved", tier_current: "tier_1" },
    absent: ["failure_reason", "failure_reason_message"]
  },
  "kyc.rejected": {
    description: "The verification was rejected, see `failure_reason`. Terminal.",
    status: "rejected",
    previous: "in_progress",
    sequence: 1,
    object: {
      status: "rejected",
      failure_reason: "identity_mismatch",
      tier_requested: "tier_2",
      tier_current: "tier_1"
    },
    absent: ["profile", "tier_upgraded_from"]
  }
}

/** Every event that `/v1` publishes, by category. A category of a new resource is absent until its events are described. */
export const published: { readonly [C in Category]?: PublishedCategory } = {
  onramp: makeCategory("onramp", "onr", OnrampEventObject, onramp, onrampStatuses),
  offramp: makeCategory("offramp", "ofr", OfframpEventObject, offramp, offrampStatuses),
  conversion: makeCategory("conversion", "con", ConversionEventObject, conversion, conversionStatuses),
  transfer: makeCategory("transfer", "tfr", TransferEventObject, transfer),
  deposit: makeCategory("deposit", "txn", DepositEventObject, deposit),
  kyc: makeCategory("kyc", "kyc", VerificationEventObject, kyc, undefined, "verification session", "VerificationEvent")
}

/** The types of all events, as filters take them. */
export const eventTypes: ReadonlyArray<string> = Object.values(published).flatMap(({ types }) => Object.keys(types))
