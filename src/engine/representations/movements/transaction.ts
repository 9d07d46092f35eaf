/**
 * The `/v1` shape of a transaction: the history of all movements and deposits (TRANSACTION-1, MOVEMENT-7).
 *
 * A transaction has no row. It is a view of a movement under the same ULID: `tfr_x` is shown as `txn_x`. The two therefore
 * cannot disagree.
 */
import { Schema } from "effect"
import { cutStem } from "../../ports/Ids.ts"
import type { PayoutParties } from "../../../machines/parties/summaries.ts"
import { transactionTypes } from "../../reference/vocabulary.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { describe } from "../../input/schemas.ts"
import {
  amountOf,
  anyIdOf,
  currencyCodeOf,
  FeeBody,
  idOf,
  orNull,
  textOf,
  timeOf,
  times,
  transactionHashText,
  wordOf,
  fitToSchema
} from "../members.ts"

export const transactionStatuses = [
  "created",
  "awaiting_deposit",
  "processing",
  "temporary_failure",
  "success",
  "failed",
  "returned",
  "received",
  "confirmed"
] as const
export const sourceTypes = [
  "deposit_address",
  "credential",
  "deposit_forward",
  "offramp_reversal",
  "exception_credit",
  "onramp",
  "offramp",
  "conversion",
  "transfer"
] as const

const typeBody = wordOf(transactionTypes, "What the transaction records.", {
  onramp: "fiat to a wallet",
  offramp: "a wallet to a bank account",
  conversion: "a wallet to another wallet",
  transfer: "a wallet to a crypto address",
  deposit: "money that arrived in a wallet"
})

const sourceTypeBody = wordOf(sourceTypes, "What it comes of: the movement itself, or for a deposit:", {
  deposit_address: "a payment to a deposit address",
  credential: "a payment to a wallet credential",
  deposit_forward: "money of a failed conversion that the operator passed on to the wallet",
  offramp_reversal: "the refund of a returned offramp",
  exception_credit: "unapplied money that the operator credited"
})

const statusBody = wordOf(transactionStatuses, "The status of the movement, or of the deposit:", {
  awaiting_deposit: "an onramp waits for the payer's money",
  processing: "a movement is being paid out, a deposit is detected or held",
  temporary_failure: "the route is unavailable and is tried again, or the outcome is not known yet",
  success: "completed",
  received: "a deposit in another currency has arrived; a conversion moves it",
  confirmed: "a refund or forward is credited"
})

const receivedBody = orNull(
  amountOf(
    "What the recipient received, in `destination_currency`. Null until the status is `success`, and for a movement that paid nothing out: null is not zero. Of a deposit it is its `destination_amount`, whatever its status.",
    "147753.75"
  )
)

const RelatedTransactionBody = Schema.Struct({
  id: idOf("txn", "The id of the related transaction."),
  type: typeBody,
  source_type: sourceTypeBody,
  status: statusBody,
  received_amount: receivedBody
}).annotate({ identifier: "RelatedTransaction", description: "A transaction with the same root." })

export const TransactionBody = Schema.Struct({
  id: idOf("txn", "The id of the transaction. Its characters after the prefix are those of the movement's id."),
  type: typeBody,
  source_type: sourceTypeBody,
  source_id: anyIdOf(
    "The id of what it comes of: the movement, the deposit address, the credential, or the returned offramp.",
    "ofr"
  ),
  customer_id: idOf("cust", "The customer of the wallet."),
  status: statusBody,
  reference: orNull(textOf("The reference of the movement. Null for most deposits.", "INV/2026/1042")),
  metadata: describe(
    Schema.Record(Schema.String, Schema.String),
    "The metadata of the movement. Of a deposit, that of the address or credential that it came to, with `from_address` (crypto); `sender_name`, `sender_bank`, `sender_account_number` (the last four digits) and `narration` (fiat), as far as the bank reported them; `hold_reason` while it is held.",
    { order: "1042" }
  ),
  ...times,
  confirmed_at: orNull(
    timeOf("When it succeeded, or the deposit was credited. Null before.", "2026-01-31T09:30:04.000Z")
  ),
  transaction_hash: orNull(
    transactionHashText(
      "The hash of the payment on its network. Null for bank payments, onramps, and until it is known."
    )
  ),
  from_wallet_id: orNull(idOf("wal", "The wallet that is debited. Null for onramps and deposits.")),
  to_wallet_id: orNull(idOf("wal", "The wallet that is credited. Null for offramps and transfers.")),
  beneficiary_id: orNull(idOf("ben", "The beneficiary that a payout pays. Null for anything else.")),
  recipient: orNull(
    textOf(
      "The name of whom a payout pays, as it was when the payout was made. Null for anything else.",
      "Chidi Okafor"
    )
  ),
  source_amount: amountOf(
    "What is taken from the source or arrived, in `source_currency`, fees included. Of an onramp: what its payer is asked to pay. Where another amount was paid, its events have that as `actual_source_amount`, and filters and totals count it.",
    "100.00"
  ),
  source_currency: currencyCodeOf("The currency of `source_amount`."),
  destination_amount: orNull(
    amountOf(
      "The quoted amount, in `destination_currency`; the network fee may still have to be deducted. Null for a deposit in another currency that is not priced yet.",
      "148503.75"
    )
  ),
  destination_currency: currencyCodeOf("The currency of `destination_amount` and `received_amount`.", "NGN"),
  quoted_received_amount: orNull(
    amountOf(
      "What the recipient is to receive, in `destination_currency`: `destination_amount` less the network fee, or the `target_amount` of the quote. Null for a deposit in another currency that is not priced yet.",
      "147753.75"
    )
  ),
  received_amount: receivedBody,
  fee: FeeBody,
  parent_transaction_id: orNull(
    idOf("txn", "The transaction that caused it, such as the deposit of a conversion. Null without one.")
  ),
  root_transaction_id: idOf("txn", "The first transaction of its chain; its own id without one."),
  related_transactions: describe(Schema.Array(RelatedTransactionBody), "The other transactions with the same root.")
}).annotate({ identifier: "Transaction", description: "An entry of the unified history of movements and deposits." })
export type TransactionBody = typeof TransactionBody.Type

/** A transaction without `related_transactions`, which are other rows. */
export type Transacted = Omit<TransactionBody, "related_transactions">

/** The id prefix of transactions, and of deposits, which have no other `/v1` shape. */
export const transactionPrefix = "txn"

export const transactionId = (id: string): string => `${transactionPrefix}_${cutStem(id)}`

export const isTransactionId = (id: string): boolean => id.startsWith(`${transactionPrefix}_`)

export const noFee: FeeBody = { line_items: [] }

/** The members that every kind's transaction derives in the same way. */
export const transactionCommon = (
  row: Row,
  type: TransactionBody["type"],
  source_type: TransactionBody["source_type"],
  source_id: string
) => ({
  id: transactionId(row.id),
  type,
  source_type,
  source_id,
  customer_id: row.customer_id ?? "",
  status: row.status as TransactionBody["status"],
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  root_transaction_id: transactionId(row.root_id ?? row.id),
  beneficiary_id: null,
  recipient: null
})

/** Shows the recipient of a payout. */
export const showPayee = ({ beneficiary, beneficiary_id }: Pick<PayoutParties, "beneficiary" | "beneficiary_id">) => ({
  beneficiary_id,
  recipient: beneficiary.name
})

const relatedBody = fitToSchema(RelatedTransactionBody)

/**
 * The body of an event whose object is a transaction, with the others of its root: those that the same commit begins, and those of before
 * (EVENT-10). Most have none, so that they are not read for each event.
 */
export const addRelatedToEvent = (body: string, related: ReadonlyArray<Transacted>): string => {
  const event = JSON.parse(body)
  const event_object = { ...event.event_object, related_transactions: related.map(relatedBody) }
  return JSON.stringify({ ...event, event_object })
}

export const transactionBody = (own: Transacted, related: ReadonlyArray<Transacted>): TransactionBody => ({
  ...own,
  related_transactions: related.map(relatedBody)
})
