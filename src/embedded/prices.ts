/** Rates and pricing that an application supplies as plain functions. */
import { Effect, Layer } from "effect"
import { checkKinds, checkOptions } from "../engine/input/options.ts"
import { ProviderFault } from "../engine/ports/errors.ts"
import { type Fees, Pricing, type PricingRequest, type Range } from "../engine/ports/Pricing.ts"
import { validateRates } from "../engine/ports/asked.ts"
import { Rates } from "../engine/ports/Rates.ts"
import { type Band, defaultBand, isWidth } from "../engine/settings/settings.ts"
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

const callSource = <A>(what: string, run: () => A | Promise<A>): Effect.Effect<A, ProviderFault> =>
  Effect.tryPromise({
    try: async () => run(),
    catch: (cause) => new ProviderFault({ message: `the ${what} is unavailable`, cause })
  })

/**
 * Makes the rates of a source or a table. Errors: throws `TypeError` for anything else. A source may be an instance of the
 * caller's own class, with other members.
 */
const makeRates = (owner: string, given: RateSource | RateTable): Rates["Service"] => {
  if ("mids" in given) {
    checkOptions(owner, given, { mids: "object", spread: "string" })
    return Rates.ofTable(given.mids, given.spread)
  }
  checkKinds(owner, given, { rate: "function", perUsd: "function" })
  return Rates.of({
    rate: (source, destination) => callSource("rate", () => given.rate(source, destination)),
    perUsd: (code) => callSource("rate", () => given.perUsd(code))
  })
}

/** Makes the layer of the rates. Errors: throws `TypeError` for a value that is neither a source nor a table. */
export const ratesOf = (given: RateSource | RateTable): Layer.Layer<Rates> =>
  Layer.succeed(Rates, makeRates("rates", given))

/** Widths as fractions, such as `"0.1"`. A rate that has moved further is not used until it is back or an operator accepts it. */
export interface RateBand {
  /** How far a rate may move within a minute. Default: `"0.1"`. */
  readonly minute?: string
  /** How far a rate may move within a day, and from the last accepted one, however old. Default: `"0.3"`. */
  readonly day?: string
  /** How far the rate of a pair may be from the cross rate of its two currencies. Default: `"0.3"`. */
  readonly cross?: string
  /** How far a rate may be from that of `second`. Default: `"0.1"`. */
  readonly between?: string
  /** Another source, whose `perUsd` each rate is compared with. While it does not answer, nothing is compared. Default: none. */
  readonly second?: RateSource | RateTable
}

/** Parses the option of the rate band. Errors: throws `TypeError` for an unknown member, and for a width that is not a positive fraction. */
export const parseRateBand = (given: RateBand | "off" = {}): Band | "off" => {
  if (given === "off") return given
  checkOptions("rateBand", given, { minute: "any", day: "any", cross: "any", between: "any", second: "object?" })
  const { second, ...widths } = given
  for (const [name, value] of Object.entries(widths))
    if (value !== undefined && !isWidth(value))
      throw new TypeError(`rateBand.${name} is ${JSON.stringify(value)}; it takes a fraction above zero, such as "0.1"`)
  const set = Object.fromEntries(Object.entries(widths).filter(([, value]) => value !== undefined))
  return {
    widths: { ...defaultBand, ...set },
    second: second === undefined ? null : validateRates("the second rate source", makeRates("rateBand.second", second))
  }
}

/** Makes the layer of the pricing. Errors: throws `TypeError` if one of the functions is missing. */
export const pricingOf = (policy: PricingPolicy): Layer.Layer<Pricing> => {
  checkKinds("pricing", policy, { fees: "function", outbound: "function" })
  const { fees, outbound } = policy
  return Layer.succeed(
    Pricing,
    Pricing.of({
      fees: (request) => callSource("price", () => fees(request)),
      outbound: (currency, network) => callSource("price", () => outbound(currency, network))
    })
  )
}
