/** The total of a customer's deposits, in millionths of a US dollar. Tier limits are checked against it (TIER-1). */
import { record, type Update } from "../kernel/record.ts"

/** What a part of a window has. */
export interface CountedPart {
  readonly bucket: number
  readonly amount: string
}

export interface DepositTotalData {
  /** Decimal integer text. */
  readonly usd_micros: string
  /** What each part of a window has, oldest first, by the windows that limits of tiers have (LIMITS-9): that of the last deposit first. */
  readonly windows?: ReadonlyArray<{ readonly window: string; readonly buckets: ReadonlyArray<CountedPart> }>
  /** Of an earlier release, which had one window and did not say which. */
  readonly buckets?: ReadonlyArray<CountedPart>
}

export type DepositTotalEvent = Update<DepositTotalData>

export const DepositTotal = record<DepositTotalData>("deposit_total")
