import { Context } from "effect"

/**
 * How long a node counts as alive after it was last seen, in milliseconds. Then other nodes take what it has claimed. Any
 * value is safe, as for `JobLease`; a short one takes work from nodes that only stalled.
 */
export const NodeLease = Context.Reference<number>("corridor/engine/NodeLease", { defaultValue: () => 3_000 })
