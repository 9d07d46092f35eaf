/** Two effects beside each other, of which one stays in its fiber. */
import { Deferred, Effect, Exit, Fiber } from "effect"
import { assert, describe, it } from "vitest"
import { joinBeside } from "../../../src/engine/commit/attempts.ts"

/** An effect that does not end, and whether it was interrupted. */
const endless = () => {
  const seen = { interrupted: false }
  const effect = Effect.onInterrupt(Effect.never, () =>
    Effect.sync(() => {
      seen.interrupted = true
    })
  )
  return { seen, effect }
}

describe("two effects beside each other", () => {
  it("have both results, and neither waits for the other to begin", async () => {
    const run = Effect.gen(function* () {
      const [one, other] = [yield* Deferred.make<number>(), yield* Deferred.make<number>()]
      return yield* joinBeside(
        Effect.andThen(Deferred.succeed(one, 1), Deferred.await(other)),
        Effect.andThen(Deferred.succeed(other, 2), Deferred.await(one))
      )
    })
    assert.deepEqual(await Effect.runPromise(run), [2, 1])
  })

  it("end with the failure of the first, which interrupts the other", async () => {
    const { effect, seen } = endless()
    const run = Effect.map(Effect.exit(joinBeside(Effect.fail("away"), effect)), (exit) => [exit, seen.interrupted])
    assert.deepEqual(await Effect.runPromise(run), [Exit.fail("away"), true])
  })

  it("end with the defect of the other", async () => {
    const exit = await Effect.runPromise(Effect.exit(joinBeside(Effect.succeed(1), Effect.die("broken"))))
    assert.deepEqual(exit, Exit.die("broken"))
  })

  it("are interrupted together", async () => {
    const { effect, seen } = endless()
    const run = Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(joinBeside(Effect.succeed(1), effect), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      return seen.interrupted
    })
    assert.isTrue(await Effect.runPromise(run))
  })

  it("are uninterruptible together", async () => {
    const run = Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      let done = 0
      const count = Effect.andThen(
        Deferred.await(gate),
        Effect.sync(() => void done++)
      )
      const fiber = yield* Effect.forkChild(Effect.uninterruptible(joinBeside(count, count)), {
        startImmediately: true
      })
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber), { startImmediately: true })
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(interrupting)
      return done
    })
    assert.equal(await Effect.runPromise(run), 2)
  })
})
