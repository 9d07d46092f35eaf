/**
 * What statistics count of a movement (STATS-2): one index key, which changes with the movement. A store sums the keys by
 * the hour in which the movements were created.
 */
import { MEASURED_KEY, type Row } from "../ports/Storage.ts"

/** What a movement is counted with: the source amount in minor units. */
export interface Measured {
  readonly source_currency: string
  readonly destination_currency: string
  readonly amount: string
}

/** The tags of a measure, in order. `outcome` and `currency` are those of the amount. */
export const measureTags = ["outcome", "corridor", "provider", "failure_reason", "currency"] as const
export type MeasureTag = (typeof measureTags)[number]

export type MeasuredOutcome = "succeeded" | "failed" | "open"

const outcomes: Readonly<Record<string, MeasuredOutcome>> = {
  success: "succeeded",
  failed: "failed",
  returned: "failed"
}

/** The most significant bits of a duration that are kept: it is exact to 127 s, and above less than 1/64 too short. */
const BITS = 7

/** A duration in seconds, rounded down as statistics keep it. */
export const keptSeconds = (seconds: number): number => {
  const unit = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, seconds))) + 1 - BITS)
  return Math.floor(seconds / unit) * unit
}

const NONE = -1

export const measuredKey = (
  { amount, destination_currency, source_currency }: Measured,
  { created_at, data, status, updated_at }: Pick<Row, "created_at" | "updated_at" | "data" | "status">
): string => {
  const { failure_reason, provider } = data as {
    readonly failure_reason?: string | null
    readonly provider?: string | null
  }
  const outcome = outcomes[status] ?? "open"
  const tags: Readonly<Record<MeasureTag, string>> = {
    outcome,
    corridor: `${source_currency}-${destination_currency}`,
    provider: provider ?? "",
    failure_reason: outcome === "failed" ? (failure_reason ?? "") : "",
    currency: source_currency
  }
  const seconds =
    outcome === "succeeded" ? keptSeconds(Math.max(0, Math.floor((updated_at - created_at) / 1000))) : NONE
  return `${MEASURED_KEY}${[amount, seconds, ...measureTags.map((tag) => tags[tag].replaceAll("|", "_"))].join("|")}`
}
