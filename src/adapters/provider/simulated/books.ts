/**
 * The simulated provider's books: rows of its own kinds and jobs of the queue `simulated`. They share the engine's
 * store, but the engine never reads them. A crash of the process loses no entry.
 */
import { Clock, Effect } from "effect"
import { StorageFault } from "../../../engine/ports/errors.ts"
import { Ids } from "../../../engine/ports/Ids.ts"
import { JobLease } from "../../../engine/settings/JobLease.ts"
import type { ProviderEvent } from "../../../engine/ports/Provider.ts"
import { keyLifetime } from "../../../engine/settings/retention.ts"
import type { ScheduledEvent } from "../../../engine/ports/Sandbox.ts"
import {
  EMPTY,
  type Change,
  type JobWrite,
  type Json,
  type JsonObject,
  type Row,
  type RowWrite,
  Storage
} from "../../../engine/ports/Storage.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { JobNotifier } from "../../../engine/ports/JobNotifier.ts"
import type { ScheduledEvents } from "./instruction.ts"

export type Entry =
  | "simulated_behaviour"
  | "simulated_instruction"
  | "simulated_issue"
  | "simulated_payin"
  | "simulated_refund"

export interface EntryKey {
  readonly merchant_id: string
  readonly kind: Entry
  readonly id: string
}

/**
 * The result of one decision over the books: replacement entries, jobs to write, jobs to cancel, and the return value.
 */
export interface Amendment<A> {
  readonly entries: ReadonlyArray<{
    readonly key: EntryKey
    readonly data: object
    readonly index_keys?: ReadonlyArray<string>
  }>
  readonly jobs?: ReadonlyArray<JobWrite>
  readonly cancels?: ReadonlyArray<string>
  readonly result: A
}

/** Attempts before giving up. Each lost race means that another writer made progress. */
const readingsMax = 20

/** A scheduled event job takes its id from its first event. */
export const jobIdOf = (event: ProviderEvent): string => `simulated.${event.event_id}`

export const jobOf = ({ resource_id, due_at, events }: ScheduledEvents, now: number): JobWrite => ({
  id: jobIdOf(events[0]!),
  queue: "simulated",
  partition_key: resource_id,
  status: "pending",
  due_at,
  attempt: 0,
  created_at: now,
  body: { events: events as unknown as Json } satisfies JsonObject,
  log: []
})

type EntryWrite = Amendment<unknown>["entries"][number]

const rowOf = (before: Row | undefined, { key, data, index_keys = [] }: EntryWrite, now: number): RowWrite => ({
  ...key,
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
  via: "simulated",
  from: before?.state ?? null
})

/** Entry versions and single-use tokens prevent duplicates. The key only detects a commit whose reply was lost. */
const idempotency = (key: string, at: number) => ({
  key,
  fingerprint: key,
  response: null,
  expires_at: at + keyLifetime
})

/** The books and the ways to change them. Requires `Storage`, `Ids` and `JobNotifier`. */
export const makeBooks = Effect.gen(function* () {
  const storage = yield* Storage
  const ids = yield* Ids
  const jobNotifier = yield* JobNotifier

  /**
   * Reads the entries that `keys` name, decides, and writes the decision. If another writer commits first, it reads and
   * decides again. `decide` must be pure, because it may run several times.
   */
  const amend = Effect.fnUntraced(function* <A>(
    keys: ReadonlyArray<EntryKey>,
    decide: (entries: ReadonlyArray<Row | undefined>, now: number) => Amendment<A>
  ) {
    for (let reading = 0; reading < readingsMax; reading++) {
      const now = yield* Clock.currentTimeMillis
      const found = yield* storage.get(keys)
      const entries = keys.map((key) => found.find((row) => row.kind === key.kind && row.id === key.id))
      const { entries: written, jobs = [], cancels = [], result } = decide(entries, now)
      if (written.length === 0) return result
      const rows = written.map((entry) =>
        rowOf(
          entries.find((row) => row?.kind === entry.key.kind && row.id === entry.key.id),
          entry,
          now
        )
      )
      const first = rows[0]!
      const change: Change = {
        ...EMPTY,
        merchant_id: first.merchant_id,
        at: now,
        idempotency: idempotency(`simulated/${first.kind}/${first.id}@${first.version}`, now),
        rows,
        jobs,
        cancels
      }
      const verdict = yield* storage.commit(change)
      if (verdict._tag === "Committed") {
        if (jobs.length > 0) jobNotifier.notify("simulated")
        return result
      }
    }
    return yield* new StorageFault({
      message: `${keys[0]?.kind} ${keys[0]?.id} changed during ${readingsMax} attempts`,
      retryable: true
    })
  })

  const leaseMs = yield* JobLease

  /**
   * A lease for a job that its writer handles at once. If the lease expires, the dispatcher delivers the event again.
   */
  const hold = Effect.gen(function* () {
    const token = yield* ids.make("lease")
    return { token, wall: yield* wallNow, lease_ms: leaseMs }
  })

  /** Completes a scheduled event whose job was written under `token`. */
  const done = Effect.fnUntraced(function* (merchant_id: string, job: string, token: string) {
    const at = yield* Clock.currentTimeMillis
    yield* storage.commit({ ...EMPTY, merchant_id, at, lease: { job, token } })
  })

  /** Writes a scheduled event that changes no entry, and returns the event. */
  const schedule = Effect.fnUntraced(function* <Event extends ProviderEvent>(
    merchant_id: string,
    resource_id: string,
    event: Event
  ) {
    const now = yield* Clock.currentTimeMillis
    const lease = yield* hold
    const job = { ...jobOf({ resource_id, due_at: now, events: [event] }, now), lease }
    yield* storage.commit({
      ...EMPTY,
      merchant_id,
      at: now,
      idempotency: idempotency(`simulated/reported/${lease.token}`, now),
      jobs: [job]
    })
    return { event, done: done(merchant_id, job.id, lease.token) } satisfies ScheduledEvent<Event>
  })

  /** Like {@link amend}, for a decision that reports an event now: the scheduled event is written with the entries. */
  const amendAndSchedule = Effect.fnUntraced(function* <Event extends ProviderEvent>(
    merchant_id: string,
    resource_id: string,
    keys: ReadonlyArray<EntryKey>,
    decide: (entries: ReadonlyArray<Row | undefined>, now: number) => Amendment<Event>
  ) {
    const lease = yield* hold
    const { event, recorded } = yield* amend(keys, (entries, now) => {
      const decided = decide(entries, now)
      const job = { ...jobOf({ resource_id, due_at: now, events: [decided.result] }, now), lease }
      return { ...decided, jobs: [job], result: { event: decided.result, recorded: decided.entries.length > 0 } }
    })
    if (!recorded) return yield* schedule(merchant_id, resource_id, event)
    return { event, done: done(merchant_id, jobIdOf(event), lease.token) } satisfies ScheduledEvent<Event>
  })

  return { storage, ids, amend, schedule, amendAndSchedule }
})

export type Books = Effect.Success<typeof makeBooks>
