/**
 * The kinds of setting: how a value is read from the text of an environment variable, and from a member of a configuration.
 * A reader returns `undefined` for a value that the kind does not take.
 */
import { Predicate } from "effect"
import { keyPrefix } from "../../engine/crypto/secrets.ts"
import { decodeBase64, parseEncryptionKey } from "../../engine/crypto/signing.ts"
import { isBaseUrl, parsePostgresUrl } from "../../engine/input/schemas.ts"
import { cellsMax } from "../../engine/ports/Storage.ts"

const nouns: Readonly<Record<string, string>> = { function: "a function", object: "an object", symbol: "a symbol" }

/** Formats a value for a message. A list or an object may contain secrets, so only its kind is shown; a URL is shown without credentials. */
export const formatValue = (value: unknown): string => {
  if (value === undefined) return "not set"
  if (typeof value === "string") return JSON.stringify(value.replace(/:\/\/[^/?#]*@/, "://…@").slice(0, 120))
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : `a list of ${value.length}`
  return value === null ? "null" : (nouns[typeof value] ?? String(value))
}

/** `takes` completes "it takes …": for a variable, and for a member. */
export interface SettingKind<A> {
  /** The type of a member, as TypeScript writes it. */
  readonly type: string
  readonly takes: { readonly text: string; readonly member: string }
  readonly text: (value: string) => A | undefined
  readonly member: (value: unknown) => A | undefined
  /** What is wrong with a value, where that may be shown: completes "it is …". */
  readonly found?: (value: unknown) => string | undefined
}

export type Database =
  | { readonly _tag: "memory" }
  | { readonly _tag: "pglite"; readonly dir: string | null }
  | { readonly _tag: "postgres"; readonly url: string }
  /** Its URL is without `cells`. */
  | { readonly _tag: "cells"; readonly url: string; readonly cells: number }

/** Makes a kind of setting whose member is the same text as its variable. */
const makeTextKind = <A>(takes: string, text: (value: string) => A | undefined, type = "string"): SettingKind<A> => ({
  type,
  takes: { text: takes, member: takes },
  text,
  member: (value) => (typeof value === "string" ? text(value) : undefined)
})

const isIntegerWithin = (value: unknown, minimum: number, maximum: number): value is number =>
  Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum

const parseInteger = (text: string): number => (/^\d{1,10}$/.test(text) ? Number(text) : Number.NaN)

/** A kind of setting that is a whole number. `takes` may have `%`, for the range. */
export const whole = (minimum: number, maximum: number, takes: string): SettingKind<number> => ({
  type: "number",
  takes: { text: takes, member: takes },
  text: (value) => {
    const number = parseInteger(value)
    return isIntegerWithin(number, minimum, maximum) ? number : undefined
  },
  member: (value) => (isIntegerWithin(value, minimum, maximum) ? value : undefined)
})

/** A kind of setting that is a retention in days, with a minimum. As text, 0 means forever; as a member, null does. */
export const days = (minimum: number): SettingKind<number | null> => ({
  type: "number | null",
  takes: {
    text: `days from ${minimum} to 36500, or 0 (forever)`,
    member: `days from ${minimum} to 36500, or null (forever)`
  },
  text: (value) => {
    const number = parseInteger(value)
    return number === 0 ? null : isIntegerWithin(number, minimum, 36_500) ? number : undefined
  },
  member: (value) => (value === null || isIntegerWithin(value, minimum, 36_500) ? value : undefined)
})

const formatUnion = (texts: ReadonlyArray<string>): string => texts.map((text) => JSON.stringify(text)).join(" | ")

export const oneOf = <const A extends string>(...values: readonly [A, A, ...ReadonlyArray<A>]): SettingKind<A> =>
  makeTextKind(
    `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`,
    (text) => values.find((one) => one === text),
    formatUnion(values)
  )

const boolean = (on: string, off: string): SettingKind<boolean> => ({
  type: "boolean",
  takes: { text: `${on} or ${off}`, member: "true or false" },
  text: (value) => (value === on ? true : value === off ? false : undefined),
  member: (value) => (typeof value === "boolean" ? value : undefined)
})

const lowerCase = boolean("true", "false")
/** The Boolean of OpenTelemetry's variables. */
export const truth: SettingKind<boolean> = { ...lowerCase, text: (value) => lowerCase.text(value.toLowerCase()) }

export const exporter = boolean("otlp", "none")

const nameOfLevel = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error",
  fatal: "Fatal",
  none: "None"
} as const
const logLevels = Object.keys(nameOfLevel) as ReadonlyArray<keyof typeof nameOfLevel>

export const logLevel: SettingKind<(typeof nameOfLevel)[keyof typeof nameOfLevel]> = makeTextKind(
  `${logLevels.slice(0, -1).join(", ")} or ${logLevels.at(-1)}`,
  (value) => {
    const level = logLevels.find((one) => one === value)
    return level === undefined ? undefined : nameOfLevel[level]
  },
  formatUnion(logLevels)
)

export const share: SettingKind<number> = {
  type: "number",
  takes: { text: "a number from 0 to 1", member: "a number from 0 to 1" },
  text: (value) => (/^(?:0|1|0?\.\d{1,15}|0\.\d{1,15}|1\.0+)$/.test(value) ? Number(value) : undefined),
  member: (value) => (typeof value === "number" && value >= 0 && value <= 1 ? value : undefined)
}

/** Names with a text each, as in `OTEL_RESOURCE_ATTRIBUTES`: a list of `name=text`, percent-encoded. */
export const pairs: SettingKind<Readonly<Record<string, string>>> = {
  type: "Readonly<Record<string, string>>",
  takes: { text: "name=text, separated by commas, percent-encoded", member: "an object of texts" },
  text: (value) => {
    try {
      const found = value.split(",").map((pair) => /^\s*([^=\s]+)\s*=(.*)$/.exec(pair))
      if (found.includes(null)) return undefined
      return Object.fromEntries(found.map((one) => [decodeURIComponent(one![1]!), decodeURIComponent(one![2]!.trim())]))
    } catch {
      return undefined
    }
  },
  member: (value) =>
    Predicate.isReadonlyObject(value) && Object.values(value).every((one) => typeof one === "string")
      ? (value as Readonly<Record<string, string>>)
      : undefined
}

export const name = makeTextKind("a text of 1 to 255 characters", (value) =>
  value.length > 0 && value.length <= 255 ? value : undefined
)

export const flag = boolean("on", "off")

const delayMax = 2_592_000

export const delays: SettingKind<ReadonlyArray<number>> = {
  type: "ReadonlyArray<number>",
  takes: {
    text: `seconds from 1 to ${delayMax}, separated by commas`,
    member: `a list of seconds from 1 to ${delayMax}`
  },
  text: (value) => {
    const found = value.split(",").map((part) => parseInteger(part.trim()))
    return found.every((delay) => isIntegerWithin(delay, 1, delayMax)) ? found : undefined
  },
  member: (value) =>
    Array.isArray(value) && value.length > 0 && value.every((delay) => isIntegerWithin(delay, 1, delayMax))
      ? value
      : undefined
}

export const host = makeTextKind("a host name or an address to listen on", (value) =>
  /^[A-Za-z0-9.:_-]+$/.test(value) ? value : undefined
)

/** Makes a kind of setting that is a URL without credentials: `fetch` rejects a URL that has them, and a link would show them. */
const makeUrlKind = (read: (value: string) => string): SettingKind<string> =>
  makeTextKind("an http or https URL without credentials and a query", (value) =>
    isBaseUrl(value) ? read(value) : undefined
  )

/** A URL to which paths are appended. */
export const url = makeUrlKind((value) => value.replace(/\/+$/, ""))

export const wholeUrl = makeUrlKind((value) => value)

/** A kind of setting that must not be set. `instead`: what to do. */
export const nothing = (instead: string): SettingKind<never> => ({
  ...makeTextKind(`no value: ${instead}`, () => undefined),
  found: () => "set"
})

const readCellCounts = (url: string): ReadonlyArray<string> => parsePostgresUrl(url)?.searchParams.getAll("cells") ?? []

const parseDatabase = (value: string): Database | undefined => {
  if (value === "memory:") return { _tag: "memory" }
  if (value === "pglite:memory") return { _tag: "pglite", dir: null }
  if (value.startsWith("pglite:") && value.length > "pglite:".length)
    return { _tag: "pglite", dir: value.slice("pglite:".length) }
  if (parsePostgresUrl(value) === undefined) return undefined
  const [cells, again] = readCellCounts(value)
  if (cells === undefined) return { _tag: "postgres", url: value }
  if (again !== undefined || !isIntegerWithin(parseInteger(cells), 1, cellsMax)) return undefined
  // The URL as the driver takes it.
  return {
    _tag: "cells",
    url: value.replace(/([?&])cells=[^&#]*&?/, "$1").replace(/[?&](?=#|$)/, ""),
    cells: parseInteger(cells)
  }
}

export const database: SettingKind<Database> = {
  ...makeTextKind(
    `memory:, pglite:memory, pglite:DIR, or postgres://USER:PASSWORD@HOST:PORT/DATABASE, a single one, with ?cells=N from 1 to ${cellsMax} if it has cells`,
    parseDatabase
  ),
  found: (value) => {
    if (typeof value !== "string") return undefined
    // A comma separates URLs only before a scheme: one URL can list several hosts.
    const count = value.split(/,\s*(?=postgres(?:ql)?:\/\/)/).length
    if (count > 1) return `a list of ${count}`
    const given = readCellCounts(value)
    return given.length === 0
      ? undefined
      : `a URL with ${given.map((one) => `cells=${one.slice(0, 20)}`).join(" and ")}`
  }
}

export const apiKey = (environment: "test" | "live"): SettingKind<string> => {
  const prefix = keyPrefix(environment)
  return makeTextKind(
    `an API key of the ${environment} environment: ${prefix} and at least 16 letters, digits, underscores or hyphens`,
    (value) =>
      value.startsWith(prefix) && /^[A-Za-z0-9_-]{16,128}$/.test(value.slice(prefix.length)) ? value : undefined
  )
}

const isBearerToken = (value: string): boolean => /^[\x21-\x7e]{16,256}$/.test(value)

/** A bearer token that the operator chooses. */
export const bearerToken = makeTextKind("16 to 256 printable characters without spaces", (value) =>
  isBearerToken(value) ? value : undefined
)

/** No token is the operators' together: what is configured ends the one that was. */
export const NO_OPERATOR_TOKEN = "off"

export const operatorToken = makeTextKind(
  `16 to 256 printable characters without spaces, or ${NO_OPERATOR_TOKEN}`,
  (value) => (value === NO_OPERATOR_TOKEN || isBearerToken(value) ? value : undefined)
)

export const callbackSecret = makeTextKind("whsec_ and base64 of 24 to 64 bytes", (value) => {
  const length = value.startsWith("whsec_") ? decodeBase64(value.slice("whsec_".length))?.length : undefined
  return length !== undefined && length >= 24 && length <= 64 ? value : undefined
})

const checkEncryptionKeys = (keys: ReadonlyArray<string>): ReadonlyArray<string> | undefined =>
  keys.length > 0 && keys.every((key) => parseEncryptionKey(key) !== undefined) ? keys : undefined

export const encryptionKeys: SettingKind<ReadonlyArray<string>> = {
  type: "ReadonlyArray<string>",
  takes: {
    text: "32 bytes in base64, and optionally older keys after commas",
    member: "a list of keys of 32 bytes in base64, the current one first"
  },
  text: (value) => checkEncryptionKeys(value.split(",").map((part) => part.trim())),
  member: (value) =>
    Array.isArray(value) && value.every((key) => typeof key === "string") ? checkEncryptionKeys(value) : undefined
}
