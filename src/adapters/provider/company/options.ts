/** The options that every connector of a company has. A message names the option, and never a key. */
import { formerlyFault } from "../../../engine/ports/provider-registry.ts"
import { urlFault } from "../../../protocol/client.ts"

export interface CompanyConnectorOptions {
  /** The provider's name. Default: that of the company. */
  readonly name?: string
  /** Earlier names of the same provider: what the store has under them stays its own. An empty list: it never had one. */
  readonly formerly?: ReadonlyArray<string>
  /** Where the company is reached. HTTPS, or HTTP to a loopback address. Default: its own address. */
  readonly url?: string
  /** The longest wait for an answer. Default: 15,000. */
  readonly timeout_ms?: number
  /** How long a payment that the company does not know may still be in its queue. Default and least: 1,800,000, half an hour. */
  readonly grace_ms?: number
  /** The pause between two looks at what is open. Default: 30,000. */
  readonly events_interval_ms?: number
}

/** Their kinds, as `checkOptions` takes them. */
export const sharedOptions = {
  name: "string?",
  formerly: "any",
  url: "string?",
  timeout_ms: "number?",
  grace_ms: "number?",
  events_interval_ms: "number?"
} as const

export const leastGraceMs = 30 * 60_000

/** Errors: throws `TypeError` for one that cannot be used. `owner`: the company, which is the name by default. */
export const readShared = (owner: string, options: CompanyConnectorOptions, home: string) => {
  const { events_interval_ms = 30_000, formerly, grace_ms = leastGraceMs, name = owner } = options
  const { timeout_ms = 15_000, url = home } = options
  if (!/^[a-z][a-z0-9_-]{0,39}$/.test(name))
    throw new TypeError(
      `${owner}: name is ${JSON.stringify(name)}; it takes a lower-case letter and up to 39 letters, digits, - or _`
    )
  const wrong = formerlyFault({ name, formerly }) ?? urlFault(url)
  if (wrong !== undefined && wrong !== null) throw new TypeError(`${owner}: ${wrong}`)
  for (const [option, value, least] of [
    ["timeout_ms", timeout_ms, 1],
    ["grace_ms", grace_ms, leastGraceMs],
    ["events_interval_ms", events_interval_ms, 1]
  ] as const)
    if (!Number.isSafeInteger(value) || value < least)
      throw new TypeError(`${owner}: ${option} is ${value}; it takes whole milliseconds, at least ${least}`)
  return { name, formerly, url: url.replace(/\/+$/, ""), timeout_ms, grace_ms, events_interval_ms }
}

/** Refuses an option. Errors: throws `TypeError`. */
export const makeRefusing = (owner: string) => {
  const refuse = (sentence: string): never => {
    throw new TypeError(`${owner}: ${sentence}`)
  }
  return {
    refuse,
    /** Refuses an option that has a value which is not taken. */
    requireEach: <A>(option: string, values: ReadonlyArray<A>, isTaken: (one: A) => boolean, takes: string): void => {
      const at = values.findIndex((one) => !isTaken(one))
      if (at !== -1) refuse(`${option} has ${JSON.stringify(values[at]) ?? "undefined"}; it takes ${takes}`)
    }
  }
}

/** A company that has one key. `owner`: what messages call it, and the name by default. `live`, `test`: what a key of the mode begins with. */
export interface OneKey {
  readonly company: string
  readonly owner: string
  readonly homes: { readonly live: string; readonly test: string }
  readonly pattern: RegExp
  /** What its key looks like. */
  readonly form: string
  readonly live: RegExp
  readonly test: RegExp
}

export interface OneKeyOptions extends CompanyConnectorOptions {
  /** Where the key works: `test` is the company's sandbox, whose money is worth nothing. */
  readonly environment: "test" | "live"
  /** The API key, of the company's dashboard. */
  readonly key: string
}

/** Their kinds, as `checkOptions` takes them. */
export const oneKeyOptions = { ...sharedOptions, environment: ["test", "live"], key: "string" } as const

/** What every company with one key takes: the mode that the key says must be that of the provider. Errors: throws `TypeError`. */
export const readOneKey = ({ company, form, homes, owner, pattern, ...modes }: OneKey, options: OneKeyOptions) => {
  const { environment, key } = options
  const shared = readShared(owner, options, homes[environment === "live" ? "live" : "test"])
  const { refuse } = makeRefusing(owner)
  if (!pattern.test(key)) refuse(`key is no API key of ${company}; it takes ${form}`)
  if (environment === undefined) refuse("environment is not set; it takes test or live")
  const mode = modes.live.test(key) ? "live" : modes.test.test(key) ? "test" : environment
  if (mode !== environment) refuse(`key is one of ${mode}, and environment is ${environment}`)
  return { ...shared, environment, key }
}
