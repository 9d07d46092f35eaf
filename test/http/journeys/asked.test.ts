/** What a request asks of others before it writes is in the timeline of what it writes (TIMELINE-6). */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, operatorToken, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const made = async (path: string, body: object): Promise<any> => {
  const { json, status } = await api.ask(path, { body })
  expect([path, status, json.message]).toEqual([path, 200, json.message])
  return json.data
}

const storyOf = async (id: string): Promise<ReadonlyArray<any>> =>
  (await api.ask(`/operator/v1/resources/${id}/timeline`, { key: operatorToken })).json.data.entries

const callsIn = (story: ReadonlyArray<any>) => story.filter(({ type }) => type === "provider_call")

covers("TIMELINE-6")
it("a timeline has the questions of its request, between the request and what it led to", async () => {
  const person = { type: "individual", name: "Ada Obi", email: "ada@example.com", country_code: "NG" }
  const customer = await made("/v1/customers", person)
  const wallet = await made("/v1/wallets", { currency: "USDC", customer_id: customer.id })
  await made("/sandbox/deposits", { wallet_id: wallet.id, amount: "500.00" })
  const [bank] = (await api.ask("/v1/providers?country_code=NG")).json.data
  const details = { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank.id }
  const payee = await made("/v1/beneficiaries", {
    type: "fiat",
    name: "Ada Obi",
    currency: "NGN",
    customer_id: customer.id,
    details
  })

  const story = await storyOf(payee.id)
  expect(story.map(({ type }) => type).slice(0, 5)).toEqual([
    "request",
    "provider_call",
    "provider_call",
    "provider_call",
    "transition"
  ])
  expect(callsIn(story).map(({ answer, operation, provider }) => [provider, operation, answer])).toEqual([
    ["simulated", "banks", "answered"],
    ["simulated", "resolve_account", "resolved"],
    ["simulated", "screen", "cleared"]
  ])
  const [, , screening] = callsIn(story)
  expect(screening).toMatchObject({ command_id: payee.screening_id, attempt: 1, at: story[0].at })
  expect(screening.summary).toMatch(/^simulated answered the screening after \d+ ms: cleared\.$/)
  // What was asked and answered identifies people. None of it is kept.
  expect(JSON.stringify(callsIn(story))).not.toMatch(/0123456789|Ada Obi|account_name/)

  const quote = await made("/v1/offramps/quotes", {
    wallet_id: wallet.id,
    beneficiary_id: payee.id,
    source_amount: "100.00"
  })
  const [price] = callsIn(await storyOf(quote.id))
  expect(price).toMatchObject({ provider: "the rate source", operation: "price", answer: quote.rate, command_id: null })
  expect(price.summary).toContain(`The rate source answered the question for a rate after`)
  expect(price.summary).toContain(`: ${quote.rate}.`)

  const order = { wallet_id: wallet.id, source_currency: "NGN", source_amount: "150000.00" }
  const onramp = await made("/v1/onramps", { quote_id: (await made("/v1/onramps/quotes", order)).id })
  expect(callsIn(await storyOf(onramp.id)).map(({ operation }) => operation)).toEqual(["instruct"])
  const own = (await api.ask(`/v1/onramps/${onramp.id}/timeline`)).json.data.entries
  expect(callsIn(own)).toEqual([])

  // Another request has asked for itself alone.
  const offramp = await made("/v1/offramps", { quote_id: quote.id })
  expect(callsIn(await storyOf(offramp.id)).filter(({ operation }) => operation !== "submit")).toEqual([])
})
