/** A value that several callers share: when it is loaded again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { shared } from "../../src/protocol/shared.ts"

describe("a shared value", () => {
  it.effect("is loaded again when it is as old as it may be, and when the clock went back", () =>
    Effect.gen(function* () {
      let [loads, at] = [0, 1000]
      const { get, last } = shared(
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
      const { get } = shared(
        Effect.suspend(() => (++loads === 1 ? Effect.fail("away") : Effect.succeed(loads))),
        100,
        Effect.succeed(0)
      )
      assert.strictEqual(yield* Effect.flip(get), "away")
      const found = yield* Effect.all([get, get, get], { concurrency: "unbounded" })
      assert.deepStrictEqual(found, [2, 2, 2])
    })
  )
})
