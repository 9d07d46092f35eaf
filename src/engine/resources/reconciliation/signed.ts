import type { BreakDifference } from "../../../machines/reconciliation/break.ts"

/** An amount with its sign: credits, which come to us, are positive. */
export const signedOf = ({
  amount,
  direction
}: {
  readonly amount: bigint | string
  readonly direction: "credit" | "debit"
}): bigint => (direction === "credit" ? BigInt(amount) : -BigInt(amount))

/** What a break comes to. One without an amount: nothing. */
export const signedBy = ({ amount, direction }: Pick<BreakDifference, "amount" | "direction">): bigint =>
  amount === null || !direction ? 0n : signedOf({ amount, direction })
