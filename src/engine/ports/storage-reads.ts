/** The read side of the storage port: queries and their results. */
import type { JsonObject, Lasting, Origin, PostingWrite, Queue, Row, StoredEvent } from "./storage-records.ts"

export interface RowKey {
  readonly merchant_id: string
  readonly kind: string
  readonly id: string
}

/** A resource by its id, whatever its kind. */
export interface ResourceName {
  readonly merchant_id: string
  readonly resource_id: string
}

/**
 * One page of rows that have all of `index_keys`, newest first: by `created_at`, then by the part of the id after its
 * prefix, then by the id (texts compared as bytes).
 */
export interface ListQuery {
  /** Absent: all merchants (operator). */
  readonly merchant_id?: string
  readonly kinds: ReadonlyArray<string>
  readonly index_keys: ReadonlyArray<string>
  /** Inclusive, epoch milliseconds. */
  readonly created_after?: number
  readonly created_before?: number
  readonly offset: number
  readonly limit: number
}

/** Selects rows by index keys of the names `search_id` and `exact_id`, of all merchants or of one. */
export interface MatchQuery {
  readonly keys: ReadonlyArray<string>
  /** Beginnings of index keys of the name `search_id`. */
  readonly prefixes: ReadonlyArray<string>
  readonly kinds: ReadonlyArray<string>
  readonly merchant_id?: string
  /** Only rows created in this time, inclusive, epoch milliseconds. */
  readonly created_after?: number
  readonly created_before?: number
  readonly limit: number
}

export interface Match extends RowKey {
  readonly index_key: string
  readonly created_at: number
}

/** Keeps the newest `limit` entries, and all that are as old as the last of them. */
const keepNewest = (found: ReadonlyArray<Match>, limit: number): ReadonlyArray<Match> => {
  const last = found.map(({ created_at }) => created_at).toSorted((a, b) => b - a)[limit - 1]
  return last === undefined ? found : found.filter(({ created_at }) => created_at >= last)
}

/**
 * Cuts the entries of `Storage.matches` down: for each key and each prefix it keeps the newest `limit` and all that are as old as the last
 * of them, each entry once. Law: cutting what several shards have cut gives what cutting all of their entries gives.
 */
export const cutMatches = (
  entries: ReadonlyArray<Match>,
  { keys, limit, prefixes }: Pick<MatchQuery, "keys" | "prefixes" | "limit">
): ReadonlyArray<Match> => {
  const byKey = Map.groupBy(entries, ({ index_key }) => index_key)
  const beginning = (prefix: string) => entries.filter(({ index_key }) => index_key.startsWith(prefix))
  return [
    ...new Set([
      ...keys.flatMap((key) => keepNewest(byKey.get(key) ?? [], limit)),
      ...prefixes.flatMap((prefix) => keepNewest(beginning(prefix), limit))
    ])
  ]
}

/**
 * Selects sums over rows by their index key of the name `measured`: `measured=<amount>|<seconds>|<tags>`. The amount is
 * minor units, the seconds are -1 where there is no duration, and the tags are texts without `|`, joined by it. Each such key of a row
 * counts.
 */
export interface MeasureQuery {
  /** Absent: all merchants. */
  readonly merchant_id?: string
  readonly kinds: ReadonlyArray<string>
  /** Rows created from the hour `from` on and before the hour `to`, in hours since the epoch. */
  readonly from: number
  readonly to: number
  /** Separate sums for each hour or day, of UTC. */
  readonly step: "hour" | "day" | null
  readonly by_merchant: boolean
  readonly by_kind: boolean
  /** The positions, from 0, of the tags that sums are separated by. The others are empty. */
  readonly tags: ReadonlyArray<number>
  readonly width: number
}

/** The number of keys and the sum of their amounts. What the query does not separate by is empty, or null. */
export interface Measure {
  readonly merchant_id: string
  readonly kind: string
  /** The first hour, in hours since the epoch. */
  readonly hour: number | null
  readonly tags: ReadonlyArray<string>
  readonly seconds: number
  readonly n: number
  /** Decimal integer text. */
  readonly amount: string
}

/** New index keys for a row at a version. */
export interface Reindexed extends RowKey {
  readonly version: number
  readonly index_keys: ReadonlyArray<string>
}

export interface StoredPage<A> {
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
  /** Members that `body` must have, with equal values. */
  readonly body?: JsonObject
  readonly created_after?: number
  readonly created_before?: number
  readonly offset: number
  readonly limit: number
}

/** Jobs of a merchant in the order of their ids, those after the id `after` ("": from the first on). */
export interface JobWalk {
  readonly merchant_id: string
  readonly queues: ReadonlyArray<Queue>
  /** Those that failed of a partition key, or the pending ones whose bodies name an obstacle as `parked`. */
  readonly of: { readonly failed: string } | { readonly parked: string }
  readonly after: string
  readonly limit: number
}

/** The pending jobs of a queue. Times are in milliseconds of the service's clock. */
export interface Pending {
  readonly queue: Queue
  /** When the first falls due, claimed or not. */
  readonly due_at: number
  /** When the first falls due that nobody has claimed. Null: all are claimed. */
  readonly free_at: number | null
}

/**
 * Claims jobs that are due at `now` (service clock) and not leased, oldest due first: at most `limit` in all and
 * `per_partition` of one partition, and none of the partitions in `busy`.
 */
export interface ClaimQuery extends Lasting {
  readonly queue: Queue
  /** Absent: all merchants. */
  readonly merchant_id?: string
  readonly now: number
  /**
   * The token that is written on every claimed job. It must be new. `<node>/<unique>` names the node that claims
   * ({@link Beat}); a token without a slash belongs to no node.
   */
  readonly token: string
  readonly limit: number
  readonly per_partition: number
  readonly busy: ReadonlyArray<string>
  /**
   * What the caller has given back: the token of a claim, or `releasedName` for one of its jobs. These jobs can be claimed as
   * if their leases had expired, unless another has claimed them since. Default: nothing.
   */
  readonly released?: ReadonlyArray<string>
}

/** Renews the lease of a node, from now. With a `lease_ms` of 0 the node leaves: its claims may be taken at once. */
export interface Beat extends Lasting {
  /** A unique id without a slash. It is not used again after a restart. */
  readonly node: string
}

/**
 * Rows that wait and have made no progress since before `before` (service clock). Each entry of `waits` is a status of
 * a kind, or the word of an index key `:<status>` that rows of other statuses have. A row is left out if it has a job `<id>.<until>` that is due after `now`: it waits as intended.
 */
export interface IdleQuery {
  readonly waits: ReadonlyArray<{ readonly kind: string; readonly status: string; readonly until: string | null }>
  /** States whose rows are left out. Absent: none. */
  readonly without?: ReadonlyArray<string>
  /** States between which a step is no progress. */
  readonly under_way: ReadonlyArray<string>
  /** Steps that are progress although the state stays, each as `<kind>/<via>`. */
  readonly steps: ReadonlyArray<string>
  /** Absent: all merchants. */
  readonly merchant_id?: string
  readonly before: number
  readonly now: number
  readonly offset: number
  readonly limit: number
}

/**
 * A row, and when it last made progress: when it entered another state, except by a step between two states of
 * `under_way`, or took one of `steps`.
 */
export type IdleRow = Row & { readonly since: number }

/** Rows of one kind and state among those that an {@link IdleQuery} selects: their number, and the earliest `since`. */
export interface Stalled {
  readonly kind: string
  readonly state: string
  readonly n: number
  readonly since: number
}

/** Counts the jobs of `queues` that are due at `now` (service clock): at most `limit` of each. */
export interface BacklogQuery {
  readonly queues: ReadonlyArray<Queue>
  readonly now: number
  readonly limit: number
}

/** The pending jobs of one queue, whether or not they are leased. */
export interface Backlog {
  readonly queue: Queue
  /** The number of due jobs, at most the limit of the query. */
  readonly due: number
  /** When the oldest due job fell due. Null: none is due. */
  readonly due_since: number | null
  /** When the oldest delivery was created that has been attempted and will be again. Null: there is none. */
  readonly retried_since: number | null
}

/** The balance of an unguarded account in one currency, over all merchants: minor units, decimal integer text. */
export interface PlatformBalance {
  readonly account: string
  readonly currency: string
  readonly balance: string
}

export interface StoredAccount {
  readonly account: string
  readonly currency: string
  /** Minor units, decimal integer text. */
  readonly balance: string
  /** The number of Changes whose postings name the account. */
  readonly version: number
}

/** Ledger accounts of all merchants, ordered by account, merchant and currency. */
export interface BalanceQuery {
  /** Absent: all classes. */
  readonly class?: string
  readonly currency?: string
  readonly offset: number
  readonly limit: number
}

/** The balance of one merchant's account in one currency: minor units, decimal integer text. */
export interface AccountBalance {
  readonly merchant_id: string
  readonly account: string
  readonly currency: string
  readonly balance: string
}

export interface Transition {
  readonly resource_id: string
  readonly kind: string
  readonly version: number
  readonly from: string | null
  readonly to: string
  readonly via: string
  /** The idempotency key or the job that caused it; without either, its `via`. */
  readonly cause: string
  /** The `origin` of its Change, if it had one. */
  readonly origin?: Origin
  /**
   * The resource's event count after this transition. Its own events are those after the count of the transition
   * before.
   */
  readonly event_count: number
  readonly at: number
}

export interface StoredPosting extends PostingWrite {
  readonly merchant_id: string
  readonly at: number
}

/** Selects what moved the money of one owner of guarded accounts, such as a wallet. Times are epoch milliseconds. */
export interface OwnedQuery {
  readonly merchant_id: string
  readonly owner: string
  readonly currency: string
  /** Inclusive. */
  readonly from: number
  /** Exclusive. */
  readonly to: number
  /** At most so many postings, the oldest. */
  readonly limit: number
}

/**
 * The balance of an owner before an instant, over all of its guarded accounts, and what moved it from there on: the postings with one
 * side among these accounts, oldest first, those of one time in the order of their commits.
 */
export interface OwnedPostings {
  /** Minor units, decimal integer text. */
  readonly before: string
  readonly postings: ReadonlyArray<StoredPosting>
}

export interface History {
  readonly transitions: ReadonlyArray<Transition>
  readonly postings: ReadonlyArray<StoredPosting>
  readonly events: ReadonlyArray<StoredEvent>
}

/**
 * Totals over all merchants. For each currency, `debits` and `credits` are the sums of the balances on each side
 * (guarded accounts from their stored balances, the others from their postings). They are always equal.
 */
export interface TrialBalance {
  readonly currencies: ReadonlyArray<{ readonly currency: string; readonly debits: string; readonly credits: string }>
  readonly classes: ReadonlyArray<{ readonly class: string; readonly currency: string; readonly balance: string }>
}

/**
 * Selects expired data to delete, oldest first and at most `limit`.
 *
 * - `keys`: idempotency records that expired at `before` or earlier.
 * - `jobs`: jobs that are not pending and were created before `before`.
 * - `events`: events created before `before`, except those that a pending delivery, made with the event, still needs.
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
  /** Whether the token stays in the bucket. */
  readonly peek?: boolean
}
