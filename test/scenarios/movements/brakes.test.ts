/** Pauses of the operator, and circuit breakers of providers: what stops money from going out, and lets it go on. */
import { Effect, Layer } from "effect"
import { assert, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { ActiveBrakes, activeBrakesMax, isBraked } from "../../../src/engine/calls/ActiveBrakes.ts"
import { ProviderHealth } from "../../../src/engine/calls/Routes.ts"
import { ProviderFault, type StorageFault } from "../../../src/engine/ports/errors.ts"
import type { Provider } from "../../../src/engine/ports/Provider.ts"
import { pausedQueue, PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { Brakes, type CreateBrake } from "../../../src/engine/resources/movements/brake.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { methodsOf, withMethods } from "../../support/engines/provider-methods.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const operating = Effect.gen(function* () {
  const brakes = yield* Brakes
  const operator = yield* call(PLATFORM_MERCHANT)
  return {
    brake: (input: CreateBrake) => brakes.create(operator, input),
    release: (id: string) => brakes.release(operator, id, {}),
    active: Effect.map(brakes.list({ status: "active", per_page: 200 }), ({ items }) => items)
  }
})

const reasonOf = Effect.fnUntraced(function* (m: MerchantAtWork, id: string) {
  // The list has what made no progress before this instant.
  yield* Effect.sleep(5)
  const { items } = yield* (yield* LedgerReports).stuck({
    older_than_seconds: 0,
    merchant_id: m.merchant_id,
    per_page: 200
  })
  return items.find((line) => line.id === id)?.reason
})

const scopes = (m: MerchantAtWork): ReadonlyArray<CreateBrake> => [
  { scope: "all" },
  { scope: "provider", provider: "simulated" },
  { scope: "merchant", merchant_id: m.merchant_id },
  { scope: "corridor", source_currency: "USDC", destination_currency: "USDC" },
  { scope: "corridor", source_currency: "USDC" },
  { scope: "corridor", destination_currency: "USDC" }
]

onServers("a brake", (run) => {
  covers("BRAKE-1", "BRAKE-2")

  it("stops what it covers, says so, and lets it go on when it is released", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const { brake, release } = yield* operating
        for (const input of scopes(m)) {
          const { id: brake_id } = yield* brake(input)
          const { id } = yield* m.transfer("1")
          yield* m.settle
          assert.strictEqual((yield* m.rowOf(id)).state, "queued", JSON.stringify(input))
          // Where the clock stands still, the list has nothing of this instant.
          yield* m.advance(1)
          assert.strictEqual(yield* reasonOf(m, id), "paused")
          yield* release(brake_id)
          yield* m.settle
          assert.strictEqual((yield* m.rowOf(id)).state, "submitting")
          yield* m.says(id, "success")
          assert.strictEqual(yield* m.executions(id), 1)
        }
      })
    ))

  it("leaves alone what it does not cover, and what was submitted before is followed to its end", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const other = yield* merchantAtWork("100")
        const { brake, release } = yield* operating
        const before = (yield* m.transfer("1")).id
        yield* m.settle
        const merchant = yield* brake({ scope: "merchant", merchant_id: m.merchant_id })
        const corridor = yield* brake({ scope: "corridor", source_currency: "USDT" })
        const paused = (yield* m.transfer("1")).id
        const free = (yield* other.transfer("1")).id
        yield* m.settle
        yield* other.settle
        assert.deepEqual(
          yield* Effect.forEach([m.rowOf(before), m.rowOf(paused), other.rowOf(free)], (row) =>
            Effect.map(row, ({ state }) => state)
          ),
          ["submitting", "queued", "submitting"]
        )
        yield* m.says(before, "success")
        yield* other.says(free, "success")
        assert.strictEqual(yield* m.status(before), "success")
        yield* release(corridor.id)
        yield* m.settle
        assert.strictEqual((yield* m.rowOf(paused)).state, "queued")
        yield* release(merchant.id)
        yield* m.settle
        yield* m.says(paused, "success")
      })
    ))

  it("of two that cover the same work, the last one released lets it go on, with concurrent releases", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const { active, brake, release } = yield* operating
        const [one, two] = yield* Effect.all(
          [
            brake({ scope: "merchant", merchant_id: m.merchant_id }),
            brake({ scope: "provider", provider: "simulated" })
          ],
          { concurrency: 2 }
        )
        const ids = yield* Effect.forEach(
          Array.from({ length: 12 }),
          () => Effect.map(m.transfer("1"), ({ id }) => id),
          { concurrency: "unbounded" }
        )
        yield* m.settle
        yield* release(one!.id)
        yield* m.settle
        assert.isTrue((yield* active).some(({ id }) => id === two!.id))
        for (const id of ids) assert.strictEqual((yield* m.rowOf(id)).state, "queued")
        yield* Effect.all([release(two!.id), m.settle, m.settle], { concurrency: "unbounded" })
        yield* m.settle
        for (const id of ids) {
          yield* m.says(id, "success")
          assert.strictEqual(yield* m.executions(id), 1)
        }
        const again = yield* Effect.flip(release(two!.id))
        assert.strictEqual(again._tag, "InvalidStatus")
      })
    ))

  it("does not extend a deadline: a quote that expires under it fails, with the money back", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const { brake, release } = yield* operating
        const { id: brake_id } = yield* brake({ scope: "merchant", merchant_id: m.merchant_id })
        const { id } = yield* m.offramp("10")
        yield* m.advance(600)
        assert.strictEqual(yield* m.status(id), "failed")
        assert.strictEqual((yield* m.balance).available, "100.00")
        yield* release(brake_id)
        yield* m.settle
        assert.strictEqual(yield* m.executions(id), 0)
      })
    ))
})

const alone = <A, E>(effect: Effect.Effect<A, E, any>, around?: (inner: Provider["Service"]) => Provider["Service"]) =>
  Effect.runPromise(
    Effect.provide(effect, makeSimulatedEngine(around === undefined ? {} : { around })) as Effect.Effect<A, E>
  )

describe("the release of a brake", () => {
  covers("BRAKE-2")

  it("ends, and lets each job go on, while the jobs of another brake are stopped again as fast as they are moved", () => {
    const paused = 300
    let claims = 0
    let before: Effect.Effect<unknown, StorageFault> = Effect.void
    const storage = Layer.effect(
      Storage,
      Effect.map(Storage, (inner) =>
        Storage.of({
          ...inner,
          claim: (query) =>
            query.queue === pausedQueue
              ? Effect.andThen(
                  Effect.suspend(() => (claims++ < 20 ? before : Effect.die("it does not end"))),
                  inner.claim(query)
                )
              : inner.claim(query)
        })
      )
    ).pipe(Layer.provide(MemoryStorage.layer))
    return Effect.runPromise(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const other = yield* merchantAtWork("1000")
        const { brake, release } = yield* operating
        const dispatcher = yield* Dispatcher
        yield* brake({ scope: "merchant", merchant_id: m.merchant_id })
        const { id } = yield* brake({ scope: "merchant", merchant_id: other.merchant_id })
        for (let n = 0; n < paused; n++) yield* m.transfer("1")
        yield* m.settle
        const last = (yield* other.transfer("1")).id
        yield* other.settle
        before = dispatcher.drain(m.merchant_id)
        yield* release(id)
        yield* dispatcher.drain()
        before = Effect.void
        yield* other.settle
        assert.strictEqual((yield* other.rowOf(last)).state, "submitting")
      }).pipe(Effect.provide(makeSimulatedEngine({ storage })))
    )
  })

  it("is not undone by a provider that is slow to say it is ready: a brake that is set meanwhile stops the submission", () => {
    let meanwhile: Effect.Effect<unknown> = Effect.void
    return alone(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const { brake } = yield* operating
        meanwhile = Effect.ignore(Effect.orDie(brake({ scope: "all" })))
        const { id } = yield* m.transfer("1")
        yield* m.settle
        assert.strictEqual((yield* m.rowOf(id)).state, "queued")
        yield* m.advance(1)
        assert.strictEqual(yield* reasonOf(m, id), "paused")
      }),
      (inner) => ({
        ...inner,
        ready: () =>
          Effect.as(
            Effect.suspend(() => meanwhile),
            true
          )
      })
    )
  })
})

describe("a brake that is asked for", () => {
  covers("BRAKE-1")

  const wrong: ReadonlyArray<readonly [string, CreateBrake, RegExp]> = [
    ["has no provider", { scope: "provider" }, /requires provider/],
    ["has an unknown provider", { scope: "provider", provider: "bank" }, /no provider "bank". Configured: simulated/],
    ["has no corridor", { scope: "corridor" }, /requires source_currency or destination_currency/],
    ["has an unknown currency", { scope: "corridor", source_currency: "USD C" }, /no currency USD C/],
    ["has no merchant", { scope: "merchant" }, /requires merchant_id/],
    ["has more than its scope takes", { scope: "all", provider: "simulated" }, /takes no provider/],
    ["names a merchant that does not exist", { scope: "merchant", merchant_id: "mer_0" }, /mer_0/]
  ]
  it.each(wrong)("is refused when it %s, and stops nothing", (_, input, message) =>
    alone(
      Effect.gen(function* () {
        const { active, brake } = yield* operating
        expect((yield* Effect.flip(brake(input))).message).toMatch(message)
        assert.deepEqual(yield* active, [])
      })
    )
  )

  it("is refused past the most that can be active, so that none is ever overlooked", () =>
    alone(
      Effect.gen(function* () {
        const { active, brake } = yield* operating
        for (let n = 0; n < activeBrakesMax; n++) yield* brake({ scope: "corridor", source_currency: "EUR" })
        assert.strictEqual((yield* Effect.flip(brake({ scope: "all" })))._tag, "InvalidStatus")
        assert.lengthOf(yield* active, activeBrakesMax)
        assert.lengthOf(yield* (yield* ActiveBrakes).refreshed, activeBrakesMax)
      })
    ))

  it("covers by scope, and an unknown currency only by a brake of any", () => {
    const none = { provider: null, source_currency: null, destination_currency: null, merchant_id: null }
    const kept = { ...none, note: null, release_note: null, released_at: null }
    const work = { provider: "bank", merchant_id: "mer_1", source_currency: "USDC", destination_currency: null }
    const covered = (brake: object) => isBraked({ ...kept, ...brake } as never, work)
    assert.isTrue(covered({ scope: "all" }))
    assert.isFalse(covered({ scope: "provider", provider: "other" }))
    assert.isTrue(covered({ scope: "corridor", source_currency: "USDC" }))
    assert.isFalse(covered({ scope: "corridor", source_currency: "USDC", destination_currency: "NGN" }))
    assert.isFalse(covered({ scope: "merchant", merchant_id: "mer_2" }))
  })
})

describe("a circuit breaker", () => {
  covers("BRAKE-3")

  /** A provider that does not answer submissions while `isAway`. */
  const away = () => {
    const state = { isAway: true, asked: 0, looked: 0 }
    const silence = Effect.fail(new ProviderFault({ message: "no answer" }))
    const around = (inner: Provider["Service"]) =>
      withMethods(inner, {
        submit: (command) =>
          Effect.suspend(() => (state.asked++, state.isAway ? silence : methodsOf(inner).submit(command))),
        lookup: (command) =>
          Effect.suspend(() => (state.looked++, state.isAway ? silence : methodsOf(inner).lookup(command)))
      })
    return { state, around }
  }

  it("opens after ten faults in a row, lets one probe through after each delay, and closes on its success", () => {
    const { around, state } = away()
    return alone(
      Effect.gen(function* () {
        const health = yield* ProviderHealth
        const m = yield* merchantAtWork("1000")
        const ids = yield* Effect.forEach(Array.from({ length: 30 }), () => Effect.map(m.transfer("1"), ({ id }) => id))
        yield* m.settle
        const first = state.asked
        assert.isAtLeast(first, 10)
        assert.isTrue(health.isFailing("simulated"))
        const waiting = (yield* m.transfer("1")).id
        yield* m.settle
        assert.strictEqual(state.asked, first)
        yield* m.advance(1)
        assert.strictEqual(yield* reasonOf(m, waiting), "provider_failing")
        const looked = state.looked
        yield* m.advance(28)
        assert.strictEqual(state.asked, first)
        assert.isAbove(state.looked, looked)
        state.isAway = false
        yield* m.advance(86_400)
        assert.isFalse(health.isFailing("simulated"))
        for (const id of [...ids, waiting]) {
          yield* m.says(id, "success")
          assert.strictEqual(yield* m.executions(id), 1)
        }
      }),
      around
    )
  })

  it("is not open for longer because of calls that were under way when it opened", () =>
    alone(
      Effect.gen(function* () {
        const health = yield* ProviderHealth
        for (let n = 0; n < 128; n++) yield* health.observe("bank", false)
        assert.isAtMost(yield* health.wait("bank"), 30_000)
      })
    ))

  it("admits one probe at a time, and waits twice as long after each that fails", () =>
    alone(
      Effect.gen(function* () {
        const health = yield* ProviderHealth
        const m = yield* merchantAtWork("1")
        const fail = (times: number) =>
          Effect.forEach(Array.from({ length: times }), () => health.observe("bank", false), { discard: true })
        yield* fail(9)
        assert.strictEqual(yield* health.wait("bank"), 0)
        yield* health.observe("bank", true)
        yield* fail(9)
        assert.strictEqual(yield* health.wait("bank"), 0)
        yield* fail(1)
        const about = (milliseconds: number, expected: number) =>
          assert.isTrue(milliseconds <= expected && milliseconds > expected - 5000, `${milliseconds}`)
        about(yield* health.wait("bank"), 30_000)
        assert.strictEqual(yield* health.wait("other"), 0)
        yield* m.advance(30)
        assert.strictEqual(yield* health.wait("bank"), 0)
        about(yield* health.wait("bank"), 60_000)
        yield* fail(1)
        about(yield* health.wait("bank"), 60_000)
        yield* health.observe("bank", true)
        assert.deepEqual([yield* health.wait("bank"), health.isFailing("bank")], [0, false])
      })
    ))
})
