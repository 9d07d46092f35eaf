/** The options of the adapter. A message names the option, and never the key. */
import { checkOptions } from "../../../engine/input/options.ts"
import { makeRefusing, type OneKey, type OneKeyOptions, oneKeyOptions, readOneKey } from "../company/options.ts"
import { readTopic, type TopicOptions } from "../company/sns.ts"

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
  readonly notifications?: TopicOptions
}

export type CircleConfig = ReturnType<typeof configOf>

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
  const topic = notifications === undefined ? undefined : readTopic(owner, notifications)
  return { ...shared, networks, bank_countries, topic }
}
