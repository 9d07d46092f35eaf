/**
 * The `/v1` shape of a transaction: the history of all movements and deposits (TRANSACTION-1, MOVEMENT-7).
 *
 * A transaction has no row. It is a view of a movement under the same ULID: `tfr_x` is shown as `txn_x`. The two therefore
 * cannot disagree.
 */
import { Schema } from "effect"
import { stem } from "../../ports/Ids.ts"
import { transactionTypes } from "../../reference/vocabulary.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { amountBody, FeeBody, metadataBody, timestampBody } from "../shared.ts"

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

export const RelatedTransactionBody = Schema.Struct({
  id: Schema.String,
  type: Schema.Literals(transactionTypes),
  source_type: Schema.Literals(sourceTypes),
  status: Schema.Literals(transactionStatuses),
  received_amount: Schema.NullOr(amountBody)
})
export type RelatedTransactionBody = typeof RelatedTransactionBody.Type

export const TransactionBody = Schema.Struct({
  id: Schema.String,
  type: Schema.Literals(transactionTypes),
  source_type: Schema.Literals(sourceTypes),
  source_id: Schema.String,
  customer_id: Schema.String,
  status: Schema.Literals(transactionStatuses),
  reference: Schema.NullOr(Schema.String),
  metadata: metadataBody,
  created_at: timestampBody,
  updated_at: timestampBody,
  confirmed_at: Schema.NullOr(timestampBody),
  transaction_hash: Schema.NullOr(Schema.String),
  from_wallet_id: Schema.NullOr(Schema.String),
  to_wallet_id: Schema.NullOr(Schema.String),
  source_amount: amountBody,
  source_currency: Schema.String,
  destination_amount: Schema.NullOr(amountBody),
  destination_currency: Schema.String,
  received_amount: Schema.NullOr(amountBody),
  fee: FeeBody,
  parent_transaction_id: Schema.NullOr(Schema.String),
  root_transaction_id: Schema.String,
  related_transactions: Schema.Array(RelatedTransactionBody)
}).annotate({ identifier: "Transaction" })
export type TransactionBody = typeof TransactionBody.Type

/** A transaction without `related_transactions`, which are other rows. */
export type Transacted = Omit<TransactionBody, "related_transactions">

/** The id prefix of transactions, and of deposits, which have no other `/v1` shape. */
export const transactionPrefix = "txn"

/** The id of a movement's transaction. */
export const transactionId = (id: string): string => `${transactionPrefix}_${stem(id)}`

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
  root_transaction_id: transactionId(row.root_id ?? row.id)
})

export const transactionBody = (own: Transacted, related: ReadonlyArray<Transacted>): TransactionBody => ({
  ...own,
  related_transactions: related.map(({ id, type, source_type, status, received_amount }) => ({
    id,
    type,
    source_type,
    status,
    received_amount
  }))
})
