/**
 * Pay-ins that cannot go on yet: without rates, or while their merchant is suspended, they are received (DEPOSIT-12,
 * MERCHANT-4).
 */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { defaultBand } from "../../../src/engine/settings/settings.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { merchantAtWork, type MerchantAtWork, eventLine } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { market, openWay, ways } from "../../support/merchants/credentials.ts"
import { onServers, type Run } from "../../support/engines/every-store.ts"
import { verifying } from "../../support/merchants/verification.ts"

const balances = (available: string, held = "0.00") => ({ available, reserved: "0.00", held })

const becomes = (m: MerchantAtWork, status: "active" | "suspended") =>
  Merchants.use((merchants) => merchants.update(m.operator, m.merchant_id, { status }))

const story = (m: MerchantAtWork, id: string) => Effect.map(m.published(id), (events) => events.map(eventLine))

/** What the operator is told that it waits for. */
const reasons = (m: MerchantAtWork) =>
  LedgerReports.use((books) =>
    Effect.map(books.stuck({ merchant_id: m.merchant_id }), ({ items }) => items.map(({ id, reason }) => [id, reason]))
  )

/** A pay-in on the wallet's one address, and later words on it. */
const paid = Effect.fnUntraced(function* (
  m: MerchantAtWork,
  amount: string,
  ...stages: ReadonlyArray<"detected" | "confirmed" | "failed">
) {
  const sandbox = yield* SandboxOperations
  const payin_id = `received_${m.merchant_id}_${amount}`
  let id = ""
  for (const stage of stages) {
    const { transaction_id } = yield* sandbox.deposit(m.caller, { wallet_id: m.wallet.id, amount, stage, payin_id })
    id = transaction_id ?? ""
  }
  return id
})

const shared = (run: Run): void => {
  const rates = market()

  covers("DEPOSIT-12", "RATE-2")
  it("is received without rates, whatever limit or price it waits for, and goes on once they are back", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0", "tier_0")
        const way = ways[1]!
        const crossing = yield* openWay(way)
        yield* rates.closes
        const first = yield* paid(m, "600", "confirmed", "confirmed")
        const second = yield* paid(m, "1200", "detected", "confirmed")
        const across = yield* crossing.pay(["confirmed", "confirmed"])
        for (const id of [first, second]) assert.deepInclude(yield* m.body(id), { status: "processing" })
        assert.deepInclude(yield* crossing.body(across), { status: "processing", destination_amount: null })
        assert.deepEqual(yield* m.balance, balances("0.00"))
        yield* m.advance(3600)
        assert.deepEqual(yield* reasons(m), [
          [first, "provider_unavailable"],
          [second, "provider_unavailable"]
        ])
        assert.deepEqual(yield* story(m, first), ["1 deposit.received null>received"])
        yield* rates.opens
        yield* m.advance(3600)
        yield* crossing.finish
        assert.deepEqual(yield* story(m, first), [
          "1 deposit.received null>received",
          "2 deposit.confirmed received>confirmed"
        ])
        assert.deepEqual(yield* story(m, second), ["1 deposit.received null>received", "2 deposit.held received>held"])
        assert.deepEqual(yield* m.balance, balances("600.00", "1200.00"))
        assert.deepEqual(yield* crossing.story(across), ["1 deposit.received null>received"])
        assert.deepInclude(yield* crossing.body(across), { status: "received", received_amount: way.becomes })
        assert.deepEqual(yield* crossing.balance, balances(way.becomes))
      }),
      { rates: rates.layer }
    ))

  it("is received while its rate is outside the band, and converts once that is back", () =>
    run(
      Effect.gen(function* () {
        const way = ways[1]!
        const crossing = yield* openWay(way)
        // It accepts the market as it is.
        yield* crossing.pay(["detected"])
        yield* rates.moves(100n)
        const id = yield* crossing.pay(["confirmed"])
        yield* crossing.advance(7200)
        assert.deepInclude(yield* crossing.body(id), { status: "processing", destination_amount: null })
        assert.deepEqual(yield* crossing.balance, balances("0.00"))
        yield* rates.moves(1n)
        yield* crossing.advance(7200)
        yield* crossing.finish
        assert.deepInclude(yield* crossing.body(id), { status: "received", received_amount: way.becomes })
        assert.deepEqual(yield* crossing.balance, balances(way.becomes))
      }),
      { rates: rates.layer, band: { widths: defaultBand, second: null } }
    ))

  it("stays received at its detected price while its merchant is suspended", () =>
    run(
      Effect.gen(function* () {
        const crossing = yield* openWay(ways[1]!)
        const payin_id = "payin_stays"
        const id = yield* crossing.pay(["detected"], { payin_id })
        const announced = yield* crossing.body(id)
        assert.deepInclude(announced, { status: "received", received_amount: ways[1]!.becomes })
        yield* becomes(crossing, "suspended")
        assert.strictEqual(yield* crossing.pay(["confirmed"], { payin_id }), id)
        assert.deepEqual({ ...(yield* crossing.body(id)), updated_at: announced.updated_at }, announced)
        yield* crossing.advance(3600)
        assert.deepEqual(yield* reasons(crossing), [[id, "merchant_suspended"]])
      })
    ))

  it("that fails before it went on has failed, and no more", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0", "tier_0")
        yield* rates.closes
        const id = yield* paid(m, "600", "confirmed", "failed")
        yield* rates.opens
        yield* m.advance(3600)
        assert.deepEqual(yield* story(m, id), ["1 deposit.received null>received", "2 deposit.failed received>failed"])
        assert.deepEqual(yield* m.balance, balances("0.00"))
        assert.deepEqual(yield* m.exceptions, [])
      }),
      { rates: rates.layer }
    ))

  it("an approval is heard without rates, and releases once they are back", () =>
    run(
      Effect.gen(function* () {
        const m = yield* verifying()
        const { balance, pay } = yield* m.payer()
        yield* pay("1500")
        yield* rates.closes
        yield* m.says((yield* m.start()).id, "approved")
        assert.deepEqual(yield* m.kycStatus, ["approved", "tier_1"])
        assert.deepEqual(yield* balance, balances("0.00", "1500.00"))
        yield* rates.opens
        yield* m.advance(3600)
        assert.deepEqual(yield* balance, balances("1500.00"))
      }),
      { rates: rates.layer }
    ))

  covers("MERCHANT-4")
  it("of a suspended merchant is received, however long that is, and goes on when it is active again", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        yield* becomes(m, "suspended")
        const id = yield* paid(m, "70", "confirmed", "confirmed")
        const seen = yield* paid(m, "30", "detected", "confirmed")
        assert.isBelow((yield* m.advance(30 * 86_400)).steps, 20)
        for (const one of [id, seen]) assert.strictEqual((yield* m.rowOf(one)).status, "processing")
        assert.deepEqual(yield* m.balance, balances("0.00"))
        assert.deepEqual(yield* reasons(m), [
          [id, "merchant_suspended"],
          [seen, "merchant_suspended"]
        ])
        yield* becomes(m, "active")
        yield* m.settle
        for (const one of [id, seen])
          assert.deepEqual(yield* story(m, one), [
            "1 deposit.received null>received",
            "2 deposit.confirmed received>confirmed"
          ])
        assert.deepEqual(yield* m.balance, balances("100.00"))
      })
    ))

  covers("DEPOSIT-12", "MERCHANT-4")
  it.each([
    ["suspend", "close", "pay", "activate", "open"],
    ["suspend", "close", "pay", "open", "activate"],
    ["close", "pay", "suspend", "open", "activate"],
    ["close", "pay", "suspend", "activate", "open"],
    ["suspend", "pay", "close", "activate", "open"],
    ["suspend", "pay", "close", "open", "activate"]
  ] as const)(
    "goes on once there are rates and its merchant is active, whichever comes first: %s, %s, %s, %s, %s",
    (...order) =>
      run(
        Effect.gen(function* () {
          const m = yield* merchantAtWork("0", "tier_0")
          const way = ways[1]!
          const crossing = yield* openWay(way)
          const at = {
            activate: becomes(m, "active"),
            suspend: becomes(m, "suspended"),
            close: rates.closes,
            open: rates.opens
          }
          const both = (status: "active" | "suspended") =>
            Effect.andThen(
              becomes(m, status),
              Merchants.use((all) => all.update(m.operator, crossing.merchant_id, { status }))
            )
          let [own, across] = ["", ""]
          for (const step of order) {
            if (step === "pay") {
              own = yield* paid(m, "600", "confirmed")
              across = yield* crossing.pay(["detected", "confirmed"])
            } else if (step === "activate") yield* both("active")
            else if (step === "suspend") yield* both("suspended")
            else yield* at[step]
            yield* m.advance(7200)
            if (step !== order[4]) assert.deepEqual(yield* m.balance, balances("0.00"), step)
          }
          yield* crossing.finish
          assert.deepEqual(yield* m.balance, balances("600.00"))
          assert.deepEqual(yield* crossing.balance, balances(way.becomes))
          assert.deepEqual(yield* story(m, own), [
            "1 deposit.received null>received",
            "2 deposit.confirmed received>confirmed"
          ])
          assert.deepEqual(yield* crossing.story(across), ["1 deposit.received null>received"])
          assert.deepInclude(yield* crossing.body(across), { status: "received", received_amount: way.becomes })
          assert.deepEqual(yield* reasons(m), [])
        }),
        { rates: rates.layer }
      )
  )
}

onServers("pay-ins that wait", shared)
