/** The options of the adapter. A message names the option, and never a secret. */
import { checkOptions } from "../../../engine/input/options.ts"
import { formerlyFault } from "../../../engine/ports/provider-registry.ts"
import { listSecrets, settingsFault, urlFault } from "../../../protocol/client.ts"

export interface WatchmanOptions {
  /** The base URL of your Watchman: HTTPS, or HTTP to a loopback address. It gets names of people. */
  readonly url: string
  /** The provider's name. Default: `watchman`. */
  readonly name?: string
  /** Earlier names of the same provider: what the store has under them stays its own. An empty list: it never had one. */
  readonly formerly?: ReadonlyArray<string>
  /** The lists that must be loaded, as Watchman names them: `us_ofac`, `us_csl`, `eu_csl`, `uk_csl`, `un_csl`. Default: `us_ofac`. */
  readonly lists?: ReadonlyArray<string>
  /** The oldest refresh of the lists that clears anybody, in hours. Default: 48. */
  readonly max_age_hours?: number
  /** From which match on a beneficiary is held: 0.5 to 1. Default: 0.85. */
  readonly possible_match?: number
  /** From which match on `on_strong_match` applies: `possible_match` to 1. Default: 0.95. */
  readonly strong_match?: number
  /** What a strong match does: `refused` blocks the beneficiary, `held` waits for a person. A listed address is always refused. Default: `refused`. */
  readonly on_strong_match?: "refused" | "held"
  /**
   * Whether your Watchman compares names across scripts (its embeddings are on). Without it, a name with letters that are not Latin has
   * no match on a list in Latin letters, and is held. Default: false.
   */
  readonly cross_script?: boolean
  /** The secret of your desk, `whsec_…`: it sends decisions on what is held. During a rotation: the new and the old one. Default: nobody decides. */
  readonly desk_secret?: string | ReadonlyArray<string>
  /** The longest wait for an answer. Default: 5,000. */
  readonly timeout_ms?: number
  /** The pause between two looks at the lists. Default: 60,000. */
  readonly events_interval_ms?: number
}

export interface WatchmanConfig extends Required<Omit<WatchmanOptions, "formerly" | "desk_secret">> {
  readonly formerly: ReadonlyArray<string> | undefined
  readonly desk_secrets: ReadonlyArray<string>
}

/** Describes the fault of a number option, with its bounds. Null: it is valid. */
const findNumberFault = (option: string, value: number, least: number, most: number): string | null =>
  value >= least && value <= most ? null : `${option} is ${value}; it takes ${least} to ${most}`

/**
 * Checks the options, and makes the configuration from them. Errors: throws `TypeError` for an option that cannot be used: its
 * name, and what is accepted.
 */
export const resolveConfig = (options: WatchmanOptions): WatchmanConfig => {
  const owner = "watchman"
  checkOptions(owner, options, {
    url: "string",
    name: "string?",
    formerly: "any",
    lists: "object?",
    max_age_hours: "number?",
    possible_match: "number?",
    strong_match: "number?",
    on_strong_match: ["refused", "held"],
    cross_script: "boolean?",
    desk_secret: "any",
    timeout_ms: "number?",
    events_interval_ms: "number?"
  })
  const { cross_script = false, desk_secret, formerly, lists = ["us_ofac"], name = "watchman", url } = options
  const { events_interval_ms = 60_000, max_age_hours = 48, on_strong_match = "refused", timeout_ms = 5000 } = options
  const { possible_match = 0.85, strong_match = 0.95 } = options
  const desk_secrets = desk_secret === undefined ? [] : listSecrets(desk_secret)
  const isList = (list: unknown): boolean => typeof list === "string" && /^[a-z][a-z0-9_-]{0,63}$/.test(list)
  const wrong = [
    /^[a-z][a-z0-9_-]{0,39}$/.test(name)
      ? null
      : `name is ${JSON.stringify(name)}; it takes a lower-case letter and up to 39 letters, digits, - or _`,
    formerlyFault({ name, formerly }) ?? null,
    desk_secret === undefined ? urlFault(url) : settingsFault({ url, secrets: desk_secrets }),
    Array.isArray(lists) && lists.length > 0 && lists.every(isList)
      ? null
      : "lists has no list, or one that is no name; it takes names such as us_ofac",
    findNumberFault("max_age_hours", max_age_hours, 1, 24 * 31),
    findNumberFault("possible_match", possible_match, 0.5, 1),
    findNumberFault("strong_match", strong_match, possible_match, 1),
    Number.isSafeInteger(timeout_ms)
      ? findNumberFault("timeout_ms", timeout_ms, 1, 10_000)
      : "timeout_ms takes whole ms",
    Number.isSafeInteger(events_interval_ms)
      ? findNumberFault("events_interval_ms", events_interval_ms, 1, 86_400_000)
      : "events_interval_ms takes whole ms"
  ].find((fault) => fault !== null)
  if (wrong !== undefined) throw new TypeError(`${owner}: ${wrong}`)
  return {
    name,
    formerly,
    url: url.replace(/\/+$/, ""),
    lists,
    max_age_hours,
    possible_match,
    strong_match,
    on_strong_match,
    cross_script,
    desk_secrets,
    timeout_ms,
    events_interval_ms
  }
}
