/** Rules of the documents that belong to no other file: ids, quotes of every operation, and both modes of the sandbox. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { covers } from "../../support/repository/covers.ts"
import { expectRefusal, says } from "../../support/http/refusals.ts"
import { type Stock, startStocked, unscreened } from "../../support/http/stocked-server.ts"

let s: Stock
beforeAll(async () => {
  s = await startStocked()
})
afterAll(() => s.api.close())

const read = async (path: string): Promise<any> => (await s.api.ask(path)).json.data

covers("FIELD-5")
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

covers("WALLET-1")
it("a wallet has the same body on creation, list, read and change", async () => {
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

covers("QUOTE-5", "QUOTE-1")
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

covers("TRANSACTION-7")
it("a transaction has the quoted amount and the received amount", async () => {
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

covers("REFERENCE-2")
it("a conversion quote takes a reference of 128 characters and echoes it", async () => {
  const reference = "x".repeat(128)
  const pair = { source_wallet_id: s.wallet, destination_wallet_id: s.tether }
  expect((await s.make("/v1/conversions/quotes", { ...pair, source_amount: "5", reference })).reference).toBe(reference)
})

covers("ZAR-4")
it("a changed South African account number is validated again", async () => {
  const details = { country_code: "ZA", network: "bank", provider_id: s.fnb, account_number: "1".repeat(11) }
  const { id } = await s.make("/v1/beneficiaries", { type: "fiat", name: "Sipho", currency: "ZAR", details })
  const change = { path: `/v1/beneficiaries/${id}`, method: "PATCH" }
  const fault = says("invalid_input", "details.account_number invalid_value")
  await expectRefusal(s, { ...change, body: { details: { account_number: "1".repeat(10) } } }, fault)
})

/** What a list answers under each filter is what the whole list has of it. */
const expectFilters = async (path: string, filters: Readonly<Record<string, (one: any) => boolean>>): Promise<void> => {
  const whole: ReadonlyArray<any> = await read(`${path}?per_page=200`)
  for (const [query, has] of Object.entries(filters)) {
    const expected = whole.filter(has).map(({ id }) => id)
    expect([query, (await read(`${path}?per_page=200&${query}`)).map(({ id }: any) => id)]).toEqual([query, expected])
    expect([query, expected.length > 0]).toEqual([query, true])
  }
}

covers("TRANSACTION-2")
it("the history is filtered by type, source, customer, either wallet, status and currency", async () => {
  await s.make("/sandbox/deposits", { wallet_id: s.customer_wallet, amount: "5", stage: "detected" })
  await s.make("/sandbox/deposits", { wallet_id: s.naira, amount: "5000" })
  await expectFilters("/v1/transactions", {
    "type=transfer": ({ type }) => type === "transfer",
    "type=deposit": ({ type }) => type === "deposit",
    "source_type=deposit_address": ({ source_type }) => source_type === "deposit_address",
    "source_type=credential": ({ source_type }) => source_type === "credential",
    "type=deposit&status=processing": ({ type, status }) => type === "deposit" && status === "processing",
    "status=success": ({ status }) => status === "success",
    "source_currency=NGN": ({ source_currency }) => source_currency === "NGN",
    [`customer_id=${s.customer}`]: ({ customer_id }) => customer_id === s.customer,
    [`beneficiary_id=${s.crypto}`]: ({ beneficiary_id }) => beneficiary_id === s.crypto,
    [`wallet_id=${s.wallet}`]: ({ from_wallet_id, to_wallet_id }) => [from_wallet_id, to_wallet_id].includes(s.wallet)
  })
})

covers("CONVERSION-4", "CONVERSION-6", "CONVERSION-7", "CONVERSION-8")
it("conversions are the merchant's own, by status, day and page", async () => {
  const pair = { source_wallet_id: s.wallet, destination_wallet_id: s.tether }
  const convert = async () =>
    s.make("/v1/conversions", {
      quote_id: (await s.make("/v1/conversions/quotes", { ...pair, source_amount: "5" })).id
    })
  const first = await convert()
  await s.settle()
  await s.make("/sandbox/outcomes", { resource_id: first.id, outcome: "success" })
  await s.make("/sandbox/clock/advance", { seconds: 1 })
  const { created_at, id } = await convert()
  await expectFilters("/v1/conversions", {
    "status=success": ({ status }) => status === "success",
    "status=created": ({ status }) => status === "created",
    [`created_after=${created_at}`]: (one) => one.created_at >= created_at,
    [`created_before=${first.created_at}`]: (one) => one.created_at <= first.created_at
  })
  expect((await read("/v1/conversions?per_page=1")).map((one: any) => one.id)).toEqual([id])
  expect((await read("/v1/conversions?per_page=1&page=2")).map((one: any) => one.id)).toEqual([first.id])
  expect((await s.api.ask("/v1/conversions", { key: s.keys.other })).json.data).toEqual([])
})

covers(
  "EVENT-1",
  "EVENT-2",
  "EVENT-3",
  "EVENT-4",
  "EVENT-5",
  "EVENT-6",
  "EVENT-7",
  "EVENT-8",
  "EVENT-9",
  "EVENT-10",
  "HTTP-2"
)
it("an event is an envelope around the resource as it was", async () => {
  const made = await s.make("/v1/transfers", { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" })
  const me = await read("/v1/me")
  const [event] = await read(`/v1/notifications/events?event_object_id=${made.id}`)
  expect(event).toEqual({
    event_id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
    event_type: "transfer.processing",
    event_category: "transfer",
    event_developer_id: me.integration.id,
    api_version: "v1",
    event_created_at: made.created_at,
    event_object_id: made.id,
    event_object_status: "processing",
    event_object_changes: { status: [null, "processing"] },
    event_sequence: 1,
    event_object: { ...made, terminal_at: null }
  })
  expect(me.integration.id).toMatch(/^int_/)
})

covers("SANDBOX-21")
it("the clock and the provider's script can be read, each merchant its own script", async () => {
  const other = await startStocked()
  try {
    const read = async (path: string): Promise<any> => (await other.api.ask(path)).json.data
    expect(await read("/sandbox/provider")).toEqual({ submissions: "accept", refunds: "settle" })
    await other.make("/sandbox/provider", { submissions: "timeout" })
    expect(await read("/sandbox/provider")).toEqual({ submissions: "timeout", refunds: "settle" })
    const before = await read("/sandbox/clock")
    await other.make("/sandbox/clock/advance", { seconds: 86_400 })
    const after = await read("/sandbox/clock")
    expect(Date.parse(after.now) - Date.parse(before.now)).toBeGreaterThanOrEqual(86_400_000)
    expect(after.latest).toBe("2100-01-01T00:00:00.000Z")
  } finally {
    await other.api.close()
  }
})

covers("SANDBOX-8", "MOVEMENT-6")
it("moving the clock runs due jobs in order, each at its own time", async () => {
  const other = await startStocked()
  try {
    await other.make("/sandbox/provider", { submissions: "hold" })
    const quotes: Array<any> = []
    const ids: Array<string> = []
    for (const seconds of [30, 60, 0]) {
      const quote = await other.quote({ source_amount: "10" })
      quotes.unshift(quote)
      ids.unshift((await other.make("/v1/offramps", { quote_id: quote.id })).id)
      await other.make("/sandbox/clock/advance", { seconds })
    }
    await other.make("/sandbox/clock/advance", { seconds: 600 })
    const { json } = await other.api.ask("/v1/notifications/events?event_type=offramp.failed")
    expect(json.data.map((one: any) => one.event_object_id)).toEqual(ids)
    // The clock runs on while the deadlines are worked off: each has its own second, not its own millisecond.
    const late = json.data.map(
      (one: any, index: number) => Date.parse(one.event_created_at) - Date.parse(quotes[index].expires_at)
    )
    expect(late.filter((ms: number) => ms < 0 || ms > 5000)).toEqual([])
  } finally {
    await other.api.close()
  }
})

covers("SANDBOX-6", "SANDBOX-4", "SANDBOX-5")
it.each(["auto", "manual"] as const)(
  "addresses and accounts are issued and beneficiaries screened by hand in %s mode",
  async (mode) => {
    const other = await startStocked({ mode })
    try {
      const path = `/v1/wallets/${other.wallet}/deposit-addresses`
      const { id } = await other.make(path, { network: "base" })
      await other.make(`/sandbox/deposit-addresses/${id}`, { outcome: "issued" })
      expect((await other.api.ask(`${path}/${id}`)).json.data.status).toBe("active")
      const credentials = `/v1/wallets/${other.wallet}/credentials`
      const account = await other.make(credentials, { type: "fiat", currency: "NGN", network: "bank" })
      expect([account.status, account.details]).toEqual(["pending", null])
      await other.make(`/sandbox/credentials/${account.id}`, { outcome: "issued" })
      const issued = (await other.api.ask(`${credentials}/${account.id}`)).json.data
      expect(issued).toMatchObject({ status: "active", details: { currency: "NGN" } })
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
  }
)
