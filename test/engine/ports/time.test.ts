/** The clocks that the engine puts before its own: each of their times comes from one reading. */
import { Clock, Effect } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeAheadClock, runAsOf, runNotBefore } from "../../../src/engine/ports/Time.ts"
import { triesOf } from "../../support/properties/tries.ts"

const start = Date.UTC(2026, 0, 1)

/** A clock of which each reading is later than the one before, as after a process stood still: by the steps, again and again. */
const jumping = (steps: ReadonlyArray<number>): Clock.Clock => {
  let at = start
  let readings = 0
  const read = (): number => (at += steps[readings++ % steps.length]!)
  const nanos = (): bigint => BigInt(read()) * 1_000_000n + 999_999n
  return {
    currentTimeMillisUnsafe: read,
    currentTimeMillis: Effect.sync(read),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: () => 0n,
    monotonicTimeNanos: Effect.succeed(0n),
    sleep: () => Effect.void
  }
}

const readBoth = Effect.all([Clock.currentTimeMillis, Clock.currentTimeNanos])

/** The times that an effect is shown, in milliseconds: the one, and the whole ones of the nanoseconds. */
const timesOf = (steps: ReadonlyArray<number>, run: (effect: typeof readBoth) => typeof readBoth) => {
  const [ms, nanos] = Effect.runSync(Effect.provideService(run(readBoth), Clock.Clock, jumping(steps)))
  return [ms, Number(nanos / 1_000_000n)]
}

const steps = fc.array(fc.nat(5), { minLength: 1, maxLength: 8 })
const distance = fc.integer({ min: -100, max: 100 })

describe("where time passes between any two readings of the clock", () => {
  it("a job shows the time at which it is worked off, exactly", () =>
    fc.assert(
      fc.property(steps, distance, (given, by) => {
        expect(timesOf(given, (effect) => runAsOf(start + by, effect))).toEqual([start + by, start + by])
      }),
      { numRuns: triesOf(200) }
    ))

  it("a deadline is never reached early", () =>
    fc.assert(
      fc.property(steps, distance, (given, by) => {
        for (const shown of timesOf(given, (effect) => runNotBefore(start + by, effect)))
          expect(shown).toBeGreaterThanOrEqual(start + by)
      }),
      { numRuns: triesOf(200) }
    ))

  it("a clock that is ahead stays before its end", () =>
    fc.assert(
      fc.property(steps, fc.nat(100), fc.nat(100), (given, by, end) => {
        const clock = makeAheadClock(jumping(given), () => by, start + end)
        for (const shown of [clock.currentTimeMillisUnsafe(), Number(clock.currentTimeNanosUnsafe() / 1_000_000n)])
          expect(shown).toBeLessThanOrEqual(start + end)
      }),
      { numRuns: triesOf(200) }
    ))
})
