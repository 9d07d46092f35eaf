/** The options of the adapter. A message names the option, and never the key. */
import { checkOptions } from "../../../engine/input/options.ts"
import { formerlyFault } from "../../../engine/ports/provider-registry.ts"
import { urlFault } from "../../../protocol/client.ts"

/** The networks on which USDC is served, and what Circle calls them. */
export const chains = { base: "BASE", ethereum: "ETH", solana: "SOL" } as const
export type CircleNetwork = keyof typeof chains
const allNetworks = Object.keys(chains) as ReadonlyArray<CircleNetwork>

export interface CircleOptions {
  /** The provider's name. Default: `circle`. */
  readonly name?: string
  /** Earlier names of the same provider: what the store has under them stays its own. An empty list: it never had one. */
  readonly formerly?: ReadonlyArray<string>
  /** Where the key works: `test` is Circle's sandbox, whose USDC is worth nothing. */
  readonly environment: "test" | "live"
  /** The API key of the Mint Console. */
  readonly key: string
  /** The networks of deposit addresses and transfers. Default: `base`, `ethereum` and `solana`. */
  readonly networks?: ReadonlyArray<CircleNetwork>
  /** The countries of your linked bank accounts. Default: `US`. An empty list: nothing is redeemed to banks. */
  readonly bank_countries?: ReadonlyArray<string>
  /** Notifications. Default: none are accepted, and everything is found by looking. */
  readonly notifications?: {
    /** The ARN of the SNS topic that Circle's notifications come from. One of another topic does not count. */
    readonly topic_arn: string
    /** Where SNS is reached. Default: `https://sns.REGION.amazonaws.com`, the region being that of the topic. */
    readonly sns_url?: string
  }
  /** Default: `https://api-sandbox.circle.com` or `https://api.circle.com`. HTTPS, or HTTP to a loopback address. */
  readonly url?: string
  /** The longest wait for an answer. Default: 15,000. */
  readonly timeout_ms?: number
  /** How long a payment that Circle does not list may still be in its queue. Default and least: 1,800,000, half an hour. */
  readonly grace_ms?: number
  /** The pause between two looks at what is open. Default: 30,000. */
  readonly events_interval_ms?: number
}

export interface Topic {
  readonly arn: string
  readonly region: string
  readonly sns_url: string
}

export type CircleConfig = ReturnType<typeof configOf>

export const leastGraceMs = 30 * 60_000

const topicOf = (owner: string, { sns_url, topic_arn }: NonNullable<CircleOptions["notifications"]>): Topic => {
  const region = /^arn:aws:sns:([a-z0-9-]{1,30}):\d{12}:[\w-]{1,256}$/.exec(topic_arn)?.[1]
  if (region === undefined)
    throw new TypeError(
      `${owner}: notifications.topic_arn is ${JSON.stringify(topic_arn)}; it takes the ARN of an SNS topic, arn:aws:sns:REGION:ACCOUNT:NAME`
    )
  const url = sns_url ?? `https://sns.${region}.amazonaws.com`
  const wrong = urlFault(url)
  if (wrong !== null) throw new TypeError(`${owner}: notifications.sns_url: ${wrong}`)
  return { arn: topic_arn, region, sns_url: url.replace(/\/+$/, "") }
}

/** Errors: throws `TypeError` for an option that cannot be used: its name, and what is accepted. */
export const configOf = (options: CircleOptions) => {
  const owner = "circle"
  checkOptions(owner, options, {
    ...{ name: "string?", formerly: "any", environment: ["test", "live"], key: "string", networks: "object?" },
    ...{ bank_countries: "object?", notifications: "object?", url: "string?", timeout_ms: "number?" },
    ...{ grace_ms: "number?", events_interval_ms: "number?" }
  })
  const { environment, events_interval_ms = 30_000, formerly, grace_ms = leastGraceMs, key, name = owner } = options
  const { bank_countries = ["US"], networks = allNetworks, notifications, timeout_ms = 15_000 } = options
  const { url = environment === "live" ? "https://api.circle.com" : "https://api-sandbox.circle.com" } = options
  const refuse = (sentence: string): never => {
    throw new TypeError(`${owner}: ${sentence}`)
  }
  if (environment === undefined) refuse("environment is not set; it takes test or live")
  if (!/^[a-z][a-z0-9_-]{0,39}$/.test(name))
    refuse(`name is ${JSON.stringify(name)}; it takes a lower-case letter and up to 39 letters, digits, - or _`)
  const wrong = formerlyFault({ name, formerly }) ?? urlFault(url)
  if (wrong !== undefined && wrong !== null) refuse(wrong)
  if (!/^[\w.:+/=-]{16,400}$/.test(key)) refuse("key is no API key of Circle; it takes PREFIX:ID:SECRET")
  const mode = /^LIVE/i.test(key) ? "live" : /^(?:SAND|TEST)/i.test(key) ? "test" : environment
  if (mode !== environment) refuse(`key is one of ${mode}, and environment is ${environment}`)
  const network = networks.find((one) => !Object.hasOwn(chains, one))
  if (network !== undefined) refuse(`networks has ${JSON.stringify(network)}; it takes ${allNetworks.join(", ")}`)
  const country = bank_countries.find((one) => !/^[A-Z]{2}$/.test(one))
  if (country !== undefined) refuse(`bank_countries has ${JSON.stringify(country)}; it takes countries such as US`)
  for (const [option, value, least] of [
    ["timeout_ms", timeout_ms, 1],
    ["grace_ms", grace_ms, leastGraceMs],
    ["events_interval_ms", events_interval_ms, 1]
  ] as const)
    if (!Number.isSafeInteger(value) || value < least)
      refuse(`${option} is ${value}; it takes whole milliseconds, at least ${least}`)
  if (notifications !== undefined)
    checkOptions(`notifications of ${owner}`, notifications, { topic_arn: "string", sns_url: "string?" })
  const topic = notifications === undefined ? undefined : topicOf(owner, notifications)
  return {
    ...{ name, formerly, environment, key, networks, bank_countries, topic, url: url.replace(/\/+$/, "") },
    ...{ timeout_ms, grace_ms, events_interval_ms }
  }
}
