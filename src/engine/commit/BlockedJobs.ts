/**
 * Work that waits for an obstacle without a known end, and goes on when the obstacle is removed. A blocked job keeps a
 * lease of its own, so moving the service's clock does not make it due. When the lease expires, the job runs again and
 * checks the obstacle.
 *
 * Any number of jobs may wait. They are moved by jobs of their own, in batches, which continue after a crash (BRAKE-4).
 */
import { bindFirst } from "../../machines/kernel/bound.ts"
import { Clock, Context, Effect, Layer } from "effect"
import type { StorageFault } from "../ports/errors.ts"
import { Claims } from "./Claims.ts"
import { UnitOfWork } from "./UnitOfWork.ts"
import { Ids } from "../ports/Ids.ts"
import { JobLease } from "../settings/settings.ts"
import { keyLifetime } from "../settings/retention.ts"
import { type Job, type JobWrite, pausedQueue, PLATFORM_MERCHANT, type Queue, Storage } from "../ports/Storage.ts"
import { wallNow } from "../ports/Time.ts"

/** The obstacles: the provider accepts no submissions now, or the merchant is suspended. */
export const obstacles = ["provider_not_ready", "merchant_suspended"] as const
type Obstacle = (typeof obstacles)[number]

/** The most jobs that are moved at once, and the lease under which they are moved. */
const batch = 128
const movingMs = 30_000

/** No batch is begun after this share of a job's lease. */
const movingShare = 1 / 3

/** More than the clocks of two nodes can differ. */
const skewMs = 10_000

/** The delay before a waiting submission is checked again: an eighth of the time it has waited. */
export const askAgainMs = (waited_ms: number): number => Math.min(Math.max(5_000, Math.floor(waited_ms / 8)), 3_600_000)

/** The operations of the jobs that move others. */
const movingOperations = ["resume", "wake"] as const
type MovingOperation = (typeof movingOperations)[number]

export const isMoving = (operation: unknown): operation is MovingOperation =>
  (movingOperations as ReadonlyArray<unknown>).includes(operation)

/** Moves what was stopped by `until`, service clock. `is_last`: nothing can be stopped any more by what was released. */
interface ResumeBody {
  readonly until: number
  readonly is_last: boolean
}

/** `left`: the most jobs that are still to be unblocked. Null: it has not begun. */
interface UnblockBody {
  readonly obstacle: Obstacle
  readonly left: number | null
}

const makeMovingJob = (
  merchant_id: string,
  id: string,
  operation: MovingOperation,
  due_at: number,
  body: JobWrite["body"]
): JobWrite => ({
  id,
  queue: "command",
  partition_key: `${merchant_id}.${id}`,
  status: "pending",
  due_at,
  attempt: 0,
  created_at: due_at,
  body: { ...body, operation },
  log: []
})

/** The job of the platform that moves what pauses stopped by a time. Several releases share it. */
export const makeResumingJob = (at: number): JobWrite =>
  makeMovingJob(PLATFORM_MERCHANT, "brakes.resume", "resume", at, { until: at, is_last: false })

/** The job of a merchant that moves what waits for an obstacle. The Change that removes the obstacle writes it. */
export const makeUnblockingJob = (merchant_id: string, obstacle: Obstacle, at: number): JobWrite =>
  makeMovingJob(merchant_id, `wake.${obstacle}`, "wake", at, { obstacle, left: null })

const makeDeps = Effect.gen(function* () {
  const queues = ["command", "timer"] as const
  return {
    ...(yield* Effect.all({ unitOfWork: UnitOfWork, storage: Storage, ids: Ids, claims: Claims, leaseMs: JobLease })),
    queues
  }
})
type Deps = Effect.Success<typeof makeDeps>

/** Writes a job in the place of one that is claimed, or of one that was read. Nothing, if another claimed it since. */
const replace = ({ unitOfWork }: Deps, { id, lease, merchant_id }: Job, job: JobWrite | undefined) =>
  unitOfWork.apply(
    merchant_id,
    { lease: { job: id, token: lease ?? "" } },
    Effect.succeed({ changes: job === undefined ? [] : [{ jobs: [job] }], result: undefined })
  )

/** Blocks a claimed job. Its body names the obstacle as `parked`. */
const blockJob = Effect.fnUntraced(function* (deps: Deps, job: Job, obstacle: Obstacle) {
  const at = yield* Clock.currentTimeMillis
  const wait_ms = askAgainMs(at - job.created_at)
  const { merchant_id: _, lease, payload: __, endpoint_version: ___, ...kept } = job
  const parked: JobWrite = {
    ...kept,
    due_at: at + wait_ms,
    body: { ...job.body, parked: obstacle },
    lease: { token: `parked.${lease}`, wall: yield* wallNow, lease_ms: wait_ms }
  }
  yield* replace(deps, job, parked)
})

const writeJob = Effect.fnUntraced(function* ({ unitOfWork, ids }: Deps, merchant_id: string, job: JobWrite) {
  yield* unitOfWork.apply(
    merchant_id,
    { deduplicationKey: `arm/${yield* ids.make("req")}`, deduplication_ms: keyLifetime },
    Effect.succeed({ changes: [{ jobs: [job] }], result: undefined })
  )
})

/** Moves a claimed command unchanged to another queue. */
const requeue = Effect.fnUntraced(function* (deps: Deps, job: Job, queue: Queue, due_at = job.due_at) {
  const { merchant_id: _, lease: __, payload: ___, endpoint_version: ____, attempt, ...kept } = job
  yield* replace(deps, job, { ...kept, due_at, queue, attempt: attempt - 1 })
})

const claimBatch = ({ claims }: Deps, queue: Queue, now: number) =>
  claims.claim({ queue, now, lease_ms: movingMs, limit: batch, per_partition: batch, busy: [] })

const moveJobBack = (deps: Deps, jobs: ReadonlyArray<Job>) =>
  Effect.forEach(jobs, (job) => requeue(deps, job, "command"), { concurrency: batch, discard: true }).pipe(
    Effect.onError(() => deps.claims.giveBack(jobs))
  )

/**
 * Moves all jobs of a queue back to the queue of commands, and returns how many there were. Law: it ends, and each job has
 * its turn, also while jobs are stopped again and put back.
 */
const recallJobs = Effect.fnUntraced(
  function* (deps: Deps, queue: Queue) {
    const moved = new Set<string>()
    const returned = new Map<string, Job>()
    while (true) {
      const jobs = yield* claimBatch(deps, queue, Number.MAX_SAFE_INTEGER)
      const [first, again] = [jobs.filter(({ id }) => !moved.has(id)), jobs.filter(({ id }) => moved.has(id))]
      // Other work stops them as fast as they are moved. They are held until the others had their turn.
      for (const job of again) returned.set(job.id, job)
      yield* moveJobBack(deps, first)
      for (const { id } of first) moved.add(id)
      if (jobs.length < batch) break
    }
    yield* moveJobBack(deps, [...returned.values()])
    return moved.size
  },
  (effect, { claims }) => claims.holding(effect)
)

/** Repeats `some`, which returns whether more are left, for a share of the lease. Returns whether more are left. */
const repeatWithinLease = Effect.fnUntraced(function* ({ leaseMs }: Deps, some: Effect.Effect<boolean, StorageFault>) {
  const began = yield* wallNow
  let hasMore = true
  while (hasMore && (yield* wallNow) - began < leaseMs * movingShare) hasMore = yield* some
  return hasMore
})

/** Those that are stopped again are stopped later than `until`, and so are left. */
const resumeBatch = (deps: Deps, until: number) =>
  Effect.gen(function* () {
    const jobs = yield* claimBatch(deps, pausedQueue, until)
    yield* moveJobBack(deps, jobs)
    return jobs.length === batch
  }).pipe(deps.claims.holding)

/**
 * A node may stop a command after the release of its pause, as long as it holds the lease under which it read the
 * pauses. Once that is over, the rest is moved.
 */
const resumeMore = Effect.fnUntraced(function* (deps: Deps, job: Job) {
  const { leaseMs } = deps
  const { is_last, until } = job.body as unknown as ResumeBody
  const again = (due_at: number, body: ResumeBody) =>
    makeMovingJob(job.merchant_id, job.id, "resume", due_at, { ...body })
  if (yield* repeatWithinLease(deps, resumeBatch(deps, until)))
    return yield* replace(deps, job, again(yield* Clock.currentTimeMillis, { until, is_last }))
  const settled = until + leaseMs + skewMs
  return yield* replace(deps, job, is_last ? undefined : again(settled + skewMs, { until: settled, is_last: true }))
})

const toUnblockedJob = (job: Job, at: number): JobWrite => {
  const { merchant_id: _, lease: __, payload: ___, endpoint_version: ____, body, ...kept } = job
  const { parked: _____, ...rest } = body
  return { ...kept, due_at: at, body: rest }
}

/** Jobs that are blocked again meanwhile wait for another obstacle: no more are unblocked than there were. */
const unblockMore = Effect.fnUntraced(function* (deps: Deps, job: Job) {
  const { queues } = deps
  const { merchant_id } = job
  const { left: known, obstacle } = job.body as unknown as UnblockBody
  const pages = Effect.forEach(queues, (queue) =>
    deps.storage.jobs({ merchant_id, queue, status: "pending", body: { parked: obstacle }, offset: 0, limit: batch })
  )
  let left = known ?? (yield* pages).reduce((sum, { total }) => sum + total, 0)
  const hasMore = yield* repeatWithinLease(
    deps,
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const jobs = (yield* pages).flatMap(({ items }) => items).slice(0, left)
      yield* Effect.forEach(jobs, (parked) => replace(deps, parked, toUnblockedJob(parked, at)), {
        concurrency: batch,
        discard: true
      })
      left -= jobs.length
      return jobs.length > 0 && left > 0
    })
  )
  const next = makeMovingJob(merchant_id, job.id, "wake", yield* Clock.currentTimeMillis, { obstacle, left })
  yield* replace(deps, job, hasMore ? next : undefined)
})

/** Stops a claimed command: it waits in a queue of its own. */
const stop = (deps: Deps, job: Job) =>
  Effect.flatMap(Clock.currentTimeMillis, (at) => requeue(deps, job, pausedQueue, at))

/**
 * Moves commands back that pauses stopped by a time: at once a bounded number, the oldest first. {@link makeResumingJob}, which
 * the Change of a release writes, moves the others. Those that another pause covers are stopped again.
 */
const resumeSome = (deps: Deps, until: number) => Effect.asVoid(resumeBatch(deps, until))

/**
 * Writes {@link makeUnblockingJob}: all jobs that an obstacle blocks become due.
 *
 * Law: a caller of `block` checks the obstacle again afterwards, and calls `unblock` when it is removed. Therefore, if
 * the obstacle is removed while a job is being blocked, one of the two calls unblocks the job.
 */
const unblock = (deps: Deps, merchant_id: string, obstacle: Obstacle) =>
  Effect.flatMap(Clock.currentTimeMillis, (at) =>
    writeJob(deps, merchant_id, makeUnblockingJob(merchant_id, obstacle, at))
  )

/** Runs a claimed job of {@link movingOperations}: moves some jobs, and is due again while there are more. */
const moveJobs = (deps: Deps, job: Job) =>
  Effect.asVoid(job.body["operation"] === "resume" ? resumeMore(deps, job) : unblockMore(deps, job))

/** Writes the job that moves back what pauses have stopped, unless nothing is. */
const resume = Effect.fnUntraced(function* (deps: Deps) {
  if ((yield* deps.storage.nextDue([pausedQueue])) === undefined) return
  yield* writeJob(deps, PLATFORM_MERCHANT, makeResumingJob(yield* Clock.currentTimeMillis))
})

export class BlockedJobs extends Context.Service<BlockedJobs>()("corridor/engine/BlockedJobs", {
  make: Effect.map(makeDeps, (deps) => ({
    ...bindFirst(deps, { block: blockJob, requeue, recall: recallJobs, stop, resumeSome, unblock, move: moveJobs }),
    resume: resume(deps)
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
