/** An effect that is interrupted wherever its fiber may pause. */
import { Effect, Fiber, Scheduler } from "effect"

/** More pauses than what begins something has, up to its own work. */
const pauses = 30

/**
 * Begins an effect again and again, and interrupts it at its first pause, at its second, and so on. Its fiber pauses after two
 * to five operations, as it does after many under load. `then` runs after each.
 */
export const interruptAnywhere = <A, E, R, F = never, S = never>(
  effect: Effect.Effect<A, E, R>,
  then: Effect.Effect<unknown, F, S> = Effect.void as never
): Effect.Effect<void, F, R | S> =>
  Effect.gen(function* () {
    for (const every of [2, 3, 4, 5])
      for (let count = 0; count < pauses; count++) {
        const fiber = yield* Effect.forkChild(Effect.provideService(effect, Scheduler.MaxOpsBeforeYield, every), {
          startImmediately: true
        })
        for (let passed = 0; passed < count; passed++) yield* Effect.yieldNow
        yield* Fiber.interrupt(fiber)
        yield* then
      }
  })
