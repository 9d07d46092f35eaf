/** The gauges about the store and the providers: what they show, and what happens when they cannot be read. */
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { assert, describe, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { ProviderFault, StorageFault } from "../../../src/engine/ports/errors.ts"
import { readings } from "../../../src/engine/ports/metrics.ts"
import { Provider } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { Brakes } from "../../../src/engine/resources/movements/brake.ts"
import { Gauges } from "../../../src/engine/work/upkeep/Gauges.ts"
import { changes, valueOf } from "../../support/http/metrics.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
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
      assert.deepEqual(since(...readings.map(failed)), [1, 0, 0, 1, 0, 0, 0, 0, 0, 0])
    })
    const engine = makeSimulatedEngine({
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
    const engine = makeSimulatedEngine({
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

describe("a gauge", () => {
  /** Refreshes a reading for each of some answers of the store, and returns what `see` reads after each. */
  const seenAfter = <A extends object, B>(
    reading: (typeof readings)[number],
    over: (answer: () => A) => Partial<Storage["Service"]>,
    answers: ReadonlyArray<A>,
    see: () => B
  ): Promise<ReadonlyArray<B>> => {
    let current = answers[0]!
    const program = Effect.gen(function* () {
      const gauges = yield* Gauges
      return yield* Effect.forEach(answers, (answer) => {
        current = answer
        return Effect.map(gauges.refresh(reading), see)
      })
    })
    return Effect.runPromise(Effect.provide(program, makeSimulatedEngine({ storage: storeWith(over(() => current)) })))
  }

  covers("METRICS-3")
  it("of the oldest undelivered event shows what is due, what is under retry, the older of both, and nothing in the end", async () => {
    const ago = (due: number | null, retried: number | null) => [due, retried] as const
    const over = (answer: () => readonly [number | null, number | null]): Partial<Storage["Service"]> => ({
      backlog: ({ now, queues }) =>
        Effect.sync(() => {
          const [due, retried] = answer().map((seconds) => (seconds === null ? null : now - seconds * 1000))
          return queues.map((queue) => ({ queue, due: 1, due_since: due ?? null, retried_since: retried ?? null }))
        })
    })
    const see = () => [
      valueOf("corridor_oldest_undelivered_event_seconds"),
      valueOf("corridor_outbox_lag_seconds"),
      valueOf(`corridor_job_lag_seconds{queue="command"}`)
    ]
    // A failure, its retry, a delivery that is due meanwhile, an older failure, and the recovery.
    const answers = [ago(10, null), ago(null, 40), ago(5, 60), ago(90, 60), ago(null, null)]
    assert.deepEqual(await seenAfter("queues", over, answers, see), [
      [10, 10, 10],
      [40, 0, 0],
      [60, 5, 5],
      [90, 90, 90],
      [0, 0, 0]
    ])
  })

  it("of what waits counts each state under its own sort, and goes back to nothing", async () => {
    const sorts = ["waiting", "submitted", "unknown", "held", "refunding"]
    const of = (state: string, n: number, since: number) => ({ kind: "transfer", state, n, since })
    const states: ReadonlyArray<readonly [state: string, sort: string]> = [
      ["created", "waiting"],
      ["queued", "waiting"],
      ["waiting", "waiting"],
      ["rerouted", "waiting"],
      ["submitting", "submitted"],
      ["unknown", "unknown"],
      ["held", "held"],
      ["refunding", "refunding"]
    ]
    const over = (answer: () => ReadonlyArray<ReturnType<typeof of>>): Partial<Storage["Service"]> => ({
      stalled: ({ now }) => Effect.sync(() => answer().map((one) => ({ ...one, since: now - one.since * 1000 })))
    })
    const see = () =>
      sorts.map((state) => [
        valueOf(`corridor_stalled{state="${state}"}`),
        valueOf(`corridor_oldest_seconds{state="${state}"}`)
      ])
    const zero = [0, 0]
    for (const [state, sort] of states) {
      const [up, down] = await seenAfter("waiting", over, [[of(state, 3, 120)], []], see)
      assert.deepEqual(
        up,
        sorts.map((one) => (one === sort ? [3, 120] : zero)),
        state
      )
      assert.deepEqual(
        down,
        sorts.map(() => zero)
      )
    }
    const [both] = await seenAfter("waiting", over, [[of("queued", 2, 70), of("rerouted", 1, 300)]], see)
    assert.deepEqual(both![0], [3, 300])
  })

  it("of clearing and suspense follows the balance up, down and to its absence", async () => {
    const over = (answer: () => ReadonlyArray<readonly [string, string]>): Partial<Storage["Service"]> => ({
      platformBalances: () =>
        Effect.sync(() => answer().map(([account, balance]) => ({ account, balance, currency: "USDC" })))
    })
    const see = () => [
      valueOf(`corridor_clearing_balance{provider="simulated",currency="USDC"}`),
      valueOf(`corridor_suspense_balance{currency="USDC"}`)
    ]
    const answers: ReadonlyArray<ReadonlyArray<readonly [string, string]>> = [
      [
        ["clearing:simulated", "1500000"],
        ["suspense", "2000000"]
      ],
      [["clearing:simulated", "-500000"]],
      []
    ]
    assert.deepEqual(await seenAfter("balances", over, answers, see), [
      [1.5, 2],
      [-0.5, 0],
      [0, 0]
    ])
  })
})

describe("the gauge of exceptions", () => {
  it("counts those of a reason that are open, by their severity, and none that is resolved", async () => {
    const one = (status: string, reason: string, severity: string) =>
      [`status=${status}`, `reason=${reason}`, `severity=${severity}`] as const
    const high = one("open", "recalled", "high")
    const low = one("open", "recalled", "low")
    const other = one("open", "late_funding", "low")
    const resolved = one("resolved", "recalled", "high")
    let kept: ReadonlyArray<ReturnType<typeof one>> = []
    const storage = storeWith({
      list: ({ index_keys }) =>
        Effect.sync(() => ({
          items: [],
          total: kept.filter((keys) => index_keys.every((key) => (keys as ReadonlyArray<string>).includes(key))).length
        }))
    })
    const shown = (reason: string) =>
      ["high", "low"].map((severity) => valueOf(`corridor_exceptions_open{reason="${reason}",severity="${severity}"}`))
    const program = Effect.gen(function* () {
      const gauges = yield* Gauges
      for (const [now, recalled, duplicate] of [
        [
          [high, low, low, other, resolved],
          [1, 2],
          [0, 1]
        ],
        [
          [low, other, resolved, resolved],
          [0, 1],
          [0, 1]
        ],
        [
          [resolved, resolved],
          [0, 0],
          [0, 0]
        ]
      ] as const) {
        kept = now
        yield* gauges.refresh("exceptions")
        assert.deepEqual([shown("recalled"), shown("late_funding")], [recalled, duplicate])
      }
    })
    await Effect.runPromise(Effect.provide(program, makeSimulatedEngine({ storage })))
  })
})

describe("the gauge of brakes", () => {
  it("counts those of each scope, until they are released", async () => {
    const program = Effect.gen(function* () {
      const gauges = yield* Gauges
      const brakes = yield* Brakes
      const m = yield* merchantAtWork()
      const shown = Effect.map(gauges.refresh("brakes"), () =>
        ["all", "provider", "merchant", "corridor"].map((scope) => valueOf(`corridor_brakes_active{scope="${scope}"}`))
      )
      assert.deepEqual(yield* shown, [0, 0, 0, 0])
      const set = yield* Effect.forEach(
        [
          { scope: "all" },
          { scope: "provider", provider: "simulated" },
          { scope: "merchant", merchant_id: m.merchant_id },
          { scope: "corridor", source_currency: "USDC" },
          { scope: "corridor", destination_currency: "NGN" }
        ] as const,
        (scope) => brakes.create(m.operator, { ...scope, note: "a look" })
      )
      assert.deepEqual(yield* shown, [1, 1, 1, 2])
      for (const { id } of set) yield* brakes.release(m.operator, id, { note: "seen" })
      assert.deepEqual(yield* shown, [0, 0, 0, 0])
    })
    await Effect.runPromise(Effect.provide(program, makeSimulatedEngine()))
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
      // Two accounts of one currency.
      wallets = [
        [null, "NGN", "7.5"],
        ["base", "USDC", "1"],
        [null, "NGN", "0.25"]
      ]
      yield* gauges.refresh("float")
      assert.deepEqual([valueOf(usdc), valueOf(ngn)], [1, 7.75])
    })
    const engine = makeSimulatedEngine({
      around: (inner) => ({
        ...inner,
        statements: { ...statement([]), balances: Effect.suspend(() => statement(wallets).balances) }
      })
    })
    await Effect.runPromise(Effect.provide(program, engine))
  })

  covers("METRICS-7")
  it("of a provider that fails, hangs or reports none is that provider's: the reading and the others go on", async () => {
    let asked = 0
    const reporting = (name: string, balances: Effect.Effect<never, ProviderFault>) =>
      Provider.of({ name, manifest: { offers: [] }, statements: { ...statement([]), balances } })
    const silent = reporting("silent", Effect.never)
    const failing = reporting(
      "failing",
      Effect.suspend(() => (asked++, Effect.fail(new ProviderFault({ message: "away" }))))
    )
    const without = Provider.of({ name: "without", manifest: { offers: [] }, statements: undefined })
    const program = (time: TestClock.TestClock) =>
      Effect.scoped(
        Effect.gen(function* () {
          const gauges = yield* Gauges
          const since = changes()
          yield* gauges.start(15_000)
          yield* time.adjust("10 minutes")
          assert.isAbove(asked, 1)
          const of = (provider: string) => valueOf(`corridor_float_age_seconds{provider="${provider}"}`)!
          assert.strictEqual(valueOf(`corridor_float_balance{provider="simulated",network="",currency="KES"}`), 5)
          assert.isAtMost(of("simulated"), 60)
          assert.strictEqual(of("without"), 0)
          assert.isAtLeast(of("failing"), 590)
          assert.isAtLeast(of("silent"), 590)
          assert.isAtMost(age("float")!, 105)
          assert.isAbove(since(failed("float"))[0]!, 1)
        })
      )
    const engine = makeSimulatedEngine({
      around: (inner) => ({ ...inner, statements: statement([[null, "KES", "5"]]) }),
      others: [without, silent, failing]
    })
    const timed = Effect.flatMap(Clock.Clock, (clock) => Effect.provide(program(clock as TestClock.TestClock), engine))
    await Effect.runPromise(Effect.provide(timed, TestClock.layer()))
  })
})
