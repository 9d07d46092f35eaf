/** The options of the adapter. A message names the option, and never the key. */
import { createPublicKey, type KeyObject } from "node:crypto"
import { checkOptions } from "../../../engine/input/options.ts"
import { makeRefusing, type OneKey, type OneKeyOptions, oneKeyOptions, readOneKey } from "../company/options.ts"

const company: OneKey = {
  ...{ company: "Bridge", owner: "bridge", pattern: /^[\w-]{16,200}$/, form: "sk-test-… or sk-live-…" },
  ...{ live: /^sk[-_]live/i, test: /^sk[-_]test/i },
  homes: { live: "https://api.bridge.xyz/v0", test: "https://api.sandbox.bridge.xyz/v0" }
}

export const currencies = ["USD", "EUR"] as const
export type BridgeCurrency = (typeof currencies)[number]

export interface BridgeOptions extends OneKeyOptions {
  /** Bridge's id of the customer that you are there: beneficiaries' accounts are made for it, and transfers on its behalf. */
  readonly customer: string
  /** Bridge's id of its wallet, whose USDC pays. */
  readonly wallet: string
  /** What is paid out. Default: `USD` and `EUR`. EUR needs SEPA and fixed outputs, which Bridge enables for you. */
  readonly currencies?: ReadonlyArray<BridgeCurrency>
  /**
   * In which currencies accounts for pay-ins (virtual accounts) are issued. What is paid to them becomes USDC of the wallet, at Bridge's rate.
   * Default: none.
   */
  readonly payins?: ReadonlyArray<BridgeCurrency>
  /** How USD is paid. Default: `ach`. */
  readonly usd_rail?: "ach" | "wire"
  /** The banks in the US whose accounts can be paid, by routing number. Default: those that another provider lists. */
  readonly us_banks?: ReadonlyArray<{ readonly routing_number: string; readonly name: string }>
  /** What all beneficiaries are, where Bridge asks for it. Default: it is not said. */
  readonly account_owner_type?: "individual" | "business"
  /** The public key of each webhook, in PEM. Default: none are accepted, and everything is found by looking. */
  readonly webhook_keys?: ReadonlyArray<string>
}

export type BridgeConfig = ReturnType<typeof configOf>

/** Whether it is a routing number of a bank in the US: nine digits with a check digit. */
export const isRoutingNumber = (text: string): boolean =>
  /^\d{9}$/.test(text) && [...text].reduce((sum, digit, at) => sum + Number(digit) * [3, 7, 1][at % 3]!, 0) % 10 === 0

const keyIn = (owner: string, pem: string): KeyObject => {
  try {
    const key = createPublicKey(pem)
    if (key.asymmetricKeyType === "rsa") return key
  } catch {}
  throw new TypeError(`${owner}: webhook_keys has no public key of RSA in PEM`)
}

/** Errors: throws `TypeError` for an option that cannot be used: its name, and what is accepted. */
export const configOf = (options: BridgeOptions) => {
  const { owner } = company
  checkOptions(owner, options, {
    ...{ ...oneKeyOptions, customer: "string", wallet: "string", usd_rail: ["ach", "wire"] },
    ...{ currencies: "object?", payins: "object?", us_banks: "object?", webhook_keys: "object?" },
    account_owner_type: ["individual", "business"]
  })
  const { account_owner_type, customer, usd_rail = "ach", us_banks = [], wallet } = options
  const { currencies: paid = currencies, payins = [], webhook_keys = [] } = options
  const { refuse, requireEach } = makeRefusing(owner)
  const shared = readOneKey(company, options)
  for (const [option, id] of Object.entries({ customer, wallet }))
    if (!/^[\w-]{1,80}$/.test(id)) refuse(`${option} is ${JSON.stringify(id)}; it takes an id of Bridge's`)
  if (paid.length === 0) refuse('currencies has "nothing"; it takes USD and EUR')
  for (const [option, all] of Object.entries({ currencies: paid, payins }))
    requireEach(option, all, (one) => currencies.includes(one), "USD and EUR")
  const isBank = ({ name, routing_number }: (typeof us_banks)[number]): boolean =>
    typeof name === "string" && name !== "" && isRoutingNumber(routing_number)
  requireEach("us_banks", us_banks, isBank, '{ routing_number: "021000021", name: "…" }')
  const keys = webhook_keys.map((pem) => keyIn(owner, pem))
  return {
    ...{ ...shared, customer, wallet, currencies: paid, payins, usd_rail, us_banks },
    account_owner_type,
    webhook_keys: keys
  }
}
