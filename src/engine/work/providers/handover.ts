/**
 * Jobs that a commit of this process makes due at once, and that this process runs itself. They are written as claimed: a claim
 * of its own would cost a statement of each, and a reader of the row that was just written another (SERVICE-24).
 */
import { Clock, Effect } from "effect"
import type { Claims } from "../../commit/Claims.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { Taken, Taker } from "../../ports/JobNotifier.ts"
import type { Change, Job, JobWrite, Row } from "../../ports/Storage.ts"

/** A claimed job. `rows`: those of the commit that made it, if this process has made it. */
export interface HeldJob extends Job {
  readonly rows?: ReadonlyArray<Row>
}

/** Whether a job may only run on the original database. Jobs of the simulated provider, which pay nothing, may run on a copy. */
const isCompared = ({ queue }: Pick<JobWrite, "queue">): boolean => queue !== "simulated"

interface Runner {
  /** Whether there is room for a job now, and none that was due before it waits. */
  readonly hasRoom: (job: JobWrite) => boolean
  /** Takes the room. `left` gives it back. */
  readonly enter: (job: HeldJob) => void
  readonly left: (job: HeldJob) => void
  /** Gives jobs that have entered back, and their room. */
  readonly giveBack: (jobs: ReadonlyArray<HeldJob>) => Effect.Effect<void>
  /** Runs a job that has entered, beside its caller, or gives it back if it is not `ours`. */
  readonly begin: (job: HeldJob, ours: Effect.Effect<boolean>) => void
  /**
   * Whether the store is a copy, by a comparison that begins after the commit (RESTORE-1). Asked where the commit itself has not
   * compared it.
   */
  readonly isCopy: Effect.Effect<boolean, StorageFault>
}

/**
 * Makes the taker of a dispatcher. It takes the due jobs of commits that are made at the time of `clock`: those of work that runs
 * as of another time are claimed as of that time.
 *
 * Laws: a job that it takes is begun once if it was written, and never if it was not. Where that is unknown, the job is given
 * back: a claim finds it if it was written. A process that ends in between leaves it as it leaves any claimed job.
 */
export const makeTaker = (
  claims: Claims["Service"],
  lease_ms: number,
  clock: Clock.Clock,
  { begin, enter, giveBack, hasRoom, isCopy, left }: Runner
): Taker => {
  const isOurs = (job: HeldJob, original = false) =>
    original || !isCompared(job)
      ? Effect.succeed(true)
      : Effect.orElseSucceed(
          Effect.map(isCopy, (copied) => !copied),
          () => false
        )

  const isDue =
    ({ at }: Change) =>
    (job: JobWrite): boolean =>
      job.queue !== "delivery" &&
      job.status === "pending" &&
      job.lease === undefined &&
      job.due_at !== null &&
      job.due_at <= at &&
      hasRoom(job)

  const take = Effect.fnUntraced(function* (change: Change) {
    const due = change.jobs.filter(isDue(change))
    if (due.length === 0 || (yield* Clock.Clock) !== clock) return undefined
    const prepared = yield* claims.prepareToken
    if (prepared === undefined) return undefined
    const { token, wall } = prepared
    const held = new Map<JobWrite, HeldJob>()
    for (const job of due) {
      if (!hasRoom(job)) continue
      const taken = {
        ...job,
        merchant_id: change.merchant_id,
        attempt: job.attempt + 1,
        lease: token,
        rows: change.rows
      } satisfies HeldJob
      held.set(job, taken)
      enter(taken)
    }
    const jobs = change.jobs.map((job) =>
      held.has(job)
        ? { ...job, attempt: job.attempt + 1, lease: { token, wall, lease_ms, compared: isCompared(job) } }
        : job
    )
    return {
      change: { ...change, jobs },
      isTaken: (job) => held.has(job),
      end: (outcome, original) => {
        if (outcome === "refused") return Effect.sync(() => held.forEach((job) => left(job)))
        return Effect.flatMap(prepared.isKept, (isKept) => {
          const jobs = [...held.values()]
          return isKept && outcome === "committed"
            ? Effect.sync(() => jobs.forEach((job) => begin(job, isOurs(job, original))))
            : giveBack(jobs)
        })
      }
    } satisfies Taken
  })

  return { mayTake: (change) => change.jobs.some(isDue(change)), take }
}
