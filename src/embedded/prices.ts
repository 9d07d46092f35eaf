/** Rates and pricing that an application brings as plain functions. */
import { Effect, Layer } from "effect"
import { ProviderFault } from "../engine/ports/errors.ts"
import { type Fees, Pricing, type PricingRequest, type Range } from "../engine/ports/Pricing.ts"
import { Rates } from "../engine/ports/Rates.ts"
import type { Currency } from "../engine/reference/currencies.ts"

/** The laws of each are those of the port, `Rates`. A function that throws has no rate now. */
export interface RateSource {
  /** Units of `destination` a customer gets for one unit of `source`, spreads included: `"1492.5"`. */
  readonly rate: (source: string, destination: string) => string | Promise<string>
  /** Units of a currency for one US dollar at the mid. */
  readonly perUsd: (code: string) => string | Promise<string>
}

/** Units of each currency for one US dollar, and the fraction the platform takes of a rate. */
export interface RateTable {
  readonly mids: Readonly<Record<string, string>>
  readonly spread: string
}

/** The laws of each are those of the port, `Pricing`. A function that throws has no price now. */
export interface PricingPolicy {
  readonly fees: (request: PricingRequest) => Fees | Promise<Fees>
  readonly outbound: (currency: Currency, network: string) => Range | Promise<Range>
}

const asked = <A>(what: string, ask: () => A | Promise<A>): Effect.Effect<A, ProviderFault> =>
  Effect.tryPromise({
    try: async () => ask(),
    catch: (cause) => new ProviderFault({ message: `no ${what} is to be had`, cause })
  })

export const ratesOf = (given: RateSource | RateTable): Layer.Layer<Rates> =>
  "mids" in given
    ? Rates.table(given.mids, given.spread)
    : Layer.succeed(
        Rates,
        Rates.of({
          rate: (source, destination) => asked("rate", () => given.rate(source, destination)),
          perUsd: (code) => asked("rate", () => given.perUsd(code))
        })
      )

export const pricingOf = ({ fees, outbound }: PricingPolicy): Layer.Layer<Pricing> =>
  Layer.succeed(
    Pricing,
    Pricing.of({
      fees: (request) => asked("price", () => fees(request)),
      outbound: (currency, network) => asked("price", () => outbound(currency, network))
    })
  )
