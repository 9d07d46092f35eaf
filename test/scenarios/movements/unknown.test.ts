/**
 * A thousand movements against a provider that goes wrong at every call: whatever is lost, doubled, late or told in the
 * wrong order, nothing is paid twice and every unit is where the statuses say it is (PAYOUT-1).
 */
import { methodsOf, withMethods } from "../../support/engines/provider-methods.ts"
import { assert, describe, it } from "vitest"
import { Clock, Deferred, Effect, Fiber, Layer } from "effect"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import type { Provider } from "../../../src/engine/ports/Provider.ts"
import { WallTime } from "../../../src/engine/ports/Time.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { Offramps } from "../../../src/engine/resources/movements/offramp.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { JobHandlers } from "../../../src/engine/work/queue/JobHandlers.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { type Fault, FaultyProvider, faults, type Plan } from "../../support/faults/faulty-provider.ts"
import { booksBalance } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"

const operations = 1000

/** A number from 0 to 1 that a text always gives (FNV-1a, mixed). */
const chance = (text: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return ((hash ^ (hash >>> 12)) >>> 0) / 2 ** 32
}

/** Every fault at every submission up to the fifth; some commands are never taken at all; look-ups fail up to six times. */
const plan: Plan = {
  submission: ({ reference }, n): Fault | undefined => {
    if (chance(`${reference} hopeless`) < 0.01) return "temporary"
    if (n > 5) return undefined
    const drawn = Math.floor(chance(`${reference} submission ${n}`) * (faults.length + 2))
    return faults[drawn]
  },
  lookup: ({ reference }, n) => n <= 6 && chance(`${reference} lookup ${n}`) < 0.4
}

const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

/** Leaps of the clock: closer together while most is going on, and far beyond a day of retries and the longest look-up. */
const leaps = [
  ...Array<number>(20).fill(15 * seconds),
  ...Array<number>(12).fill(2 * minutes),
  ...Array<number>(150).fill(10 * minutes),
  ...Array<number>(30).fill(6 * hours),
  ...Array<number>(20).fill(24 * hours)
]

const accounts = [
  "0123456789",
  "0123450002",
  "0123450003",
  "0123450004",
  "0123450005",
  "0123450006",
  "0123450007"
] as const

describe("a provider that goes wrong at every call", () => {
  it("answers the first submission after the second was taken: the first refusal frees no money", async () => {
    const slow = await Effect.runPromise(Deferred.make<void>())
    let asked = 0
    /** The first submission is answered when told to, and turned away; the others are the simulated provider's. */
    const around = (inner: Provider["Service"]) =>
      withMethods(inner, {
        submit: (command) =>
          Effect.suspend(() =>
            ++asked === 1
              ? Effect.as(Deferred.await(slow), { _tag: "unavailable" } as const)
              : methodsOf(inner).submit(command)
          )
      })
    await Effect.runPromise(
      Effect.gen(function* () {
        const storage = yield* Storage
        const workers = yield* JobHandlers
        const m = yield* merchantAtWork("100")
        const { id } = yield* m.transfer("10")
        const now = yield* Clock.currentTimeMillis
        const [job] = yield* storage.claim({
          queue: "command",
          now,
          wall: now,
          lease_ms: 45_000,
          token: "slow",
          limit: 1,
          per_partition: 1,
          busy: []
        })
        const first = yield* Effect.forkChild(workers.run(job!))
        while (asked === 0) yield* Effect.yieldNow
        // Past its grace it is looked up, found absent, and submitted again, which is taken.
        yield* m.advance(90)
        assert.strictEqual(asked, 2)
        yield* Deferred.succeed(slow, undefined)
        yield* Fiber.join(first)
        assert.strictEqual(yield* m.status(id), "processing")
        assert.deepEqual(yield* m.balance, { available: "90.00", reserved: "0.00", held: "0.00" })
        yield* m.says(id, "success")
        assert.strictEqual(yield* m.executions(id), 1)
        assert.deepEqual(yield* m.exceptions, [])
      }).pipe(Effect.provide(makeSimulatedEngine({ around })))
    )
  })

  it("is not asked by a process that stood still since it began: a look-up decides", async () => {
    let asked = 0
    let stood_ms = 0
    const stops = Layer.effect(
      Storage,
      Effect.map(Storage, (store) =>
        Storage.of({
          ...store,
          commit: (change) =>
            Effect.tap(store.commit(change), () =>
              Effect.sync(() => {
                if (change.rows.some(({ state }) => state === "submitting")) stood_ms = 21_000
              })
            )
        })
      )
    ).pipe(Layer.provide(MemoryStorage.layer))
    const around = (inner: Provider["Service"]) =>
      withMethods(inner, {
        submit: (command) => {
          asked++
          return methodsOf(inner).submit(command)
        }
      })
    await Effect.runPromise(
      Effect.gen(function* () {
        const storage = yield* Storage
        const workers = yield* JobHandlers
        const m = yield* merchantAtWork("100")
        const { id } = yield* m.transfer("10")
        const now = yield* Clock.currentTimeMillis
        const query = {
          queue: "command",
          now,
          wall: now,
          lease_ms: 45_000,
          limit: 1,
          per_partition: 1,
          busy: []
        } as const
        const [job] = yield* storage.claim({ ...query, token: "stalled" })
        const wall = Effect.sync(() => now + stood_ms)
        yield* Effect.provideService(workers.run(job!), WallTime, wall)
        assert.deepEqual([asked, yield* m.status(id)], [0, "processing"])
        stood_ms = 0
        yield* m.advance(90)
        assert.strictEqual(asked, 1)
        yield* m.says(id, "success")
        assert.strictEqual(yield* m.executions(id), 1)
      }).pipe(Effect.provide(makeSimulatedEngine({ around, storage: stops })))
    )
  })

  it("says in a look-up, after several submissions, that it turned the payment away: it is submitted again", async () => {
    let asked = 0
    const turnedAway = { outcome: "temporarily_unavailable", reason: null, transaction_hash: null } as const
    const around = (inner: Provider["Service"]) =>
      withMethods(inner, {
        submit: (command) =>
          ++asked < 3 ? Effect.fail(new ProviderFault({ message: "no answer" })) : methodsOf(inner).submit(command),
        lookup: () => Effect.succeed({ _tag: "settled", outcome: turnedAway } as const)
      })
    await Effect.runPromise(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const { id } = yield* m.transfer("10", { retry_on_failure: true })
        yield* m.advance(60)
        assert.strictEqual(asked, 3)
        yield* m.says(id, "success")
        assert.strictEqual(yield* m.status(id), "success")
        assert.strictEqual(yield* m.executions(id), 1)
      }).pipe(Effect.provide(makeSimulatedEngine({ around })))
    )
  })

  covers("PAYOUT-1")
  it(`pays each of ${operations} movements at most once, debits what it paid, and everything ends`, () =>
    Effect.runPromise(
      Effect.gen(function* () {
        const storage = yield* Storage
        const dispatcher = yield* Dispatcher
        const clock = yield* ServiceClock
        const inbox = yield* Inbox
        const sandbox = yield* Sandbox
        const offramps = yield* Offramps
        const quotes = yield* Quotes
        const faulty = yield* Effect.serviceOption(FaultyProvider)
        const m = yield* merchantAtWork(String(operations * 10))
        const banks: Array<string> = []
        for (const account of accounts) banks.push(yield* m.bank(account))

        const make = (n: number) => {
          const more = { reference: `op-${n}`, retry_on_failure: n % 2 === 0 }
          if (n % 3 === 0) return m.transfer("10", more)
          return Effect.flatMap(
            quotes.offramp(m.caller, {
              wallet_id: m.wallet.id,
              beneficiary_id: banks[n % banks.length]!,
              source_amount: "10"
            }),
            (quote) => offramps.create(m.caller, { quote_id: quote.id, ...more })
          )
        }
        const ids: Array<string> = []
        const open = new Set<string>()
        /** Looks at the movements that had not ended: none may be paid twice on the way either. */
        const look = Effect.gen(function* () {
          for (const id of open) {
            const status = yield* m.status(id)
            const paid = yield* sandbox.executions(`${id}.payout`)
            assert.isAtMost(paid, 1, id)
            if (status === "success" || status === "failed" || status === "returned") open.delete(id)
          }
        })
        for (let n = 0; n < operations; n += 500) {
          const made = yield* Effect.all(
            Array.from({ length: 500 }, (_, k) => make(n + k)),
            { concurrency: 50 }
          )
          for (const { id } of made) {
            ids.push(id)
            open.add(id)
          }
          yield* dispatcher.drain()
          yield* clock.moveTo((yield* Clock.currentTimeMillis) + 15 * seconds)
        }
        for (const [index, leap] of leaps.entries()) {
          yield* clock.moveTo((yield* Clock.currentTimeMillis) + leap)
          yield* dispatcher.drain()
          if (index % 20 === 19) yield* look
        }
        // Words that were kept back come at last, when all is over.
        if (faulty._tag === "Some")
          for (const event of yield* faulty.value.release) yield* inbox.receive("simulated", event)
        yield* look

        assert.strictEqual(ids.length, operations)
        assert.deepEqual([...open], [], "movements that never ended")
        const ended = { success: 0, failed: 0, returned: 0, unapplied: 0 }
        for (const id of ids) {
          const row = yield* m.rowOf(id)
          const paid = yield* sandbox.executions(`${id}.payout`)
          const { failure_reason } = row.data as { failure_reason: string | null }
          const status = failure_reason === "refund_failed" ? "unapplied" : (row.status as keyof typeof ended)
          ended[status]++
          assert.strictEqual(paid, status === "success" || status === "returned" ? 1 : 0, `${id} is ${status}`)
        }
        for (const [status, count] of Object.entries(ended)) assert.isAbove(count, 0, status)
        // What was debited and not given back is what was paid, and what the provider says it cannot give back.
        const spent = 10 * (ended.success + ended.unapplied)
        assert.deepEqual(yield* m.balance, {
          available: `${operations * 10 - spent}.00`,
          reserved: "0.00",
          held: "0.00"
        })
        const classes = yield* booksBalance
        assert.strictEqual(classes.get("clearing/USDC"), "0")
        assert.strictEqual(classes.get("suspense/USDC"), String(ended.unapplied * 10_000_000))
        // Nobody is called for nothing: only what is stranded, and a return told before its success.
        const { items } = yield* storage.list({
          merchant_id: m.merchant_id,
          kinds: ["exception"],
          index_keys: ["status=open"],
          offset: 0,
          limit: operations
        })
        const reasons = items.map((row) => row.data as { reason: string; amount: string | null })
        assert.strictEqual(reasons.filter(({ reason }) => reason === "refund_failed").length, ended.unapplied)
        const contradicted = reasons.filter(({ reason }) => reason === "contradicts_state")
        assert.isAtMost(contradicted.length, ended.returned)
        assert.isTrue(contradicted.every(({ amount }) => amount === null))
        assert.strictEqual(reasons.length, ended.unapplied + contradicted.length)
      }).pipe(Effect.provide(makeSimulatedEngine({ mode: "auto", plan })))
    ))
})
