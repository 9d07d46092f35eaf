/** Events that were read and cannot be handled now. They wait in jobs, one for each resource or pay-in (FEED-4). */
import { Clock, Effect } from "effect"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { sha256 } from "../../crypto/secrets.ts"
import { eventIdOf, type KeptUnreadable, recordUnreadable, resourceIdOf } from "../../input/unreadable-event.ts"
import { canonicalJson } from "../../ports/canonical-json.ts"
import { decodeEvent } from "../../ports/checked-ports.ts"
import { StorageFault } from "../../ports/errors.ts"
import type { Provider, ProviderEvent } from "../../ports/Provider.ts"
import { type Job, type JobWrite, PLATFORM_MERCHANT, Storage } from "../../ports/Storage.ts"
import { wallNow } from "../../ports/Time.ts"
import { waitingEventsOf } from "../../reports/event-reading.ts"
import { withLogEntry } from "../../reports/progress.ts"
import { normalizePayin } from "../../resources/deposits/payin.ts"
import { JobLease } from "../../settings/settings.ts"
import { Inbox } from "./Inbox.ts"
import { dueAgain, retryMs } from "./provider-calls.ts"

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

/** What an event is about: its pay-in or its resource. */
const chooseSubject = (event: StoredEvent): string => {
  if (event._tag === "unreadable") return resourceIdOf(event.content) ?? eventIdOf(event.content) ?? ""
  return event._tag === "payin" ? event.payin_id : event.resource_id
}

interface ReadEvent {
  readonly event: StoredEvent
  /** The id of the job in which it waits if it cannot be handled now. */
  readonly job: string
}

/** What a provider sent as an event, which may be anything, with the job of its subject. */
const readEvent = Effect.fnUntraced(function* (provider: string, sent: unknown): Effect.fn.Return<ReadEvent> {
  const event = yield* toStoredEvent(sent)
  return { event, job: waitingEventsOf(provider, yield* sha256(chooseSubject(event))) }
})

/** The job of a subject with one more event, unless it has it. */
const withEvent = (
  before: JobWrite | undefined,
  provider: string,
  { event, job: id }: ReadEvent,
  answer: string,
  at: number
): JobWrite => {
  const { events = [] } = (before?.body ?? {}) as Partial<WaitingBody>
  const isKept = events.some((one) => canonicalJson(one as never) === canonicalJson(event as never))
  if (before !== undefined && isKept) return before
  const first: JobWrite = {
    ...{ id, queue: "command", partition_key: id, status: "pending", attempt: 0, created_at: at },
    due_at: at + retryMs(0),
    body: {},
    log: withLogEntry({ log: [] }, { at, answer: `an event cannot be handled: ${answer}` })
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
    const job = withEvent(before, provider, read, answer, at)
    if (job === before) return job
    const token = reader.lease ?? ""
    const lease = { token, wall: yield* wallNow, lease_ms }
    const renewed: JobWrite = { ...dueAgain(reader, reader.due_at ?? at, reader.body), lease }
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
    const log = answer === undefined ? [] : withLogEntry(job, { at, answer: `an event cannot be handled: ${answer}` })
    const body = { ...job.body, events } as unknown as JobWrite["body"]
    const jobs = events.length === 0 ? [] : [dueAgain({ ...job, log }, at + retryMs(job.attempt), body)]
    yield* unitOfWork.apply(
      job.merchant_id,
      { lease: { job: job.id, token: job.lease ?? "" } },
      Effect.succeed({ changes: [{ jobs }], result: undefined })
    )
  })

  return { handlePage, handleWaiting }
})
