/** Rules of the documents that belong to no other file: ids, quotes of every operation, and both modes of the sandbox. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { covers } from "../support/covers.ts"
import { refused, type Said, says } from "../support/refusals.ts"
import { type Stock, stocked, unknown, unscreened } from "../support/stock.ts"

let s: Stock
beforeAll(async () => {
  s = await stocked()
})
afterAll(() => s.api.close())

const read = async (path: string): Promise<any> => (await s.api.ask(path)).json.data

covers("interface/conventions/6")
it.each([
  ["/v1/customers", "cust"],
  ["/v1/wallets", "wal"],
  ["/v1/beneficiaries", "ben"],
  ["/v1/providers?country_code=NG", "prov"],
  ["/v1/transfers", "tfr"],
  ["/v1/offramps", "ofr"],
  ["/v1/transactions", "txn"],
  ["/v1/currencies", "cur"],
  ["/v1/api-keys", "key"],
  ["/v1/notifications/webhooks", "whe"]
])("ids at %s begin with %s_", async (path, prefix) => {
  const ids: ReadonlyArray<string> = (await read(path)).map((one: any) => one.id)
  expect(ids.length).toBeGreaterThan(0)
  expect(ids.filter((id) => !new RegExp(`^${prefix}_[0-9a-z]+$`).test(id))).toEqual([])
})

covers("interface/other-endpoints/wallets", "decisions/6/wallets")
it("a wallet is shown alike where it is made, listed, read and changed", async () => {
  const made = await s.make("/v1/wallets", { currency: "USDC", label: "one", metadata: { a: "b" } })
  expect(made).toMatchObject({
    customer_id: s.default_customer,
    type: "crypto",
    currency: "USDC",
    country_code: null,
    network: "solana",
    label: "one",
    balance: { available: "0.00", reserved: "0.00", held: "0.00" },
    metadata: { a: "b" }
  })
  expect(await read(`/v1/wallets/${made.id}`)).toEqual(made)
  expect((await read("/v1/wallets")).filter(({ id }: any) => id === made.id)).toEqual([made])
  const { json } = await s.api.ask(`/v1/wallets/${made.id}`, { method: "PATCH", body: { label: "two" } })
  expect(json.data).toEqual({ ...made, label: "two", updated_at: json.data.updated_at })
})

covers("decisions/8/fields", "interface/resources/quote")
it.each([
  ["offramp", { wallet: true, destination_wallet: false, beneficiary: true }],
  ["onramp", { wallet: false, destination_wallet: true, beneficiary: false }],
  ["conversion", { wallet: true, destination_wallet: true, beneficiary: false }]
] as const)("a quote of an %s names the wallets it has, and its target where one was given", async (operation, has) => {
  const fields = {
    offramp: { wallet_id: s.wallet, beneficiary_id: s.fiat },
    onramp: { wallet_id: s.wallet, source_currency: "NGN" },
    conversion: { source_wallet_id: s.wallet, destination_wallet_id: s.tether }
  }[operation]
  const priced = { operation, status: "active", reference: "mine" }
  const amount = operation === "onramp" ? "20000.00" : "20.00"
  const quote = await s.make("/v1/quotes", { operation, ...fields, source_amount: amount, reference: "mine" })
  expect(quote).toMatchObject({ ...priced, source_amount: amount, target_amount: null })
  expect({
    wallet: quote.wallet_id === s.wallet,
    destination_wallet: quote.destination_wallet_id !== null,
    beneficiary: quote.beneficiary_id === s.fiat
  }).toEqual(has)
  expect([has.wallet || quote.wallet_id, has.beneficiary || quote.beneficiary_id]).toEqual([
    has.wallet || null,
    has.beneficiary || null
  ])
  const target = operation === "offramp" ? "20000.00" : "20.00"
  const aimed = await s.make("/v1/quotes", { operation, ...fields, target_amount: target })
  expect(aimed).toMatchObject({ target_amount: target, received_amount: target })
  expect(await read(`/v1/quotes/${aimed.id}`)).toEqual(aimed)
})

covers("decisions/8/operation")
it("a quote is executed by its own operation alone, and stays active", async () => {
  const offramp = await s.quote({ source_amount: "10" })
  const conversion = await s.make("/v1/conversions/quotes", {
    source_wallet_id: s.wallet,
    destination_wallet_id: s.tether,
    source_amount: "10"
  })
  for (const [path, { id }] of [
    ["/v1/conversions", offramp],
    ["/v1/offramps", conversion]
  ] as const) {
    await refused(s, { path, body: { quote_id: id } }, says("invalid_input", "quote_id invalid_value"))
    expect((await read(`/v1/quotes/${id}`)).status).toBe("active")
  }
})

covers("interface/received/4")
it("a transaction keeps the amount that was quoted, beside what was received of it", async () => {
  const quote = await s.quote({ source_amount: "10" })
  const { id } = await s.make("/v1/offramps", { quote_id: quote.id })
  await s.settle()
  await s.make("/sandbox/outcomes", { resource_id: id, outcome: "success" })
  const transaction = await read(`/v1/transactions/${id.replace("ofr_", "txn_")}`)
  expect(transaction).toMatchObject({
    status: "success",
    destination_amount: quote.destination_amount,
    received_amount: quote.received_amount
  })
  expect(quote.received_amount).not.toBe(quote.destination_amount)
})

covers(
  "interface/conversion-quotes/1",
  "interface/conversion-quotes/2",
  "interface/conversion-quotes/3",
  "interface/conversion-quotes/5",
  "interface/limits/conversion-reference",
  "decisions/8/customers"
)
describe("a conversion quote is refused with", () => {
  const pair = () => ({ source_wallet_id: s.wallet, destination_wallet_id: s.tether })
  const valid = () => ({ ...pair(), source_amount: "10" })
  const table: ReadonlyArray<readonly [string, () => object, Said]> = [
    ["no amount", pair, says("bad_request", "source_amount required", "target_amount required")],
    [
      "both amounts",
      () => ({ ...valid(), target_amount: "10" }),
      says("bad_request", "source_amount invalid_value", "target_amount invalid_value")
    ],
    ["an amount that is not one", () => ({ ...pair(), source_amount: "1e3" }), says("bad_request")],
    ["two wallets of one currency", () => ({ ...valid(), destination_wallet_id: s.empty }), says("invalid_input")],
    ["a fiat wallet without a credential", () => ({ ...valid(), destination_wallet_id: s.naira }), says("invalid_input")],
    ["a wallet of another customer", () => ({ ...valid(), source_wallet_id: s.customer_wallet }), says("invalid_input")],
    ["three decimals of USDC", () => ({ ...pair(), source_amount: "10.001" }), says("invalid_amount_precision")],
    ["a reference of 129 characters", () => ({ ...valid(), reference: "x".repeat(129) }), says("bad_request")],
    ["an unknown wallet", () => ({ ...valid(), source_wallet_id: unknown("wal") }), says("not_found")]
  ]
  it.each(table)("%s", async (_, body, said) => {
    await refused(s, { path: "/v1/conversions/quotes", method: "POST", body: body() }, said)
  })

  it("none of: six decimals of a target, 128 characters of a reference", async () => {
    const reference = "x".repeat(128)
    const quote = await s.make("/v1/conversions/quotes", { ...pair(), target_amount: "10.123456", reference })
    expect(quote).toMatchObject({ received_amount: "10.123456", reference })
    expect(quote.source_amount).toMatch(/^\d+\.\d{2}$/)
  })
})

covers("decisions/14/21", "decisions/12/issue")
it.each(["auto", "manual"] as const)("addresses are issued and beneficiaries screened by hand in %s mode", async (mode) => {
  const other = await stocked({ mode })
  try {
    const path = `/v1/wallets/${other.wallet}/deposit-addresses`
    const { id } = await other.make(path, { network: "base" })
    await other.make(`/sandbox/deposit-addresses/${id}`, { outcome: "issued" })
    expect((await other.api.ask(`${path}/${id}`)).json.data.status).toBe("active")
    const waiting = await other.make("/v1/beneficiaries", {
      type: "crypto",
      name: "Late",
      currency: "USDC",
      details: { network: "base", address: unscreened }
    })
    await other.settle()
    expect((await other.api.ask(`/v1/beneficiaries/${waiting.id}`)).json.data.status).toBe("pending")
    await other.make(`/sandbox/beneficiaries/${waiting.id}`, { outcome: "screened" })
    expect((await other.api.ask(`/v1/beneficiaries/${waiting.id}`)).json.data.status).toBe("active")
  } finally {
    await other.api.close()
  }
})
