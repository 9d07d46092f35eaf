/** Onramps whose money is received by one provider and converted by another, and the platform's own treasury. */
import { assert, it } from "vitest"
import { Clock, Effect } from "effect"
import { TreasuryProvider } from "../../../src/adapters/provider/treasury.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { Provider, makeOpenManifest } from "../../../src/engine/ports/Provider.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { defaultOrder } from "../../../src/engine/ports/Routing.ts"
import { Routes } from "../../../src/engine/calls/Routes.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { makeScriptedProvider } from "../../support/engines/scripted-provider.ts"
import { payinEvent, findExceptions } from "../../support/merchants/payins.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

/** The simulated provider as a bank: it receives and pays out, and does not convert. `refunds`: the pay-ins that it returned. */
const bank = (refunds: Array<string> = [], refundable = true) => ({
  around: (inner: Provider["Service"]): Provider["Service"] => {
    const { liquidity: _, payins, ...rest } = inner
    return {
      ...rest,
      manifest: makeOpenManifest("payout", "payin", "issue", "directory", "screening"),
      payins: {
        ...payins!,
        refund: (command) =>
          Effect.suspend(() => {
            refunds.push(command.resource_id)
            return refundable
              ? payins!.refund(command)
              : Effect.succeed({ _tag: "rejected", reason: "no", refundable: false } as const)
          })
      }
    }
  }
})

const treasury = Effect.runSync(Effect.provide(Provider, TreasuryProvider.layer()))

const merchant = Effect.gen(function* () {
  const m = yield* merchantConverting()
  const storage = yield* Storage
  /** The steps of a movement's money: from and to, without amounts. */
  const moves = Effect.fnUntraced(function* (id: string) {
    const { postings } = yield* storage.history(m.merchant_id, id)
    return postings
      .toSorted((a, b) => a.version - b.version)
      .filter(({ debit, credit }) => /^(world|clearing)/.test(debit) && /^(world|clearing|suspense)/.test(credit))
      .map(({ debit, credit }) => `${debit} > ${credit}`)
  })
  return { ...m, ...(yield* onrampsOf(m)), moves }
})

const later = (seconds: number) =>
  Effect.gen(function* () {
    const clock = yield* ServiceClock
    yield* clock.moveTo((yield* Clock.currentTimeMillis) + seconds * 1000)
    for (let round = 0; round < 3; round++) yield* (yield* Dispatcher).drain()
  })

onMemory("an onramp with two providers", (run) => {
  covers("ROUTE-11")
  it("is received by the one that gives instructions, also where another one with accounts comes first", async () => {
    const never = () => Effect.die("it is not asked")
    const accounts = { issue: never, refund: never, lookupRefund: never }
    const first = Provider.of({ name: "accounts", manifest: makeOpenManifest("payin", "issue"), payins: accounts })
    const routing = { priorities: { accounts: -1, simulated: 0 }, order: defaultOrder }
    await run(
      Effect.gen(function* () {
        const m = yield* merchant
        const routes = yield* Routes
        const about = { merchant_id: m.merchant_id, currency: "NGN", country_code: "NG", network: "bank", amount: "1" }
        assert.deepEqual(yield* routes.order({ operation: "issue", ...about }), ["accounts", "simulated"])
        assert.deepEqual(yield* routes.order({ operation: "payin", ...about }), ["simulated"])
        const { id } = yield* m.onramp()
        assert.deepInclude((yield* m.rowOf(id)).data, { provider: "simulated" })
      }),
      { others: [first], routing }
    )
  })

  covers("ROUTE-8")
  it("is received by the bank and converted by the treasury, and its money goes from the one to the other", async () => {
    await run(
      Effect.gen(function* () {
        const m = yield* merchant
        const { id } = yield* m.onramp()
        assert.deepInclude((yield* m.rowOf(id)).data, { payin_provider: "simulated", provider: "treasury", route: [] })
        yield* m.pays(id, "150000")
        yield* m.settle
        assert.strictEqual(yield* m.status(id), "success")
        assert.deepEqual(yield* m.moves(id), [
          "world:simulated > clearing:simulated",
          "clearing:simulated > clearing:treasury"
        ])
        const conversion = (yield* m.conversion("10")).id
        const transfer = (yield* m.transfer("10")).id
        const offramp = (yield* m.offramp("10")).id
        yield* m.settle
        assert.strictEqual(yield* m.status(conversion), "success")
        for (const payout of [transfer, offramp]) yield* m.says(payout, "success")
        for (const payout of [transfer, offramp]) assert.strictEqual(yield* m.status(payout), "success")
        assert.deepEqual(yield* m.exceptions, [])
      }),
      { ...bank(), others: [treasury] }
    )
  })

  covers("ROUTE-8")
  it.each([
    ["is too little to buy anything", "1", [], ["world:simulated > clearing:simulated"]],
    [
      "the converter rejects",
      "150000",
      ["rejected"],
      [
        "world:simulated > clearing:simulated",
        "clearing:simulated > clearing:second",
        "clearing:second > clearing:simulated"
      ]
    ],
    [
      "no converter takes in a day",
      "150000",
      ["unavailable"],
      [
        "world:simulated > clearing:simulated",
        "clearing:simulated > clearing:second",
        "clearing:second > clearing:third",
        "clearing:third > clearing:simulated"
      ]
    ]
  ] as const)("is refunded by the bank when its payment %s", async (_, amount, answers, before) => {
    const refunds: Array<string> = []
    await run(
      Effect.gen(function* () {
        const m = yield* merchant
        const { id } = yield* m.onramp()
        yield* m.pays(id, amount)
        for (const seconds of [1, 10, 60, 600, 3600, 20 * 3600, 4 * 3600, 600, 600]) yield* later(seconds)
        assert.include(["returned", "failed"], yield* m.status(id))
        assert.deepEqual(refunds, [id])
        assert.deepEqual(yield* m.moves(id), [...before, "clearing:simulated > world:simulated"])
        assert.deepEqual(yield* m.exceptions, [])
      }),
      {
        ...bank(refunds),
        others: [
          makeScriptedProvider("second", ...answers).provider,
          ...(answers[0] === "unavailable" ? [makeScriptedProvider("third", "unavailable").provider] : [])
        ]
      }
    )
  })

  covers("ROUTE-8")
  it("is refunded by the bank even when the bank converts as well, and another provider has it", async () => {
    const refunds: Array<string> = []
    const converting = (inner: Provider["Service"]): Provider["Service"] => ({
      ...bank(refunds).around(inner),
      manifest: inner.manifest,
      liquidity: makeScriptedProvider("simulated", "unavailable").provider.liquidity!
    })
    await run(
      Effect.gen(function* () {
        const m = yield* merchant
        const { id } = yield* m.onramp()
        assert.notProperty((yield* m.rowOf(id)).data, "payin_provider")
        yield* m.pays(id, "150000")
        yield* m.settle
        assert.deepInclude((yield* m.rowOf(id)).data, { payin_provider: "simulated", provider: "second" })
        for (const seconds of [10, 60]) yield* later(seconds)
        assert.deepEqual(refunds, [id])
        assert.strictEqual(yield* m.status(id), "failed")
        assert.deepEqual(yield* m.moves(id), [
          "world:simulated > clearing:simulated",
          "clearing:simulated > clearing:second",
          "clearing:second > clearing:simulated",
          "clearing:simulated > world:simulated"
        ])
      }),
      { around: converting, others: [makeScriptedProvider("second", "rejected").provider] }
    )
  })

  covers("ROUTE-8")
  it("takes payments from its bank alone", async () => {
    await run(
      Effect.gen(function* () {
        const m = yield* merchant
        const inbox = yield* Inbox
        const onramp = yield* m.onramp()
        const paid = payinEvent({
          event_id: `paid ${onramp.id}`,
          payin_id: `payin ${onramp.id}`,
          stage: "confirmed",
          target: onramp.deposit_instruction.depositReference,
          amount: "150000",
          currency: "NGN",
          observed_at: 0
        })
        assert.strictEqual(yield* inbox.receive("treasury", paid), "ignored")
        assert.strictEqual(yield* m.status(onramp.id), "awaiting_deposit")
        // Banks give out references by themselves: the other one's may be the same text, and then the money is nobody's here.
        const [exception] = yield* findExceptions(paid.payin_id)
        assert.deepInclude(exception!, { reason: "unknown_target", provider: "treasury", amount: "150000.00" })
        yield* m.resolve(exception!.id, "dismiss")
        yield* m.pays(onramp.id, "150000")
        yield* m.settle
        assert.strictEqual(yield* m.status(onramp.id), "success")
      }),
      { ...bank(), others: [treasury] }
    )
  })

  covers("ROUTE-8", "EXCEPTION-2")
  it("leaves its money to the operator when neither can return it, and the bank is asked again", async () => {
    const refunds: Array<string> = []
    const id = await run(
      Effect.gen(function* () {
        const m = yield* merchant
        const { id } = yield* m.onramp()
        yield* m.pays(id, "150000")
        for (const seconds of [1, 10, 60]) yield* later(seconds)
        assert.strictEqual(yield* m.status(id), "failed")
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception!, { reason: "refund_failed", provider: "simulated", amount: "150000.00" })
        assert.strictEqual((yield* m.moves(id)).at(-1), "clearing:simulated > suspense")
        yield* m.resolve(exception!.id, "refund")
        yield* later(1)
        return exception!.id
      }),
      { ...bank(refunds, false), others: [makeScriptedProvider("second", "rejected").provider] }
    )
    assert.include(refunds, id)
  })
})
