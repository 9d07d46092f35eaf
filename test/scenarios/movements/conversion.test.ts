/** Conversions, path by path (CONVERSION-9), on every store. */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { Conversions } from "../../../src/engine/resources/movements/conversion.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { Transactions } from "../../../src/engine/reports/transaction.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { eventLine } from "../../support/merchants/merchant-at-work.ts"
import { merchantConverting } from "../../support/merchants/ramps.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"

type Merchant = Effect.Success<ReturnType<typeof merchantConverting>>

const story = (m: Merchant, id: string) => Effect.map(m.published(id), (events) => events.map(eventLine))

const untouched = { available: "1000.00", reserved: "0.00", held: "0.00" }
const empty = { available: "0.00", reserved: "0.00", held: "0.00" }
const begun = [
  "1 conversion.created null>created",
  "2 conversion.funds_received =created",
  "3 conversion.processing created>processing"
]

onServers("conversions", (run) => {
  covers(
    "CONVERSION-1",
    "QUOTE-11",
    "QUOTE-13",
    "CONVERSION-3",
    "CONVERSION-2",
    "TYPE-13",
    "TYPE-14",
    "TYPE-15",
    "TYPE-16",
    "CONVERSION-9",
    "CONVERSION-10",
    "MOVEMENT-5",
    "EVENT-18"
  )
  it("reserves the source, settles both wallets at success, and tells what settled", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        const quote = yield* m.price("100")
        assert.deepInclude(quote, {
          operation: "conversion",
          wallet_id: m.wallet.id,
          destination_wallet_id: m.naira.id,
          source_amount: "100.00",
          destination_amount: "148876.87",
          received_amount: "148876.87",
          rate: "1492.5"
        })
        assert.deepEqual(quote.fee.line_items, [{ name: "gateway", amount: "0.25", currency: "USDC" }])
        const conversion = yield* m.convert(quote.id, { metadata: { order: "7" } })
        assert.deepInclude(conversion, {
          status: "created",
          rate_source: "quoted",
          quote_id: quote.id,
          received_amount: null,
          metadata: { order: "7" },
          source_wallet: { id: m.wallet.id, currency: "USDC", label: null },
          destination_wallet: { id: m.naira.id, currency: "NGN", label: null }
        })
        assert.match(conversion.reference, /^ref_/)
        assert.deepEqual(yield* m.balance, { ...untouched, available: "900.00", reserved: "100.00" })
        assert.deepEqual(yield* story(m, conversion.id), begun.slice(0, 1))
        yield* m.settle
        assert.strictEqual((yield* m.converted(conversion.id)).status, "processing")
        assert.deepEqual(yield* m.balanceOf(m.naira.id), empty)
        yield* m.says(conversion.id, "success")
        const body = yield* m.converted(conversion.id)
        assert.deepInclude(body, { status: "success", received_amount: "148876.87", failure_reason: null })
        assert.deepEqual(yield* m.balance, { ...untouched, available: "900.00" })
        assert.deepEqual(yield* m.balanceOf(m.naira.id), { ...empty, available: "148876.87" })
        assert.deepEqual(yield* story(m, conversion.id), [...begun, "4 conversion.success processing>success"])
        assert.deepEqual(yield* m.object(conversion.id, "conversion.success"), {
          ...body,
          fee: quote.fee,
          actual_source_amount: "100.00",
          actual_destination_amount: "148876.87",
          actual_rate: "1492.5",
          terminal_at: body.updated_at
        })
        assert.deepInclude(yield* m.object(conversion.id, "conversion.processing"), {
          actual_source_amount: null,
          actual_destination_amount: null,
          actual_rate: null,
          terminal_at: null
        })
      })
    ))

  covers("QUOTE-11", "QUOTE-12")
  it("gives the destination of a target exactly it, and the rest of the source to the platform", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        const quotes = yield* Quotes
        const quote = yield* quotes.conversion(m.caller, {
          source_wallet_id: m.wallet.id,
          destination_wallet_id: m.naira.id,
          target_amount: "10000",
          reference: "mine"
        })
        assert.deepInclude(quote, {
          source_amount: "6.73",
          destination_amount: "10000.00",
          received_amount: "10000.00",
          target_amount: "10000.00",
          reference: "mine"
        })
        const { id } = yield* m.convert(quote.id)
        yield* m.settle
        yield* m.says(id, "success")
        assert.strictEqual((yield* m.balanceOf(m.naira.id)).available, "10000.00")
      })
    ))

  covers("TYPE-17", "TYPE-18", "PAYOUT-2")
  it.each([
    ["failed", "failed", "failed"],
    ["cancelled", "failed", "cancelled"],
    ["returned", "returned", "returned"],
    ["reversed", "returned", "returned"]
  ] as const)("%s by the provider: it is %s, and the full source is back", (outcome, status, reason) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        const { id } = yield* m.conversion("100")
        yield* m.settle
        yield* m.says(id, outcome)
        assert.deepInclude(yield* m.converted(id), { status, failure_reason: reason, received_amount: null })
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* m.balanceOf(m.naira.id), empty)
        assert.deepEqual(yield* story(m, id), [...begun, `4 conversion.${status} processing>${status}`])
        assert.deepEqual(yield* m.exceptions, [])
      })
    )
  )

  it("is released, not refunded, when it comes back before it was submitted", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        yield* m.behaves("hold")
        const { id } = yield* m.conversion("100")
        yield* m.settle
        yield* m.says(id, "returned")
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), [begun[0], "2 conversion.returned created>returned"])
      })
    ))

  it("fails for quote_expired when its submission has not begun before the quote's end", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        yield* m.behaves("hold")
        const quote = yield* m.price("100")
        yield* m.advance(280)
        const { id } = yield* m.convert(quote.id)
        yield* m.advance(15)
        assert.strictEqual((yield* m.converted(id)).status, "created")
        yield* m.advance(5)
        assert.deepInclude(yield* m.converted(id), { status: "failed", failure_reason: "quote_expired" })
        assert.deepEqual(yield* m.balance, untouched)
        assert.deepEqual(yield* story(m, id), [begun[0], "2 conversion.failed created>failed"])
        yield* m.behaves("accept")
        yield* m.advance(60)
        assert.strictEqual(yield* m.executions(id), 0)
      })
    ))

  it("keeps the money while the outcome is unknown, asks, and is executed once", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        yield* m.behaves("timeout")
        const { id } = yield* m.conversion("100")
        yield* m.settle
        assert.strictEqual((yield* m.converted(id)).status, "temporary_failure")
        assert.strictEqual((yield* m.balance).available, "900.00")
        yield* m.behaves("accept")
        yield* m.advance(10)
        assert.strictEqual((yield* m.converted(id)).status, "processing")
        yield* m.says(id, "success")
        assert.strictEqual((yield* m.converted(id)).status, "success")
        assert.strictEqual(yield* m.executions(id), 1)
      })
    ))

  it("leaves what cannot be given back in suspense, for the operator to credit", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        const { id } = yield* m.conversion("100")
        yield* m.settle
        yield* m.says(id, "refund_failed")
        assert.deepInclude(yield* m.converted(id), { status: "failed", failure_reason: "refund_failed" })
        assert.strictEqual((yield* m.balance).available, "900.00")
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception!, { resource_id: id, reason: "refund_failed", amount: "100.00", currency: "USDC" })
        yield* m.resolve(exception!.id, "credit")
        assert.deepEqual(yield* m.balance, untouched)
      })
    ))

  covers("MOVEMENT-2")
  it("moves nothing on a word that contradicts its end, and keeps it as an exception", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        const { id } = yield* m.conversion("100")
        yield* m.settle
        yield* m.says(id, "success")
        yield* m.says(id, "returned")
        assert.strictEqual((yield* m.converted(id)).status, "success")
        const [exception, ...others] = yield* m.exceptions
        assert.deepInclude(exception!, { resource_id: id, reason: "contradicts_state", amount: null })
        assert.deepEqual(others, [])
        assert.strictEqual((yield* m.balanceOf(m.naira.id)).available, "148876.87")
      })
    ))

  it("succeeds by itself in auto mode", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        const { id } = yield* m.conversion("100")
        yield* m.advance(5)
        assert.strictEqual((yield* m.converted(id)).status, "success")
      }),
      { mode: "auto" }
    ))

  covers("CONVERSION-6", "CONVERSION-5", "CONVERSION-8", "CONVERSION-7", "CONVERSION-4", "MOVEMENT-4", "MOVEMENT-7")
  it("is listed by status, customer, reference and either wallet, and in the history with both", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        const conversions = yield* Conversions
        const transactions = yield* Transactions
        const { id } = yield* m.conversion("100", { reference: "c-1" })
        yield* m.settle
        const found = (filter: object) =>
          Effect.map(conversions.list(m.caller, filter), ({ items }) => items.map((one) => one.id))
        const { customer_id } = m.wallet
        for (const filter of [
          {},
          { status: "processing" },
          { customer_id },
          { reference: "c-1" },
          { wallet_id: m.wallet.id },
          { wallet_id: m.naira.id }
        ])
          assert.deepEqual(yield* found(filter), [id], JSON.stringify(filter))
        for (const filter of [
          { status: "created" },
          { customer_id: "cust_nobody" },
          { wallet_id: "wal_none" },
          { reference: "c-2" }
        ]) {
          assert.deepEqual(yield* found(filter), [], JSON.stringify(filter))
        }
        const txn = id.replace("con_", "txn_")
        for (const wallet_id of [m.wallet.id, m.naira.id]) {
          const { items } = yield* transactions.list(m.caller, { type: "conversion", wallet_id })
          assert.deepEqual(
            items.map((one) => one.id),
            [txn]
          )
        }
        const { body } = yield* transactions.get(m.caller, txn)
        assert.deepInclude(body, {
          type: "conversion",
          source_type: "conversion",
          source_id: id,
          status: "processing",
          reference: "c-1",
          received_amount: null,
          from_wallet_id: m.wallet.id,
          to_wallet_id: m.naira.id,
          confirmed_at: null,
          source_amount: "100.00",
          destination_amount: "148876.87"
        })
        assert.deepEqual(body.fee.line_items, [{ name: "gateway", amount: "0.25", currency: "USDC" }])
        yield* m.says(id, "success")
        const after = (yield* transactions.get(m.caller, txn)).body
        assert.deepInclude(after, { status: "success", received_amount: "148876.87", confirmed_at: after.updated_at })
      })
    ))

  covers("QUOTE-10")
  it("takes the network of each wallet's newest active credential in its own currency", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting()
        const storage = yield* Storage
        const networks = Effect.fnUntraced(function* () {
          const { id } = yield* m.price("10")
          const [row] = yield* storage.get([{ merchant_id: m.merchant_id, kind: "quote", id }])
          const { source_network, destination_network } = row!.data as Record<string, unknown>
          return [source_network, destination_network]
        })
        assert.deepEqual(yield* networks(), ["solana", "bank"])
        yield* m.credential(m.wallet.id, "USDC", "base")
        assert.deepEqual(yield* networks(), ["base", "bank"])
        yield* m.credential(m.wallet.id, "NGN", "bank")
        assert.deepEqual(yield* networks(), ["base", "bank"])
        yield* m.advance(1)
        const newest = yield* m.credential(m.wallet.id, "USDC", "ethereum")
        assert.deepEqual(yield* networks(), ["ethereum", "bank"])
        yield* m.freeze(newest)
        assert.deepEqual(yield* networks(), ["base", "bank"])
      })
    ))
})

// Hundreds of steps, which show nothing of the store: memory takes them at once.
covers("PAYOUT-2")
it("conversions always retry a provider that has no capacity, and fail for it after a day", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const m = yield* merchantConverting()
      yield* m.behaves("unavailable")
      const [patient, lucky] = [yield* m.conversion("100"), yield* m.conversion("50")]
      yield* m.settle
      assert.strictEqual((yield* m.converted(lucky.id)).status, "temporary_failure")
      yield* m.says(lucky.id, "success")
      yield* m.advance(86_400 + 600)
      assert.deepInclude(yield* m.converted(patient.id), {
        status: "failed",
        failure_reason: "temporarily_unavailable"
      })
      assert.strictEqual((yield* m.converted(lucky.id)).status, "success")
      assert.strictEqual((yield* m.balance).available, "950.00")
      assert.deepEqual(yield* story(m, patient.id), [...begun, "4 conversion.failed processing>failed"])
    }).pipe(Effect.provide(makeSimulatedEngine()))
  ))
