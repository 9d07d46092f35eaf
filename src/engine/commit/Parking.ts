/**
 * Work that waits for an obstacle without a known end, and is woken when the obstacle is removed. A parked job keeps a
 * lease of its own, so moving the service's clock does not make it due. When the lease expires, the job runs again and
 * checks the obstacle.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { StorageFault } from "../ports/errors.ts"
import { UnitOfWork } from "./UnitOfWork.ts"
import { Ids } from "../ports/Ids.ts"
import { keyLifetime } from "../settings/retention.ts"
import { type Job, type JobWrite, pausedQueue, type Queue, Storage } from "../ports/Storage.ts"
import { wallNow } from "../ports/Time.ts"

/** The obstacles: the provider accepts no submissions now, or the merchant is suspended. */
export const obstacles = ["provider_not_ready", "merchant_suspended"] as const
export type Obstacle = (typeof obstacles)[number]

/** The most commands that are moved back at once, and the lease under which they are moved. */
const recallBatch = 128
const recallMs = 30_000

const wakeBatch = 500

/** The delay before a waiting submission is checked again: an eighth of the time it has waited. */
export const askAgainMs = (waited_ms: number): number => Math.min(Math.max(5_000, Math.floor(waited_ms / 8)), 3_600_000)

export class Parking extends Context.Service<
  Parking,
  {
    /** Parks a claimed job. Its body names the obstacle as `parked`. */
    readonly park: (job: Job, obstacle: Obstacle) => Effect.Effect<void, StorageFault>
    /**
     * Makes all jobs that are parked for an obstacle due now.
     *
     * Law: a caller of `park` checks the obstacle again afterwards, and calls `wake` when it is removed. Therefore, if
     * the obstacle is removed while a job is being parked, one of the two calls wakes the job.
     */
    readonly wake: (merchant_id: string, obstacle: Obstacle) => Effect.Effect<void, StorageFault>
    /** Moves a claimed command unchanged to another queue. */
    readonly requeue: (job: Job, queue: Queue) => Effect.Effect<void, StorageFault>
    /**
     * Moves all jobs of a queue back to the queue of commands, and returns how many there were. Law: it ends, and each job has
     * its turn, also while jobs are stopped again and put back.
     */
    readonly recall: (queue: Queue) => Effect.Effect<number, StorageFault>
    /** Moves the commands back that a brake stopped. Those that another brake covers are stopped again. */
    readonly resume: Effect.Effect<number, StorageFault>
  }
>()("corridor/engine/Parking") {
  static readonly layer = Layer.effect(
    Parking,
    Effect.gen(function* () {
      const unitOfWork = yield* UnitOfWork
      const storage = yield* Storage
      const ids = yield* Ids

      const park = Effect.fnUntraced(function* (job: Job, obstacle: Obstacle) {
        const at = yield* Clock.currentTimeMillis
        const wait_ms = askAgainMs(at - job.created_at)
        const { merchant_id, lease, payload: _, endpoint_version: __, ...kept } = job
        const parked: JobWrite = {
          ...kept,
          due_at: at + wait_ms,
          body: { ...job.body, parked: obstacle },
          lease: { token: `parked.${lease}`, wall: yield* wallNow, lease_ms: wait_ms }
        }
        yield* unitOfWork.apply(
          merchant_id,
          { lease: { job: job.id, token: lease ?? "" } },
          Effect.succeed({ changes: [{ jobs: [parked] }], result: undefined })
        )
      })

      const woken = (job: Job, at: number): JobWrite => {
        const { merchant_id: _, lease: __, body, ...kept } = job
        const { parked: ___, ...rest } = body
        return { ...kept, due_at: at, body: rest }
      }

      const wakeIn = Effect.fnUntraced(function* (queue: Queue, merchant_id: string, obstacle: Obstacle) {
        while (true) {
          const { items } = yield* storage.jobs({
            merchant_id,
            queue,
            status: "pending",
            body: { parked: obstacle },
            offset: 0,
            limit: wakeBatch
          })
          if (items.length === 0) return
          const at = yield* Clock.currentTimeMillis
          yield* unitOfWork.apply(
            merchant_id,
            { deduplicationKey: `wake/${yield* ids.make("req")}`, deduplication_ms: keyLifetime },
            Effect.succeed({ changes: [{ jobs: items.map((job) => woken(job, at)) }], result: undefined })
          )
        }
      })

      const requeue = Effect.fnUntraced(function* (job: Job, queue: Queue) {
        const { merchant_id, lease, payload: _, endpoint_version: __, attempt, ...kept } = job
        yield* unitOfWork.apply(
          merchant_id,
          { lease: { job: job.id, token: lease ?? "" } },
          Effect.succeed({ changes: [{ jobs: [{ ...kept, queue, attempt: attempt - 1 }] }], result: undefined })
        )
      })

      const recall = Effect.fnUntraced(function* (queue: Queue) {
        const moved = new Set<string>()
        const returned = new Map<string, Job>()
        const move = (jobs: ReadonlyArray<Job>) =>
          Effect.forEach(jobs, (job) => requeue(job, "command"), { concurrency: recallBatch, discard: true })
        while (true) {
          const jobs = yield* storage.claim({
            queue,
            now: Number.MAX_SAFE_INTEGER,
            wall: yield* wallNow,
            lease_ms: recallMs,
            token: yield* ids.make("lease"),
            limit: recallBatch,
            per_partition: recallBatch,
            busy: []
          })
          const [first, again] = [jobs.filter(({ id }) => !moved.has(id)), jobs.filter(({ id }) => moved.has(id))]
          // Other work stops them as fast as they are moved. They are held until the others had their turn.
          for (const job of again) returned.set(job.id, job)
          yield* move(first)
          for (const { id } of first) moved.add(id)
          if (jobs.length < recallBatch) break
        }
        yield* move([...returned.values()])
        return moved.size
      })

      return Parking.of({
        park,
        requeue,
        recall,
        resume: recall(pausedQueue),
        wake: (merchant_id, obstacle) =>
          Effect.forEach(["command", "timer"] as const, (queue) => wakeIn(queue, merchant_id, obstacle), {
            discard: true
          })
      })
    })
  )
}
