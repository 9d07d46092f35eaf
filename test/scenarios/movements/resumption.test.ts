/** Much work that waits for a pause or a suspended merchant: it goes on in batches, also after a crash (BRAKE-4). */
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import { assert, describe, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { EMPTY, pausedQueue, PLATFORM_MERCHANT, type Queue, Storage } from "../../../src/engine/ports/Storage.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { Brakes, type CreateBrake } from "../../../src/engine/resources/movements/brake.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { wallClock } from "../../support/engines/wall-clock.ts"

type Store = Storage["Service"]

const many = 400
const batch = 128

const memory = (): Store =>
  Context.get(Effect.runSync(Effect.scoped(Layer.build(Layer.fresh(MemoryStorage.layer)))), Storage)

/** A process over a store. After `dies(n)`, it ends at the n-th job that it moves back. */
const processOver = (store: Store, ahead_ms = 0) => {
  let moves = 0
  let last = Infinity
  const isDead = () => moves >= last
  const dead = Effect.fail(new StorageFault({ message: "the process has died", retryable: false }))
  const alive = <A>(effect: Effect.Effect<A, StorageFault>) => Effect.suspend(() => (isDead() ? dead : effect))
  const storage: Store = Storage.of({
    ...store,
    claim: (query) => alive(store.claim(query)),
    commit: (change) =>
      alive(
        Effect.suspend(() => {
          const [job] = change.jobs
          if (
            job !== undefined &&
            change.lease?.job === job.id &&
            job.body["operation"] === "submit" &&
            change.rows.length === 0
          )
            moves++
          return isDead() ? dead : store.commit(change)
        })
      )
  })
  const engine = ManagedRuntime.make(
    makeSimulatedEngine({ storage: Layer.succeed(Storage, storage) }).pipe(
      Layer.provideMerge(wallClock(() => Date.now() + ahead_ms))
    )
  )
  return {
    run: engine.runPromise,
    moves: () => moves,
    dies: (n: number) => void (last = moves + n),
    isDead
  }
}

/** Runs the work that is due, as long as the process lives. */
const working = Effect.flatMap(Dispatcher, ({ drain }) => Effect.ignore(drain()))

const brake = (input: CreateBrake) =>
  Effect.flatMap(call(PLATFORM_MERCHANT), (operator) => Brakes.use((brakes) => brakes.create(operator, input)))
const release = (id: string) =>
  Effect.flatMap(call(PLATFORM_MERCHANT), (operator) => Brakes.use((brakes) => brakes.release(operator, id, {})))

const waiting = (store: Store, { merchant_id }: MerchantAtWork, queue: Queue, body = {}) =>
  Effect.map(store.jobs({ merchant_id, queue, status: "pending", body, offset: 0, limit: 1 }), ({ total }) => total)

const transfers = (m: MerchantAtWork, count: number) =>
  Effect.forEach(Array.from({ length: count }), () => Effect.map(m.transfer("1"), ({ id }) => id), { concurrency: 16 })

const states = (m: MerchantAtWork, ids: ReadonlyArray<string>) =>
  Effect.map(
    Effect.forEach(ids, (id) => m.rowOf(id)),
    (rows) => [...new Set(rows.map(({ state }) => state))]
  )

describe("the release of a brake that stopped much", () => {
  covers("BRAKE-2", "BRAKE-4")

  it("answers after it has moved a bounded part, and a process goes on where another has died", async () => {
    const store = memory()
    const one = processOver(store)
    const { ids, m } = await one.run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const { id } = yield* brake({ scope: "merchant", merchant_id: m.merchant_id })
        const ids = yield* transfers(m, many)
        yield* (yield* Dispatcher).drain()
        assert.strictEqual(yield* waiting(store, m, pausedQueue), many)
        const before = one.moves()
        yield* release(id)
        assert.isAtMost(one.moves() - before, batch)
        one.dies(batch + 50)
        yield* working
        assert.isTrue(one.isDead())
        return { ids, m }
      })
    )
    const left = await Effect.runPromise(waiting(store, m, pausedQueue))
    assert.isAbove(left, 0)
    assert.isBelow(left, many)
    // Later, when what the dead process had claimed is free again.
    const other = processOver(store, 120_000)
    await other.run(
      Effect.gen(function* () {
        yield* working
        assert.strictEqual(yield* waiting(store, m, pausedQueue), 0)
        assert.deepEqual(yield* states(m, ids), ["submitting"])
      })
    )
  })

  it("lets all go on after several releases at once, by two processes", async () => {
    const store = memory()
    const [one, other] = [processOver(store), processOver(store)]
    const { ids, m, rest } = await one.run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const brakes = yield* Effect.forEach(
          [
            { scope: "all" },
            { scope: "merchant", merchant_id: m.merchant_id },
            { scope: "provider", provider: "simulated" },
            { scope: "corridor", source_currency: "USDC" }
          ] satisfies ReadonlyArray<CreateBrake>,
          brake
        )
        const ids = yield* transfers(m, 200)
        yield* (yield* Dispatcher).drain()
        const [first, second, ...rest] = brakes.map(({ id }) => id)
        yield* Effect.all([release(first!), release(second!), (yield* Dispatcher).drain()], { concurrency: 3 })
        assert.deepEqual(yield* states(m, ids), ["queued"])
        return { ids, m, rest }
      })
    )
    await Promise.all([one.run(release(rest[0]!)), other.run(release(rest[1]!))])
    await other.run(
      Effect.gen(function* () {
        yield* working
        assert.strictEqual(yield* waiting(store, m, pausedQueue), 0)
        assert.deepEqual(yield* states(m, ids), ["submitting"])
      })
    )
  })

  it("finds what a node with a clock that is ahead stopped just before", async () => {
    const store = memory()
    const one = processOver(store)
    const ahead = processOver(store, 4000)
    const { brake_id, m } = await one.run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        return { m, brake_id: (yield* brake({ scope: "all" })).id }
      })
    )
    const id = await ahead.run(
      Effect.gen(function* () {
        const { id } = yield* m.transfer("1")
        yield* (yield* Dispatcher).drain()
        return id
      })
    )
    await one.run(
      Effect.gen(function* () {
        yield* release(brake_id)
        yield* (yield* Dispatcher).drain()
        assert.deepEqual(yield* states(m, [id]), ["queued"])
        yield* m.advance(120)
        assert.deepEqual(yield* states(m, [id]), ["submitting"])
      })
    )
  })
})

describe("the activation of a merchant for which much waits", () => {
  covers("MERCHANT-4", "BRAKE-4")

  const becomes = (m: MerchantAtWork, status: "active" | "suspended") =>
    Merchants.use((merchants) => merchants.update(m.operator, m.merchant_id, { status }))

  it("reads what waits once, whatever its number", async () => {
    const store = memory()
    let read = 0
    const begun: Array<string> = []
    const count = (n: number) => Effect.sync(() => void (read += n))
    const one = processOver(
      Storage.of({
        ...store,
        // Its total is counted over all.
        jobs: (query) => Effect.tap(store.jobs(query), ({ total }) => count(total)),
        jobsAfter: (walk) => {
          begun.push(walk.after)
          return Effect.tap(store.jobsAfter(walk), ({ length }) => count(length))
        }
      })
    )
    await one.run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        yield* transfers(m, many)
        yield* becomes(m, "suspended")
        yield* (yield* Dispatcher).drain()
        read = 0
        yield* becomes(m, "active")
        yield* working
        assert.strictEqual(yield* waiting(store, m, "command", { parked: "merchant_suspended" }), 0)
        assert.strictEqual(read, many)
        // What is blocked again meanwhile is not read again.
        assert.deepEqual(begun, [...new Set(begun)].toSorted())
      })
    )
  })

  it("goes on from the beginning with what a release before had begun", async () => {
    const store = memory()
    const one = processOver(store)
    await one.run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const ids = yield* transfers(m, 3)
        yield* becomes(m, "suspended")
        yield* (yield* Dispatcher).drain()
        yield* becomes(m, "active")
        const { merchant_id: _, lease: __, ...wake } = (yield* store.job(m.merchant_id, "wake.merchant_suspended"))!
        const jobs = [{ ...wake, body: { obstacle: "merchant_suspended", left: 3, operation: "wake" } }]
        const idempotency = { key: "before", fingerprint: "", response: null, expires_at: null }
        yield* store.commit({ ...EMPTY, merchant_id: m.merchant_id, at: Date.now(), idempotency, jobs })
        yield* working
        assert.deepEqual(yield* states(m, ids), ["submitting"])
      })
    )
  })

  it("answers without it, and a process goes on where another has died", async () => {
    const store = memory()
    const one = processOver(store)
    const parked = { parked: "merchant_suspended" }
    const { ids, m } = await one.run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const ids = yield* transfers(m, many)
        yield* becomes(m, "suspended")
        yield* (yield* Dispatcher).drain()
        assert.strictEqual(yield* waiting(store, m, "command", parked), many)
        yield* becomes(m, "active")
        assert.strictEqual(yield* waiting(store, m, "command", parked), many)
        one.dies(150)
        yield* working
        assert.isTrue(one.isDead())
        return { ids, m }
      })
    )
    assert.isAbove(await Effect.runPromise(waiting(store, m, "command", parked)), 0)
    const other = processOver(store, 120_000)
    await other.run(
      Effect.gen(function* () {
        yield* working
        assert.strictEqual(yield* waiting(store, m, "command", parked), 0)
        assert.deepEqual(yield* states(m, ids), ["submitting"])
      })
    )
  })
})
