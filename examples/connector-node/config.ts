/** The settings, all from environment variables. The README of this folder lists them. */
import { readFileSync } from "node:fs"

/** One service in the manifest. An absent member means: all of them. Amounts are decimal strings in `currency`. */
export interface Offer {
  readonly operation:
    | "payout"
    | "conversion"
    | "payin"
    | "issue"
    | "directory"
    | "screening"
    | "verification"
    | "statements"
    | "rates"
  readonly currency?: string
  readonly destination_currency?: string
  readonly country_code?: string
  readonly network?: string
  readonly minimum?: string
  readonly maximum?: string
  readonly cost?: { readonly fixed: string; readonly share: string }
}

export interface Config {
  readonly host: string
  readonly port: number
  /** One or more `whsec_…`: all sign, each is accepted. */
  readonly secrets: ReadonlyArray<string>
  readonly database: string
  readonly delay_ms: number
  readonly offers: ReadonlyArray<Offer>
  /** What the platform has at the bank when the database is created, by currency. */
  readonly balances: Readonly<Record<string, string>>
  /** Units of each currency for one USD. */
  readonly rates: Readonly<Record<string, string>>
  /** Where callbacks go. Undefined: no callbacks. */
  readonly events_url: string | undefined
  /** The wait before a callback is repeated. It doubles each time, up to a minute. */
  readonly retry_ms: number
  /** Undefined: no admin interface. */
  readonly admin_token: string | undefined
  /** Where customers reach this server. Undefined: where it listens. */
  readonly public_url: string | undefined
}

/** A fault of the settings, one line for each. */
export class ConfigFault extends Error {}

const defaults = JSON.parse(readFileSync(new URL("defaults.json", import.meta.url), "utf8")) as {
  readonly offers: ReadonlyArray<Offer>
  readonly balances: Readonly<Record<string, string>>
  readonly rates: Readonly<Record<string, string>>
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const isSecret = (text: string): boolean => {
  const { length } = Buffer.from(text.slice("whsec_".length), "base64")
  return /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(text) && length >= 24 && length <= 64
}

/** Decimal strings by currency. */
export const isAmounts = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((one) => typeof one === "string" && /^\d+(?:\.\d+)?$/.test(one))

/** Errors: throws {@link ConfigFault} that names each variable at fault, what was found, and what is taken. */
export const configFrom = (env: Readonly<Record<string, string | undefined>>): Config => {
  const faults: Array<string> = []
  const given = (name: string): string | undefined => (env[name] === "" ? undefined : env[name])

  const whole = (name: string, otherwise: number, most: number): number => {
    const text = given(name) ?? String(otherwise)
    if (!/^\d{1,9}$/.test(text) || Number(text) > most)
      faults.push(`${name}: found ${JSON.stringify(text)}; a whole number from 0 to ${most} is taken`)
    return Number(text)
  }
  const json = <T>(name: string, otherwise: T, what: string, isValid: (value: unknown) => boolean): T => {
    const text = given(name)
    if (text === undefined) return otherwise
    try {
      const value: unknown = JSON.parse(text)
      if (isValid(value)) return value as T
    } catch {
      // Not JSON: the same line says so.
    }
    faults.push(`${name}: found ${JSON.stringify(text)}; ${what} is taken`)
    return otherwise
  }
  const secrets = (given("CONNECTOR_SECRET") ?? "").split(" ")
  if (!secrets.every(isSecret))
    faults.push(
      "CONNECTOR_SECRET: whsec_ and 24 to 64 bytes in base64 are taken; two secrets, separated by a space, in a rotation"
    )

  const config: Config = {
    host: given("HOST") ?? "127.0.0.1",
    port: whole("PORT", 4100, 65_535),
    secrets,
    database: given("CONNECTOR_DATABASE") ?? "connector.sqlite",
    delay_ms: whole("CONNECTOR_DELAY_MS", 2_000, 999_999_999),
    offers: json(
      "CONNECTOR_OFFERS",
      defaults.offers,
      'a JSON array such as [{"operation":"payout","currency":"NGN"}]',
      (value) => Array.isArray(value) && value.every((one) => isObject(one) && "operation" in one)
    ),
    balances: json("CONNECTOR_BALANCES", defaults.balances, 'a JSON object such as {"NGN":"5000.00"}', isAmounts),
    rates: json("CONNECTOR_RATES", defaults.rates, 'a JSON object such as {"NGN":"1500.25"}', isAmounts),
    events_url: given("CONNECTOR_EVENTS_URL"),
    retry_ms: whole("CONNECTOR_RETRY_MS", 1_000, 60_000),
    admin_token: given("CONNECTOR_ADMIN_TOKEN"),
    public_url: given("CONNECTOR_PUBLIC_URL")
  }
  if (config.events_url !== undefined && !URL.canParse(config.events_url))
    faults.push(`CONNECTOR_EVENTS_URL: found ${JSON.stringify(config.events_url)}; an absolute URL is taken`)
  if (faults.length > 0) throw new ConfigFault(faults.join("\n"))
  return config
}
