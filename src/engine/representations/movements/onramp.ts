/** The `/v1` shape of an onramp (ONRAMP-3, ONRAMP-4). */
import { Schema } from "effect"
import { findEarnedFees } from "../../../machines/kernel/exchange.ts"
import { countShortage } from "../../../machines/kernel/payout.ts"
import { isRecalled } from "../../../machines/kernel/recall.ts"
import { Onramp, type OnrampData } from "../../../machines/movements/onramp.ts"
import { isStandIn } from "../../ports/dry-run.ts"
import { type Fee, feeOf } from "../../ports/Pricing.ts"
import { displayAmount } from "../../reference/currencies.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { PaymentInstrumentBody } from "./offramp.ts"
import { describe } from "../../input/schemas.ts"
import {
  amountOf,
  bodyOf,
  currencyCodeOf,
  failureFields,
  failureOf,
  type FailureSentences,
  feesOf,
  idOf,
  metadataBody,
  orNull,
  quotedReceivedOf,
  rateBody,
  referenceBody,
  settlementFields,
  showExchange,
  showSettlement,
  textOf,
  timeOf,
  times,
  transactionHashText,
  wordOf
} from "../members.ts"
import { CustomerSummaryBody, storedCustomer } from "../parties/customer.ts"
import { WalletSummaryBody, storedWallet } from "../wallets/wallet.ts"
import { type Transacted, transactionCommon } from "./transaction.ts"

export const onrampStatuses = [
  "awaiting_deposit",
  "processing",
  "temporary_failure",
  "success",
  "failed",
  "returned"
] as const

const DepositInstructionBody = Schema.Struct({
  version: describe(Schema.Literal(1), "The version of this shape."),
  type: wordOf(["fiat"], "`fiat`: a bank transfer."),
  accountName: textOf("The holder of the account to pay to.", "Corridor Collections"),
  accountNumber: textOf("The number of the account to pay to.", "9918273645"),
  bankName: textOf("The bank of the account.", "Zenith Bank"),
  bankCode: textOf("The bank's code in its country.", "057"),
  expiresAt: timeOf(
    "Until when the money has to arrive: `rate_locked_until` of the onramp.",
    "2026-01-31T10:00:00.000Z"
  ),
  depositReference: textOf("The payer must include it in the narration of the bank transfer.", "CRD7K2M9QX"),
  message: textOf(
    "The instruction as a sentence, for the payer.",
    "Transfer 150000.00 NGN with CRD7K2M9QX in the narration. The money must arrive before 2026-01-31T10:00:00.000Z."
  )
}).annotate({ identifier: "DepositInstruction", description: "The account that the payer sends the money to." })

export const OnrampBody = Schema.Struct({
  id: idOf("onr", "The id of the onramp."),
  reference: referenceBody,
  status: wordOf(onrampStatuses, "Where the onramp stands.", {
    awaiting_deposit: "the payer's money has not arrived",
    processing: "the money has arrived and is paid out to the wallet",
    temporary_failure: "the route is unavailable and is tried again, or the outcome is not known yet",
    success: "the wallet is credited; terminal",
    failed: "not funded in time (`quote_expired`), or not completed; terminal",
    returned: "the payer's money was sent back; terminal"
  }),
  quote_id: idOf("quo", "The quote that the onramp executes."),
  rate_source: wordOf(["quoted"], "`quoted`: the rate is that of the quote."),
  customer: CustomerSummaryBody,
  wallet: describe(WalletSummaryBody, "The wallet that is credited."),
  payment_instrument: describe(
    Schema.NullOr(PaymentInstrumentBody),
    "The account that the payer pays from. Null: it is not known."
  ),
  source_amount: amountOf(
    "What the payer is asked to pay, in `source_currency`, the gateway fee included.",
    "150000.00"
  ),
  source_currency: currencyCodeOf("The currency that the payer pays in.", "NGN"),
  destination_amount: amountOf(
    "The quoted amount, in `destination_currency`: `source_amount` less the gateway fee, times `rate`, rounded down. The network fee is not deducted yet.",
    "99.00"
  ),
  quoted_received_amount: quotedReceivedOf("98.90"),
  fee: feesOf([
    { name: "gateway", amount: "750.00", currency: "NGN" },
    { name: "network", amount: "0.10", currency: "USDC" }
  ]),
  received_amount: orNull(
    amountOf(
      "What the wallet was credited, in `destination_currency`, computed from what the payer really paid. Null until the status is `success`: null is not zero.",
      "98.90"
    )
  ),
  destination_currency: currencyCodeOf("The currency of the wallet."),
  rate: describe(
    rateBody,
    "The price of one unit of `source_currency` in `destination_currency`: a decimal string with up to 12 significant digits, the spread included.",
    "0.000663349917081"
  ),
  rate_locked_until: timeOf(
    "Until when the payer's money has to arrive: 30 minutes after the creation. Later, the onramp fails with `quote_expired`.",
    "2026-01-31T10:00:00.000Z"
  ),
  deposit_instruction: DepositInstructionBody,
  ...failureFields,
  metadata: metadataBody,
  ...times
}).annotate({
  identifier: "Onramp",
  description: "Fiat from a payer's bank account to crypto in a wallet, at the rate of a quote."
})
export type OnrampBody = typeof OnrampBody.Type

/** Not all of the money need have gone back: its payer's bank may have taken it back before, or a part of it may be in suspense. */
const refunded = "The payer's money was refunded, but for what was recalled or did not go back."

const recalled =
  "The payment was recalled after it was confirmed. The onramp was not completed, and nothing was credited."

const makeSentences = (sentence: (text: string) => string): FailureSentences => ({
  failed: sentence("The onramp was not completed. "),
  quote_expired: "The onramp was not funded while its rate was locked. No funds moved. Create a new quote.",
  refund_failed:
    "The onramp failed, and the payer's money could not be refunded automatically. Support is investigating.",
  returned: sentence(""),
  cancelled: sentence("The onramp was cancelled before completion. "),
  reversed: sentence("The payout to the wallet was reversed, and the onramp was not completed. "),
  temporarily_unavailable: sentence("The payout route was unavailable, and the onramp was not completed. ")
})

/** The messages of onramps that no recall has ended. */
export const onrampSentences = makeSentences((text) => `${text}${refunded}`)

const recalledSentences = makeSentences(() => recalled)

/**
 * Chooses the messages that say why an onramp did not complete. One that a recall ended says so (ONRAMP-9); a recall that comes later changes nothing.
 * A row of the machine of 0.1.0 may not say what ended it.
 */
const chooseSentences = (data: OnrampData, machine: string): FailureSentences =>
  data.withdrawn === true || (machine === "1" && isRecalled(data)) ? recalledSentences : onrampSentences

const toInstruction = (o: OnrampData): OnrampBody["deposit_instruction"] => {
  const { depositReference } = o.deposit_instruction
  const amount = `${displayAmount(o.quoted.source_amount, o.source_currency)} ${o.source_currency}`
  return {
    version: 1,
    type: "fiat",
    ...o.deposit_instruction,
    expiresAt: iso(o.rate_locked_until),
    message: isStandIn(depositReference)
      ? `Transfer nothing yet: where to, the onramp says when it is made. The quote ends at ${iso(o.rate_locked_until)}.`
      : `Transfer ${amount} with ${depositReference} in the narration. The money must arrive before ${iso(o.rate_locked_until)}.`
  }
}

/** Shows the fees of what settled, or before settlement those of the quote. */
const onrampFee = (o: OnrampData): Fee => {
  const priced = o.received_amount === null || o.actual === null ? o.quoted : o.actual
  const [[gateway], [network]] = findEarnedFees({ ...o, ...priced }, countShortage(o))
  return feeOf({ ...o, gateway_fee: gateway.toString(), network_fee: network.toString() })
}

/** `failure_reason` is null until the onramp has ended: while the money is being refunded, the outcome is open. */
export const onrampBody = bodyOf(OnrampBody, ({ state, machine, data: o }: Row<OnrampData>) => ({
  rate_source: "quoted" as const,
  customer: storedCustomer(o.customer),
  wallet: storedWallet(o.wallet),
  payment_instrument: null,
  ...showExchange(o, o.quoted),
  fee: onrampFee(o),
  rate: o.terms.rate,
  rate_locked_until: iso(o.rate_locked_until),
  deposit_instruction: toInstruction(o),
  ...failureOf(Onramp.hasEnded(state, machine) ? o.failure_reason : null, chooseSentences(o, machine))
}))

export const OnrampEventObject = Schema.Struct({
  ...OnrampBody.fields,
  ...settlementFields("98.90"),
  transaction_hash: Schema.optionalKey(
    transactionHashText(
      "Only in `onramp.success`, if it is known: the hash of the payout. Store it, because it appears nowhere else."
    )
  )
}).annotate({ identifier: "OnrampEventObject", description: "The onramp, as of the event, with what settled." })

/**
 * The event object: the body, the settled amounts, and the time of the terminal status. Only the success event has the hash
 * of the payout, if it is known (EVENT-20, MOVEMENT-8).
 */
export const onrampEvent = (row: Row<OnrampData>, type: string): typeof OnrampEventObject.Type => {
  const body = onrampBody(row)
  const { actual, transaction_hash } = row.data
  const source_amount = actual === null ? null : displayAmount(actual.source_amount, body.source_currency)
  return {
    ...body,
    ...showSettlement(row, Onramp, { ...body, source_amount }),
    ...(type === "onramp.success" && transaction_hash !== null ? { transaction_hash } : {})
  }
}

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
    ...showExchange(o, o.quoted),
    fee: onrampFee(o),
    parent_transaction_id: null
  }
}
