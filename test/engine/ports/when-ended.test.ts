import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber } from "effect"
import { whenEnded } from "../../../src/engine/ports/when-ended.ts"

describe("what is told when an effect has ended", () => {
  const told = Effect.fnUntraced(function* (self: Effect.Effect<number, string>, interrupted = false) {
    const exits: Array<Exit.Exit<number, string>> = []
    const fiber = yield* Effect.forkChild(
      whenEnded(self, (exit) => void exits.push(exit)),
      { startImmediately: true }
    )
    if (interrupted) yield* Fiber.interrupt(fiber)
    return { exits, exit: yield* Fiber.await(fiber) }
  })

  it.effect("is its exit, once, and the exit stays what it was", () =>
    Effect.gen(function* () {
      for (const self of [Effect.succeed(1), Effect.fail("no"), Effect.die("defect"), Effect.as(Effect.yieldNow, 2)]) {
        const { exit, exits } = yield* told(self)
        assert.deepStrictEqual(exits, [exit])
        assert.deepStrictEqual(exit, yield* Effect.exit(self))
      }
    })
  )

  it.effect("is told of an interruption, too", () =>
    Effect.gen(function* () {
      const { exit, exits } = yield* told(Effect.never, true)
      assert.deepStrictEqual(exits, [exit])
      assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    })
  )

  it.effect("dies with a defect of the one who is told", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(
        whenEnded(Effect.succeed(1), () => {
          throw new Error("a defect")
        })
      )
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    })
  )
})
