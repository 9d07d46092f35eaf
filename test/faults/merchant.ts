/** A merchant over HTTP with money, payees and an endpoint, and the movements it makes. */
import type { Answer, Ask, Client, Resource } from "./cluster.ts"

export interface Payer {
  readonly merchant_id: string
  readonly wallet_id: string
  /** In another currency, where conversions end. */
  readonly naira_id: string
  /** On a chain. */
  readonly payee_id: string
  /** Banks, by the ending of the account number. */
  readonly banks: ReadonlyMap<string, string>
  readonly funds: number
}

/** How payouts to a bank go here: at once, refused, answered too late, and told twice and backwards. */
export const endings = ["6789", "0002", "0003", "0004", "0005", "0008"] as const

const solana = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"

/** Sets the bootstrap merchant up: told of everything at `hook`, with `funds` USDC in a wallet. */
export const payerOf = async ({ data }: Client, hook: string, funds: number): Promise<Payer> => {
  const endpoint = await data("/v1/notifications/webhooks", { body: { url: hook }, key: "setup-endpoint" })
  await data(`/v1/notifications/webhooks/${endpoint.id}`, { body: { active: true }, method: "PATCH" })
  const me = await data<{ readonly merchant: Resource }>("/v1/me")
  const wallet = await data("/v1/wallets", { body: { currency: "USDC" }, key: "setup-wallet" })
  const naira = await data("/v1/wallets", { body: { currency: "NGN" }, key: "setup-naira" })
  const credential = await data(`/v1/wallets/${naira.id}/credentials`, {
    body: { type: "fiat", network: "bank" },
    key: "setup-credential"
  })
  await data(`/sandbox/credentials/${credential.id}`, { body: { outcome: "issued" } })
  await data("/sandbox/deposits", { body: { wallet_id: wallet.id, amount: `${funds}.00`, payin_id: "setup-funds" } })
  const payee = await data("/v1/beneficiaries", {
    body: { type: "crypto", name: "Ada", currency: "USDC", details: { network: "solana", address: solana } },
    key: "setup-payee"
  })
  const [bank] = await data<readonly [Resource]>("/v1/providers?country_code=NG")
  const banks = new Map<string, string>()
  for (const ending of endings) {
    const details = { country_code: "NG", network: "bank", account_number: `012345${ending}`, provider_id: bank.id }
    const body = { type: "fiat", name: "Chidi", currency: "NGN", details }
    banks.set(ending, (await data("/v1/beneficiaries", { body, key: `setup-bank-${ending}` })).id)
  }
  return {
    merchant_id: me.merchant.id,
    wallet_id: wallet.id,
    naira_id: naira.id,
    payee_id: payee.id,
    banks,
    funds
  }
}

/** Each movement moves so many USDC, each pay-in brings so many. */
export const moved = 10
export const brought = 5

/** What was made, as it was acknowledged. */
export interface Made {
  readonly serial: number
  readonly kind: "transfer" | "offramp" | "conversion" | "payin"
  /** Of the movement; of a pay-in the provider's. */
  readonly id: string
  readonly repeated: boolean
}

/** Makes the movement or pay-in of a serial. Errors: rejects when it was refused, or a repeat was answered otherwise. */
export const makerOf = ({ ask, data }: Client, payer: Payer) => {
  const wallet = { wallet_id: payer.wallet_id }
  const create = async (serial: number, kind: Made["kind"], path: string, body: object): Promise<Made> => {
    const asked: Ask = { body: { ...body, reference: `op-${serial}` }, key: `create-op-${serial}` }
    const answer = await ask(path, asked)
    if (answer.status !== 200) throw new Error(`op ${serial}: ${path} was answered ${answer.status}: ${answer.text}`)
    const repeated = serial % 20 === 0
    if (repeated) {
      const second: Answer = await ask(path, asked)
      if (second.text !== answer.text) throw new Error(`op ${serial}: a repeat was answered ${second.text}`)
    }
    return { serial, kind, id: answer.json.data.id, repeated }
  }
  const quoted = (serial: number, path: string, body: object): Promise<Resource> =>
    data(path, { body: { ...body, source_amount: `${moved}.00` }, key: `quote-op-${serial}` })

  return async (serial: number): Promise<Made> => {
    const at = serial % 10
    if (at < 4) {
      const body = { ...wallet, beneficiary_id: payer.payee_id, amount: `${moved}.00` }
      return create(serial, "transfer", "/v1/transfers", body)
    }
    if (at < 8) {
      const ending = endings[Math.floor(serial / 10) % endings.length]!
      const body = { ...wallet, beneficiary_id: payer.banks.get(ending)! }
      const quote = await quoted(serial, "/v1/offramps/quotes", body)
      return create(serial, "offramp", "/v1/offramps", { quote_id: quote.id, retry_on_failure: ending === "0003" })
    }
    if (at === 8) {
      const body = { source_wallet_id: payer.wallet_id, destination_wallet_id: payer.naira_id }
      const quote = await quoted(serial, "/v1/conversions/quotes", body)
      return create(serial, "conversion", "/v1/conversions", { quote_id: quote.id })
    }
    const payin_id = `payin-${serial}`
    await data("/sandbox/deposits", { body: { ...wallet, amount: `${brought}.00`, payin_id } })
    return { serial, kind: "payin", id: payin_id, repeated: false }
  }
}
