/** Work whose result must not be lost while the store is away for a moment. */
import { Effect } from "effect"
import { StorageFault, type Unavailable } from "../../ports/errors.ts"
import { wallWith } from "../../ports/Time.ts"

/** For as long as a failover takes. It ends before the look-up of a submission, and before the lease of a job. */
const insistMs = 30_000

const firstPauseMs = 50
const longestPauseMs = 1_000

/**
 * Repeats work while the store cannot be reached. The caller sees to it that a repeat has no second effect: the work reads again,
 * and its write has a deduplication key or the lease of a job.
 */
export const insistently = <A, E extends Unavailable, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  wallWith((began) => {
    const repeated = (pause_ms: number): Effect.Effect<A, E, R> =>
      Effect.catch(work, (failure) =>
        failure instanceof StorageFault && failure.retryable
          ? wallWith((now) =>
              now >= began + insistMs
                ? Effect.fail(failure)
                : Effect.andThen(Effect.sleep(pause_ms), () => repeated(Math.min(2 * pause_ms, longestPauseMs)))
            )
          : Effect.fail(failure)
      )
    return repeated(firstPauseMs)
  })
