import type { BreakDifference } from "../../../machines/reconciliation/break.ts"

interface Directed {
  readonly amount: bigint | string
  readonly direction: "credit" | "debit"
}

/** An amount with its sign: credits, which come to us, are positive. */
export const signedOf = ({ amount, direction }: Directed): bigint =>
  direction === "credit" ? BigInt(amount) : -BigInt(amount)

/** What they come to together. */
export const netOf = (some: ReadonlyArray<Directed>): bigint => some.reduce((sum, one) => sum + signedOf(one), 0n)

/** What a break comes to. One without an amount: nothing. */
export const signedBy = ({ amount, direction }: Pick<BreakDifference, "amount" | "direction">): bigint =>
  amount === null || !direction ? 0n : signedOf({ amount, direction })
