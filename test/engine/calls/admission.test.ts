import { assert, it } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { Admission, Outside } from "../../../src/engine/calls/Admission.ts"
import { covers } from "../../support/repository/covers.ts"

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

covers("SERVICE-31")
it.effect(
  "does not count who waits for somebody outside, nor the time, and lets as many wait for each of them as may write",
  () =>
    Effect.gen(function* () {
      const admission = new Admission({ writes: 2, reads: 2 })
      const asking = (whom: string, wait: Effect.Effect<void>, sort: "writes" | "reads" = "writes") =>
        Effect.result(
          admission.guard(
            sort,
            Effect.flatMap(Outside, (waiting) => waiting(whom, wait))
          )
        )
      const tagOf = Result.match({ onSuccess: () => "answered", onFailure: ({ _tag }: { _tag: string }) => _tag })
      const silent = yield* Deferred.make<void>()
      const waits = Effect.forkChild(asking("silent", Deferred.await(silent)), { startImmediately: true })
      const first = [yield* waits, yield* waits]
      assert.strictEqual(tagOf(yield* asking("silent", Effect.void)), "ProviderFault")
      assert.strictEqual(tagOf(yield* asking("silent", Effect.void, "reads")), "ProviderFault")
      assert.strictEqual(tagOf(yield* asking("well", Effect.void)), "answered")
      assert.strictEqual(yield* offered(admission, 4, 10), 2)
      yield* Fiber.interrupt(first[0]!)
      assert.strictEqual(tagOf(yield* asking("silent", Effect.void)), "answered")
      // Many who wait long at the same time are no sign of too many.
      yield* TestClock.adjust("1 minute")
      yield* Deferred.succeed(silent, undefined)
      assert.strictEqual(tagOf(yield* Fiber.join(first[1]!)), "answered")
      assert.strictEqual(yield* offered(admission, 4, 10), 2)
    })
)

it.effect("counts a call once that waits for several at the same time, and again when it has all answers", () =>
  Effect.gen(function* () {
    const admission = new Admission({ writes: 1, reads: 1 })
    const waits = (whom: string, ms: number) => Effect.flatMap(Outside, (waiting) => waiting(whom, Effect.sleep(ms)))
    const both = Effect.all([waits("a", 10), waits("b", 20)], { concurrency: "unbounded" })
    const call = admission.guard("writes", Effect.andThen(both, Effect.sleep(10)))
    const fiber = yield* Effect.forkChild(call, { startImmediately: true })
    const seen: Array<boolean> = []
    for (let ms = 0; ms < 40; ms += 5) {
      seen.push(admission.full("writes") !== undefined)
      yield* TestClock.adjust(5)
    }
    yield* Fiber.join(fiber)
    assert.deepEqual(seen, [false, false, false, false, true, true, false, false])
    assert.isUndefined(admission.full("writes"))
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
