/** A server with a bank behind the provider protocol, and a client that pays through it. */
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { Connector } from "../connectors/launcher.ts"
import { apiKey, operatorToken, type Served } from "../http/served-process.ts"

const moduleAt = (path: string): string => JSON.stringify(pathToFileURL(resolve("src", path)).href)

/** The text of a configuration file: the bank pays, and deposits are simulated. */
export const configFor = (bank: Pick<Connector, "url" | "secret">): string =>
  `import { httpProvider } from ${moduleAt("adapters/provider/http.ts")}
     import { simulatedProvider } from ${moduleAt("adapters/provider/simulated.ts")}
     export default {
       providers: [
         httpProvider({ name: "bank", url: ${JSON.stringify(bank.url)}, secret: ${JSON.stringify(bank.secret)}, events_interval_ms: 200 }),
         simulatedProvider({ delay_ms: 0 })
       ],
       routing: { priorities: { bank: 0, simulated: 10 } }
     }`

type Answer = { readonly status: number; readonly data: any; readonly code: string }
const call =
  (token: string) =>
  async ({ url }: Served, path: string, body?: object, key?: string): Promise<Answer> => {
    const response = await fetch(url + path, {
      method: body === undefined ? "GET" : "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        ...(key === undefined ? {} : { "idempotency-key": key })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const { code, data } = (await response.json()) as { readonly code: string; readonly data: any }
    return { status: response.status, code, data }
  }
export const merchant = call(apiKey)
export const operator = call(operatorToken)

export const make = async (served: Served, path: string, body: object, key?: string): Promise<any> => {
  const { code, data, status } = await merchant(served, path, body, key)
  if (status !== 200) throw new Error(`${path}: ${status} ${code}`)
  return data
}

export interface Customer {
  readonly wallet: string
  readonly payee: string
}
export const customer = async (served: Served): Promise<Customer> => {
  const person = { type: "individual", name: "Ada Obi", email: "ada@example.com", country_code: "NG" }
  const { id: customer_id } = await make(served, "/v1/customers", person)
  const { id: wallet } = await make(served, "/v1/wallets", { currency: "USDC", customer_id })
  await make(served, "/sandbox/deposits", { wallet_id: wallet, amount: "500.00" })
  const banks = (await merchant(served, "/v1/providers?country_code=NG")).data
  const provider_id = (banks as ReadonlyArray<{ readonly id: string }>).find(({ id }) => id.includes("bank"))?.id
  const { id: payee } = await make(served, "/v1/beneficiaries", {
    type: "fiat",
    name: "Ada Obi",
    currency: "NGN",
    customer_id,
    details: {
      country_code: "NG",
      network: "bank",
      account_number: "0123456789",
      provider_id: provider_id ?? banks[0].id
    }
  })
  return { wallet, payee }
}

/** A payout as a client makes it: a quote, and the offramp under the client's own key and reference. */
export const pays = async (
  served: Served,
  { payee, wallet }: Customer,
  reference: string,
  amount: string
): Promise<string> => {
  const quote = await make(served, "/v1/offramps/quotes", {
    wallet_id: wallet,
    beneficiary_id: payee,
    target_amount: amount
  })
  return (await make(served, "/v1/offramps", { quote_id: quote.id, reference }, `key-of-${reference}`)).id
}
