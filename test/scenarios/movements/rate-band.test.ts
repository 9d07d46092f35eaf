/** Rates that leave their band: nothing is priced with them, on any node, until they are back or an operator accepts them. */
import { assert, it } from "vitest"
import { Clock, Effect, Layer } from "effect"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import { Rates, simulatedMidRates } from "../../../src/engine/ports/Rates.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { AcceptedRates } from "../../../src/engine/resources/movements/accepted-rate.ts"
import { AuditLog } from "../../../src/engine/resources/access/audit-entry.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import { Gauges } from "../../../src/engine/work/upkeep/Gauges.ts"
import { type Band, defaultBand } from "../../../src/engine/settings/settings.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { call } from "../../support/engines/simulated-engine.ts"
import { valueOf } from "../../support/http/metrics.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

/** A market of mid rates that a test moves. `null`: it does not answer. */
const market = (given: Readonly<Record<string, string>> = {}, pairs: Record<string, string> = {}) => {
  const mids: Record<string, string | null> = { ...simulatedMidRates, ...given }
  const table = () => Rates.ofTable(Object.fromEntries(Object.entries(mids).map(([k, v]) => [k, v ?? "1"])), "0.005")
  const open = <A>(codes: ReadonlyArray<string>, answer: () => Effect.Effect<A, ProviderFault>) =>
    Effect.suspend(() =>
      codes.some((code) => mids[code] === null) ? Effect.fail(new ProviderFault({ message: "closed" })) : answer()
    )
  const service = Rates.of({
    perUsd: (code) => open([code], () => table().perUsd(code)),
    rate: (from, to) =>
      open([from, to], () =>
        pairs[`${from}/${to}`] === undefined ? table().rate(from, to) : Effect.succeed(pairs[`${from}/${to}`]!)
      )
  })
  return { layer: Layer.succeed(Rates, service), mids, pairs, service }
}

const band: Band = { widths: defaultBand, second: null }
const usual = (rates: ReturnType<typeof market>, over: Partial<Band> = {}) => ({
  rates: rates.layer,
  band: { ...band, ...over }
})

const operating = Effect.gen(function* () {
  const m = yield* merchantAtWork()
  const quotes = yield* Quotes
  const wallets = yield* Wallets
  const rates = yield* AcceptedRates
  const clock = yield* ServiceClock
  const base = yield* call(PLATFORM_MERCHANT)
  const operator = {
    ...base,
    operation: "acceptRate",
    operator: { id: null, name: "Ada Obi", role: "treasury" as const }
  }
  const naira = yield* wallets.create(m.caller, { currency: "NGN", country_code: "NG" })
  const usdt = yield* wallets.create(m.caller, { currency: "USDT" })
  const usdc = yield* wallets.create(m.caller, { currency: "USDC" })
  const accept = (currency: string, per_usd: string, note = "checked at two banks") =>
    rates.accept({ ...operator, note }, currency, { per_usd, note })
  /** What a quote of a pair says: its rate, or the code of its refusal. */
  const quoted = (quote: Effect.Effect<{ readonly rate: string }, { readonly _tag: string }>) =>
    Effect.match(quote, { onFailure: ({ _tag }) => _tag, onSuccess: ({ rate }) => rate })
  const onramp = (source_currency: string, wallet: { readonly id: string } = usdc) =>
    quoted(quotes.onramp(m.caller, { wallet_id: wallet.id, source_currency, source_amount: "50000" } as never) as never)
  return {
    m,
    rates,
    onramp,
    usdt,
    naira,
    advance: (seconds: number) => Effect.flatMap(Clock.currentTimeMillis, (now) => clock.moveTo(now + seconds * 1000)),
    accept,
    rateOf: (currency: string) =>
      Effect.map(rates.list({}), ({ items }) => items.find((one) => one.currency === currency)!),
    gauge: (rate: string) => valueOf(`corridor_rate_held{rate="${rate}"}`) ?? 0
  }
})

/** The store is that of the file: what an earlier test has accepted is replaced. */
const begun = Effect.gen(function* () {
  const o = yield* operating
  for (const currency of ["NGN", "KES", "USDC", "USDT"]) yield* o.accept(currency, simulatedMidRates[currency]!)
  return o
})

const written = Effect.gen(function* () {
  const storage = yield* Storage
  const key = { merchant_id: PLATFORM_MERCHANT, kind: "accepted_rate", id: "rte_ngn" }
  return Effect.map(
    storage.get([key]),
    ([row]) => row?.data as { readonly per_usd: string; readonly accepted_at: number }
  )
})

const refused = "ExternalServiceUnavailable"
const usdcForNaira = "0.000663349917081"

onMemory("a rate outside its band", (run) => {
  covers("RATE-1", "RATE-2")
  it("is not quoted, in any pair of its currency and in no other direction, until it is back", () => {
    const rates = market()
    return run(
      Effect.gen(function* () {
        const o = yield* begun
        assert.strictEqual(yield* o.onramp("NGN"), usdcForNaira)
        yield* o.advance(2)
        rates.mids["NGN"] = "150000"
        assert.strictEqual(yield* o.onramp("NGN"), refused)
        // Pairs that were never asked for, from and through the same currency.
        assert.strictEqual(yield* o.onramp("NGN", o.usdt), refused)
        assert.strictEqual(o.gauge("NGN"), 1)
        assert.notStrictEqual(yield* o.onramp("KES"), refused)
        const held = yield* o.rateOf("NGN")
        assert.deepInclude(held, { status: "held", per_usd: "150000", accepted_per_usd: "1500" })
        assert.match(
          held.reason ?? "",
          /^it is 150000, and 1500 was accepted [2-9] s ago; at most 10 % in a minute is taken\./
        )
        rates.mids["NGN"] = "1501"
        yield* (yield* Gauges).refresh("rates")
        assert.strictEqual(o.gauge("NGN"), 0)
        assert.notStrictEqual(yield* o.onramp("NGN"), refused)
      }),
      usual(rates)
    )
  })

  covers("RATE-4")
  it("is quoted once an operator has accepted it with a note, which the audit log has", () => {
    const rates = market()
    return run(
      Effect.gen(function* () {
        const o = yield* begun
        yield* o.onramp("NGN")
        rates.mids["NGN"] = "2400"
        yield* o.advance(2)
        assert.strictEqual(yield* o.onramp("NGN"), refused)
        const accepted = yield* o.accept("NGN", "2390", "devaluation")
        assert.deepInclude(accepted, {
          status: "accepted",
          accepted_per_usd: "2390",
          operator_per_usd: "2390",
          note: "devaluation"
        })
        assert.notStrictEqual(yield* o.onramp("NGN"), refused)
        assert.strictEqual(o.gauge("NGN"), 0)
        assert.deepInclude(yield* o.rateOf("NGN"), { status: "accepted", accepted_per_usd: "2400" })
        const { items } = yield* (yield* AuditLog).list({ action: "acceptRate" } as never)
        assert.deepInclude(items[0], { note: "devaluation" })
        rates.mids["NGN"] = "1500"
        yield* o.advance(2)
        assert.strictEqual(yield* o.onramp("NGN"), refused)
      }),
      usual(rates)
    )
  })

  it.each([
    ["USD", "1", "NotFound"],
    ["DOGE", "1", "NotFound"],
    ["NGN", "0", "InvalidInput"],
    ["NGN", "-1", "InvalidInput"],
    ["NGN", "1e3", "InvalidInput"]
  ])("of %s is not accepted as %s", (currency, per_usd, tag) =>
    run(
      Effect.gen(function* () {
        const o = yield* operating
        const outcome = yield* Effect.flip(o.accept(currency, per_usd))
        assert.strictEqual((outcome as { readonly _tag: string })._tag, tag)
      })
    )
  )

  covers("RATE-3")
  it("is judged by a node that starts against what other nodes have accepted, however long ago", async () => {
    const rates = market()
    await run(
      Effect.gen(function* () {
        const o = yield* begun
        assert.notStrictEqual(yield* o.onramp("NGN"), refused)
      }),
      usual(rates)
    )
    await run(
      Effect.gen(function* () {
        const o = yield* operating
        yield* o.advance(7 * 86_400)
        rates.mids["NGN"] = "1951"
        assert.strictEqual(yield* o.onramp("NGN"), refused)
        assert.match(
          (yield* o.rateOf("NGN")).reason ?? "",
          /^it is 1951, and 1500 was accepted 7 days ago; at most 30 % in a day is taken\. An operator who has checked it accepts it/
        )
        rates.mids["NGN"] = "1950"
        assert.notStrictEqual(yield* o.onramp("NGN"), refused)
      }),
      usual(rates)
    )
  })

  it("is written at the first rate, after a move of a percent and once an hour, and not for each quote", () => {
    const rates = market()
    return run(
      Effect.gen(function* () {
        const o = yield* begun
        const row = yield* written
        const first = yield* row
        /** The row after another quote, and what that quote writes beside its work. */
        const settled = Effect.gen(function* () {
          assert.notStrictEqual(yield* o.onramp("NGN"), refused)
          yield* Effect.sleep("50 millis")
          return yield* row
        })
        const rewritten = (since: { readonly accepted_at: number }) =>
          Effect.repeat(settled, { until: ({ accepted_at }) => accepted_at !== since.accepted_at, times: 400 })
        for (const mid of ["1505", "1550", "1520"]) {
          rates.mids["NGN"] = mid
          assert.deepEqual(yield* settled, first)
        }
        yield* o.advance(61)
        rates.mids["NGN"] = "1514"
        assert.deepEqual(yield* settled, first)
        rates.mids["NGN"] = "1516"
        const moved = yield* rewritten(first)
        assert.strictEqual(moved.per_usd, "1516")
        yield* o.advance(3601)
        const hourly = yield* rewritten(moved)
        assert.isAbove(hourly.accepted_at, first.accepted_at + 3_600_000)
      }),
      usual(rates)
    )
  })

  it("of a pair, which is far from the cross rate of its currencies, is not quoted", () => {
    const rates = market()
    return run(
      Effect.gen(function* () {
        const o = yield* begun
        rates.pairs["NGN/USDC"] = "0.0663349917081"
        assert.strictEqual(yield* o.onramp("NGN"), refused)
        assert.strictEqual(o.gauge("NGN/USDC"), 1)
        assert.notStrictEqual(yield* o.onramp("NGN", o.usdt), refused)
        delete rates.pairs["NGN/USDC"]
        yield* (yield* Gauges).refresh("rates")
        assert.deepEqual([o.gauge("NGN/USDC"), yield* o.onramp("NGN")], [0, usdcForNaira])
      }),
      usual(rates)
    )
  })

  it("by a second source is not quoted; while that one does not answer, nothing is compared; an operator decides", () => {
    const rates = market()
    const second = market()
    return run(
      Effect.gen(function* () {
        const o = yield* begun
        yield* o.advance(86_401)
        assert.notStrictEqual(yield* o.onramp("NGN"), refused)
        second.mids["NGN"] = "1651"
        yield* o.advance(11)
        assert.strictEqual(yield* o.onramp("NGN"), refused)
        assert.match((yield* o.rateOf("NGN")).reason ?? "", /^it is 1500, and 1651 by the second source; at most 10 %/)
        second.mids["NGN"] = null
        assert.notStrictEqual(yield* o.onramp("NGN"), refused)
        second.mids["NGN"] = "3000"
        yield* o.advance(11)
        assert.strictEqual(yield* o.onramp("NGN"), refused)
        assert.strictEqual((yield* o.accept("NGN", "1510")).status, "accepted")
        assert.notStrictEqual(yield* o.onramp("NGN"), refused)
        yield* o.advance(86_401)
        assert.strictEqual(yield* o.onramp("NGN"), refused)
      }),
      usual(rates, { second: second.service })
    )
  })

  it("is quoted where the band is off", () => {
    const rates = market()
    return run(
      Effect.gen(function* () {
        const o = yield* begun
        rates.mids["NGN"] = "150000"
        assert.notStrictEqual(yield* o.onramp("NGN"), refused)
        assert.strictEqual((yield* o.rateOf("NGN")).status, "accepted")
      }),
      { rates: rates.layer, band: "off" }
    )
  })
})
