import { Effect, Exit, Fiber } from "effect"

/**
 * Runs `other`, which cannot fail, beside `self`, and returns both results. As `Effect.all` with a concurrency of two, which begins
 * a fiber for each of them: here `self` stays in its own.
 */
export const beside = <A, E, R, B, S>(
  self: Effect.Effect<A, E, R>,
  other: Effect.Effect<B, never, S>
): Effect.Effect<readonly [A, B], E, R | S> =>
  Effect.flatMap(Effect.forkChild(other, { startImmediately: true }), (fiber) =>
    Effect.onExitPrimitive(
      Effect.flatMap(self, (a) => Effect.map(Fiber.join(fiber), (b) => [a, b] as const)),
      (exit) => (Exit.isSuccess(exit) ? undefined : Fiber.interrupt(fiber))
    )
  )
