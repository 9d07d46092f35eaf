/** The total of a customer's deposits, in millionths of a US dollar. Tier limits are checked against it (TIER-1). */
import { record, type Update } from "../kernel/record.ts"

export interface DepositTotalData {
  /** Decimal integer text. */
  readonly usd_micros: string
  /** What each part of a window has, oldest first, where the tier's limit has one (LIMITS-9). */
  readonly buckets?: ReadonlyArray<{ readonly bucket: number; readonly amount: string }>
}

export type DepositTotalEvent = Update<DepositTotalData>

export const DepositTotal = record<DepositTotalData>("deposit_total")
