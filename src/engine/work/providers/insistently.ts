/** Work whose result must not be lost while the store is away for a moment. */
import { Effect } from "effect"
import { StorageFault, type Unavailable } from "../../ports/errors.ts"
import { wallNow } from "../../ports/Time.ts"

/** For as long as a failover takes. It ends before the look-up of a submission, and before the lease of a job. */
const insistMs = 30_000

const firstPauseMs = 50
const longestPauseMs = 1_000

/**
 * Repeats work while the store cannot be reached. The caller sees to it that a repeat has no second effect: the work reads again,
 * and its write has a deduplication key or the lease of a job.
 */
export const insistently = Effect.fnUntraced(function* <A, E extends Unavailable, R>(
  work: Effect.Effect<A, E, R>
): Effect.fn.Return<A, E, R> {
  const until = (yield* wallNow) + insistMs
  for (let pause_ms = firstPauseMs; ; pause_ms = Math.min(2 * pause_ms, longestPauseMs)) {
    const result = yield* Effect.result(work)
    if (result._tag === "Success") return result.success
    const { failure } = result
    if (!(failure instanceof StorageFault) || !failure.retryable || (yield* wallNow) >= until)
      return yield* Effect.fail(failure)
    yield* Effect.sleep(pause_ms)
  }
})
