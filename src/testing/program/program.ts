/** The program of a simulation, as data: it can be printed, stored and shrunk. */
import type { ProviderOperation } from "../../engine/ports/Provider.ts"

/** An operation, or an action of a third party. Times are milliseconds since the beginning of the simulation. */
export interface Op {
  /** The number by which later operations refer to it. */
  readonly n: number
  readonly at: number
  /** The caller: the number of the operation that created the merchant. Null: the operator. */
  readonly as: number | null
  /**
   * The token of the operator, or the secret of the key, that calls: a text `@12.token`. Absent: the application, which is nobody in
   * particular and approves nothing.
   */
  readonly by?: string
  /**
   * The operation's dotted name (`transfers.create`, `operator.deposits.release`, `sandbox.outcome`), or an action of a
   * third party: `hosted.open`, `hosted.submit`, `callback`.
   */
  readonly call: string
  /**
   * The ids, then the input. A text `@12.id` refers to a member of the response to operation 12. `?deposit/held#5`
   * refers to the id of one of the merchant's resources in that state: number 5, modulo their count. An operation with
   * a reference to nothing is skipped.
   */
  readonly args: ReadonlyArray<unknown>
  /** Repeats the call with the same key, this long after the first response. The response must be the same. */
  readonly again_ms?: number
}

/**
 * A process crashes before or after its n-th port call from `at` on, and restarts. With `on`, counting starts at the
 * first commit from then on that applies this event (`payout.begun`).
 */
export interface Crash {
  readonly at: number
  readonly node: number
  readonly calls: number
  readonly when: "before" | "after"
  readonly on?: string
  readonly restart_ms: number
}

export interface Pause {
  readonly at: number
  readonly node: number
  readonly calls: number
  readonly for_ms: number
}

/** The service clock jumps ahead. */
export interface Leap {
  readonly at: number
  readonly by_ms: number
}

export type ReceiverHabit = "healthy" | "flaky" | "failing" | "hanging" | "redirecting" | "gone" | "busy"

/** Another provider of a simulation. It is not configured in processes that start while it is `away`. */
export interface Other {
  readonly name: string
  readonly serves: ReadonlyArray<ProviderOperation>
  /** A lower number goes first; the simulated provider has 0. */
  readonly priority: number
  /** The share of submissions that it cannot take now. */
  readonly full: number
  readonly away: ReadonlyArray<readonly [from: number, to: number]>
  /** From then on it is configured under another name, with the first one in `formerly`. Absent: never. */
  readonly renamed?: { readonly at: number; readonly name: string }
}

/** The rates of faults, each from 0 (never) to 1, and what happens to the processes. */
export interface Faults {
  /** Providers beside the simulated one. Absent: none. */
  readonly others?: ReadonlyArray<Other>
  /** Commits that fail before or after they are written, reads that fail, and calls that take seconds. */
  readonly storage_before: number
  readonly storage_after: number
  readonly storage_read: number
  readonly storage_slow: number
  /**
   * Submissions that are rejected for want of capacity, rejected for good, rejected with the money lost, not executed
   * and unanswered, executed and unanswered, or answered late.
   */
  readonly unavailable: number
  readonly refused: number
  readonly stranded: number
  readonly timeout_absent: number
  readonly timeout_executed: number
  readonly slow: number
  /** Lookups and other queries without a response. */
  readonly lookup: number
  /** Provider events that arrive late, twice, after the next event, never, or contradicted by another one. */
  readonly late: number
  readonly twice: number
  readonly reversed: number
  readonly never: number
  readonly contradicted: number
  /** Unrelated provider events just when a resource enters a state where they may not fit. */
  readonly provoked: number
  /** Beneficiaries whose screening is deferred. */
  readonly deferred: number
  /**
   * Misbehaviour of real providers ({@link deviationKinds}). Absent: never. `overtaken`: a response arrives after the event
   * about the same command. `garbled` and `mispriced`: invalid responses and prices. `duplicated`: a lost submission
   * arrives before its repeat, which is rejected. `outdated`: verdicts on superseded screenings. `reused`: event ids
   * used again with other content. `retold`: pay-ins reported again with another currency, amount or destination.
   * `respelled`: addresses in another spelling. `shared`: one address on several networks. `misstated`: outcomes with
   * another amount than is due. `parted`: returns and refunds that come in several parts.
   */
  readonly overtaken?: number
  readonly garbled?: number
  readonly mispriced?: number
  readonly duplicated?: number
  readonly outdated?: number
  readonly reused?: number
  readonly retold?: number
  readonly respelled?: number
  readonly shared?: number
  readonly misstated?: number
  readonly parted?: number
  /** Time from an acceptance to its outcome, in milliseconds. */
  readonly delay_ms: number
  /** The processes, by number, with the skew of their clocks in milliseconds. */
  readonly nodes: ReadonlyArray<{ readonly skew_ms: number }>
  readonly crashes: ReadonlyArray<Crash>
  readonly pauses: ReadonlyArray<Pause>
  readonly leaps: ReadonlyArray<Leap>
  /** By URL: how a receiver behaves. */
  readonly receivers: Readonly<Record<string, ReceiverHabit>>
}

/** Faults that are drawn separately, so that adding one leaves the rest of a seed's simulation unchanged. */
export const deviationKinds = [
  "overtaken",
  "garbled",
  "mispriced",
  "duplicated",
  "outdated",
  "reused",
  "retold",
  "respelled",
  "shared",
  "misstated",
  "parted"
] as const satisfies ReadonlyArray<keyof Faults>

export type InjectedFault = Exclude<
  keyof Faults,
  "nodes" | "crashes" | "pauses" | "leaps" | "receivers" | "delay_ms" | "others"
>

export interface Program {
  readonly seed: number
  readonly ops: ReadonlyArray<Op>
  readonly faults: Faults
}

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** A simulation begins on 1 January 2027. */
export const beginning = Date.UTC(2027, 0, 1)
/** Its length, and the time after which no fault occurs. */
export const lifetime = 30 * day
export const calm = 25 * day
