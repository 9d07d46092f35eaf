/** The `/v1` shape of an offramp (OFFRAMP-7, MOVEMENT-9). */
import { Schema } from "effect"
import { formatAmount } from "../../../machines/kernel/money.ts"
import { Offramp, type OfframpData } from "../../../machines/movements/offramp.ts"
import type { FiatDetails } from "../../../machines/parties/summaries.ts"
import { feeOf } from "../../ports/Pricing.ts"
import { currencyOf } from "../../reference/currencies.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import {
  amountBody,
  BankProviderBody,
  BeneficiaryBody,
  CustomerSummaryBody,
  metadataBody,
  reasonMessage,
  SenderSummaryBody,
  timestampBody,
  WalletSummaryBody
} from "../shared.ts"
import { type Transacted, transactionCommon } from "./transaction.ts"

export const PaymentInstrumentBody = Schema.Struct({
  id: Schema.String,
  beneficiary_id: Schema.String,
  type: Schema.Literal("bank_account"),
  country_code: Schema.String,
  provider: Schema.NullOr(BankProviderBody),
  account_name: Schema.NullOr(Schema.String),
  account_number: Schema.String,
  rail: Schema.optionalKey(Schema.String)
})

export const offrampStatuses = ["created", "processing", "temporary_failure", "success", "failed", "returned"] as const

export const OfframpBody = Schema.Struct({
  id: Schema.String,
  reference: Schema.String,
  status: Schema.Literals(offrampStatuses),
  retry_on_failure: Schema.Boolean,
  quote_id: Schema.String,
  rate_source: Schema.Literal("quoted"),
  customer: CustomerSummaryBody,
  wallet: WalletSummaryBody,
  beneficiary: BeneficiaryBody,
  sender: Schema.NullOr(SenderSummaryBody),
  payment_instrument: PaymentInstrumentBody,
  narration: Schema.NullOr(Schema.String),
  source_amount: amountBody,
  source_currency: Schema.String,
  destination_amount: amountBody,
  received_amount: Schema.NullOr(amountBody),
  destination_currency: Schema.String,
  rate: Schema.String,
  rate_locked_until: timestampBody,
  failure_reason: Schema.NullOr(Schema.String),
  failure_reason_message: Schema.NullOr(Schema.String),
  metadata: metadataBody,
  created_at: timestampBody,
  updated_at: timestampBody
}).annotate({ identifier: "Offramp" })
export type OfframpBody = typeof OfframpBody.Type

const instrument = (o: OfframpData): OfframpBody["payment_instrument"] => {
  const { country_code, provider, account_name, account_number, rail } = o.beneficiary.details as FiatDetails
  return {
    id: o.payment_instrument_id,
    beneficiary_id: o.beneficiary_id,
    type: "bank_account",
    country_code,
    provider,
    account_name,
    account_number,
    ...(rail === undefined ? {} : { rail })
  }
}

const displayAmount = (minor: string, currency: string): string => formatAmount(BigInt(minor), currencyOf(currency))

export const offrampBody = ({ id, status, created_at, updated_at, data: o }: Row<OfframpData>): OfframpBody => ({
  id,
  reference: o.reference,
  status: status as OfframpBody["status"],
  retry_on_failure: o.retry_on_failure,
  quote_id: o.quote_id,
  rate_source: "quoted",
  customer: o.customer,
  wallet: o.wallet,
  beneficiary: o.beneficiary as BeneficiaryBody,
  sender: o.sender ?? null,
  payment_instrument: instrument(o),
  narration: o.narration,
  source_amount: displayAmount(o.source_amount, o.source_currency),
  source_currency: o.source_currency,
  destination_amount: displayAmount(o.destination_amount, o.destination_currency),
  received_amount: o.received_amount === null ? null : displayAmount(o.received_amount, o.destination_currency),
  destination_currency: o.destination_currency,
  rate: o.rate,
  rate_locked_until: iso(o.rate_locked_until),
  failure_reason: o.failure_reason,
  failure_reason_message: reasonMessage(o.failure_reason),
  metadata: o.metadata,
  created_at: iso(created_at),
  updated_at: iso(updated_at)
})

/** The event object: the body, the settled amounts, and the time of the terminal status (EVENT-18, EVENT-19). */
export const offrampEvent = (row: Row<OfframpData>) => {
  const body = offrampBody(row)
  const settled = body.received_amount !== null
  return {
    ...body,
    actual_source_amount: settled ? body.source_amount : null,
    actual_destination_amount: body.received_amount,
    actual_rate: settled ? body.rate : null,
    terminal_at: Offramp.hasEnded(row.state, row.machine) ? iso(row.updated_at) : null
  }
}

/** An offramp as a `/v1` transaction. */
export const offrampTransaction = (row: Row<OfframpData>): Transacted => {
  const { data: o } = row
  return {
    ...transactionCommon(row, "offramp", "offramp", row.id),
    reference: o.reference,
    metadata: o.metadata,
    confirmed_at: isoOrNull(o.settled_at),
    transaction_hash: o.transaction_hash,
    from_wallet_id: o.wallet_id,
    to_wallet_id: null,
    source_amount: displayAmount(o.source_amount, o.source_currency),
    source_currency: o.source_currency,
    destination_amount: displayAmount(o.destination_amount, o.destination_currency),
    destination_currency: o.destination_currency,
    received_amount: o.received_amount === null ? null : displayAmount(o.received_amount, o.destination_currency),
    fee: feeOf(o),
    parent_transaction_id: null
  }
}
