/** Deposits in another currency than their wallet's, both ways (AUTOCONVERT-2 to AUTOCONVERT-10). */
import { assert, describe, it } from "vitest"
import { Effect } from "effect"
import { Conversions } from "../../../src/engine/resources/movements/conversion.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { Transactions } from "../../../src/engine/reports/transaction.ts"
import { Verifications } from "../../../src/engine/resources/parties/verification.ts"
import { covers } from "../../support/repository/covers.ts"
import { type Way, balances, market, minor, openWay, ways, waysOn } from "../../support/merchants/credentials.ts"
import { onServers, type Run } from "../../support/engines/every-store.ts"

const received = ["1 deposit.received null>received"]
const converted = [
  "1 conversion.created null>created",
  "2 conversion.funds_received =created",
  "3 conversion.processing created>processing"
]

const bothWays = (run: Run, way: Way): void => {
  covers("AUTOCONVERT-1", "AUTOCONVERT-7", "TRANSACTION-6", "AUTOCONVERT-9", "EVENT-14", "AUTOCONVERT-10")
  covers("AUTOCONVERT-13")
  it("is priced on arrival, told once, and carried into the wallet by a conversion", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        const id = yield* m.pay(["confirmed"])
        const arrived = yield* m.body(id)
        assert.deepInclude(arrived, {
          type: "deposit",
          source_type: "credential",
          source_id: m.credential_id,
          status: "received",
          confirmed_at: null,
          from_wallet_id: null,
          to_wallet_id: m.wallet.id,
          source_amount: way.amount,
          source_currency: way.currency,
          destination_amount: way.becomes,
          destination_currency: way.wallet_currency,
          received_amount: way.becomes,
          fee: { line_items: [] },
          parent_transaction_id: null,
          root_transaction_id: id
        })
        assert.deepEqual(yield* m.story(id), received)
        assert.deepEqual(yield* m.balances, { free: "0", reserved: minor(way.amount, way), held: "0" })
        assert.deepEqual(yield* m.balance, balances("0.00"))

        yield* m.settle
        const begun = yield* m.conversion
        assert.deepInclude(begun, {
          status: "processing",
          quote_id: null,
          rate_source: "live",
          source_wallet: null,
          credential_id: m.credential_id,
          parent_transaction_id: id,
          source_amount: way.amount,
          source_currency: way.currency,
          destination_amount: way.becomes,
          destination_currency: way.wallet_currency,
          received_amount: null,
          rate: way.rate
        })
        assert.match(begun.reference, /^ref_/)
        assert.deepEqual(begun.metadata, { shop: "4" })
        assert.strictEqual(begun.destination_wallet.id, m.wallet.id)
        assert.strictEqual(begun.customer.id, m.wallet.customer_id)
        assert.deepEqual(yield* m.balance, balances("0.00"))

        yield* m.says(begun.id, "success")
        assert.deepEqual(yield* m.balance, balances(way.becomes))
        assert.deepEqual(yield* m.story(begun.id), [...converted, "4 conversion.success processing>success"])
        assert.deepEqual(yield* m.balances, { free: "0", reserved: "0", held: "0" })
        assert.deepEqual(yield* m.story(id), received)
        assert.deepInclude(yield* m.body(id), { status: "received", received_amount: way.becomes })
        assert.deepInclude(yield* m.object(begun.id, "conversion.success"), {
          actual_source_amount: way.amount,
          actual_destination_amount: way.becomes,
          actual_rate: way.rate,
          received_amount: way.becomes,
          fee: { line_items: [{ name: "gateway", amount: way.gateway, currency: way.currency }] }
        })
      })
    ))

  it("and its conversion are one family, the deposit its root and parent", () =>
    run(
      Effect.gen(function* () {
        const transactions = yield* Transactions
        const m = yield* openWay(way)
        const id = yield* m.pay(["confirmed"])
        const { id: conversion_id } = yield* m.conversion
        yield* m.settle
        yield* m.says(conversion_id, "success")
        const child = `txn_${conversion_id.slice(4)}`
        assert.deepInclude(yield* m.body(child), {
          type: "conversion",
          source_type: "conversion",
          source_id: conversion_id,
          status: "success",
          parent_transaction_id: id,
          root_transaction_id: id,
          from_wallet_id: null,
          to_wallet_id: m.wallet.id,
          received_amount: way.becomes,
          related_transactions: [
            { id, type: "deposit", source_type: "credential", status: "received", received_amount: way.becomes }
          ]
        })
        assert.deepEqual((yield* m.body(id))["related_transactions"], [
          { id: child, type: "conversion", source_type: "conversion", status: "success", received_amount: way.becomes }
        ])
        const listed = yield* transactions.list(m.caller, { wallet_id: m.wallet.id })
        assert.sameMembers(
          listed.items.map((one) => one.id),
          [id, child]
        )
        const deposits = yield* transactions.list(m.caller, {
          type: "deposit",
          source_type: "credential",
          status: "received",
          source_currency: way.currency
        })
        assert.deepEqual(
          deposits.items.map((one) => one.id),
          [id]
        )
      })
    ))

  covers("EVENT-22")
  it("tells with deposit.received whom it is for and where it was paid to", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        const id = yield* m.pay(["confirmed"], {
          sender: { name: "Ngozi", bank: "GTB", account_number: "0123456789" },
          narration: "till"
        })
        const object = yield* m.object(id, "deposit.received")
        const { details, provider_resource_id } = yield* m.credential
        assert.deepInclude(object, {
          id,
          status: "received",
          destination_amount: way.becomes,
          destination_currency: way.wallet_currency,
          received_amount: way.becomes,
          wallet: { id: m.wallet.id, currency: way.wallet_currency, label: null },
          credential: {
            id: m.credential_id,
            type: way.type,
            currency: way.currency,
            network: way.network,
            label: "collections",
            metadata: { shop: "4" },
            details,
            provider_resource_id
          }
        })
        assert.strictEqual(object["customer"].id, m.wallet.customer_id)
        assert.isString(object["deposit_timestamp"])
        assert.deepInclude(object["metadata"], {
          sender_name: "Ngozi",
          sender_bank: "GTB",
          sender_account_number: "6789",
          narration: "till"
        })
        assert.strictEqual("from_address" in object["metadata"], way.type === "crypto")
        yield* m.finish
      })
    ))

  const failedEvent = "1 deposit.failed null>failed"
  it.each<[string, ReadonlyArray<"detected" | "confirmed" | "failed">, string, ReadonlyArray<string>, number, number]>([
    ["detected", ["detected", "detected"], "received", received, 0, 0],
    ["detected, confirmed", ["detected", "confirmed"], "received", received, 1, 0],
    ["confirmed, detected", ["confirmed", "detected"], "received", received, 1, 0],
    [
      "everything twice",
      ["detected", "detected", "confirmed", "confirmed", "detected", "confirmed"],
      "received",
      received,
      1,
      0
    ],
    ["failed", ["failed", "failed"], "failed", [failedEvent], 0, 0],
    [
      "detected, failed",
      ["detected", "failed", "failed"],
      "failed",
      [...received, "2 deposit.failed received>failed"],
      0,
      0
    ],
    ["confirmed, failed", ["confirmed", "failed"], "received", received, 1, 1],
    ["failed, confirmed", ["failed", "confirmed", "confirmed"], "failed", [failedEvent], 0, 1]
  ])("%s is converted at most once", (_, stages, status, events, conversions, exceptions) =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        const id = yield* m.pay(stages)
        const body = yield* m.body(id)
        assert.strictEqual(body["status"], status)
        const price = status === "received" ? way.becomes : null
        assert.deepInclude(body, {
          destination_amount: price,
          received_amount: price,
          destination_currency: way.wallet_currency
        })
        assert.deepEqual(yield* m.story(id), events)
        assert.strictEqual((yield* m.conversions).length, conversions)
        assert.strictEqual((yield* m.exceptions).length, exceptions)
        yield* m.finish
        assert.deepEqual(yield* m.balance, balances(conversions === 1 ? way.becomes : "0.00"))
      })
    )
  )

  covers("EVENT-14", "AUTOCONVERT-10")
  it.each(["freeze", "disable"] as const)(
    "on a credential that %s stopped is held without a price, and priced when it is released",
    (stop) => {
      const rates = market()
      return run(
        Effect.gen(function* () {
          const deposits = yield* Deposits
          const m = yield* openWay(way)
          yield* rates.moves(1n)
          yield* m[stop]
          const id = yield* m.pay(["detected", "confirmed", "confirmed"])
          const held = yield* m.object(id, "deposit.held")
          assert.deepInclude(held, {
            status: "processing",
            destination_amount: null,
            received_amount: null,
            destination_currency: way.wallet_currency
          })
          assert.strictEqual(held["metadata"].hold_reason, stop === "freeze" ? "payin_frozen" : "payin_disabled")
          assert.strictEqual(held["credential"].id, m.credential_id)
          assert.deepEqual(yield* m.balances, { free: "0", reserved: "0", held: minor(way.amount, way) })
          assert.deepEqual(yield* m.balance, balances("0.00"))
          assert.deepEqual(yield* m.conversions, [])
          const waiting = yield* deposits.held({ per_page: 200 })
          assert.isTrue(waiting.items.some((one) => one.id === id && one.destination_amount === null))

          yield* rates.moves(2n)
          const released = yield* deposits.release(m.operator, id, "seen")
          assert.strictEqual(released.status, "received")
          assert.notProperty(released.metadata, "hold_reason")
          assert.deepEqual(yield* m.story(id), ["1 deposit.held null>held", "2 deposit.received held>received"])
          const { id: conversion_id, destination_amount, rate } = yield* m.conversion
          assert.notStrictEqual(rate, way.rate)
          assert.isAbove(Number(destination_amount), Number(way.becomes) * 1.99)
          const reported = yield* m.object(id, "deposit.received")
          assert.strictEqual(reported["destination_amount"], destination_amount)
          assert.strictEqual((yield* Effect.flip(deposits.release(m.operator, id, "seen")))._tag, "InvalidStatus")
          assert.strictEqual((yield* Effect.flip(deposits.reject(m.operator, id, "late")))._tag, "InvalidStatus")
          yield* m.settle
          yield* m.says(conversion_id, "success")
          assert.deepEqual(yield* m.balance, balances(destination_amount))
        }),
        { rates: rates.layer }
      )
    }
  )

  it("keeps the rate of its arrival however long the provider takes no submissions", () => {
    const rates = market()
    return run(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        yield* rates.moves(1n)
        yield* m.behaves("hold")
        yield* m.pay(["confirmed"])
        yield* rates.moves(2n)
        yield* m.advance(305)
        const { id, status } = yield* m.conversion
        assert.strictEqual(status, "created")
        yield* m.behaves("accept")
        yield* m.settle
        yield* m.says(id, "success")
        assert.deepEqual(yield* m.balance, balances(way.becomes))
      }),
      { rates: rates.layer }
    )
  })

  it("is carried through a provider that is unavailable twice, and one that loses its answer", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        yield* m.behaves("unavailable")
        yield* m.pay(["confirmed"])
        yield* m.settle
        assert.strictEqual((yield* m.conversion).status, "temporary_failure")
        yield* m.behaves("timeout")
        yield* m.advance(20)
        yield* m.behaves("accept")
        yield* m.advance(120)
        const { id } = yield* m.conversion
        yield* m.says(id, "success")
        assert.deepEqual(yield* m.balance, balances(way.becomes))
        assert.strictEqual(yield* m.executions(id), 1)
      })
    ))

  it("of many at once each is converted, and none twice", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        yield* Effect.all(
          Array.from({ length: 8 }, () => m.pay(["detected", "confirmed", "confirmed"])),
          { concurrency: 8 }
        )
        yield* m.settle
        const made = yield* m.conversions
        assert.strictEqual(made.length, 8)
        yield* Effect.all(
          made.map(({ id }) => m.says(id, "success")),
          { concurrency: 8 }
        )
        assert.strictEqual(
          Math.round(Number((yield* m.balance).available) * 100),
          Math.round(Number(way.becomes) * 800)
        )
      })
    ))

  it("completes by itself where the provider does", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(way)
        yield* m.pay(["confirmed"])
        yield* m.advance(5)
        assert.strictEqual((yield* m.conversion).status, "success")
        assert.deepEqual(yield* m.balance, balances(way.becomes))
      }),
      { mode: "auto" }
    ))
}

onServers("a deposit in another currency", (run, store) => {
  describe.each(waysOn(store, ways).map((way) => [way.name, way] as const))("%s", (_, way) => {
    bothWays(run, way)
  })

  it("counts towards its customer's limit by what it is worth where it arrives, and is held above it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(ways[1]!, "tier_0")
        yield* m.pay(["confirmed"], { amount: "999.99" })
        const over = yield* m.pay(["confirmed"], { amount: "0.02" })
        assert.strictEqual((yield* m.object(over, "deposit.held"))["metadata"].hold_reason, "tier_limit")
        yield* m.pay(["confirmed"], { amount: "0.01" })
        yield* m.settle
        const made = yield* m.conversions
        assert.deepEqual(
          made.map(({ source_amount }) => source_amount),
          ["999.99"]
        )
        yield* m.says(made[0]!.id, "failed")
      })
    ))

  it("held for its customer's limit is priced and converted when an approval lifts that, the oldest first", () => {
    const rates = market()
    return run(
      Effect.gen(function* () {
        const verifications = yield* Verifications
        const sandbox = yield* SandboxOperations
        const m = yield* openWay(ways[1]!, "tier_0")
        yield* rates.moves(1n)
        const older = yield* m.pay(["confirmed"], { amount: "1500.00" })
        yield* m.advance(60)
        const newer = yield* m.pay(["confirmed"], { amount: "2000.00" })
        assert.deepEqual(yield* m.conversions, [])
        yield* rates.moves(2n)
        const { id } = yield* verifications.create(m.caller, m.customer!, { tier: "tier_1" })
        yield* sandbox.verification(m.caller, id, { outcome: "approved" })
        yield* m.settle
        const made = yield* m.conversions
        assert.deepEqual(
          made.map((one) => [one.source_amount, one.parent_transaction_id, one.rate]),
          [
            ["1500.00", older, "2985.0"],
            ["2000.00", newer, "2985.0"]
          ]
        )
        assert.deepEqual(yield* m.story(older), ["1 deposit.held null>held", "2 deposit.received held>received"])
        yield* m.finish
        assert.deepEqual(yield* m.balances, { free: "0", reserved: "0", held: "0" })
      }),
      { rates: rates.layer }
    )
  })

  it("that buys nothing stays on its credential without a conversion, until there is enough to forward", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(ways[0]!)
        const id = yield* m.pay(["confirmed"], { amount: "0.01" })
        assert.deepInclude(yield* m.body(id), {
          status: "received",
          destination_amount: "0.00",
          received_amount: "0.00"
        })
        assert.deepEqual(yield* m.story(id), received)
        assert.deepEqual(yield* m.conversions, [])
        assert.strictEqual((yield* m.balances).free, "1")
        const error = yield* Effect.flip(m.forward)
        assert.strictEqual(error._tag, "InvalidStatus")
        for (let n = 0; n < 3; n++) yield* m.pay(["confirmed"], { amount: "10.00" })
        assert.deepEqual(yield* m.conversions, [])
        const { source_amount, received_amount } = yield* m.forward
        assert.deepEqual([source_amount, received_amount], ["30.01", "0.01"])
      })
    ))

  it("of six decimals is converted as it is", () =>
    run(
      Effect.gen(function* () {
        const conversions = yield* Conversions
        const m = yield* openWay(ways[1]!)
        yield* m.pay(["confirmed"], { amount: "1.234567" })
        const { id } = yield* m.conversion
        assert.strictEqual((yield* conversions.get(m.caller, id)).body.source_amount, "1.234567")
        yield* m.settle
        yield* m.says(id, "success")
        assert.deepEqual(yield* m.balances, { free: "0", reserved: "0", held: "0" })
      })
    ))
})
