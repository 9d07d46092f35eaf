import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { feeOf, Pricing, type PricingRequest, computeTerms } from "../../../src/engine/ports/Pricing.ts"
import { Rates } from "../../../src/engine/ports/Rates.ts"
import { currencies, requireCurrency } from "../../../src/engine/reference/currencies.ts"
import { parseExactAmount, formatAmount } from "../../../src/machines/kernel/money.ts"
import {
  type Priced,
  priceSource,
  priceTarget,
  priceActual,
  toStoredFigures
} from "../../../src/machines/kernel/pricing.ts"
import { covers } from "../../support/repository/covers.ts"

const layer = Pricing.layer.pipe(Layer.provideMerge(Rates.layer))

const request = (operation: PricingRequest["operation"], source: string, destination: string): PricingRequest => ({
  merchant_id: "mer_one",
  operation,
  source: requireCurrency(source),
  destination: requireCurrency(destination),
  network: requireCurrency(destination).networks[0] ?? "bank"
})

const quote = (
  operation: PricingRequest["operation"],
  source: string,
  destination: string,
  amount: { source: string } | { target: string }
) =>
  Effect.map(computeTerms(request(operation, source, destination)), (terms) =>
    "source" in amount
      ? priceSource(terms, parseExactAmount(amount.source, terms.source.ledger_scale))
      : priceTarget(terms, parseExactAmount(amount.target, terms.destination.ledger_scale))
  )

const shown = (priced: Priced, source: string, destination: string) => {
  if (priced._tag !== "priced") return priced._tag
  const { _tag: _, ...figures } = priced
  return {
    source: formatAmount(figures.source_amount, requireCurrency(source)),
    destination: formatAmount(figures.destination_amount, requireCurrency(destination)),
    received: formatAmount(figures.received_amount, requireCurrency(destination)),
    residue: formatAmount(figures.residue, requireCurrency(destination)),
    fees: feeOf({
      ...toStoredFigures(figures),
      source_currency: source,
      destination_currency: destination
    }).line_items.map((one) => `${one.name} ${one.amount} ${one.currency}`)
  }
}

covers("PRICE-3", "CURRENCY-11", "PRICE-5")
describe("the default pricing policy", () => {
  it.effect("prices an offramp of 100 USDC to naira: half a percent, and half a dollar for the bank", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(shown(yield* quote("offramp", "USDC", "NGN", { source: "100" }), "USDC", "NGN"), {
        source: "100.00",
        destination: "148503.75",
        received: "147753.75",
        residue: "0.00",
        fees: ["gateway 0.50 USDC", "network 750.00 NGN"]
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("prices an onramp of 150,000 naira: the chain takes ten cents of what is bought", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(shown(yield* quote("onramp", "NGN", "USDC", { source: "150000" }), "NGN", "USDC"), {
        source: "150000.00",
        destination: "99.00",
        received: "98.90",
        residue: "0.00",
        fees: ["gateway 750.00 NGN", "network 0.10 USDC"]
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("prices a conversion at a quarter of a percent without a network line", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(shown(yield* quote("conversion", "USDC", "NGN", { source: "100" }), "USDC", "NGN"), {
        source: "100.00",
        destination: "148876.87",
        received: "148876.87",
        residue: "0.00",
        fees: ["gateway 0.25 USDC"]
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("lets the recipient of a target have exactly it, and keeps the residue for the platform", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(shown(yield* quote("offramp", "USDC", "NGN", { target: "100000" }), "USDC", "NGN"), {
        source: "67.85",
        destination: "100750.00",
        received: "100000.00",
        residue: "8.67",
        fees: ["gateway 0.34 USDC", "network 750.00 NGN"]
      })
      const fine = shown(yield* quote("conversion", "NGN", "USDC", { target: "1.234567" }), "NGN", "USDC")
      assert.isObject(fine)
      assert.deepInclude(fine, { destination: "1.234567", received: "1.234567", residue: "0.005433" })
    }).pipe(Effect.provide(layer))
  )

  it.effect("takes half a dollar for a payout in each fiat currency, rounded up to what it settles", () =>
    Effect.gen(function* () {
      const pricing = yield* Pricing
      const fees: Record<string, string> = {}
      for (const destination of currencies.filter((one) => one.type === "fiat")) {
        const { network } = yield* pricing.fees(request("offramp", "USDC", destination.code))
        fees[destination.code] = formatAmount(BigInt(network), destination)
      }
      assert.deepStrictEqual(fees, {
        EUR: "0.46",
        GHS: "6.25",
        KES: "64.50",
        NGN: "750.00",
        UGX: "1850",
        USD: "0.50",
        XOF: "300",
        ZAR: "9.00"
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("bounds what leaves at once by one and a million dollars' worth, in whole units", () =>
    Effect.gen(function* () {
      const pricing = yield* Pricing
      const ranges: Record<string, string> = {}
      for (const currency of currencies) {
        const { minimum, maximum } = yield* pricing.outbound(currency, currency.networks[0] ?? "")
        ranges[currency.code] = [minimum, maximum].map((one) => formatAmount(BigInt(one ?? "0"), currency)).join(" to ")
      }
      assert.deepStrictEqual(ranges, {
        EUR: "1.00 to 920000.00",
        GHS: "13.00 to 12500000.00",
        KES: "129.00 to 129000000.00",
        NGN: "1500.00 to 1500000000.00",
        UGX: "3700 to 3700000000",
        USD: "1.00 to 1000000.00",
        USDC: "1.00 to 1000000.00",
        USDT: "1.00 to 1000000.00",
        XOF: "600 to 600000000",
        ZAR: "18.00 to 18000000.00"
      })
    }).pipe(Effect.provide(layer))
  )

  it.effect("refuses what leaves nothing to receive, and an offramp whose recipient would be out of range", () =>
    Effect.gen(function* () {
      const tag = (...asked: Parameters<typeof quote>) => Effect.map(quote(...asked), (priced) => priced._tag)
      assert.strictEqual(yield* tag("offramp", "USDC", "NGN", { source: "0.51" }), "nothing")
      assert.strictEqual(yield* tag("offramp", "USDC", "NGN", { source: "0.01" }), "nothing")
      assert.strictEqual(yield* tag("offramp", "USDC", "NGN", { target: "1499.99" }), "below")
      assert.strictEqual(yield* tag("offramp", "USDC", "NGN", { target: "1500" }), "priced")
      assert.strictEqual(yield* tag("offramp", "USDC", "NGN", { target: "1500000000" }), "priced")
      assert.strictEqual(yield* tag("offramp", "USDC", "NGN", { target: "1500000000.01" }), "above")
      assert.strictEqual(yield* tag("onramp", "NGN", "USDC", { source: "150" }), "nothing")
      assert.strictEqual(yield* tag("onramp", "NGN", "USDC", { source: "1000" }), "priced")
      assert.strictEqual(yield* tag("onramp", "NGN", "USDC", { target: "1000000.01" }), "above")
      assert.strictEqual(yield* tag("conversion", "NGN", "USDC", { target: "5000000" }), "priced")
    }).pipe(Effect.provide(layer))
  )

  it.effect("settles an onramp that was paid short, over and far over under the terms of its quote", () =>
    Effect.gen(function* () {
      const terms = yield* computeTerms(request("onramp", "NGN", "USDC"))
      const quoted = priceTarget(terms, parseExactAmount("100", 6))
      if (quoted._tag !== "priced") throw new Error(quoted._tag)
      const paid = (amount: string) => shown(priceActual(terms, quoted, parseExactAmount(amount, 2)), "NGN", "USDC")
      assert.deepInclude(paid(formatAmount(quoted.source_amount, requireCurrency("NGN"))), { received: "100.00" })
      assert.deepInclude(paid("75000"), { received: "49.40", fees: ["gateway 375.00 NGN", "network 0.10 USDC"] })
      assert.deepInclude(paid("300000"), { received: "197.90" })
      assert.strictEqual(paid("100"), "nothing")
      assert.strictEqual(paid("1600000000"), "above")
    }).pipe(Effect.provide(layer))
  )
})
