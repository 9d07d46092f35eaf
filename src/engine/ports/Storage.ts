/**
 * The storage port. Every write is one value, a {@link Change}, and it is applied completely or not at all.
 *
 * The laws that every store keeps are stated on each member. `test/adapters/storage` tests them with every adapter.
 */
import { Context, type Effect, type Scope } from "effect"
import type { StorageFault } from "./errors.ts"
import type {
  StoredAccount,
  AccountBalance,
  BalanceQuery,
  Backlog,
  BacklogQuery,
  Beat,
  Bucket,
  ClaimQuery,
  EventQuery,
  ForgetQuery,
  History,
  IdleQuery,
  IdleRow,
  JobQuery,
  JobWalk,
  ListQuery,
  Match,
  MatchQuery,
  Measure,
  MeasureQuery,
  StoredPage,
  Pending,
  PlatformBalance,
  Reindexed,
  ResourceName,
  RowKey,
  Stalled,
  StoredPosting,
  OwnedPostings,
  OwnedQuery,
  TrialBalance
} from "./storage-reads.ts"
import type {
  CounterWrite,
  EventWrite,
  IdempotencyRecord,
  IdempotencyWrite,
  Job,
  JobWrite,
  Lease,
  LookupKey,
  Origin,
  PostingWrite,
  Queue,
  Row,
  RowWrite,
  StoredCounter,
  StoredEvent,
  SubscriptionWrite,
  UniqueKey,
  VersionCheck
} from "./storage-records.ts"

export type * from "./storage-reads.ts"
export type * from "./storage-records.ts"

/** The merchant that owns data of no other merchant: pay-ins without a known owner, and the operator's own records. */
export const PLATFORM_MERCHANT = "mer_platform"

/** Most cells of a store. A list over all merchants asks each of them. */
export const cellsMax = 64

/** A guarded counter keeps this many buckets, the newest. */
export const counterBucketsMax = 64

/** The queue of commands that a pause stops. */
export const pausedQueue = "paused" as Queue

/** Index keys of this name are search terms: {@link Storage.matches} finds their rows over all merchants. */
export const SEARCH_KEY = "search_id="

/** Index keys of this name are search terms that nobody looks for by their beginning: a store need not keep their text. */
export const EXACT_KEY = "exact_id="

/** Index keys of this name are summed for statistics: {@link Storage.measures}. */
export const MEASURED_KEY = "measured="

/** The name of the node in a claim's token. Undefined for a token without one. */
export const nodeOf = (token: string): string | undefined => {
  const end = token.indexOf("/")
  return end < 0 ? undefined : token.slice(0, end)
}

/** The queue of commands of a provider that the claiming node does not have. Only nodes with the provider claim from it. */
export const providerQueueOf = (provider: string): Queue => `command@${provider}` as Queue

/**
 * One atomic write, computed by pure code. It belongs to one merchant and changes no other merchant's rows. At least
 * one of `idempotency`, `lease` and `rows` is present, so that a commit whose result was lost can be repeated: with rows
 * alone, a repeat conflicts with the versions that it wrote, and its caller reads them.
 */
export interface Change {
  readonly merchant_id: string
  /** Epoch milliseconds, service clock. */
  readonly at: number
  readonly idempotency?: IdempotencyWrite
  readonly lease?: Lease
  /** Stored with the transitions of its rows. */
  readonly origin?: Origin
  readonly rows: ReadonlyArray<RowWrite>
  readonly checks: ReadonlyArray<VersionCheck>
  readonly postings: ReadonlyArray<PostingWrite>
  readonly unique_keys: ReadonlyArray<UniqueKey>
  readonly lookup_keys: ReadonlyArray<LookupKey>
  readonly events: ReadonlyArray<EventWrite>
  readonly jobs: ReadonlyArray<JobWrite>
  /** Ids of jobs to cancel. Unknown ids are ignored, and a job that `jobs` writes is not cancelled. */
  readonly cancels: ReadonlyArray<string>
  readonly subscriptions: ReadonlyArray<SubscriptionWrite>
  readonly counters: ReadonlyArray<CounterWrite>
}

/** The lists of a Change that writes nothing. */
export const EMPTY: Omit<Change, "merchant_id" | "at" | "idempotency" | "lease" | "origin"> = {
  rows: [],
  checks: [],
  postings: [],
  unique_keys: [],
  lookup_keys: [],
  events: [],
  jobs: [],
  cancels: [],
  subscriptions: [],
  counters: []
}

/**
 * The result of a commit. Only `Committed` has written anything; without `deliveries` it made none. `original`: it was asked whether
 * the database is where it was recorded, and the server that committed says so ({@link DatabaseIdentity}); a store that cannot tell
 * leaves it out. Otherwise, with the same precedence on every store:
 *
 * - `Repeated`: its idempotency key was used.
 * - `LeaseLost`: its job does not exist, or is leased under another token.
 * - `VersionConflict`: a row is not at the expected version; the first such row of `rows`, then of `checks`.
 * - `Taken`: a unique key, a lookup key, or an event type of one object is taken; the first of the Change in that
 *   order.
 * - `InsufficientFunds`: a guarded account would go below zero; the first that the postings name, debit before credit.
 * - `LimitReached`: a guarded counter would pass its maximum; the first by key.
 *
 * For a lookup key, the `owner` of `Taken` is the id that the key stands for. For an event, the scope is `event`, the
 * key is `object_id/type`, and the owner is the id of the existing event.
 */
export type CommitResult =
  | { readonly _tag: "Committed"; readonly deliveries?: true; readonly original?: true }
  | { readonly _tag: "Repeated"; readonly record: IdempotencyRecord }
  | { readonly _tag: "LeaseLost" }
  | { readonly _tag: "VersionConflict"; readonly kind: string; readonly id: string }
  | { readonly _tag: "Taken"; readonly scope: string; readonly key: string; readonly owner: string }
  | { readonly _tag: "InsufficientFunds"; readonly account: string; readonly currency: string }
  | { readonly _tag: "LimitReached"; readonly key: string }

/**
 * Where the data of a database is: `<cluster>/<database>/<timeline>`. A restored dump is in another database; a base backup that
 * is recovered to a point in time, and a standby that is promoted, begin another timeline. `found`: null where the database
 * cannot tell. `recorded`: what `recordIdentity` has recorded, or null.
 */
export interface DatabaseIdentity {
  readonly found: string | null
  readonly recorded: string | null
}

export class Storage extends Context.Service<
  Storage,
  {
    /**
     * Applies a Change, or returns why not.
     *
     * Laws:
     *
     * - Atomicity: all of the Change is applied, or none of it. A Change that was answered with `Committed` survives
     *   any crash, on PGlite any but one of the machine.
     * - Optimistic concurrency: a Change never overwrites a row at a version that it did not read. A checked row is at
     *   that version when the Change is applied; a later write to the row comes after the Change.
     * - Counters: concurrent Changes never take a guarded counter over a maximum that each of them carries.
     * - Deliveries: every event makes one pending `delivery` job, in the endpoint's partition, for each subscription of
     *   its merchant to its category at that moment, including the Change's own `subscriptions`. The body is
     *   `{event_id, event_type}`, and the id (`dlv_`) is computed from the event and the endpoint alone.
     * - Order: Changes that are sent one after the other without waiting are decided in that order if they have a name
     *   in common (a key, row, unique key, lookup key, job, or event type of an object). Otherwise their order is
     *   undefined.
     *
     * Defects: a Change that no store could apply dies as `InvariantViolation` and writes nothing: the same row, job,
     * unique key, lookup key, event id or event number twice; another merchant's row; an amount that is not a positive
     * integer of at most 38 digits; a balance of more digits; an event id or number that its merchant or object has
     * used before.
     *
     * Errors: `StorageFault` when the store could not be reached, or its result was lost. The same Change may then be
     * committed again and is applied once: `Repeated` or `LeaseLost` means that the first commit succeeded, and so may
     * `VersionConflict` of a Change with rows alone.
     */
    readonly commit: (change: Change) => Effect.Effect<CommitResult, StorageFault>
    /**
     * The verdict that `commit` would return now, without `deliveries` and `original`. It writes nothing.
     *
     * Laws: on a store that nobody changes meanwhile, `commit` returns the same, with every precedence. The store is as it was:
     * no row, key, counter, sequence or feed has moved, and no lookup key is reserved. Between the two, another write may come.
     *
     * Defects and errors: as of `commit`, except for those that only a write finds. A repeat is always safe.
     */
    readonly trialCommit: (change: Change) => Effect.Effect<CommitResult, StorageFault>

    /** The rows that exist, in the order of `keys`. Missing rows are left out. */
    readonly get: (keys: ReadonlyArray<RowKey>) => Effect.Effect<ReadonlyArray<Row>, StorageFault>
    /** One row by id alone, of any merchant. Do not use it for a merchant's request. */
    readonly find: (kind: string, id: string) => Effect.Effect<Row | undefined, StorageFault>
    readonly list: (query: ListQuery) => Effect.Effect<StoredPage<Row>, StorageFault>
    /**
     * The rows of index keys of the names `search_id` and `exact_id`, without hidden rows: for each key the newest `limit` by
     * `created_at` and all that are as old as the last of them, of all kinds and all shards together; for each prefix of keys of the name
     * `search_id` the same, of at least the first 5,000 in the order of their keys. A row is returned once for each of its keys that match.
     * The order is undefined.
     */
    readonly matches: (query: MatchQuery) => Effect.Effect<ReadonlyArray<Match>, StorageFault>
    /**
     * The sums of rows by their index key of the name `measured`, without hidden rows. A row counts in the hour of its
     * `created_at`. A store with cells may return several sums of one key, which add up.
     */
    readonly measures: (query: MeasureQuery) => Effect.Effect<ReadonlyArray<Measure>, StorageFault>
    /**
     * Replaces the index keys of rows that are still at these versions, and returns their number. A row of another version
     * is left as it is. No row gets a new version or a transition, and lists, totals and searches show the new keys.
     */
    readonly reindex: (rows: ReadonlyArray<Reindexed>) => Effect.Effect<number, StorageFault>
    /** Rows whose `root_id` is one of `roots`, oldest first. */
    readonly descendants: (
      merchant_id: string,
      roots: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Row>, StorageFault>
    /**
     * The guarded accounts with the given ids, in all currencies, each once, ordered by currency. An account without
     * postings is left out.
     */
    readonly accounts: (
      merchant_id: string,
      accounts: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoredAccount>, StorageFault>
    /** The guarded counters of these keys in the shard of a merchant, each once. One to which nothing was added is left out. */
    readonly counters: (
      merchant_id: string,
      keys: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<StoredCounter>, StorageFault>
    /** The record of an idempotency key, unless it has expired at `now`. */
    readonly idempotencyRecord: (
      merchant_id: string,
      key: string,
      now: number
    ) => Effect.Effect<IdempotencyRecord | undefined, StorageFault>
    readonly uniqueKeyOwner: (
      merchant_id: string,
      scope: string,
      key: string
    ) => Effect.Effect<string | undefined, StorageFault>
    readonly lookup: (scope: string, key: string) => Effect.Effect<(RowKey & LookupKey) | undefined, StorageFault>

    /** One event by id alone, of any merchant. Do not use it for a merchant's request. */
    readonly findEvent: (id: string) => Effect.Effect<StoredEvent | undefined, StorageFault>
    readonly event: (merchant_id: string, id: string) => Effect.Effect<StoredEvent | undefined, StorageFault>
    /** Newest first. */
    readonly events: (query: EventQuery) => Effect.Effect<StoredPage<StoredEvent>, StorageFault>
    /**
     * Events after `after` (the id of an event; null: from the first), in the order in which their Changes were
     * committed. `undefined` when `after` is unknown.
     * Law: the feed has no gaps: an event that becomes visible later never sorts before one that was returned. An event
     * may therefore become visible a moment after its commit, while an older write of any merchant is still in
     * progress.
     */
    readonly feed: (
      merchant_id: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredEvent> | undefined, StorageFault>

    /**
     * Claims due jobs. Each job has one claimer while its lease runs, and while the lease of the node that it names runs. A
     * claim increments the job's `attempt`, and a claimed delivery has its payload. What a claim may have claimed before it failed
     * is returned by the next claims of the queue that are made here.
     */
    readonly claim: (query: ClaimQuery) => Effect.Effect<ReadonlyArray<Job>, StorageFault>
    /**
     * When the next pending, unclaimed job of these queues falls due; with `after`, the next that is due later than
     * `after`. Jobs whose claimer did not complete them are found by claiming again.
     */
    readonly nextDue: (queues: ReadonlyArray<Queue>, after?: number) => Effect.Effect<number | undefined, StorageFault>
    /** What is pending in each of these queues. A queue without a pending job is absent. Where it is empty, no claim finds a job. */
    readonly pending: (queues: ReadonlyArray<Queue>) => Effect.Effect<ReadonlyArray<Pending>, StorageFault>
    /**
     * Renews the lease of a node ({@link Beat}). Returns whether it had ended: other nodes may have taken its claims.
     *
     * Laws: once the lease of a node has ended, other nodes can claim what it has claimed, as if the leases of the jobs had
     * expired. Only a node that has renewed its own lease without a gap, for half its duration, takes the claims of others:
     * after an outage of the store, nodes that live have time to return. The claims of a node that was never seen, and the
     * leases of tokens that name no node, last until they expire.
     */
    readonly heartbeat: (beat: Beat) => Effect.Effect<boolean, StorageFault>
    readonly job: (merchant_id: string, id: string) => Effect.Effect<Job | undefined, StorageFault>
    /** Newest first. */
    readonly jobs: (query: JobQuery) => Effect.Effect<StoredPage<Job>, StorageFault>
    /** Law: a page costs as what it returns, however many jobs there are beside, before and after it. */
    readonly jobsAfter: (walk: JobWalk) => Effect.Effect<ReadonlyArray<Job>, StorageFault>
    /** Jobs whose id begins with one of `prefixes`, each once, ordered by id: at most `limit` for each prefix. */
    readonly jobsBeginning: (
      merchant_id: string,
      prefixes: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Job>, StorageFault>

    readonly history: (merchant_id: string, resource_id: string) => Effect.Effect<History, StorageFault>
    /**
     * The keys of the rows, hidden or not, of any merchant, whose id begins with one of `prefixes`, each once: the first `limit` by id for
     * each prefix. The order is undefined, and a store with cells may return `limit` of each.
     */
    readonly idsBeginning: (
      prefixes: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyArray<RowKey>, StorageFault>
    /** The postings of these resources that name `account`. Those of one resource are in the order in which they were made. */
    readonly postingsOf: (
      account: string,
      resources: ReadonlyArray<ResourceName>
    ) => Effect.Effect<ReadonlyArray<StoredPosting>, StorageFault>
    /** Postings on one account id, of all merchants, newest first. */
    readonly entries: (
      account: string,
      offset: number,
      limit: number
    ) => Effect.Effect<StoredPage<StoredPosting>, StorageFault>
    /**
     * What moved the money of an owner of guarded accounts between two instants, and its balance before, of one snapshot.
     * Law: `before` and the postings sum to the balances of its accounts, where none is later. Postings between two of its accounts
     * are left out.
     */
    readonly owned: (query: OwnedQuery) => Effect.Effect<OwnedPostings, StorageFault>
    /**
     * Guarded accounts, and the others with postings, with their balances.
     * Law: the balances of a class in a currency sum to that of the trial balance.
     */
    readonly balances: (query: BalanceQuery) => Effect.Effect<StoredPage<AccountBalance>, StorageFault>
    readonly trialBalance: Effect.Effect<TrialBalance, StorageFault>
    /**
     * Rows that wait, whether or not a job is due for them, without hidden rows. Ordered by `since`, oldest first, then
     * by id and merchant.
     */
    readonly idle: (query: IdleQuery) => Effect.Effect<StoredPage<IdleRow>, StorageFault>

    /**
     * What `idle` lists, counted by kind and state. The order is undefined. A store with cells may return several
     * entries of one kind and state, which add up.
     */
    readonly stalled: (
      query: Omit<IdleQuery, "merchant_id" | "offset" | "limit">
    ) => Effect.Effect<ReadonlyArray<Stalled>, StorageFault>
    /** The backlog of each queue, in the order of `queues`. */
    readonly backlog: (query: BacklogQuery) => Effect.Effect<ReadonlyArray<Backlog>, StorageFault>
    /**
     * The unguarded accounts of the classes that have postings, ordered by account and currency.
     * Law: the balances of a class in a currency sum to that of the trial balance.
     */
    readonly platformBalances: (
      classes: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<PlatformBalance>, StorageFault>

    /**
     * Deletes expired data, and returns how much. A result below `limit` means that nothing is left to delete.
     *
     * Laws: it deletes only what the query names. It never deletes a row, transition, posting, balance, unique key or
     * lookup key, or an idempotency key without expiry. It waits for no other write, and blocks other writes for one
     * batch at most. A deleted event leaves the feed (`after` it is unknown), and its object may publish its type
     * again. An event is kept while a pending delivery names it as `event_id` and has an id with its `deliveryPrefix`
     * (`Ids.ts`).
     */
    readonly forget: (query: ForgetQuery) => Effect.Effect<number, StorageFault>

    /**
     * Takes one token of a bucket that all nodes share. Returns 0 when a token was taken, otherwise the milliseconds
     * until one is available. With `peek`, it returns the same and takes none.
     */
    readonly take: (bucket: Bucket) => Effect.Effect<number, StorageFault>

    readonly setting: (key: string) => Effect.Effect<string | undefined, StorageFault>
    /**
     * Writes a setting that does not exist yet, and returns its stored value. If two calls race, both return the value
     * of the first.
     */
    readonly define: (key: string, value: string) => Effect.Effect<string, StorageFault>
    readonly assign: (key: string, value: string) => Effect.Effect<void, StorageFault>

    /**
     * Rows whose data, as JSON, contains a text: at most `limit` after `after`, by merchant, kind and id. Scans all
     * rows.
     */
    readonly rowsHolding: (
      text: string,
      after: RowKey | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Row>, StorageFault>
    /**
     * Stored responses that contain a text: at most `limit` after `after`, by merchant and key, including expired ones.
     */
    readonly responsesHolding: (
      text: string,
      after: { readonly merchant_id: string; readonly key: string } | null,
      limit: number
    ) => Effect.Effect<
      ReadonlyArray<{ readonly merchant_id: string; readonly key: string; readonly response: string }>,
      StorageFault
    >
    /**
     * Replaces the stored response `from` by `to`, and returns whether `from` was still stored. Used to encrypt the
     * same response under another key.
     */
    readonly replaceResponse: (
      merchant_id: string,
      key: string,
      from: string,
      to: string
    ) => Effect.Effect<boolean, StorageFault>

    /**
     * The time of the store's own clock, epoch milliseconds. Undefined: leases are measured by the callers' clocks (see
     * `Lasting`).
     */
    readonly clock: Effect.Effect<number | undefined, StorageFault>
    /**
     * The database of the store, as it is and as its data says, to tell a restored copy. It fails while the database does not answer:
     * otherwise a copy would pass for the original while it is slow.
     */
    readonly identity: Effect.Effect<DatabaseIdentity, StorageFault>
    /**
     * Records where the data is now. `first`: if nothing is recorded yet. `anew`: in any case. `promotable`: in any case, and a
     * standby that is promoted later is no copy. `suspended`: that the store is a copy.
     */
    readonly recordIdentity: (how: "first" | "anew" | "promotable" | "suspended") => Effect.Effect<void, StorageFault>
    /** Succeeds while the store takes writes, in each of its shards. It makes one; each table's in doubt, as after a failed commit. */
    readonly ping: Effect.Effect<void, StorageFault>
    /** True: one process at a time can open the store, and opening it ends the claims of the processes before. */
    readonly exclusive?: true
    /** How many schemas hold merchants: 1, or with cells that of the directory and each cell. A counter belongs to one shard. */
    readonly shards: number
    /** True: everything ends with the process. Such a store is not accepted in the live environment. */
    readonly volatile?: true
    /**
     * Calls `hint` when another node has committed a job that may be due. A hint may be lost, so the caller polls as
     * well.
     */
    readonly watch: (hint: () => void) => Effect.Effect<void, StorageFault, Scope.Scope>
  }
>()("corridor/engine/Storage") {}
