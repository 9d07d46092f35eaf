/** Jobs that a commit makes due at once are run by the process that made them, without a claim. */
import { Clock, Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { type Change, Storage, type Verdict } from "../../../src/engine/ports/Storage.ts"
import { asOf } from "../../../src/engine/ports/Time.ts"
import { Dispatcher } from "../../../src/engine/work/Dispatcher.ts"
import { change, job } from "../../adapters/storage/support.ts"
import { overStore } from "../../support/engines/dispatching.ts"
import { covers } from "../../support/repository/covers.ts"

covers("SERVICE-24")

/** A store that counts the jobs of its claims. `isShared`: other processes may use it. */
const counting = (claimed: Array<string>, isShared = false, beats = { fail: false }) =>
  Layer.effect(
    Storage,
    Effect.map(Storage, ({ exclusive, ...store }) =>
      Storage.of({
        ...store,
        ...(isShared || exclusive === undefined ? {} : { exclusive }),
        beat: (beat) =>
          beats.fail ? Effect.fail(new StorageFault({ message: "away", retryable: true })) : store.beat(beat),
        claim: (query) =>
          Effect.tap(store.claim(query), (jobs) => Effect.sync(() => claimed.push(...jobs.map(({ id }) => id))))
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))

const started = Effect.gen(function* () {
  yield* (yield* Dispatcher).start({ graceMs: 0 })
  yield* TestClock.adjust(60)
})

const changeOf = (id: string, after_ms = 0) =>
  Effect.map(Clock.currentTimeMillis, (at) =>
    change("mer", {
      at,
      jobs: [job("command", { id, partition_key: id, due_at: at + after_ms, created_at: at })]
    })
  )

/** Commits through the notifier. */
const written = (given: Change) =>
  Effect.gen(function* () {
    const storage = yield* Storage
    return yield* (yield* JobNotifier).writing(given, (taken) =>
      Effect.map(storage.commit(taken), (verdict) => ({ verdict, attempts: 1 }))
    )
  })

it("a job that is due at once runs in the process that wrote it, once, and no claim brings it", async () => {
  const late = new Map<string, number>()
  const claimed: Array<string> = []
  await Effect.gen(function* () {
    yield* started
    yield* written(yield* changeOf("now"))
    yield* written(yield* changeOf("later", 300))
    yield* TestClock.adjust(0)
    assert.deepEqual([...late], [["now", 0]])
    yield* TestClock.adjust(1_500)
    assert.deepEqual([...late.keys()], ["now", "later"])
    assert.deepEqual(claimed, ["later"])
    assert.isUndefined(yield* (yield* Storage).job("mer", "now"))
  }).pipe(overStore(late, counting(claimed)))
})

it("a process that runs no jobs leaves them to the others", async () => {
  const late = new Map<string, number>()
  await Effect.gen(function* () {
    yield* written(yield* changeOf("now"))
    assert.isNull((yield* (yield* Storage).job("mer", "now"))!.lease)
    yield* TestClock.adjust(5_000)
    assert.strictEqual(late.size, 0)
  }).pipe(overStore(late, counting([])))
})

it("work that runs as of another time leaves its jobs to claims as of that time", async () => {
  const claimed: Array<string> = []
  await Effect.gen(function* () {
    yield* started
    yield* asOf((yield* Clock.currentTimeMillis) - 10, Effect.flatMap(changeOf("past"), written))
    yield* TestClock.adjust(0)
    assert.deepEqual(claimed, ["past"])
  }).pipe(overStore(new Map(), counting(claimed)))
})

it("a Change that is refused gives the room of its jobs back", async () => {
  const late = new Map<string, number>()
  const refused: Verdict = { _tag: "LeaseLost" }
  const claimed: Array<string> = []
  await Effect.gen(function* () {
    yield* started
    const given = yield* changeOf("now")
    const notifier = yield* JobNotifier
    const leases = yield* Ref.make<ReadonlyArray<boolean>>([])
    for (let n = 0; n < 8; n++)
      yield* notifier.writing(given, ({ jobs }) =>
        Effect.as(
          Ref.update(leases, (all) => [...all, jobs[0]!.lease !== undefined]),
          { verdict: refused, attempts: 1 }
        )
      )
    assert.deepEqual(
      yield* Ref.get(leases),
      Array.from({ length: 8 }, () => true)
    )
    yield* TestClock.adjust(0)
    assert.strictEqual(late.size, 0)
    yield* written(given)
    yield* TestClock.adjust(0)
    assert.strictEqual(late.size, 1)
    assert.deepEqual(claimed, [])
  }).pipe(overStore(late, counting(claimed)))
})

it.each<[string, boolean, "fault" | "repeated" | "interrupted"]>([
  ["runs its job if it was written", true, "fault"],
  ["runs its job if it was written", true, "repeated"],
  ["runs its job if it was written", true, "interrupted"],
  ["runs nothing if it was not", false, "fault"],
  ["runs nothing if it was not", false, "repeated"]
])("a Change whose answer is lost %s", async (_, isWritten, end) => {
  const late = new Map<string, number>()
  await Effect.gen(function* () {
    yield* started
    const storage = yield* Storage
    const lost = (given: Change) =>
      Effect.gen(function* () {
        if (isWritten) yield* storage.commit(given)
        if (end === "interrupted") return yield* Effect.interrupt
        if (end === "fault") return yield* new StorageFault({ message: "no answer", retryable: true })
        return { verdict: { _tag: "LeaseLost" } as Verdict, attempts: 2 }
      })
    yield* Effect.exit((yield* JobNotifier).writing(yield* changeOf("now"), lost))
    yield* TestClock.adjust(0)
    assert.deepEqual([...late.keys()], isWritten ? ["now"] : [])
  }).pipe(overStore(late, counting([])))
})

it("a process that stalled during the commit leaves its jobs: another may have claimed them", async () => {
  const late = new Map<string, number>()
  const claimed: Array<string> = []
  const beats = { fail: false }
  await Effect.gen(function* () {
    yield* started
    const storage = yield* Storage
    yield* (yield* JobNotifier).writing(yield* changeOf("now"), (given) =>
      Effect.gen(function* () {
        const verdict = yield* storage.commit(given)
        beats.fail = true
        yield* TestClock.adjust(10_000)
        return { verdict, attempts: 1 }
      })
    )
    assert.deepEqual([...late.keys()], [])
    beats.fail = false
    yield* TestClock.adjust(60_000)
    assert.deepEqual([...late.keys()], ["now"])
    assert.deepEqual(claimed, ["now"])
  }).pipe(overStore(late, counting(claimed, true, beats)))
})

it("jobs that are due before it and wait for room go first", async () => {
  const late = new Map<string, number>()
  await Effect.gen(function* () {
    yield* started
    const at = yield* Clock.currentTimeMillis
    const slow = Array.from({ length: 140 }, (_, n) =>
      job("command", { id: `slow${n}`, partition_key: `p${n}`, due_at: at, created_at: at })
    )
    yield* (yield* Storage).commit(change("mer", { at, jobs: slow }))
    ;(yield* JobNotifier).notify("command")
    yield* TestClock.adjust(30)
    assert.strictEqual(late.size, 128)
    yield* written(yield* changeOf("now"))
    assert.isNull((yield* (yield* Storage).job("mer", "now"))!.lease)
  }).pipe(overStore(late, counting([])))
})
