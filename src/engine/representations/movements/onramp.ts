/** The `/v1` shape of an onramp (ONRAMP-3, ONRAMP-4). */
import { Schema } from "effect"
import { formatAmount } from "../../../machines/kernel/money.ts"
import { Onramp, type OnrampData } from "../../../machines/movements/onramp.ts"
import { type Fee, feeOf } from "../../ports/Pricing.ts"
import { currencyOf } from "../../reference/currencies.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { PaymentInstrumentBody } from "./offramp.ts"
import {
  amountBody,
  CustomerSummaryBody,
  metadataBody,
  reasonMessage,
  timestampBody,
  WalletSummaryBody
} from "../shared.ts"
import { type Transacted, transactionCommon } from "./transaction.ts"

export const onrampStatuses = [
  "awaiting_deposit",
  "processing",
  "temporary_failure",
  "success",
  "failed",
  "returned"
] as const

export const DepositInstructionBody = Schema.Struct({
  version: Schema.Literal(1),
  type: Schema.Literal("fiat"),
  accountName: Schema.String,
  accountNumber: Schema.String,
  bankName: Schema.String,
  bankCode: Schema.String,
  expiresAt: timestampBody,
  depositReference: Schema.String.annotate({
    description: "The payer includes it in the narration of the bank transfer."
  }),
  message: Schema.String
}).annotate({ identifier: "DepositInstruction" })

export const OnrampBody = Schema.Struct({
  id: Schema.String,
  reference: Schema.String,
  status: Schema.Literals(onrampStatuses),
  quote_id: Schema.String,
  rate_source: Schema.Literal("quoted"),
  customer: CustomerSummaryBody,
  wallet: WalletSummaryBody,
  payment_instrument: Schema.NullOr(PaymentInstrumentBody),
  source_amount: amountBody,
  source_currency: Schema.String,
  destination_amount: amountBody,
  received_amount: Schema.NullOr(amountBody),
  destination_currency: Schema.String,
  rate: Schema.String,
  rate_locked_until: timestampBody,
  deposit_instruction: DepositInstructionBody,
  failure_reason: Schema.NullOr(Schema.String),
  failure_reason_message: Schema.NullOr(Schema.String),
  metadata: metadataBody,
  created_at: timestampBody,
  updated_at: timestampBody
}).annotate({ identifier: "Onramp" })
export type OnrampBody = typeof OnrampBody.Type

const sentences: Readonly<Record<string, string>> = {
  failed: "The provider could not complete the onramp. The payer's money was refunded.",
  quote_expired: "The onramp was not funded while its rate was locked. No funds moved. Create a new quote.",
  refund_failed:
    "The onramp failed, and the payer's money could not be refunded automatically. Support is investigating.",
  cancelled: "The onramp was cancelled before completion. The payer's money was refunded.",
  temporarily_unavailable:
    "The payout route was unavailable, and the onramp was not completed. The payer's money was refunded."
}

const displayAmount = (minor: string, currency: string): string => formatAmount(BigInt(minor), currencyOf(currency))

const instruction = (o: OnrampData): OnrampBody["deposit_instruction"] => {
  const { depositReference } = o.deposit_instruction
  const amount = `${displayAmount(o.quoted.source_amount, o.source_currency)} ${o.source_currency}`
  return {
    version: 1,
    type: "fiat",
    ...o.deposit_instruction,
    expiresAt: iso(o.rate_locked_until),
    message: `Transfer ${amount} with ${depositReference} in the narration. The money must arrive before ${iso(o.rate_locked_until)}.`
  }
}

/** `failure_reason` is null until the onramp has ended: while the money is being refunded, the outcome is open. */
export const onrampBody = ({
  id,
  state,
  machine,
  status,
  created_at,
  updated_at,
  data: o
}: Row<OnrampData>): OnrampBody => {
  const failure_reason = Onramp.hasEnded(state, machine) ? o.failure_reason : null
  return {
    id,
    reference: o.reference,
    status: status as OnrampBody["status"],
    quote_id: o.quote_id,
    rate_source: "quoted",
    customer: o.customer,
    wallet: o.wallet,
    payment_instrument: null,
    source_amount: displayAmount(o.quoted.source_amount, o.source_currency),
    source_currency: o.source_currency,
    destination_amount: displayAmount(o.quoted.destination_amount, o.destination_currency),
    received_amount: o.received_amount === null ? null : displayAmount(o.received_amount, o.destination_currency),
    destination_currency: o.destination_currency,
    rate: o.terms.rate,
    rate_locked_until: iso(o.rate_locked_until),
    deposit_instruction: instruction(o),
    failure_reason,
    failure_reason_message: reasonMessage(failure_reason, sentences),
    metadata: o.metadata,
    created_at: iso(created_at),
    updated_at: iso(updated_at)
  }
}

/** The fees of the settled amounts, or before settlement of the quote. */
const onrampFee = ({ actual, quoted, received_amount, source_currency, destination_currency }: OnrampData): Fee => {
  const { gateway_fee, network_fee } = received_amount === null || actual === null ? quoted : actual
  return feeOf({ gateway_fee, network_fee, source_currency, destination_currency })
}

/**
 * The event object: the body, the settled amounts, and the time of the terminal status. Only the success event has the hash
 * of the payout, if it is known (EVENT-20, MOVEMENT-8).
 */
export const onrampEvent = (row: Row<OnrampData>, type: string) => {
  const body = onrampBody(row)
  const { actual, received_amount, transaction_hash } = row.data
  const settled = received_amount !== null && actual !== null
  return {
    ...body,
    actual_source_amount: settled ? displayAmount(actual.source_amount, body.source_currency) : null,
    actual_destination_amount: body.received_amount,
    actual_rate: settled ? body.rate : null,
    terminal_at: Onramp.hasEnded(row.state, row.machine) ? iso(row.updated_at) : null,
    ...(type === "onramp.success" && transaction_hash !== null ? { transaction_hash } : {})
  }
}

/** An onramp as a `/v1` transaction. */
export const onrampTransaction = (row: Row<OnrampData>): Transacted => {
  const { data: o } = row
  return {
    ...transactionCommon(row, "onramp", "onramp", row.id),
    reference: o.reference,
    metadata: o.metadata,
    confirmed_at: isoOrNull(o.settled_at),
    // Only the success event has the hash of an onramp's payout.
    transaction_hash: null,
    from_wallet_id: null,
    to_wallet_id: o.wallet.id,
    source_amount: displayAmount(o.quoted.source_amount, o.source_currency),
    source_currency: o.source_currency,
    destination_amount: displayAmount(o.quoted.destination_amount, o.destination_currency),
    destination_currency: o.destination_currency,
    received_amount: o.received_amount === null ? null : displayAmount(o.received_amount, o.destination_currency),
    fee: onrampFee(o),
    parent_transaction_id: null
  }
}
