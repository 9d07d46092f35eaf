/** A server whose merchant has something of everything, and a second merchant who must never see any of it. */
import { type Answer, type Api, operatorToken, type Options, startApi, type EnvironmentOptions } from "./server.ts"
import { watchWrites } from "../stores/watched.ts"

export const evm = "0x52908400098527886E0F7030069857D2E4169EE7"
export const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
/** An address whose screening waits to be asked for (BENEFICIARY-6). */
export const unscreened = "0x000000000000000000000000000000000000dead"

/** An id of the right form that nobody has. */
export const unknown = (prefix: string): string => `${prefix}_00000000000000000000000000`

export interface Stock {
  readonly api: Api
  /** Everything committed so far but answers kept under their keys. */
  readonly effects: ReadonlyArray<string>
  readonly keys: { readonly viewer: string; readonly developer: string; readonly other: string }
  readonly other_merchant_id: string
  readonly default_customer: string
  readonly customer: string
  /** A customer whose verification is under way. */
  readonly verified: string
  readonly verification: string
  readonly bank: string
  readonly fnb: string
  /** USDC of the default customer: 1000 in one, nothing in the other. */
  readonly wallet: string
  readonly empty: string
  /** USDC of `customer`, and a wallet of Nigerian naira. */
  readonly customer_wallet: string
  readonly naira: string
  /** USDT of the default customer, which USDC can be converted into without a credential. */
  readonly tether: string
  /** On solana, as wallets without a credential are; on base; in USDT; waiting for screening; of `customer`. */
  readonly crypto: string
  readonly crypto_on_base: string
  readonly crypto_usdt: string
  readonly crypto_pending: string
  readonly crypto_of_customer: string
  readonly fiat: string
  readonly fiat_of_customer: string
  readonly sender: string
  /** Executed, and of the same terms still active. */
  readonly executed: string
  readonly offramp: string
  readonly transfer: string
  readonly transaction: string
  readonly address: string
  readonly frozen: string
  readonly disabled: string
  readonly inactive: string
  readonly active: string
  readonly event: string
  /** Makes a call that has to succeed, and gives its data. */
  readonly make: (path: string, body: unknown, options?: Options) => Promise<any>
  readonly operate: (path: string, options?: Options) => Promise<Answer>
  readonly settle: () => Promise<void>
  readonly quote: (more?: object) => Promise<any>
}

export interface StockOptions extends EnvironmentOptions {
  readonly rate_per_second?: number
}

export const startStocked = async ({ rate_per_second = 0, ...options }: StockOptions = {}): Promise<Stock> => {
  const effects: Array<string> = []
  return stockOf(await startApi({ rate_per_second }, watchWrites({ effects }), options), effects)
}

/** What can be asked of a server, whoever keeps it. */
export const callsOf = (
  api: Api
): Pick<Stock, "make" | "operate" | "settle"> & { readonly read: (path: string) => Promise<any> } => {
  const fine = async (answer: Promise<Answer>): Promise<any> => {
    const { json, status, text } = await answer
    if (status !== 200) throw new Error(`a call of the stock was refused: ${text}`)
    return json.data
  }
  const make: Stock["make"] = (path, body, more = {}) => fine(api.ask(path, { method: "POST", body, ...more }))
  const read = (path: string): Promise<any> => fine(api.ask(path))
  const operate: Stock["operate"] = (path, more = {}) => api.ask(path, { ...more, key: operatorToken })
  const settle = async (): Promise<void> => void (await make("/sandbox/settle", {}))
  return { make, read, operate, settle }
}

const quoting =
  (make: Stock["make"], wallet_id: string, beneficiary_id: string): Stock["quote"] =>
  (more = {}) =>
    make("/v1/offramps/quotes", { wallet_id, beneficiary_id, source_amount: "100", ...more })

/** The same stock, asked of another server over the same store. */
export const stockAt = (api: Api, stock: Stock): Stock => {
  const { make, operate, settle } = callsOf(api)
  return { ...stock, api, make, operate, settle, quote: quoting(make, stock.wallet, stock.fiat) }
}

/** Gives a server's merchant something of everything. */
export const stockOf = async (api: Api, effects: ReadonlyArray<string> = []): Promise<Stock> => {
  const { make, read, operate, settle } = callsOf(api)
  const keyOf = async (role: string): Promise<string> => (await make("/v1/api-keys", { role })).secret

  const other = await make(
    "/operator/v1/merchants",
    { name: "Other", country_code: "GH", status: "active" },
    { key: operatorToken }
  )
  const customer = (
    await make("/v1/customers", { type: "individual", name: "Ada Obi", email: "ada@example.com", country_code: "NG" })
  ).id
  const verified = (
    await make("/v1/customers", { type: "individual", name: "Bisi", email: "bisi@example.com", country_code: "NG" })
  ).id
  const verification = (await make(`/v1/customers/${verified}/verifications`, {})).id
  const me = (await read("/v1/customers?type=business"))[0]
  const [banks, southAfrican] = [
    await read("/v1/providers?country_code=NG"),
    await read("/v1/providers?country_code=ZA")
  ]
  const wallet = async (body: object): Promise<string> => (await make("/v1/wallets", body)).id
  const usdc = await wallet({ currency: "USDC", label: "treasury" })
  const customer_wallet = await wallet({ currency: "USDC", customer_id: customer })
  const paid = async (details: object, more: object = {}): Promise<string> =>
    (await make("/v1/beneficiaries", { type: "crypto", name: "Treasury", currency: "USDC", details, ...more })).id
  const naira = { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: banks[0].id }
  const bankAccount = { type: "fiat", name: "Ada Obi", currency: "NGN" }
  const crypto = await paid({ network: "solana", address: solana })
  const fiat = await paid(naira, bankAccount)
  await make("/sandbox/deposits", { wallet_id: usdc, amount: "1000" })
  const quote = quoting(make, usdc, fiat)
  const hook = async (): Promise<string> =>
    (await make("/v1/notifications/webhooks", { url: "http://127.0.0.1:9/hook" })).id
  const [inactive, active] = [await hook(), await hook()]
  await make(`/v1/notifications/webhooks/${active}`, { active: true }, { method: "PATCH" })
  const { id: executed } = await quote()
  const { id: offramp } = await make("/v1/offramps", { quote_id: executed, reference: "stock-offramp" })
  const { id: transfer } = await make("/v1/transfers", {
    wallet_id: usdc,
    beneficiary_id: crypto,
    amount: "10",
    reference: "stock-transfer"
  })
  const addressOf = async (): Promise<string> =>
    (await make(`/v1/wallets/${usdc}/deposit-addresses`, { network: "base" })).id
  const [address, frozen, disabled] = [await addressOf(), await addressOf(), await addressOf()]
  await settle()
  await make(`/operator/v1/deposit-addresses/${frozen}/freeze`, {}, { key: operatorToken })
  await make(`/v1/wallets/${usdc}/deposit-addresses/${disabled}`, undefined, { method: "DELETE" })
  return {
    api,
    effects,
    keys: { viewer: await keyOf("viewer"), developer: await keyOf("developer"), other: other.api_key.secret },
    other_merchant_id: other.merchant.id,
    default_customer: me.id,
    customer,
    verified,
    verification,
    bank: banks[0].id,
    fnb: southAfrican.find((bank: any) => bank.name.includes("FNB") || bank.name.includes("First National")).id,
    wallet: usdc,
    empty: await wallet({ currency: "USDC" }),
    customer_wallet,
    naira: await wallet({ currency: "NGN" }),
    tether: await wallet({ currency: "USDT" }),
    crypto,
    crypto_on_base: await paid({ network: "base", address: evm }),
    crypto_usdt: await paid({ network: "solana", address: solana }, { currency: "USDT" }),
    crypto_pending: await paid({ network: "base", address: unscreened }),
    crypto_of_customer: await paid({ network: "solana", address: solana }, { customer_id: customer }),
    fiat,
    sender: (await make("/v1/senders", { type: "business", name: "Amara Ltd", country_code: "GB" })).id,
    fiat_of_customer: await paid(naira, { ...bankAccount, customer_id: customer }),
    executed,
    offramp,
    transfer,
    transaction: (await read("/v1/transactions?type=transfer"))[0].id,
    address,
    frozen,
    disabled,
    inactive,
    active,
    event: (await read("/v1/notifications/events"))[0].event_id,
    make,
    operate,
    settle,
    quote
  }
}
