/** The amounts that a provider reports of movements, and those that are due. */
import type { MovementOutcome, MovementOutcomeType } from "../../engine/ports/Provider.ts"
import { minor } from "../program/amounts.ts"

/** An amount in the ledger's units. */
export interface Sum {
  readonly amount: bigint
  readonly currency: string
}

/** What the provider delivers for a movement, and what a return brings back at most. */
export interface Dues {
  readonly due: Sum
  readonly given: Sum
}

/** Outcomes whose amount says something. */
export const weighed: ReadonlySet<MovementOutcomeType> = new Set(["success", "returned", "reversed"])

/** The amount that an outcome states. Null: none. Undefined: one that cannot be true, so that the outcome does not count. */
export const readFigures = (
  { due, given }: Dues,
  { amount, currency, outcome, parts }: Pick<MovementOutcome, "amount" | "currency" | "outcome" | "parts">
): bigint | null | undefined => {
  if (!weighed.has(outcome)) return null
  const expected = (outcome === "success" ? due : given).currency
  if (currency && currency !== expected) return undefined
  if (parts) return parts.reduce((sum, part) => sum + (minor(part.amount, expected) ?? 0n), 0n)
  return amount ? minor(amount, expected) : null
}
