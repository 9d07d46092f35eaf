import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import fc from "fast-check"
import { HttpRates, httpRates, type HttpRatesOptions } from "../../../src/adapters/rates/http.ts"
import { findMidRate } from "../../../src/adapters/rates/http.ts"
import { computeCustomerRate, Rates } from "../../../src/engine/ports/Rates.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { wallClock } from "../../support/engines/wall-clock.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { minus, over, ratio, times } from "../../support/properties/fractions.ts"
import { makeScriptedConnector, secret, secretOf } from "../../support/protocol/scripted-connector.ts"
import { wrongAnswers } from "../../support/protocol/wrong-answers.ts"
import { covers } from "../../support/repository/covers.ts"

const at = (age_ms = 0): string => new Date(Date.now() - age_ms).toISOString()
const pair = (base: string, quote: string, rate: string, age_ms = 0) => ({ base, quote, rate, at: at(age_ms) })
const market = (...rates: ReadonlyArray<object>) => ({ rates })
const usual = () => market(pair("USD", "NGN", "1500.25"), pair("USDC", "USD", "0.8"), pair("USD", "KES", "129"))

const started = (url: string, options: Partial<HttpRatesOptions> = {}) =>
  Effect.map(Layer.build(HttpRates.layer({ url, secret, spread: "0.005", ...options })), (context) =>
    Context.get(context, Rates)
  )

describe("the rates of a connector", () => {
  covers("PROTOCOL-8")

  it.live("are mid rates per dollar, from pairs in either direction, and cross rates through the dollar", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) => answer(usual()))
        const { perUsd, rate } = yield* started(connector.url)
        assert.strictEqual(yield* perUsd("NGN"), "1500.25")
        assert.strictEqual(yield* perUsd("USDC"), "1.25")
        assert.strictEqual(yield* perUsd("USD"), "1")
        // 1 USDC is 0.80 USD, or 1200.20 NGN; 0.5 % less is 1194.199.
        assert.strictEqual(yield* rate("USDC", "NGN"), "1194.199")
        assert.strictEqual(yield* rate("KES", "NGN"), computeCustomerRate(kes, ngn, "0.005"))
        assert.strictEqual(yield* rate("NGN", "USDC"), "0.000829049221481")
      })
    )
  )
  const kes = { type: "fiat", per_usd: "129" } as const
  const ngn = { type: "fiat", per_usd: "1500.25" } as const

  it.live("are used where others of the list cannot be read", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) =>
          answer(usual(), {
            resign: (body) =>
              body.replace("[", `[null,{"base":"USD","quote":"NGN"},`).replace(`"rate":"129"`, `"rate":"0"`)
          })
        )
        const { perUsd } = yield* started(connector.url)
        assert.strictEqual(yield* perUsd("NGN"), "1500.25")
        assert.include((yield* Effect.flip(perUsd("KES"))).message, "no rate of KES")
      })
    )
  )

  it.live.each([
    ["older than a minute", "USD", 61_000, "61 s old"],
    ["from the future", "USD", -7000, "7 s ahead"],
    ["of another pair", "EUR", 0, "no rate of NGN"]
  ] as const)("are refused when one is %s, and the others stay", ([, base, age_ms, message]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) =>
          answer(market(pair(base, "NGN", "1500", age_ms), pair("USD", "KES", "129")))
        )
        const { perUsd, rate } = yield* started(connector.url)
        for (const call of [perUsd("NGN"), rate("NGN", "KES"), rate("KES", "NGN")]) {
          const fault = yield* Effect.flip(call)
          assert.strictEqual(fault._tag, "ProviderFault")
          assert.include(fault.message, message)
        }
        assert.strictEqual(yield* perUsd("KES"), "129")
      })
    )
  )

  const wrong = wrongAnswers.filter(([title]) => !/another (command|operation)|changed/.test(title))
  it.live.each(wrong)("are none after an answer %s", ([, , script]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector((exchange) =>
          script({ ...exchange, answer: (_, options) => exchange.answer(usual(), options) })
        )
        const { perUsd } = yield* started(connector.url, { timeout_ms: 300 })
        assert.strictEqual((yield* Effect.flip(perUsd("NGN")))._tag, "ProviderFault")
      })
    )
  )

  it.live("are asked for once by many callers, and again when they are no longer kept", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) => answer(usual()))
        const { rate } = yield* started(connector.url, { keep_ms: 60_000 })
        const calls = Array.from({ length: 50 }, () => rate("USDC", "NGN"))
        yield* Effect.all(calls, { concurrency: "unbounded" })
        assert.lengthOf(connector.received, 1)
        const eager = yield* started(connector.url, { keep_ms: 1 })
        yield* eager.perUsd("NGN")
        yield* Effect.sleep(5)
        yield* eager.perUsd("NGN")
        assert.lengthOf(connector.received, 3)
      })
    )
  )

  it.live("age while they are kept: a failed read does not make an old one young", () => {
    let later_ms = 0
    return Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) => answer(market(pair("USD", "NGN", "1500"))))
        const { perUsd } = yield* started(connector.url, { keep_ms: 600_000, max_age_ms: 300_000 })
        assert.strictEqual(yield* perUsd("NGN"), "1500")
        later_ms = 301_000
        assert.include((yield* Effect.flip(perUsd("NGN"))).message, "old")
        assert.lengthOf(connector.received, 1)
      })
    ).pipe(Effect.provide(wallClock(() => Date.now() + later_ms)))
  })

  it.live("can be pegged by the configuration, where the connector does not quote a currency", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) => answer(market(pair("USD", "NGN", "1500"))))
        const { perUsd, rate } = yield* started(connector.url, { fixed: { USDC: "1" } })
        assert.strictEqual(yield* perUsd("USDC"), "1")
        assert.strictEqual(yield* rate("USDC", "NGN"), "1492.5")
      })
    )
  )

  it.live("decide whether there is a quote: old ones are `external_service_unavailable`, and nothing is written", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const aged = (age_ms: number) => market(pair("USD", "NGN", "1500", age_ms), pair("USDC", "USD", "1", age_ms))
        const connector = yield* makeScriptedConnector(({ answer }) => answer(aged(0)))
        const rates = HttpRates.layer({ url: connector.url, secret, spread: "0.005", keep_ms: 1 })
        yield* Effect.gen(function* () {
          const m = yield* merchantAtWork("100")
          const quoted = Effect.map(m.quote("10"), ({ rate }) => rate)
          assert.strictEqual(yield* quoted, "1492.5")
          connector.script = ({ answer }) => answer(aged(90_000))
          yield* Effect.sleep(5)
          assert.strictEqual((yield* Effect.flip(quoted))._tag, "ExternalServiceUnavailable")
          connector.script = ({ answer }) => answer(aged(0))
          yield* Effect.sleep(5)
          assert.strictEqual(yield* quoted, "1492.5")
        }).pipe(Effect.provide(makeSimulatedEngine({ rates })))
      })
    )
  )

  it.live("are functions for a configuration file", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) => answer(usual()))
        const rates = httpRates({ url: connector.url, secret, spread: "0" })
        assert.strictEqual(yield* Effect.promise(() => rates.rate("USDC", "NGN")), "1200.2")
        assert.strictEqual(yield* Effect.promise(() => rates.perUsd("KES")), "129")
        connector.script = ({ response }) => response.writeHead(500).end()
        const other = httpRates({ url: connector.url, secret: secretOf(1), spread: "0" })
        assert.isTrue(
          yield* Effect.promise(() =>
            other.perUsd("KES").then(
              () => false,
              () => true
            )
          )
        )
      })
    )
  )

  it("are refused with options that cannot be used, in words that hide the secret", () => {
    const valid = { url: "https://bank.example", secret, spread: "0.005" }
    for (const [options, message] of [
      [{ url: "http://bank.example" }, /rates: the url must be https/],
      [{ secret: "whsec_x" }, /rates: the secret/],
      [{ spread: "1" }, /spread is "1"; it takes a fraction/],
      [{ spread: "-0.1" }, /spread/],
      [{ fixed: { USDC: "0" } }, /fixed.USDC is "0"/],
      [{ fixed: { USDC: "1,0" } }, /fixed.USDC/],
      [{ max_age_ms: 0 }, /max_age_ms is 0/],
      [{ keep_ms: -1 }, /keep_ms is -1/],
      [{ timeout_ms: 0.5 }, /timeout_ms is 0.5/]
    ] as const) {
      assert.throws(() => httpRates({ ...valid, ...options }), message)
      assert.throws(() => HttpRates.layer({ ...valid, ...options }), TypeError)
    }
  })
})

describe("a market", () => {
  covers("PROTOCOL-8")
  const now = Date.UTC(2026, 4, 4)
  const instant = (ms: number): string => new Date(ms).toISOString()

  it("takes the newest of several rates of a pair, in either direction and any order", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: -60, max: 5 }), { minLength: 1, maxLength: 6 }),
        fc.infiniteStream(fc.boolean()),
        (ages, flips) => {
          const quoted = ages.map((age, n) => {
            const rate = String(n + 1)
            const isDirect = flips.next().value as boolean
            return {
              base: isDirect ? "USD" : "NGN",
              quote: isDirect ? "NGN" : "USD",
              rate,
              at: instant(now + age * 1000)
            }
          })
          const newest = quoted.reduce((a, b) => (Date.parse(a.at) > Date.parse(b.at) ? a : b))
          const expected = newest.base === "USD" ? { per_usd: newest.rate } : { per_usd: "1", usd: newest.rate }
          assert.deepStrictEqual(findMidRate(quoted, "NGN", now, 60_000), Result.succeed(expected))
        }
      )
    )
  })

  it("bounds the age at both ends, to the millisecond", () => {
    const aged = (ms: number) =>
      findMidRate([{ base: "USD", quote: "NGN", rate: "2", at: instant(now - ms) }], "NGN", now, 60_000)._tag
    assert.deepStrictEqual([60_000, 60_001, -5000, -5001].map(aged), ["Success", "Failure", "Success", "Failure"])
  })

  const decimal = fc.tuple(fc.bigInt({ min: 1n, max: 10n ** 12n }), fc.nat(8)).map(([digits, places]) => {
    const text = digits.toString().padStart(places + 1, "0")
    return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
  })

  it.each([
    ["0.3", "0.6", "0.5"],
    ["0.7", "0.7", "1"],
    ["0.9", "0.3", "3"],
    ["0.000000000007", "0.7", "0.00000000001"]
  ])("crosses inverse rates that have no finite decimal: %s USD to %s USD", (from, to, rate) => {
    const side = (usd: string) => ({ type: "crypto", per_usd: "1", usd }) as const
    assert.strictEqual(computeCustomerRate(side(from), side(to), "0"), rate)
  })

  it("crosses two inverse rates exactly, rounded down once", () => {
    fc.assert(
      fc.property(decimal, decimal, (from, to) => {
        // One unit of the source is `from` USD, and one of the destination `to` USD: the rate is from / to.
        const rate = computeCustomerRate(
          { type: "crypto", per_usd: "1", usd: from },
          { type: "crypto", per_usd: "1", usd: to },
          "0"
        )
        const [a, b] = [ratio(from), ratio(to)]
        const [above, below] = [a.above * b.below, a.below * b.above]
        // Twelve significant digits of above / below: shifted until the quotient has as many.
        let shift = 0
        const shifted = (): bigint =>
          shift < 0 ? above / (below * 10n ** BigInt(-shift)) : (above * 10n ** BigInt(shift)) / below
        while (shifted() >= 10n ** 12n) shift -= 1
        while (shifted() < 10n ** 11n) shift += 1
        const exact = over(shifted(), 1n)
        const found = ratio(rate)
        const scaled =
          shift < 0
            ? over(found.above, found.below * 10n ** BigInt(-shift))
            : times(found, over(10n ** BigInt(shift), 1n))
        assert.strictEqual(minus(scaled, exact).above, 0n, `${from} / ${to} is not ${rate}`)
      })
    )
  })
})
