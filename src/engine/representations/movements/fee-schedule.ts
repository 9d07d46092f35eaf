/** The shape of a fee schedule in the operator API (FEE-1). */
import { Schema } from "effect"
import type { FeeScheduleData } from "../../../machines/movements/fee-schedule.ts"
import { describe } from "../../input/schemas.ts"
import type { PricedOperation } from "../../ports/Pricing.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso, isoOrNull } from "../../ports/Time.ts"
import { requireCurrency } from "../../reference/currencies.ts"
import {
  amountOf,
  bodyOf,
  createdAt,
  currencyCodeOf,
  idOf,
  orNull,
  textOf,
  timeOf,
  updatedAt,
  wordOf
} from "../members.ts"

export const feeScheduleStatuses = ["active", "ended"] as const
export const pricedOperations = ["offramp", "onramp", "conversion"] as const satisfies ReadonlyArray<PricedOperation>

export const feeOperation = wordOf(
  pricedOperations,
  "The operation that it prices. A deposit that is converted on arrival is priced as a `conversion`."
)

const bpsOf = (description: string, example: number) => describe(Schema.Finite, description, example)

const TierBody = Schema.Struct({
  above: amountOf("The volume of the month from which on the tier applies.", "100000.00"),
  fixed: amountOf("What is added to the share, in the source currency.", "0.00"),
  bps: bpsOf("The share of the source amount, in hundredths of a percent.", 25)
}).annotate({ identifier: "FeeTier", description: "The fee from a volume on." })

export const FeeScheduleBody = Schema.Struct({
  id: idOf("fee", "The id of the fee schedule."),
  merchant_id: orNull(idOf("mer", "The merchant whose quotes it prices. Null: every one.")),
  operation: feeOperation,
  source_currency: orNull(currencyCodeOf("The source currency of the quotes that it prices. Null: every one.")),
  destination_currency: orNull(
    currencyCodeOf("The destination currency of the quotes that it prices. Null: every one.", "NGN")
  ),
  fixed: amountOf("What is added to the share, in the source currency.", "0.50"),
  bps: bpsOf("The share of the source amount, in hundredths of a percent.", 40),
  min: orNull(amountOf("The least fee, in the source currency. Null: there is none.", "1.00")),
  max: orNull(amountOf("The greatest fee, in the source currency. Null: there is none.", "250.00")),
  tiers: describe(
    Schema.Array(TierBody),
    "Other fees, by the merchant's volume of the operation and the source currency in the calendar month (UTC) before the quote. The last tier whose `above` the volume has reached decides the fee of the whole amount; `min` and `max` hold in each."
  ),
  valid_from: timeOf("When it begins to apply.", "2026-02-01T00:00:00.000Z"),
  note: orNull(textOf("Why it was made. Null: nobody said.", "Contract of January")),
  status: wordOf(feeScheduleStatuses, "Whether it applies from `valid_from` on.", {
    active: "it does, unless another applies before it",
    ended: "it no longer does"
  }),
  ended_at: orNull(timeOf("When an operator ended it. Null as long as it is active.")),
  created_at: createdAt,
  updated_at: updatedAt
}).annotate({ identifier: "FeeSchedule", description: "The gateway fee of an operation, from a date on." })
export type FeeScheduleBody = typeof FeeScheduleBody.Type

export const feeScheduleBody = bodyOf(FeeScheduleBody, ({ data: f }: Row<FeeScheduleData>) => {
  const amount = (text: string): string => {
    // A decimal string with at least the decimals of its currency. Without a currency it is as it was given.
    const [whole = "", decimals = ""] = text.split(".")
    const padded =
      f.source_currency === null ? decimals : decimals.padEnd(requireCurrency(f.source_currency).decimals, "0")
    return padded === "" ? whole : `${whole}.${padded}`
  }
  const bound = (text: string | null): string | null => (text === null ? null : amount(text))
  return {
    fixed: amount(f.fixed),
    bps: Number(f.bps),
    min: bound(f.min),
    max: bound(f.max),
    tiers: f.tiers.map(({ above, bps, fixed }) => ({ above: amount(above), fixed: amount(fixed), bps: Number(bps) })),
    valid_from: iso(f.valid_from),
    ended_at: isoOrNull(f.ended_at)
  }
})
