/** The pricing policy (fees and ranges of amounts), and the terms of a quote. */
import { Context, Effect, Layer } from "effect"
import { parseExactAmount, toMinorUnits } from "../../machines/kernel/money.ts"
import { convertFromUsd, type ScheduledGateway, type Terms } from "../../machines/kernel/pricing.ts"
import { wrapRates } from "./asked.ts"
import type { ProviderFault } from "./errors.ts"
import { Rates } from "./Rates.ts"
import { type Currency, displayAmount } from "../reference/currencies.ts"

/** The priced movements. An auto-conversion is a `conversion`; a transfer has no fee and no price. */
export type PricedOperation = "onramp" | "offramp" | "conversion"

export interface PricingRequest {
  readonly merchant_id: string
  readonly operation: PricedOperation
  readonly source: Currency
  readonly destination: Currency
  /** The destination network: `bank`, or the chain of the wallet that is credited. */
  readonly network: string
}

/** `gateway`: fraction of the source, a decimal string in [0, 1). `network`: minor units of the destination. */
export interface Fees {
  readonly gateway: string
  readonly network: string
}

/** Inclusive bounds of an outbound amount, in minor units. Null: unbounded. */
export interface Range {
  readonly minimum: string | null
  readonly maximum: string | null
}

export class Pricing extends Context.Service<
  Pricing,
  {
    /**
     * The fees of one movement. Law: the quote locks them; a later call may return others.
     * Errors: `ProviderFault` when the fees depend on a rate that is not available.
     */
    readonly fees: (request: PricingRequest) => Effect.Effect<Fees, ProviderFault>
    /**
     * The outbound range of a currency on a network (`bank` or a chain): for the amount of a transfer, and for the
     * amount that a quote's recipient gets. Errors: `ProviderFault` when it depends on a rate that is not available.
     */
    readonly outbound: (currency: Currency, network: string) => Effect.Effect<Range, ProviderFault>
  }
>()("corridor/engine/Pricing") {
  /**
   * The default policy (PRICE-3, PRICE-6, CURRENCY-11). Gateway fee: onramp and offramp 0.5 %, conversion 0.25 %.
   * Network fee: offramp 0.50 US dollars in the destination currency, onramp 0.10 of the destination currency,
   * conversion none. Range: 1 to 1,000,000 US dollars.
   */
  static readonly layer: Layer.Layer<Pricing, never, Rates> = Layer.effect(
    Pricing,
    Effect.gen(function* () {
      const rates = wrapRates(yield* Rates)
      /** The last range of each currency, and the rate it follows from: every payout asks, and few rates change. */
      const ranges = new Map<string, Range & { readonly mid: string }>()
      const rangeOf = (currency: Currency, mid: string): Range => {
        const last = ranges.get(currency.code)
        if (last?.mid === mid) return last
        const minimum = convertFromUsd("1", currency, mid, "unit").toString()
        const range = { mid, minimum, maximum: convertFromUsd("1000000", currency, mid, "unit").toString() }
        ranges.set(currency.code, range)
        return range
      }
      return Pricing.of({
        fees: ({ operation, destination }) => {
          switch (operation) {
            case "onramp":
              return Effect.succeed({
                gateway: "0.005",
                network: parseExactAmount("0.10", destination.ledger_scale).toString()
              })
            case "offramp":
              return Effect.map(rates.perUsd(destination.code), (mid) => ({
                gateway: "0.005",
                network: convertFromUsd("0.50", destination, mid, "settlement").toString()
              }))
            case "conversion":
              return Effect.succeed({ gateway: "0.0025", network: "0" })
          }
        },
        outbound: (currency) =>
          Effect.map(currency.type === "crypto" ? Effect.succeed("1") : rates.perUsd(currency.code), (mid) =>
            rangeOf(currency, mid)
          )
      })
    })
  )
}

/**
 * Computes the current terms for a quote: rate, fees and range. They are stored with the quote. `scheduled`: decides the gateway fee
 * instead of the pricing policy, whose network fee stays.
 *
 * An offramp is limited to the outbound range, an onramp only to its maximum: an amount below its fees leaves nothing to receive. A
 * conversion does not leave the platform and has no range. Source: CURRENCY-11, PRICE-6, ONRAMP-6.
 */
export const computeTerms = Effect.fnUntraced(function* (
  request: PricingRequest,
  scheduled: ScheduledGateway | null = null
) {
  const { operation, source, destination } = request
  const rates = yield* Rates
  const pricing = yield* Pricing
  const rate = yield* rates.rate(source.code, destination.code)
  const fees = yield* pricing.fees(request)
  const range: Range =
    operation === "conversion"
      ? { minimum: null, maximum: null }
      : yield* pricing.outbound(destination, request.network)
  return {
    source: scalesOf(source),
    destination: scalesOf(destination),
    rate,
    gateway: fees.gateway,
    network: fees.network,
    ...scheduled,
    minimum: operation === "offramp" ? range.minimum : null,
    maximum: range.maximum
  } satisfies Terms
})

const scalesOf = ({ decimals, ledger_scale }: Currency) => ({ decimals, ledger_scale })

/** The `fee` of a quote or transaction: one line for each fee (PRICE-4). */
export interface Fee {
  readonly line_items: ReadonlyArray<{ readonly name: string; readonly amount: string; readonly currency: string }>
}

/** Makes the `fee` of a response (PRICE-4): a line for each fee of a quote or movement. A fee of zero has no line. */
export const feeOf = (priced: {
  readonly gateway_fee: string
  readonly source_currency: string
  readonly network_fee: string
  readonly destination_currency: string
}): Fee => ({
  line_items: [
    { name: "gateway", minor: priced.gateway_fee, currency: priced.source_currency },
    { name: "network", minor: priced.network_fee, currency: priced.destination_currency }
  ].flatMap(({ name, minor, currency }) =>
    minor === "0" ? [] : [{ name, amount: displayAmount(toMinorUnits(minor), currency), currency }]
  )
})
