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

/** Whether a job is one that moves others. */
export const isMovingOperation = (operation: unknown): operation is MovingOperation =>
  (movingOperations as ReadonlyArray<unknown>).includes(operation)

/** Moves what was stopped by `until`, service clock. `is_last`: nothing can be stopped any more by what was released. */
interface ResumeBody {
  readonly until: number
  readonly is_last: boolean
}

/** `after`: the id of the last job that was reached. Absent, also from a release before: it has not begun. */
interface UnblockBody {
  readonly obstacle: Obstacle
  readonly after?: string
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

/** Makes the platform's job that moves the jobs back which pauses stopped by a time. Several releases share it. */
export const makeResumingJob = (at: number): JobWrite =>
  makeMovingJob(PLATFORM_MERCHANT, "brakes.resume", "resume", at, { until: at, is_last: false })

/** Makes a merchant's job that makes the jobs due which an obstacle blocks. The Change that removes the obstacle writes it. */
export const makeUnblockingJob = (merchant_id: string, obstacle: Obstacle, at: number): JobWrite =>
  makeMovingJob(merchant_id, `wake.${obstacle}`, "wake", at, { obstacle })

const makeDeps = Effect.gen(function* () {
  const queues = ["command", "timer"] as const
  return {
    ...(yield* Effect.all({ unitOfWork: UnitOfWork, storage: Storage, ids: Ids, claims: Claims, leaseMs: JobLease })),
    queues
  }
})
type Deps = Effect.Success<typeof makeDeps>

/** Replaces a claimed job, or deletes it if `job` is undefined. Does nothing if another node has claimed it since. */
const replaceJob = ({ unitOfWork }: Deps, { id, lease, merchant_id }: Job, job: JobWrite | undefined) =>
  unitOfWork.apply(
    merchant_id,
    { lease: { job: id, token: lease ?? "" } },
    Effect.succeed({ changes: job === undefined ? [] : [{ jobs: [job] }], result: undefined })
  )

/** Blocks a claimed job: it waits under a lease of its own, and its body names the obstacle as `parked`. */
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
  yield* replaceJob(deps, job, parked)
})

const writeJob = Effect.fnUntraced(function* ({ unitOfWork, ids }: Deps, merchant_id: string, job: JobWrite) {
  yield* unitOfWork.apply(
    merchant_id,
    { deduplicationKey: `arm/${yield* ids.make("req")}`, deduplication_ms: keyLifetime },
    Effect.succeed({ changes: [{ jobs: [job] }], result: undefined })
  )
})

/** Moves a claimed command unchanged to another queue. */
const requeueJob = Effect.fnUntraced(function* (deps: Deps, job: Job, queue: Queue, due_at = job.due_at) {
  const { merchant_id: _, lease: __, payload: ___, endpoint_version: ____, attempt, ...kept } = job
  yield* replaceJob(deps, job, { ...kept, due_at, queue, attempt: attempt - 1 })
})

const claimBatch = ({ claims }: Deps, queue: Queue, now: number) =>
  claims.claim({ queue, now, lease_ms: movingMs, limit: batch, per_partition: batch, busy: [] })

/** Moves claimed commands back to the queue of commands. */
const moveJobsBack = (deps: Deps, jobs: ReadonlyArray<Job>) =>
  Effect.forEach(jobs, (job) => requeueJob(deps, job, "command"), { concurrency: batch, discard: true }).pipe(
    Effect.onError(() => deps.claims.giveBack(jobs))
  )

/**
 * Moves all jobs of a queue back to the queue of commands, and returns their number. Law: it ends, and each job has its turn, also while
 * jobs are stopped again and put back.
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
      yield* moveJobsBack(deps, first)
      for (const { id } of first) moved.add(id)
      if (jobs.length < batch) break
    }
    yield* moveJobsBack(deps, [...returned.values()])
    return moved.size
  },
  (effect, { claims }) => claims.holding(effect)
)

/** Repeats `some` for a share of the lease, as long as it returns that more jobs are left. Returns whether more are left. */
const repeatWithinLease = Effect.fnUntraced(function* ({ leaseMs }: Deps, some: Effect.Effect<boolean, StorageFault>) {
  const began = yield* wallNow
  let hasMore = true
  while (hasMore && (yield* wallNow) - began < leaseMs * movingShare) hasMore = yield* some
  return hasMore
})

/** Moves a batch of the jobs back that pauses stopped by `until`. Returns whether more may be left. */
const resumeBatch = (deps: Deps, until: number) =>
  Effect.gen(function* () {
    const jobs = yield* claimBatch(deps, pausedQueue, until)
    yield* moveJobsBack(deps, jobs)
    return jobs.length === batch
  }).pipe(deps.claims.holding)

/**
 * Runs the platform's job that moves stopped jobs back.
 *
 * A node may stop a command after the release of its pause, as long as it holds the lease under which it read the pauses. Once that is
 * over, the rest is moved.
 */
const resumeMore = Effect.fnUntraced(function* (deps: Deps, job: Job) {
  const { leaseMs } = deps
  const { is_last, until } = job.body as unknown as ResumeBody
  const again = (due_at: number, body: ResumeBody) =>
    makeMovingJob(job.merchant_id, job.id, "resume", due_at, { ...body })
  if (yield* repeatWithinLease(deps, resumeBatch(deps, until)))
    return yield* replaceJob(deps, job, again(yield* Clock.currentTimeMillis, { until, is_last }))
  const settled = until + leaseMs + skewMs
  return yield* replaceJob(deps, job, is_last ? undefined : again(settled + skewMs, { until: settled, is_last: true }))
})

/** The job without its obstacle, due at `at`. */
const toUnblockedJob = (job: Job, at: number): JobWrite => {
  const { merchant_id: _, lease: __, payload: ___, endpoint_version: ____, body, ...kept } = job
  const { parked: _____, ...rest } = body
  return { ...kept, due_at: at, body: rest }
}

/** Runs a merchant's job that unblocks others, in the order of their ids: each once, since jobs may be blocked again. */
const unblockMore = Effect.fnUntraced(function* (deps: Deps, job: Job) {
  const { queues, storage } = deps
  const { merchant_id } = job
  const { after: known = "", obstacle } = job.body as unknown as UnblockBody
  let after = known
  const hasMore = yield* repeatWithinLease(
    deps,
    Effect.gen(function* () {
      const at = yield* Clock.currentTimeMillis
      const jobs = yield* storage.jobsAfter({ merchant_id, queues, of: { parked: obstacle }, after, limit: batch })
      yield* Effect.forEach(jobs, (parked) => replaceJob(deps, parked, toUnblockedJob(parked, at)), {
        concurrency: batch,
        discard: true
      })
      after = jobs.at(-1)?.id ?? after
      return jobs.length === batch
    })
  )
  const next = makeMovingJob(merchant_id, job.id, "wake", yield* Clock.currentTimeMillis, { obstacle, after })
  yield* replaceJob(deps, job, hasMore ? next : undefined)
})

/** Stops a claimed command because of a pause: it waits in a queue of its own. */
const stopCommand = (deps: Deps, job: Job) =>
  Effect.flatMap(Clock.currentTimeMillis, (at) => requeueJob(deps, job, pausedQueue, at))

/**
 * Moves a bounded number of commands back that pauses stopped by a time, the oldest first. {@link makeResumingJob}, which the Change of a
 * release writes, moves the others. Those that another pause covers are stopped again.
 */
const resumeSome = (deps: Deps, until: number) => Effect.asVoid(resumeBatch(deps, until))

/**
 * Unblocks all jobs that wait for an obstacle: writes {@link makeUnblockingJob}.
 *
 * Law: a caller of `block` checks the obstacle again afterwards, and calls `unblock` when it is removed. Therefore, if the obstacle is
 * removed while a job is being blocked, one of the two calls unblocks the job.
 */
const unblock = (deps: Deps, merchant_id: string, obstacle: Obstacle) =>
  Effect.flatMap(Clock.currentTimeMillis, (at) =>
    writeJob(deps, merchant_id, makeUnblockingJob(merchant_id, obstacle, at))
  )

/** Runs a claimed job of {@link movingOperations}: moves some jobs, and is due again while there are more. */
const moveJobs = (deps: Deps, job: Job) =>
  Effect.asVoid(job.body["operation"] === "resume" ? resumeMore(deps, job) : unblockMore(deps, job))

/** Has all stopped commands moved back: writes {@link makeResumingJob}, if any are stopped. */
const resumeStopped = Effect.fnUntraced(function* (deps: Deps) {
  if ((yield* deps.storage.nextDue([pausedQueue])) === undefined) return
  yield* writeJob(deps, PLATFORM_MERCHANT, makeResumingJob(yield* Clock.currentTimeMillis))
})

export class BlockedJobs extends Context.Service<BlockedJobs>()("corridor/engine/BlockedJobs", {
  make: Effect.map(makeDeps, (deps) => ({
    ...bindFirst(deps, {
      block: blockJob,
      requeue: requeueJob,
      recall: recallJobs,
      stop: stopCommand,
      resumeSome,
      unblock,
      move: moveJobs
    }),
    resume: resumeStopped(deps)
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
