import type { BreakDifference } from "../../../machines/reconciliation/break.ts"

interface Directed {
  readonly amount: bigint | string
  readonly direction: "credit" | "debit"
}

/** A signed amount: credits are positive. */
export const signAmount = ({ amount, direction }: Directed): bigint =>
  direction === "credit" ? BigInt(amount) : -BigInt(amount)

/** Credits less debits. */
export const netOf = (some: ReadonlyArray<Directed>): bigint => some.reduce((sum, one) => sum + signAmount(one), 0n)

/** The signed amount of a break. Zero: it has none. */
export const signDifference = ({ amount, direction }: Pick<BreakDifference, "amount" | "direction">): bigint =>
  amount === null || !direction ? 0n : signAmount({ amount, direction })
