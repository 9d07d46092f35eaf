/** A value that several callers share and that one of them loads. */
import { Effect, Semaphore } from "effect"

/**
 * Loads a value at most once in `keep_ms`, however many callers ask for it at once. A failed load is not kept: it fails for
 * its caller, and the next caller loads again.
 *
 * Shapes: `now` is epoch milliseconds. A clock that goes back makes the value old.
 */
export const shared = <A, E>(load: Effect.Effect<A, E>, keep_ms: number, now: Effect.Effect<number>) => {
  const loading = Semaphore.makeUnsafe(1)
  let kept: { readonly value: A; readonly at: number } | undefined
  const isFresh = (at: number): boolean => kept !== undefined && at >= kept.at && at - kept.at < keep_ms
  return {
    /** The value of the last load that succeeded, however old. */
    last: (): A | undefined => kept?.value,
    get: loading.withPermits(1)(
      Effect.gen(function* () {
        const at = yield* now
        if (kept !== undefined && isFresh(at)) return kept.value
        const value = yield* load
        kept = { value, at }
        return value
      })
    )
  }
}
