import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import fc from "fast-check"
import { computeCustomerRate, Rates, simulatedMidRates } from "../../../src/engine/ports/Rates.ts"
import { currencies, requireCurrency } from "../../../src/engine/reference/currencies.ts"
import { minus, ratio, times } from "../../support/properties/fractions.ts"
import { covers } from "../../support/repository/covers.ts"

const digitsOf = (rate: string): string => rate.replace(".", "").replace(/^0+/, "")

/** The exact rate by the formulas of PRICE-2, compared without dividing: `rate × below` against `above`. */
const formula = (source: string, destination: string): { above: string; below: string; spread: [string, string] } => ({
  above: simulatedMidRates[destination] ?? "",
  below: simulatedMidRates[source] ?? "",
  spread:
    requireCurrency(source).type === "fiat" && requireCurrency(destination).type === "crypto"
      ? ["1", "1.005"]
      : ["0.995", "1"]
})

covers("PRICE-1", "PRICE-2")
describe("the table of rates", () => {
  it.effect("sells and buys USDC against NGN with the spread", () =>
    Effect.gen(function* () {
      const rates = yield* Rates
      assert.strictEqual(yield* rates.rate("USDC", "NGN"), "1492.5")
      assert.strictEqual(yield* rates.rate("NGN", "USDC"), "0.000663349917081")
      assert.strictEqual(yield* rates.rate("USD", "USDC"), "0.995024875621")
      assert.strictEqual(yield* rates.rate("USDC", "USDT"), "0.995")
      assert.strictEqual(yield* rates.rate("NGN", "GHS"), "0.00829166666666")
      assert.strictEqual(yield* rates.perUsd("UGX"), "3700")
    }).pipe(Effect.provide(Rates.layer))
  )

  it.effect("gives every pair its formula, cut to twelve significant digits and never above it", () =>
    Effect.gen(function* () {
      const rates = yield* Rates
      for (const source of currencies) {
        for (const destination of currencies) {
          const rate = yield* rates.rate(source.code, destination.code)
          const { above, below, spread } = formula(source.code, destination.code)
          const bound = (text: string) =>
            minus(times(ratio(above), ratio(spread[0])), times(times(ratio(text), ratio(below)), ratio(spread[1])))
          assert.match(rate, /^(0|[1-9]\d*)(\.\d*[1-9])?$/)
          assert.isAtMost(digitsOf(rate).length, 12)
          assert.isTrue(bound(rate).above >= 0n, `${source.code} to ${destination.code} is ${rate}`)
          const [whole = "", decimals = ""] = rate.split(".")
          const places = decimals.length + 12 - digitsOf(rate).length
          const next = (BigInt(whole + decimals.padEnd(places, "0")) + 1n).toString().padStart(places + 1, "0")
          assert.isTrue(bound(`${next.slice(0, next.length - places)}.${next.slice(next.length - places)}`).above < 0n)
        }
      }
    }).pipe(Effect.provide(Rates.layer))
  )

  it.effect("dies on a currency it has no mid for", () =>
    Effect.gen(function* () {
      const rates = yield* Rates
      const exit = yield* Effect.exit(rates.rate("USDC", "NGN"))
      assert.strictEqual(exit._tag, "Failure")
    }).pipe(Effect.provide(Rates.table({ USDC: "1" }, "0.005")))
  )

  it("writes rates of any size without an exponent", () => {
    const mid = fc.tuple(fc.integer({ min: 1, max: 999_999_999 }), fc.nat(18)).map(([digits, places]) => {
      const text = digits.toString().padStart(places + 1, "0")
      return places === 0 ? text : `${text.slice(0, -places)}.${text.slice(-places)}`
    })
    fc.assert(
      fc.property(mid, mid, fc.boolean(), (from, to, buys) => {
        const rate = computeCustomerRate(
          { type: buys ? "fiat" : "crypto", per_usd: from },
          { type: buys ? "crypto" : "fiat", per_usd: to },
          "0.005"
        )
        assert.match(rate, /^\d+(\.\d+)?$/)
        assert.isTrue(minus(times(ratio(rate), ratio(from)), ratio(to)).above < 0n)
      })
    )
  })
})
