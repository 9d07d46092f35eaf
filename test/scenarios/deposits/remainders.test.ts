/** Pay-ins with more decimals than the ledger keeps (DEPOSIT-15). */
import { assert, it } from "vitest"
import { Effect } from "effect"
import type { PayinEvent } from "../../../src/engine/ports/Provider.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { booksBalance, onMemory } from "../../support/engines/every-store.ts"
import { openWay, ways } from "../../support/merchants/credentials.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { addressAt, freshAddress, payinEvent, findExceptions } from "../../support/merchants/payins.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

/** What a provider says of one pay-in: each call is an event of its own. */
const reportsOf = (paid: Pick<PayinEvent, "target"> & Partial<PayinEvent>) => {
  const payin_id = `${paid.target}.paid`
  let count = 0
  const says = (more: Partial<PayinEvent> = {}) =>
    Inbox.use((inbox) =>
      inbox.receive("simulated", payinEvent({ ...paid, payin_id, event_id: `${payin_id}.${(count += 1)}`, ...more }))
    )
  const raised = Effect.map(findExceptions(payin_id), (open) =>
    open.map(({ actions, amount, detail, exposure, reason, resource_kind, severity }) => ({
      actions,
      amount,
      detail,
      exposure,
      reason,
      resource_kind,
      severity
    }))
  )
  return { says, raised, whole: findExceptions(payin_id) }
}

const named = (resource_kind: string, detail: string) => ({
  actions: ["dismiss"] as const,
  amount: null,
  detail,
  exposure: null,
  reason: "remainder",
  resource_kind,
  severity: "low" as const
})

const usdc = (amount: string, booked: string, rest: string): string =>
  `amount: found ${amount}; USDC is kept with 6 decimals, ${booked} is booked, and the remainder is ${rest}`

const naira = (amount: string, booked: string, rest: string): string =>
  `amount: found ${amount}; NGN is kept with 2 decimals, ${booked} is booked, and the remainder is ${rest}`

onMemory("a pay-in with more decimals than the ledger keeps", (run) => {
  covers("DEPOSIT-15")

  it("is credited rounded down, with the remainder named once; the same again is the same, other decimals are another amount", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        // What a token with 18 decimals pays.
        const amount = "100.123456999999999999"
        const { raised, says, whole } = reportsOf({ ...(yield* addressAt(m, freshAddress())), amount })
        yield* says({ stage: "detected" })
        assert.deepEqual(yield* raised, [])
        assert.strictEqual(yield* says(), "applied")
        assert.strictEqual((yield* m.balance).available, "100.123456")
        const remainder = named("deposit", usdc(amount, "100.123456", "0.000000999999999999"))
        assert.deepEqual(yield* raised, [remainder])
        yield* says()
        yield* says({ stage: "detected" })
        assert.deepEqual(yield* raised, [remainder])
        for (const other of ["100.123456", "100.123456999999999998"]) yield* says({ amount: other })
        const [, ...others] = yield* whole
        assert.deepEqual(
          others.map(({ exposure, reason, severity }) => [reason, severity, exposure]),
          [
            ["another_amount", "low", null],
            ["another_amount", "low", null]
          ]
        )
        assert.deepInclude(others[0]!.recorded as object, { amount: "100.123456", remainder: "0.000000999999999999" })
        assert.strictEqual((yield* m.balance).available, "100.123456")
        // An operator has nothing to do but to say so.
        for (const { id } of yield* whole) yield* m.resolve(id, "dismiss")
        assert.deepEqual(yield* whole, [])
        yield* booksBalance
      })
    ))

  it("is compared exactly when it was booked without one, and trailing zeros are none", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { raised, says } = reportsOf({ ...(yield* addressAt(m, freshAddress())), amount: "7.000000000" })
        yield* says()
        yield* says({ amount: "7" })
        assert.deepEqual(yield* raised, [])
        yield* says({ amount: "7.0000001" })
        assert.deepEqual(
          (yield* raised).map(({ reason }) => reason),
          ["another_amount"]
        )
        assert.strictEqual((yield* m.balance).available, "7.00")
      })
    ))

  it("funds an onramp, and pays into an account that converts, rounded down", () =>
    run(
      Effect.gen(function* () {
        const payer = yield* merchantCollecting
        const { deposit_instruction, id } = yield* payer.onramp()
        const target = { target: deposit_instruction.depositReference, currency: "NGN", network: "bank" }
        const onramp = reportsOf({ ...target, amount: "150000.009" })
        assert.strictEqual(yield* onramp.says(), "applied")
        yield* onramp.says()
        assert.deepEqual(yield* onramp.raised, [named("onramp", naira("150000.009", "150000.00", "0.009"))])
        yield* onramp.says({ amount: "150000.008" })
        assert.lengthOf(yield* onramp.raised, 2)
        yield* payer.settle
        yield* payer.says(id, "success")
        assert.strictEqual((yield* payer.collected(id)).status, "success")

        const m = yield* openWay(ways[0]!)
        const { accountNumber, reference } = (yield* m.credential).details as Record<string, string>
        const account = { target: `${accountNumber}/${reference}`, currency: "NGN", network: "bank" }
        const deposit = reportsOf({ ...account, amount: "150750.004999" })
        assert.strictEqual(yield* deposit.says(), "applied")
        yield* deposit.says()
        assert.deepEqual(yield* deposit.raised, [named("deposit", naira("150750.004999", "150750.00", "0.004999"))])
        yield* m.settle
        for (const { id: conversion } of yield* m.conversions) yield* m.says(conversion, "success")
        yield* booksBalance
      })
    ))

  it("that nobody can be credited for is in suspense rounded down, and its exception names the remainder and refunds or credits it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        for (const action of ["credit", "refund"] as const) {
          const { says, whole } = reportsOf({ ...(yield* addressAt(m, freshAddress())), amount: "5.5000001" })
          yield* says({ stage: "failed" })
          yield* says()
          yield* says()
          const [late, ...others] = yield* whole
          assert.deepEqual(others, [])
          assert.deepInclude(late, { reason: "contradicts_state", amount: "5.50" })
          assert.strictEqual(late!.detail, usdc("5.5000001", "5.50", "0.0000001"))
          assert.sameMembers([...late!.actions], ["refund", "credit", "dismiss"])
          yield* m.resolve(late!.id, action)
          yield* m.settle
          assert.deepEqual(yield* whole, [])
          assert.strictEqual((yield* m.balance).available, "5.50")
          yield* says({ amount: "5.5" })
          const [another] = yield* whole
          assert.deepInclude(another, { reason: "another_amount", amount: null })
          yield* m.resolve(another!.id, "dismiss")
        }
        yield* booksBalance
      })
    ))

  it("and rounds to nothing books nothing and is named once; what is confirmed of it afterwards is credited", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { raised, says } = reportsOf({ ...(yield* addressAt(m, freshAddress())), amount: "0.0000009" })
        for (let i = 0; i < 3; i++) yield* says()
        const dust = named("deposit_address", usdc("0.0000009", "nothing", "0.0000009"))
        assert.deepEqual(yield* raised, [dust])
        yield* says({ amount: "0.0000008" })
        assert.lengthOf(yield* raised, 2)
        assert.strictEqual((yield* m.balance).available, "0.00")
        assert.strictEqual(yield* says({ amount: "3.0000001" }), "applied")
        assert.strictEqual((yield* m.balance).available, "3.00")

        const later = reportsOf({ ...(yield* addressAt(m, freshAddress())), amount: "4" })
        yield* later.says({ stage: "detected" })
        for (let i = 0; i < 2; i++) yield* later.says({ amount: "0.0000009" })
        assert.deepEqual(yield* later.raised, [{ ...dust, resource_kind: "deposit" }])
        assert.strictEqual(yield* later.says(), "applied")
        assert.strictEqual((yield* m.balance).available, "7.00")
      })
    ))

  covers("SANDBOX-1")
  it("is what the sandbox reports, too", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { transaction_id } = yield* m.deposit({ amount: "1.00000059" })
        assert.deepInclude(yield* m.body(transaction_id!), { status: "success", source_amount: "1.00" })
        assert.deepEqual(
          (yield* m.exceptions).map(({ detail, reason }) => [reason, detail]),
          [["remainder", usdc("1.00000059", "1.00", "0.00000059")]]
        )
      })
    ))
})
