/** Shapes that several resources share. */
import { Schema } from "effect"
import { describe } from "../input/schemas.ts"
import { amountOf, currencyCodeOf, orNull, textOf, timeOf, wordOf } from "./members.ts"

export const metadataBody = describe(
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
    `${description} By default \`tier_0\` can receive deposits of 1,000 USD in all, \`tier_1\` of 50,000 USD, \`tier_2\` without a limit.`
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

/** Why a movement did not succeed (FAILURE-8). */
export const failureFields = {
  failure_reason: orNull(
    textOf(
      "Why it failed or was returned; null otherwise. Branch on it, not on the message. `quote_expired`: not funded or not started in time, no money moved. `temporarily_unavailable`: the route was unavailable, nothing was paid. `cancelled`, `reversed`: undone by the provider or the recipient's bank. `returned`: accompanies the status `returned`. `refund_failed`: the money could not be given back, support investigates. `failed`: every other reason.",
      "temporarily_unavailable"
    )
  ),
  failure_reason_message: orNull(
    textOf(
      "`failure_reason` as a sentence, for people. Null without a reason.",
      "The payout route was unavailable, and no payout was made. The full source amount was returned to the wallet."
    )
  )
}
export const providerResourceBody = orNull(
  textOf("The provider's own id of it. Null until it is issued.", "cdw_9f2c41d07be35a8c6e10f4b7d8")
)

export const transactionHashOf = (description: string) =>
  textOf(description, "0x4a1f0c6e7b2d9583a6c1e0f4b7d82935c6ea10f3b8d7295e4c60fa1b3d8e7c52")

export const terminalAtBody = orNull(
  timeOf("When it reached its terminal status. Null before.", "2026-01-31T09:30:04.000Z")
)

/** What events add to an exchange: what settled, and when. */
export const settlementFields = (destination: string, source = "100.00") => ({
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
  actual_rate: describe(orNull(rateBody), "The rate at which it settled. Null until it settles.", "1492.5"),
  terminal_at: terminalAtBody
})

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
  line_items: describe(Schema.Array(FeeLineItemBody), "The single fees. Empty if nothing is charged.")
}).annotate({
  identifier: "Fee",
  description: "What is charged. The fees are already deducted from the amounts that the recipient receives."
})
export type FeeBody = typeof FeeBody.Type

/** What is due to the recipient of an exchange. */
export const quotedReceivedOf = (example: string) =>
  amountOf(
    "What the recipient is to receive by the quote, in `destination_currency`: `destination_amount` less the network fee, or the `target_amount` of the quote. `received_amount` is what it received.",
    example
  )

/** What an exchange costs. */
export const feesOf = (line_items: FeeBody["line_items"]) =>
  describe(FeeBody, "The fees of the quote, or of what settled.", { line_items })

/** The messages of failure reasons. */
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

/** A failure reason and its message. `own`: the messages of one kind of movement, which take precedence. */
export const failureOf = (failure_reason: string | null, own: Readonly<Record<string, string>> = {}) => ({
  failure_reason,
  failure_reason_message:
    failure_reason === null ? null : (own[failure_reason] ?? sentences[failure_reason] ?? sentences["failed"]!)
})
