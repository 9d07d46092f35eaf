/**
 * What statistics and totals count of a movement (STATS-2, TRANSACTION-12). For statistics it is an index key, which changes with the
 * movement, and one for each fee that it has earned. A store sums the keys by the hour in which the movements were created.
 */
import { MEASURED_KEY, type Row } from "../ports/Storage.ts"

/**
 * What a movement is counted with: the source amount in minor units. `fees`: what it earns if it succeeds. Absent: nothing. `has_arrived`:
 * it has succeeded, although its status does not say so. `is_counted`: false for what is no movement, of which only the fees are revenue.
 */
export interface Measured {
  readonly is_counted?: boolean
  readonly has_arrived?: boolean
  readonly source_currency: string
  readonly destination_currency: string
  readonly amount: string
  readonly fees?: ReadonlyArray<readonly [minor: bigint, currency: string]>
}

/** The tags of a measure, in order. `outcome` and `currency` are those of the amount. The outcome of a fee is `fee`. */
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
export const roundSeconds = (seconds: number): number => {
  const unit = 2 ** Math.max(0, Math.floor(Math.log2(Math.max(1, seconds))) + 1 - BITS)
  return Math.floor(seconds / unit) * unit
}

/** Whether a movement of this status did not do what it was made for. */
export const isFailed = (status: string): boolean => outcomes[status] === "failed"

/** How a movement has ended, or that it has not: statistics and totals count it by this. */
export const outcomeOf = ({ has_arrived = false }: Pick<Measured, "has_arrived">, status: string): MeasuredOutcome =>
  has_arrived ? "succeeded" : (outcomes[status] ?? "open")

const NONE = -1

export const measureKeys = (
  measured: Measured,
  { created_at, data, status, updated_at }: Pick<Row, "created_at" | "updated_at" | "data" | "status">
): ReadonlyArray<string> => {
  const { amount, destination_currency, fees = [], is_counted = true, source_currency } = measured
  const { failure_reason, provider } = data as {
    readonly failure_reason?: string | null
    readonly provider?: string | null
  }
  const outcome = outcomeOf(measured, status)
  const tags: Readonly<Record<Exclude<MeasureTag, "outcome" | "currency">, string>> = {
    corridor: `${source_currency}-${destination_currency}`,
    provider: provider ?? "",
    failure_reason: outcome === "failed" ? (failure_reason ?? "") : ""
  }
  const key = (counted: MeasuredOutcome | "fee", sum: bigint | string, currency: string, seconds: number): string => {
    const all: Readonly<Record<MeasureTag, string>> = { ...tags, outcome: counted, currency }
    return `${MEASURED_KEY}${[sum, seconds, ...measureTags.map((tag) => all[tag].replaceAll("|", "_"))].join("|")}`
  }
  const seconds =
    outcome === "succeeded" ? roundSeconds(Math.max(0, Math.floor((updated_at - created_at) / 1000))) : NONE
  const earned = outcome === "succeeded" ? fees.filter(([fee]) => fee > 0n) : []
  return [
    ...(is_counted ? [key(outcome, amount, source_currency, seconds)] : []),
    ...earned.map(([fee, currency]) => key("fee", fee, currency, NONE))
  ]
}
