import { Context } from "effect"

/**
 * What happens to a beneficiary whose destination no provider screens. `required`: it is refused, and a live engine does not
 * start without a provider that screens. `none`: it is cleared. Default: `required` in `live`, `none` in `test`.
 */
export type ScreeningPolicy = "required" | "none"
export const ScreeningSetting = Context.Reference<ScreeningPolicy>("corridor/engine/ScreeningSetting", {
  defaultValue: () => "none"
})

/** What becomes of a beneficiary whose name has nothing in common with the account's holder (BENEFICIARY-9). */
export type NameMatching = "show" | "refuse"

export const NameMatchPolicy = Context.Reference<NameMatching>("corridor/engine/NameMatchPolicy", {
  defaultValue: () => "show"
})

/**
 * How long the answer of a provider that has accepted a submission waits for the outcome, so that one commit has both, in
 * milliseconds. 0: it is committed at once. A process that ends meanwhile loses the answer, which no decision needs.
 */
export const OutcomeWindow = Context.Reference<number>("corridor/engine/OutcomeWindow", { defaultValue: () => 0 })

/** The window of a server and of an embedding application: a few batches of commits. */
export const outcomeWindowMs = 25

/**
 * How long a node counts as alive after it was last seen, in milliseconds. Then other nodes take what it has claimed. Any
 * value is safe, as for `JobLease`; a short one takes work from nodes that only stalled.
 */
export const NodeLease = Context.Reference<number>("corridor/engine/NodeLease", { defaultValue: () => 3_000 })

/**
 * How long a process holds a claimed job while it lives (`NodeLease`), in milliseconds. Then another process may claim it.
 * The default is longer than any provider call. Any value is safe: a worker whose lease has expired cannot complete the
 * job.
 */
export const JobLease = Context.Reference<number>("corridor/engine/JobLease", { defaultValue: () => 45_000 })

/**
 * Whether this node runs a dispatcher: claims jobs, calls the provider, delivers events and deletes expired data. A node
 * without one only responds to requests. Use it to inspect a restored copy of a store without paying anything again.
 */
export const DispatcherEnabled = Context.Reference<boolean>("corridor/engine/DispatcherEnabled", {
  defaultValue: () => true
})

/** The URL of the documentation, without a trailing slash. Next steps in responses link to it. */
export const DocsUrl = Context.Reference<string>("corridor/engine/DocsUrl", { defaultValue: () => "/docs" })

/** The public URL of this service, without a trailing slash. Links for customers begin with it. */
export const BaseUrl = Context.Reference<string>("corridor/engine/BaseUrl", {
  defaultValue: () => "http://127.0.0.1:8080"
})

/**
 * The environment of this engine: `test` with simulated money, or `live` with real money. API keys name it in their
 * prefix.
 */
export type Environment = "test" | "live"
export const Environment = Context.Reference<Environment>("corridor/engine/Environment", { defaultValue: () => "test" })
