/** What a store holds, and what a Change writes of it. */
import type { Posting } from "../../machines/kernel/ledger.ts"

export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }
export type JsonObject = { readonly [key: string]: Json }

/**
 * A resource at rest.
 *
 * Shapes: times are epoch milliseconds of the service's clock; `version` counts its writes from 1; `state` is where its
 * machine stands, `status` what `/v1` shows of it; `machine` is the version of the machine that wrote it. `created_at` is
 * that of its first version for ever, and `updated_at` not before it.
 * `index_keys` are the `name=value` words lists filter on (`status=success`, `wallet_id=wal_…`, several of one name allowed,
 * each once). A name that ends in `_id` has as many values as there are of what it names; the others have few.
 * `root_id` is the id of the resource it descends from (a reversal's offramp), null when it is its own root.
 * `hidden` rows are found by id and never listed (a revoked key, a deleted endpoint).
 * `event_count` is how many events it has published.
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
 * A row to be written. It is stored only if the stored version is `version - 1` (0: there is none).
 * `via` names what moved it (`create`, `provider.succeeded`) and `from` the state it left, for its history.
 */
export interface RowWrite<Data = unknown> extends Row<Data> {
  readonly via: string
  readonly from: string | null
}

/**
 * A row that a Change was decided on and does not write: the decision holds while the row stands at this version (0: while
 * there is none).
 */
export interface VersionCheck {
  readonly kind: string
  readonly id: string
  readonly version: number
}

/** A posting and the row version that made it. */
export interface PostingWrite extends Posting {
  readonly resource_id: string
  readonly version: number
}

/** A name that one owner may hold: unique over (merchant, scope, key), for ever. Its owner cannot claim it again either. */
export interface UniqueKey {
  readonly scope: string
  readonly key: string
  readonly owner: string
}

/**
 * A name by which a resource is found without knowing its merchant (the hash of an API key, a deposit address, a command
 * sent to a provider). Unique over (scope, key), for ever.
 */
export interface LookupKey {
  readonly scope: string
  readonly key: string
  readonly kind: string
  readonly id: string
}

/**
 * A published event, frozen. `body` is the exact text that is signed and sent.
 * Unique over (merchant, object_id, type). `sequence` follows from the version of the object's row, written with it.
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

/** `command`: work for the provider. `timer`: a deadline of a machine. `delivery`: an event for one endpoint. `simulated`: the simulated provider's own scheduled events. */
export type Queue = "command" | "timer" | "delivery" | "simulated"

/**
 * Work that falls due. Writing a job that exists replaces it whole and ends any lease on it.
 *
 * `partition_key` orders nothing: it is the unit that may be slow alone (the endpoint of a delivery, the resource of a timer).
 * `status` is `pending` while it is to be run; anything else is a record that is kept and never claimed.
 * `due_at` is in the service's clock; null exactly when not pending. `log` is what was tried so far.
 * `lease` given: the job is born claimed by its writer under that token, for so long (see {@link Lasting}).
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
  readonly lease?: Lasting & { readonly token: string }
}

/**
 * A job as claimed: `attempt` counts this claim, `lease` is the token that completes it. `payload` is, of a claimed delivery,
 * the body of the event that its own body names (`event_id`); absent where none is stored, of every other job, and of one
 * that is read instead of claimed. `endpoint_version` is, of a claimed delivery, the version of the row of kind
 * `webhook_endpoint` that its partition is the id of; absent where there is none.
 */
export interface Job {
  readonly merchant_id: string
  readonly id: string
  readonly queue: Queue
  readonly partition_key: string
  readonly status: string
  readonly due_at: number | null
  readonly attempt: number
  readonly created_at: number
  readonly body: JsonObject
  readonly log: ReadonlyArray<Json>
  readonly lease: string | null
  readonly payload?: string
  readonly endpoint_version?: number
}

/** Which categories of event an endpoint gets from this Change on. An empty list ends the subscription. */
export interface SubscriptionWrite {
  readonly endpoint_id: string
  readonly categories: ReadonlyArray<string>
}

/**
 * What makes a Change happen once: a key of its merchant that no other Change has used.
 *
 * `fingerprint` tells a repeat from a reuse. `response` is what a repeat is answered with. From `expires_at` on
 * (service clock; null: never) the key is free again, and the next Change that uses it takes its place.
 */
export interface IdempotencyWrite {
  readonly key: string
  readonly fingerprint: string
  readonly response: string | null
  readonly expires_at: number | null
}

export type IdempotencyRecord = IdempotencyWrite & { readonly at: number }

/** A claimed job that this Change completes: it is deleted, or replaced where `jobs` names it again. */
export interface Lease {
  readonly job: string
  readonly token: string
}

/**
 * How long a lease lasts. A store with a clock of its own, a database server's, measures it by that. One that lives in its
 * caller's process takes `wall`, the caller's wall clock in epoch milliseconds.
 */
export interface Lasting {
  readonly wall: number
  readonly lease_ms: number
}
