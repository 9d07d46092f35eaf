/**
 * What a customer has deposited in all, in millionths of a US dollar: what tier limits are measured against (TIER-1).
 */
import { record, type Update } from "../kernel/record.ts"

export interface DepositTotalData {
  /** Decimal integer text. */
  readonly usd_micros: string
}

export type DepositTotalEvent = Update<DepositTotalData>

export const DepositTotal = record<DepositTotalData>("deposit_total")
