/** The options of the adapter. A message names the option, and never the key. */
import { checkOptions } from "../../../engine/input/options.ts"
import { urlFault } from "../../../protocol/client.ts"
import { makeRefusing, type OneKey, type OneKeyOptions, oneKeyOptions, readOneKey } from "../company/options.ts"

const company: OneKey = {
  ...{ company: "Circle", owner: "circle", pattern: /^[\w.:+/=-]{16,400}$/, form: "PREFIX:ID:SECRET" },
  ...{ live: /^LIVE/i, test: /^(?:SAND|TEST)/i },
  homes: { live: "https://api.circle.com", test: "https://api-sandbox.circle.com" }
}

/** The networks on which USDC is served, and what Circle calls them. */
export const chains = { base: "BASE", ethereum: "ETH", solana: "SOL" } as const
export type CircleNetwork = keyof typeof chains
const allNetworks = Object.keys(chains) as ReadonlyArray<CircleNetwork>

export interface CircleOptions extends OneKeyOptions {
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
}

export interface Topic {
  readonly arn: string
  readonly region: string
  readonly sns_url: string
}

export type CircleConfig = ReturnType<typeof configOf>

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
  const { owner } = company
  checkOptions(owner, options, {
    ...oneKeyOptions,
    ...{ networks: "object?", bank_countries: "object?", notifications: "object?" }
  })
  const { bank_countries = ["US"], networks = allNetworks, notifications } = options
  const { requireEach } = makeRefusing(owner)
  const shared = readOneKey(company, options)
  requireEach("networks", networks, (one) => Object.hasOwn(chains, one), allNetworks.join(", "))
  requireEach("bank_countries", bank_countries, (one) => /^[A-Z]{2}$/.test(one), "countries such as US")
  if (notifications !== undefined)
    checkOptions(`notifications of ${owner}`, notifications, { topic_arn: "string", sns_url: "string?" })
  const topic = notifications === undefined ? undefined : topicOf(owner, notifications)
  return { ...shared, networks, bank_countries, topic }
}
