/** The members of a configuration that are code or tables: rates, pricing and routing. */
import { nearest } from "../../engine/input/member-names.ts"
import { currencies } from "../../engine/reference/currencies.ts"
import type { PricingPolicy, RateSource, RateTable, RoutingPolicy } from "../../index.ts"
import { shown } from "./shown.ts"

export interface Policies {
  readonly rates: RateSource | RateTable | undefined
  readonly pricing: PricingPolicy | undefined
  readonly routing: Partial<RoutingPolicy> | undefined
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

const pricingFaults = (given: unknown): ReadonlyArray<string> =>
  isObject(given)
    ? functions("pricing", given, ["fees", "outbound"])
    : [`pricing is ${shown(given)}; it takes an object with the functions fees and outbound.`]

const routingFaults = (given: unknown): ReadonlyArray<string> => {
  if (!isObject(given)) return [`routing is ${shown(given)}; it takes an object with priorities or the function order.`]
  const { order, priorities } = given
  return [
    ...unknownIn("routing", given, ["priorities", "order"]),
    ...(order === undefined ? [] : functions("routing", given, ["order"])),
    ...(priorities === undefined
      ? []
      : isObject(priorities)
        ? Object.entries(priorities).flatMap(([name, priority]) =>
            Number.isFinite(priority)
              ? []
              : [`routing.priorities.${name} is ${shown(priority)}; it takes a number, a lower one going first.`]
          )
        : [`routing.priorities is ${shown(priorities)}; it takes an object of numbers by provider.`])
  ]
}

/** Checks the policies. Each is defined only if it is valid. */
export const policiesOf = (rates: unknown, pricing: unknown, routing: unknown): Policies => {
  const found: Array<string> = []
  const valid = <A>(given: unknown, faultsOf: (given: unknown) => ReadonlyArray<string>): A | undefined => {
    const faults = given === undefined ? [] : faultsOf(given)
    found.push(...faults)
    return faults.length > 0 ? undefined : (given as A | undefined)
  }
  return {
    rates: valid(rates, rateFaults),
    pricing: valid(pricing, pricingFaults),
    routing: valid(routing, routingFaults),
    faults: found
  }
}
