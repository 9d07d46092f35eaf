/** What the developer has the simulated provider report again, in another version (SANDBOX-1, SANDBOX-2, DEPOSIT-8). */
import { assert, it } from "vitest"
import { Effect } from "effect"
import type { SandboxDeposit } from "../../../src/engine/sandbox/inputs.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { addressAt, freshAddress } from "../../support/merchants/payins.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

const payin_id = "invoice-7"

/** A merchant with two deposit addresses, the first of which was paid 100 USDC. */
const paid = Effect.fnUntraced(function* (stage: "detected" | "confirmed" = "confirmed") {
  const m = yield* merchantAtWork("0")
  const [first, second] = [yield* addressAt(m, freshAddress()), yield* addressAt(m, freshAddress())]
  const pays = (more: Partial<SandboxDeposit> = {}) =>
    m.deposit({ wallet_id: undefined, deposit_address_id: first.id, amount: "100", payin_id, ...more } as never)
  const { transaction_id } = yield* pays({ stage })
  return { m, first, second, pays, transaction_id }
})

const versions = (m: MerchantAtWork) =>
  Effect.map(m.exceptions, (open) =>
    open.map(({ amount, provider_event, reason, recorded }) => {
      const stated = provider_event as Readonly<Record<string, string>>
      const was = recorded as Readonly<Record<string, string>>
      return [reason, amount, `${was["amount"]} ${was["currency"]}`, `${stated["amount"]} ${stated["currency"]}`]
    })
  )

onMemory("a pay-in of the sandbox that is reported again", (run) => {
  covers("SANDBOX-1", "DEPOSIT-8", "EXCEPTION-5")
  it.each([
    ["amount", { amount: "150" }, ["another_amount", null, "100.00 USDC", "150 USDC"]],
    ["currency", { currency: "USDT" }, ["another_currency", null, "100.00 USDC", "100 USDT"]]
  ] as const)("with another %s is an exception with both versions, and credits nothing", (_, more, version) =>
    run(
      Effect.gen(function* () {
        const { m, pays, transaction_id } = yield* paid()
        assert.deepEqual(yield* pays(more), { payin_id, transaction_id })
        assert.deepEqual(yield* versions(m), [[...version]])
        assert.strictEqual((yield* m.balance).available, "100.00")
        // What was confirmed is still repeated without a word.
        yield* pays()
        assert.lengthOf(yield* m.exceptions, 1)
      })
    )
  )

  it.each([
    ["another amount", { amount: "150" }, "50.00"],
    ["a smaller amount", { amount: "60" }, "40.00"],
    ["another currency", { currency: "USDT" }, "100.00"],
    ["another amount, and failed", { amount: "150", stage: "failed" }, "100.00"]
  ] as const)("with %s after it was credited is high, with what may be lost", (_, more, amount) =>
    run(
      Effect.gen(function* () {
        const { m, pays } = yield* paid()
        yield* pays(more)
        const [raised] = yield* m.exceptions
        assert.deepEqual([raised?.severity, raised?.exposure], ["high", { amount, currency: "USDC" }])
      })
    )
  )

  it("with another currency before it was confirmed is low", () =>
    run(
      Effect.gen(function* () {
        const { m, pays } = yield* paid("detected")
        yield* pays({ currency: "USDT" })
        assert.deepInclude((yield* m.exceptions)[0], { reason: "another_currency", severity: "low", exposure: null })
      })
    ))

  it("at another address is an exception with both versions", () =>
    run(
      Effect.gen(function* () {
        const { first, m, second, pays } = yield* paid()
        yield* pays({ deposit_address_id: second.id })
        const targets = (yield* m.exceptions).map(({ provider_event, reason, recorded }) => [
          reason,
          (recorded as { readonly target: string }).target,
          (provider_event as { readonly target: string }).target
        ])
        assert.deepEqual(targets, [["another_target", first.target, second.target]])
        assert.strictEqual((yield* m.balance).available, "100.00")
      })
    ))

  it("to an onramp with another amount is an exception, and the onramp goes on as it was funded", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        const { id } = yield* (yield* onrampsOf(m)).onramp()
        const pays = (amount: string) => m.deposit({ wallet_id: undefined, onramp_id: id, amount, payin_id } as never)
        yield* pays("150000")
        yield* pays("160000")
        assert.deepEqual(yield* versions(m), [["another_amount", null, "150000.00 NGN", "160000 NGN"]])
        yield* m.settle
        yield* m.says(id, "success")
        assert.strictEqual(yield* m.status(id), "success")
      })
    ))

  it("may turn out to be another amount until it is confirmed, and is refunded up to what was confirmed", () =>
    run(
      Effect.gen(function* () {
        const { m, second, pays } = yield* paid("detected")
        yield* pays({ amount: "60" })
        assert.strictEqual((yield* m.balance).available, "60.00")
        yield* pays({ amount: "900" })
        // A second pay-in without a wallet, whose money the operator sends back.
        const stray = { deposit_address_id: second.id, payin_id: "stray", currency: "USDT" }
        yield* pays({ ...stray, amount: "5", stage: "detected" })
        yield* pays({ ...stray, amount: "7" })
        yield* pays({ ...stray, amount: "1" })
        const raised = yield* m.exceptions
        const held = raised.find(({ amount }) => amount !== null)!
        assert.deepEqual([held.reason, held.amount, held.currency], ["wrong_currency", "7.00", "USDT"])
        yield* m.resolve(held.id, "refund")
        yield* m.settle
        yield* m.advance(10)
        const { items } = yield* (yield* Exceptions).list({ status: "resolved", per_page: 200 })
        assert.include(
          items.map(({ id }) => id),
          held.id
        )
      })
    ))

  it("keeps what the developer leaves out: the payer, the currency, and the address of the wallet", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const sender = { from_address: freshAddress() }
        const pays = (more: Partial<SandboxDeposit>) => m.deposit({ amount: "10", payin_id, ...more })
        const { transaction_id } = yield* pays({ stage: "detected", ...sender })
        // The wallet has a newer address by now.
        yield* m.advance(1)
        yield* addressAt(m, freshAddress())
        assert.deepEqual(yield* pays({}), { payin_id, transaction_id })
        const { metadata } = (yield* m.rowOf(transaction_id!)).data as { readonly metadata: object }
        assert.deepEqual(metadata, sender)
        const foreign = { payin_id: "foreign", currency: "USDT" }
        yield* pays({ ...foreign, stage: "detected" })
        yield* pays({ payin_id: foreign.payin_id })
        assert.deepEqual(
          (yield* m.exceptions).map(({ amount, reason }) => [reason, amount]),
          [
            ["wrong_currency", "10.00"],
            ["wrong_currency", null]
          ]
        )
        assert.strictEqual((yield* m.balance).available, "10.00")
      })
    ))
})

onMemory("an outcome of the sandbox that is reported again under its event id", (run) => {
  covers("SANDBOX-2", "EXCEPTION-1")
  it("with another content is an exception with both versions, and a repeat is none", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const { id } = yield* m.transfer("10")
        yield* m.settle
        const event_id = `${id}.reported`
        yield* m.says(id, "success", { event_id, provider_reference: "FT1" })
        yield* m.says(id, "success", { event_id })
        assert.deepEqual(yield* m.exceptions, [])
        const versionsOfIt = [
          ["failed", {}],
          ["success", { amount: "9" }]
        ] as const
        for (const [outcome, more] of versionsOfIt) yield* m.says(id, outcome, { event_id, ...more })
        assert.deepEqual(
          (yield* m.exceptions).toReversed().map(({ provider_event, reason, recorded }) => {
            const [stated, was] = [provider_event, recorded] as ReadonlyArray<Readonly<Record<string, unknown>>>
            return [reason, was!["outcome"], stated!["outcome"], stated!["amount"] ?? null]
          }),
          [
            ["event_id_reused", "success", "failed", null],
            ["event_id_reused", "success", "success", "9"]
          ]
        )
        assert.strictEqual(yield* m.status(id), "success")
      })
    ))

  it("about a refund is an exception with both versions as well", () =>
    run(
      Effect.gen(function* () {
        const { m, pays } = yield* paid("detected")
        yield* m.refunds("accept")
        yield* pays({ payin_id: "stray", currency: "USDT", amount: "7" })
        const [{ id } = { id: "" }] = yield* m.exceptions
        yield* m.resolve(id, "refund")
        yield* m.settle
        const event_id = `${id}.reported`
        yield* m.says(id, "success", { event_id })
        yield* m.says(id, "success", { event_id })
        assert.deepEqual(yield* m.exceptions, [])
        yield* m.says(id, "refund_failed", { event_id })
        assert.deepEqual(
          (yield* m.exceptions).map(({ provider_event, reason, recorded }) => {
            const [stated, was] = [provider_event, recorded] as ReadonlyArray<Readonly<Record<string, unknown>>>
            return [reason, was!["outcome"], stated!["outcome"]]
          }),
          [["event_id_reused", "success", "failed"]]
        )
      })
    ))
})
