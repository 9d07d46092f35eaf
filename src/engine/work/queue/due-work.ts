/**
 * Runs due work on request, beside a dispatcher that may run as well (SANDBOX-10): of one merchant or of all. The
 * number of passes is bounded, so every call ends however much work arrives in the meantime.
 */
import { Clock, Duration, Effect, Option } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { Job, Queue, Storage } from "../../ports/Storage.ts"
import type { StorageFault } from "../../ports/errors.ts"

/** The jobs that a dispatcher runs, and the claims in progress that may add more. */
export class JobsInFlight {
  private readonly jobs = new Set<Job>()
  private readonly claims = new Set<object>()
  private readonly leaving = new Set<(item: object) => void>()
  private readonly entering = new Set<(job: Job) => void>()

  enter(job: Job): void {
    this.jobs.add(job)
    for (const listener of this.entering) listener(job)
  }

  leave(job: Job): void {
    this.jobs.delete(job)
    this.left(job)
  }

  /** Registers a claim. The returned function ends it, after the claimed jobs have entered. */
  claiming(): () => void {
    const claim = {}
    this.claims.add(claim)
    return () => {
      this.claims.delete(claim)
      this.left(claim)
    }
  }

  has(job: Job): boolean {
    return this.jobs.has(job)
  }

  of(isOne: (job: Job) => boolean): ReadonlyArray<Job> {
    return [...this.jobs].filter(isOne)
  }

  /** Calls `listener` for each job that enters, until the returned function is called. */
  listen(listener: (job: Job) => void): () => void {
    this.entering.add(listener)
    return () => this.entering.delete(listener)
  }

  /** Waits until none of these jobs is in flight. Jobs that enter in the meantime are not waited for. */
  finished(jobs: ReadonlyArray<Job>): Effect.Effect<void> {
    return Effect.suspend(() => this.gone(jobs.filter((job) => this.jobs.has(job))))
  }

  /** Waits for the claims that are in progress now, and for no later ones. */
  get claimed(): Effect.Effect<void> {
    return Effect.suspend(() => this.gone([...this.claims]))
  }

  private gone(items: ReadonlyArray<object>): Effect.Effect<void> {
    if (items.length === 0) return Effect.void
    return Effect.callback<void>((resume) => {
      const rest = new Set(items)
      const leaving = (item: object): void => {
        if (!rest.delete(item) || rest.size > 0) return
        this.leaving.delete(leaving)
        resume(Effect.void)
      }
      this.leaving.add(leaving)
      return Effect.sync(() => void this.leaving.delete(leaving))
    })
  }

  private left(item: object): void {
    for (const listener of this.leaving) listener(item)
  }
}

/** The queues whose jobs cause further work. Deliveries run after them: no other work waits for a receiver. */
const workQueues: ReadonlyArray<Queue> = ["timer", "command", "simulated"]

/** More than the longest chain of work that is due at once. The bound is needed because new work may keep arriving. */
const passesMax = 16

/**
 * The number of stops at single deadlines in one advance. After that, or when work keeps arriving, a stop covers a part
 * of the remaining time, so that work which arrives faster than the clock moves cannot block an advance.
 */
const singleStopsMax = 256
const presentStopsMax = 8
const windowPart = 1 / 32
const windowMinMs = 1000

/** How long to wait for delivery attempts while none of them ends, and how many such waits there are while some do. */
const deliveryTimeout = Duration.seconds(2)
const deliveryWaits = 5

interface Due {
  readonly queue: Queue
  readonly until: number
  readonly merchant_id?: string | undefined
  /** The most jobs of one partition that a claim takes, when fewer than usual. */
  readonly perPartition?: number | undefined
  /** Partitions to skip. */
  readonly without?: ReadonlySet<string>
  /**
   * Jobs run with the clock at their due time, or at this time when it is later. Absent: with the current time at the
   * earliest.
   */
  readonly since?: number | undefined
}

/** Claims and starts jobs that are due by a time. */
type ClaimDue = (due: Due) => Effect.Effect<ReadonlyArray<Job>, StorageFault>

const makeSelf = (claim: ClaimDue, nextDue: Storage["Service"]["nextDue"], jobsInFlight: JobsInFlight) => {
  return { claim, nextDue, jobsInFlight }
}
type Self = ReturnType<typeof makeSelf>

/**
 * Runs the jobs that are due by `until`, and waits for those that others run. Returns `undefined` when there were
 * none.
 */
const runPass = Effect.fnUntraced(function* (
  { jobsInFlight, claim }: Self,
  until: number,
  merchant_id?: string,
  since?: number
) {
  const isOne = (job: Job) =>
    job.queue !== "delivery" &&
    (job.due_at ?? 0) <= until &&
    (merchant_id === undefined || job.merchant_id === merchant_id)
  let wasAny = false
  let hasEntered = false
  let steps = 0
  const ran = Effect.gen(function* () {
    while (true) {
      const before = jobsInFlight.of(isOne)
      hasEntered = false
      for (const queue of workQueues) steps += (yield* claim({ queue, until, merchant_id, since })).length
      // A claim that began before this one ended may return jobs that this one could not find any more.
      yield* jobsInFlight.claimed
      if (before.length === 0 && !hasEntered) return wasAny ? steps : undefined
      wasAny = true
      yield* jobsInFlight.finished([...before, ...jobsInFlight.of(isOne)])
    }
  })
  return yield* Effect.acquireUseRelease(
    Effect.sync(() =>
      jobsInFlight.listen((job) => {
        if (isOne(job)) hasEntered = true
      })
    ),
    () => ran,
    (unlisten) => Effect.sync(unlisten)
  )
})

/**
 * Runs the jobs that are due now and those that they make due at once, except deliveries. Returns how many jobs it
 * ran.
 */
const runDueJobs = Effect.fnUntraced(function* (self: Self, merchant_id?: string) {
  let steps = 0
  for (let passes = 0; passes < passesMax; passes++) {
    const ran = yield* runPass(self, yield* Clock.currentTimeMillis, merchant_id)
    if (ran === undefined) return steps
    steps += ran
  }
  return steps
})

/** Waits for attempts to end, and returns those that took too long. */
const awaitAnswers = Effect.fnUntraced(function* ({ jobsInFlight }: Self, attempts: ReadonlyArray<Job>) {
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
 * Makes the deliveries that are due by `until`, including those that become due again by then. Returns the number of
 * rounds. The wait for an attempt is bounded: the partition of one that takes longer joins `slow` and is skipped.
 * Deliveries that are created in the meantime are not waited for, because they may never end.
 */
const runDeliveries = Effect.fnUntraced(function* (self: Self, until: number, slow: Set<string>, merchant_id?: string) {
  const { jobsInFlight, claim } = self
  const began = yield* Clock.currentTimeMillis
  const isOne = (job: Job): boolean =>
    job.queue === "delivery" &&
    job.created_at <= began &&
    (job.due_at ?? 0) <= until &&
    (merchant_id === undefined || job.merchant_id === merchant_id)
  const attempts = () => jobsInFlight.of((job) => isOne(job) && !slow.has(job.partition_key))
  /** Claims due deliveries, and returns how many of them to wait for. */
  const claimed = (perPartition?: number) =>
    Effect.map(
      claim({ queue: "delivery", until, merchant_id, without: slow, perPartition }),
      (jobs) => jobs.filter(isOne).length
    )
  let rounds = 0
  while (true) {
    // For all merchants, one delivery of each partition goes first, so that the others know the state of its
    // endpoint.
    let any = merchant_id === undefined ? yield* claimed(1) : 0
    if (any > 0) for (const job of yield* awaitAnswers(self, attempts())) slow.add(job.partition_key)
    for (let more = -1; more !== 0; any += more) more = yield* claimed()
    if (any > 0) rounds++
    const waited = attempts()
    if (any === 0 && waited.length === 0) return rounds
    for (const job of yield* awaitAnswers(self, waited)) slow.add(job.partition_key)
  }
})

const runAllDue = Effect.fnUntraced(function* (self: Self, merchant_id?: string) {
  const steps = yield* runDueJobs(self, merchant_id)
  const now = yield* Clock.currentTimeMillis
  const rounds = yield* Effect.timeoutOption(runDeliveries(self, now, new Set(), merchant_id), deliveryTimeout)
  return steps + Option.getOrElse(rounds, () => 1)
})

const advanceTo = Effect.fnUntraced(function* (
  self: Self,
  target: number,
  moveTo: (at: number) => Effect.Effect<void, StorageFault>
) {
  const { nextDue } = self
  const slow = new Set<string>()
  let done = yield* Clock.currentTimeMillis
  let steps = yield* runDueJobs(self)
  let single = 0
  let present = 0
  while (done < target) {
    const now = yield* Clock.currentTimeMillis
    const first = Math.min((yield* nextDue(workQueues, done)) ?? target, target)
    const isSingle = single++ < singleStopsMax && (first > now || present++ < presentStopsMax)
    const window_ms = isSingle ? 0 : Math.max(windowMinMs, Math.ceil((target - now) * windowPart))
    const stop = Math.min(isSingle ? first : Math.max(first, now) + window_ms, target)
    steps += yield* runDeliveries(self, stop, slow)
    if (stop > now) yield* moveTo(stop)
    // A job that another job makes due is due at that job's time; new work of others is due after the stop.
    steps += (yield* runPass(self, stop, undefined, first)) ?? 0
    done = stop
  }
  steps += yield* runDueJobs(self)
  return steps + (yield* runDeliveries(self, yield* Clock.currentTimeMillis, slow))
})

export const makeDueWork = (claim: ClaimDue, nextDue: Storage["Service"]["nextDue"], jobsInFlight: JobsInFlight) => {
  const self = makeSelf(claim, nextDue, jobsInFlight)

  return bindFirst(self, { drain: runAllDue, advance: advanceTo })
}
