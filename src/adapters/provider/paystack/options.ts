/** The options of the adapter. A message names the option, and never a key. */
import { checkOptions } from "../../../engine/input/options.ts"
import { listSecrets } from "../../../protocol/client.ts"
import { type CompanyConnectorOptions, readShared, sharedOptions } from "../company/options.ts"

/** What Paystack pays out, with the country of each currency, its name there, and the type of a recipient with a bank account. */
export const countries = {
  NGN: { code: "NG", name: "nigeria", recipient: "nuban", resolves: true, accounts: true },
  GHS: { code: "GH", name: "ghana", recipient: "ghipss", resolves: false, accounts: true },
  KES: { code: "KE", name: "kenya", recipient: "kepss", resolves: false, accounts: false },
  ZAR: { code: "ZA", name: "south africa", recipient: "basa", resolves: false, accounts: false }
} as const

export type PaystackCurrency = keyof typeof countries
export const currencies = Object.keys(countries) as ReadonlyArray<PaystackCurrency>

export interface PaystackOptions extends CompanyConnectorOptions {
  /**
   * The secret key of each currency, `sk_test_…` or `sk_live_…`: one integration is one country. During a rotation: the new and the old
   * one. Requests have the first; callbacks may be signed with either.
   */
  readonly keys: { readonly [C in PaystackCurrency]?: string | ReadonlyArray<string> }
  /** Accounts for pay-ins, in NGN and GHS. Default: none are issued. */
  readonly payins?: {
    /** A domain of yours. Each account has a customer at Paystack, with an address under it that nobody writes to. */
    readonly email_domain: string
    /** The bank of the accounts in a currency, as Paystack names it: `wema-bank`, and `test-bank` with a test key. Default: Paystack's choice. */
    readonly bank?: { readonly NGN?: string; readonly GHS?: string }
  }
}

export interface PaystackKey {
  readonly currency: PaystackCurrency
  readonly secrets: readonly [string, ...ReadonlyArray<string>]
}

export type PaystackConfig = ReturnType<typeof configOf>

const keyPattern = /^sk_(test|live)_[A-Za-z0-9]{8,200}$/

const keysOf = (owner: string, given: PaystackOptions["keys"]): ReadonlyArray<PaystackKey> => {
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(countries, name))
  if (unknown !== undefined)
    throw new TypeError(`${owner}: keys.${unknown} is for no currency; it takes ${currencies.join(", ")}`)
  const keys = currencies.flatMap((currency): ReadonlyArray<PaystackKey> => {
    const set = given[currency]
    if (set === undefined) return []
    const [first, ...others] = listSecrets(set)
    if (first === undefined || [first, ...others].some((one) => typeof one !== "string" || !keyPattern.test(one)))
      throw new TypeError(`${owner}: keys.${currency} is no secret key of Paystack; it takes sk_test_… or sk_live_…`)
    return [{ currency, secrets: [first, ...others] }]
  })
  if (keys.length === 0) throw new TypeError(`${owner}: keys is empty; it takes the key of at least one currency`)
  return keys
}

/** Errors: throws `TypeError` for an option that cannot be used: its name, and what is accepted. */
export const configOf = (options: PaystackOptions) => {
  const owner = "paystack"
  checkOptions(owner, options, { ...sharedOptions, keys: "object", payins: "object?" })
  const { payins } = options
  const shared = readShared(owner, options, "https://api.paystack.co")
  if (payins !== undefined) {
    checkOptions(`payins of ${owner}`, payins, { email_domain: "string", bank: "object?" })
    if (!/^(?=.{1,100}$)[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(payins.email_domain))
      throw new TypeError(
        `${owner}: payins.email_domain is ${JSON.stringify(payins.email_domain)}; it takes a domain, such as pay.example.com`
      )
  }
  const keys = keysOf(owner, options.keys)
  const modes = new Set(keys.flatMap(({ secrets }) => secrets.map((one) => keyPattern.exec(one)?.[1])))
  if (modes.size > 1) throw new TypeError(`${owner}: keys has keys of test and of live; it takes keys of one mode`)
  const environment: "test" | "live" = modes.has("live") ? "live" : "test"
  return { ...shared, environment, keys, payins }
}
