/** The gauges about the store and the providers: what they show, and what happens when they cannot be read. */
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { readings } from "../../../src/engine/ports/metrics.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { Gauges } from "../../../src/engine/work/Gauges.ts"
import { changes, valueOf } from "../../support/http/metrics.ts"
import { simulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"

/** The memory store, with some methods replaced. */
const storeWith = (over: Partial<Storage["Service"]>): Layer.Layer<Storage> =>
  Layer.effect(
    Storage,
    Effect.map(Storage, (storage) => Storage.of({ ...storage, ...over }))
  ).pipe(Layer.provide(MemoryStorage.layer))

const fault = Effect.fail(new StorageFault({ message: "the database is away", retryable: true }))

const failed = (reading: string) => `corridor_refresh_failed_total{reading="${reading}"}`
const age = (reading: string) => valueOf(`corridor_refresh_age_seconds{reading="${reading}"}`)

describe("a reading that fails", () => {
  covers("METRICS-4")
  it("leaves its gauges as they were, is counted, and hinders no other", async () => {
    const program = Effect.gen(function* () {
      const gauges = yield* Gauges
      const since = changes()
      for (const reading of readings) yield* gauges.refresh(reading)
      assert.strictEqual(valueOf(`corridor_jobs_due{queue="timer"}`), 3)
      assert.strictEqual(valueOf(`corridor_job_lag_seconds{queue="timer"}`)! > 0, true)
      assert.deepEqual(since(...readings.map(failed)), [1, 0, 1, 0, 0, 0, 0])
    })
    const engine = simulatedEngine({
      storage: storeWith({
        stalled: () => fault,
        platformBalances: () => fault,
        backlog: ({ now, queues }) =>
          Effect.succeed(queues.map((queue) => ({ queue, due: 3, due_since: now - 1000, retried_since: null })))
      })
    })
    await Effect.runPromise(Effect.provide(program, engine))
  })

  it("ends after five seconds when nothing answers, and is made again after the interval", async () => {
    let asked = 0
    const engine = simulatedEngine({
      storage: storeWith({ stalled: () => Effect.suspend(() => (asked++, Effect.never)) })
    })
    const program = (time: TestClock.TestClock) =>
      Effect.scoped(
        Effect.gen(function* () {
          const gauges = yield* Gauges
          const since = changes()
          yield* gauges.start(15_000)
          yield* time.adjust("4900 millis")
          assert.deepEqual([asked, since(failed("waiting"))], [1, [0]])
          yield* time.adjust("100 millis")
          assert.deepEqual([asked, since(failed("waiting"))], [1, [1]])
          // A reading of five seconds is made again after twenty times as long.
          yield* time.adjust("99 seconds")
          assert.strictEqual(asked, 1)
          yield* time.adjust("1 seconds")
          assert.strictEqual(asked, 2)
          assert.strictEqual(age("waiting"), 105)
          assert.isAtMost(age("queues")!, 15)
        })
      )
    const timed = Effect.flatMap(Clock.Clock, (clock) => Effect.provide(program(clock as TestClock.TestClock), engine))
    await Effect.runPromise(Effect.provide(timed, TestClock.layer()))
  })
})

describe("the float", () => {
  const statement = (balances: ReadonlyArray<readonly [string | null, string, string]>) => ({
    balances: Effect.succeed(
      balances.map(([network, currency, available]) => ({ network, currency, available, pending: "0" }))
    ),
    lines: () => Effect.succeed({ lines: [], cursor: null })
  })
  it("shows what each provider reports, and zero for what it reports no more", async () => {
    let wallets = [
      ["base", "USDC", "1234.56"],
      [null, "NGN", "0.10"]
    ] as ReadonlyArray<readonly [string | null, string, string]>
    const program = Effect.gen(function* () {
      const gauges = yield* Gauges
      yield* gauges.refresh("float")
      const usdc = `corridor_float_balance{provider="simulated",network="base",currency="USDC"}`
      const ngn = `corridor_float_balance{provider="simulated",network="",currency="NGN"}`
      assert.deepEqual([valueOf(usdc), valueOf(ngn)], [1234.56, 0.1])
      wallets = [[null, "NGN", "7"]]
      yield* gauges.refresh("float")
      assert.deepEqual([valueOf(usdc), valueOf(ngn)], [0, 7])
    })
    const engine = simulatedEngine({
      around: (inner) => ({
        ...inner,
        statements: { ...statement([]), balances: Effect.suspend(() => statement(wallets).balances) }
      })
    })
    await Effect.runPromise(Effect.provide(program, engine))
  })
})
