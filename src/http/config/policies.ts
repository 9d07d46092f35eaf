/** The members of a configuration that are code or tables: rates, pricing and routing. */
import { Predicate } from "effect"
import { nearest } from "../../engine/input/nearest.ts"
import { isWidth } from "../../engine/settings/settings.ts"
import { currencies } from "../../engine/reference/currencies.ts"
import type { PricingPolicy, RateBand, RateSource, RateTable, RoutingPolicy } from "../../index.ts"
import { formatValue } from "./shown.ts"

export interface Policies {
  readonly rates: RateSource | RateTable | undefined
  readonly pricing: PricingPolicy | undefined
  readonly routing: Partial<RoutingPolicy> | undefined
  readonly rateBand: RateBand | "off" | undefined
  readonly faults: ReadonlyArray<string>
}

type Members = { readonly [name: string]: unknown }

const functions = (path: string, given: Members, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names
    .filter((name) => typeof given[name] !== "function")
    .map((name) => `${path}.${name} is ${formatValue(given[name])}; it takes a function.`)

const unknownIn = (path: string, given: Members, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.keys(given)
    .filter((name) => given[name] !== undefined && !names.includes(name))
    .map((name) => {
      const near = nearest(name, names)
      return `\`${path}.${name}\` is not a member of the configuration.${near === undefined ? "" : ` Did you mean \`${path}.${near}\`?`}`
    })

const decimal = /^\d{1,20}(?:\.\d{1,20})?$/
const codes: ReadonlyArray<string> = currencies.map(({ code }) => code)

const tableFaults = (path: string, { mids, spread }: Members): ReadonlyArray<string> => [
  ...(Predicate.isReadonlyObject(mids)
    ? Object.entries(mids).flatMap(([code, rate]) => {
        if (!codes.includes(code)) {
          const near = nearest(code, codes)
          return [
            `\`${path}.mids.${code}\` is not a currency.${near === undefined ? "" : ` Did you mean \`${path}.mids.${near}\`?`}`
          ]
        }
        return typeof rate === "string" && decimal.test(rate) && /[1-9]/.test(rate)
          ? []
          : [
              `${path}.mids.${code} is ${formatValue(rate)}; it takes the units of ${code} for one US dollar, as text, such as "1500.25".`
            ]
      })
    : [`${path}.mids is ${formatValue(mids)}; it takes an object of rates by currency.`]),
  ...(typeof spread === "string" && decimal.test(spread) && /^0(?:\.|$)/.test(spread)
    ? []
    : [`${path}.spread is ${formatValue(spread)}; it takes a fraction from 0 to below 1, as text, such as "0.005".`])
]

const ratesAt = (path: string, given: unknown): ReadonlyArray<string> => {
  if (!Predicate.isReadonlyObject(given))
    return [
      `${path} is ${formatValue(given)}; it takes a table of mids and spread, or an object with the functions rate and perUsd.`
    ]
  const isTable = "mids" in given || "spread" in given
  const names = isTable ? ["mids", "spread"] : ["rate", "perUsd"]
  return [
    ...(isTable ? tableFaults(path, given) : functions(path, given, names)),
    // An object with functions may be of the caller's own class, with whatever else it has.
    ...(isTable ? unknownIn(path, given, names) : [])
  ]
}

const widths = ["minute", "day", "cross", "between"]

/** Checks the policies. Each is defined only if it is valid. */
export const policiesOf = (rates: unknown, pricing: unknown, routing: unknown, band?: unknown): Policies => {
  const found: Array<string> = []
  const valid = <A>(given: unknown, faultsOf: (given: unknown) => ReadonlyArray<string>): A | undefined => {
    const faults = given === undefined ? [] : faultsOf(given)
    found.push(...faults)
    return faults.length > 0 ? undefined : (given as A | undefined)
  }
  return {
    rates: valid(rates, (given: unknown): ReadonlyArray<string> => ratesAt("rates", given)),
    pricing: valid(
      pricing,
      (given: unknown): ReadonlyArray<string> =>
        Predicate.isReadonlyObject(given)
          ? functions("pricing", given, ["fees", "outbound"])
          : [`pricing is ${formatValue(given)}; it takes an object with the functions fees and outbound.`]
    ),
    routing: valid(routing, (given: unknown): ReadonlyArray<string> => {
      if (!Predicate.isReadonlyObject(given))
        return [`routing is ${formatValue(given)}; it takes an object with priorities or the function order.`]
      const { order, priorities } = given
      return [
        ...unknownIn("routing", given, ["priorities", "order"]),
        ...(order === undefined ? [] : functions("routing", given, ["order"])),
        ...(priorities === undefined
          ? []
          : Predicate.isReadonlyObject(priorities)
            ? Object.entries(priorities).flatMap(([name, priority]) =>
                Number.isFinite(priority)
                  ? []
                  : [
                      `routing.priorities.${name} is ${formatValue(priority)}; it takes a number, a lower one going first.`
                    ]
              )
            : [`routing.priorities is ${formatValue(priorities)}; it takes an object of numbers by provider.`])
      ]
    }),
    rateBand: valid(band, (given: unknown): ReadonlyArray<string> => {
      if (given === "off") return []
      if (!Predicate.isReadonlyObject(given))
        return [`rateBand is ${formatValue(given)}; it takes "off", or an object of ${widths.join(", ")} and second.`]
      return [
        ...unknownIn("rateBand", given, [...widths, "second"]),
        ...widths
          .filter((name) => given[name] !== undefined && !isWidth(given[name]))
          .map(
            (name) =>
              `rateBand.${name} is ${formatValue(given[name])}; it takes a fraction above zero, as text, such as "0.1".`
          ),
        ...(given["second"] === undefined ? [] : ratesAt("rateBand.second", given["second"]))
      ]
    }),
    faults: found
  }
}
