/** A value that several callers share and that one of them loads. */
import { Effect, Exit, Fiber } from "effect"

interface Loading<A, E> {
  readonly fiber: Fiber.Fiber<A, E>
  readonly began: number
}

/**
 * Loads a value at most once in `keep_ms`, however many callers ask for it at once. A failed load fails for all who wait for it. It is
 * not kept: the next caller loads again.
 *
 * Shapes: `now` is epoch milliseconds. A clock that goes back makes the value old.
 *
 * Law: one load runs at a time, and it goes on when the caller that began it ends. So it must end by itself.
 */
export const shareLoad = <A, E>(load: Effect.Effect<A, E>, keep_ms: number, now: Effect.Effect<number>) => {
  let loading: Loading<A, E> | undefined
  let kept: { readonly value: A; readonly at: number } | undefined
  const isFresh = (at: number): boolean => kept !== undefined && at >= kept.at && at - kept.at < keep_ms

  const begin = (began: number): Effect.Effect<Loading<A, E>> =>
    Effect.map(
      Effect.forkDetach(
        Effect.onExitPrimitive(load, (exit) => {
          if (Exit.isSuccess(exit)) kept = { value: exit.value, at: began }
          loading = undefined
          return undefined
        })
      ),
      (fiber) => (loading = { fiber, began })
    )

  /** Answers with `fresh`, or with what `wait` makes of the load that runs. */
  const found = <B, F>(
    fresh: (value: A) => B,
    wait: (loading: Loading<A, E>, at: number) => Effect.Effect<B, F>
  ): Effect.Effect<B, F> =>
    Effect.flatMap(now, (at) =>
      kept !== undefined && isFresh(at)
        ? Effect.succeed(fresh(kept.value))
        : Effect.flatMap(
            Effect.suspend(() => (loading === undefined ? begin(at) : Effect.succeed(loading))),
            (one) => wait(one, at)
          )
    )

  return {
    /** The value of the last load that succeeded, however old. */
    last: (): A | undefined => kept?.value,
    get: found(
      (value) => value,
      ({ fiber }) => Fiber.join(fiber)
    ),
    /** Waits at most `ms` for the load to end, counted from its beginning. Undefined: it goes on beside the caller. */
    soon: (ms: number): Effect.Effect<Exit.Exit<A, E> | undefined> =>
      found(
        (value): Exit.Exit<A, E> | undefined => Exit.succeed(value),
        ({ began, fiber }, at) => {
          const left = Math.min(began + ms - at, ms)
          return left <= 0
            ? Effect.succeed(fiber.pollUnsafe())
            : Effect.map(Effect.timeoutOption(Fiber.await(fiber), left), (exit) =>
                exit._tag === "None" ? undefined : exit.value
              )
        }
      )
  }
}
