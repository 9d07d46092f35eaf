import { Context, Effect, Exit, Layer } from "effect"
import type { StorageFault } from "./errors.ts"
import type { Change, JobWrite, Queue, CommitResult } from "./Storage.ts"

/**
 * A Change whose due jobs the dispatcher of this process runs itself. They are written as claimed by it, so that no claim has to
 * find them.
 */
export interface Taken {
  readonly change: Change
  readonly isTaken: (job: JobWrite) => boolean
  /**
   * Ends it, and runs the jobs if they were written. `unknown`: the Change may have been committed. `end` does not wait for the
   * jobs. `original`: what the verdict says of the database.
   */
  readonly end: (outcome: "committed" | "refused" | "unknown", original?: true) => Effect.Effect<void>
}

/** Decides which jobs of a Change this process runs itself. Undefined: none. */
export interface Taker {
  /** Whether it may take any. Most Changes complete work and make none. */
  readonly mayTake: (change: Change) => boolean
  readonly take: (change: Change) => Effect.Effect<Taken | undefined>
}

/** The result of a commit, and how often the Change was sent. */
export interface Written {
  readonly verdict: CommitResult
  readonly attempts: number
}

/** A job that falls due later than this after its commit is found by polling in time. */
const soonMs = 1_000

/** Tells the dispatcher of this process about new jobs. Hints only: the dispatcher polls as well. */
export class JobNotifier extends Context.Service<
  JobNotifier,
  {
    readonly notify: (queue: Queue) => void
    /** Calls `listener` at every notification until the returned function is called. */
    readonly listen: (listener: (queue: Queue) => void) => () => void
    /** Offers each Change to `taker` until the returned function is called. */
    readonly offer: (taker: Taker) => () => void
    /** Commits a Change with `write`, and sees to it that its jobs run. `write` gets the Change as it is to be committed. */
    readonly writing: <R>(
      change: Change,
      write: (change: Change) => Effect.Effect<Written, StorageFault, R>
    ) => Effect.Effect<Written, StorageFault, R>
  }
>()("corridor/engine/JobNotifier") {
  static readonly layer = Layer.sync(JobNotifier, () => {
    const listeners = new Set<(queue: Queue) => void>()
    let taker: Taker | undefined
    const notify = (queue: Queue): void => {
      for (const listener of listeners) listener(queue)
    }
    const hint = (change: Change, verdict: CommitResult, isTaken?: Taken["isTaken"]): void => {
      if (verdict._tag !== "Committed") return
      for (const job of change.jobs)
        if (job.due_at !== null && job.due_at <= change.at + soonMs && isTaken?.(job) !== true) notify(job.queue)
      if (verdict.deliveries === true) notify("delivery")
    }

    const alone = <R>(change: Change, write: (change: Change) => Effect.Effect<Written, StorageFault, R>) =>
      Effect.map(write(change), (written) => {
        hint(change, written.verdict)
        return written
      })

    /** A refusal is certain unless the Change was sent before: an earlier answer may have been lost. */
    const uncommitted = ({ attempts }: Written) => (attempts === 1 ? "refused" : "unknown")

    return JobNotifier.of({
      notify,
      listen: (listener) => {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
      offer: (given) => {
        taker = given
        return () => {
          if (taker === given) taker = undefined
        }
      },
      writing: (change, write) => {
        if (taker?.mayTake(change) !== true) return alone(change, write)
        return Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(taker === undefined ? Effect.undefined : taker.take(change), (taken) => {
            if (taken === undefined) return restore(alone(change, write))
            return Effect.onExit(restore(write(taken.change)), (exit) => {
              if (Exit.isFailure(exit)) return taken.end("unknown")
              const { verdict } = exit.value
              hint(change, verdict, taken.isTaken)
              return verdict._tag === "Committed"
                ? taken.end("committed", verdict.original)
                : taken.end(uncommitted(exit.value))
            })
          })
        )
      }
    })
  })
}
