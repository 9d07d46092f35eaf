/**
 * Runs jobs: claims due jobs under a lease, runs them outside any statement, and completes each
 * by one commit. Several dispatchers may share a store; whoever lost a job's lease completes nothing.
 */
import { Clock, Context, Duration, Effect, FiberSet, Latch, Layer, Metric } from "effect"
import type { Scope } from "effect"
import { makeDueWork } from "./due-work.ts"
import { StorageFault } from "../ports/errors.ts"
import { Ids } from "../ports/Ids.ts"
import { JobsInFlight } from "./jobs-in-flight.ts"
import { Retention } from "./Retention.ts"
import { JobLease } from "../settings/JobLease.ts"
import { ClockSkew, skewed } from "./ClockSkew.ts"
import { type ClaimQuery, type Job, type Queue, Storage } from "../ports/Storage.ts"
import { asOf, wallNow } from "../ports/Time.ts"
import { WebhookSink } from "../ports/WebhookSink.ts"
import { JobNotifier } from "../ports/JobNotifier.ts"
import { JobHandlers } from "./JobHandlers.ts"

/** What a delivery's lease lasts beyond its longest attempt, so that the attempt can still be completed: a part of a lease. */
const completing = 2 / 3

/** How many jobs one claim brings at most: a claim of many is slow, and the next one can be made while these run. */
const claimMax = 128

/** How often a queue is looked at without a hint, so that lost hints and other nodes' work are found. */
const pollMs = 1000

/** A claim comes this long after the last one of its queue, unless that was full: what falls due meanwhile is claimed together. */
const paceMs = 5

/** How often is looked for what stands behind busy partitions, beside the hints of who leaves one. */
const crowdedMs = 100

/** How often is looked for commands that nodes with another provider have left to this one. */
const wakeMs = 600_000

/** How long a hint is waited for before the store is asked when the next job falls due: while hints come, it need not be. */
const quietMs = 20

interface Bounds {
  readonly limit: number
  readonly perPartition: number
}

/** How many jobs of a queue run at once here, and how many of one partition a claim takes: a partition has at most twice as many. */
export const bounds: Readonly<Record<Queue, Bounds>> = {
  command: { limit: 128, perPartition: 4 },
  timer: { limit: 128, perPartition: 4 },
  simulated: { limit: 128, perPartition: 128 },
  delivery: { limit: 1024, perPartition: 32 }
}

/** What a claim takes, at most: of all, and of one partition. `isScarce`: only of partitions whose last attempt here went well. */
interface Share {
  readonly take: number
  readonly share: number
  readonly isScarce: boolean
}

/**
 * What a claim of deliveries takes of the room that is left: a part of it, and of one partition less as it gets scarce. The last
 * quarter is kept for endpoints that are not known to fail: however many dead ones there are, they hold up no other.
 */
const shared = ({ limit, perPartition }: Bounds, running: number): Share => {
  const free = limit - running
  const open = free - limit / 4
  return {
    take: Math.min(Math.ceil(free / 4), claimMax, open > 0 ? open : free),
    share: Math.max(1, Math.min(perPartition, Math.floor(free / 24))),
    isScarce: open <= 0
  }
}

/** Partitions that are remembered to fail, at most. */
const failingMax = 2048

const noPartitions: ReadonlySet<string> = new Set()

export const queues: ReadonlyArray<Queue> = ["timer", "command", "simulated", "delivery"]

const jobsRun = Metric.counter("corridor_jobs_total", { description: "Jobs run, by queue and how they went." })

const counters = (queue: Queue) => ({
  done: Metric.withAttributes(jobsRun, { queue, outcome: "done" }),
  failed: Metric.withAttributes(jobsRun, { queue, outcome: "failed" })
})
const counted: Readonly<Record<Queue, ReturnType<typeof counters>>> = {
  command: counters("command"),
  timer: counters("timer"),
  simulated: counters("simulated"),
  delivery: counters("delivery")
}

export class Dispatcher extends Context.Service<
  Dispatcher,
  {
    /** Runs due work of every queue, and forgets what is old, until the scope closes; what is under way is then finished within `graceMs`. */
    readonly start: (options?: { readonly graceMs?: number }) => Effect.Effect<void, never, Scope.Scope>
    /**
     * Runs the work that is due now and what it makes due, of one merchant, or of all where none is named. Gives how many
     * jobs it ran; the deliveries of one round count as one.
     * Laws: ends, however much is added meanwhile and however many ask at once; waits for no other merchant's work, and two
     * seconds at most for receivers.
     * Errors: `StorageFault` too while the clock of this node is off (`ClockSkew`).
     */
    readonly drain: (merchant_id?: string) => Effect.Effect<number, StorageFault>
    /**
     * Moves the clock to `target` by `moveTo`, and runs all work on the way. Gives the steps, as `drain`.
     *
     * Laws: the clock stops at each time at which a job but a delivery falls due, in order; deliveries are made between the
     * stops, each attempt as of the time at which it is due. Ends, as `drain`.
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
      const storage = yield* Storage
      const jobHandlers = yield* JobHandlers
      const jobNotifier = yield* JobNotifier
      const ids = yield* Ids
      const sink = yield* WebhookSink
      const retention = yield* Retention
      const clock = yield* ClockSkew
      const leaseMs = yield* JobLease
      const deliveryLeaseMs = Math.max(leaseMs, Math.ceil(sink.timeout_ms + leaseMs * completing))
      const fibers = yield* FiberSet.make<void>()
      /** Whether the last claim may have left due jobs behind: it was full, or passed over busy partitions. */
      const more: Record<Queue, boolean> = { command: false, timer: false, simulated: false, delivery: false }
      /** Whether the last claim brought all it asked for. */
      const full: Record<Queue, boolean> = { command: false, timer: false, simulated: false, delivery: false }
      /** The service's time of the last claim: what fell due before it, and is there, had no room. */
      const asked: Record<Queue, number> = { command: 0, timer: 0, simulated: 0, delivery: 0 }
      /** Partitions of deliveries whose last attempt here failed. */
      const failing = new Set<string>()
      const remember = (partition_key: string, isFailing: boolean): void => {
        failing.delete(partition_key)
        if (!isFailing) return
        const [oldest] = failing
        if (oldest !== undefined && failing.size >= failingMax) failing.delete(oldest)
        failing.add(partition_key)
      }
      /** How often room was made so far, in a partition or among all. */
      const freed: Record<Queue, number> = { command: 0, timer: 0, simulated: 0, delivery: 0 }
      const jobsInFlight = new JobsInFlight()
      const partitions: Record<Queue, Map<string, number>> = {
        command: new Map(),
        timer: new Map(),
        simulated: new Map(),
        delivery: new Map()
      }
      const running: Record<Queue, number> = { command: 0, timer: 0, simulated: 0, delivery: 0 }

      const enter = (job: Job, isPumped: boolean): void => {
        if (isPumped) running[job.queue]++
        partitions[job.queue].set(job.partition_key, (partitions[job.queue].get(job.partition_key) ?? 0) + 1)
        jobsInFlight.enter(job)
      }
      const roomy = (queue: Queue): void => {
        freed[queue]++
        if (more[queue]) jobNotifier.notify(queue)
      }
      const vacate = ({ partition_key, queue }: Job): void => {
        const left = (partitions[queue].get(partition_key) ?? 1) - 1
        if (left === 0) partitions[queue].delete(partition_key)
        else partitions[queue].set(partition_key, left)
        roomy(queue)
      }
      const leave = (job: Job, isPumped: boolean): void => {
        if (isPumped) running[job.queue]--
        roomy(job.queue)
        jobsInFlight.leave(job)
      }

      // A job that dies or cannot be completed keeps its lease, and is tried again when that has run out.
      const run = (job: Job, isPumped: boolean, at?: number): Effect.Effect<void> => {
        let isInPartition = true
        const leavePartition = (): void => {
          if (isInPartition) vacate(job)
          isInPartition = false
        }
        const answered = (isAcknowledged: boolean): void => {
          remember(job.partition_key, !isAcknowledged)
          leavePartition()
        }
        const work = jobHandlers.run(job, answered)
        return (at === undefined ? work : asOf(at, work)).pipe(
          Effect.andThen(Metric.update(counted[job.queue].done, 1)),
          Effect.catchCause((cause) =>
            Effect.andThen(
              Metric.update(counted[job.queue].failed, 1),
              Effect.logError("a job failed and will be tried again", { job: job.id, queue: job.queue }, cause)
            )
          ),
          Effect.ensuring(
            Effect.sync(() => {
              leavePartition()
              leave(job, isPumped)
            })
          )
        )
      }

      const crowdedPartitions = (queue: Queue, share: number): ReadonlyArray<string> =>
        [...partitions[queue]].filter(([, count]) => count > share).map(([partition_key]) => partition_key)

      /** Claims jobs and starts them. */
      const taken = Effect.fnUntraced(function* (
        query: Pick<ClaimQuery, "queue" | "merchant_id" | "now" | "limit" | "per_partition" | "busy">,
        isPumped: boolean
      ) {
        const claimed = jobsInFlight.claiming()
        const jobs = yield* storage
          .claim({
            ...query,
            wall: yield* wallNow,
            lease_ms: query.queue === "delivery" ? deliveryLeaseMs : leaseMs,
            token: yield* ids.make("lease")
          })
          .pipe(
            Effect.tap((brought) => Effect.sync(() => brought.forEach((job) => enter(job, isPumped)))),
            Effect.ensuring(Effect.sync(claimed))
          )
        return jobs
      })

      const claim = Effect.fnUntraced(function* (queue: Queue) {
        const { limit, perPartition } = bounds[queue]
        const { take, share, isScarce } =
          queue === "delivery"
            ? shared(bounds[queue], running[queue])
            : { take: Math.min(limit - running[queue], claimMax), share: perPartition, isScarce: false }
        if (take <= 0) return
        const crowded = crowdedPartitions(queue, share)
        const busy = isScarce ? [...new Set([...crowded, ...failing])] : crowded
        const now = yield* Clock.currentTimeMillis
        const jobs = yield* taken({ queue, now, limit: take, per_partition: share, busy }, true)
        asked[queue] = now
        full[queue] = jobs.length === take
        const brought = new Map<string, number>()
        for (const { partition_key } of jobs) brought.set(partition_key, (brought.get(partition_key) ?? 0) + 1)
        more[queue] = full[queue] || busy.length > 0 || [...brought.values()].some((count) => count >= share)
        for (const job of jobs) yield* FiberSet.run(fibers, run(job, true))
      }, Effect.uninterruptible)

      let hasWoken = false
      /** What is asked for has room of its own: it waits for nothing that the dispatcher has under way for others. */
      const due = makeDueWork(
        Effect.fnUntraced(function* ({ queue, until, merchant_id, without = noPartitions, since, perPartition: most }) {
          const skew_ms = yield* clock.skew
          if (skew_ms !== 0) return yield* new StorageFault({ message: skewed(skew_ms), retryable: true })
          if (!hasWoken) yield* jobHandlers.wake
          hasWoken = true
          const { perPartition } = bounds[queue]
          const busy = [...new Set([...crowdedPartitions(queue, perPartition), ...without])]
          const whose = merchant_id === undefined ? {} : { merchant_id }
          const query = {
            queue,
            now: until,
            limit: claimMax,
            per_partition: Math.min(most ?? perPartition, perPartition),
            busy,
            ...whose
          }
          const jobs = yield* taken(query, false)
          const now = yield* Clock.currentTimeMillis
          for (const job of jobs) {
            const at = Math.max(job.due_at ?? 0, since ?? 0)
            yield* FiberSet.run(fibers, run(job, false, since === undefined && at <= now ? undefined : at))
          }
          return jobs
        }, Effect.uninterruptible),
        storage.nextDue,
        jobsInFlight
      )

      const until = Effect.fnUntraced(function* (queue: Queue) {
        const due = yield* storage.nextDue([queue])
        if (due === undefined) return pollMs
        // What was due and was not claimed stands behind a busy partition: the end of a job tells.
        if (due <= asked[queue]) return pollMs
        return Math.min(pollMs, Math.max(0, due - (yield* Clock.currentTimeMillis)))
      })

      const pump = (queue: Queue, woken: Latch.Latch) =>
        Effect.gen(function* () {
          while (true) {
            if ((yield* clock.skew) !== 0) {
              yield* Effect.sleep(Duration.millis(pollMs))
              continue
            }
            woken.closeUnsafe()
            const before = freed[queue]
            yield* claim(queue)
            if (full[queue] && running[queue] < bounds[queue].limit) continue
            yield* Effect.sleep(Duration.millis(paceMs))
            // While some wait for room, who makes it tells when to look again, or has made it during the claim.
            if (more[queue] && freed[queue] !== before) continue
            const hinted = yield* Effect.timeoutOption(woken.await, Duration.millis(more[queue] ? crowdedMs : quietMs))
            if (hinted._tag === "None" && !more[queue])
              yield* Effect.timeoutOption(woken.await, Duration.millis(yield* until(queue)))
          }
        }).pipe(
          Effect.catchCause((cause) =>
            Effect.andThen(
              Effect.logError(`the ${queue} queue could not be read`, cause),
              Effect.sleep(Duration.millis(pollMs))
            )
          ),
          Effect.forever
        )

      const start = Effect.fnUntraced(function* ({ graceMs = 10_000 }: { readonly graceMs?: number } = {}) {
        yield* Effect.addFinalizer(() =>
          Effect.ignore(Effect.timeoutOption(FiberSet.awaitEmpty(fibers), Duration.millis(graceMs)))
        )
        const latches = new Map<Queue, Latch.Latch>()
        for (const queue of queues) {
          const woken = yield* Latch.make(false)
          latches.set(queue, woken)
          yield* Effect.forkScoped(pump(queue, woken))
        }
        yield* retention.start
        yield* Effect.forkScoped(
          jobHandlers.wake.pipe(
            Effect.catchCause((cause) => Effect.logWarning("commands left to this provider could not be read", cause)),
            Effect.andThen(Effect.sleep(Duration.millis(wakeMs))),
            Effect.forever
          )
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
          .pipe(Effect.catch((fault) => Effect.logWarning("other nodes' hints are not heard; polling goes on", fault)))
      })

      return Dispatcher.of({ start, ...due })
    })
  )
}
