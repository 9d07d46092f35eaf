/** One offramp over HTTP, from its customer to its delivered webhook, against a server with the simulated provider. */

export interface Answer {
  readonly status: number
  readonly data: any
}

/** Calls a server's API with a key. */
export const callerOf =
  (url: string, key: string) =>
  async (path: string, body?: unknown, headers: Record<string, string> = {}, method?: string): Promise<Answer> => {
    const response = await fetch(url + path, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const json = (await response.json()) as { readonly data: unknown }
    return { status: response.status, data: json.data }
  }

export interface OfframpInputs {
  readonly hook: string
  readonly account_number?: string
  readonly name?: string
  readonly email?: string
  /** Headers of the request that makes the offramp. */
  readonly headers?: Record<string, string>
}

const requireSuccess = async (answer: Promise<Answer>): Promise<any> => {
  const { data, status } = await answer
  if (status !== 200) throw new Error(`${status}: ${JSON.stringify(data)}`)
  return data
}

/** Makes all that an offramp needs, and the offramp. Returns its id, and the secret of the webhook endpoint. */
export const makeOfframp = async (call: ReturnType<typeof callerOf>, inputs: OfframpInputs) => {
  const { account_number = "0123456789", email = "ada@example.com", headers, hook, name = "Ada Obi" } = inputs
  const endpoint = await requireSuccess(call("/v1/notifications/webhooks", { url: hook }))
  await requireSuccess(call(`/v1/notifications/webhooks/${endpoint.id}`, { active: true }, {}, "PATCH"))
  const customer = await requireSuccess(call("/v1/customers", { type: "individual", name, email, country_code: "NG" }))
  const wallet = await requireSuccess(call("/v1/wallets", { currency: "USDC", customer_id: customer.id }))
  const address = await requireSuccess(call(`/v1/wallets/${wallet.id}/deposit-addresses`, { network: "base" }))
  await requireSuccess(call("/sandbox/settle", {}))
  await requireSuccess(call("/sandbox/deposits", { deposit_address_id: address.id, amount: "500.00" }))
  const [bank] = await requireSuccess(call("/v1/providers?country_code=NG"))
  const payee = await requireSuccess(
    call("/v1/beneficiaries", {
      type: "fiat",
      name,
      currency: "NGN",
      customer_id: customer.id,
      details: { country_code: "NG", network: "bank", account_number, provider_id: bank.id }
    })
  )
  const quote = await requireSuccess(
    call("/v1/offramps/quotes", { wallet_id: wallet.id, beneficiary_id: payee.id, target_amount: "50000.00" })
  )
  const offramp = await requireSuccess(
    call("/v1/offramps", { quote_id: quote.id }, { "idempotency-key": `offramp-${quote.id}`, ...headers })
  )
  return { id: offramp.id as string, webhook_secret: endpoint.signing_secret as string }
}
