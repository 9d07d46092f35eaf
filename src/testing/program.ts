/** What a simulated world is told to live through, as data: it can be printed, kept, and made smaller. */

/** One call of an operation, or something the outside does. Times are milliseconds from the world's beginning. */
export interface Op {
  /** Its number: what later operations refer to. */
  readonly n: number
  readonly at: number
  /** Whose call: the number of the operation that made the merchant; null: the operator's. */
  readonly as: number | null
  /**
   * The operation's dotted name (`transfers.create`, `operator.deposits.release`, `sandbox.outcome`), or one of the
   * outside's: `hosted.open`, `hosted.submit`, `callback`.
   */
  readonly call: string
  /**
   * Its ids, then its input. A text `@12.id` stands for a member of what operation 12 was answered with, and
   * `?deposit/held#5` for the id of a resource of the merchant's in that state, the one of that number, counted round. An
   * operation whose names stand for nothing is left out.
   */
  readonly args: ReadonlyArray<unknown>
  /** The same key is used again, this long after the first answer: the answer must be the same. */
  readonly again_ms?: number
}

/**
 * A process dies before or after its n-th call to a port from `at` on, and is started again. `on`: counted from the first
 * commit from then on in which something is moved by that event (`payout.begun`).
 */
export interface Crash {
  readonly at: number
  readonly node: number
  readonly calls: number
  readonly when: "before" | "after"
  readonly on?: string
  readonly restart_ms: number
}

/** A process stands still. */
export interface Pause {
  readonly at: number
  readonly node: number
  readonly calls: number
  readonly for_ms: number
}

/** The service's clock leaps ahead. */
export interface Leap {
  readonly at: number
  readonly by_ms: number
}

export type ReceiverHabit = "healthy" | "flaky" | "failing" | "hanging" | "redirecting" | "gone" | "busy"

/** How often things go wrong, each from 0 (never) to 1, and what happens to the processes. */
export interface Faults {
  /** Commits that fail before they are written, after they were, reads that fail, and calls that take seconds. */
  readonly storage_before: number
  readonly storage_after: number
  readonly storage_read: number
  readonly storage_slow: number
  /** Submissions: turned away for want of capacity; refused for good; refused, and the money is lost; no answer though not
   * taken; no answer though taken; answered late. */
  readonly unavailable: number
  readonly refused: number
  readonly stranded: number
  readonly timeout_absent: number
  readonly timeout_executed: number
  readonly slow: number
  /** Look-ups and other questions that are not answered. */
  readonly lookup: number
  /** Words of the provider's: told late, twice, after the next one, never, and contradicted by another one. */
  readonly late: number
  readonly twice: number
  readonly reversed: number
  readonly never: number
  readonly contradicted: number
  /** Words in the provider's name just as something has come to where they may not fit. */
  readonly provoked: number
  /** Beneficiaries that must be looked at first. */
  readonly deferred: number
  /**
   * What real providers do ({@link rudenesses}). Absent: never. `overtaken`: an answer comes after the word on what was asked. `garbled` and
   * `mispriced`: answers and prices that are none. `duplicated`: a submission that was lost arrives before its repeat, which
   * is refused. `outdated`: verdicts on screenings that are over. `reused`: event ids used again with other content.
   * `retold`: pay-ins told again with another currency, amount or place. `respelled`: addresses in another spelling.
   * `shared`: one address on several networks.
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
  /** How long the provider takes from an acceptance to its word, milliseconds. */
  readonly delay_ms: number
  /** Processes, by number: how far their clocks are off, milliseconds. */
  readonly nodes: ReadonlyArray<{ readonly skew_ms: number }>
  readonly crashes: ReadonlyArray<Crash>
  readonly pauses: ReadonlyArray<Pause>
  readonly leaps: ReadonlyArray<Leap>
  /** By url: how a receiver answers. */
  readonly receivers: Readonly<Record<string, ReceiverHabit>>
}

/** Names of the faults that are drawn apart: one more leaves the rest of a seed's world as it was. */
export const rudenesses = [
  "overtaken",
  "garbled",
  "mispriced",
  "duplicated",
  "outdated",
  "reused",
  "retold",
  "respelled",
  "shared"
] as const satisfies ReadonlyArray<keyof Faults>

export interface Program {
  readonly seed: number
  readonly ops: ReadonlyArray<Op>
  readonly faults: Faults
}

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour

/** When a world begins: the first of January 2027. */
export const beginning = Date.UTC(2027, 0, 1)
/** How long it lives, and from when on nothing goes wrong any more. */
export const lifetime = 30 * day
export const calm = 25 * day
