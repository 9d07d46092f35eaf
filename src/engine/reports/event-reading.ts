/** The stored state of reading a provider's events: the job that reads, and the events that wait (FEED-3, FEED-4). */
import { Effect } from "effect"
import type { StorageFault } from "../ports/errors.ts"
import { type Job, PLATFORM_MERCHANT, type Storage } from "../ports/Storage.ts"
import type { LoggedAnswer } from "./progress.ts"

/** The id of the job that reads the events of a provider. It belongs to the platform. */
export const toReaderJobId = (provider: string): string => `events.${provider}`

/**
 * The id of the job with the waiting events about one resource or pay-in. `about` is the hash of its id: what a provider calls it may be
 * any text, and the ids of jobs are found by how they begin.
 */
export const toWaitingJobId = (provider: string, about: string): string => `waiting_events.${provider}.${about}`

/** The most jobs of waiting events that are looked at. */
const lookedAtMax = 100

interface ReadingState {
  readonly cursor: string | null
  /** When reading began to fail, or an event of it could not be handled, in epoch milliseconds. Null: nothing fails. */
  readonly failing_since: number | null
  /** When all that there was had last been read, in epoch milliseconds. Null: never. */
  readonly read_at: number | null
  /** The last fault of what is failing now. */
  readonly last_fault: LoggedAnswer | undefined
}

/** Reads how far a provider's events are read, and the first of those that wait. */
export const readReadingState = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  provider: string
): Effect.fn.Return<ReadingState, StorageFault> {
  const reader = yield* storage.job(PLATFORM_MERCHANT, toReaderJobId(provider))
  const waiting = yield* storage.jobsBeginning(PLATFORM_MERCHANT, [toWaitingJobId(provider, "")], lookedAtMax)
  const { cursor, failing_since, read_at } = reader?.body ?? {}
  const since = [...(typeof failing_since === "number" ? [failing_since] : []), ...waiting.map((job) => job.created_at)]
  const faults = [reader, ...waiting].flatMap(
    (job: Pick<Job, "log"> | undefined) => (job?.log.at(-1) as LoggedAnswer | undefined) ?? []
  )
  return {
    cursor: typeof cursor === "string" ? cursor : null,
    failing_since: since.length === 0 ? null : Math.min(...since),
    read_at: typeof read_at === "number" ? read_at : null,
    last_fault: faults[0]
  }
})
