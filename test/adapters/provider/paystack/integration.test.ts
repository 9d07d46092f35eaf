/** Another integration behind the same name, with the key of the same currency and mode. */
import { Cause, Effect, Exit } from "effect"
import { assert, describe, it } from "@effect/vitest"
import type { PaystackOptions } from "../../../../src/adapters/provider/paystack.ts"
import { ghsKey, ngnKey } from "../../../support/companies/fake-paystack.ts"
import {
  grace,
  minutes,
  payoutOf,
  paystackWorld,
  type PaystackWorld,
  referenceFor,
  refundOf,
  wordOf
} from "../../../support/companies/paystack-world.ts"
import { covers } from "../../../support/repository/covers.ts"

const command = payoutOf(1)
const otherKey = "sk_test_eeeeeeeeeeeeeeeeeeee"
const newKey = "sk_test_ffffffffffffffffffff"

const inWorld = <A>(test: (world: PaystackWorld) => Effect.Effect<A, unknown>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const world = yield* paystackWorld({ keys: { NGN: ngnKey } })
      const own = world.fake.integrations.get(ngnKey)!
      world.fake.integrations.set(newKey, own)
      world.fake.integrations.set(otherKey, { ...own, number: 300 })
      return yield* world.inWorld(test(world))
    })
  )

const loseAnswer = (world: PaystackWorld, mishap: "lost" | "refused") => {
  world.fake.mishap = ({ method, path }) => (method === "POST" && path === "/transfer" ? mishap : undefined)
}

const otherSentence =
  "keys.NGN is the key of the integration 300 of Paystack, and the payouts in NGN of this store are of the integration 100: take a key of that one, or give the other one a provider of its own name"

describe("the key of another integration", () => {
  covers("COMPANY-14")
  it.live("makes no payout absent that the first one may have paid, and sends nothing", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const first = (yield* world.start()).provider
        // Before anything was sent, nothing tells whose key the right one is: a node with the other one runs already.
        const other = (yield* world.start({ keys: { NGN: otherKey } })).provider
        loseAnswer(world, "lost")
        assert.strictEqual(yield* wordOf(first.payouts!.submit(command)), "ProviderFault")
        world.fake.mishap = () => undefined
        for (let n = 0; n < 3; n++) {
          assert.strictEqual(yield* wordOf(other.payouts!.lookup(command)), "ProviderFault")
          world.pass(grace)
        }
        assert.strictEqual(yield* wordOf(other.payouts!.submit(command)), "ProviderFault")
        assert.strictEqual(yield* wordOf(other.payouts!.submit(payoutOf(2))), "unavailable")
        assert.strictEqual(
          world.fake.requests.filter(
            ({ key, method, path }) => key === otherKey && method === "POST" && path === "/transfer"
          ).length,
          0
        )
        assert.strictEqual(yield* wordOf(first.payouts!.lookup(command)), "settled success")
        assert.strictEqual(world.fake.executions.get(referenceFor(command)), 1)
      })
    )
  )

  covers("COMPANY-14")
  it.live("makes no refund absent that the first one may have made", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const payins = { email_domain: "pay.example.com", bank: { NGN: "test-bank" } }
        const first = (yield* world.start({ payins })).provider
        const other = (yield* world.start({ payins, keys: { NGN: otherKey } })).provider
        const refund = refundOf(1, String(world.fake.pay("0012345678", 100_00n).id))
        world.fake.mishap = ({ method, path }) => (method === "POST" && path === "/refund" ? "lost" : undefined)
        assert.strictEqual(yield* wordOf(first.payins!.refund(refund)), "ProviderFault")
        world.fake.mishap = () => undefined
        world.fake.instead = ({ key, method, path }) =>
          key === otherKey && method === "GET" && path === "/refund"
            ? [200, { status: true, message: "", data: [] }]
            : undefined
        for (let n = 0; n < 3; n++) {
          assert.strictEqual(yield* wordOf(other.payins!.lookupRefund(refund)), "ProviderFault")
          world.pass(grace)
        }
        assert.strictEqual(yield* wordOf(first.payins!.lookupRefund(refund)), "pending")
        assert.strictEqual(world.fake.executions.get(refund.id), 1)
      })
    )
  )

  covers("COMPANY-14")
  it.live("ends the start, and doctor says the same", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const other = (yield* world.start({ keys: { NGN: otherKey } })).provider
        yield* wordOf((yield* world.start()).provider.payouts!.submit(command))
        // An integration shows its number with the first thing that it has.
        yield* wordOf(other.payouts!.submit(payoutOf(2)))
        const exit = yield* Effect.exit(world.start({ keys: { NGN: otherKey } }))
        assert.strictEqual(
          Exit.isSuccess(exit) ? "started" : (Cause.squash(exit.cause) as Error).message,
          `paystack: ${otherSentence}`
        )
        assert.deepStrictEqual(yield* other.check!, [{ status: "fail", sentence: otherSentence }])
      })
    )
  )

  covers("COMPANY-14")
  it.live("is told from a new key of the same one", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        loseAnswer(world, "refused")
        yield* wordOf((yield* world.start()).provider.payouts!.submit(command))
        world.fake.mishap = () => undefined
        const { provider } = yield* world.start({ keys: { NGN: [newKey, ngnKey] } })
        yield* wordOf(provider.payouts!.lookup(command))
        world.pass(grace)
        assert.strictEqual(yield* wordOf(provider.payouts!.lookup(command)), "absent")
      })
    )
  )

  covers("COMPANY-14")
  it.live("may be any new key, where Paystack does not say which integration it is of", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        world.fake.instead = ({ method, path }) =>
          path !== "/transferrecipient"
            ? undefined
            : method === "POST"
              ? [201, { status: true, message: "", data: { recipient_code: "RCP_0440001234567" } }]
              : [200, { status: true, message: "", data: [] }]
        const first = (yield* world.start()).provider
        loseAnswer(world, "refused")
        yield* wordOf(first.payouts!.submit(command))
        world.fake.mishap = () => undefined
        const { provider } = yield* world.start({ keys: { NGN: [newKey, ngnKey] } })
        yield* wordOf(provider.payouts!.lookup(command))
        world.pass(grace)
        assert.strictEqual(yield* wordOf(provider.payouts!.lookup(command)), "ProviderFault")
        yield* wordOf(first.payouts!.lookup(command))
        world.pass(minutes(1))
        assert.strictEqual(yield* wordOf(first.payouts!.lookup(command)), "absent")
      })
    )
  )
})

const cedisOf = (n: number) =>
  payoutOf(n, {
    currency: "GHS",
    destination: {
      ...{ type: "fiat", country_code: "GH", network: "bank", account_number: "1234567890123", account_name: "EFUA" },
      ...{ bank_code: "030100", provider_id: "prov_1", rail: null }
    }
  })

describe("a currency whose key is taken away", () => {
  /** What a node says of its start and its next sweep, and what the sweep tells. */
  const look = (world: PaystackWorld, options: Partial<PaystackOptions>) =>
    Effect.gen(function* () {
      const { end, provider } = yield* world.start(options)
      const { events, fault } = yield* provider.events!.after!(null)
      const checked = (yield* provider.check!).filter(({ status }) => status !== "ok")
      yield* end
      return { cautions: provider.cautions, checked, told: events.length, fault, provider }
    })
  const both = { keys: { NGN: ngnKey, GHS: ghsKey } }
  const one = { keys: { NGN: ngnKey } }

  covers("COMPANY-24")
  it.live("is named at the start and by doctor with what still needs it, and holds up no other", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        assert.deepInclude(yield* look(world, one), { cautions: [], checked: [] })
        const before = yield* world.start({ ...both, payins: { email_domain: "pay.example.com" } })
        world.fake.integrations.forEach((integration) => (integration.first = "pending"))
        for (const n of [2, 3])
          assert.strictEqual(yield* wordOf(before.provider.payouts!.submit(cedisOf(n))), "accepted")
        assert.strictEqual(yield* wordOf(before.provider.payouts!.submit(command)), "accepted")
        yield* before.provider.payins!.issue({
          ...{ id: "wcr_1.issue", merchant_id: "mer_1", resource_id: "wcr_1", kind: "wallet_credential", type: "fiat" },
          ...{ currency: "GHS", country_code: "GH", network: "bank", holder: "Efua Mensah" }
        })
        yield* before.end
        const [ended, open] = [cedisOf(2), cedisOf(3)]
        const first = yield* look(world, both)
        assert.deepInclude(first, { cautions: [], told: 0, fault: undefined })
        world.fake.become(referenceFor(ended), "success")
        assert.deepInclude(yield* look(world, both), { cautions: [], told: 1, fault: undefined })

        for (const paid of [command, open]) world.fake.become(referenceFor(paid), "success")
        const sentence = `keys.GHS is not set, and is needed for 1 payout or refund without an outcome (${open.id}) and for the accounts that were issued: nothing of them is told, and no money is released, until the key is set again`
        const without = yield* look(world, one)
        assert.deepStrictEqual(without.checked, [{ status: "warn", sentence }])
        assert.deepInclude(without, { cautions: [`paystack: ${sentence}`], told: 2, fault: undefined })
        assert.deepInclude(yield* look(world, one), { told: 2, fault: undefined })
        assert.strictEqual(yield* wordOf(without.provider.payouts!.lookup(open)), "ProviderFault")

        assert.deepInclude(yield* look(world, both), { cautions: [], told: 3, fault: undefined })
        assert.match((yield* look(world, one)).checked[0]!.sentence, /needed for the accounts that were issued: /)
      })
    )
  )
})
