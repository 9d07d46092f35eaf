/** A value that several callers share: when it is loaded again. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { shareLoad } from "../../src/protocol/shared.ts"

describe("a shared value", () => {
  it.effect("is loaded again when it is as old as it may be, and when the clock went back", () =>
    Effect.gen(function* () {
      let [loads, at] = [0, 1000]
      const { get, last } = shareLoad(
        Effect.sync(() => ++loads),
        100,
        Effect.sync(() => at)
      )
      const seen: Array<number> = []
      for (at of [1000, 1099, 1100, 1199, 1150, 1099]) seen.push(yield* get)
      assert.deepStrictEqual(seen, [1, 1, 2, 2, 2, 3])
      assert.strictEqual(last(), 3)
    })
  )

  it.effect("is loaded once for callers at the same time, and a failure is not kept", () =>
    Effect.gen(function* () {
      let loads = 0
      const { get } = shareLoad(
        Effect.suspend(() => (++loads === 1 ? Effect.fail("away") : Effect.succeed(loads))),
        100,
        Effect.succeed(0)
      )
      assert.strictEqual(yield* Effect.flip(get), "away")
      const found = yield* Effect.all([get, get, get], { concurrency: "unbounded" })
      assert.deepStrictEqual(found, [2, 2, 2])
    })
  )

  it.effect("that does not come fails for all who wait for it at the same time, and is waited for once", () =>
    Effect.gen(function* () {
      let loads = 0
      const { get } = shareLoad(
        Effect.suspend(() => (loads++, Effect.andThen(Effect.sleep(1000), Effect.fail("silent")))),
        100,
        Clock.currentTimeMillis
      )
      const first = yield* Effect.forkChild(get, { startImmediately: true })
      const others = yield* Effect.forkChild(Effect.all([Effect.flip(get), Effect.flip(get)], { concurrency: 2 }))
      yield* TestClock.adjust(500)
      // The load does not end with the caller that began it.
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust(500)
      assert.deepStrictEqual(others.pollUnsafe(), Exit.succeed(["silent", "silent"]))
      assert.strictEqual(loads, 1)
    })
  )

  it.effect("is waited for a moment from the begin of its load, and counts when it comes", () =>
    Effect.gen(function* () {
      const { get, soon } = shareLoad(Effect.delay(Effect.succeed("new"), 1000), 5000, Clock.currentTimeMillis)
      const waits = (adjust: number) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(soon(300), { startImmediately: true })
          yield* TestClock.adjust(adjust)
          return fiber.pollUnsafe()
        })
      assert.isUndefined(yield* waits(299))
      assert.deepStrictEqual(yield* waits(1), Exit.succeed(undefined))
      assert.deepStrictEqual(yield* waits(0), Exit.succeed(undefined))
      yield* TestClock.adjust(700)
      assert.deepStrictEqual(yield* waits(0), Exit.succeed(Exit.succeed("new")))
      assert.strictEqual(yield* get, "new")
    })
  )
})
