/** The shape of the rate of a currency in the operator API. */
import { Schema } from "effect"
import { iso } from "../../ports/Time.ts"
import { currencyCodeOf, orNull, textOf, timeOf, wordOf } from "../members.ts"

const rateStatuses = ["accepted", "held", "unavailable"] as const

export const RateBody = Schema.Struct({
  currency: currencyCodeOf("The currency.", "NGN"),
  status: wordOf(rateStatuses, "Whether amounts are priced with it.", {
    accepted: "they are",
    held: "it is outside its band, and they are not",
    unavailable: "the source does not answer"
  }),
  per_usd: orNull(
    textOf("Units of the currency for one US dollar, as the source says now. Null if it does not answer.", "1500.25")
  ),
  accepted_per_usd: orNull(textOf("The rate that was accepted last. Null before the first.", "1498.7")),
  accepted_at: orNull(timeOf("When it was accepted. Null before the first.")),
  reason: orNull(
    textOf(
      "Why it is held. Null otherwise.",
      "it is 150000, and 1500 was accepted 2 s ago; at most 10 % in a minute is taken."
    )
  ),
  operator_per_usd: orNull(textOf("What an operator has accepted last. Null: nothing yet.", "1500")),
  operator_at: orNull(timeOf("When. Null: not yet.")),
  note: orNull(textOf("Why. Null: nothing was accepted yet.", "Devaluation announced by the central bank"))
}).annotate({ identifier: "Rate", description: "The mid rate of a currency, and whether it is within its band." })
export type RateBody = typeof RateBody.Type

interface Rated {
  readonly currency: string
  readonly per_usd: string | null
  readonly held: string | null
  readonly accepted: { readonly per_usd: string; readonly at: number } | null
  readonly decided: { readonly per_usd: string; readonly at: number; readonly note: string | null } | null
}

export const acceptedRateBody = ({ accepted, currency, decided, held, per_usd }: Rated): RateBody => ({
  currency,
  status: per_usd === null ? "unavailable" : held === null ? "accepted" : "held",
  per_usd,
  accepted_per_usd: accepted?.per_usd ?? null,
  accepted_at: accepted === null ? null : iso(accepted.at),
  reason: held,
  operator_per_usd: decided?.per_usd ?? null,
  operator_at: decided === null ? null : iso(decided.at),
  note: decided?.note ?? null
})
