/** The `/v1` shape of a conversion (CONVERSION-3). */
import { Schema } from "effect"
import { countShortage } from "../../../machines/kernel/payout.ts"
import { Conversion, type ConversionData } from "../../../machines/movements/conversion.ts"
import { feeOf } from "../../ports/Pricing.ts"
import type { Row } from "../../ports/Storage.ts"
import { isoOrNull } from "../../ports/Time.ts"
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
  times,
  wordOf
} from "../members.ts"
import { CustomerSummaryBody, storedCustomer } from "../parties/customer.ts"
import { WalletSummaryBody, storedWallet } from "../wallets/wallet.ts"
import { type Transacted, transactionCommon } from "./transaction.ts"
import { takeEarnedFee, takeQuotedAmount } from "../../../machines/kernel/exchange.ts"

export const conversionStatuses = [
  "created",
  "processing",
  "temporary_failure",
  "success",
  "failed",
  "returned"
] as const

/**
 * When a deposit to a wallet credential is converted, `quote_id` and `source_wallet` are null. Otherwise `credential_id`
 * and `parent_transaction_id`, the deposit's transaction, are null.
 */
export const ConversionBody = Schema.Struct({
  id: idOf("con", "The id of the conversion."),
  reference: referenceBody,
  status: wordOf(conversionStatuses, "Where the conversion stands.", {
    created: "accepted; the source amount is reserved",
    processing: "debited, and submitted to the provider",
    temporary_failure: "the provider is unavailable and is asked again, or the outcome is not known yet",
    success: "the destination wallet is credited; terminal",
    failed:
      "not converted, and the source amount is back at its source, unless `failure_reason` is `refund_failed`; terminal",
    returned: "the source amount is back at its source; terminal"
  }),
  quote_id: orNull(idOf("quo", "The quote that it executes. Null for the conversion of a deposit.")),
  rate_source: wordOf(["quoted", "live"], "Where the rate comes from.", {
    quoted: "the quote",
    live: "the market when the deposit was detected"
  }),
  customer: CustomerSummaryBody,
  source_wallet: describe(
    Schema.NullOr(WalletSummaryBody),
    "The wallet that is debited. Null for the conversion of a deposit, whose source is the credential."
  ),
  credential_id: orNull(idOf("wcr", "The credential whose deposit is converted. Null for a quoted conversion.")),
  parent_transaction_id: orNull(
    idOf("txn", "The transaction of the deposit that is converted. Null for a quoted conversion.")
  ),
  destination_wallet: describe(WalletSummaryBody, "The wallet that is credited."),
  source_amount: amountOf("What leaves the source, in `source_currency`, the gateway fee included.", "20.00"),
  source_currency: currencyCodeOf("The currency that is taken."),
  destination_amount: amountOf(
    "The quoted amount, in `destination_currency`: `source_amount` less the gateway fee, times `rate`, rounded down. A conversion has no network fee.",
    "29775.37"
  ),
  quoted_received_amount: quotedReceivedOf("29775.37"),
  fee: feesOf([{ name: "gateway", amount: "0.05", currency: "USDC" }]),
  destination_currency: currencyCodeOf("The currency of the destination wallet.", "NGN"),
  received_amount: orNull(
    amountOf(
      "What the destination wallet was credited, in `destination_currency`: `destination_amount`. Null until the status is `success`: null is not zero.",
      "29775.37"
    )
  ),
  rate: rateBody,
  ...failureFields,
  metadata: metadataBody,
  ...times
}).annotate({
  identifier: "Conversion",
  description: "An exchange between two wallets of one customer, or of a deposit into the currency of its wallet."
})
export type ConversionBody = typeof ConversionBody.Type

export const conversionSentences: FailureSentences = {
  failed: "The provider could not complete the conversion. The full source amount was returned to its source.",
  quote_expired: "The rate expired before the conversion started. No funds moved. Create a new quote.",
  refund_failed: "The conversion failed, and the money could not be refunded automatically. Support is investigating.",
  returned: "The provider returned the money. The full source amount is back at its source.",
  cancelled: "The conversion was cancelled before completion. The full source amount was returned to its source.",
  reversed: "The provider reversed the conversion. The full source amount was returned to its source.",
  temporarily_unavailable:
    "The provider was unavailable, and no conversion was made. The full source amount was returned to its source."
}

export const conversionBody = bodyOf(ConversionBody, ({ data: c }: Row<ConversionData>) => ({
  customer: storedCustomer(c.customer),
  source_wallet: c.source_wallet === null ? null : storedWallet(c.source_wallet),
  destination_wallet: storedWallet(c.destination_wallet),
  ...showExchange(c, takeQuotedAmount(c)),
  fee: feeOf(takeEarnedFee(c, countShortage(c))),
  ...failureOf(c.failure_reason, conversionSentences)
}))

export const ConversionEventObject = Schema.Struct({
  ...ConversionBody.fields,
  ...settlementFields("29775.37", "20.00")
}).annotate({
  identifier: "ConversionEventObject",
  description: "The conversion, as of the event, with what settled."
})

/**
 * The event object: the body, the settled amounts, and the time of the terminal status (EVENT-18, EVENT-19). The body has
 * the fees (AUTOCONVERT-7).
 */
export const conversionEvent = (row: Row<ConversionData>): typeof ConversionEventObject.Type => {
  const body = conversionBody(row)
  return { ...body, ...showSettlement(row, Conversion, body) }
}

export const conversionTransaction = (row: Row<ConversionData>): Transacted => {
  const { data: c } = row
  return {
    ...transactionCommon(row, "conversion", "conversion", row.id),
    reference: c.reference,
    metadata: c.metadata,
    confirmed_at: isoOrNull(c.settled_at),
    transaction_hash: null,
    from_wallet_id: c.source_wallet?.id ?? null,
    to_wallet_id: c.destination_wallet.id,
    ...showExchange(c, takeQuotedAmount(c)),
    fee: feeOf(takeEarnedFee(c, countShortage(c))),
    parent_transaction_id: c.parent_transaction_id
  }
}
