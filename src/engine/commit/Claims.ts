/**
 * Claims jobs in the name of this node, and shows the other nodes that it lives (SERVICE-24).
 *
 * A node holds a lease of its own, which it renews as long as it holds claims. When it dies, its lease ends, and other nodes
 * take its claims without waiting for the leases of the jobs. The store measures the lease: the clocks of nodes may differ,
 * and a lost connection, a paused process and a dead one are alike. Nothing depends on a session of the database, which a
 * pooler would share, and which may outlive its node by minutes.
 *
 * A node that returns late does no harm: another worker's claim has another token, so it cannot complete the job, and its
 * calls to a provider have the same ids.
 *
 * A node that lives keeps nothing that it does not run: it gives back what it failed on (SERVICE-27).
 */
import { Context, Duration, Effect, Exit, FiberSet, Layer } from "effect"
import { computeBackoff } from "../../machines/kernel/backoff.ts"
import { bindFirst } from "../../machines/kernel/bound.ts"
import { Ids, nameReleasedJob } from "../ports/Ids.ts"
import { type ClaimQuery, type Job, type Queue, Storage } from "../ports/Storage.ts"
import { wallNow, withWallTime } from "../ports/Time.ts"
import { BoundedMap } from "../ports/bounded-map.ts"
import type { StorageFault } from "../ports/errors.ts"
import { acquireUseReleaseSync } from "../ports/when-ended.ts"
import { JobLease, NodeLease } from "../settings/settings.ts"

/** How long a job waits after its first failure, in milliseconds. */
const firstMs = 250

/** The most jobs that are remembered. Those beyond wait for their leases. */
const givenMax = 4096

interface Given {
  readonly queue: Queue
  /** Wall time from which it is offered, and until when: then its lease has ended. */
  readonly from: number
  readonly until: number
}

type Name = Pick<Job, "id" | "merchant_id">

const joinName = ({ id, merchant_id }: Name): string => `${merchant_id}/${id}`

/**
 * Jobs that this node has claimed and could not run: the store did not answer, or the work failed. Its next claims may take them, long
 * before their leases end. A job that fails again waits twice as long each time, so that one that can never succeed is no load.
 */
class GivenBack {
  /** By the claim of the one job, as `ClaimQuery.released` names it. */
  readonly #jobs = new BoundedMap<string, Given>(givenMax)
  /** How often a job has failed since it last succeeded. */
  readonly #failures = new BoundedMap<string, number>(givenMax)
  readonly #lease_ms: number

  /** `lease_ms`: the longest wait. */
  constructor(lease_ms: number) {
    this.#lease_ms = lease_ms
  }

  /** The job is offered at once: nothing is known against it. */
  add({ id, lease, merchant_id, queue }: Job, wall: number, after_ms = 0): void {
    if (lease === null) return
    const from = wall + after_ms
    this.#jobs.set(nameReleasedJob(lease, { id, merchant_id }), { queue, from, until: from + 2 * this.#lease_ms })
  }

  /** The job is offered again later. */
  failed(job: Job, wall: number): void {
    const failures = this.#failures.get(joinName(job)) ?? 0
    this.#failures.set(joinName(job), failures + 1)
    this.add(job, wall, computeBackoff(firstMs, failures, this.#lease_ms))
  }

  succeeded(job: Name): void {
    this.#failures.delete(joinName(job))
  }

  /** What a claim may take. */
  offered(queue: Queue, wall: number): ReadonlyArray<string> {
    const offered: Array<string> = []
    for (const [claim, given] of this.#jobs) {
      if (given.until <= wall) this.#jobs.delete(claim)
      else if (given.queue === queue && given.from <= wall) offered.push(claim)
    }
    return offered
  }

  /** When the next job of a queue is offered that was not yet at `wall`. */
  next(queue: Queue, wall: number): number | undefined {
    let next: number | undefined
    for (const given of this.#jobs.values())
      if (given.queue === queue && given.from > wall && (next === undefined || given.from < next)) next = given.from
    return next
  }
}

/** A lease is renewed this many times in its duration. */
const beatsOfLease = 4

/** The most renewals that the store has not answered. One that a lost connection holds up must not hold up the next. */
const unansweredMax = 4

/** How long a stopping node tries to end its lease, in milliseconds. */
const leaveMs = 1_000

const makeSelf = Effect.gen(function* () {
  const [storage, ids, lease_ms] = yield* Effect.all([Storage, Ids, NodeLease])
  const beatMs = lease_ms / beatsOfLease
  const isAlone = storage.exclusive === true
  const givenBack = new GivenBack(yield* JobLease)
  const fibers = yield* FiberSet.make<void>()
  return {
    storage,
    ids,
    lease_ms,
    beatMs,
    isAlone,
    givenBack,
    fibers,
    node: yield* ids.make("node"),
    /** When the last renewal that the store has answered was sent, wall time. */
    seen_at: Number.NEGATIVE_INFINITY,
    /** How often the store has said that the lease had ended. */
    lapses: 0,
    held: 0,
    isBeating: false
  }
})
type Self = Effect.Success<typeof makeSelf>

/** Renews the lease of this node. Notes whether it had ended. */
const renewLease = (self: Self) =>
  Effect.gen(function* () {
    const { storage, lease_ms } = self
    const [id, wall] = [self.node, yield* wallNow]
    const hadEnded = yield* storage.heartbeat({ node: id, wall, lease_ms })
    if (id !== self.node) return
    self.seen_at = Math.max(self.seen_at, wall)
    if (hadEnded) self.lapses++
  })

/** Renames the node if the store may have ended its lease since a claim, and returns whether the claimed jobs must be left. */
const abandonIfLapsed = (self: Self, holder: string, before: number) =>
  withWallTime((wall) => {
    const isRecent = wall - self.seen_at < self.lease_ms
    return isRecent && self.lapses === before ? Effect.succeed(false) : renameNode(self, holder, before, isRecent)
  })

const renameNode = Effect.fnUntraced(function* (self: Self, holder: string, before: number, isRecent: boolean) {
  const { ids } = self
  // This process may not have run, and its renewals neither.
  if (!isRecent) yield* Effect.catch(renewLease(self), () => Effect.sync(() => void self.lapses++))
  if (self.lapses === before) return false
  if (self.node === holder) {
    self.node = yield* ids.make("node")
    self.seen_at = Number.NEGATIVE_INFINITY
  }
  return true
})

/** Notes jobs that this node has claimed and could not run, so that its next claims may take them. */
const giveBackJobs = ({ givenBack }: Self, jobs: ReadonlyArray<Job>) =>
  Effect.map(wallNow, (wall) => jobs.forEach((job) => givenBack.add(job, wall)))

/** The time until the next of these jobs may be claimed, in milliseconds. Undefined: there are none. */
const findRetryDelay = ({ givenBack }: Self, queue: Queue) =>
  Effect.map(wallNow, (wall) => {
    const next = givenBack.next(queue, wall)
    return next === undefined ? undefined : next - wall
  })

export class Claims extends Context.Service<
  Claims,
  {
    /**
     * Claims due jobs (`Storage.claim`). The caller runs each with `running`, or gives it back.
     *
     * Law: it returns no job that another node may have claimed since, because this one stalled: such jobs are claimed again.
     */
    readonly claim: (
      query: Omit<ClaimQuery, "wall" | "token" | "released">
    ) => Effect.Effect<ReadonlyArray<Job>, StorageFault>
    /**
     * A token under which a commit of this node may claim the jobs that it makes. Undefined: the lease of the node is not
     * certain. `isKept`, asked after the commit: no other node can have claimed them since.
     */
    readonly prepareToken: Effect.Effect<
      { readonly token: string; readonly wall: number; readonly isKept: Effect.Effect<boolean> } | undefined
    >
    /** Runs work on claimed jobs. The lease of the node is renewed meanwhile. */
    readonly holding: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /**
     * `holding` for the work of one job, which completes it. If it fails, the job is given back when it has ended: after a
     * moment, and later each time.
     */
    readonly running: <A, E, R>(job: Job, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /**
     * Gives claimed jobs back that are not run here. The next claims of this node may take them; those that were completed, or
     * that another node has claimed since, are left alone.
     */
    readonly giveBack: (jobs: ReadonlyArray<Job>) => Effect.Effect<void>
    /** How long until more jobs of a queue that were given back can be claimed, in milliseconds. Undefined: there are none. */
    readonly retryDelay: (queue: Queue) => Effect.Effect<number | undefined>
  }
>()("corridor/engine/Claims") {
  static readonly layer = Layer.effect(
    Claims,
    Effect.gen(function* () {
      const self = yield* makeSelf
      const { fibers, beatMs, isAlone, givenBack, lease_ms, ids, storage } = self
      const beatBeside = Effect.flatMap(FiberSet.size(fibers), (running) =>
        running > unansweredMax ? Effect.void : Effect.asVoid(FiberSet.run(fibers, Effect.ignore(renewLease(self))))
      )
      const beating = Effect.gen(function* () {
        while (true) {
          yield* Effect.sleep(Duration.millis(beatMs))
          if (self.held === 0) return void (self.isBeating = false)
          yield* beatBeside
        }
      })
      // An interruption between the two would leave a lease that nothing renews.
      const beatMeanwhile = Effect.uninterruptible(
        Effect.suspend(() => {
          if (self.isBeating || isAlone) return Effect.void
          self.isBeating = true
          return Effect.asVoid(FiberSet.run(fibers, beating))
        })
      )
      const holding = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        acquireUseReleaseSync(
          () => void self.held++,
          () => (self.isBeating || isAlone ? work : Effect.andThen(beatMeanwhile, work)),
          () => void self.held--
        )
      const running = <A, E, R>(job: Job, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.onExitPrimitive(holding(work), (exit) => {
          if (Exit.isFailure(exit)) return Effect.map(wallNow, (wall) => givenBack.failed(job, wall))
          givenBack.succeeded(job)
          return undefined
        })
      const claim = Effect.fnUntraced(function* (query: Omit<ClaimQuery, "wall" | "token" | "released">) {
        const age = (yield* wallNow) - self.seen_at
        if (age === Number.POSITIVE_INFINITY || (age >= lease_ms && !isAlone)) yield* renewLease(self)
        else if (age >= beatMs && !isAlone) yield* beatBeside
        const [holder, before] = [self.node, self.lapses]
        const token = `${holder}/${yield* ids.make("lease")}`
        const wall = yield* wallNow
        const jobs = yield* storage.claim({ ...query, wall, token, released: givenBack.offered(query.queue, wall) })
        if (jobs.length === 0 || isAlone || !(yield* abandonIfLapsed(self, holder, before))) return jobs
        yield* giveBackJobs(self, jobs)
        return []
      })
      const prepareToken = withWallTime((wall) => {
        const age = wall - self.seen_at
        if (age === Number.POSITIVE_INFINITY || (age >= lease_ms && !isAlone)) return Effect.undefined
        const taken = () => {
          const [holder, before] = [self.node, self.lapses]
          const isKept = isAlone
            ? Effect.succeed(true)
            : Effect.map(abandonIfLapsed(self, holder, before), (isLeft) => !isLeft)
          return Effect.map(ids.make("lease"), (id) => ({ token: `${holder}/${id}`, wall, isKept }))
        }
        return age >= beatMs && !isAlone ? Effect.flatMap(beatBeside, taken) : taken()
      })
      yield* Effect.addFinalizer(() =>
        self.seen_at === Number.NEGATIVE_INFINITY
          ? Effect.void
          : Effect.flatMap(wallNow, (wall) => storage.heartbeat({ node: self.node, wall, lease_ms: 0 })).pipe(
              Effect.timeoutOption(Duration.millis(leaveMs)),
              Effect.ignore
            )
      )
      return Claims.of({
        ...bindFirst(self, { giveBack: giveBackJobs, retryDelay: findRetryDelay }),
        claim: (query) => holding(claim(query)),
        prepareToken,
        holding,
        running
      })
    })
  )
}
