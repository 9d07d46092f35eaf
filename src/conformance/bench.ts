/** What the cases of a run share. */
import type { Callbacks } from "./callbacks.ts"
import type { Wire } from "./exchange.ts"
import type { Follower } from "./follower.ts"
import type { Journal } from "./journal.ts"
import type { Balance, StatementReader } from "./records.ts"
import type { Restarts } from "./restarts.ts"
import type { Subject } from "./subject.ts"

/** How long a case waits, in milliseconds. */
export interface Waits {
  /** For a command to end, and for its line in the statement. */
  readonly settle_ms: number
  /** For an event to be sent again after it was not acknowledged. */
  readonly callback_ms: number
  /** While nothing may happen. */
  readonly watch_ms: number
  /** For bytes that were sent to have arrived. */
  readonly arrival_ms: number
}

export interface Opening {
  readonly balances: ReadonlyArray<Balance>
  readonly lines: number
}

export interface Bench {
  readonly wire: Wire
  readonly journal: Journal
  readonly subject: Subject
  readonly records: StatementReader
  readonly restarts: Restarts
  /** Null: the events cannot be read. */
  readonly follower: Follower | null
  /** The balances, and the number of statement lines, before the run. Null: there are none. */
  readonly opening: Opening | null
  /** Null: the kit does not listen. */
  readonly callbacks: Callbacks | null
  /** Why the kit does not listen. */
  readonly no_callbacks: string
  readonly waits: Waits
  /** Runs a command that pays money in, or null: the kit cannot. */
  readonly payIn: ((payin: { target: string; amount: string; currency: string }) => Promise<void>) | null
  readonly proxy: string | null
  /** Members of a destination that the connector rejects. */
  readonly rejected: Readonly<Record<string, string>> | null
  /** Members of a destination whose payout waits for a person. */
  readonly waiting: Readonly<Record<string, string>> | null
}
