/**
 * Reads the events of providers that can be read, beside their callbacks: a callback that was lost is found here.
 *
 * Each provider has one job, which keeps the cursor and holds a lease until the next read: one node reads at a time, and
 * moving the service's clock makes no read due. The cursor moves after the events are committed, so an event can be read
 * twice and is never missed. Events that cannot be handled now wait in jobs of their own, one for each resource or pay-in.
 */
import { Clock, Effect } from "effect"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import { type Provider, Providers, providerTimeoutMs } from "../../ports/Provider.ts"
import { type Job, type JobWrite, PLATFORM_MERCHANT, Storage } from "../../ports/Storage.ts"
import { wallNow } from "../../ports/Time.ts"
import { JobLease } from "../../settings/settings.ts"
import { keyLifetime } from "../../settings/retention.ts"
import { readerOf } from "../../reports/event-reading.ts"
import { withLogEntry } from "../../reports/progress.ts"
import { makeWaitingEvents } from "./waiting-events.ts"

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
    const id = readerOf(body.provider)
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
        if ((yield* storage.job(PLATFORM_MERCHANT, readerOf(name))) !== undefined) return
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
          : { log: withLogEntry(job, { at, answer: failure }), failing_since: body.failing_since ?? at }
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
