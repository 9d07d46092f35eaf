import { Context } from "effect"

/**
 * How long a process holds a claimed job while it lives (`NodeLease`), in milliseconds. Then another process may claim it.
 * The default is longer than any provider call. Any value is safe: a worker whose lease has expired cannot complete the
 * job.
 */
export const JobLease = Context.Reference<number>("corridor/engine/JobLease", { defaultValue: () => 45_000 })
