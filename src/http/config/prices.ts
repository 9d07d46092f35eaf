/** The members of a configuration that are code or tables: rates and pricing. */
import { nearest } from "../../engine/input/member-names.ts"
import { currencies } from "../../engine/reference/currencies.ts"
import type { PricingPolicy, RateSource, RateTable } from "../../index.ts"
import { shown } from "./shown.ts"

export interface Prices {
  readonly rates: RateSource | RateTable | undefined
  readonly pricing: PricingPolicy | undefined
  readonly faults: ReadonlyArray<string>
}

type Members = { readonly [name: string]: unknown }

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const functions = (path: string, given: Members, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names
    .filter((name) => typeof given[name] !== "function")
    .map((name) => `${path}.${name} is ${shown(given[name])}; it takes a function.`)

const unknownIn = (path: string, given: Members, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.keys(given)
    .filter((name) => given[name] !== undefined && !names.includes(name))
    .map((name) => {
      const near = nearest(name, names)
      return `\`${path}.${name}\` is not a member of the configuration.${near === undefined ? "" : ` Did you mean \`${path}.${near}\`?`}`
    })

const decimal = /^\d{1,20}(?:\.\d{1,20})?$/
const isPositive = (text: string): boolean => decimal.test(text) && /[1-9]/.test(text)
const codes: ReadonlyArray<string> = currencies.map(({ code }) => code)

const midFault = (code: string, rate: unknown): ReadonlyArray<string> => {
  if (!codes.includes(code)) {
    const near = nearest(code, codes)
    return [
      `\`rates.mids.${code}\` is not a currency.${near === undefined ? "" : ` Did you mean \`rates.mids.${near}\`?`}`
    ]
  }
  return typeof rate === "string" && isPositive(rate)
    ? []
    : [
        `rates.mids.${code} is ${shown(rate)}; it takes the units of ${code} for one US dollar, as text, such as "1500.25".`
      ]
}

const tableFaults = ({ mids, spread }: Members): ReadonlyArray<string> => [
  ...(isObject(mids)
    ? Object.entries(mids).flatMap(([code, rate]) => midFault(code, rate))
    : [`rates.mids is ${shown(mids)}; it takes an object of rates by currency.`]),
  ...(typeof spread === "string" && decimal.test(spread) && /^0(?:\.|$)/.test(spread)
    ? []
    : [`rates.spread is ${shown(spread)}; it takes a fraction from 0 to below 1, as text, such as "0.005".`])
]

const rateFaults = (given: unknown): ReadonlyArray<string> => {
  if (!isObject(given))
    return [
      `rates is ${shown(given)}; it takes a table of mids and spread, or an object with the functions rate and perUsd.`
    ]
  const isTable = "mids" in given || "spread" in given
  const names = isTable ? ["mids", "spread"] : ["rate", "perUsd"]
  return [
    ...(isTable ? tableFaults(given) : functions("rates", given, names)),
    // An object with functions may be of the caller's own class, with whatever else it has.
    ...(isTable ? unknownIn("rates", given, names) : [])
  ]
}

/** Checks rates and pricing. They are defined only if they are valid. */
export const pricesOf = (rates: unknown, pricing: unknown): Prices => {
  const ofRates = rates === undefined ? [] : rateFaults(rates)
  const ofPricing =
    pricing === undefined
      ? []
      : isObject(pricing)
        ? functions("pricing", pricing, ["fees", "outbound"])
        : [`pricing is ${shown(pricing)}; it takes an object with the functions fees and outbound.`]
  return {
    rates: ofRates.length > 0 ? undefined : (rates as Prices["rates"]),
    pricing: ofPricing.length > 0 ? undefined : (pricing as Prices["pricing"]),
    faults: [...ofRates, ...ofPricing]
  }
}
