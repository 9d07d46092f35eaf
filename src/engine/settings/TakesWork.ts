import { Context } from "effect"

/**
 * Whether this node takes work: claims jobs, calls the provider for them, delivers events and forgets what is old. One that
 * does not answers requests, and nothing more: it is how a restored copy of a store is looked into without paying again.
 */
export const TakesWork = Context.Reference<boolean>("corridor/engine/TakesWork", { defaultValue: () => true })
