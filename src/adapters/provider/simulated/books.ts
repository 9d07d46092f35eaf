/**
 * The simulated provider's books: rows of its own kinds and jobs of the queue `simulated`. They share the engine's
 * store, but the engine never reads them. A crash of the process loses no entry.
 */
import { Clock, Effect } from "effect"
import { Ids } from "../../../engine/ports/Ids.ts"
import { JobLease } from "../../../engine/settings/settings.ts"
import { keyLifetime } from "../../../engine/settings/retention.ts"
import type { ProviderEvent } from "../../../engine/ports/Provider.ts"
import type { ScheduledEvent } from "../../../engine/ports/Sandbox.ts"
import {
  EMPTY,
  type JobWrite,
  type Json,
  type JsonObject,
  type Row,
  type RowKey
} from "../../../engine/ports/Storage.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { type Amendment, openBooks } from "../books.ts"
import type { ScheduledEvents } from "./instruction.ts"

export type SimulatedEntry =
  | "simulated_behaviour"
  | "simulated_instruction"
  | "simulated_issue"
  | "simulated_payin"
  | "simulated_refund"

export interface EntryKey extends RowKey {
  readonly kind: SimulatedEntry
}

/** Makes the id of the job that delivers scheduled events, from the first of them. */
export const toEventJobId = (event: ProviderEvent): string => `simulated.${event.event_id}`

export const toJob = ({ resource_id, due_at, events }: ScheduledEvents, now: number): JobWrite => ({
  id: toEventJobId(events[0]!),
  queue: "simulated",
  partition_key: resource_id,
  status: "pending",
  due_at,
  attempt: 0,
  created_at: now,
  body: { events: events as unknown as Json } satisfies JsonObject,
  log: []
})

/** The books and the ways to change them. Requires `Storage`, `Ids` and `JobNotifier`. */
export const makeBooks = Effect.gen(function* () {
  const ids = yield* Ids
  const { storage, amend } = yield* openBooks("simulated")
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
    const job = { ...toJob({ resource_id, due_at: now, events: [event] }, now), lease }
    yield* storage.commit({
      ...EMPTY,
      merchant_id,
      at: now,
      // It only detects a commit whose reply was lost.
      idempotency: {
        key: `simulated/reported/${lease.token}`,
        fingerprint: "",
        response: null,
        expires_at: now + keyLifetime
      },
      jobs: [job]
    })
    return { event, done: done(merchant_id, job.id, lease.token) } satisfies ScheduledEvent<Event>
  })

  /** Like {@link amend}, for a decision that reports an event now: the scheduled event is written with the entries. */
  const amendAndSchedule = Effect.fnUntraced(function* <Event extends ProviderEvent>(
    merchant_id: string,
    resource_id: string,
    keys: ReadonlyArray<EntryKey>,
    decide: (entries: ReadonlyArray<Row | undefined>, now: number) => Amendment<Event, EntryKey>
  ) {
    const lease = yield* hold
    const { event, recorded } = yield* amend(keys, (entries, now) => {
      const decided = decide(entries, now)
      const job = { ...toJob({ resource_id, due_at: now, events: [decided.result] }, now), lease }
      return { ...decided, jobs: [job], result: { event: decided.result, recorded: decided.entries.length > 0 } }
    })
    if (!recorded) return yield* schedule(merchant_id, resource_id, event)
    return { event, done: done(merchant_id, toEventJobId(event), lease.token) } satisfies ScheduledEvent<Event>
  })

  return { storage, ids, amend, schedule, amendAndSchedule }
})

export type SimulatedBooks = Effect.Success<typeof makeBooks>
