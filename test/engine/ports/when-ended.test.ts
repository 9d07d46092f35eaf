import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { onExitSync, acquireUseReleaseSync } from "../../../src/engine/ports/when-ended.ts"
import { interruptAnywhere } from "../../support/faults/interrupted.ts"

describe("what is told when an effect has ended", () => {
  const ending = Effect.fnUntraced(function* (self: Effect.Effect<number, string>, interrupted = false) {
    const exits: Array<Exit.Exit<number, string>> = []
    const fiber = yield* Effect.forkChild(
      onExitSync(self, (exit) => void exits.push(exit)),
      { startImmediately: true }
    )
    if (interrupted) yield* Fiber.interrupt(fiber)
    return { exits, exit: yield* Fiber.await(fiber) }
  })

  it.effect("is its exit, once, and the exit stays what it was", () =>
    Effect.gen(function* () {
      for (const self of [Effect.succeed(1), Effect.fail("no"), Effect.die("defect"), Effect.as(Effect.yieldNow, 2)]) {
        const { exit, exits } = yield* ending(self)
        assert.deepStrictEqual(exits, [exit])
        assert.deepStrictEqual(exit, yield* Effect.exit(self))
      }
    })
  )

  it.effect("is told of an interruption, too", () =>
    Effect.gen(function* () {
      const { exit, exits } = yield* ending(Effect.never, true)
      assert.deepStrictEqual(exits, [exit])
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    })
  )

  it.effect("dies with a defect of the one who is told", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        onExitSync(Effect.succeed(1), () => {
          throw new Error("a defect")
        })
      )
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  )
})

describe("what is held during an effect", () => {
  it.effect("is given back once for each time that it was taken, wherever the effect is interrupted", () =>
    Effect.gen(function* () {
      const held = { taken: 0, givenBack: 0 }
      const use = (then: Effect.Effect<unknown>) =>
        acquireUseReleaseSync(
          () => ++held.taken,
          () => then,
          () => void held.givenBack++
        )
      yield* interruptAnywhere(
        use(Effect.never),
        Effect.sync(() => assert.strictEqual(held.givenBack, held.taken))
      )
      assert.isAbove(held.taken, 0)
      yield* Effect.exit(use(Effect.die("defect")))
      assert.strictEqual(held.givenBack, held.taken)
    })
  )

  it.effect("is given back with what it is and how the effect has ended", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const run = acquireUseReleaseSync(
        () => "key",
        (key) => Effect.fail(`${key} used`),
        (key, exit) => void seen.push(key, exit)
      )
      assert.deepStrictEqual(yield* Effect.exit(run), Exit.fail("key used"))
      assert.deepStrictEqual(seen, ["key", Exit.fail("key used")])
    })
  )

  it.effect("is not given back where it could not be taken", () =>
    Effect.gen(function* () {
      let givenBack = 0
      const exit = yield* Effect.exit(
        acquireUseReleaseSync(
          (): number => {
            throw new Error("a defect")
          },
          Effect.succeed,
          () => void givenBack++
        )
      )
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      assert.strictEqual(givenBack, 0)
    })
  )
})
