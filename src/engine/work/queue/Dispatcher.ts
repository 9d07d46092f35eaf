/**
 * Runs jobs: claims due jobs under a lease, runs them outside any database transaction, and completes each in one
 * commit. Several dispatchers may share a store. A worker whose lease has expired cannot complete the job.
 */
import { type Cause, Clock, Context, Duration, Effect, FiberSet, Latch, Layer, type Scope } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Claims } from "../../commit/Claims.ts"
import { JobNotifier } from "../../ports/JobNotifier.ts"
import { type ClaimQuery, type Job, type JobWrite, type Queue, Storage } from "../../ports/Storage.ts"
import { runAsOf, runNotBefore } from "../../ports/Time.ts"
import { WebhookSink } from "../../ports/WebhookSink.ts"
import { BoundedMap } from "../../ports/bounded-map.ts"
import { StorageFault, type Unavailable } from "../../ports/errors.ts"
import { metrics } from "../../ports/metrics.ts"
import { onExitSync } from "../../ports/when-ended.ts"
import { JobLease, ignoreLogErrors } from "../../settings/settings.ts"
import { type HeldJob, makeTaker } from "../providers/handover.ts"
import { describeJob } from "../providers/provider-calls.ts"
import { ClockSkew, describeSkew } from "../upkeep/ClockSkew.ts"
import { Reindexing } from "../upkeep/Reindexing.ts"
import { Retention } from "../upkeep/Retention.ts"
import { copied, StoreIdentity } from "../upkeep/StoreIdentity.ts"
import { JobHandlers } from "./JobHandlers.ts"
import { JobsInFlight, makeDueWork } from "./due-work.ts"

/** The most jobs of one claim. A larger claim is slow, and the next one can be made while these run. */
const claimMax = 128

interface Bounds {
  readonly limit: number
  readonly perPartition: number
}

/**
 * The most jobs of a queue that run at once on this node, and the most of one partition that a claim takes. A partition
 * therefore has at most twice as many running: of calls to providers, and of timers that ask one, half of all.
 */
export const bounds: Readonly<Record<Queue, Bounds>> = {
  command: { limit: 256, perPartition: 64 },
  timer: { limit: 256, perPartition: 64 },
  simulated: { limit: 128, perPartition: 128 },
  delivery: { limit: 1024, perPartition: 32 }
}

/**
 * The bounds of a claim: in all, and of one partition. `isScarce`: only of partitions whose last attempt on this node
 * succeeded.
 */
interface Share {
  readonly take: number
  readonly share: number
  readonly isScarce: boolean
}

/**
 * The bounds of a claim. As room gets scarce, it takes less of one partition.
 *
 * Of deliveries it takes a part of the free room, and the last quarter is reserved for endpoints that are not known to fail, so failing
 * endpoints cannot delay the others, however many there are. Of other jobs, the last quarter is given out in small shares, and a claim takes
 * no more than one share: where all that is due is of one partition, the store looks no further.
 */
const planShare = (queue: Queue, running: number): Share => {
  const { limit, perPartition } = bounds[queue]
  const free = limit - running
  const open = free - limit / 4
  const most = Math.min(claimMax, open > 0 ? open : free)
  if (queue === "delivery") {
    const share = Math.max(1, Math.min(perPartition, Math.floor(free / 24)))
    return { take: Math.min(Math.ceil(free / 4), most), share, isScarce: open <= 0 }
  }
  // Jobs of the simulated provider ask nobody.
  if (queue === "simulated") return { take: Math.min(free, claimMax), share: perPartition, isScarce: false }
  return { take: Math.min(most, perPartition), share: open > 0 ? perPartition : perPartition / 16, isScarce: false }
}

/**
 * The time that a delivery's lease adds to its longest attempt, as a fraction of a lease, so that the attempt can still
 * be completed.
 */
const completing = 2 / 3

/** How often the store is asked what is pending, to find lost hints and other nodes' jobs. */
const pollMs = 1000

/** How long an answer of what is pending serves the pumps of the other queues. */
const togetherMs = 10

/**
 * The delay between two claims of a queue, unless the first was full: jobs that fall due in the meantime are claimed
 * together. A claim costs much the same for one job as for many: unless it left some, the delay grows with the jobs that it
 * brought.
 */
const paceMs = 5
const paceMsOfJob = 0.5
const paceMsMax = 25

/** How often to look for jobs behind busy partitions, in addition to the hints when a job leaves one. */
const crowdedMs = 100

/** How often to look for commands that nodes with another provider have left for this one. */
const wakeMs = 600_000

/**
 * How long to wait for a hint before asking the store when the next job is due: while hints arrive, it need not be
 * asked.
 */
const quietMs = 20

/** The most partitions that are remembered as failing. */
const failingMax = 2048

const noPartitions: ReadonlySet<string> = new Set()

const queues: ReadonlyArray<Queue> = ["timer", "command", "simulated", "delivery"]

const makeCounters = (queue: Queue) => ({
  done: metrics.jobs.of({ queue, outcome: "done" }),
  failed: metrics.jobs.of({ queue, outcome: "failed" })
})
const counted: Readonly<Record<Queue, ReturnType<typeof makeCounters>>> = {
  command: makeCounters("command"),
  timer: makeCounters("timer"),
  simulated: makeCounters("simulated"),
  delivery: makeCounters("delivery")
}

const makeSelf = Effect.gen(function* () {
  const sink = yield* WebhookSink
  const leaseMs = yield* JobLease
  const deliveryLeaseMs = Math.max(leaseMs, Math.ceil(sink.timeout_ms + leaseMs * completing))
  const fibers = yield* FiberSet.make<void>()
  /** Whether due jobs may be left after the last claim: it was full, or skipped busy partitions. */
  const more: Record<Queue, boolean> = { command: false, timer: false, simulated: false, delivery: false }
  /** Whether the last claim returned as many jobs as it requested. */
  const full: Record<Queue, boolean> = { command: false, timer: false, simulated: false, delivery: false }
  /** The number of jobs that the last claim returned. */
  const claimed: Record<Queue, number> = { command: 0, timer: 0, simulated: 0, delivery: 0 }
  /** Whether this node may run jobs of the queue: it was so when its pump last looked. */
  const open: Record<Queue, boolean> = { command: false, timer: false, simulated: false, delivery: false }
  /** The service's time of the last claim. Jobs that were due before it and still exist had no room. */
  const lastClaimAt: Record<Queue, number> = { command: 0, timer: 0, simulated: 0, delivery: 0 }
  /** Partitions of deliveries whose last attempt on this node failed. */
  const failing = new BoundedMap<string, true>(failingMax)
  /** How often a job has left a partition or the queue. */
  const freed: Record<Queue, number> = { command: 0, timer: 0, simulated: 0, delivery: 0 }
  const partitions: Record<Queue, Map<string, number>> = {
    command: new Map(),
    timer: new Map(),
    simulated: new Map(),
    delivery: new Map()
  }
  const running: Record<Queue, number> = { command: 0, timer: 0, simulated: 0, delivery: 0 }
  const storage = yield* Storage
  return {
    storage,
    pending: yield* Effect.cachedWithTTL(storage.pending(queues), togetherMs),
    began: yield* Clock.currentTimeMillis,
    ...(yield* Effect.all({ jobHandlers: JobHandlers, jobNotifier: JobNotifier, claims: Claims })),
    ...(yield* Effect.all({ retention: Retention, reindexing: Reindexing, clock: ClockSkew })),
    identity: yield* StoreIdentity,
    leaseMs,
    deliveryLeaseMs,
    fibers,
    more,
    full,
    claimed,
    open,
    lastClaimAt,
    failing,
    freed,
    jobsInFlight: new JobsInFlight(),
    partitions,
    running,
    hasWoken: false
  }
})
type Self = Effect.Success<typeof makeSelf>

/** Notes whether the last delivery to an endpoint failed. */
const markFailing = ({ failing }: Self, partition_key: string, isFailing: boolean): void => {
  failing.delete(partition_key)
  if (isFailing) failing.set(partition_key, true)
}

/** Counts a job as running. */
const enterJob = ({ running, partitions, jobsInFlight }: Self, job: Job, isPumped: boolean): void => {
  if (isPumped) running[job.queue]++
  partitions[job.queue].set(job.partition_key, (partitions[job.queue].get(job.partition_key) ?? 0) + 1)
  jobsInFlight.enter(job)
}

/**
 * Counts the room that the end of a job leaves, and has its queue claim more if jobs are left. Not for a partition above its share while
 * the queue is less than half full: its jobs would take the room again.
 */
const returnRoom = (
  { freed, jobNotifier, more, partitions, running }: Self,
  { partition_key, queue }: Pick<Job, "partition_key" | "queue">
): void => {
  const { limit, perPartition } = bounds[queue]
  if (running[queue] < limit / 2 && (partitions[queue].get(partition_key) ?? 0) > perPartition) return
  freed[queue]++
  if (more[queue]) jobNotifier.notify(queue)
}

/** Counts a job of a partition as ended, and has its queue claim more if there is more. */
const vacatePartition = (self: Self, { partition_key, queue }: Job): void => {
  const { partitions } = self
  const left = (partitions[queue].get(partition_key) ?? 1) - 1
  if (left === 0) partitions[queue].delete(partition_key)
  else partitions[queue].set(partition_key, left)
  returnRoom(self, { partition_key, queue })
}

/** Counts a job of a queue as ended. */
const leaveJob = (self: Self, job: Job, isPumped: boolean): void => {
  const { running, jobsInFlight } = self
  if (isPumped) running[job.queue]--
  returnRoom(self, job)
  jobsInFlight.leave(job)
}

// A job that fails or cannot be completed is given back, and claimed again after a moment.
/** Runs a claimed job. One that fails or cannot be completed is given back, and claimed again after a moment. */
const runJob = (self: Self, job: HeldJob, isPumped: boolean, at?: number): Effect.Effect<void> => {
  const { jobHandlers, claims } = self
  let isInPartition = true
  const leavePartition = (): void => {
    if (isInPartition) vacatePartition(self, job)
    isInPartition = false
  }
  const answered = (isAcknowledged: boolean): void => {
    markFailing(self, job.partition_key, !isAcknowledged)
    leavePartition()
  }
  const work = jobHandlers.run(job, answered)
  const failed = (cause: Cause.Cause<Unavailable>): Effect.Effect<void> => {
    counted[job.queue].failed.record(1)
    return ignoreLogErrors(
      Effect.annotateLogs(Effect.logError("a job failed and will be retried", cause), describeJob(job))
    )
  }
  return onExitSync(
    Effect.matchCauseEffect(
      claims.running(job, at === undefined ? runNotBefore(job.due_at ?? 0, work) : runAsOf(at, work)),
      {
        onSuccess: () => {
          counted[job.queue].done.record(1)
          return Effect.void
        },
        onFailure: failed
      }
    ),
    () => {
      leavePartition()
      leaveJob(self, job, isPumped)
    }
  )
}

const findFullPartitions = ({ partitions }: Self, queue: Queue, share: number): ReadonlyArray<string> =>
  [...partitions[queue]].filter(([, count]) => count > share).map(([partition_key]) => partition_key)

const claimJobs = Effect.fnUntraced(function* (
  self: Self,
  query: Pick<ClaimQuery, "queue" | "merchant_id" | "now" | "limit" | "per_partition" | "busy">,
  isPumped: boolean
) {
  const { jobsInFlight, claims, deliveryLeaseMs, leaseMs } = self
  const claimed = jobsInFlight.claiming()
  const jobs = yield* claims.claim({ ...query, lease_ms: query.queue === "delivery" ? deliveryLeaseMs : leaseMs }).pipe(
    Effect.tap((brought) => Effect.sync(() => brought.forEach((job) => enterJob(self, job, isPumped)))),
    (claiming) => onExitSync(claiming, claimed)
  )
  return jobs
})

/** Claims due jobs of a queue, as many as there is room for, and runs them. */
const claimAndRun = Effect.fnUntraced(function* (self: Self, queue: Queue) {
  const { running, more, failing, lastClaimAt, full, claimed, fibers } = self
  const { take, share, isScarce } = planShare(queue, running[queue])
  if (take <= 0) return void (more[queue] = true)
  const crowded = findFullPartitions(self, queue, share)
  const busy = isScarce ? [...new Set([...crowded, ...failing.keys()])] : crowded
  const now = yield* Clock.currentTimeMillis
  const jobs = yield* claimJobs(self, { queue, now, limit: take, per_partition: share, busy }, true)
  lastClaimAt[queue] = now
  full[queue] = jobs.length === take
  claimed[queue] = jobs.length
  const brought = new Map<string, number>()
  for (const { partition_key } of jobs) brought.set(partition_key, (brought.get(partition_key) ?? 0) + 1)
  more[queue] = full[queue] || busy.length > 0 || [...brought.values()].some((count) => count >= share)
  for (const job of jobs) yield* FiberSet.run(fibers, runJob(self, job, true))
}, Effect.uninterruptible)

/**
 * Plans how long to wait for a hint, and whether to claim then. While nothing is due, nothing is claimed: the pumps ask at the same times
 * what is pending, and share the answer.
 */
const planWait = Effect.fnUntraced(function* ({ pending, claims, lastClaimAt, began }: Self, queue: Queue) {
  const found = (yield* pending).find((one) => one.queue === queue)
  const again = (yield* claims.retryDelay(queue)) ?? pollMs
  const now = yield* Clock.currentTimeMillis
  if (found !== undefined && found.due_at <= now && now - lastClaimAt[queue] >= pollMs) return { wait: 0, isDue: true }
  const most = Math.min(again, pollMs - ((now - began) % pollMs))
  const free = found?.free_at ?? null
  // A job that was due but not claimed is behind a busy partition: the end of a job there gives a hint.
  const wait = free === null || free <= lastClaimAt[queue] ? most : Math.min(most, Math.max(0, free - now))
  return { wait, isDue: found !== undefined && found.due_at <= now + wait }
})

/** Whether a job that is about to be written may run here at once: its queue has room, and no earlier jobs are left in the store. */
const hasRoom = ({ open, more, full, running, partitions }: Self, { partition_key, queue }: JobWrite): boolean =>
  open[queue] &&
  !more[queue] &&
  !full[queue] &&
  running[queue] < bounds[queue].limit &&
  (partitions[queue].get(partition_key) ?? 0) < planShare(queue, running[queue]).share

const abandonJob = (self: Self, job: HeldJob): void => {
  vacatePartition(self, job)
  leaveJob(self, job, true)
}

const giveBackJobs = (self: Self, jobs: ReadonlyArray<HeldJob>): Effect.Effect<void> =>
  Effect.andThen(
    self.claims.giveBack(jobs),
    Effect.sync(() => {
      for (const job of jobs) abandonJob(self, job)
      for (const { queue } of jobs) self.jobNotifier.notify(queue)
    })
  )

const findPace = ({ claimed, more }: Self, queue: Queue): number =>
  more[queue] ? paceMs : Math.min(paceMs + claimed[queue] * paceMsOfJob, paceMsMax)

const runQueue = (self: Self, queue: Queue, woken: Latch.Latch) =>
  Effect.gen(function* () {
    let isDue = true
    while (true) {
      self.open[queue] = (yield* self.clock.skew) === 0 && !(yield* self.identity.isCopy)
      if (!self.open[queue]) {
        yield* Effect.sleep(Duration.millis(pollMs))
        continue
      }
      if (isDue) {
        woken.closeUnsafe()
        const before = self.freed[queue]
        yield* claimAndRun(self, queue)
        if (self.full[queue] && self.running[queue] < bounds[queue].limit) continue
        yield* Effect.sleep(Duration.millis(findPace(self, queue)))
        // While jobs wait for room, the end of a job gives a hint, or has already made room during the claim.
        if (self.more[queue] && self.freed[queue] !== before) continue
        const hinted = yield* Effect.timeoutOption(woken.await, Duration.millis(self.more[queue] ? crowdedMs : quietMs))
        if (hinted._tag === "Some" || self.more[queue]) continue
      }
      const next = yield* planWait(self, queue)
      const hinted = yield* Effect.timeoutOption(woken.await, Duration.millis(next.wait))
      isDue = hinted._tag === "Some" || next.isDue
    }
  }).pipe(
    Effect.onExit(() => Effect.sync(() => void (self.open[queue] = false))),
    Effect.catchCause((cause) =>
      Effect.andThen(
        ignoreLogErrors(Effect.logError(`cannot read the ${queue} queue`, cause)),
        Effect.sleep(Duration.millis(pollMs))
      )
    ),
    Effect.forever
  )

const startQueues = Effect.fnUntraced(function* (self: Self, { graceMs = 10_000 }: { readonly graceMs?: number } = {}) {
  const { fibers, retention, reindexing, jobHandlers, identity, claims, leaseMs, jobNotifier, storage } = self
  yield* Effect.addFinalizer(() =>
    Effect.ignore(Effect.timeoutOption(FiberSet.awaitEmpty(fibers), Duration.millis(graceMs)))
  )
  const latches = new Map<Queue, Latch.Latch>()
  for (const queue of queues) {
    const woken = yield* Latch.make(false)
    latches.set(queue, woken)
    yield* Effect.forkScoped(runQueue(self, queue, woken))
  }
  yield* retention.start
  yield* reindexing.start
  yield* Effect.forkScoped(
    jobHandlers.wake.pipe(
      Effect.catchCause((cause) => Effect.logWarning("cannot read the commands that wait for this provider", cause)),
      Effect.andThen(Effect.sleep(Duration.millis(wakeMs))),
      Effect.forever
    )
  )
  // Jobs run in the dispatcher's own context, not in that of the call whose commit has made them.
  const fork = yield* FiberSet.runtime(fibers)()
  const begin = (job: HeldJob, ours: Effect.Effect<boolean>): void =>
    void fork(Effect.flatMap(ours, (isOurs) => (isOurs ? runJob(self, job, true) : giveBackJobs(self, [job]))))
  const begun = {
    begin,
    enter: (job: HeldJob) => enterJob(self, job, true),
    left: (job: HeldJob) => abandonJob(self, job),
    giveBack: (jobs: ReadonlyArray<HeldJob>) => giveBackJobs(self, jobs)
  }
  const runner = { ...begun, hasRoom: (input: JobWrite) => hasRoom(self, input), isCopy: identity.isCopyNow }
  const taker = makeTaker(claims, leaseMs, yield* Clock.Clock, runner)
  yield* Effect.acquireRelease(
    Effect.sync(() => jobNotifier.offer(taker)),
    (withdraw) => Effect.sync(withdraw)
  )
  const hint = (queue: Queue): void => {
    latches.get(queue)?.openUnsafe()
  }
  yield* Effect.acquireRelease(
    Effect.sync(() => jobNotifier.listen(hint)),
    (unlisten) => Effect.sync(unlisten)
  )
  yield* storage
    .watch(() => queues.forEach(hint))
    .pipe(Effect.catch((fault) => Effect.logWarning("cannot receive hints from other nodes; polling continues", fault)))
})

export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /**
     * Runs due work of every queue, and deletes expired data, until the scope closes. Running jobs then have `graceMs`
     * to finish.
     */
    readonly start: (options?: { readonly graceMs?: number }) => Effect.Effect<void, never, Scope.Scope>
    /**
     * Runs the work that is due now and the work that it makes due, of one merchant or, without `merchant_id`, of all.
     * Returns the number of jobs it ran; the deliveries of one round count as one.
     * Laws: it ends, however much work is added in the meantime and however many calls run at once; it waits for no
     * other merchant's work, and at most two seconds for receivers.
     * Errors: `StorageFault` also while the clock of this node is off (`ClockSkew`).
     */
    readonly drain: (merchant_id?: string) => Effect.Effect<number, StorageFault>
    /**
     * Moves the clock to `target` with `moveTo`, and runs all work that falls due on the way. Returns the number of
     * steps, as `drain`.
     *
     * Laws: the clock stops at each time at which a job other than a delivery falls due, in order. Deliveries are made
     * between the stops, each attempt with the clock at its due time. It ends, as `drain` does.
     */
    readonly advance: (
      target: number,
      moveTo: (at: number) => Effect.Effect<void, StorageFault>
    ) => Effect.Effect<number, StorageFault>
  }
>()("corridor/engine/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const self = yield* makeSelf
      const { clock, identity, jobHandlers, fibers, storage, jobsInFlight } = self
      /** Work on request has its own room: it does not wait for the dispatcher's other work. */
      const due = makeDueWork(
        Effect.fnUntraced(function* ({ queue, until, merchant_id, without = noPartitions, since, perPartition: most }) {
          const skew_ms = yield* clock.skew
          if (skew_ms !== 0) return yield* new StorageFault({ message: describeSkew(skew_ms), retryable: true })
          if (yield* identity.isCopy) return yield* new StorageFault({ message: copied, retryable: false })
          if (!self.hasWoken) yield* jobHandlers.wake
          self.hasWoken = true
          // Work on request does not wait for the share of a provider.
          const perPartition = queue === "delivery" ? bounds.delivery.perPartition : claimMax
          const busy = [...new Set([...findFullPartitions(self, queue, perPartition), ...without])]
          const whose = merchant_id === undefined ? {} : { merchant_id }
          const query = {
            queue,
            now: until,
            limit: claimMax,
            per_partition: Math.min(most ?? perPartition, perPartition),
            busy,
            ...whose
          }
          const jobs = yield* claimJobs(self, query, false)
          const now = yield* Clock.currentTimeMillis
          for (const job of jobs) {
            const at = Math.max(job.due_at ?? 0, since ?? 0)
            yield* FiberSet.run(fibers, runJob(self, job, false, since === undefined && at <= now ? undefined : at))
          }
          return jobs
        }, Effect.uninterruptible),
        storage.nextDue,
        jobsInFlight
      )
      return Dispatcher.of({
        ...bindFirst(self, { start: startQueues }),
        ...due
      })
    })
  )
}
