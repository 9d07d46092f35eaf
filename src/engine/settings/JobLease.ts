import { Context } from "effect"

/**
 * How long a claimed job is its process's, in milliseconds of the wall clock; then another may take it. By default longer
 * than any provider call. Any length is safe: who comes too late completes nothing.
 */
export const JobLease = Context.Reference<number>("corridor/engine/JobLease", { defaultValue: () => 45_000 })
