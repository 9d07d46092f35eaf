/** Jobs that a commit makes due at once are run by the process that made them, without a claim. */
import { Clock, Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { type Change, Storage, type CommitResult } from "../../../src/engine/ports/Storage.ts"
import { runAsOf } from "../../../src/engine/ports/Time.ts"
import { bounds, Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { change, job } from "../../adapters/storage/support.ts"
import { overStore } from "../../support/engines/dispatching.ts"
import { covers } from "../../support/repository/covers.ts"

covers("SERVICE-24")

const away = Effect.fail(new StorageFault({ message: "away", retryable: true }))

/** What goes wrong at a store: the calls that fail, and where it is. */
interface Trouble {
  readonly fail?: boolean
  readonly jobs?: number
  readonly place?: string
}

/** A store that counts the jobs of its claims. `isShared`: other processes may use it. */
const counting = (claimed: Array<string>, isShared = false, trouble: { now: Trouble } = { now: {} }) =>
  Layer.effect(
    Storage,
    Effect.map(Storage, ({ exclusive, ...store }) =>
      Storage.of({
        ...store,
        ...(isShared || exclusive === undefined ? {} : { exclusive }),
        heartbeat: (beat) => (trouble.now.fail === true ? away : store.heartbeat(beat)),
        job: (merchant_id, id) =>
          Effect.suspend(() => {
            const { jobs = 0 } = trouble.now
            trouble.now = { ...trouble.now, jobs: jobs - 1 }
            return jobs > 0 ? away : store.job(merchant_id, id)
          }),
        identity: Effect.sync(() => ({ found: trouble.now.place ?? "1/1/1", recorded: "1/1/1" })),
        claim: (query) =>
          trouble.now.place !== undefined
            ? Effect.succeed([])
            : Effect.tap(store.claim(query), (jobs) => Effect.sync(() => claimed.push(...jobs.map(({ id }) => id))))
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

it("where the commit has compared the database, nothing is compared again, and a copy that did not say so is", async () => {
  const late = new Map<string, number>()
  const trouble: { now: Trouble } = { now: {} }
  await Effect.gen(function* () {
    yield* started
    trouble.now = { place: "2/1/1" }
    const storage = yield* Storage
    const commit = (id: string, original?: true) =>
      Effect.flatMap(changeOf(id), (given) =>
        Effect.flatMap(JobNotifier, (notifier) =>
          notifier.writing(given, (taken) => {
            assert.isTrue(taken.jobs[0]!.lease?.compared)
            return Effect.as(storage.commit(taken), {
              verdict: { _tag: "Committed", ...(original && { original }) } as CommitResult,
              attempts: 1
            })
          })
        )
      )
    yield* commit("here", true)
    yield* commit("elsewhere")
    yield* TestClock.adjust(0)
    assert.deepEqual([...late.keys()], ["here"])
  }).pipe(overStore(late, counting([], true, trouble)))
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
    yield* runAsOf((yield* Clock.currentTimeMillis) - 10, Effect.flatMap(changeOf("past"), written))
    yield* TestClock.adjust(0)
    assert.deepEqual(claimed, ["past"])
  }).pipe(overStore(new Map(), counting(claimed)))
})

it("a Change that is refused gives the room of its jobs back", async () => {
  const late = new Map<string, number>()
  const refused: CommitResult = { _tag: "LeaseLost" }
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
        return { verdict: { _tag: "LeaseLost" } as CommitResult, attempts: 2 }
      })
    yield* Effect.exit((yield* JobNotifier).writing(yield* changeOf("now"), lost))
    yield* TestClock.adjust(100)
    assert.deepEqual([...late.keys()], isWritten ? ["now"] : [])
    yield* TestClock.adjust(90_000)
    assert.strictEqual(late.size, isWritten ? 1 : 0)
  }).pipe(overStore(late, counting([])))
})

it("a process that stalled during the commit leaves its jobs: another may have claimed them", async () => {
  const late = new Map<string, number>()
  const claimed: Array<string> = []
  const trouble: { now: Trouble } = { now: {} }
  await Effect.gen(function* () {
    yield* started
    const storage = yield* Storage
    yield* (yield* JobNotifier).writing(yield* changeOf("now"), (given) =>
      Effect.gen(function* () {
        const verdict = yield* storage.commit(given)
        trouble.now = { fail: true }
        yield* TestClock.adjust(10_000)
        return { verdict, attempts: 1 }
      })
    )
    assert.deepEqual([...late.keys()], [])
    trouble.now = {}
    yield* TestClock.adjust(60_000)
    assert.deepEqual([...late.keys()], ["now"])
    assert.deepEqual(claimed, ["now"])
  }).pipe(overStore(late, counting(claimed, true, trouble)))
})

const { limit } = bounds.command

it("jobs that are due before it and wait for room go first", async () => {
  const late = new Map<string, number>()
  await Effect.gen(function* () {
    yield* started
    const at = yield* Clock.currentTimeMillis
    const slow = Array.from({ length: limit + 12 }, (_, n) =>
      job("command", { id: `slow${n}`, partition_key: `p${n}`, due_at: at, created_at: at })
    )
    yield* (yield* Storage).commit(change("mer", { at, jobs: slow }))
    ;(yield* JobNotifier).notify("command")
    yield* TestClock.adjust(30)
    assert.strictEqual(late.size, limit)
    yield* written(yield* changeOf("now"))
    assert.isNull((yield* (yield* Storage).job("mer", "now"))!.lease)
  }).pipe(overStore(late, counting([])))
})

it("a job does not overtake one that waits for the room that such jobs have taken", async () => {
  const late = new Map<string, number>()
  let taken = 0
  await Effect.gen(function* () {
    yield* started
    const storage = yield* Storage
    const notifier = yield* JobNotifier
    const counted = (given: Change) =>
      notifier.writing(given, (change) => {
        if (change.jobs[0]!.lease !== undefined) taken++
        return Effect.map(storage.commit(change), (verdict) => ({ verdict, attempts: 1 }))
      })
    for (let n = 0; n < limit; n++) {
      yield* counted(yield* changeOf(`slow${n}`))
      if (n % 8 === 7) yield* TestClock.adjust(10)
    }
    assert.strictEqual(taken, limit)
    yield* counted(yield* changeOf("waits"))
    yield* TestClock.adjust(200)
    for (let n = 0; n < 400 && !late.has("waits"); n++) {
      yield* TestClock.adjust(3)
      if (!late.has("waits") && n % 2 === 0) yield* counted(yield* changeOf(`slow-later${n}`))
      assert.strictEqual(taken, limit)
    }
    assert.isTrue(late.has("waits"))
  }).pipe(overStore(late, counting([])))
})

covers("RESTORE-1")
it("a standby that was promoted a moment ago runs none: its database is compared after the commit", async () => {
  const late = new Map<string, number>()
  const trouble: { now: Trouble } = { now: {} }
  await Effect.gen(function* () {
    yield* started
    trouble.now = { place: "1/1/2" }
    yield* written(yield* changeOf("now"))
    yield* TestClock.adjust(1_000)
    assert.deepEqual([...late.keys()], [])
  }).pipe(overStore(late, counting([], true, trouble)))
})

it("a job whose commit and whose first look are not answered begins as soon as the store answers", async () => {
  const late = new Map<string, number>()
  const trouble: { now: Trouble } = { now: {} }
  await Effect.gen(function* () {
    yield* started
    const storage = yield* Storage
    trouble.now = { jobs: 3 }
    yield* Effect.exit(
      (yield* JobNotifier).writing(yield* changeOf("now"), (given) => Effect.andThen(storage.commit(given), away))
    )
    for (let n = 0; n < 50 && late.size === 0; n++) yield* TestClock.adjust(100)
    assert.isBelow(late.get("now")!, 1_000)
  }).pipe(overStore(late, counting([], true, trouble)))
})
