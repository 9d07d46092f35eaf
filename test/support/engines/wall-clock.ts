import { Clock, Effect, Layer } from "effect"

/** A machine whose wall clock shows `wall`, epoch milliseconds. Sleeping takes as long as it takes here. */
export const wallClock = (
  wall: () => number,
  asleep: (sleep: Effect.Effect<void>) => Effect.Effect<void> = (sleep) => sleep
): Layer.Layer<never> =>
  Layer.effect(
    Clock.Clock,
    Effect.map(
      Clock.Clock,
      (here): Clock.Clock => ({
        currentTimeMillisUnsafe: wall,
        currentTimeMillis: Effect.sync(wall),
        currentTimeNanosUnsafe: () => BigInt(wall()) * 1_000_000n,
        currentTimeNanos: Effect.sync(() => BigInt(wall()) * 1_000_000n),
        monotonicTimeNanosUnsafe: () => here.monotonicTimeNanosUnsafe(),
        monotonicTimeNanos: here.monotonicTimeNanos,
        sleep: (duration) => asleep(here.sleep(duration))
      })
    )
  )

/** When clocks that stand still begin. */
export const T0 = Date.UTC(2026, 0, 5, 12)
