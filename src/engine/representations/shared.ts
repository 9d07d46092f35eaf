/** Shapes that several resources share. */
import { Schema } from "effect"
import { described } from "../input/schemas.ts"
import {
  amountOf,
  anyIdOf,
  countryOf,
  createdAt,
  currencyCodeOf,
  emailOf,
  idOf,
  networkOf,
  orNull,
  textOf,
  timeOf,
  updatedAt,
  wordOf
} from "./members.ts"

export const metadataBody = described(
  Schema.Record(Schema.String, Schema.String),
  "Your own data, as you sent it. Empty if you sent none.",
  { order: "1042" }
)

export const partyTypes = ["individual", "business"] as const
export const tiers = ["tier_0", "tier_1", "tier_2"] as const

/** The limits that tiers stand for (TIER-1). */
export const tierOf = <const T extends ReadonlyArray<(typeof tiers)[number]>>(words: T, description: string) =>
  wordOf(
    words,
    `${description} \`tier_0\` can receive deposits of 1,000 USD in all, \`tier_1\` of 50,000 USD, \`tier_2\` without a limit.`
  )

export const referenceBody = textOf(
  "Your own name for it, unique among all your movements; `ref_` and 26 characters if you sent none.",
  "INV/2026/1042"
)
export const merchantReferenceBody = orNull(textOf("Your own name for it. Null if you sent none.", "crm-88121"))
export const labelBody = orNull(textOf("A name for people. Null if you sent none.", "treasury"))

export const rateBody = textOf(
  "The price of one unit of `source_currency` in `destination_currency`: a decimal string with up to 12 significant digits, the spread included.",
  "1492.5"
)

export const failureReasonBody = orNull(
  textOf(
    "Why it failed or was returned; null otherwise. Branch on it, not on the message. `quote_expired`: not funded or not started in time, no money moved. `temporarily_unavailable`: the route was unavailable, nothing was paid. `cancelled`, `reversed`: undone by the provider or the recipient's bank. `returned`: accompanies the status `returned`. `refund_failed`: the money could not be given back, support investigates. `failed`: every other reason.",
    "temporarily_unavailable"
  )
)
export const failureReasonMessageBody = orNull(
  textOf(
    "`failure_reason` as a sentence, for people. Null without a reason.",
    "The payout route was unavailable, and no payout was made. The full source amount was returned to the wallet."
  )
)
export const providerResourceBody = orNull(
  textOf("The provider's own id of it. Null until it is issued.", "cdw_9f2c41d07be35a8c6e10f4b7d8")
)

export const transactionHashOf = (description: string) =>
  textOf(description, "0x4a1f0c6e7b2d9583a6c1e0f4b7d82935c6ea10f3b8d7295e4c60fa1b3d8e7c52")

export const terminalAtBody = orNull(
  timeOf("When it reached its terminal status. Null before.", "2026-01-31T09:30:04.000Z")
)

/** What events add to an exchange: what settled, and when. */
export const settledFields = (destination: string, source = "100.00") => ({
  actual_source_amount: orNull(
    amountOf(
      "What was taken, in `source_currency`. Null until it settles. Reconcile against the `actual_` amounts, not the quoted ones.",
      source
    )
  ),
  actual_destination_amount: orNull(
    amountOf(
      "What the recipient received, in `destination_currency`, all fees deducted. Null until it settles.",
      destination
    )
  ),
  actual_rate: described(orNull(rateBody), "The rate at which it settled. Null until it settles.", "1492.5"),
  terminal_at: terminalAtBody
})

export const CustomerSummaryBody = Schema.Struct({
  id: idOf("cust", "The id of the customer."),
  type: textOf("`individual` or `business`.", "individual"),
  name: textOf("The name of the person or business.", "Ada Obi"),
  email: emailOf("The email address of the customer."),
  tier: textOf("The verified tier: `tier_0`, `tier_1` or `tier_2`.", "tier_1"),
  created_at: createdAt,
  updated_at: updatedAt
}).annotate({ identifier: "CustomerSummary", description: "The customer, as of the creation of what shows it." })

export const SenderSummaryBody = Schema.Struct({
  id: idOf("snd", "The id of the sender."),
  type: textOf("`individual` or `business`.", "individual"),
  name: textOf("The name of the person or business.", "Amara Okafor"),
  email: orNull(emailOf("The email address of the sender. Null if you sent none.", "amara@example.com")),
  country_code: countryOf("The country of the sender, ISO 3166-1 alpha-2.", "GB"),
  created_at: createdAt,
  updated_at: updatedAt
}).annotate({
  identifier: "SenderSummary",
  description: "The sender that the provider is given as the originator, as of the creation of the payout."
})

export const WalletSummaryBody = Schema.Struct({
  id: idOf("wal", "The id of the wallet."),
  currency: currencyCodeOf("The currency of the wallet."),
  label: labelBody
}).annotate({ identifier: "WalletSummary", description: "The wallet, as of the creation of what shows it." })

/** The bank of an account. */
export const BankProviderBody = Schema.Struct({
  id: anyIdOf("The id of the bank, from `GET /v1/providers`.", "prov"),
  name: textOf("The name of the bank.", "Access Bank"),
  code: textOf("The bank's code in its country.", "044")
}).annotate({ identifier: "BankProvider", description: "A bank." })

export const FeeLineItemBody = Schema.Struct({
  name: textOf(
    "`gateway`: Corridor's share of the source amount, deducted before the exchange. `network`: the cost of the payout, deducted from `destination_amount`.",
    "gateway"
  ),
  amount: amountOf("The fee, in `currency`.", "0.50"),
  currency: currencyCodeOf(
    "The currency of the fee: the source currency for `gateway`, the destination currency for `network`."
  )
}).annotate({ identifier: "FeeLineItem", description: "One fee." })

export const FeeBody = Schema.Struct({
  line_items: described(Schema.Array(FeeLineItemBody), "The single fees. Empty if nothing is charged.")
}).annotate({
  identifier: "Fee",
  description: "What is charged. The fees are already deducted from the amounts that the recipient receives."
})
export type FeeBody = typeof FeeBody.Type

export const FiatDetailsBody = Schema.Struct({
  country_code: countryOf("The country of the account, ISO 3166-1 alpha-2."),
  network: networkOf("`bank`.", "bank"),
  account_number: textOf(
    "The account number; with `rail` `payshap`, the proxy: a mobile number or name@bank.",
    "0123456789"
  ),
  provider: described(Schema.NullOr(BankProviderBody), "The bank of the account. Null with `rail` `payshap`."),
  rail: Schema.optionalKey(
    textOf("How the money reaches the account: `payshap`. Absent for the country's default.", "payshap")
  ),
  account_name: orNull(
    textOf("The name of the account holder, as given or as resolved. Null if it is not known.", "ADA OBI")
  ),
  name_match: orNull(
    wordOf(
      ["full", "partial", "none"],
      "How far the holder's name, as the provider resolved it, is the `account_name` that you sent, or else the `name` of the beneficiary. Null where none was resolved or compared.",
      {
        full: "the same words in any order; initials, titles, legal forms, case and diacritics do not count",
        partial: "at least one word in common",
        none: "nothing in common: ask the recipient before you pay"
      },
      "full"
    )
  )
}).annotate({
  identifier: "FiatDetails",
  description: "A bank account.",
  examples: [
    {
      country_code: "NG",
      network: "bank",
      account_number: "0123456789",
      provider: { id: "prov_01j9z3k4m5n6p7q8r9s0t1v2w3", name: "Access Bank", code: "044" },
      account_name: "ADA OBI",
      name_match: "full"
    }
  ]
})

export const CryptoDetailsBody = Schema.Struct({
  network: networkOf("The network of the address: `base`, `ethereum` or `solana`."),
  address: textOf("The address on the network.", "0x52908400098527886E0F7030069857D2E4169EE7"),
  memo: orNull(textOf("The memo that the recipient requires. Null if there is none.", "104277"))
}).annotate({ identifier: "CryptoDetails", description: "A crypto address." })

export const BeneficiaryBody = Schema.Struct({
  id: idOf("ben", "The id of the beneficiary."),
  customer_id: idOf("cust", "The customer that the beneficiary belongs to."),
  name: textOf("The name of the recipient.", "Ada Obi"),
  label: labelBody,
  type: wordOf(["fiat", "crypto"], "What the beneficiary is paid to.", {
    fiat: "a bank account, by offramps",
    crypto: "a crypto address, by transfers"
  }),
  currency: currencyCodeOf("The currency that the beneficiary receives.", "NGN"),
  details: described(
    Schema.Union([FiatDetailsBody, CryptoDetailsBody]),
    "Where the money goes: a bank account or a crypto address, by `type`."
  ),
  metadata: metadataBody,
  status: wordOf(
    ["pending", "active", "blocked"],
    "Whether it can be paid.",
    {
      pending: "its screening is not complete; payouts to it are rejected with `invalid_status`",
      active: "it can be paid",
      blocked: "it did not pass the screening; payouts to it are rejected with `invalid_status`"
    },
    "active"
  ),
  screening_id: anyIdOf(
    "The screening that `status` refers to. A change of the name or the details starts a new screening.",
    "scr"
  ),
  merchant_reference: merchantReferenceBody,
  created_at: createdAt,
  updated_at: updatedAt
}).annotate({ identifier: "Beneficiary", description: "A recipient of payouts." })
export type BeneficiaryBody = typeof BeneficiaryBody.Type

/** The messages of failure reasons (FAILURE-8). */
const sentences: Readonly<Record<string, string>> = {
  failed: "The provider could not complete the payout. The full source amount was returned to the wallet.",
  quote_expired: "The quote expired before the payout started. No funds moved. Create a new quote.",
  refund_failed: "The payout failed, and the money could not be refunded automatically. Support is investigating.",
  returned: "The funds were returned to their source.",
  cancelled: "The payout was cancelled before completion. The amount was returned to the wallet.",
  reversed: "The network or the recipient's bank reversed the payout. The amount was returned to the wallet.",
  temporarily_unavailable:
    "The payout route was unavailable, and no payout was made. The full source amount was returned to the wallet."
}

/** The message of a failure reason. `own`: the messages of one kind of movement, which take precedence. */
export const reasonMessage = (reason: string | null, own: Readonly<Record<string, string>> = {}): string | null =>
  reason === null ? null : (own[reason] ?? sentences[reason] ?? sentences["failed"]!)
