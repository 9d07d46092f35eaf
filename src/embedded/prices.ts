/** Rates and pricing that an application supplies as plain functions. */
import { Effect, Layer } from "effect"
import { ProviderFault } from "../engine/ports/errors.ts"
import { type Fees, Pricing, type PricingRequest, type Range } from "../engine/ports/Pricing.ts"
import { Rates } from "../engine/ports/Rates.ts"
import type { Currency } from "../engine/reference/currencies.ts"

/** The laws are those of the port `Rates`. If a function throws, the rate is unavailable. */
export interface RateSource {
  /** Units of `destination` that a customer receives for one unit of `source`, including spreads: `"1492.5"`. */
  readonly rate: (source: string, destination: string) => string | Promise<string>
  /** Units of a currency for one US dollar at the mid-market rate. */
  readonly perUsd: (code: string) => string | Promise<string>
}

/** Mid-market rates, as units of each currency for one US dollar, and the spread, as a fraction of a rate. */
export interface RateTable {
  readonly mids: Readonly<Record<string, string>>
  readonly spread: string
}

/** The laws are those of the port `Pricing`. If a function throws, the price is unavailable. */
export interface PricingPolicy {
  readonly fees: (request: PricingRequest) => Fees | Promise<Fees>
  readonly outbound: (currency: Currency, network: string) => Range | Promise<Range>
}

const query = <A>(what: string, run: () => A | Promise<A>): Effect.Effect<A, ProviderFault> =>
  Effect.tryPromise({
    try: async () => run(),
    catch: (cause) => new ProviderFault({ message: `the ${what} is unavailable`, cause })
  })

export const ratesOf = (given: RateSource | RateTable): Layer.Layer<Rates> =>
  "mids" in given
    ? Rates.table(given.mids, given.spread)
    : Layer.succeed(
        Rates,
        Rates.of({
          rate: (source, destination) => query("rate", () => given.rate(source, destination)),
          perUsd: (code) => query("rate", () => given.perUsd(code))
        })
      )

export const pricingOf = ({ fees, outbound }: PricingPolicy): Layer.Layer<Pricing> =>
  Layer.succeed(
    Pricing,
    Pricing.of({
      fees: (request) => query("price", () => fees(request)),
      outbound: (currency, network) => query("price", () => outbound(currency, network))
    })
  )
