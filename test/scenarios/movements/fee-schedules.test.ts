/** Fee schedules: which one decides a quote, what it charges, and what was earned, on every store (FEE-1 to FEE-6). */
import { assert, it } from "vitest"
import { Clock, Effect, Layer } from "effect"
import type { ConversionData } from "../../../src/machines/movements/conversion.ts"
import type { OnrampData } from "../../../src/machines/movements/onramp.ts"
import type { StatisticsRow } from "../../../src/engine/representations/statistics.ts"
import type { DepositData } from "../../../src/machines/deposits/deposit.ts"
import { Rates, simulatedMidRates } from "../../../src/engine/ports/Rates.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { type Row, Storage } from "../../../src/engine/ports/Storage.ts"
import { Statistics } from "../../../src/engine/reports/statistics.ts"
import { type CreateFeeSchedule, FeeSchedules } from "../../../src/engine/resources/movements/fee-schedule.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { openWay, ways } from "../../support/merchants/credentials.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { onEveryStore, onMemory, onServers } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { minus, type Ratio, ratio, roundUp, times } from "../../support/properties/fractions.ts"
import { covers } from "../../support/repository/covers.ts"

const day = 86_400_000

/** A schedule for the merchant alone, so that the tests of a file do not price one another's quotes. */
const schedule = (m: MerchantAtWork, input: Partial<CreateFeeSchedule> = {}) =>
  FeeSchedules.use((s) => s.create(m.operator, { operation: "offramp", merchant_id: m.merchant_id, ...input }))
const end = (m: MerchantAtWork, id: string) => FeeSchedules.use((s) => s.end(m.operator, id))

const gateway = ({ fee }: { readonly fee: { readonly line_items: ReadonlyArray<{ name: string; amount: string }> } }) =>
  fee.line_items.find(({ name }) => name === "gateway")?.amount ?? "0.00"
const network = ({ fee }: { readonly fee: { readonly line_items: ReadonlyArray<{ name: string; amount: string }> } }) =>
  fee.line_items.find(({ name }) => name === "network")?.amount

/** The gateway fee of an offramp quote, and the schedule that it names. */
const priced = (m: MerchantAtWork, amount: string) =>
  Effect.map(m.quote(amount), (quote) => [gateway(quote), quote.fee_schedule_id] as const)
const charged = (m: MerchantAtWork, amount: string) => Effect.map(priced(m, amount), ([fee]) => fee)

const plus = (a: Ratio, b: Ratio): Ratio => minus(a, { above: -b.above, below: b.below })
const isLess = (a: Ratio, b: Ratio): boolean => minus(a, b).above < 0n
/** Text with two decimals, of a ratio that has no more. */
const cents = ({ above, below }: Ratio): string => {
  const digits = ((above * 100n) / below).toString().padStart(3, "0")
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

interface Tariff {
  readonly fixed: string
  readonly bps: string
  readonly min?: string
  readonly max?: string
  readonly tiers?: ReadonlyArray<{ readonly above: string; readonly fixed: string; readonly bps: string }>
}

/** FEE-3 and FEE-4 again, in fractions: what a tariff charges for an amount of USDC after a volume. */
const calculated = (tariff: Tariff, volume: string, amount: string): string => {
  const reached = (tariff.tiers ?? []).filter(({ above }) => !isLess(ratio(volume), ratio(above)))
  const { bps, fixed } = reached.at(-1) ?? tariff
  let fee = plus(times(ratio(amount), times(ratio(bps), { above: 1n, below: 10_000n })), ratio(fixed))
  if (tariff.max !== undefined && isLess(ratio(tariff.max), fee)) fee = ratio(tariff.max)
  if (tariff.min !== undefined && isLess(fee, ratio(tariff.min))) fee = ratio(tariff.min)
  return cents(roundUp(fee, 2))
}

onMemory("the gateway fee of a schedule", (run) => {
  covers("FEE-3")
  it("is what the calculator says: share, fixed part and bounds, at each border and a cent beside it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const tariffs: ReadonlyArray<Tariff> = [
          { fixed: "0", bps: "0" },
          { fixed: "0.50", bps: "0" },
          { fixed: "0", bps: "33.33" },
          { fixed: "0.50", bps: "40", min: "1.00", max: "5.00" },
          { fixed: "0.01", bps: "0.01", min: "0.07" },
          { fixed: "1.23", bps: "250.5", max: "9.99" },
          { fixed: "0", bps: "9000", min: "3.00", max: "3.00" }
        ]
        const amounts = [
          "5",
          "10.01",
          "124.99",
          "125",
          "125.01",
          "349.73",
          "350.00",
          "1124.99",
          "1125",
          "1125.01",
          "7777.77"
        ]
        let borders = 0
        for (const tariff of tariffs) {
          const made = yield* schedule(m, { source_currency: "USDC", ...tariff })
          for (const amount of amounts) {
            const want = calculated(tariff, "0", amount)
            assert.deepEqual(yield* priced(m, amount), [want, made.id], JSON.stringify([tariff, amount]))
            if (want === tariff.min || want === tariff.max) borders++
          }
          yield* end(m, made.id)
        }
        assert.isAbove(borders, 20)
      })
    ))

  covers("FEE-3")
  it("with a target is that of the smallest source amount: one cent less does not reach it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        yield* schedule(m, { fixed: "0.50", bps: "40", min: "1.00", max: "5.00" })
        const beneficiary_id = yield* m.bank()
        const quotes = yield* Quotes
        const offramp = (input: { readonly source_amount: string } | { readonly target_amount: string }) =>
          quotes.offramp(m.caller, { wallet_id: m.wallet.id, beneficiary_id, ...input })
        const kobo = (text: string) => BigInt(text.replace(".", ""))
        // Below the minimum's end at 125 USDC, between, and above the maximum's begin at 1,125.
        for (const target_amount of [
          "14179.12",
          "183517.50",
          "183517.51",
          "800000.01",
          "1671367.50",
          "1671367.51",
          "9000000"
        ]) {
          const quote = yield* offramp({ target_amount })
          assert.strictEqual(kobo(quote.received_amount), kobo(Number(target_amount).toFixed(2)))
          const source = kobo(quote.source_amount)
          const at = (amount: bigint) =>
            offramp({ source_amount: `${amount / 100n}.${String(amount % 100n).padStart(2, "0")}` })
          assert.isTrue(kobo((yield* at(source)).received_amount) >= kobo(quote.received_amount))
          assert.isTrue(kobo((yield* at(source - 1n)).received_amount) < kobo(quote.received_amount), target_amount)
          assert.strictEqual(
            gateway(quote),
            calculated({ fixed: "0.50", bps: "40", min: "1.00", max: "5.00" }, "0", quote.source_amount)
          )
        }
      })
    ))

  covers("FEE-3")
  it("that leaves nothing refuses the quote, and one of nothing has no line", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const free = yield* schedule(m, { bps: 0, valid_from: 0 })
        assert.deepEqual(
          (yield* m.quote("10")).fee.line_items.map(({ name }) => name),
          ["network"]
        )
        yield* schedule(m, { fixed: "20.00" })
        const refused = yield* Effect.flip(m.quote("20"))
        assert.include(refused.message, "leaves nothing to receive")
        yield* end(m, free.id)
      })
    ))
})

onMemory("of several fee schedules", (run) => {
  covers("FEE-2")
  it("the most specific decides: merchant, then source, then destination, then date, then the newest", () =>
    run(
      Effect.gen(function* () {
        const [m, other] = [yield* merchantAtWork("0"), yield* merchantAtWork("0")]
        const now = yield* Clock.currentTimeMillis
        const make = (input: Partial<CreateFeeSchedule>) =>
          FeeSchedules.use((s) => s.create(m.operator, { operation: "offramp", ...input }))
        assert.deepEqual(yield* priced(m, "100"), ["0.50", null])
        // From the least specific to the most.
        const [source_currency, destination_currency, { merchant_id }] = ["USDC", "NGN", m]
        const order: ReadonlyArray<Partial<CreateFeeSchedule>> = [
          {},
          { destination_currency },
          { source_currency },
          { source_currency, destination_currency },
          { merchant_id },
          { merchant_id, destination_currency },
          { merchant_id, source_currency },
          { merchant_id, source_currency, destination_currency },
          { merchant_id, source_currency, destination_currency, valid_from: now - day },
          { merchant_id, source_currency, destination_currency, valid_from: now - day }
        ]
        // The less specific are newer: nothing but what they name decides. Of the last two, which are equal, the newer does.
        const made = new Map<number, string>()
        for (const at of [7, 6, 5, 4, 3, 2, 1, 0, 8, 9])
          made.set(at, (yield* make({ valid_from: now - 2 * day, fixed: `${at + 1}.00`, ...order[at] })).id)
        assert.deepEqual(yield* charged(other, "100"), "4.00")
        // What is of no use to a quote decides nothing: another operation, currency, merchant or date.
        for (const useless of [
          { operation: "conversion", merchant_id },
          { source_currency: "USDT", merchant_id },
          { source_currency, destination_currency: "KES", merchant_id },
          { source_currency, destination_currency, merchant_id: other.merchant_id },
          { source_currency, destination_currency, merchant_id, valid_from: now + day }
        ] as const)
          yield* make({ fixed: "99.00", valid_from: now, ...useless })
        // Taken away from the most specific down, the one before decides again, and at last the port.
        for (const [at, id] of [...made].toSorted(([a], [b]) => b - a)) {
          assert.deepEqual(yield* priced(m, "100"), [`${at + 1}.00`, id])
          yield* end(m, id)
        }
        assert.deepEqual(yield* priced(m, "100"), ["0.50", null])
      })
    ))

  covers("FEE-2")
  it("one begins at its date, to the millisecond, and the network fee stays the port's", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const before = yield* m.quote("100")
        const valid_from = (yield* Clock.currentTimeMillis) + 10 * day
        const { id } = yield* schedule(m, { bps: "100", valid_from })
        yield* m.advance(10 * 86_400 - 60)
        assert.deepEqual(yield* priced(m, "100"), ["0.50", null])
        yield* m.advance(60)
        const after = yield* m.quote("100")
        assert.deepEqual([gateway(after), after.fee_schedule_id], ["1.00", id])
        assert.strictEqual(network(after), network(before))
      })
    ))
})

/** A market that a test keeps waiting: `meanwhile` happens while a rate is asked for. */
const waitingMarket = () => {
  const market = { meanwhile: Effect.void as Effect.Effect<void> }
  const asked = <A, E>(answer: Effect.Effect<A, E>) =>
    Effect.andThen(
      Effect.suspend(() => market.meanwhile),
      answer
    )
  const table = Rates.ofTable(simulatedMidRates, "0.005")
  const rates = Layer.succeed(
    Rates,
    Rates.of({
      perUsd: (code) => asked(table.perUsd(code)),
      rate: (from, to) => asked(table.rate(from, to))
    })
  )
  return { market, rates }
}

/** A schedule that begins in a minute, which passes while the next rate is asked for. */
const beginning = Effect.fnUntraced(function* (
  m: MerchantAtWork,
  market: ReturnType<typeof waitingMarket>["market"],
  input: Partial<CreateFeeSchedule>
) {
  const clock = yield* ServiceClock
  const valid_from = (yield* Clock.currentTimeMillis) + 60_000
  const { id } = yield* schedule(m, { ...input, valid_from })
  market.meanwhile = Effect.suspend(() => {
    market.meanwhile = Effect.void
    return Effect.orDie(clock.moveTo(valid_from + 1000))
  })
  return { id, valid_from }
})

onMemory("the fee of what is priced while a schedule begins", (run) => {
  covers("FEE-2")
  it("is that of the date of the quote", () => {
    const { market, rates } = waitingMarket()
    return run(
      Effect.gen(function* () {
        const m = yield* merchantConverting("1000")
        for (const [operation, quote] of [
          ["offramp", m.quote("100")],
          ["conversion", m.price("100")]
        ] as const) {
          const { id, valid_from } = yield* beginning(m, market, { operation, bps: "100" })
          const first = yield* quote
          assert.strictEqual(first.fee_schedule_id, Date.parse(first.created_at) < valid_from ? null : id, operation)
          assert.strictEqual((yield* quote).fee_schedule_id, id)
        }
      }),
      { rates }
    )
  })

  covers("FEE-2")
  it("is that of the date of the deposit", () => {
    const { market, rates } = waitingMarket()
    return run(
      Effect.gen(function* () {
        // A deposit within the limit of a tier: its rate is asked for before the deposit is priced.
        const m = yield* openWay(ways[1]!, "tier_0")
        const storage = yield* Storage
        const { id, valid_from } = yield* beginning(m, market, { operation: "conversion", bps: "100" })
        yield* m.pay(["detected"])
        const query = { merchant_id: m.merchant_id, kinds: ["deposit"], index_keys: [], offset: 0, limit: 1 }
        const [row] = (yield* storage.list(query)).items as ReadonlyArray<Row<DepositData>>
        const found = row!.data.exchange!.terms!.schedule?.fee_schedule_id ?? null
        assert.strictEqual(found, row!.created_at < valid_from ? null : id)
      }),
      { rates }
    )
  })
})

onEveryStore("tiers of a fee schedule", (run) => {
  covers("FEE-4")
  it("count what the merchant has moved this month, exactly at their borders", () =>
    run(
      Effect.gen(function* () {
        const [m, other] = [yield* merchantAtWork("5000"), yield* merchantAtWork("5000")]
        const tariff = {
          fixed: "1.00",
          bps: "100",
          tiers: [
            { above: "300.00", fixed: "0.50", bps: "50" },
            { above: "1000.01", fixed: "0", bps: "10" }
          ]
        }
        for (const one of [m, other]) yield* schedule(one, { source_currency: "USDC", ...tariff })
        // Another merchant, another operation: none of it is volume of an offramp of this merchant.
        yield* other.settle
        const theirs = yield* other.offramp("2000")
        const transfer = yield* m.transfer("400")
        const ids: Array<string> = []
        let volume = 0n
        const usdc = () => cents({ above: volume, below: 100n })
        // Before, on and after each border: 300.00, and 1,000.01.
        for (const [amount, fee] of [
          ["299.99", "4.00"],
          ["700.02", "8.01"],
          ["100.00", "0.10"]
        ] as const) {
          assert.strictEqual(yield* charged(m, amount), calculated(tariff, usdc(), amount), `${amount} after ${usdc()}`)
          assert.strictEqual(yield* charged(m, amount), fee)
          ids.push((yield* m.offramp(amount)).id)
          volume += BigInt(amount.replace(".", ""))
        }
        yield* m.settle
        yield* other.settle
        for (const id of [...ids, transfer.id]) yield* m.says(id, "success")
        yield* other.says(theirs.id, "success")
        assert.strictEqual(yield* charged(m, "100"), calculated(tariff, usdc(), "100"))
        // What is returned is no volume: 399.99 are left.
        yield* m.says(ids[1]!, "returned")
        assert.strictEqual(yield* charged(m, "100"), calculated(tariff, "399.99", "100"))
      })
    ))

  covers("FEE-4")
  it("are reached with the last cent, and begin anew with the month, in UTC", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("5000")
        yield* schedule(m, { bps: "100", tiers: [{ above: "200.00", bps: "10" }] })
        const first = yield* m.offramp("199.99")
        assert.strictEqual(yield* charged(m, "100"), "1.00")
        const returned = yield* m.offramp("50.01")
        assert.strictEqual(yield* charged(m, "100"), "0.10")
        yield* m.settle
        yield* m.says(returned.id, "failed")
        assert.strictEqual(yield* charged(m, "100"), "1.00")
        const now = yield* Clock.currentTimeMillis
        const next = new Date(now)
        next.setUTCMonth(next.getUTCMonth() + 1, 1)
        next.setUTCHours(0, 0, 0, 0)
        yield* m.says(first.id, "success")
        yield* m.advance(Math.ceil((next.getTime() - now) / 1000))
        assert.strictEqual(yield* charged(m, "100"), "1.00")
        const half = yield* m.offramp("150.00")
        assert.strictEqual(yield* charged(m, "100"), "1.00")
        const rest = yield* m.offramp("50.00")
        assert.strictEqual(yield* charged(m, "100"), "0.10")
        yield* m.settle
        for (const { id } of [half, rest]) yield* m.says(id, "success")
      })
    ))

  covers("FEE-4", "FEE-5")
  it("count an onramp when it has succeeded, and settle another amount by the fee that was locked", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const { collected, onramp, pays, price } = yield* onrampsOf(m)
        const feeOf = (id: string, of: "quoted" | "actual") =>
          Effect.map(m.rowOf(id), ({ data }) => (data as OnrampData)[of]?.gateway_fee)
        const made = yield* schedule(m, {
          operation: "onramp",
          source_currency: "NGN",
          fixed: "100.00",
          bps: "50",
          max: "1000.00",
          tiers: [{ above: "150000.00", fixed: "7.00" }]
        })
        const one = yield* onramp("150000.00")
        assert.strictEqual(yield* feeOf(one.id, "quoted"), "85000")
        assert.strictEqual(gateway(yield* price("150000")), "850.00")
        const two = yield* onramp("150000.00")
        // Both were quoted before any was paid: each keeps its tier, one even after the schedule has ended.
        yield* pays(one.id, "150000.00")
        yield* m.settle
        yield* m.says(one.id, "success")
        assert.strictEqual(gateway(yield* price("150000")), "7.00")
        yield* end(m, made.id)
        assert.strictEqual(gateway(yield* price("150000")), "750.00")
        yield* pays(two.id, "200000.00")
        yield* m.settle
        yield* m.says(two.id, "success")
        assert.strictEqual((yield* collected(two.id)).status, "success")
        assert.strictEqual(yield* feeOf(two.id, "actual"), "100000")
      })
    ))
})

onEveryStore("deposits that are converted on arrival", (run) => {
  covers("FEE-2", "FEE-5")
  it("are priced by the schedule of conversions, and keep its fee when it ends before they are confirmed", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantConverting("0")
        const credential = yield* m.credential(m.naira.id, "USDC", "solana")
        const { id } = yield* schedule(m, {
          operation: "conversion",
          source_currency: "USDC",
          fixed: "0.40",
          bps: "100"
        })
        const storage = yield* Storage
        const sandbox = yield* SandboxOperations
        const { merchant_id } = m
        const conversions = Effect.map(
          storage.list({ merchant_id, kinds: ["conversion"], index_keys: [], offset: 0, limit: 10 }),
          ({ items }) => items
        )
        const pay = (stage: "detected" | "confirmed") =>
          sandbox.deposit(m.caller, { credential_id: credential, amount: "100", payin_id: `pay_${merchant_id}`, stage })
        yield* pay("detected")
        yield* end(m, id)
        yield* pay("confirmed")
        const made = yield* conversions
        assert.deepEqual(
          made.map(({ data }) => (data as ConversionData).gateway_fee),
          ["1400000"]
        )
        yield* m.settle
        yield* m.says(made[0]!.id, "success")
      })
    ))
})

onEveryStore("the revenue of statistics", (run) => {
  covers("FEE-6", "STATS-1", "STATS-3")
  it("is what the account of fees has, by merchant, corridor and month", () =>
    run(
      Effect.gen(function* () {
        const storage = yield* Storage
        const balances = Effect.map(
          storage.platformBalances(["fees"]),
          (all) => new Map(all.map((one) => [one.currency, BigInt(one.balance)]))
        )
        const before = yield* balances
        const [m, other] = [yield* merchantAtWork("5000"), yield* merchantConverting("5000")]
        const start = yield* Clock.currentTimeMillis
        for (const one of [m, other]) yield* schedule(one, { fixed: "0.25", bps: "100" })
        const paid = [yield* m.offramp("100"), yield* m.offramp("30.33")]
        const failed = yield* m.offramp("50")
        const back = yield* m.offramp("70")
        const theirs = yield* other.offramp("200")
        const conversion = yield* other.conversion("40")
        const free = yield* m.transfer("10")
        yield* m.settle
        yield* other.settle
        for (const { id } of [...paid, back, free]) yield* m.says(id, "success")
        for (const { id } of [theirs, conversion]) yield* other.says(id, "success")
        yield* m.says(failed.id, "failed")
        yield* m.says(back.id, "returned")

        yield* m.advance(40 * 86_400)
        const later = yield* m.offramp("10")
        yield* m.settle
        yield* m.says(later.id, "success")

        const { rows } = yield* Statistics.use((s) => s.all({ by: "month,merchant,corridor", from: start }))
        const of = (id: string) => rows.filter(({ merchant_id }) => merchant_id === id)
        const shown = ({ at, corridor, revenue }: StatisticsRow) => [
          at,
          corridor,
          revenue.map((one) => `${one.amount} ${one.currency}`)
        ]
        const month = (time: number) => `${new Date(time).toISOString().slice(0, 7)}-01T00:00:00.000Z`
        const [first, last] = [month(start), month(yield* Clock.currentTimeMillis)]
        assert.deepEqual(
          of(m.merchant_id)
            .filter(({ revenue }) => revenue.length > 0)
            .map(shown),
          [
            [first, "USDC-NGN", ["1500.00 NGN", "1.81 USDC"]],
            [last, "USDC-NGN", ["750.00 NGN", "0.35 USDC"]]
          ]
        )
        assert.deepEqual(
          of(other.merchant_id)
            .filter(({ revenue }) => revenue.length > 0)
            .map(shown),
          [[first, "USDC-NGN", ["750.00 NGN", "2.35 USDC"]]]
        )
        // In minor units, NGN has two decimals and USDC six.
        const after = yield* balances
        const gained = (currency: string) => (after.get(currency) ?? 0n) - (before.get(currency) ?? 0n)
        assert.deepEqual([gained("NGN"), gained("USDC")], [300_000n, 4_510_000n])
      })
    ))

  covers("FEE-6", "STATS-2")
  it("has what a forward has earned, which is no movement", () =>
    run(
      Effect.gen(function* () {
        const storage = yield* Storage
        const fees = Effect.map(
          storage.platformBalances(["fees"]),
          (all) => all.find(({ currency }) => currency === "USDC")?.balance ?? "0"
        )
        const before = BigInt(yield* fees)
        const m = yield* openWay(ways[1]!)
        yield* m.pay(["confirmed"])
        yield* m.settle
        yield* m.says((yield* m.conversion).id, "failed")
        const rows = Effect.map(
          Statistics.use((s) => s.own(m.merchant_id, { by: "operation" })),
          (report) => report.rows.map(({ count, operation, revenue }) => [operation, count, revenue])
        )
        assert.deepEqual(yield* rows, [
          ["conversion", 1, []],
          ["deposit", 1, []]
        ])
        yield* m.forward
        assert.strictEqual(BigInt(yield* fees) - before, 250_000n)
        assert.deepEqual(yield* rows, [
          ["conversion", 1, []],
          ["deposit", 1, [{ currency: "USDC", amount: "0.25" }]]
        ])
      })
    ))
})

onEveryStore("fee schedules", (run) => {
  covers("FEE-1")
  it("are made, read, listed and ended, with what was said of them", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const made = yield* schedule(m, {
          source_currency: "USDC",
          destination_currency: "NGN",
          fixed: "0.5",
          bps: "12.50",
          min: "1",
          max: "250.00",
          tiers: [{ above: "0" }, { above: "1000", bps: "0.05" }],
          valid_from: Date.UTC(2026, 1, 1),
          note: "Contract of January"
        })
        assert.deepInclude(made, {
          merchant_id: m.merchant_id,
          operation: "offramp",
          source_currency: "USDC",
          destination_currency: "NGN",
          fixed: "0.50",
          bps: 12.5,
          min: "1.00",
          max: "250.00",
          valid_from: "2026-02-01T00:00:00.000Z",
          note: "Contract of January",
          status: "active",
          ended_at: null
        })
        assert.deepEqual(made.tiers, [
          { above: "0.00", fixed: "0.00", bps: 0 },
          { above: "1000.00", fixed: "0.00", bps: 0.05 }
        ])
        const service = yield* FeeSchedules
        assert.deepEqual((yield* service.get(made.id)).body, made)
        const anything = yield* schedule(m, { operation: "conversion", fixed: "0.123" })
        assert.deepInclude(anything, { fixed: "0.123", source_currency: null, min: null, tiers: [] })
        const listed = (query: object) =>
          Effect.map(service.list({ merchant_id: m.merchant_id, ...query }), ({ items }) => items.map(({ id }) => id))
        assert.deepEqual(yield* listed({}), [anything.id, made.id])
        assert.deepEqual(yield* listed({ operation: "offramp" }), [made.id])
        assert.deepEqual(yield* listed({ destination_currency: "NGN" }), [made.id])
        assert.deepEqual(yield* listed({ source_currency: "USDC" }), [made.id])
        const ended = yield* end(m, made.id)
        assert.strictEqual(ended.status, "ended")
        assert.isNotNull(ended.ended_at)
        assert.deepEqual(yield* listed({ status: "ended" }), [made.id])
        assert.strictEqual((yield* Effect.flip(end(m, made.id)))._tag, "InvalidStatus")
        const stale = yield* Effect.flip(service.end({ ...m.operator, if_match: "7" }, anything.id))
        assert.strictEqual(stale._tag, "Conflict")
      })
    ))

  covers("FEE-1")
  it("refuse what they cannot mean, and name the field", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const cases: ReadonlyArray<readonly [Partial<CreateFeeSchedule>, string, string]> = [
          [{}, "InvalidInput", "bps"],
          [{ max: "5.00" }, "InvalidInput", "bps"],
          [{ source_currency: "USDC", destination_currency: "USDC", bps: 0 }, "InvalidInput", "destination_currency"],
          [{ min: "2.00", max: "1.99" }, "InvalidInput", "max"],
          [{ source_currency: "USDC", fixed: "0.001" }, "InvalidAmountPrecision", "fixed"],
          [{ source_currency: "USDC", min: "0.001" }, "InvalidAmountPrecision", "min"],
          [{ source_currency: "USDC", max: "0.001", bps: 0 }, "InvalidAmountPrecision", "max"],
          [{ source_currency: "USDC", tiers: [{ above: "0.001" }] }, "InvalidAmountPrecision", "tiers.0.above"],
          [
            { source_currency: "USDC", tiers: [{ above: "1", fixed: "0.001" }] },
            "InvalidAmountPrecision",
            "tiers.0.fixed"
          ],
          [{ tiers: [{ above: "10" }, { above: "10.00" }] }, "InvalidInput", "tiers.1.above"],
          [{ tiers: [{ above: "10" }, { above: "20" }, { above: "9" }] }, "InvalidInput", "tiers.2.above"],
          [{ tiers: Array.from({ length: 21 }, (_, at) => ({ above: String(at) })) }, "InvalidInput", "tiers"]
        ]
        for (const [input, tag, field] of cases) {
          const refusal = yield* Effect.flip(schedule(m, input))
          const { errors } = refusal as { readonly errors?: ReadonlyArray<{ readonly field: string }> }
          assert.deepEqual([refusal._tag, errors?.[0]?.field], [tag, field])
        }
        for (const unknown of [
          { merchant_id: "mer_01j9z3k4m5n6p7q8r9s0t1v2w3" },
          { source_currency: "EURO" },
          { destination_currency: "EURO" }
        ])
          assert.strictEqual((yield* Effect.flip(schedule(m, { bps: 0, ...unknown })))._tag, "NotFound")
        // Bounds that are equal, trailing zeros and the finest share are taken.
        const { id } = yield* schedule(m, {
          source_currency: "USDC",
          min: "1.000",
          max: "1",
          bps: "9999.99",
          tiers: []
        })
        assert.strictEqual((yield* Effect.flip(m.quote("1")))._tag, "InvalidInput")
        yield* end(m, id)
      })
    ))
})

onServers("two nodes on one store", (run) => {
  covers("FEE-2")
  it("quote by a schedule as soon as one of them has made it, and never by one that has ended, however many ask", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const beneficiary_id = yield* m.bank()
        const storage = yield* Storage
        const second = makeSimulatedEngine({ storage: Layer.succeed(Storage, storage) })
        yield* Effect.gen(function* () {
          const elsewhere = yield* Quotes
          const there = Effect.map(
            elsewhere.offramp(m.caller, { wallet_id: m.wallet.id, beneficiary_id, source_amount: "100" }),
            gateway
          )
          assert.strictEqual(yield* there, "0.50")
          for (const fixed of ["1.00", "2.00", "3.00"]) {
            const { id } = yield* schedule(m, { fixed })
            assert.deepEqual(
              new Set(
                yield* Effect.all(
                  Array.from({ length: 20 }, () => there),
                  { concurrency: "unbounded" }
                )
              ),
              new Set([fixed])
            )
            yield* end(m, id)
            assert.strictEqual(yield* there, "0.50")
          }
        }).pipe(Effect.provide(second))
      })
    ))
})
