/** The options of the adapter. A message names the option, and never a key or a secret. */
import { checkOptions } from "../../../engine/input/options.ts"
import { formerlyFault } from "../../../engine/ports/provider-registry.ts"
import { listSecrets, urlFault } from "../../../protocol/client.ts"

/** The name of the level at Sumsub that verifies for a tier. */
export interface TierLevels {
  readonly tier_1: string
  readonly tier_2: string
}

export interface SumsubOptions {
  /** The app token: `sbx:…` of the sandbox, or `prd:…`. */
  readonly app_token: string
  /** The secret key of the app token. */
  readonly secret_key: string
  /** The levels of individuals and of businesses. Without those of businesses, none can be verified. */
  readonly levels: { readonly individual: TierLevels; readonly business?: TierLevels }
  /** The secret of the webhook. During a rotation: the new and the old one. Default: callbacks are not accepted, and look-ups find what they would say. */
  readonly webhook_secret?: string | ReadonlyArray<string>
  /** The algorithm that the webhook is set to. Default: `sha256`. `sha1` is not accepted. */
  readonly webhook_digest?: "sha256" | "sha512"
  /** How long a link can be opened, and a verdict counts by itself, in seconds. Default: 86,400, a day. */
  readonly link_ttl_seconds?: number
  /** The provider's name. Default: `sumsub`. */
  readonly name?: string
  /** Earlier names of the same provider: what the store has under them stays its own. An empty list: it never had one. */
  readonly formerly?: ReadonlyArray<string>
  /** Default: `https://api.sumsub.com`. HTTPS, or HTTP to a loopback address. */
  readonly url?: string
  /** The longest wait for an answer. Default: 10,000. */
  readonly timeout_ms?: number
}

export interface SumsubConfig extends Required<Omit<SumsubOptions, "formerly" | "levels" | "webhook_secret">> {
  readonly formerly: ReadonlyArray<string> | undefined
  readonly environment: "test" | "live"
  readonly levels: SumsubOptions["levels"]
  readonly webhook_secrets: ReadonlyArray<string>
}

export const tiers = ["tier_1", "tier_2"] as const

const levelFault = (levels: SumsubOptions["levels"]): string | null => {
  const types: ReadonlyArray<string> = ["individual", "business"]
  const unknown = Object.keys(levels).find((type) => !types.includes(type))
  if (unknown !== undefined) return `levels.${unknown} is for no customer; it takes ${types.join(", ")}`
  for (const [type, of] of [
    ["individual", levels.individual],
    ["business", levels.business]
  ] as const) {
    if (of === undefined && type === "business") continue
    for (const tier of tiers) {
      const level: unknown = of?.[tier]
      if (typeof level !== "string" || !/^\S(?:.{0,126}\S)?$/.test(level))
        return `levels.${type}.${tier} is no name of a level; it takes the name as the dashboard of Sumsub shows it`
    }
  }
  return null
}

const wholeFault = (option: string, value: number, most: number): string | null =>
  Number.isSafeInteger(value) && value >= 1 && value <= most
    ? null
    : `${option} is ${value}; it takes a whole number from 1 to ${most}`

/** Errors: throws `TypeError` for an option that cannot be used: its name, and what is accepted. */
export const configOf = (options: SumsubOptions): SumsubConfig => {
  const owner = "sumsub"
  checkOptions(owner, options, {
    app_token: "string",
    secret_key: "string",
    levels: "object",
    webhook_secret: "any",
    webhook_digest: ["sha256", "sha512"],
    link_ttl_seconds: "number?",
    name: "string?",
    formerly: "any",
    url: "string?",
    timeout_ms: "number?"
  })
  const { app_token, formerly, levels, link_ttl_seconds = 86_400, name = "sumsub", secret_key } = options
  const { timeout_ms = 10_000, url = "https://api.sumsub.com", webhook_digest = "sha256", webhook_secret } = options
  const webhook_secrets = webhook_secret === undefined ? [] : listSecrets(webhook_secret)
  const isSecret = (secret: unknown): boolean => typeof secret === "string" && /^[\x21-\x7e]{8,200}$/.test(secret)
  const wrong = [
    /^(?:sbx|prd):[\x21-\x7e]{8,200}$/.test(app_token) ? null : "app_token is no app token; it takes sbx:… or prd:…",
    isSecret(secret_key) ? null : "secret_key is no secret key; it takes the one that was shown with the app token",
    webhook_secret === undefined || (webhook_secrets.length > 0 && webhook_secrets.every(isSecret))
      ? null
      : "webhook_secret is no secret; it takes that of the webhook, of 8 characters or more",
    levelFault(levels),
    /^[a-z][a-z0-9_-]{0,39}$/.test(name)
      ? null
      : `name is ${JSON.stringify(name)}; it takes a lower-case letter and up to 39 letters, digits, - or _`,
    formerlyFault({ name, formerly }) ?? null,
    urlFault(url),
    wholeFault("link_ttl_seconds", link_ttl_seconds, 30 * 86_400),
    wholeFault("timeout_ms", timeout_ms, 25_000)
  ].find((fault) => fault !== null)
  if (wrong !== undefined) throw new TypeError(`${owner}: ${wrong}`)
  return {
    name,
    formerly,
    environment: app_token.startsWith("sbx:") ? "test" : "live",
    app_token,
    secret_key,
    levels,
    webhook_secrets,
    webhook_digest,
    link_ttl_seconds,
    url: url.replace(/\/+$/, ""),
    timeout_ms
  }
}
