/**
 * What becomes of money in another currency than its wallet's when it cannot be converted (AUTOCONVERT-8,
 * AUTOCONVERT-10, AUTOCONVERT-12).
 */
import { assert, describe, it } from "vitest"
import { Effect } from "effect"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Transactions } from "../../../src/engine/reports/transaction.ts"
import { covers } from "../../support/repository/covers.ts"
import { type Way, balances, market, minor, openWay, ways, waysOn } from "../../support/merchants/credentials.ts"
import { onMemory, type Run } from "../../support/engines/every-store.ts"

const received = ["1 deposit.received null>received"]

/** The operator credits what an exception holds: it arrives on the credential, and is converted from there. */
const credited = Effect.fnUntraced(function* (m: Effect.Success<ReturnType<typeof openWay>>, exception_id: string) {
  const { credited: made } = yield* m.resolve(exception_id, "credit")
  assert.deepEqual(yield* m.story(made!.transaction_id), received)
  yield* m.finish
  assert.deepEqual(yield* m.balances, { free: "0", reserved: "0", held: "0" })
})

/** A refund that failed waits in suspense, until the operator credits it. */
const creditedAfterRefund = Effect.fnUntraced(function* (
  m: Effect.Success<ReturnType<typeof openWay>>,
  way: Way,
  resource_id: string
) {
  const [exception] = yield* m.exceptions
  assert.deepInclude(exception!, {
    resource_id,
    reason: "refund_failed",
    amount: way.amount,
    currency: way.currency
  })
  yield* credited(m, exception!.id)
  assert.deepEqual(yield* m.balance, balances(way.becomes))
})

const bothWays = (run: Run, way: Way): void => {
  it("confirmed after its failure waits in suspense, and is a deposit once the operator credits it, converted as any other", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        yield* m.pay(["failed", "confirmed"])
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception!, { reason: "contradicts_state", amount: way.amount, currency: way.currency })
        yield* credited(m, exception!.id)
        assert.deepEqual(yield* m.balance, balances(way.becomes))
      })
    ))

  covers("DEPOSIT-11")
  it("that is held and rejected goes back to its payer, and fails then", () =>
    run(
      Effect.gen(function* () {
        const deposits = yield* Deposits
        const m = yield* openWay(way)
        yield* m.freeze
        const id = yield* m.pay(["confirmed"])
        yield* deposits.reject(m.operator, id, "sanctioned")
        yield* m.settle
        assert.deepInclude(yield* m.body(id), { status: "failed", destination_amount: null })
        assert.deepEqual(yield* m.story(id), ["1 deposit.held null>held", "2 deposit.failed held>failed"])
        assert.deepEqual(yield* m.balances, { free: "0", reserved: "0", held: "0" })
        assert.deepEqual(yield* m.exceptions, [])
        assert.deepEqual(yield* m.conversions, [])
      })
    ))

  it("that is held and cannot be sent back leaves the money in suspense, and is a deposit anew once it is credited", () =>
    run(
      Effect.gen(function* () {
        const deposits = yield* Deposits
        const m = yield* openWay(way)
        yield* m.freeze
        const id = yield* m.pay(["confirmed"], { sender: { account_number: "5550007" } })
        yield* deposits.reject(m.operator, id, "sanctioned")
        yield* m.settle
        yield* creditedAfterRefund(m, way, id)
      }),
      { mode: "auto" }
    ))

  covers("AUTOCONVERT-8", "AUTOCONVERT-10")
  it.each(["failed", "cancelled", "returned", "reversed"] as const)(
    "whose conversion is %s stays on the credential, and nothing is tried again",
    (outcome) =>
      run(
        Effect.gen(function* () {
          const m = yield* openWay(way)
          const id = yield* m.pay(["confirmed"])
          yield* m.settle
          const { id: conversion_id } = yield* m.conversion
          yield* m.says(conversion_id, outcome)
          yield* m.advance(3 * 86_400)
          const { status, received_amount } = yield* m.conversion
          assert.strictEqual(status, outcome === "failed" || outcome === "cancelled" ? "failed" : "returned")
          assert.isNull(received_amount)
          assert.deepEqual(yield* m.balances, { free: minor(way.amount, way), reserved: "0", held: "0" })
          assert.deepEqual(yield* m.balance, balances("0.00"))
          assert.strictEqual(yield* m.executions(conversion_id), 0)
          assert.deepInclude(yield* m.body(id), { status: "received", received_amount: way.becomes })
          assert.deepEqual(yield* m.story(id), received)
        })
      )
  )

  covers("AUTOCONVERT-8", "AUTOCONVERT-12", "CREDENTIAL-8", "AUTOCONVERT-10")
  it("whose conversion failed is forwarded by the operator: the whole balance, at the rate and fee of that moment", () => {
    const rates = market()
    return run(
      Effect.gen(function* () {
        const transactions = yield* Transactions
        const m = yield* openWay(way)
        yield* rates.moves(1n)
        yield* m.pay(["confirmed"])
        yield* m.pay(["confirmed"])
        yield* m.settle
        for (const { id } of yield* m.conversions) yield* m.says(id, "failed")
        const third = yield* m.pay(["confirmed"])
        yield* rates.moves(2n)
        const forward = yield* m.forward
        assert.deepInclude(forward, {
          type: "deposit",
          source_type: "deposit_forward",
          source_id: m.credential_id,
          status: "confirmed",
          from_wallet_id: null,
          to_wallet_id: m.wallet.id,
          source_currency: way.currency,
          destination_currency: way.wallet_currency
        })
        assert.strictEqual(Number(forward.source_amount), 2 * Number(way.amount))
        assert.isAbove(Number(forward.destination_amount), Number(way.becomes) * 3.99)
        assert.strictEqual(forward.received_amount, forward.destination_amount)
        assert.isNotNull(forward.confirmed_at)
        assert.deepEqual(
          forward.fee.line_items.map(({ name, currency }) => [name, currency]),
          [["gateway", way.currency]]
        )
        assert.deepEqual(yield* m.balance, balances(forward.received_amount!))
        assert.deepEqual(yield* m.balances, { free: "0", reserved: minor(way.amount, way), held: "0" })
        assert.deepEqual(yield* m.published(forward.id), [])
        assert.deepEqual(yield* m.body(forward.id), forward)
        const listed = yield* transactions.list(m.caller, {
          source_type: "deposit_forward",
          status: "confirmed",
          wallet_id: m.wallet.id
        })
        assert.deepEqual(
          listed.items.map(({ id }) => id),
          [forward.id]
        )
        assert.strictEqual((yield* Effect.flip(m.forward))._tag, "InvalidStatus")
        yield* m.settle
        yield* m.says((yield* m.conversions).at(-1)!.id, "success")
        assert.strictEqual((yield* m.body(third))["status"], "received")
      }),
      { rates: rates.layer }
    )
  })

  it("whose conversion can neither be made nor given back waits in suspense, and is converted anew once it is credited", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        yield* m.pay(["confirmed"])
        yield* m.settle
        const { id } = yield* m.conversion
        yield* m.says(id, "refund_failed")
        assert.deepEqual(yield* m.balances, { free: "0", reserved: "0", held: "0" })
        yield* creditedAfterRefund(m, way, id)
      })
    ))

  covers("EXCEPTION-2")
  it("is credited to the wallet of its credential also where the operator names that", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        yield* m.pay(["confirmed"])
        yield* m.settle
        yield* m.says((yield* m.conversion).id, "refund_failed")
        const [exception] = yield* m.exceptions
        const exceptions = yield* Exceptions
        yield* exceptions.resolve(m.operator, exception!.id, { action: "credit", wallet_id: m.wallet.id, note: "n" })
        yield* m.finish
        assert.deepEqual(yield* m.balance, balances(way.becomes))
      })
    ))
}

onMemory("a deposit in another currency", (run, store) => {
  describe.each(waysOn(store, ways).map((way) => [way.name, way] as const))("%s", (_, way) => {
    bothWays(run, way)
  })
})
