/** The last accepted rate of a currency, which all nodes share and which outlives them (RATE-1). */
import { makeRecordLifecycle, type Update } from "../kernel/lifecycle.ts"

/** Rates are units of the currency for one US dollar, as decimal strings. Times are epoch milliseconds. */
export interface AcceptedRateData {
  readonly currency: string
  readonly per_usd: string
  readonly accepted_at: number
  /** The accepted rate with which the current day began. */
  readonly day_per_usd: string
  readonly day_at: number
  /** What an operator has accepted last. Null: nothing yet. */
  readonly operator_per_usd: string | null
  readonly operator_at: number | null
  readonly note: string | null
}

export type AcceptedRateEvent = Update<AcceptedRateData>

export const AcceptedRate = makeRecordLifecycle<AcceptedRateData>("accepted_rate")
