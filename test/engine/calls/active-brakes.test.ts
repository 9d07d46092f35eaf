/** The pauses that a node knows: how often they are read, and what its work does meanwhile. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { ActiveBrakes } from "../../../src/engine/calls/ActiveBrakes.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"

/** A store whose lists answer when `answers` says so, in the order in which they were asked for. */
const slow = (answers: ReadonlyArray<Deferred.Deferred<void, StorageFault>>) => {
  let lists = 0
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (real) =>
      Storage.of({
        ...real,
        list: (query) =>
          Effect.andThen(
            Effect.suspend(() => Deferred.await(answers[lists++]!)),
            real.list(query)
          )
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  return { brakes: ActiveBrakes.layer.pipe(Layer.provide(storage)), lists: () => lists }
}

const answer = () => Deferred.makeUnsafe<void, StorageFault>()
const settled = Effect.yieldNow.pipe(Effect.repeat({ times: 20 }))

const asked = Effect.fnUntraced(function* (times: number) {
  const { current } = yield* ActiveBrakes
  const fibers = yield* Effect.forEach(Array.from({ length: times }), () => Effect.forkChild(current))
  yield* settled
  return fibers
})

describe("brakes that are needed by many at once", () => {
  it.effect("are read once, and again a second later", () => {
    const answers = [answer(), answer()]
    const { brakes, lists } = slow(answers)
    return Effect.gen(function* () {
      yield* TestClock.adjust("10 seconds")
      const first = yield* asked(50)
      assert.strictEqual(lists(), 1)
      yield* Deferred.succeed(answers[0]!, undefined)
      assert.deepStrictEqual(
        yield* Fiber.joinAll(first),
        first.map(() => [])
      )
      yield* TestClock.adjust("999 millis")
      yield* Fiber.joinAll(yield* asked(3))
      assert.strictEqual(lists(), 1)
      yield* TestClock.adjust("1 millis")
      const second = yield* asked(50)
      assert.strictEqual(lists(), 2)
      yield* Deferred.succeed(answers[1]!, undefined)
      yield* Fiber.joinAll(second)
    }).pipe(Effect.provide(brakes))
  })

  it.effect("are read by another when the one that reads is interrupted", () => {
    const answers = [answer(), answer()]
    const { brakes, lists } = slow(answers)
    return Effect.gen(function* () {
      yield* TestClock.adjust("10 seconds")
      const [reader, ...others] = yield* asked(10)
      yield* Fiber.interrupt(reader!)
      yield* settled
      assert.strictEqual(lists(), 2)
      yield* Deferred.succeed(answers[1]!, undefined)
      assert.deepStrictEqual(
        yield* Fiber.joinAll(others),
        others.map(() => [])
      )
    }).pipe(Effect.provide(brakes))
  })

  it.effect("fail for all when the store does not answer, and are read again", () => {
    const answers = [answer(), answer()]
    const { brakes, lists } = slow(answers)
    return Effect.gen(function* () {
      yield* TestClock.adjust("10 seconds")
      const fibers = yield* asked(10)
      yield* Deferred.fail(answers[0]!, new StorageFault({ message: "the store is away", retryable: true }))
      const exits = yield* Effect.forEach(fibers, (fiber) => Effect.exit(Fiber.join(fiber)))
      assert.deepStrictEqual(
        exits.map(({ _tag }) => _tag),
        fibers.map(() => "Failure")
      )
      const again = yield* asked(10)
      assert.strictEqual(lists(), 2)
      yield* Deferred.succeed(answers[1]!, undefined)
      yield* Fiber.joinAll(again)
    }).pipe(Effect.provide(brakes))
  })

  it.effect("are not those of a read that began a second ago", () => {
    const answers = [answer(), answer()]
    const { brakes, lists } = slow(answers)
    return Effect.gen(function* () {
      yield* TestClock.adjust("10 seconds")
      const early = yield* asked(2)
      yield* TestClock.adjust("1 second")
      const late = yield* asked(2)
      assert.strictEqual(lists(), 2)
      yield* Deferred.succeed(answers[1]!, undefined)
      yield* Fiber.joinAll(late)
      yield* Deferred.succeed(answers[0]!, undefined)
      yield* Fiber.joinAll(early)
    }).pipe(Effect.provide(brakes))
  })

  it.effect("are those that were read last while the store is silent, and only the first waits for its fault", () => {
    const answers = [answer(), answer(), answer(), answer()]
    const { brakes, lists } = slow(answers)
    return Effect.gen(function* () {
      yield* Deferred.succeed(answers[0]!, undefined)
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.joinAll(yield* asked(1))
      yield* TestClock.adjust("1 second")
      const first = yield* asked(2)
      assert.strictEqual(first[0]!.pollUnsafe(), undefined)
      yield* Deferred.fail(answers[1]!, new StorageFault({ message: "silent", retryable: true }))
      assert.deepStrictEqual(yield* Fiber.joinAll(first), [[], []])
      yield* TestClock.adjust("9 seconds")
      // The store is asked again meanwhile, by one, and nobody waits for it.
      assert.deepStrictEqual(
        yield* Fiber.joinAll(yield* asked(50)),
        Array.from({ length: 50 }, () => [])
      )
      assert.strictEqual(lists(), 3)
      yield* TestClock.adjust("1 hour")
      const late = yield* asked(1)
      yield* settled
      assert.strictEqual(late[0]!.pollUnsafe(), undefined)
    }).pipe(Effect.provide(brakes))
  })
})
