import { Context, Effect } from "effect"
import type { BandWidths } from "../../machines/kernel/rate-band.ts"
import type { Rates } from "../ports/Rates.ts"

/** How far rates may move before an operator has to accept them (RATE-1 to RATE-4). Widths are fractions. */
export interface RateBandWidths extends BandWidths {
  /** How far the rate of a pair may be from the cross rate of its two currencies. */
  readonly cross: string
  /** How far a rate may be from that of the second source. */
  readonly between: string
}

const width = /^\d{1,3}(?:\.\d{1,18})?$/

/** Whether a text is a width of a band. */
export const isWidth = (given: unknown): boolean =>
  typeof given === "string" && width.test(given) && /[1-9]/.test(given)

export const defaultBand: RateBandWidths = { minute: "0.1", day: "0.3", cross: "0.3", between: "0.1" }

/** The band of an engine, and its second source. `off`: every rate is used. */
export interface Band {
  readonly widths: RateBandWidths
  readonly second: Rates["Service"] | null
}
export const RateBandSetting = Context.Reference<Band | "off">("corridor/engine/RateBandSetting", {
  defaultValue: () => ({ widths: defaultBand, second: null })
})

/**
 * Whether each request, each state change of a resource, and each failed delivery or call to a provider is logged. A server does
 * so; an embedded engine leaves it to its host.
 */
export const ActivityLog = Context.Reference<boolean>("corridor/engine/ActivityLog", { defaultValue: () => false })

/** Runs an effect that logs, and ignores an error that the application's own Logger throws (TELEMETRY-9). */
export const ignoreLogErrors = (log: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.catchCause(log, () => Effect.void)

/** Logs a failure at `warn`, with the ids of the resources that it concerns, if activity is logged. */
export const logFailure = (text: string, ids: Readonly<Record<string, unknown>>): Effect.Effect<void> =>
  Effect.withFiber((fiber) =>
    fiber.getRef(ActivityLog) ? ignoreLogErrors(Effect.annotateLogs(Effect.logWarning(text), ids)) : Effect.void
  )

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
