/** Settling and advancing the clock (SANDBOX-10): bounded, whoever else is at work, and as cheap as what changes. */
import { Clock, type Duration, Effect, Fiber, Layer, Option, Schedule } from "effect"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { WebhookEndpoints } from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { LAST_INSTANT, ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { merchantAtWork, type MerchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { onEveryStore, onMemory, type Run } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

const day = 86_400

const endpointOf = Effect.fnUntraced(function* (m: MerchantAtWork, url: string) {
  const endpoints = yield* WebhookEndpoints
  const { id } = yield* endpoints.create(m.caller, { url, categories: ["transfer"] })
  yield* endpoints.update(m.caller, id, { active: true })
  return id
})

/** A receiver whose address says how it behaves. */
const receivers = () =>
  MemoryWebhookSink.layer({
    answer: ({ url }) => {
      if (url.includes("silent")) return new Promise(() => {})
      return url.includes("dead") ? { response_status: null } : {}
    }
  })

const inTime = <A, E, R>(effect: Effect.Effect<A, E, R>, limit: Duration.Input = "30 seconds") =>
  Effect.map(Effect.timeoutOption(effect, limit), (ended) =>
    Option.getOrElse(ended, () => assert.fail("it has not ended"))
  )

const shared = (run: Run): void => {
  covers("SANDBOX-10")
  it("settles and advances any number at once, of merchants that have work and of one that has none", () =>
    run(
      Effect.gen(function* () {
        const idle = yield* merchantAtWork()
        const busy = yield* merchantAtWork()
        const { id } = yield* busy.transfer("10")
        const all = yield* inTime(
          Effect.all([idle.settle, idle.settle, busy.settle, busy.settle, idle.advance(5), busy.advance(5)], {
            concurrency: "unbounded"
          })
        )
        assert.lengthOf(all, 6)
        yield* busy.says(id, "success")
      })
    ))

  it("does so beside a dispatcher that works, while another merchant's work never ends", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const other = yield* merchantAtWork("100000")
        yield* (yield* Dispatcher).start({ graceMs: 0 })
        const load = yield* Effect.forkChild(
          Effect.forever(Effect.flatMap(other.transfer("1"), ({ id }) => other.says(id, "success")))
        )
        const { id } = yield* m.transfer("10")
        yield* inTime(m.settle)
        assert.strictEqual((yield* m.rowOf(id)).state, "submitting")
        yield* inTime(m.advance(60))
        yield* Fiber.interrupt(load)
        yield* m.says(id, "success")
        yield* inTime(other.settle)
        yield* other.advance(day)
        // A transfer whose job a stalled dispatcher has left stays in the queue until the lease ends, and takes no outcome before.
        const ended = Effect.flatMap(other.underWay, (ids) =>
          Effect.as(
            Effect.forEach(ids, (of) => other.says(of, "success")),
            ids.length === 0
          )
        )
        yield* inTime(
          Effect.repeat(ended, { until: (all) => all, schedule: Schedule.spaced("50 millis") }),
          "50 seconds"
        )
      }).pipe(Effect.scoped)
    ))

  it("runs nothing of another merchant's", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const other = yield* merchantAtWork()
        const [mine, others] = [yield* m.transfer("10"), yield* other.transfer("10")]
        assert.isAbove((yield* m.settle).steps, 0)
        assert.strictEqual((yield* m.rowOf(mine.id)).state, "submitting")
        assert.strictEqual((yield* other.rowOf(others.id)).state, "queued")
        yield* m.says(mine.id, "success")
        yield* other.settle
        yield* other.says(others.id, "success")
      })
    ))

  it("steps over what the provider holds, however long that is, and takes it up where it is released", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("10000")
        yield* m.behaves("hold")
        const made = yield* Effect.forEach(Array.from({ length: 50 }), () => m.transfer("10"), { concurrency: 10 })
        const week = yield* m.advance(7 * day)
        const year = yield* m.advance(365 * day)
        assert.isBelow(week.steps + year.steps, 150)
        yield* m.behaves("accept")
        yield* m.settle
        for (const { id } of made) {
          assert.strictEqual((yield* m.rowOf(id)).state, "submitting")
          yield* m.says(id, "success")
        }
      })
    ))

  it("makes the retries of a day to a dead receiver in a few rounds, each as of its time", () =>
    run(
      Effect.gen(function* () {
        const endpoints = yield* WebhookEndpoints
        const m = yield* merchantAtWork("10000")
        const id = yield* endpointOf(m, "https://dead.example/")
        const made = yield* Effect.forEach(Array.from({ length: 30 }), () => m.transfer("10"), { concurrency: 10 })
        yield* m.settle
        for (const { id } of made) yield* m.says(id, "success")
        const began = performance.now()
        const { steps } = yield* m.advance(day)
        // The service's clock runs on while the rounds are made, as long as they take.
        const took_s = (performance.now() - began) / 1000
        assert.isBelow(steps, 50)
        const { items, total } = yield* endpoints.deliveries(m.caller, id, { per_page: 200 })
        assert.strictEqual(total, 60)
        for (const { attempts } of items) {
          assert.strictEqual(attempts.length, 7)
          for (const [n, delay_s] of [5, 300, 1800, 7200, 18_000, 36_000].entries()) {
            const waited_s = (Date.parse(attempts[n + 1]!.at) - Date.parse(attempts[n]!.at)) / 1000
            assert.isAtLeast(waited_s, delay_s * 0.9 - 0.001)
            assert.isAtMost(waited_s, delay_s * 1.1 + 2 + took_s)
          }
        }
      }),
      { webhooks: receivers() }
    ))
}

/** The rest is not the store's. */
const alone = (run: Run): void => {
  covers("SANDBOX-9")
  it("waits two seconds for receivers that do not answer, and says how many deliveries are left", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* endpointOf(m, "https://silent.example/")
        yield* endpointOf(m, "https://alive.example/")
        const { id } = yield* m.transfer("10")
        const settled = yield* inTime(m.settle)
        assert.strictEqual(settled.deliveries_pending, 1)
        const advanced = yield* inTime(m.advance(day))
        assert.isBelow(advanced.steps, 10)
        yield* m.says(id, "success")
        const other = yield* merchantAtWork()
        const began = performance.now()
        assert.deepStrictEqual(yield* other.settle, { steps: 0, deliveries_pending: 0 })
        assert.isBelow(performance.now() - began, 1900)
      }),
      { webhooks: receivers() }
    ))

  it("waits for no deliveries that are asked for while it delivers", () => {
    let results = 0
    let more: () => Promise<unknown> = () => Promise.resolve()
    const webhooks = MemoryWebhookSink.layer({
      answer: () => (results++ < 2_000 ? more().then(() => ({})) : {})
    })
    return run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const id = yield* endpointOf(m, "https://asks-again.example/")
        const endpoints = yield* WebhookEndpoints
        const ping = endpoints.ping(m.caller, id)
        const context = yield* Effect.context()
        more = () => Effect.runPromiseWith(context)(ping)
        yield* ping
        yield* inTime(m.advance(60))
        yield* inTime(m.settle)
        assert.isBelow(results, 2_000)
      }),
      { webhooks }
    )
  })

  it("goes no further than the clock does, also by a sum of advances made at once", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const tenYears = 315_360_000
        const outcomes = yield* Effect.all(
          Array.from({ length: 9 }, () => Effect.result(m.advance(tenYears))),
          { concurrency: "unbounded" }
        )
        const refused = outcomes.flatMap((one) => (one._tag === "Failure" ? [one.failure] : []))
        assert.isAtLeast(refused.length, 1)
        for (const failure of refused) assert.strictEqual(failure._tag, "InvalidInput")
        const left = (LAST_INSTANT - (yield* Clock.currentTimeMillis)) / 1000
        yield* m.advance(Math.floor(left - 5))
        yield* m.settle
        assert.strictEqual((yield* Effect.result(m.advance(6)))._tag, "Failure")
        // Also where it stands at its end: ids are still made, and work is done.
        yield* Effect.flatMap(ServiceClock, ({ moveTo }) => moveTo(LAST_INSTANT + 1e15))
        assert.strictEqual(yield* Clock.currentTimeMillis, LAST_INSTANT)
        yield* m.advance(0)
        yield* m.deposit({ amount: "10" })
        const { id } = yield* m.transfer("10")
        yield* m.settle
        yield* m.says(id, "success")
      })
    ))

  it("stops where nobody waits for the answer", () => {
    let asked = 0
    const storage = Layer.effect(
      Storage,
      Effect.map(Storage, (store) => ({
        ...store,
        nextDue: (...args: Parameters<typeof store.nextDue>) => {
          asked++
          return Effect.delay(store.nextDue(...args), "20 millis")
        }
      }))
    ).pipe(Layer.provide(MemoryStorage.layer))
    return Effect.gen(function* () {
      const m = yield* merchantAtWork()
      yield* m.transfer("10")
      const advancing = yield* Effect.forkChild(Effect.uninterruptible(m.advance(365 * day)), {
        startImmediately: true
      })
      yield* Effect.sleep("100 millis")
      yield* Fiber.interrupt(advancing)
      // A year has some 370 deadlines.
      assert.isBelow(asked, 50)
    }).pipe(Effect.provide(makeSimulatedEngine({ storage })), Effect.runPromise)
  })
}

it("a store whose clock was moved too far starts, and shows the last time that there is", () =>
  Effect.gen(function* () {
    const storage = yield* Storage
    yield* storage.assign("clock_offset_ms", String(Number.MAX_SAFE_INTEGER - 1))
    yield* Effect.gen(function* () {
      const m = yield* merchantAtWork("10")
      assert.strictEqual(yield* Clock.currentTimeMillis, LAST_INSTANT)
      yield* Clock.currentTimeNanos
      const { id } = yield* m.transfer("10")
      yield* m.settle
      yield* m.says(id, "success")
    }).pipe(Effect.provide(makeSimulatedEngine({ storage: Layer.succeed(Storage, storage) })))
  }).pipe(Effect.provide(MemoryStorage.layer), Effect.runPromise))

onEveryStore("settling", shared)
onMemory("settling alone", alone)
