/** A node that claims shows that it lives, and leaves what others may have taken while it stood still. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Claims } from "../../../src/engine/commit/Claims.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { type Beat, nodeOf, type Queue, Storage } from "../../../src/engine/ports/Storage.ts"
import { change, fresh, job } from "../../adapters/storage/support.ts"
import { WallTime } from "../../../src/engine/ports/Time.ts"
import { interruptAnywhere } from "../../support/faults/interrupted.ts"
import { covers } from "../../support/repository/covers.ts"

const queue = "command" as Queue

/** A store whose claims take `claim_ms` to come back. `beats`: what it was sent. */
const stores = (beats: Array<Beat>, { claim_ms = 0, exclusive = false } = {}) =>
  Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        ...(exclusive ? { exclusive: true } : {}),
        heartbeat: (beat) => Effect.tap(store.heartbeat(beat), () => Effect.sync(() => beats.push(beat))),
        claim: (query) => Effect.tap(store.claim(query), () => Effect.sleep(claim_ms))
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))

const node = (storage: Layer.Layer<Storage>) =>
  Claims.layer.pipe(Layer.provideMerge(Layer.mergeAll(storage, Ids.layer)))

const put = Effect.flatMap(Storage, (storage) => storage.commit(change(fresh("mer"), { jobs: [job(queue)] })))

const claim = Effect.flatMap(Claims, (claims) =>
  claims.claim({ queue, now: Number.MAX_SAFE_INTEGER, lease_ms: 45_000, limit: 10, per_partition: 10, busy: [] })
)

describe("a node", () => {
  covers("SERVICE-24")
  it.effect("renews its lease while it holds claims, and not while it holds none", () => {
    const beats: Array<Beat> = []
    return Effect.gen(function* () {
      yield* put
      assert.strictEqual((yield* claim).length, 1)
      assert.strictEqual(beats.length, 1)
      const claims = yield* Claims
      yield* Effect.forkChild(claims.holding(Effect.sleep("30 seconds")))
      yield* TestClock.adjust("30 seconds")
      assert.isAtLeast(beats.length, 30)
      for (const [n, { wall }] of beats.slice(1).entries()) assert.isBelow(wall - beats[n]!.wall, 1000)
      yield* TestClock.adjust("2 seconds")
      const idle = beats.length
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(beats.length, idle)
    }).pipe(Effect.provide(node(stores(beats))))
  })

  it.effect("renews nothing for work that was interrupted wherever it began, and then renews for other work", () => {
    const beats: Array<Beat> = []
    return Effect.gen(function* () {
      const claims = yield* Claims
      yield* interruptAnywhere(claims.holding(Effect.never))
      yield* TestClock.adjust("2 seconds")
      const idle = beats.length
      yield* TestClock.adjust("60 seconds")
      assert.strictEqual(beats.length, idle)
      yield* Effect.forkChild(claims.holding(Effect.sleep("30 seconds")))
      yield* TestClock.adjust("30 seconds")
      assert.isAtLeast(beats.length - idle, 30)
    }).pipe(Effect.provide(node(stores(beats))))
  })

  it.effect("that stood still during a claim leaves its jobs, and claims them again under another name", () => {
    const beats: Array<Beat> = []
    const names: Array<string | undefined> = []
    let wall = 0
    const still = Layer.effect(
      Storage,
      Effect.map(Storage, (store) =>
        Storage.of({
          ...store,
          claim: (query) =>
            Effect.tap(store.claim(query), (jobs) =>
              Effect.sync(() => {
                names.push(...jobs.map(({ lease }) => nodeOf(lease!)))
                // Time passes, and nothing of this process runs: no renewal either.
                if (names.length === 1) wall = Math.max(wall, 10_000)
              })
            )
        })
      )
    ).pipe(Layer.provide(stores(beats)))
    return Effect.gen(function* () {
      yield* put
      assert.deepEqual(yield* claim, [])
      const taken: Array<number> = []
      for (; wall < 20_000; wall += 500) taken.push((yield* claim).length)
      assert.strictEqual(
        taken.reduce((sum, count) => sum + count, 0),
        1
      )
      assert.isBelow(taken.indexOf(1), 12)
      assert.strictEqual(new Set(names).size, 2)
    }).pipe(
      Effect.provide(node(still)),
      Effect.provideService(
        WallTime,
        Effect.sync(() => wall)
      )
    )
  })

  it.effect("takes a slow store's jobs as long as its lease was renewed", () => {
    const beats: Array<Beat> = []
    return Effect.gen(function* () {
      yield* put
      const claimed = yield* Effect.forkChild(claim)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual((yield* Fiber.join(claimed)).length, 1)
    }).pipe(Effect.provide(node(stores(beats, { claim_ms: 20_000 }))))
  })

  covers("SERVICE-27")
  it.effect("gives back a job that failed: after a moment, and later each time, until it succeeds", () =>
    Effect.gen(function* () {
      yield* put
      const claims = yield* Claims
      const run = (work: Effect.Effect<void, string>) =>
        Effect.flatMap(claim, ([found]) => Effect.exit(claims.running(found!, work)))
      const tookMs = Effect.gen(function* () {
        for (let ms = 0; ms < 10_000; ms += 50) {
          const again = yield* claims.retryDelay(queue)
          const jobs = yield* claim
          if (jobs.length > 0) {
            yield* claims.giveBack(jobs)
            return ms
          }
          assert.isAbove(again!, 0)
          yield* TestClock.adjust(50)
        }
        return undefined
      })
      for (const ms of [250, 500, 1000]) {
        yield* run(Effect.fail("away"))
        assert.strictEqual(yield* claims.retryDelay(queue), ms)
        assert.isUndefined(yield* claims.retryDelay("timer" as Queue))
        assert.strictEqual(yield* tookMs, ms)
      }
      yield* run(Effect.void)
      assert.deepEqual(yield* claim, [])
      yield* TestClock.adjust("46 seconds")
      yield* run(Effect.fail("away"))
      assert.strictEqual(yield* tookMs, 250)
    }).pipe(Effect.provide(node(stores([]))))
  )

  it.effect("has no job twice at once: one that it gives back while it runs another is claimed alone", () =>
    Effect.gen(function* () {
      const storage = yield* Storage
      const claims = yield* Claims
      const jobs = ["a", "b"].map((id) => job(queue, { id, partition_key: id }))
      yield* storage.commit(change(fresh("mer"), { jobs }))
      const [a, b] = yield* claim
      yield* Effect.forkChild(claims.running(a!, Effect.never))
      yield* Effect.exit(claims.running(b!, Effect.die("a defect")))
      yield* TestClock.adjust("1 second")
      assert.deepEqual(
        (yield* claim).map(({ id }) => id),
        [b!.id]
      )
      yield* TestClock.adjust("5 seconds")
      assert.deepEqual(yield* claim, [])
    }).pipe(Effect.provide(node(stores([]))))
  )

  covers("SERVICE-24")
  it.effect("alone in its store is seen once, and claims whatever time has passed", () => {
    const beats: Array<Beat> = []
    return Effect.gen(function* () {
      yield* put
      assert.strictEqual((yield* claim).length, 1)
      yield* TestClock.adjust("1 hour")
      yield* put
      assert.strictEqual((yield* claim).length, 2)
      assert.strictEqual(beats.length, 1)
    }).pipe(Effect.provide(node(stores(beats, { exclusive: true }))))
  })

  it.effect("that stops leaves: another takes its claims as soon as it may", () => {
    const beats: Array<Beat> = []
    return Effect.gen(function* () {
      yield* put
      const [first] = yield* Effect.scoped(
        Effect.flatMap(Layer.build(Layer.fresh(Claims.layer)), (context) => Effect.provide(claim, context))
      )
      assert.strictEqual(beats.at(-1)!.lease_ms, 0)
      assert.deepEqual(yield* claim, [])
      yield* Effect.forkChild((yield* Claims).holding(Effect.sleep("5 seconds")))
      yield* TestClock.adjust("2 seconds")
      const [taken] = yield* claim
      assert.deepEqual([taken?.id, taken?.attempt], [first!.id, 2])
    }).pipe(Effect.provide(node(stores(beats))))
  })
})
