/**
 * The door through which work leaves: claims due jobs under a lease, runs them outside any statement, and settles each
 * by one commit. Several dispatchers may share a store; whoever lost a job's lease settles nothing.
 */
import { Clock, Context, Duration, Effect, FiberSet, Latch, Layer, Metric } from "effect"
import type { Scope } from "effect"
import { StorageFault } from "./errors.ts"
import { Ids } from "./Ids.ts"
import { Retention } from "./Retention.ts"
import { JobLease } from "./JobLease.ts"
import { NodeClock, skewed } from "./NodeClock.ts"
import { type Job, type Queue, Storage } from "./Storage.ts"
import { wallNow } from "./Time.ts"
import { WebhookSink } from "./WebhookSink.ts"
import { Wake } from "./Wake.ts"
import { Workers } from "./Workers.ts"

/** What a delivery's lease lasts beyond its longest attempt, so that the attempt can still be settled: a part of a lease. */
const settling = 2 / 3

/** How many jobs one claim brings at most: a claim of many is slow, and the next one can be made while these run. */
const claimMax = 128

/** How often a queue is looked at without a hint, so that lost hints and other nodes' work are found. */
const pollMs = 1000

/** A claim comes this long after the last one of its queue, unless that was full: what falls due meanwhile is claimed together. */
const paceMs = 5

/** How often is looked for what stands behind busy lanes, beside the hints of who leaves one. */
const crowdedMs = 100

/** How often is looked for commands that nodes with another provider have left to this one. */
const wakeMs = 60_000

/** How long a hint is waited for before the store is asked when the next job falls due: while hints come, it need not be. */
const quietMs = 20

interface Bounds {
  readonly limit: number
  readonly perLane: number
}

/** How many jobs of a queue run at once here, and how many of one lane a claim takes: a lane has at most twice as many. */
export const bounds: Readonly<Record<Queue, Bounds>> = {
  command: { limit: 128, perLane: 4 },
  timer: { limit: 128, perLane: 4 },
  simulated: { limit: 128, perLane: 128 },
  delivery: { limit: 1024, perLane: 32 }
}

/** What a claim takes, at most: of all, and of one lane. `isScarce`: only of lanes whose last attempt here went well. */
interface Share {
  readonly take: number
  readonly share: number
  readonly isScarce: boolean
}

/**
 * What a claim of deliveries takes of the room that is left: a part of it, and of one lane less as it gets scarce. The last
 * quarter is kept for endpoints that are not known to fail: however many dead ones there are, they hold up no other.
 */
const shared = ({ limit, perLane }: Bounds, running: number): Share => {
  const free = limit - running
  const open = free - limit / 4
  return {
    take: Math.min(Math.ceil(free / 4), claimMax, open > 0 ? open : free),
    share: Math.max(1, Math.min(perLane, Math.floor(free / 24))),
    isScarce: open <= 0
  }
}

/** Lanes that are remembered to fail, at most. */
const failingMax = 2048

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
     * Runs all work that is due now, and what it makes due now, until none is left. Gives how many jobs were run.
     * Errors: `StorageFault` too while the clock of this node is off (`NodeClock`).
     */
    readonly drain: Effect.Effect<number, StorageFault>
    /** When the next job falls due, service clock. */
    readonly nextDue: Effect.Effect<number | undefined, StorageFault>
  }
>()("corridor/engine/Dispatcher") {
  static readonly layer = Layer.effect(
    Dispatcher,
    Effect.gen(function* () {
      const storage = yield* Storage
      const workers = yield* Workers
      const wake = yield* Wake
      const ids = yield* Ids
      const sink = yield* WebhookSink
      const retention = yield* Retention
      const clock = yield* NodeClock
      const leaseMs = yield* JobLease
      const deliveryLeaseMs = Math.max(leaseMs, Math.ceil(sink.timeout_ms + leaseMs * settling))
      const fibers = yield* FiberSet.make<void>()
      /** Whether the last claim may have left due jobs behind: it was full, or passed over busy lanes. */
      const more: Record<Queue, boolean> = { command: false, timer: false, simulated: false, delivery: false }
      /** Whether the last claim brought all it asked for. */
      const full: Record<Queue, boolean> = { command: false, timer: false, simulated: false, delivery: false }
      /** The service's time of the last claim: what fell due before it, and is there, had no room. */
      const asked: Record<Queue, number> = { command: 0, timer: 0, simulated: 0, delivery: 0 }
      /** Lanes of deliveries whose last attempt here failed. */
      const failing = new Set<string>()
      const remember = (lane: string, isFailing: boolean): void => {
        failing.delete(lane)
        if (!isFailing) return
        const [oldest] = failing
        if (oldest !== undefined && failing.size >= failingMax) failing.delete(oldest)
        failing.add(lane)
      }
      /** How often room was made so far, in a lane or among all. */
      const freed: Record<Queue, number> = { command: 0, timer: 0, simulated: 0, delivery: 0 }
      let idle: Array<() => void> = []
      const finished = Effect.callback<void>((resume) => {
        idle.push(() => resume(Effect.void))
      })
      const lanes: Record<Queue, Map<string, number>> = {
        command: new Map(),
        timer: new Map(),
        simulated: new Map(),
        delivery: new Map()
      }
      const running: Record<Queue, number> = { command: 0, timer: 0, simulated: 0, delivery: 0 }

      /** Claims that are being made: what they bring is under way before it is known. */
      let claiming = 0
      const tell = (): void => {
        const waiting = idle
        idle = []
        for (const resume of waiting) resume()
      }

      const claimed = (): void => {
        claiming--
        tell()
      }

      const enter = (job: Job): void => {
        running[job.queue]++
        lanes[job.queue].set(job.lane, (lanes[job.queue].get(job.lane) ?? 0) + 1)
      }
      const roomy = (queue: Queue): void => {
        freed[queue]++
        if (more[queue]) wake.hint(queue)
      }
      const vacate = ({ lane, queue }: Job): void => {
        const left = (lanes[queue].get(lane) ?? 1) - 1
        if (left === 0) lanes[queue].delete(lane)
        else lanes[queue].set(lane, left)
        roomy(queue)
      }
      const leave = ({ queue }: Job): void => {
        running[queue]--
        roomy(queue)
        tell()
      }
      const underWay = (): number => queues.reduce((sum, queue) => sum + running[queue], claiming)

      // A job that dies or cannot be settled keeps its lease, and is tried again when that has run out.
      const run = (job: Job): Effect.Effect<void> => {
        let isInLane = true
        const leaveLane = (): void => {
          if (isInLane) vacate(job)
          isInLane = false
        }
        const answered = (isAcknowledged: boolean): void => {
          remember(job.lane, !isAcknowledged)
          leaveLane()
        }
        return workers.run(job, answered).pipe(
          Effect.andThen(Metric.update(counted[job.queue].done, 1)),
          Effect.catchCause((cause) =>
            Effect.andThen(
              Metric.update(counted[job.queue].failed, 1),
              Effect.logError("a job failed and will be tried again", { job: job.id, queue: job.queue }, cause)
            )
          ),
          Effect.ensuring(
            Effect.sync(() => {
              leaveLane()
              leave(job)
            })
          )
        )
      }

      const claim = Effect.fnUntraced(function* (queue: Queue) {
        const { limit, perLane } = bounds[queue]
        const { take, share, isScarce } =
          queue === "delivery"
            ? shared(bounds[queue], running[queue])
            : { take: Math.min(limit - running[queue], claimMax), share: perLane, isScarce: false }
        if (take <= 0) return []
        const crowded = [...lanes[queue]].filter(([, count]) => count > share).map(([lane]) => lane)
        const busy = isScarce ? [...new Set([...crowded, ...failing])] : crowded
        const now = yield* Clock.currentTimeMillis
        claiming++
        const jobs = yield* storage
          .claim({
            queue,
            now,
            wall: yield* wallNow,
            lease_ms: queue === "delivery" ? deliveryLeaseMs : leaseMs,
            token: yield* ids.make("lease"),
            limit: take,
            per_lane: share,
            busy
          })
          .pipe(Effect.onError(() => Effect.sync(claimed)))
        asked[queue] = now
        full[queue] = jobs.length === take
        const brought = new Map<string, number>()
        for (const { lane } of jobs) brought.set(lane, (brought.get(lane) ?? 0) + 1)
        more[queue] = full[queue] || busy.length > 0 || [...brought.values()].some((count) => count >= share)
        for (const job of jobs) enter(job)
        claimed()
        for (const job of jobs) yield* FiberSet.run(fibers, run(job))
        return jobs
      }, Effect.uninterruptible)

      const until = Effect.fnUntraced(function* (queue: Queue) {
        const due = yield* storage.nextDue([queue])
        if (due === undefined) return pollMs
        // What was due and was not claimed stands behind a busy lane: the end of a job tells.
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
          workers.wake.pipe(
            Effect.catchCause((cause) => Effect.logWarning("commands left to this provider could not be read", cause)),
            Effect.andThen(Effect.sleep(Duration.millis(wakeMs))),
            Effect.forever
          )
        )
        const hint = (queue: Queue): void => {
          latches.get(queue)?.openUnsafe()
        }
        yield* Effect.acquireRelease(
          Effect.sync(() => wake.listen(hint)),
          (unlisten) => Effect.sync(unlisten)
        )
        yield* storage
          .watch(() => queues.forEach(hint))
          .pipe(Effect.catch((fault) => Effect.logWarning("other nodes' hints are not heard; polling goes on", fault)))
      })

      let hasWoken = false
      const drain = Effect.gen(function* () {
        if (!hasWoken) yield* workers.wake
        hasWoken = true
        let steps = 0
        while (true) {
          const skew_ms = yield* clock.skew
          if (skew_ms !== 0) return yield* new StorageFault({ message: skewed(skew_ms), retryable: true })
          // A job that ends while the claims run may make room or work that they did not see.
          const before = underWay()
          let claimed = 0
          for (const queue of queues) claimed += (yield* claim(queue)).length
          steps += claimed
          if (claimed === 0 && before === 0) return steps
          if (underWay() > 0) yield* finished
        }
      })

      return Dispatcher.of({ start, drain, nextDue: storage.nextDue(queues) })
    })
  )
}
