/**
 * The storage port. One value is written at a time, a {@link Change}, and it is written whole or not at all.
 *
 * Laws that every store keeps are stated on each member; `test/adapters/storage` holds them against every adapter.
 */
import { Context, type Effect, type Scope } from "effect"
import type { StorageFault } from "./errors.ts"
import type {
  Account,
  Bucket,
  ClaimQuery,
  EventQuery,
  ForgetQuery,
  History,
  IdleQuery,
  IdleRow,
  JobQuery,
  ListQuery,
  Page,
  RowKey,
  StoredPosting,
  TrialBalance
} from "./storage-reads.ts"

import type {
  EventWrite,
  IdempotencyRecord,
  IdempotencyWrite,
  Job,
  JobWrite,
  Lease,
  LookupKey,
  PostingWrite,
  Queue,
  Row,
  RowWrite,
  StoredEvent,
  SubscriptionWrite,
  UniqueKey,
  VersionCheck
} from "./storage-records.ts"

export type * from "./storage-reads.ts"
export type * from "./storage-records.ts"

/** The merchant that owns what belongs to no merchant: pay-ins nobody can be found for, the operator's own records. */
export const PLATFORM_MERCHANT = "mer_platform"

/**
 * The queue in which commands wait that are for a provider which is not configured where they were claimed. Only nodes
 * that are configured with it claim from there.
 */
export const queueOf = (provider: string): Queue => `command@${provider}` as Queue

/**
 * One atomic write, computed by pure code. It belongs to one merchant and touches no other merchant's rows.
 * At least one of `idempotency` and `lease` is given, so that a commit whose answer was lost can be repeated.
 */
export interface Change {
  readonly merchant_id: string
  /** Epoch milliseconds, service clock. */
  readonly at: number
  readonly idempotency?: IdempotencyWrite
  readonly lease?: Lease
  readonly rows: ReadonlyArray<RowWrite>
  readonly checks: ReadonlyArray<VersionCheck>
  readonly postings: ReadonlyArray<PostingWrite>
  readonly unique_keys: ReadonlyArray<UniqueKey>
  readonly lookup_keys: ReadonlyArray<LookupKey>
  readonly events: ReadonlyArray<EventWrite>
  readonly jobs: ReadonlyArray<JobWrite>
  /** Ids of jobs that are no longer wanted; unknown ones are ignored, and one that `jobs` writes stays. */
  readonly cancels: ReadonlyArray<string>
  readonly subscriptions: ReadonlyArray<SubscriptionWrite>
}

/** The lists of a Change that writes nothing. */
export const EMPTY: Omit<Change, "merchant_id" | "at" | "idempotency" | "lease"> = {
  rows: [],
  checks: [],
  postings: [],
  unique_keys: [],
  lookup_keys: [],
  events: [],
  jobs: [],
  cancels: [],
  subscriptions: []
}

/**
 * What became of a Change. Everything but `Committed` wrote nothing.
 *
 * Precedence, the same on every store: `Repeated` (its idempotency key was used), `LeaseLost` (its job is gone or leased
 * under another token), `VersionConflict` (the first such row of `rows`, then of `checks`), `Taken` (a unique key, a lookup key, or an event type of
 * one object; the first of the Change in that order), `InsufficientFunds` (a guarded account would go below zero; the
 * first that the postings name, debit before credit).
 *
 * `Taken` by a lookup key carries the id it stands for as `owner`; by an event the scope `event`, the key `object_id/type`
 * and the id of the event that is there.
 */
export type Verdict =
  | { readonly _tag: "Committed" }
  | { readonly _tag: "Repeated"; readonly record: IdempotencyRecord }
  | { readonly _tag: "LeaseLost" }
  | { readonly _tag: "VersionConflict"; readonly kind: string; readonly id: string }
  | { readonly _tag: "Taken"; readonly scope: string; readonly key: string; readonly owner: string }
  | { readonly _tag: "InsufficientFunds"; readonly account: string; readonly currency: string }

export class Storage extends Context.Service<
  Storage,
  {
    /**
     * Applies a Change, or says why not.
     *
     * Laws: all of it or none of it; when `Committed` is answered it survives any crash; a Change that names rows at
     * versions it did not read never overwrites; a row that is checked stands at that version when the Change is written,
     * and what moves it comes after; every event makes one pending `delivery` job, in the endpoint's partition,
     * for each subscription of its merchant to its category at that moment (the Change's own `subscriptions` included),
     * with the body `{event_id, event_type}` and an id (`dlv_`) computed from event and endpoint alone.
     * Changes sent one after the other without waiting are decided in that order where they share a name (a key, row,
     * unique key, lookup key, job, or event type of an object); between others there is none.
     * Defects: a Change that no store could hold dies as `InvariantViolation` and writes nothing: the same row, job,
     * unique key, lookup key, event id or event number twice, another merchant's row, a posting that is no positive integer of 38
     * digits, a balance past them, an event id or number its merchant or object used before.
     * Errors: `StorageFault` when the store could not be asked, or its answer was lost: the same Change may then be
     * committed again and is applied once (`Repeated` or `LeaseLost` tell that it had been).
     */
    readonly commit: (change: Change) => Effect.Effect<Verdict, StorageFault>

    /** The rows that exist, in the order asked for; a missing one is left out. */
    readonly get: (keys: ReadonlyArray<RowKey>) => Effect.Effect<ReadonlyArray<Row>, StorageFault>
    /** One row by id alone, whoever owns it. Not for a request path of a merchant. */
    readonly find: (kind: string, id: string) => Effect.Effect<Row | undefined, StorageFault>
    readonly list: (query: ListQuery) => Effect.Effect<Page<Row>, StorageFault>
    /** Rows whose `root_id` is one of `roots`, oldest first. */
    readonly descendants: (
      merchant_id: string,
      roots: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Row>, StorageFault>
    /** Guarded accounts of all currencies whose id is named, each once, by currency; one that was never posted to is left out. */
    readonly accounts: (
      merchant_id: string,
      accounts: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Account>, StorageFault>
    /** What an idempotency key was used for, unless it has expired at `now`. */
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

    readonly event: (merchant_id: string, id: string) => Effect.Effect<StoredEvent | undefined, StorageFault>
    /** Newest first. */
    readonly events: (query: EventQuery) => Effect.Effect<Page<StoredEvent>, StorageFault>
    /**
     * Events after `after` (an event's id; null: from the first), in the order their Changes were committed.
     * Law: gap-free; an event that becomes visible later never sorts before one that was returned. It may therefore be
     * shown a moment after its commit, while an older write of any merchant is still under way.
     * `undefined` when `after` is unknown.
     */
    readonly feed: (
      merchant_id: string,
      after: string | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<StoredEvent> | undefined, StorageFault>

    /** Claims due jobs; each goes to one claimer while its lease runs. `attempt` of each is raised by one, and deliveries bring their payload. */
    readonly claim: (query: ClaimQuery) => Effect.Effect<ReadonlyArray<Job>, StorageFault>
    /**
     * When the next pending job of these queues that nobody has claimed falls due, of those due later than `after` where it
     * is given. What a holder left uncompleted is found by claiming again.
     */
    readonly nextDue: (queues: ReadonlyArray<Queue>, after?: number) => Effect.Effect<number | undefined, StorageFault>
    readonly job: (merchant_id: string, id: string) => Effect.Effect<Job | undefined, StorageFault>
    /** Newest first. */
    readonly jobs: (query: JobQuery) => Effect.Effect<Page<Job>, StorageFault>

    readonly history: (merchant_id: string, resource_id: string) => Effect.Effect<History, StorageFault>
    /** Postings on one account id over all merchants, newest first. */
    readonly entries: (
      account: string,
      offset: number,
      limit: number
    ) => Effect.Effect<Page<StoredPosting>, StorageFault>
    readonly trialBalance: Effect.Effect<TrialBalance, StorageFault>
    /** Rows that wait, whether or not a job is due for them; no hidden ones. By `since`, oldest first, then by id and merchant. */
    readonly idle: (query: IdleQuery) => Effect.Effect<Page<IdleRow>, StorageFault>

    /**
     * Forgets what has become old, and gives how much: fewer than `limit` when no more of it was to be had.
     *
     * Laws: nothing goes but what the query names; never a row, transition, posting, balance, unique key or lookup key, nor a key that
     * stands for ever. It waits for no other write, and keeps none waiting for longer than a batch takes. With an event its
     * place in the feed is gone (`after` it is unknown), and its object may publish its type again. An event stays
     * while a pending delivery names it as `event_id` and has an id with its `deliveryPrefix` (`Ids.ts`).
     */
    readonly forget: (query: ForgetQuery) => Effect.Effect<number, StorageFault>

    /** Takes one token of a bucket shared by all nodes; 0 when taken, else milliseconds until there is one. */
    readonly take: (bucket: Bucket) => Effect.Effect<number, StorageFault>

    readonly setting: (key: string) => Effect.Effect<string | undefined, StorageFault>
    /** Writes a setting that is not there yet, and gives what stands: of two that race, the first one's value. */
    readonly define: (key: string, value: string) => Effect.Effect<string, StorageFault>
    readonly assign: (key: string, value: string) => Effect.Effect<void, StorageFault>

    /** Rows whose data, as JSON, holds a text: at most `limit` after `after`, by merchant, kind and id. All are looked through. */
    readonly rowsHolding: (
      text: string,
      after: RowKey | null,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Row>, StorageFault>
    /** Stored responses that hold a text: at most `limit` after `after`, by merchant and key, those that have expired too. */
    readonly responsesHolding: (
      text: string,
      after: { readonly merchant_id: string; readonly key: string } | null,
      limit: number
    ) => Effect.Effect<
      ReadonlyArray<{ readonly merchant_id: string; readonly key: string; readonly response: string }>,
      StorageFault
    >
    /** Puts another response in the place of `from`, and says whether that was still there: for the same words sealed anew. */
    readonly replaceResponse: (
      merchant_id: string,
      key: string,
      from: string,
      to: string
    ) => Effect.Effect<boolean, StorageFault>

    /**
     * What the store's own clocks show, epoch milliseconds: none where leases are measured by the callers' (see `Lasting`), and
     * one of each database. Those that do not answer are left out.
     */
    readonly clocks: Effect.Effect<ReadonlyArray<number>, StorageFault>
    /** Succeeds while the store can be reached. */
    readonly ping: Effect.Effect<void, StorageFault>
    /** Calls `hint` whenever another node committed a job that may be due. A hint may be lost; polling stands behind it. */
    readonly watch: (hint: () => void) => Effect.Effect<void, StorageFault, Scope.Scope>
  }
>()("corridor/engine/Storage") {}
