/** What a store is asked, and how it answers: the reading side of the storage port. */
import type { JsonObject, Lasting, PostingWrite, Queue, Row, StoredEvent } from "./storage-records.ts"

export interface RowKey {
  readonly merchant_id: string
  readonly kind: string
  readonly id: string
}

/** One page of rows that carry all of `index_keys`, newest first (created_at, then the part of the id after its prefix, then the id; texts as bytes). */
export interface ListQuery {
  /** Without it: every merchant's (operator). */
  readonly merchant_id?: string
  readonly kinds: ReadonlyArray<string>
  readonly index_keys: ReadonlyArray<string>
  /** Inclusive, epoch milliseconds. */
  readonly created_after?: number
  readonly created_before?: number
  readonly offset: number
  readonly limit: number
}

export interface Page<A> {
  readonly items: ReadonlyArray<A>
  readonly total: number
}

export interface EventQuery {
  readonly merchant_id: string
  readonly category?: string
  readonly type?: string
  readonly object_id?: string
  readonly created_after?: number
  readonly created_before?: number
  readonly offset: number
  readonly limit: number
}

export interface JobQuery {
  readonly merchant_id: string
  readonly queue: Queue
  readonly partition_key?: string
  readonly status?: string
  /** Members that `body` has, exactly. */
  readonly body?: JsonObject
  readonly created_after?: number
  readonly created_before?: number
  readonly offset: number
  readonly limit: number
}

/**
 * Claims jobs that are due at `now` (service clock) and not leased.
 * Oldest due first; at most `limit` in all and `per_partition` of one partition; none of the partitions in `busy`.
 */
export interface ClaimQuery extends Lasting {
  readonly queue: Queue
  /** Without it: every merchant's. */
  readonly merchant_id?: string
  readonly now: number
  /** The token written on every claimed job; never used before. */
  readonly token: string
  readonly limit: number
  readonly per_partition: number
  readonly busy: ReadonlyArray<string>
}

/**
 * What waits, and has made no progress since before `before` (service clock). Of `waits` each is a status of a kind; a row that
 * has a job `<id>.<until>` which falls due after `now` waits rightly, and is left out.
 */
export interface IdleQuery {
  readonly waits: ReadonlyArray<{ readonly kind: string; readonly status: string; readonly until: string | null }>
  /** States among which a step is no progress. */
  readonly under_way: ReadonlyArray<string>
  /** Without it: every merchant's. */
  readonly merchant_id?: string
  readonly before: number
  readonly now: number
  readonly offset: number
  readonly limit: number
}

/** A row, and when it made its last progress: came into another state, and not from one to another of `under_way`. */
export type IdleRow = Row & { readonly since: number }

export interface Account {
  readonly account: string
  readonly currency: string
  /** Minor units, decimal integer text. */
  readonly balance: string
  /** Counts the Changes whose postings name it. */
  readonly version: number
}

export interface Transition {
  readonly resource_id: string
  readonly kind: string
  readonly version: number
  readonly from: string | null
  readonly to: string
  readonly via: string
  /** The idempotency key or the job that made it. */
  readonly cause: string
  /** How many events the resource had published with it: those after the count before are its own. */
  readonly event_count: number
  readonly at: number
}

export interface StoredPosting extends PostingWrite {
  readonly merchant_id: string
  readonly at: number
}

export interface History {
  readonly transitions: ReadonlyArray<Transition>
  readonly postings: ReadonlyArray<StoredPosting>
  readonly events: ReadonlyArray<StoredEvent>
}

/** Totals over all merchants. Per currency `debits` and `credits` sum the balances of either side (guarded accounts as kept, the others from their postings): equal, always. */
export interface TrialBalance {
  readonly currencies: ReadonlyArray<{ readonly currency: string; readonly debits: string; readonly credits: string }>
  readonly classes: ReadonlyArray<{ readonly class: string; readonly currency: string; readonly balance: string }>
}

/**
 * What may be forgotten, oldest first and at most `limit` of it.
 *
 * `keys`: idempotency records that expired at `before` or earlier. `jobs`: jobs that are not pending and were created before it.
 * `events`: events created before it, but for those that a pending delivery, made with the event, is still to bring.
 */
export interface ForgetQuery {
  readonly sort: "keys" | "jobs" | "events"
  /** Epoch milliseconds, service clock. */
  readonly before: number
  readonly limit: number
}

export interface Bucket {
  readonly merchant_id: string
  readonly per_second: number
  readonly burst: number
  /** Wall clock. */
  readonly now: number
}
