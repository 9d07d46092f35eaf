/** A deposit in another currency than its wallet's is priced when it is first heard of (AUTOCONVERT-11). */
import { assert, describe, it } from "vitest"
import { Effect } from "effect"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import type { PayinEvent } from "../../../src/engine/ports/Provider.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { WalletCredentials } from "../../../src/engine/resources/wallets/wallet-credential.ts"
import { covers } from "../../support/repository/covers.ts"
import { balances, market, minor, openWay, type Way, ways } from "../../support/merchants/credentials.ts"
import { payinEvent } from "../../support/merchants/payins.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

type Stage = PayinEvent["stage"]

const received = "1 deposit.received null>received"

/** Words of which the last one lets the money go on, however they come. */
const orders: ReadonlyArray<ReadonlyArray<Stage>> = [
  ["confirmed"],
  ["detected", "confirmed"],
  ["confirmed", "detected"]
]

/** A way that is open, a market that moves, and one pay-in. */
const scenario = <A, E>(
  way: Way,
  reported: (given: {
    readonly m: Effect.Success<ReturnType<typeof openWay>>
    readonly rates: ReturnType<typeof market>
    /** A word on the pay-in; answers the deposit's id. */
    readonly accepts: (stage: Stage) => Effect.Effect<string, unknown, SimulatedEngine>
    readonly unfreeze: Effect.Effect<unknown, unknown, SimulatedEngine>
  }) => Effect.Effect<A, E, SimulatedEngine>,
  tier: "tier_0" | null = null
): Promise<A> => {
  const rates = market()
  const story = Effect.gen(function* () {
    const m = yield* openWay(way, tier)
    const credentials = yield* WalletCredentials
    yield* rates.moves(1n)
    return yield* reported({
      m,
      rates,
      accepts: (stage) => m.pay([stage], { payin_id: "one" }),
      unfreeze: credentials.unfreeze(m.operator, m.credential_id)
    })
  })
  return Effect.runPromise(Effect.provide(story, makeSimulatedEngine({ rates: rates.layer })))
}

describe.each(ways)("a detected deposit that will be converted ($name)", (way) => {
  covers("AUTOCONVERT-11")
  it("is told of with what it will become, and converts at that rate once it is confirmed", () =>
    scenario(way, ({ accepts, m, rates }) =>
      Effect.gen(function* () {
        const id = yield* accepts("detected")
        const object = yield* m.object(id, "deposit.received")
        const quoted = {
          status: "received",
          destination_amount: way.becomes,
          destination_currency: way.wallet_currency
        }
        assert.deepInclude(object, quoted)
        assert.strictEqual(object["credential"].id, m.credential_id)
        assert.deepInclude(yield* m.body(id), quoted)
        assert.deepEqual(yield* m.conversions, [])
        assert.deepEqual(yield* m.balances, { free: "0", reserved: "0", held: "0" })

        yield* rates.moves(2n)
        yield* accepts("detected")
        yield* accepts("confirmed")
        assert.deepInclude(yield* m.conversion, { destination_amount: way.becomes, rate: way.rate })
        yield* m.finish
        assert.deepEqual(yield* m.story(id), [received])
        assert.deepEqual(yield* m.balance, balances(way.becomes))
      })
    ))

  covers("AUTOCONVERT-1", "AUTOCONVERT-7", "AUTOCONVERT-11", "MERCHANT-4")
  it.each(orders.flatMap((stages) => [...stages, "never"].map((suspended) => ({ stages, suspended }))))(
    "is priced by its first report, whenever its merchant is suspended: $stages, from $suspended on",
    ({ stages, suspended }) =>
      scenario(way, ({ accepts, m, rates }) =>
        Effect.gen(function* () {
          const becomes = (status: "active" | "suspended") =>
            Merchants.use((merchants) => merchants.update(m.operator, m.merchant_id, { status }))
          let id = ""
          for (const [n, stage] of stages.entries()) {
            if (stage === suspended) yield* becomes("suspended")
            id = yield* accepts(stage)
            assert.deepInclude(yield* m.object(id, "deposit.received"), { destination_amount: way.becomes })
            assert.deepInclude(yield* m.body(id), { destination_amount: way.becomes })
            yield* rates.moves(BigInt(n + 2))
          }
          yield* m.advance(30 * 86_400)
          yield* becomes("active")
          yield* m.finish
          assert.deepInclude(yield* m.conversion, { destination_amount: way.becomes, rate: way.rate })
          assert.deepEqual(yield* m.story(id), [received])
          assert.deepEqual(yield* m.balance, balances(way.becomes))
        })
      )
  )

  it("that turns out to be another amount converts that, at the locked rate", () =>
    scenario(way, ({ m, rates }) =>
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const { target } = (yield* m.rowOf(m.credential_id)).data as { readonly target: string }
        const word = (stage: Stage, amount: string) =>
          payinEvent({ event_id: stage, payin_id: "one", target, stage, amount, currency: way.currency })
        yield* inbox.receive("simulated", word("detected", "1"))
        yield* rates.moves(2n)
        yield* inbox.receive("simulated", word("confirmed", way.amount))
        const { destination_amount, parent_transaction_id } = (yield* m.transactions).find(
          ({ type }) => type === "conversion"
        )!
        assert.strictEqual(destination_amount, way.becomes)
        assert.deepInclude(yield* m.body(parent_transaction_id!), {
          source_amount: way.amount,
          destination_amount: way.becomes
        })
      })
    ))

  covers("AUTOCONVERT-11", "EVENT-30", "MERCHANT-4")
  it("that turns out to be another amount shows what that buys while its merchant is suspended", () =>
    scenario(way, ({ m, rates }) =>
      Effect.gen(function* () {
        const becomes = (status: "active" | "suspended") =>
          Merchants.use((merchants) => merchants.update(m.operator, m.merchant_id, { status }))
        const inbox = yield* Inbox
        const { target } = (yield* m.rowOf(m.credential_id)).data as { readonly target: string }
        const word = (stage: Stage, amount: string) =>
          payinEvent({ event_id: stage, payin_id: "one", target, stage, amount, currency: way.currency })
        yield* inbox.receive("simulated", word("detected", "1"))
        yield* becomes("suspended")
        yield* rates.moves(2n)
        yield* inbox.receive("simulated", word("confirmed", way.amount))
        const [{ id } = { id: "" }] = yield* m.transactions
        const shown = { source_amount: way.amount, destination_amount: way.becomes }
        assert.deepInclude(yield* m.body(id), shown)
        yield* m.settle
        assert.deepEqual(yield* m.conversions, [])
        yield* becomes("active")
        yield* m.finish
        assert.deepInclude(yield* m.body(id), shown)
      })
    ))

  it("that would be withheld is not told of; confirmed, it is held without a price, and priced at its release", () =>
    scenario(way, ({ accepts, m, rates }) =>
      Effect.gen(function* () {
        const deposits = yield* Deposits
        yield* m.freeze
        const id = yield* accepts("detected")
        assert.deepInclude(yield* m.body(id), { status: "processing", destination_amount: null })
        assert.deepEqual(yield* m.story(id), [])
        yield* accepts("confirmed")
        assert.deepEqual(yield* m.story(id), ["1 deposit.held null>held"])
        yield* rates.moves(2n)
        yield* deposits.release(m.operator, id, "seen")
        assert.deepEqual(yield* m.story(id), ["1 deposit.held null>held", "2 deposit.received held>received"])
        const { destination_amount } = yield* m.conversion
        assert.isAbove(Number(destination_amount), Number(way.becomes) * 1.99)
      })
    ))

  covers("AUTOCONVERT-11", "EVENT-14", "MERCHANT-4")
  it.each([["detected", "confirmed"], ["confirmed"]] as const)(
    "that is to be held is held while its merchant is suspended too, and priced at its release: %s %s",
    (...stages) =>
      scenario(way, ({ accepts, m }) =>
        Effect.gen(function* () {
          const becomes = (status: "active" | "suspended") =>
            Merchants.use((merchants) => merchants.update(m.operator, m.merchant_id, { status }))
          const deposits = yield* Deposits
          yield* m.freeze
          for (const stage of stages.slice(0, -1)) yield* accepts(stage)
          yield* becomes("suspended")
          const id = yield* accepts("confirmed")
          yield* m.settle
          yield* becomes("active")
          yield* m.settle
          assert.deepEqual(yield* m.story(id), ["1 deposit.held null>held"])
          yield* deposits.release(m.operator, id, "seen")
          assert.deepEqual(yield* m.story(id), ["1 deposit.held null>held", "2 deposit.received held>received"])
          assert.strictEqual((yield* m.object(id, "deposit.received")).destination_amount, way.becomes)
        })
      )
  )

  it("that would have been withheld, and is no more when it is confirmed, is priced and told of then", () =>
    scenario(way, ({ accepts, m, rates, unfreeze }) =>
      Effect.gen(function* () {
        yield* m.freeze
        const id = yield* accepts("detected")
        yield* unfreeze
        yield* rates.moves(2n)
        yield* accepts("confirmed")
        assert.deepEqual(yield* m.story(id), [received])
        assert.isAbove(Number((yield* m.conversion).destination_amount), Number(way.becomes) * 1.99)
      })
    ))

  it("that was told of is held all the same where its credential was frozen meanwhile, and is priced anew", () =>
    scenario(way, ({ accepts, m, rates }) =>
      Effect.gen(function* () {
        const deposits = yield* Deposits
        const id = yield* accepts("detected")
        yield* m.freeze
        yield* accepts("confirmed")
        const held = yield* m.object(id, "deposit.held")
        assert.deepInclude(held, { status: "processing", destination_amount: null })
        assert.deepEqual(yield* m.balances, { free: "0", reserved: "0", held: minor(way.amount, way) })
        yield* rates.moves(2n)
        yield* deposits.release(m.operator, id, "seen")
        // A resource tells each event once: what it became is the conversion's to tell.
        assert.deepEqual(yield* m.story(id), [received, "2 deposit.held received>held"])
        assert.isAbove(Number((yield* m.conversion).destination_amount), Number(way.becomes) * 1.99)
        assert.strictEqual(yield* m.status(id), "received")
      })
    ))

  it("that was told of, held and rejected, has failed, and never converts", () =>
    scenario(way, ({ accepts, m }) =>
      Effect.gen(function* () {
        const deposits = yield* Deposits
        const id = yield* accepts("detected")
        yield* m.freeze
        yield* accepts("confirmed")
        yield* deposits.reject(m.operator, id, "sanctioned")
        yield* m.settle
        assert.deepEqual(yield* m.story(id), [received, "2 deposit.held received>held", "3 deposit.failed held>failed"])
        assert.deepEqual(yield* m.conversions, [])
      })
    ))

  it("is not told of while there is no rate, and is priced when it is confirmed", () =>
    scenario(way, ({ accepts, m, rates }) =>
      Effect.gen(function* () {
        yield* rates.closes
        const id = yield* accepts("detected")
        assert.deepEqual(yield* m.story(id), [])
        yield* rates.opens
        yield* accepts("confirmed")
        assert.deepEqual(yield* m.story(id), [received])
        assert.strictEqual((yield* m.conversion).destination_amount, way.becomes)
      })
    ))
})

it("beyond the limit of its customer's tier is not told of when it is detected, and is held when it is confirmed", () => {
  const way = { ...ways[1]!, amount: "1000.01" }
  return scenario(
    way,
    ({ accepts, m }) =>
      Effect.gen(function* () {
        const id = yield* accepts("detected")
        assert.deepEqual(yield* m.story(id), [])
        yield* accepts("confirmed")
        assert.deepEqual(yield* m.story(id), ["1 deposit.held null>held"])
        assert.strictEqual((yield* m.object(id, "deposit.held"))["metadata"].hold_reason, "tier_limit")
      }),
    "tier_0"
  )
})

it("that was only detected counts towards no limit", () =>
  scenario(
    ways[1]!,
    ({ m }) =>
      Effect.gen(function* () {
        for (let n = 0; n < 12; n++) yield* m.pay(["detected"])
        const id = yield* m.pay(["confirmed"], { amount: "1000" })
        assert.deepEqual(yield* m.story(id), [received])
      }),
    "tier_0"
  ))
