/** The total of a customer's deposits, in millionths of a US dollar. Tier limits are checked against it (TIER-1). */
import { makeRecordLifecycle, type Update } from "../kernel/lifecycle.ts"

/** What a part of a window has. */
export interface CountedPart {
  readonly bucket: number
  readonly amount: string
}

/** What each part of a window has, oldest first. `window`: its name. */
interface CountedParts {
  readonly window?: string
  readonly buckets?: ReadonlyArray<CountedPart>
}

/**
 * `window`, `buckets`: of the window of the last deposit, where the tier's limit has one (LIMITS-9).
 */
export interface DepositTotalData extends CountedParts {
  /** Decimal integer text. */
  readonly usd_micros: string
  /** Of the windows that limits had before, the last first. */
  readonly others?: ReadonlyArray<Required<CountedParts>>
}

export type DepositTotalEvent = Update<DepositTotalData>

export const DepositTotal = makeRecordLifecycle<DepositTotalData>("deposit_total")
