/**
 * The books of a provider adapter: rows of the adapter's own kinds, in the engine's store. The engine never reads them. They
 * survive a crash, and several nodes can share them.
 *
 * The entries that one decision changes belong to one merchant: to that of a command, or to `PLATFORM_MERCHANT` for what all
 * merchants share, such as the entries of a chain.
 */
import { Clock, Effect } from "effect"
import { StorageFault } from "../../engine/ports/errors.ts"
import { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import { markJobs } from "../../engine/ports/tracing.ts"
import {
  type Change,
  EMPTY,
  type JobWrite,
  type Row,
  type RowKey,
  type RowWrite,
  Storage
} from "../../engine/ports/Storage.ts"

/** An entry to write. `data` is JSON. */
export interface EntryWrite<Key extends RowKey = RowKey> {
  readonly key: Key
  readonly data: object
  readonly index_keys?: ReadonlyArray<string>
}

/**
 * The result of one decision over the books: replacement entries, jobs to write, jobs to cancel, and the return value. An
 * entry that exists can be written only if the decision has read it.
 */
export interface Amendment<A, Key extends RowKey = RowKey> {
  readonly entries: ReadonlyArray<EntryWrite<Key>>
  readonly jobs?: ReadonlyArray<JobWrite>
  readonly cancels?: ReadonlyArray<string>
  readonly result: A
}

/** Attempts before giving up. Each lost race means that another writer made progress. */
const readingsMax = 20

const isAt =
  (key: RowKey) =>
  (row: Row | undefined): boolean =>
    row !== undefined && row.merchant_id === key.merchant_id && row.kind === key.kind && row.id === key.id

const toEntryRow = (via: string, before: Row | undefined, { key, data, index_keys = [] }: EntryWrite, now: number) =>
  ({
    merchant_id: key.merchant_id,
    kind: key.kind,
    id: key.id,
    version: (before?.version ?? 0) + 1,
    machine: "1",
    state: "kept",
    status: "kept",
    customer_id: null,
    root_id: null,
    created_at: before?.created_at ?? now,
    updated_at: now,
    hidden: false,
    event_count: 0,
    index_keys,
    data,
    via,
    from: before?.state ?? null
  }) satisfies RowWrite

/** Opens the state store of the adapter `via`: entries that it reads, and changes with `amend`. */
export const openBooks = (via: string) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const jobNotifier = yield* JobNotifier

    /**
     * Reads the entries that `keys` name, decides, and writes the decision. If another writer commits first, it reads and
     * decides again. `decide` must be pure, because it may run several times. It gets the entries in the order of `keys`,
     * with `undefined` for those that do not exist.
     *
     * Law: either all entries of one decision are written, or none; no write of another is overwritten unread.
     * Errors: `StorageFault` when the store did not answer. The decision may then have been written: decide again.
     */
    const amend = Effect.fnUntraced(function* <A, Key extends RowKey>(
      keys: ReadonlyArray<Key>,
      decide: (entries: ReadonlyArray<Row | undefined>, now: number) => Amendment<A, Key>
    ): Effect.fn.Return<A, StorageFault> {
      for (let reading = 0; reading < readingsMax; reading++) {
        const now = yield* Clock.currentTimeMillis
        const found = yield* storage.get(keys)
        const entries = keys.map((key) => found.find(isAt(key)))
        const { entries: written, jobs = [], cancels = [], result } = decide(entries, now)
        if (written.length === 0) return result
        const rows = written.map((entry) => toEntryRow(via, entries.find(isAt(entry.key)), entry, now))
        // The versions of the entries prevent duplicates, also after a commit whose reply was lost.
        const change: Change = {
          ...EMPTY,
          merchant_id: rows[0]!.merchant_id,
          at: now,
          rows,
          jobs: yield* markJobs(jobs, now),
          cancels
        }
        const { verdict } = yield* jobNotifier.writing(change, (given) =>
          Effect.map(storage.commit(given), (verdict) => ({ verdict, attempts: 1 }))
        )
        if (verdict._tag === "Committed") return result
      }
      return yield* new StorageFault({
        message: `${keys[0]?.kind} ${keys[0]?.id} changed during ${readingsMax} attempts`,
        retryable: true
      })
    })

    return { storage, amend }
  })

export type ProviderBooks = Effect.Success<ReturnType<typeof openBooks>>
