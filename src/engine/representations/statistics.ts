/** A report of statistics (STATS-1). */
import { Schema } from "effect"
import { describe } from "../input/schemas.ts"
import { amountOf, countOf, currencyCodeOf, idOf, orNull, textOf, timeOf } from "./members.ts"

const RevenueBody = Schema.Struct({
  currency: currencyCodeOf("The currency of the fees."),
  amount: amountOf("The sum of the fees, in `currency`.", "91.25")
}).annotate({ identifier: "Revenue", description: "A sum of fees in one currency." })

const VolumeBody = Schema.Struct({
  currency: currencyCodeOf("The source currency."),
  amount: amountOf("The sum of the source amounts, in `currency`.", "18250.00")
}).annotate({ identifier: "Volume", description: "A sum in one currency." })

const TimingBody = Schema.Struct({
  p50: countOf("The median, in whole seconds.", 4),
  p95: countOf("The 95th percentile, in whole seconds.", 31)
}).annotate({ identifier: "Timing", description: "From creation to success, by nearest rank." })

const RowBody = Schema.Struct({
  at: Schema.optionalKey(
    timeOf(
      "The beginning of the hour, day or month, UTC. Only if `by` has `hour`, `day` or `month`.",
      "2026-01-31T09:00:00.000Z"
    )
  ),
  operation: Schema.optionalKey(textOf("The kind of movement. Only if `by` has `operation`.", "offramp")),
  corridor: Schema.optionalKey(textOf("The source and destination currency. Only if `by` has `corridor`.", "USDC-NGN")),
  provider: Schema.optionalKey(
    orNull(textOf("The provider. Null: none was asked. Only if `by` has `provider`.", "simulated"))
  ),
  failure_reason: Schema.optionalKey(
    orNull(textOf("The failure reason. Null: it has not failed. Only if `by` has `failure_reason`.", "quote_expired"))
  ),
  merchant_id: Schema.optionalKey(idOf("mer", "The merchant. Only if `by` has `merchant`.")),
  merchant_name: Schema.optionalKey(
    orNull(textOf("The name of the merchant. Only if `by` has `merchant`.", "Ada Ltd"))
  ),
  count: countOf("The movements that were created in this time.", 183),
  succeeded: countOf("Those that succeeded.", 176),
  failed: countOf("Those that failed or were returned.", 5),
  open: countOf("Those that have not ended.", 2),
  success_share: orNull(
    textOf(
      "The share of those that ended which succeeded: four decimals, rounded down. Null when none has ended.",
      "0.9723"
    )
  ),
  volume: describe(Schema.Array(VolumeBody), "The source amounts of those that succeeded, by currency."),
  revenue: describe(
    Schema.Array(RevenueBody),
    "The gateway and network fees of those that succeeded, by currency: what they have posted to the account `fees`."
  ),
  seconds_to_success: describe(
    Schema.NullOr(TimingBody),
    "From creation to success, in whole seconds, by nearest rank. Null when none has succeeded."
  )
}).annotate({ identifier: "StatisticsRow", description: "The movements of a time, an operation, a corridor, ..." })
export type StatisticsRow = typeof RowBody.Type

export const StatisticsBody = Schema.Struct({
  from: timeOf("The beginning of the report, a full hour.", "2026-01-24T10:00:00.000Z"),
  to: timeOf("The end of the report, exclusive, a full hour.", "2026-01-31T10:00:00.000Z"),
  rows: describe(Schema.Array(RowBody), "The rows, in order. Times without a movement have none.")
}).annotate({ identifier: "Statistics", description: "Counts, volumes and times of movements." })
export type StatisticsBody = typeof StatisticsBody.Type
