/** The `/v1` shape of an offramp (OFFRAMP-7, MOVEMENT-9). */
import { Schema } from "effect"
import { countShortage } from "../../../machines/kernel/payout.ts"
import { takeEarnedFee } from "../../../machines/kernel/exchange.ts"
import { Offramp, type OfframpData } from "../../../machines/movements/offramp.ts"
import type { FiatDetails } from "../../../machines/parties/summaries.ts"
import { feeOf } from "../../ports/Pricing.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { toShownAccountNumber } from "../../input/bank-accounts.ts"
import { describe } from "../../input/schemas.ts"
import {
  amountOf,
  bodyOf,
  countryOf,
  currencyCodeOf,
  failureFields,
  payoutFailureOf,
  feesOf,
  flagOf,
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
  wordOf
} from "../members.ts"
import { BankProviderBody, BeneficiaryBody, showStoredBeneficiary } from "../parties/beneficiary.ts"
import { CustomerSummaryBody, storedCustomer } from "../parties/customer.ts"
import { SenderSummaryBody, storedSender } from "../parties/sender.ts"
import { WalletSummaryBody, storedWallet } from "../wallets/wallet.ts"
import { showPayee, type Transacted, transactionCommon } from "./transaction.ts"
import { takeQuotedAmount } from "../../../machines/kernel/exchange.ts"

export const PaymentInstrumentBody = Schema.Struct({
  id: idOf("pay", "The id of the payment instrument."),
  beneficiary_id: idOf("ben", "The beneficiary that the account belongs to."),
  type: wordOf(["bank_account"], "`bank_account`, also with `rail` `payshap`."),
  country_code: countryOf("The country of the account, ISO 3166-1 alpha-2."),
  provider: describe(Schema.NullOr(BankProviderBody), "The bank of the account. Null with `rail` `payshap`."),
  account_name: orNull(textOf("The name of the account holder. Null if it is not known.", "ADA OBI")),
  account_number: textOf(
    "The account number; an IBAN in blocks of four; with `rail` `payshap`, the proxy.",
    "0123456789"
  ),
  rail: Schema.optionalKey(
    textOf("How the money reaches the account: `payshap`. Absent for the country's default.", "payshap")
  )
}).annotate({
  identifier: "PaymentInstrument",
  description: "The bank account that is paid, as of the creation of the movement.",
  examples: [
    {
      id: "pay_01j9z3k4m5n6p7q8r9s0t1v2w3",
      beneficiary_id: "ben_01j9z3k4m5n6p7q8r9s0t1v2w3",
      type: "bank_account",
      country_code: "NG",
      provider: { id: "prov_01j9z3k4m5n6p7q8r9s0t1v2w3", name: "Access Bank", code: "044" },
      account_name: "ADA OBI",
      account_number: "0123456789"
    }
  ]
})

export const offrampStatuses = ["created", "processing", "temporary_failure", "success", "failed", "returned"] as const

export const OfframpBody = Schema.Struct({
  id: idOf("ofr", "The id of the offramp."),
  reference: referenceBody,
  status: wordOf(offrampStatuses, "Where the offramp stands.", {
    created: "accepted; the source amount is reserved in the wallet",
    processing: "debited, and submitted to the provider",
    temporary_failure: "the route is unavailable and is tried again, or the outcome is not known yet",
    success: "paid out; terminal, unless the bank returns the money later",
    failed:
      "not paid out, and the source amount is back in the wallet, unless `failure_reason` is `refund_failed`; terminal",
    returned: "the bank returned the money, and the full source amount is back in the wallet; terminal"
  }),
  retry_on_failure: flagOf("Whether a temporarily unavailable route is tried again, for up to 24 hours.", false),
  quote_id: idOf("quo", "The quote that the offramp executes."),
  rate_source: wordOf(["quoted"], "`quoted`: the rate is that of the quote."),
  customer: CustomerSummaryBody,
  wallet: describe(WalletSummaryBody, "The wallet that is debited."),
  beneficiary: describe(BeneficiaryBody, "The recipient, as of the creation of the offramp."),
  sender: describe(
    Schema.NullOr(SenderSummaryBody),
    "The sender that the provider is given as the originator. Null: the originator is the customer."
  ),
  payment_instrument: PaymentInstrumentBody,
  narration: orNull(textOf("The text that the recipient's bank shows. Null if you sent none.", "Invoice 77")),
  source_amount: amountOf("What leaves the wallet, in `source_currency`, the gateway fee included.", "100.00"),
  source_currency: currencyCodeOf("The currency of the wallet."),
  destination_amount: amountOf(
    "The quoted amount, in `destination_currency`: `source_amount` less the gateway fee, times `rate`, rounded down. The network fee is not deducted yet.",
    "148503.75"
  ),
  quoted_received_amount: quotedReceivedOf("147753.75"),
  fee: feesOf([
    { name: "gateway", amount: "0.50", currency: "USDC" },
    { name: "network", amount: "750.00", currency: "NGN" }
  ]),
  received_amount: orNull(
    amountOf(
      "What the recipient received, in `destination_currency`: `destination_amount` less the network fee. Null until the status is `success`, and again when it is `returned`: null is not zero.",
      "147753.75"
    )
  ),
  destination_currency: currencyCodeOf("The currency that the recipient receives.", "NGN"),
  rate: rateBody,
  rate_locked_until: timeOf(
    "Until when the payout has to start: the expiry of the quote. Later, the offramp fails with `quote_expired`.",
    "2026-01-31T09:35:00.000Z"
  ),
  ...failureFields,
  metadata: metadataBody,
  ...times
}).annotate({
  identifier: "Offramp",
  description: "A payout of crypto from a wallet as fiat to a bank account, at the rate of a quote."
})
export type OfframpBody = typeof OfframpBody.Type

const toInstrument = (o: OfframpData): OfframpBody["payment_instrument"] => {
  const { country_code, provider, account_name, account_number, rail } = o.beneficiary.details as FiatDetails
  return {
    id: o.payment_instrument_id,
    beneficiary_id: o.beneficiary_id,
    type: "bank_account",
    country_code,
    provider,
    account_name,
    account_number: toShownAccountNumber(account_number),
    ...(rail === undefined ? {} : { rail })
  }
}

export const offrampBody = bodyOf(OfframpBody, ({ data: o }: Row<OfframpData>) => ({
  rate_source: "quoted" as const,
  customer: storedCustomer(o.customer),
  wallet: storedWallet(o.wallet),
  beneficiary: showStoredBeneficiary(o.beneficiary),
  sender: o.sender === null ? null : storedSender(o.sender),
  payment_instrument: toInstrument(o),
  ...showExchange(o, takeQuotedAmount(o)),
  fee: feeOf(takeEarnedFee(o, countShortage(o))),
  rate_locked_until: iso(o.rate_locked_until),
  ...payoutFailureOf(o)
}))

export const OfframpEventObject = Schema.Struct({ ...OfframpBody.fields, ...settlementFields("147753.75") }).annotate({
  identifier: "OfframpEventObject",
  description: "The offramp, as of the event, with what settled."
})

/** The event object: the body, the settled amounts, and the time of the terminal status (EVENT-18, EVENT-19). */
export const offrampEvent = (row: Row<OfframpData>): typeof OfframpEventObject.Type => {
  const body = offrampBody(row)
  return { ...body, ...showSettlement(row, Offramp, body) }
}

export const offrampTransaction = (row: Row<OfframpData>): Transacted => {
  const { data: o } = row
  return {
    ...transactionCommon(row, "offramp", "offramp", row.id),
    ...showPayee(o),
    reference: o.reference,
    metadata: o.metadata,
    confirmed_at: isoOrNull(o.settled_at),
    transaction_hash: o.transaction_hash,
    from_wallet_id: o.wallet_id,
    to_wallet_id: null,
    ...showExchange(o, takeQuotedAmount(o)),
    fee: feeOf(takeEarnedFee(o, countShortage(o))),
    parent_transaction_id: null
  }
}
