/**
 * Due work that is run because somebody asks for it, beside a dispatcher that may run too (SANDBOX-10): of one merchant
 * or of all, and in a bounded number of passes, so that every call ends however much work arrives meanwhile.
 */
import { Clock, Duration, Effect, Option } from "effect"
import type { StorageFault } from "../ports/errors.ts"
import type { JobsInFlight } from "./jobs-in-flight.ts"
import type { Job, Queue, Storage } from "../ports/Storage.ts"

/** The queues whose jobs lead to further work. Deliveries are run after them: nothing waits for a receiver. */
const workQueues: ReadonlyArray<Queue> = ["timer", "command", "simulated"]

/** More than the steps of any chain of work that is due at once; new work may arrive for ever. */
const passesMax = 16

/**
 * How many stops an advance makes at single deadlines. After that, or where work keeps arriving, a stop takes in a part of
 * the time that is left: who adds work faster than the clock moves does not hold it up.
 */
const singleStopsMax = 256
const presentStopsMax = 8
const windowPart = 1 / 32
const windowMinMs = 1000

/** How long attempts to deliver are waited for while none of them ends, and how often as long where some do. */
const deliveryTimeout = Duration.seconds(2)
const deliveryWaits = 5

interface Due {
  readonly queue: Queue
  readonly until: number
  readonly merchant_id?: string | undefined
  /** How many are claimed of one partition at most, where it is fewer than ever. */
  readonly perPartition?: number | undefined
  /** Partitions of which none is claimed. */
  readonly without?: ReadonlySet<string>
  /** Jobs are run as of the time at which they are due, or as of this one where it is later. Without it: now at the earliest. */
  readonly since?: number | undefined
}

/** Claims and starts jobs that are due by a time. */
export type ClaimDue = (due: Due) => Effect.Effect<ReadonlyArray<Job>, StorageFault>

export const makeDueWork = (claim: ClaimDue, nextDue: Storage["Service"]["nextDue"], jobsInFlight: JobsInFlight) => {
  const isWork = (until: number, merchant_id: string | undefined) => (job: Job) =>
    job.queue !== "delivery" &&
    (job.due_at ?? 0) <= until &&
    (merchant_id === undefined || job.merchant_id === merchant_id)

  /** Runs what is due by `until`, and waits for what others run of it. Gives `undefined` where there was nothing. */
  const pass = Effect.fnUntraced(function* (until: number, merchant_id?: string, since?: number) {
    const isOne = isWork(until, merchant_id)
    let wasAny = false
    let hasEntered = false
    let steps = 0
    const unlisten = jobsInFlight.listen((job) => {
      if (isOne(job)) hasEntered = true
    })
    return yield* Effect.gen(function* () {
      while (true) {
        const before = jobsInFlight.of(isOne)
        hasEntered = false
        for (const queue of workQueues) steps += (yield* claim({ queue, until, merchant_id, since })).length
        // A claim that began before ours has ended may bring what ours no longer found.
        yield* jobsInFlight.claimed
        if (before.length === 0 && !hasEntered) return wasAny ? steps : undefined
        wasAny = true
        yield* jobsInFlight.finished([...before, ...jobsInFlight.of(isOne)])
      }
    }).pipe(Effect.ensuring(Effect.sync(unlisten)))
  })

  /** Runs what is due now, and what that makes due at once, but for deliveries. Gives how many jobs were run here. */
  const run = Effect.fnUntraced(function* (merchant_id?: string) {
    let steps = 0
    for (let passes = 0; passes < passesMax; passes++) {
      const ran = yield* pass(yield* Clock.currentTimeMillis, merchant_id)
      if (ran === undefined) return steps
      steps += ran
    }
    return steps
  })

  /** Waits for attempts to end, and gives those that are not waited for any longer. */
  const unanswered = Effect.fnUntraced(function* (attempts: ReadonlyArray<Job>) {
    let left = attempts
    for (let waits = 0; waits < deliveryWaits && left.length > 0; waits++) {
      const before = left.length
      yield* Effect.timeoutOption(jobsInFlight.finished(left), deliveryTimeout)
      left = left.filter((job) => jobsInFlight.has(job))
      if (left.length === before) break
    }
    return left
  })

  /**
   * Makes the deliveries that are due by `until`, and again what that leaves due by then. Gives how many rounds it took.
   * An attempt is waited for a bounded time; the partition of one that takes longer joins `slow`, and is left alone. What is asked
   * for meanwhile is not waited for: it may go on for ever.
   */
  const deliver = Effect.fnUntraced(function* (until: number, slow: Set<string>, merchant_id?: string) {
    const began = yield* Clock.currentTimeMillis
    const isOne = (job: Job): boolean =>
      job.queue === "delivery" &&
      job.created_at <= began &&
      (job.due_at ?? 0) <= until &&
      (merchant_id === undefined || job.merchant_id === merchant_id)
    const attempts = () => jobsInFlight.of((job) => isOne(job) && !slow.has(job.partition_key))
    /** Claims what is due, and gives how many of it are waited for. */
    const claimed = (perPartition?: number) =>
      Effect.map(
        claim({ queue: "delivery", until, merchant_id, without: slow, perPartition }),
        (jobs) => jobs.filter(isOne).length
      )
    let rounds = 0
    while (true) {
      // Of all merchants, one of each partition goes first: what it shows of the endpoint is then known to the others.
      let any = merchant_id === undefined ? yield* claimed(1) : 0
      if (any > 0) for (const job of yield* unanswered(attempts())) slow.add(job.partition_key)
      for (let more = -1; more !== 0; any += more) more = yield* claimed()
      if (any > 0) rounds++
      const waited = attempts()
      if (any === 0 && waited.length === 0) return rounds
      for (const job of yield* unanswered(waited)) slow.add(job.partition_key)
    }
  })

  return {
    drain: Effect.fnUntraced(function* (merchant_id?: string) {
      const steps = yield* run(merchant_id)
      const now = yield* Clock.currentTimeMillis
      const rounds = yield* Effect.timeoutOption(deliver(now, new Set(), merchant_id), deliveryTimeout)
      return steps + Option.getOrElse(rounds, () => 1)
    }),

    advance: Effect.fnUntraced(function* (target: number, moveTo: (at: number) => Effect.Effect<void, StorageFault>) {
      const slow = new Set<string>()
      let done = yield* Clock.currentTimeMillis
      let steps = yield* run()
      let single = 0
      let present = 0
      while (done < target) {
        const now = yield* Clock.currentTimeMillis
        const first = Math.min((yield* nextDue(workQueues, done)) ?? target, target)
        const isSingle = single++ < singleStopsMax && (first > now || present++ < presentStopsMax)
        const window_ms = isSingle ? 0 : Math.max(windowMinMs, Math.ceil((target - now) * windowPart))
        const stop = Math.min(isSingle ? first : Math.max(first, now) + window_ms, target)
        steps += yield* deliver(stop, slow)
        if (stop > now) yield* moveTo(stop)
        // What a job makes due at once is due when the job was, and new work of others is due after the stop.
        steps += (yield* pass(stop, undefined, first)) ?? 0
        done = stop
      }
      steps += yield* run()
      return steps + (yield* deliver(yield* Clock.currentTimeMillis, slow))
    })
  }
}
