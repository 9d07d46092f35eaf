/** When a dispatcher that works finds what falls due. */
import { Clock, Context, Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { assert, it } from "vitest"
import * as MovableClock from "../../../src/adapters/clock/movable.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import { bounds, Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { Claims } from "../../../src/engine/commit/Claims.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { ClockSkew } from "../../../src/engine/work/upkeep/ClockSkew.ts"
import { StoreIdentity } from "../../../src/engine/work/upkeep/StoreIdentity.ts"
import { Reindexing } from "../../../src/engine/work/upkeep/Reindexing.ts"
import { Retention } from "../../../src/engine/work/upkeep/Retention.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { JobHandlers } from "../../../src/engine/work/queue/JobHandlers.ts"
import { change, job } from "../../adapters/storage/support.ts"
import { overStore, SLOW_MS } from "../../support/engines/dispatching.ts"
import { covers } from "../../support/repository/covers.ts"

/** Half of the time after which a queue is looked at in any case. */
const LATE_MS = 500

const put = Effect.fnUntraced(function* (
  ...due: ReadonlyArray<readonly [id: string, after_ms: number, partition_key?: string]>
) {
  const at = yield* Clock.currentTimeMillis
  const jobs = due.map(([id, after_ms, partition_key = id]) =>
    job("timer", { id, partition_key, due_at: at + after_ms, created_at: at })
  )
  yield* (yield* Storage).commit(change("mer", { jobs }))
  ;(yield* JobNotifier).notify("timer")
})

it.each<[string, ReadonlyArray<readonly [string, number]>]>([
  ["a moment after the hint of its commit", [["timer", 15]]],
  ["while the queue was just being asked", Array.from({ length: 30 }, (_, n) => [`t${n}`, 10 + n] as const)],
  [
    "beside four that are slow",
    [
      ["slow1", 0],
      ["slow2", 0],
      ["slow3", 0],
      ["slow4", 0],
      ["timer", 200]
    ]
  ]
])("a timer is found that falls due %s", async (_, due) => {
  const late = new Map<string, number>()
  await overStore(
    late,
    MemoryStorage.layer
  )(
    Effect.gen(function* () {
      yield* (yield* Dispatcher).start({ graceMs: 0 })
      yield* TestClock.adjust(60)
      yield* put(...due)
      for (let ms = 0; ms < SLOW_MS; ms += 5) yield* TestClock.adjust(5)
    })
  )
  assert.strictEqual(late.size, due.length)
  for (const [id, ms] of late) assert.isBelow(ms, LATE_MS, id)
})

covers("SERVICE-15")
it.each([
  ["ahead of", 60_000],
  ["behind", -60_000],
  ["ahead of", 5_001]
])("a node whose clock is %s the database's claims no work until it is right, %i ms", async (_, off_ms) => {
  const late = new Map<string, number>()
  let isOff = true
  let claims = 0
  let asked = 0
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        claim: (query) => Effect.suspend(() => (claims++, store.claim(query))),
        clock: Effect.map(Clock.currentTimeMillis, (now) => (asked++, isOff ? now - off_ms : now))
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  await Effect.gen(function* () {
    const dispatcher = yield* Dispatcher
    yield* dispatcher.start({ graceMs: 0 })
    yield* put(["timer", 0])
    for (let n = 0; n < 5; n++) yield* TestClock.adjust("1 second")
    assert.isAtLeast(asked, 5)
    const refusal = yield* Effect.flip(dispatcher.drain())
    assert.match(refusal.message, /^the clock of this node is \S+ s (?:ahead of|behind) the database's/)
    assert.strictEqual(claims, 0)
    isOff = false
    for (let n = 0; n < 2; n++) yield* TestClock.adjust("1 second")
    assert.deepEqual([...late.keys()], ["timer"])
  }).pipe(overStore(late, storage))
})

it("a job's work never shows a time before the job was due, though the clock is set back", async () => {
  const late = new Map<string, number>()
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        claim: (query) =>
          Effect.tap(store.claim(query), (jobs) =>
            jobs.length === 0
              ? Effect.void
              : Effect.flatMap(Clock.currentTimeMillis, (at) => TestClock.setTime(at - 40))
          )
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  await Effect.gen(function* () {
    const dispatcher = yield* Dispatcher
    yield* TestClock.adjust(1_000)
    yield* put(["asked", 0])
    yield* dispatcher.drain()
    yield* dispatcher.start({ graceMs: 0 })
    yield* put(["pumped", 15])
    for (let ms = 0; ms < 200; ms += 5) yield* TestClock.adjust(5)
  }).pipe(overStore(late, storage))
  assert.deepEqual([...late.keys()], ["asked", "pumped"])
  for (const [id, ms] of late) assert.isAtLeast(ms, 0, id)
})

it.each([
  ["behind", -5_000],
  ["ahead of", 65_000]
])("a node whose database answers after a minute, five seconds %s the node, does its work", async (_, off_ms) => {
  const late = new Map<string, number>()
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        // No further from the begin or the end of the call than what is tolerated.
        clock: Effect.tap(
          Effect.map(Clock.currentTimeMillis, (now) => now + off_ms),
          Effect.sleep("1 minute")
        )
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  await Effect.gen(function* () {
    yield* (yield* Dispatcher).start({ graceMs: 0 })
    yield* put(["timer", 0])
    yield* TestClock.adjust("61 seconds")
    yield* TestClock.adjust("61 seconds")
    assert.deepEqual([...late.keys()], ["timer"])
  }).pipe(overStore(late, storage))
})

it("the service's clock may move while a job is leased: it stays its holder's", async () => {
  let runs = 0
  await Effect.gen(function* () {
    const storage = yield* Storage
    const begun = yield* Deferred.make<void>()
    const signal = yield* Deferred.make<void>()
    const at = yield* Clock.currentTimeMillis
    yield* storage.commit(change("mer", { jobs: [job("timer", { id: "long", due_at: at, created_at: at })] }))
    const workers = JobHandlers.of({
      wake: Effect.succeed(0),
      run: ({ id, lease }) =>
        Effect.gen(function* () {
          runs++
          yield* Deferred.succeed(begun, undefined)
          yield* Deferred.await(signal)
          yield* storage.commit(change("mer", { lease: { job: id, token: lease! } }))
        }).pipe(Effect.orDie, Effect.asVoid)
    })
    const node = Layer.fresh(Dispatcher.layer).pipe(
      Layer.provide(Layer.succeed(JobHandlers, workers)),
      Layer.provide(Layer.fresh(Claims.layer)),
      Layer.provide(Layer.fresh(Layer.mergeAll(ClockSkew.layer, StoreIdentity.layer))),
      Layer.provide(Layer.succeed(Retention, Retention.of({ start: Effect.void, sweep: Effect.succeed(false) }))),
      Layer.provide(Layer.succeed(Reindexing, Reindexing.of({ start: Effect.void, next: Effect.succeed(false) }))),
      Layer.provide(Layer.mergeAll(Ids.layer, JobNotifier.layer, MemoryWebhookSink.layer())),
      Layer.provide(Layer.succeed(Storage, storage))
    )
    const dispatcher = Effect.map(Layer.build(node), (context) => Context.get(context, Dispatcher))
    const [holder, other] = [yield* dispatcher, yield* dispatcher]
    const first = yield* Effect.forkChild(holder.drain())
    yield* Deferred.await(begun)
    yield* (yield* ServiceClock).moveTo(at + 365 * 86_400_000)
    assert.strictEqual(yield* other.drain(), 0)
    yield* Deferred.succeed(signal, undefined)
    assert.strictEqual(yield* Fiber.join(first), 1)
    assert.strictEqual(yield* other.drain(), 0)
  }).pipe(
    Effect.scoped,
    Effect.provide(MovableClock.layer.pipe(Layer.provideMerge(MemoryStorage.layer))),
    Effect.runPromise
  )
  assert.strictEqual(runs, 1)
})

it("a hint that arrives while a claim runs leads to another claim as soon as that has ended", async () => {
  const late = new Map<string, number>()
  const claimMs = 400
  const slow = Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        // Nothing but the hint says that there is work.
        pending: () => Effect.succeed([]),
        claim: (query) =>
          query.queue === "timer" ? Effect.tap(store.claim(query), () => Effect.sleep(claimMs)) : store.claim(query)
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  await overStore(
    late,
    slow
  )(
    Effect.gen(function* () {
      yield* (yield* Dispatcher).start({ graceMs: 0 })
      yield* TestClock.adjust(100)
      yield* put(["timer", 0])
      for (let ms = 0; ms < 3000; ms += 5) yield* TestClock.adjust(5)
    })
  )
  assert.isBelow(late.get("timer")!, 2 * claimMs)
})

it.each([
  [1, "of their own", 0, 5],
  [40, "of their own", 20, 25],
  [1, "that may have more", 0, 5]
])(
  "after a claim of %i jobs in partitions %s, the next is made %i to %i ms later",
  async (count, which, least, most) => {
    // A partition with its share of a claim.
    const share = which === "of their own" ? 1 : bounds.timer.perPartition
    const more = Array.from({ length: share - 1 }, (_, n) => [`more${n}`, 0, "first0"] as const)
    const late = new Map<string, number>()
    await overStore(
      late,
      MemoryStorage.layer
    )(
      Effect.gen(function* () {
        yield* (yield* Dispatcher).start({ graceMs: 0 })
        yield* TestClock.adjust(100)
        yield* put(...Array.from({ length: count }, (_, n) => [`first${n}`, 0] as const), ...more)
        yield* TestClock.adjust(1)
        yield* put(["next", 0])
        for (let ms = 0; ms < 50; ms++) yield* TestClock.adjust(1)
      })
    )
    assert.isAtLeast(late.get("next")!, least)
    assert.isAtMost(late.get("next")!, most)
  }
)

covers("SERVICE-31")
it.each([
  [["a"], bounds.timer.limit / 2],
  [["a", "b", "c", "d", "e", "f"], bounds.timer.limit - 1]
])("a job is not held up by those of partitions that are silent: %j", async (silent, most) => {
  const late = new Map<string, number>()
  const jobs = silent.flatMap((one) =>
    Array.from({ length: 2 * bounds.timer.limit }, (_, n) => [`silent-${one}${n}`, 0, one] as const)
  )
  await Effect.gen(function* () {
    yield* (yield* Dispatcher).start({ graceMs: 0 })
    yield* put(...jobs)
    for (let ms = 0; ms < 1_000; ms += 25) yield* TestClock.adjust(25)
    assert.isAtMost(late.size, most)
    const begun = new Set([...late.keys()].map((id) => id.slice(0, "silent-a".length)))
    assert.deepEqual(
      [...begun].sort(),
      silent.map((one) => `silent-${one}`)
    )
    yield* put(["other", 0])
    for (let ms = 0; ms < LATE_MS; ms += 5) yield* TestClock.adjust(5)
    assert.isBelow(late.get("other")!, LATE_MS)
  }).pipe(overStore(late, MemoryStorage.layer))
})

it("a node that has nothing to do asks once a second what is pending, and claims nothing; a job that another holds is claimed for", async () => {
  const asked = { claims: 0, pending: 0 }
  const counted = Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        pending: (queues) => Effect.suspend(() => (asked.pending++, store.pending(queues))),
        claim: (query) => Effect.suspend(() => (asked.claims++, store.claim(query)))
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  await overStore(
    new Map(),
    counted
  )(
    Effect.gen(function* () {
      yield* (yield* Dispatcher).start({ graceMs: 0 })
      yield* TestClock.adjust(5_000)
      const before = { ...asked }
      yield* TestClock.adjust(10_000)
      assert.deepEqual(asked, { claims: before.claims, pending: before.pending + 10 })
      // A hint of one queue changes its moments, but not how often all of them ask.
      yield* TestClock.adjust(300)
      ;(yield* JobNotifier).notify("timer")
      yield* TestClock.adjust(700)
      const hinted = { ...asked }
      yield* TestClock.adjust(10_000)
      assert.deepEqual(asked, { claims: before.claims + 1, pending: hinted.pending + 10 })
      const at = yield* Clock.currentTimeMillis
      const held = job("timer", { due_at: at, lease: { token: "gone/1", wall: at, lease_ms: 10_000 } })
      yield* (yield* Storage).commit(change("mer", { jobs: [held] }))
      yield* TestClock.adjust(5_000)
      assert.strictEqual(asked.claims, before.claims + 6)
    })
  )
})

it("a job that was given back is claimed when its wait is over, before the store is asked again", async () => {
  const late = new Map<string, number>()
  let failed = 0
  const failing = Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        commit: (written) =>
          written.lease !== undefined && failed++ === 0
            ? Effect.fail(new StorageFault({ message: "away", retryable: true }))
            : store.commit(written)
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  await overStore(
    late,
    failing
  )(
    Effect.gen(function* () {
      yield* (yield* Dispatcher).start({ graceMs: 0 })
      yield* TestClock.adjust(100)
      yield* put(["timer", 0])
      for (let ms = 0; ms < 800; ms += 5) yield* TestClock.adjust(5)
    })
  )
  assert.strictEqual(failed, 2)
  assert.isAtLeast(late.get("timer")!, 250)
  assert.isBelow(late.get("timer")!, LATE_MS)
})
