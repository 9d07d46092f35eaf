/** A report of statistics (STATS-1). */
import { Schema } from "effect"
import { amountBody, timestampBody } from "./shared.ts"

const rowBody = Schema.Struct({
  /** The beginning of the hour or day, UTC. This and the next five members: if the report is separated by them. */
  at: Schema.optionalKey(timestampBody),
  operation: Schema.optionalKey(Schema.String),
  corridor: Schema.optionalKey(Schema.String.annotate({ examples: ["USDC-NGN"] })),
  provider: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Null: it has not failed. */
  failure_reason: Schema.optionalKey(Schema.NullOr(Schema.String)),
  merchant_id: Schema.optionalKey(Schema.String),
  /** The movements that were created in this time: those that succeeded, failed or were returned, and are open. */
  count: Schema.Int,
  succeeded: Schema.Int,
  failed: Schema.Int,
  open: Schema.Int,
  /** Of those that ended: four decimals, rounded down. Null when none has. */
  success_share: Schema.NullOr(Schema.String.annotate({ examples: ["0.9731"] })),
  /** The source amounts of those that succeeded. */
  volume: Schema.Array(Schema.Struct({ currency: Schema.String, amount: amountBody })),
  /** From creation to success, in whole seconds, by nearest rank. Null when none has succeeded. */
  seconds_to_success: Schema.NullOr(Schema.Struct({ p50: Schema.Int, p95: Schema.Int }))
})
export type StatisticsRow = typeof rowBody.Type

export const StatisticsBody = Schema.Struct({
  from: timestampBody,
  to: timestampBody,
  rows: Schema.Array(rowBody)
}).annotate({ identifier: "Statistics" })
export type StatisticsBody = typeof StatisticsBody.Type
