import { Context } from "effect"

/** What becomes of a beneficiary whose name has nothing in common with the account's holder (BENEFICIARY-9). */
export type NameMatching = "show" | "refuse"

export const NameMatchPolicy = Context.Reference<NameMatching>("corridor/engine/NameMatchPolicy", {
  defaultValue: () => "show"
})
