import { Clock, Context, Effect } from "effect"

/**
 * Wall time, epoch milliseconds, for leases, rate limits and the timestamps of signatures, which concern real
 * processes. Everything else uses Effect's Clock, the service's clock, which the sandbox can move. Both show the same
 * time unless a layer changes one of them.
 */
export const WallTime = Context.Reference<Effect.Effect<number>>("corridor/engine/WallTime", {
  defaultValue: () => Clock.currentTimeMillis
})

/** Continues with the wall time. */
export const withWallTime = <A, E, R>(f: (now: number) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const wall = fiber.getRef(WallTime)
    return wall === Clock.currentTimeMillis
      ? f(fiber.getRef(Clock.Clock).currentTimeMillisUnsafe())
      : Effect.flatMap(wall, f)
  })

export const wallNow: Effect.Effect<number> = withWallTime(Effect.succeed)

/**
 * A clock that is ahead of another. It never shows a time after `end`. Law: each of its times comes from one reading of `base`, from which
 * `by_ms` computes how far it is ahead: between two readings, a process may have stood still.
 */
export const makeAheadClock = (
  base: Clock.Clock,
  by_ms: (now: number) => number,
  end = Number.POSITIVE_INFINITY
): Clock.Clock => {
  const now = (): number => {
    const at = base.currentTimeMillisUnsafe()
    return Math.min(at + by_ms(at), end)
  }
  const nanos = (): bigint => {
    const at = base.currentTimeNanosUnsafe()
    const ms = Number(at / 1_000_000n)
    const by = by_ms(ms)
    return ms + by > end ? BigInt(end) * 1_000_000n : at + BigInt(by) * 1_000_000n
  }
  return {
    currentTimeMillisUnsafe: now,
    currentTimeMillis: Effect.sync(now),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => base.monotonicTimeNanosUnsafe(),
    monotonicTimeNanos: base.monotonicTimeNanos,
    sleep: (duration) => base.sleep(duration)
  }
}

/** Runs an effect with a clock that shows `at`. Timeouts still take real time. */
export const runAsOf = <A, E, R>(at: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) =>
    Effect.provideService(
      effect,
      Clock.Clock,
      makeAheadClock(clock, (now) => at - now)
    )
  )

/**
 * Runs an effect with the clock, or where that shows a time before `at`, because it was set back, with one that does not. What compares
 * clocks by identity finds its own otherwise.
 */
export const runNotBefore = <A, E, R>(at: number, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.clockWith((clock) =>
    clock.currentTimeMillisUnsafe() >= at
      ? effect
      : Effect.provideService(
          effect,
          Clock.Clock,
          makeAheadClock(clock, (now) => Math.max(0, at - now))
        )
  )

/** The last results, by the end of the time. A power of two. */
const written = Array.from({ length: 256 }, () => ({ at: 0, text: "1970-01-01T00:00:00.000Z" }))

/**
 * Formats a time as ISO 8601 in UTC, as `/v1` writes times. Results are kept, because a movement's representations write the same few
 * times: its own, and those of its customer and its beneficiary.
 */
export const iso = (at: number): string => {
  const kept = written[at & (written.length - 1)]!
  if (kept.at !== at) {
    kept.text = new Date(at).toISOString()
    kept.at = at
  }
  return kept.text
}
export const isoOrNull = (at: number | null): string | null => (at === null ? null : iso(at))
