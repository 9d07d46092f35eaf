/** The `/v1` shape of a transaction: the one history of all movements and deposits (TRANSACTION-1, MOVEMENT-7).
 *
 * A transaction is not a row of its own. It is another view of the movement it records, under the same ULID: `tfr_x` is
 * seen here as `txn_x`. So the two can never disagree, and a movement is written once.
 */
import { Schema } from "effect"
import type { ConversionData } from "../../../machines/movements/conversion.ts"
import type { DepositData } from "../../../machines/deposits/deposit.ts"
import { formatAmount } from "../../../machines/kernel/money.ts"
import type { OfframpData } from "../../../machines/movements/offramp.ts"
import type { OnrampData } from "../../../machines/movements/onramp.ts"
import type { TransferData } from "../../../machines/movements/transfer.ts"
import { InvariantViolation } from "../../ports/errors.ts"
import { stem } from "../../ports/Ids.ts"
import { feeOf } from "../../ports/Pricing.ts"
import { currencyOf } from "../../reference/currencies.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { amountBody, FeeBody, metadataBody, timestampBody } from "../shared.ts"
import { offrampFee } from "./offramp.ts"
import { onrampFee } from "./onramp.ts"

export const transactionTypes = ["onramp", "offramp", "conversion", "transfer", "deposit"] as const
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

/** A transaction but for those it is related to, which are other rows. */
export type Transacted = Omit<TransactionBody, "related_transactions">

/** The id a movement has in the history. */
export const transactionId = (id: string): string => `txn_${stem(id)}`

const shown = (minor: string, currency: string): string => formatAmount(BigInt(minor), currencyOf(currency))
const shownOrNull = (minor: string | null, currency: string): string | null =>
  minor === null ? null : shown(minor, currency)
const noFee: FeeBody = { line_items: [] }

const common = (
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

const ofTransfer = (row: Row<TransferData>): Transacted => {
  const { data: t } = row
  const amount = shown(t.amount, t.currency)
  const arrived = row.status === "success"
  return {
    ...common(row, "transfer", "transfer", row.id),
    reference: t.reference,
    metadata: t.metadata,
    confirmed_at: arrived ? iso(row.updated_at) : null,
    transaction_hash: t.transaction_hash,
    from_wallet_id: t.wallet_id,
    to_wallet_id: null,
    source_amount: amount,
    source_currency: t.currency,
    destination_amount: amount,
    destination_currency: t.currency,
    received_amount: arrived ? amount : null,
    fee: noFee,
    parent_transaction_id: null
  }
}

const ofOfframp = (row: Row<OfframpData>): Transacted => {
  const { data: o } = row
  return {
    ...common(row, "offramp", "offramp", row.id),
    reference: o.reference,
    metadata: o.metadata,
    confirmed_at: isoOrNull(o.settled_at),
    transaction_hash: o.transaction_hash,
    from_wallet_id: o.wallet_id,
    to_wallet_id: null,
    source_amount: shown(o.source_amount, o.source_currency),
    source_currency: o.source_currency,
    destination_amount: shown(o.destination_amount, o.destination_currency),
    destination_currency: o.destination_currency,
    received_amount: shownOrNull(o.received_amount, o.destination_currency),
    fee: offrampFee(o),
    parent_transaction_id: null
  }
}

/**
 * What a deposit becomes. Nothing is deducted from one in the wallet's own currency; another becomes what it bought when it
 * was credited, net of fees, and is not known before (TRANSACTION-5, TRANSACTION-6, AUTOCONVERT-7).
 */
const boughtBy = ({
  amount,
  currency,
  exchange
}: DepositData): { readonly destination: string; readonly received_amount: string | null } =>
  exchange === undefined
    ? { destination: currency, received_amount: shown(amount, currency) }
    : {
        destination: exchange.destination_currency,
        received_amount: shownOrNull(exchange.price?.received_amount ?? null, exchange.destination_currency)
      }

/** A forward has no conversion to show what it cost. */
const forwardFee = ({ currency, exchange }: DepositData): FeeBody =>
  exchange === undefined || exchange.price === null
    ? noFee
    : feeOf({ ...exchange.price, source_currency: currency, destination_currency: exchange.destination_currency })

const ofDeposit = (row: Row<DepositData>): Transacted => {
  const { data: d } = row
  const amount = shown(d.amount, d.currency)
  const { destination, received_amount } = boughtBy(d)
  const withheld = row.state === "held" || row.state === "refunding"
  return {
    ...common(row, "deposit", d.source_type, d.source_id),
    reference: d.reference,
    metadata: withheld && d.hold_reason !== null ? { ...d.metadata, hold_reason: d.hold_reason } : d.metadata,
    confirmed_at: isoOrNull(d.confirmed_at),
    transaction_hash: d.transaction_hash,
    from_wallet_id: null,
    to_wallet_id: d.wallet_id,
    source_amount: amount,
    source_currency: d.currency,
    destination_amount: received_amount,
    destination_currency: destination,
    received_amount,
    fee: d.source_type === "deposit_forward" ? forwardFee(d) : noFee,
    parent_transaction_id: d.parent_transaction_id
  }
}

const ofOnramp = (row: Row<OnrampData>): Transacted => {
  const { data: o } = row
  return {
    ...common(row, "onramp", "onramp", row.id),
    reference: o.reference,
    metadata: o.metadata,
    confirmed_at: isoOrNull(o.settled_at),
    // The hash of an onramp's payout is told by its success event and nowhere else.
    transaction_hash: null,
    from_wallet_id: null,
    to_wallet_id: o.wallet.id,
    source_amount: shown(o.quoted.source_amount, o.source_currency),
    source_currency: o.source_currency,
    destination_amount: shown(o.quoted.destination_amount, o.destination_currency),
    destination_currency: o.destination_currency,
    received_amount: shownOrNull(o.received_amount, o.destination_currency),
    fee: onrampFee(o),
    parent_transaction_id: null
  }
}

const ofConversion = (row: Row<ConversionData>): Transacted => {
  const { data: c } = row
  return {
    ...common(row, "conversion", "conversion", row.id),
    reference: c.reference,
    metadata: c.metadata,
    confirmed_at: isoOrNull(c.settled_at),
    transaction_hash: null,
    from_wallet_id: c.source_wallet?.id ?? null,
    to_wallet_id: c.destination_wallet.id,
    source_amount: shown(c.source_amount, c.source_currency),
    source_currency: c.source_currency,
    destination_amount: shown(c.destination_amount, c.destination_currency),
    destination_currency: c.destination_currency,
    received_amount: shownOrNull(c.received_amount, c.destination_currency),
    fee: feeOf(c),
    parent_transaction_id: c.parent_transaction_id
  }
}

const views: Readonly<Record<string, (row: Row<any>) => Transacted>> = {
  transfer: ofTransfer,
  offramp: ofOfframp,
  conversion: ofConversion,
  onramp: ofOnramp,
  deposit: ofDeposit
}

/** The kinds of row that the history is made of. */
export const transactionKinds: ReadonlyArray<string> = Object.keys(views)

export const transacted = (row: Row): Transacted => {
  const view = views[row.kind]
  if (view === undefined) throw new InvariantViolation(`a ${row.kind} is a transaction`)
  return view(row)
}

export const transactionBody = (row: Row, related: ReadonlyArray<Row>): TransactionBody => ({
  ...transacted(row),
  related_transactions: related.map((other) => {
    const { id, type, source_type, status, received_amount } = transacted(other)
    return { id, type, source_type, status, received_amount }
  })
})

/** The parties of a deposit in another currency than its wallet's (EVENT-22). */
const partiesOf = ({ exchange }: DepositData) =>
  exchange === undefined
    ? {}
    : { wallet: exchange.wallet, customer: exchange.customer, credential: exchange.credential }

/** A deposit's event object: its transaction, when it was observed, and whom a cross-currency one concerns. */
export const depositEvent = (row: Row<DepositData>) => ({
  ...transactionBody(row, []),
  deposit_timestamp: iso(row.data.observed_at),
  ...partiesOf(row.data)
})
