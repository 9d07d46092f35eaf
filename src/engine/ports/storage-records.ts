/** The records of a store, and their form in a Change. */
import type { Posting } from "../../machines/kernel/ledger.ts"
import type { AwaitedPerson } from "./provider-fields.ts"

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/**
 * A stored resource.
 *
 * Shapes: times are epoch milliseconds of the service's clock.
 *
 * - `version` counts its writes from 1. `state` is the state of its machine, `status` what `/v1` shows. `machine` is
 *   the version of the machine that wrote it.
 * - `created_at` is the time of its first version and never changes. `updated_at` is never before it.
 * - `index_keys` are the `name=value` texts that lists filter on (`status=success`, `wallet_id=wal_…`). A name may
 *   occur several times, a text once. A name that ends in `_id` has as many values as there are resources of that type;
 *   the others have few values. `:word` is for `Storage.idle` alone: a status that the row waits in although its own is another.
 * - `root_id` is the id of the resource that it descends from (the offramp of a reversal), null when it is its own
 *   root.
 * - `hidden` rows are found by id and never listed (a revoked key, a deleted endpoint).
 * - `event_count` is the number of events it has published.
 */
export interface Row<Data = unknown> {
  readonly merchant_id: string
  readonly kind: string
  readonly id: string
  readonly version: number
  readonly machine: string
  readonly state: string
  readonly status: string
  readonly customer_id: string | null
  readonly root_id: string | null
  readonly created_at: number
  readonly updated_at: number
  readonly hidden: boolean
  readonly event_count: number
  readonly index_keys: ReadonlyArray<string>
  readonly data: Data
}

/**
 * A row to write. It is stored only if the stored version is `version - 1` (0: the row does not exist). `via` is the
 * cause of the step (`create`, `provider.succeeded`) and `from` the state before it, for the row's history.
 */
export interface RowWrite<Data = unknown> extends Row<Data> {
  readonly via: string
  readonly from: string | null
}

/**
 * A row that a Change depends on but does not write: the Change is applied only if the row is at this version (0: the
 * row does not exist).
 */
export interface VersionCheck {
  readonly kind: string
  readonly id: string
  readonly version: number
}

/** A posting, and the version of the row that made it. */
export interface PostingWrite extends Posting {
  readonly resource_id: string
  readonly version: number
}

/**
 * A key that one owner holds: unique over (merchant, scope, key), and never released. Its owner cannot take it twice
 * either.
 */
export interface UniqueKey {
  readonly scope: string
  readonly key: string
  readonly owner: string
}

/**
 * A key that finds a resource without its merchant (the hash of an API key, a deposit address, a command sent to a
 * provider). Unique over (scope, key), and never released.
 */
export interface LookupKey {
  readonly scope: string
  readonly key: string
  readonly kind: string
  readonly id: string
}

/**
 * What a Change adds to a guarded counter, which has a sum for each bucket (LIMITS-3).
 *
 * Shapes: `key` names the counter in the shard of the Change's merchant. `bucket` is the bucket that is added to. What counts
 * is that bucket alone (`from` null), or all buckets from `from` on, also later ones: the sum must be at most `max` after each addition. `add` and `max` are decimal integer
 * text. A negative `add` gives back: it is never refused, takes at most what the bucket has, and does nothing where the bucket has
 * gone. `max` null: counted and never refused.
 */
export interface CounterWrite {
  readonly key: string
  readonly bucket: number
  readonly from: number | null
  readonly add: string
  readonly max: string | null
}

/** A guarded counter. `amounts`: what each of its newest buckets has, oldest first. */
export interface StoredCounter {
  readonly key: string
  readonly amounts: ReadonlyArray<{ readonly bucket: number; readonly amount: string }>
}

/**
 * A published event. `body` is the exact text that is signed and sent, and never changes. Unique over (merchant,
 * object_id, type). `sequence` follows from the version of the object's row that is written with it.
 */
export interface EventWrite {
  readonly id: string
  readonly object_id: string
  readonly sequence: number
  readonly type: string
  readonly category: string
  readonly created_at: number
  readonly body: string
}

export type StoredEvent = EventWrite & { readonly merchant_id: string }

/**
 * `command`: a call to the provider. `timer`: a deadline of a machine. `delivery`: an event for one endpoint.
 * `simulated`: a scheduled event of the simulated provider.
 */
export type Queue = "command" | "timer" | "delivery" | "simulated"

/**
 * Scheduled work. Writing a job that exists replaces it completely and ends its lease.
 *
 * - `partition_key` defines no order. It is the unit that may be slow without delaying others: the endpoint of a
 *   delivery, the provider of a command, the resource of a timer.
 * - `status` is `pending` while the job is to run. A job with any other status is a record and is never claimed.
 * - `due_at` is in the service's clock, and null exactly when the job is not pending. `log` lists the attempts so far.
 * - `lease`: if present, the job is created already claimed by its writer under that token and for that time (see
 *   {@link Lasting}). `compared`: the verdict is to say whether the database is the original.
 */
export interface JobWrite {
  readonly id: string
  readonly queue: Queue
  readonly partition_key: string
  readonly status: string
  readonly due_at: number | null
  readonly attempt: number
  readonly created_at: number
  readonly body: JsonObject
  readonly log: ReadonlyArray<Json>
  readonly lease?: Lasting & { readonly token: string; readonly compared?: boolean }
}

/**
 * A job as it is claimed or read. `attempt` includes this claim; `lease` is the token that completes the job.
 *
 * - `payload`: for a claimed delivery, the body of the event that its `event_id` names. Absent when that event is not
 *   stored, for other jobs, and for a job that is read rather than claimed.
 * - `endpoint_version`: for a claimed delivery, the version of the `webhook_endpoint` row whose id is its partition
 *   key. Absent when there is no such row.
 */
export interface Job extends Omit<JobWrite, "lease"> {
  readonly merchant_id: string
  readonly lease: string | null
  readonly payload?: string
  readonly endpoint_version?: number
}

/** The categories of events that an endpoint receives from this Change on. An empty list ends the subscription. */
export interface SubscriptionWrite {
  readonly endpoint_id: string
  readonly categories: ReadonlyArray<string>
}

/**
 * Makes a Change idempotent: a key that no other Change of its merchant has used.
 *
 * `fingerprint` distinguishes a repeat from a reuse of the key. `response` is the response to a repeat. From
 * `expires_at` on (service clock; null: never) the key is free again, and the next Change that uses it replaces the
 * record.
 */
export interface IdempotencyWrite {
  readonly key: string
  readonly fingerprint: string
  readonly response: string | null
  readonly expires_at: number | null
}

export type IdempotencyRecord = IdempotencyWrite & { readonly at: number }

/** What a request asks before it writes, of a provider or, for `price`, of the market. */
export type AskedOperation =
  | "screen"
  | "resolve_account"
  | "resolve_proxy"
  | "banks"
  | "instruct"
  | "start_verification"
  | "price"

/** One call to a provider and its answer. `command` is the id of its job; null for a question without one. */
export interface CallRecord {
  readonly command: string | null
  readonly provider: string
  readonly operation: "submit" | "lookup" | "refund" | "lookup_refund" | "issue" | "verify" | AskedOperation
  /** The number of the submission; for other operations, of the run of the job. */
  readonly attempt: number
  /** When the answer arrived, service clock. */
  readonly at: number
  readonly latency_ms: number
  /** The answer in one word, or the reason why there is none. */
  readonly answer: string
  readonly reference?: string | null
  /** Without whom the command does not go on. Absent: the answer names nobody. */
  readonly awaited_person?: AwaitedPerson
}

/**
 * The trace that a write belongs to: `parent` is the span that wrote it, as a W3C `traceparent`, and `began` is when the trace
 * began (service clock).
 */
export type TraceMark = { readonly parent: string; readonly began: number }

/**
 * What is known of a Change beyond its key or lease, for its history. Nothing is decided from it.
 *
 * - `request`: the call that a person or a program made, with the id of its API key (null: none).
 * - `provider`: the provider that a submission is about to be sent to.
 * - `calls`: calls to providers whose answers led to the Change.
 * - `timers`: the timers that it set, by job id, with their times. `cancels`: the jobs that it cancelled.
 * - `trace`: the trace that it was written in, if it was traced.
 */
export interface Origin {
  readonly request?: {
    readonly id: string
    readonly key_id: string | null
    readonly operation: string | null
    readonly operator?: { readonly id: string | null; readonly name: string }
  }
  readonly provider?: string
  readonly calls?: ReadonlyArray<CallRecord>
  readonly timers?: Readonly<Record<string, number>>
  readonly cancels?: ReadonlyArray<string>
  readonly trace?: TraceMark
}

/** A claimed job that this Change completes: the job is deleted, or replaced when `jobs` names it again. */
export interface Lease {
  readonly job: string
  readonly token: string
}

/**
 * The duration of a lease. A store with its own clock (a database server) measures it with that clock. A store inside
 * its caller's process uses `wall`, the caller's wall clock in epoch milliseconds.
 */
export interface Lasting {
  readonly wall: number
  readonly lease_ms: number
}
