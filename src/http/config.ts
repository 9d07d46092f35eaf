/**
 * The settings of a process, decoded from environment variables. Pure: the caller passes the variables.
 */
import { isUrl } from "../engine/input/schemas.ts"
import { keyPrefix } from "../engine/crypto/secrets.ts"

export type Database =
  | { readonly _tag: "memory" }
  | { readonly _tag: "pglite"; readonly dir: string | null }
  | { readonly _tag: "postgres"; readonly url: string }
  | { readonly _tag: "sharded"; readonly urls: readonly [string, string, ...ReadonlyArray<string>] }

export interface Config {
  readonly host: string
  readonly port: number
  readonly database: Database
  readonly environment: "test" | "live"
  readonly api_key: string | undefined
  readonly operator_token: string | undefined
  /** Whether this process runs jobs. If false, it serves requests only. */
  readonly dispatcher: boolean
  readonly sandbox_mode: "auto" | "manual"
  readonly sandbox_delay_ms: number
  /** 0: no limit. */
  readonly rate_per_second: number
  /** The maximum numbers of concurrent requests. */
  readonly max_writes: number
  readonly max_reads: number
  /** Without a trailing slash. `undefined`: the listening address. */
  readonly public_url: string | undefined
  readonly docs_url: string | undefined
  readonly webhook_retry_seconds: ReadonlyArray<number>
  readonly webhook_timeout_ms: number
  /** In days. `null`: forever. */
  readonly keep_deliveries: number | null
  readonly keep_provider_events: number | null
  readonly keep_events: number | null
  /** 0: no limit. */
  readonly statement_timeout_ms: number
  /** The duration of the lease of a claimed job. */
  readonly lease_seconds: number
  readonly payshap: boolean
  /** The secret of provider callbacks (`whsec_…`). `undefined`: all callbacks are rejected. */
  readonly provider_secret: string | undefined
  /** 32 bytes each, in base64, the current key first. `undefined`: the fixed development key of `test`. */
  readonly encryption_keys: ReadonlyArray<string> | undefined
}

export type Env = { readonly [name: string]: string | undefined }

/** Either the settings, or one line for each invalid variable. */
export type Decoded = { readonly config: Config } | { readonly faults: ReadonlyArray<string> }

const retrySeconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]

/** Variables whose values are never included in messages. */
const secret: ReadonlySet<string> = new Set([
  "CORRIDOR_API_KEY",
  "CORRIDOR_OPERATOR_TOKEN",
  "CORRIDOR_ENCRYPTION_KEY",
  "CORRIDOR_PROVIDER_SECRET",
  "DATABASE_URL"
])

const keyOf = (value: string): string | undefined => {
  try {
    const bytes = atob(value)
    return bytes.length === 32 ? value : undefined
  } catch {
    return undefined
  }
}

const secretOf = (value: string): string | undefined => {
  if (!value.startsWith("whsec_")) return undefined
  try {
    const { length } = atob(value.slice("whsec_".length))
    return length >= 24 && length <= 64 ? value : undefined
  } catch {
    return undefined
  }
}

const databaseOf = (value: string): Database | undefined => {
  if (value === "memory:") return { _tag: "memory" }
  if (value === "pglite:memory") return { _tag: "pglite", dir: null }
  if (value.startsWith("pglite:") && value.length > "pglite:".length)
    return { _tag: "pglite", dir: value.slice("pglite:".length) }
  // A comma separates URLs only before a scheme: one URL can list several hosts.
  const urls = value.split(/\s*,\s*(?=postgres(?:ql)?:\/\/)/)
  if (!urls.every((url) => /^postgres(?:ql)?:\/\//.test(url) && URL.parse(url) !== null)) return undefined
  if (new Set(urls).size < urls.length) return undefined
  const [first = "", second, ...more] = urls
  return second === undefined ? { _tag: "postgres", url: first } : { _tag: "sharded", urls: [first, second, ...more] }
}

const urlOf = (value: string): string | undefined => {
  const url = URL.parse(value)
  return url !== null && isUrl(value, ["http:", "https:"]) && url.search === "" && url.hash === ""
    ? value.replace(/\/+$/, "")
    : undefined
}

const wholeOf =
  (minimum: number, maximum: number) =>
  (value: string): number | undefined => {
    const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN
    return number >= minimum && number <= maximum ? number : undefined
  }

/** A retention in days, with a minimum. 0: forever (`null`). */
const daysOf =
  (minimum: number) =>
  (value: string): number | null | undefined => {
    const days = wholeOf(0, 36_500)(value)
    return days === 0 ? null : days === undefined || days < minimum ? undefined : days
  }

const oneOf =
  <const A extends string>(...values: ReadonlyArray<A>) =>
  (value: string): A | undefined =>
    values.find((v) => v === value)

const delaysOf = (value: string): ReadonlyArray<number> | undefined => {
  const delays = value.split(",").map((part) => wholeOf(1, 2_592_000)(part.trim()))
  return delays.every((delay) => delay !== undefined) ? (delays as ReadonlyArray<number>) : undefined
}

/**
 * Decodes the settings. An empty variable counts as unset.
 * Law: each invalid variable has one line, with its name, its value and the accepted values.
 */
export const decodeConfig = (env: Env): Decoded => {
  const faults: Array<string> = []
  const refuse = (name: string, takes: string): void => {
    const value = env[name] ?? ""
    const found =
      value === ""
        ? "not set"
        : secret.has(name)
          ? `a string of ${value.length} characters`
          : JSON.stringify(value.slice(0, 120))
    faults.push(`${name} is ${found}; it takes ${takes}.`)
  }
  const read = <A, B>(name: string, parse: (value: string) => A | undefined, takes: string, unset: B): A | B => {
    const value = env[name]
    if (value === undefined || value === "") return unset
    const parsed = parse(value)
    if (parsed === undefined) refuse(name, takes)
    return parsed === undefined ? unset : parsed
  }

  const environment = read("CORRIDOR_ENVIRONMENT", oneOf("test", "live"), "test or live", "test")
  const api_key = read(
    "CORRIDOR_API_KEY",
    (value) =>
      value.startsWith(keyPrefix(environment)) &&
      /^[A-Za-z0-9_-]{16,128}$/.test(value.slice(keyPrefix(environment).length))
        ? value
        : undefined,
    `an API key of the ${environment} environment: ${keyPrefix(environment)} and at least 16 letters, digits, underscores or hyphens`,
    undefined
  )
  const encryption_keys = read(
    "CORRIDOR_ENCRYPTION_KEY",
    (value) => {
      const keys = value.split(",").map((part) => keyOf(part.trim()))
      return keys.every((key) => key !== undefined) ? (keys as ReadonlyArray<string>) : undefined
    },
    "32 bytes in base64, and optionally older keys after commas",
    undefined
  )
  if (environment === "live" && encryption_keys === undefined && (env["CORRIDOR_ENCRYPTION_KEY"] ?? "") === "") {
    refuse("CORRIDOR_ENCRYPTION_KEY", "32 bytes in base64, and is required in the live environment")
  }
  const database = read(
    "DATABASE_URL",
    databaseOf,
    "memory:, pglite:memory, pglite:DIR, or postgres://USER:PASSWORD@HOST:PORT/DATABASE, or several of the latter, separated by commas",
    { _tag: "pglite", dir: ".corridor" } as const
  )
  const config: Config = {
    host: read(
      "HOST",
      (value) => (/^[A-Za-z0-9.:_-]+$/.test(value) ? value : undefined),
      "a host name or an address to listen on",
      "127.0.0.1"
    ),
    port: read("PORT", wholeOf(0, 65_535), "a port from 0 to 65535", 8080),
    database,
    environment,
    api_key,
    operator_token: read(
      "CORRIDOR_OPERATOR_TOKEN",
      (value) => (/^[\x21-\x7e]{16,256}$/.test(value) ? value : undefined),
      "16 to 256 printable characters without spaces",
      undefined
    ),
    dispatcher: read("CORRIDOR_DISPATCHER", oneOf("on", "off"), "on or off", "on") === "on",
    sandbox_mode: read("CORRIDOR_SANDBOX_MODE", oneOf("auto", "manual"), "auto or manual", "auto"),
    sandbox_delay_ms: read(
      "CORRIDOR_SANDBOX_DELAY_MS",
      wholeOf(0, 86_400_000),
      "milliseconds from 0 to 86400000",
      1000
    ),
    rate_per_second: read(
      "CORRIDOR_RATE_LIMIT_PER_SECOND",
      wholeOf(0, 1_000_000),
      "a whole number from 0 (no limit) to 1000000",
      25
    ),
    max_writes: read("CORRIDOR_MAX_WRITES", wholeOf(1, 1_000_000), "a whole number from 1 to 1000000", 256),
    max_reads: read("CORRIDOR_MAX_READS", wholeOf(1, 1_000_000), "a whole number from 1 to 1000000", 256),
    public_url: read("CORRIDOR_PUBLIC_URL", urlOf, "an http or https URL without a query", undefined),
    docs_url: read("CORRIDOR_DOCS_URL", urlOf, "an http or https URL without a query", undefined),
    webhook_retry_seconds: read(
      "CORRIDOR_WEBHOOK_RETRY_SECONDS",
      delaysOf,
      "seconds from 1 to 2592000, separated by commas",
      retrySeconds
    ),
    webhook_timeout_ms: read(
      "CORRIDOR_WEBHOOK_TIMEOUT_MS",
      wholeOf(1, 600_000),
      "milliseconds from 1 to 600000",
      15_000
    ),
    keep_deliveries: read("CORRIDOR_KEEP_DELIVERIES_DAYS", daysOf(1), "days from 1 to 36500, or 0 (forever)", 30),
    keep_provider_events: read(
      "CORRIDOR_KEEP_PROVIDER_EVENTS_DAYS",
      daysOf(30),
      "days from 30 to 36500, or 0 (forever)",
      90
    ),
    keep_events: read("CORRIDOR_KEEP_EVENTS_DAYS", daysOf(30), "days from 30 to 36500, or 0 (forever)", null),
    statement_timeout_ms: read(
      "CORRIDOR_STATEMENT_TIMEOUT_MS",
      wholeOf(0, 600_000),
      "milliseconds from 0 (no limit) to 600000",
      10_000
    ),
    lease_seconds: read("CORRIDOR_LEASE_SECONDS", wholeOf(1, 3600), "seconds from 1 to 3600", 45),
    payshap: read("CORRIDOR_PAYSHAP", oneOf("on", "off"), "on or off", "on") === "on",
    provider_secret: read("CORRIDOR_PROVIDER_SECRET", secretOf, "whsec_ and base64 of 24 to 64 bytes", undefined),
    encryption_keys
  }
  return faults.length > 0 ? { faults } : { config }
}
