import { Context } from "effect"

/**
 * How long the answer of a provider that has accepted a submission waits for the outcome, so that one commit has both, in
 * milliseconds. 0: it is committed at once. A process that ends meanwhile loses the answer, which no decision needs.
 */
export const OutcomeWindow = Context.Reference<number>("corridor/engine/OutcomeWindow", { defaultValue: () => 0 })

/** The window of a server and of an embedding application: a few batches of commits. */
export const outcomeWindowMs = 25
