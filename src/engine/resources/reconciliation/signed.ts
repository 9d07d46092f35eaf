import type { BreakDifference } from "../../../machines/reconciliation/break.ts"

interface Directed {
  readonly amount: bigint | string
  readonly direction: "credit" | "debit"
}

/** A signed amount: credits are positive. */
export const toSignedAmount = ({ amount, direction }: Directed): bigint =>
  direction === "credit" ? BigInt(amount) : -BigInt(amount)

/** Credits less debits. */
export const sumSigned = (some: ReadonlyArray<Directed>): bigint =>
  some.reduce((sum, one) => sum + toSignedAmount(one), 0n)

/** The signed amount of a break. Zero: it has none. */
export const toSignedDifference = ({ amount, direction }: Pick<BreakDifference, "amount" | "direction">): bigint =>
  amount === null || !direction ? 0n : toSignedAmount({ amount, direction })
