import { assert, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Admission } from "../../../src/engine/calls/Admission.ts"

/** Calls that each take so long; how many were let in. */
const offered = Effect.fnUntraced(function* (admission: Admission, count: number, took_ms: number) {
  const fibers = yield* Effect.forEach(Array.from({ length: count }), () =>
    Effect.forkChild(Effect.result(admission.guard("writes", Effect.sleep(Duration.millis(took_ms)))))
  )
  yield* TestClock.adjust(Duration.millis(took_ms))
  const results = yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
  return results.filter(({ _tag }) => _tag === "Success").length
})

it.effect("lets in fewer while answers take long, never fewer than a quarter, and as many again when they do not", () =>
  Effect.gen(function* () {
    const admission = new Admission({ writes: 100, reads: 1 })
    assert.strictEqual(yield* offered(admission, 150, 100), 100)
    const slow: Array<number> = []
    for (let n = 0; n < 10; n++) slow.push(yield* offered(admission, 150, 1000))
    assert.deepEqual(slow.slice(0, 4), [100, 80, 64, 51])
    assert.strictEqual(slow.at(-1), 25)
    for (let n = 0; n < 100; n++) yield* offered(admission, 150, 10)
    assert.strictEqual(yield* offered(admission, 150, 10), 100)
  })
)

it.effect("takes a slow answer for no sign of too many while few are inside", () =>
  Effect.gen(function* () {
    const admission = new Admission({ writes: 10, reads: 1 })
    for (let n = 0; n < 20; n++) assert.strictEqual(yield* offered(admission, 3, 5000), 3)
    assert.strictEqual(yield* offered(admission, 20, 10), 10)
  })
)

it.effect("counts who is interrupted as gone", () =>
  Effect.gen(function* () {
    const admission = new Admission({ writes: 1, reads: 1 })
    const never = yield* Deferred.make<void>()
    const fiber = yield* Effect.forkChild(admission.guard("reads", Deferred.await(never)), { startImmediately: true })
    assert.strictEqual((yield* Effect.flip(admission.guard("reads", Effect.void)))._tag, "RateLimited")
    yield* admission.guard("writes", Effect.void)
    yield* Fiber.interrupt(fiber)
    yield* admission.guard("reads", Effect.void)
  })
)

it("keeps no place for a caller that is interrupted, however far it had come", async () => {
  const lost: Array<number> = []
  // A fiber yields after some two thousand steps: one of these callers does so where it has just been let in.
  for (let steps = 1900; steps < 2100; steps++) {
    const admission = new Admission({ writes: 1, reads: 1 })
    const before = Effect.gen(function* () {
      for (let n = 0; n < steps; n++) yield* Effect.sync(() => {})
    })
    const caller = Effect.runFork(Effect.andThen(before, admission.guard("reads", Effect.never)))
    await Effect.runPromise(Fiber.interrupt(caller))
    if (admission.full("reads") !== undefined) lost.push(steps)
  }
  assert.deepEqual(lost, [])
})
