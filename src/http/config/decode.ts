/**
 * The settings of a process, decoded from environment variables and a configuration. Pure: the caller passes both.
 *
 * A variable that is set overrides the member of the configuration, so that one file serves several processes.
 */
import { Predicate } from "effect"
import { proposeNearest } from "../../engine/input/nearest.ts"
import { parsePostgresUrl } from "../../engine/input/schemas.ts"
import { currencies } from "../../engine/reference/currencies.ts"
import { isWidth } from "../../engine/settings/settings.ts"
import type { PricingPolicy, RateBand, RateSource, RateTable, RoutingPolicy } from "../../index.ts"
import type { Config } from "./config.ts"
import { listStartFaults } from "./live.ts"
import type { Env, Resolved } from "./resolve.ts"
import { environmentSetting, type Setting, makeSettings, type SettingTable, type ValuesOf } from "./settings.ts"
import { readTelemetry } from "./telemetry.ts"
import { formatValue } from "./values.ts"

// The members of a configuration that are code or tables: rates, pricing and routing.

type Members = { readonly [name: string]: unknown }

const listFunctionFaults = (path: string, given: Members, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names
    .filter((name) => typeof given[name] !== "function")
    .map((name) => `${path}.${name} is ${formatValue(given[name])}; it takes a function.`)

const listUnknownMembers = (path: string, given: Members, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  Object.keys(given)
    .filter((name) => given[name] !== undefined && !names.includes(name))
    .map((name) => {
      const proposal = proposeNearest(name, names, (near) => `\`${path}.${near}\``)
      return `\`${path}.${name}\` is not a member of the configuration.${proposal}`
    })

const decimal = /^\d{1,20}(?:\.\d{1,20})?$/
const codes: ReadonlyArray<string> = currencies.map(({ code }) => code)

const listTableFaults = (path: string, { mids, spread }: Members): ReadonlyArray<string> => [
  ...(Predicate.isReadonlyObject(mids)
    ? Object.entries(mids).flatMap(([code, rate]) => {
        if (!codes.includes(code)) {
          const proposal = proposeNearest(code, codes, (near) => `\`${path}.mids.${near}\``)
          return [`\`${path}.mids.${code}\` is not a currency.${proposal}`]
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

const listRatesFaults = (path: string, given: unknown): ReadonlyArray<string> => {
  if (!Predicate.isReadonlyObject(given))
    return [
      `${path} is ${formatValue(given)}; it takes a table of mids and spread, or an object with the functions rate and perUsd.`
    ]
  const isTable = "mids" in given || "spread" in given
  const names = isTable ? ["mids", "spread"] : ["rate", "perUsd"]
  return [
    ...(isTable ? listTableFaults(path, given) : listFunctionFaults(path, given, names)),
    // An object with functions may be of the caller's own class, with whatever else it has.
    ...(isTable ? listUnknownMembers(path, given, names) : [])
  ]
}

const widths = ["minute", "day", "cross", "between"]

/** Reads the policies that `at` returns. Each is defined only if it is valid; the faults of the others are added to `found`. */
const readPolicies = (at: (name: string) => unknown, found: Array<string>) => {
  const valid = <A>(name: string, faultsOf: (given: unknown) => ReadonlyArray<string>): A | undefined => {
    const given = at(name)
    const faults = given === undefined ? [] : faultsOf(given)
    found.push(...faults)
    return faults.length > 0 ? undefined : (given as A | undefined)
  }
  return {
    rates: valid<RateSource | RateTable>("rates", (given) => listRatesFaults("rates", given)),
    pricing: valid<PricingPolicy>("pricing", (given) =>
      Predicate.isReadonlyObject(given)
        ? listFunctionFaults("pricing", given, ["fees", "outbound"])
        : [`pricing is ${formatValue(given)}; it takes an object with the functions fees and outbound.`]
    ),
    routing: valid<Partial<RoutingPolicy>>("routing", (given) => {
      if (!Predicate.isReadonlyObject(given))
        return [`routing is ${formatValue(given)}; it takes an object with priorities or the function order.`]
      const { order, priorities } = given
      return [
        ...listUnknownMembers("routing", given, ["priorities", "order"]),
        ...(order === undefined ? [] : listFunctionFaults("routing", given, ["order"])),
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
    rate_band: valid<RateBand | "off">("rateBand", (given) => {
      if (given === "off") return []
      if (!Predicate.isReadonlyObject(given))
        return [`rateBand is ${formatValue(given)}; it takes "off", or an object of ${widths.join(", ")} and second.`]
      return [
        ...listUnknownMembers("rateBand", given, [...widths, "second"]),
        ...widths
          .filter((name) => given[name] !== undefined && !isWidth(given[name]))
          .map(
            (name) =>
              `rateBand.${name} is ${formatValue(given[name])}; it takes a fraction above zero, as text, such as "0.1".`
          ),
        ...(given["second"] === undefined ? [] : listRatesFaults("rateBand.second", given["second"]))
      ]
    })
  }
}

/** Either the settings, or one line for each fault. */
export type DecodedConfig = { readonly config: Config } | { readonly faults: ReadonlyArray<string> }

const none: Resolved = {
  source: "",
  members: {},
  providers: undefined,
  read: new Set(),
  isSecret: () => false,
  isMissing: () => false,
  faults: []
}

/** Lists a value, or the values of a list or an object. */
const listValues = (given: unknown): ReadonlyArray<unknown> =>
  Array.isArray(given) ? given : Predicate.isReadonlyObject(given) ? Object.values(given) : [given]

/** Whether a database's URL has a password. Without one, it may be a literal in the file. */
const hasPassword = (given: unknown): boolean =>
  typeof given === "string" && (parsePostgresUrl(given)?.password ?? "") !== ""

/** Makes the reader of settings from both sources, which collects their faults. */
const makeReader = (env: Env, { isMissing, isSecret, members, source }: Resolved, literals: "allowed" | "refused") => {
  const faults: Array<string> = []
  const names = new Set<string>()
  const fault = (name: string, found: string, takes: string): void =>
    void faults.push(`${name} is ${found}; it takes ${takes}.`)
  const masked = (given: unknown): string =>
    typeof given === "string" ? `a string of ${given.length} characters` : formatValue(given)

  const at = (path: string): unknown => {
    names.add(path)
    const [group = "", name] = path.split(".")
    const outer = Object.hasOwn(members, group) ? members[group] : undefined
    if (name === undefined) return outer
    return Predicate.isReadonlyObject(outer) && Object.hasOwn(outer, name) ? outer[name] : undefined
  }

  const member = <A>({ kind, member: path, secret }: Setting<A>): A | undefined => {
    const given = at(path)
    if (given === undefined || listValues(given).some(isMissing)) return undefined
    const parts = listValues(given)
    const isLiteral = !parts.every(isSecret) || parts.length === 0
    if (secret && literals === "refused" && isLiteral && (path !== "database" || parts.some(hasPassword))) {
      fault(path, "a literal", 'secret("NAME"), the name of an environment variable')
      return undefined
    }
    const read = kind.member(given)
    if (read === undefined)
      fault(path, kind.found?.(given) ?? (secret ? masked(given) : formatValue(given)), kind.takes.member)
    return read
  }

  const variable = <A>({
    kind,
    secret,
    variable: name
  }: Pick<Setting<A>, "kind" | "secret" | "variable">): A | undefined => {
    const given = env[name] ?? ""
    if (given === "") return undefined
    const read = kind.text(given)
    if (read === undefined)
      fault(name, kind.found?.(given) ?? (secret ? masked(given) : formatValue(given)), kind.takes.text)
    return read
  }

  /** The variable if it is set, otherwise the member, otherwise the default. Both are checked. */
  const read = (setting: Setting<unknown>): unknown => {
    const configured = member(setting)
    const overriding = variable(setting)
    // `null` is a value: it keeps records for ever.
    if (overriding !== undefined) return overriding
    if (configured !== undefined) return configured
    return typeof setting.unset === "string" ? setting.kind.text(setting.unset) : undefined
  }
  const readAll = <T extends SettingTable>(table: T): ValuesOf<T> =>
    Object.fromEntries(Object.entries(table).map(([name, setting]) => [name, read(setting)])) as ValuesOf<T>

  return {
    faults,
    at,
    member,
    variable,
    readAll,
    /** Reports the members that no setting has read, with the nearest name. */
    checkNames: (): void => {
      const outer = new Set([...names].map((path) => path.split(".")[0]!))
      const unknown = (path: string, name: string, known: Iterable<string>, prefix: string): void => {
        const proposal = proposeNearest(name, known, (near) => `\`${prefix}${near}\``)
        faults.push(`\`${path}\` is not a member of the configuration.${proposal}`)
      }
      for (const [group, given] of Object.entries(members)) {
        if (given === undefined) continue
        const inner = [...names].flatMap((path) => (path.startsWith(`${group}.`) ? [path.slice(group.length + 1)] : []))
        if (!outer.has(group)) unknown(group, group, [...outer, "providers"], "")
        else if (inner.length > 0 && !Predicate.isReadonlyObject(given))
          fault(group, formatValue(given), `an object of ${inner.join(", ")}`)
        else if (inner.length > 0)
          for (const [name, one] of Object.entries(given as object))
            if (one !== undefined && !inner.includes(name)) unknown(`${group}.${name}`, name, inner, `${group}.`)
      }
    },
    /** Reports a variable and a member that contradict each other. */
    checkAlike: (
      { member: path, variable: name }: Setting<unknown>,
      overriding: unknown,
      configured: unknown
    ): void => {
      if (overriding === undefined || configured === undefined || overriding === configured) return
      faults.push(
        `${name} is ${formatValue(overriding)}, but ${path} is ${formatValue(configured)} in ${source}; set only one.`
      )
    }
  }
}

/**
 * `literals`: whether secrets may stand in the configuration itself. In a file, they may not. `isServing`: whether a server is
 * to start, which has more requirements in `live`.
 */
export interface Decoding {
  readonly literals: "allowed" | "refused"
  readonly isServing: boolean
}

/**
 * Decodes the settings. An empty variable counts as unset.
 *
 * Law: each fault has one line, with the name of the variable or the path of the member, the value found and the values accepted.
 */
export const decodeConfig = (
  env: Env,
  resolved: Resolved = none,
  { isServing, literals }: Decoding = { literals: "refused", isServing: false }
): DecodedConfig => {
  const { at, checkAlike, checkNames, faults, member, readAll, variable } = makeReader(env, resolved, literals)

  const overriding = variable(environmentSetting)
  const configured = member(environmentSetting)
  checkAlike(environmentSetting, overriding, configured)
  const environment = overriding ?? configured ?? "test"

  const policyFaults: Array<string> = []
  const config: Config = {
    environment,
    ...readPolicies(at, policyFaults),
    ...readAll(makeSettings(environment)),
    telemetry: readTelemetry({ readAll, variable }),
    providers: resolved.providers
  }
  checkNames()
  const given = (name: string): boolean =>
    name === "providers" ? resolved.providers !== undefined : at(name) !== undefined
  if (environment === "live" && !given("encryptionKeys") && (env["CORRIDOR_ENCRYPTION_KEY"] ?? "") === "")
    faults.push(
      "CORRIDOR_ENCRYPTION_KEY is not set; it takes 32 bytes in base64, and is required in the live environment."
    )
  if (isServing) faults.push(...listStartFaults(config, env, given))
  const all = [...resolved.faults, ...faults, ...policyFaults]
  return all.length > 0 ? { faults: all } : { config }
}
