/** The total of a customer's deposits, in millionths of a US dollar. Tier limits are checked against it (TIER-1). */
import { record, type Update } from "../kernel/record.ts"

export interface DepositTotalData {
  /** Decimal integer text. */
  readonly usd_micros: string
}

export type DepositTotalEvent = Update<DepositTotalData>

export const DepositTotal = record<DepositTotalData>("deposit_total")
