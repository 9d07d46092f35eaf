/**
 * Reads the events of providers that can be read, beside their callbacks: a callback that was lost is found here.
 *
 * Each provider has one job, which keeps the cursor and holds a lease until the next read: one node reads at a time, and
 * moving the service's clock makes no read due. The cursor moves after the events are committed, so an event can be read
 * twice and is never missed. Events that cannot be handled now wait in jobs of their own, one for each resource or pay-in.
 */
import { Clock, Effect } from "effect"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { sha256 } from "../../crypto/secrets.ts"
import { eventIdOf, type KeptUnreadable, recordUnreadable, resourceIdOf } from "../../input/unreadable-event.ts"
import { Ids } from "../../ports/Ids.ts"
import { type Provider, type ProviderEvent, Providers, providerTimeoutMs } from "../../ports/Provider.ts"
import { type Job, type JobWrite, PLATFORM_MERCHANT, Storage } from "../../ports/Storage.ts"
import { wallNow } from "../../ports/Time.ts"
import { toCanonicalJson } from "../../ports/canonical-json.ts"
import { decodeEvent } from "../../ports/checked-ports.ts"
import { StorageFault } from "../../ports/errors.ts"
import { toReaderJobId, toWaitingJobId } from "../../reports/event-reading.ts"
import { addLogEntry } from "../../reports/progress.ts"
import { normalizePayin } from "../../resources/deposits/payin.ts"
import { keyLifetime } from "../../settings/retention.ts"
import { JobLease } from "../../settings/settings.ts"
import { Inbox } from "./Inbox.ts"
import { makeDueAgain, retryMs } from "./provider-calls.ts"

// Events that were read and cannot be handled now. They wait in jobs, one for each resource or pay-in (FEED-4).

export const handleWaitingOperation = "handle_events"

/** An event as it may be stored: nothing more of the payer than elsewhere (DEPOSIT-14). */
type StoredEvent = ProviderEvent | KeptUnreadable

interface WaitingBody {
  readonly operation: typeof handleWaitingOperation
  readonly provider: string
  /** In the order in which they were read. */
  readonly events: ReadonlyArray<StoredEvent>
}

const toStoredEvent = (sent: unknown): Effect.Effect<StoredEvent> => {
  const event = decodeEvent(sent)
  if (event === undefined) return recordUnreadable(sent)
  return Effect.succeed(event._tag === "payin" ? normalizePayin(event) : event)
}

/** Chooses the subject of an event: its pay-in or its resource. */
const chooseSubject = (event: StoredEvent): string => {
  if (event._tag === "unreadable") return resourceIdOf(event.content) ?? eventIdOf(event.content) ?? ""
  return event._tag === "payin" ? event.payin_id : event.resource_id
}

interface ReadEvent {
  readonly event: StoredEvent
  /** The id of the job in which it waits if it cannot be handled now. */
  readonly job: string
}

/** Decodes what a provider sent, which may be anything, and names the job in which events of its subject wait. */
const readEvent = Effect.fnUntraced(function* (provider: string, sent: unknown): Effect.fn.Return<ReadEvent> {
  const event = yield* toStoredEvent(sent)
  return { event, job: toWaitingJobId(provider, yield* sha256(chooseSubject(event))) }
})

/** The job of a subject with one more waiting event, unless it has it. */
const addWaitingEvent = (
  before: JobWrite | undefined,
  provider: string,
  { event, job: id }: ReadEvent,
  answer: string,
  at: number
): JobWrite => {
  const { events = [] } = (before?.body ?? {}) as Partial<WaitingBody>
  const isKept = events.some((one) => toCanonicalJson(one as never) === toCanonicalJson(event as never))
  if (before !== undefined && isKept) return before
  const first: JobWrite = {
    ...{ id, queue: "command", partition_key: id, status: "pending", attempt: 0, created_at: at },
    due_at: at + retryMs(0),
    body: {},
    log: addLogEntry({ log: [] }, { at, answer: `an event cannot be handled: ${answer}` })
  }
  const body = { operation: handleWaitingOperation, provider, events: [...events, event] } satisfies WaitingBody
  return { ...(before ?? first), body: body as unknown as JobWrite["body"] }
}

export const makeWaitingEvents = Effect.gen(function* () {
  const [unitOfWork, storage, inbox, lease_ms] = yield* Effect.all([UnitOfWork, Storage, Inbox, JobLease])

  /** Handles an event, or says why it cannot be handled now. */
  const tryEvent = (provider: string, event: StoredEvent): Effect.Effect<string | undefined> =>
    inbox.receive(provider, event).pipe(
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError(`an event of ${provider} cannot be handled`, defect),
          Effect.fail(new StorageFault({ message: String(defect), retryable: false }))
        )
      ),
      Effect.match({ onFailure: ({ message }) => message.slice(0, 200), onSuccess: () => undefined })
    )

  /** The jobs of waiting events about the subjects of a page, by id. */
  const waitingAmong = (events: ReadonlyArray<ReadEvent>) => {
    const jobIds = [...new Set(events.map(({ job }) => job))]
    return Effect.map(
      jobIds.length === 0 ? Effect.succeed([]) : storage.jobsBeginning(PLATFORM_MERCHANT, jobIds, 1),
      (jobs) => new Map<string, JobWrite>(jobs.map(({ lease: _, ...job }) => [job.id, job]))
    )
  }

  /**
   * Stores an event behind those about the same subject that wait, under the lease of its reader, which is renewed: what a reader
   * without it has seen may have changed since. Returns their job.
   */
  const store = Effect.fnUntraced(function* (
    reader: Job,
    provider: string,
    read: ReadEvent,
    before: JobWrite | undefined,
    answer: string
  ) {
    const at = yield* Clock.currentTimeMillis
    const job = addWaitingEvent(before, provider, read, answer, at)
    if (job === before) return job
    const token = reader.lease ?? ""
    const lease = { token, wall: yield* wallNow, lease_ms }
    const renewed: JobWrite = { ...makeDueAgain(reader, reader.due_at ?? at, reader.body), lease }
    const { _tag } = yield* unitOfWork.apply(
      reader.merchant_id,
      { lease: { job: reader.id, token } },
      Effect.succeed({ changes: [{ jobs: [job, renewed] }], result: undefined })
    )
    if (_tag !== "applied") return yield* new StorageFault({ message: "another reader has the lease", retryable: true })
    return job
  })

  /** Handles the events of a page. Returns `read`; `more` where the time `isOver` before its end; or why it is read again. */
  const handlePage = (
    reader: Job,
    provider: string,
    sent: ReadonlyArray<unknown>,
    isOver: Effect.Effect<boolean>
  ): Effect.Effect<string> =>
    Effect.gen(function* () {
      const events = yield* Effect.forEach(sent, (one) => readEvent(provider, one))
      const waiting = yield* waitingAmong(events)
      for (const read of events) {
        const before = waiting.get(read.job)
        const answer = before === undefined ? yield* tryEvent(provider, read.event) : ""
        if (answer === undefined) continue
        waiting.set(read.job, yield* store(reader, provider, read, before, answer))
        // What is handled or stored is passed over quickly when the page is read again.
        if (before === undefined && (yield* isOver)) return "more"
      }
      return "read"
    }).pipe(Effect.catch((fault) => Effect.succeed(fault.message.slice(0, 200))))

  /** Handles events that wait, in their order, until one cannot be handled: it is tried again later. */
  const handleWaiting = Effect.fnUntraced(function* (job: Job, provider: Provider["Service"]) {
    let { events } = job.body as unknown as WaitingBody
    let answer: string | undefined
    while (events.length > 0 && answer === undefined) {
      answer = yield* tryEvent(provider.name, events[0]!)
      if (answer === undefined) events = events.slice(1)
    }
    const at = yield* Clock.currentTimeMillis
    const log = answer === undefined ? [] : addLogEntry(job, { at, answer: `an event cannot be handled: ${answer}` })
    const body = { ...job.body, events } as unknown as JobWrite["body"]
    const jobs = events.length === 0 ? [] : [makeDueAgain({ ...job, log }, at + retryMs(job.attempt), body)]
    yield* unitOfWork.apply(
      job.merchant_id,
      { lease: { job: job.id, token: job.lease ?? "" } },
      Effect.succeed({ changes: [{ jobs }], result: undefined })
    )
  })

  return { handlePage, handleWaiting }
})

export const readOperation = "read_events"

/** The delay between two reads, unless the provider says otherwise. */
const intervalMs = 30_000

/** The most pages of one read. A longer backlog is continued at once by the next one. */
const pagesMax = 20

/** No page is begun after this share of the lease: the cursor is stored under the lease, or not at all. */
const readingShare = 1 / 3

interface ReaderBody {
  readonly operation: typeof readOperation
  readonly provider: string
  readonly cursor: string | null
  /** When reading began to fail, in epoch milliseconds. Absent or null: the last reading succeeded. */
  readonly failing_since?: number | null
  /** When all that there was had last been read, in epoch milliseconds. Absent or null: never. */
  readonly read_at?: number | null
  /** What this reading, which is not at its end, could not read so far. */
  readonly fault?: string | null
}

export const makeEventReader = Effect.gen(function* () {
  const [providers, unitOfWork, storage] = yield* Effect.all([Providers, UnitOfWork, Storage])
  const waiting = yield* makeWaitingEvents
  const ids = yield* Ids
  const leaseMs = yield* JobLease

  /** The job that reads again after `after_ms` of real time. */
  const again = Effect.fnUntraced(function* (body: ReaderBody, after_ms: number, before?: Job) {
    const at = yield* Clock.currentTimeMillis
    const id = toReaderJobId(body.provider)
    const kept = { id, queue: "command", partition_key: id, status: "pending", due_at: at } as const
    const job: JobWrite = {
      ...kept,
      attempt: 0,
      created_at: before?.created_at ?? at,
      body: { ...body },
      log: before?.log ?? []
    }
    if (after_ms === 0) return job
    const token = yield* ids.make("lease")
    return { ...job, lease: { token, wall: yield* wallNow, lease_ms: after_ms } }
  })

  const nextPage = (provider: Provider["Service"], cursor: string | null) =>
    Effect.timeoutOption(provider.events!.after!(cursor), providerTimeoutMs)

  return {
    /** Writes the job of each provider that can be read, unless it has one. */
    arm: Effect.forEach(
      providers.all.filter(({ events }) => events?.after !== undefined),
      Effect.fnUntraced(function* ({ name }) {
        if ((yield* storage.job(PLATFORM_MERCHANT, toReaderJobId(name))) !== undefined) return
        const job = yield* again({ operation: readOperation, provider: name, cursor: null }, 0)
        yield* unitOfWork.apply(
          PLATFORM_MERCHANT,
          { deduplicationKey: `read/${name}`, deduplication_ms: keyLifetime },
          Effect.succeed({ changes: [{ jobs: [job] }], result: undefined })
        )
      }),
      { discard: true }
    ),

    /**
     * Reads the events after the cursor and hands them to the Inbox. One that cannot be handled now is stored, and later ones about
     * the same subject behind it (FEED-4). Where it cannot be stored either, the cursor stays: it is read again.
     */
    read: Effect.fnUntraced(function* (job: Job, provider: Provider["Service"]) {
      const body = job.body as unknown as ReaderBody
      const interval = provider.events?.interval_ms ?? intervalMs
      const began = yield* wallNow
      let { cursor } = body
      let answer = "read"
      let fault = body.fault ?? undefined
      for (let pages = 0; pages < pagesMax && answer === "read"; pages++) {
        const page = yield* Effect.result(nextPage(provider, cursor))
        if (page._tag === "Failure" || page.success._tag === "None") {
          answer =
            page._tag === "Failure" ? page.failure.message.slice(0, 200) : `no answer within ${providerTimeoutMs} ms`
          break
        }
        fault ??= page.success.value.fault?.slice(0, 200)
        const { cursor: next, events } = page.success.value
        answer = yield* waiting.handlePage(
          job,
          provider.name,
          events,
          Effect.map(wallNow, (now) => now - began > leaseMs * readingShare)
        )
        if (answer !== "read" || next === cursor) break
        cursor = next
        if (events.length === 0) break
        if (pages === pagesMax - 1 || (yield* wallNow) - began > leaseMs * readingShare) answer = "more"
      }
      const at = yield* Clock.currentTimeMillis
      const isMore = answer === "more"
      const failure = answer === "read" || isMore ? fault : answer
      // Only a whole reading ends what was failing.
      const before = isMore
        ? { log: job.log, failing_since: body.failing_since ?? null }
        : { log: [], failing_since: null }
      const { log, failing_since } =
        failure === undefined
          ? before
          : { log: addLogEntry(job, { at, answer: failure }), failing_since: body.failing_since ?? at }
      const read_at = answer === "read" && failure === undefined ? at : (body.read_at ?? null)
      const left = { cursor, failing_since, read_at, fault: answer === "read" ? null : (fault ?? null) }
      const next = yield* again({ ...body, ...left }, isMore ? 0 : interval, { ...job, log })
      yield* unitOfWork.apply(
        job.merchant_id,
        { lease: { job: job.id, token: job.lease ?? "" } },
        Effect.succeed({ changes: [{ jobs: [next] }], result: undefined })
      )
    })
  }
})
