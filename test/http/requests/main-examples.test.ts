/** The main example of rules whose whole tests are long: one server, a few calls each. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { startApi } from "../../support/http/server.ts"
import { type Stock, stockOf } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await stockOf(await startApi({ rate_per_second: 0 }))
})
afterAll(() => s.api.close())

covers("WEBHOOK-10")
it("a replay to an inactive endpoint is refused by its state, whatever its body is", async () => {
  const made = await s.api.ask("/v1/notifications/webhooks", { body: { url: "http://127.0.0.1:1/hook" } })
  const path = `/v1/notifications/webhooks/${made.json.data.id}/replay`
  for (const body of [{}, { event_id: 7 }, { since: "yesterday" }]) {
    const { json, status } = await s.api.ask(path, { body })
    expect([status, json.code]).toEqual([409, "invalid_status"])
  }
})

covers("FIELD-7", "LIST-7", "OPERATOR-11")
it("null is absent in a body, and rows name their customer and merchant", async () => {
  const body = { type: "individual", name: "Ada Obi", email: "ada@example.com", country_code: "NG" }
  const optional = { merchant_reference: null, profile: null, metadata: null }
  const made = await s.api.ask("/v1/customers", { body: { ...body, ...optional } })
  expect([made.status, made.json.meta.warnings]).toEqual([200, undefined])
  expect(made.json.data).toMatchObject({ name: "Ada Obi", metadata: {} })
  const sender = { type: "individual", name: "Bola", country_code: "NG", customer_id: made.json.data.id }
  expect((await s.api.ask("/v1/senders", { body: sender })).status).toBe(200)
  const { data } = (await s.api.ask(`/v1/senders?customer_id=${made.json.data.id}`)).json
  expect(data).toEqual([expect.objectContaining({ name: "Bola", customer_name: "Ada Obi" })])
  const merchants = (await s.operate("/operator/v1/merchants")).json.data as ReadonlyArray<{ id: string; name: string }>
  const rows = (await s.operate("/operator/v1/movements")).json.data as ReadonlyArray<Record<string, unknown>>
  for (const { merchant_id, merchant_name } of rows)
    expect(merchants.find(({ id }) => id === merchant_id)?.name).toBe(merchant_name)
  expect(rows.length).toBeGreaterThan(0)
})

covers("TRANSACTION-10")
it("beneficiary_id lists the payouts to one recipient", async () => {
  const [payout] = (await s.api.ask("/v1/offramps")).json.data
  const to = `beneficiary_id=${payout.beneficiary.id}`
  for (const path of ["/v1/offramps", "/v1/transactions", "/operator/v1/movements"]) {
    const ask = path.startsWith("/operator") ? s.operate : s.api.ask
    const all = (await ask(`${path}?${to}&per_page=200`)).json.data as ReadonlyArray<Record<string, unknown>>
    const ids = all.map((one) => one["source_id"] ?? one["id"])
    expect(ids, path).toContain(payout.id)
    for (const id of ids)
      expect(
        (await s.api.ask(`/v1/${String(id).startsWith("ofr_") ? "offramps" : "transfers"}/${id}`)).json.data.beneficiary
          .id
      ).toBe(payout.beneficiary.id)
  }
})

covers("AUTOCONVERT-13", "TRANSACTION-6")
it("an auto-converted deposit has the quoted amount as received, and its conversion the metadata of the credential", async () => {
  const wallet = (await s.api.ask("/v1/wallets", { body: { currency: "USDC" } })).json.data.id
  const metadata = { shop: "lagos" }
  const body = { type: "fiat", currency: "NGN", network: "bank", metadata }
  const credential = (await s.api.ask(`/v1/wallets/${wallet}/credentials`, { body })).json.data.id
  await s.api.ask(`/sandbox/credentials/${credential}`, { body: { outcome: "issued" } })
  const paid = await s.api.ask("/sandbox/deposits", { body: { credential_id: credential, amount: "150000" } })
  await s.settle()
  const deposit = (await s.api.ask(`/v1/transactions/${paid.json.data.transaction_id}`)).json.data
  expect([deposit.status, deposit.received_amount]).toEqual(["received", deposit.destination_amount])
  const conversions = (await s.api.ask("/v1/conversions")).json.data as ReadonlyArray<{
    readonly metadata: object
    readonly destination_wallet: { readonly id: string }
  }>
  expect(conversions.find(({ destination_wallet: { id } }) => id === wallet)?.metadata).toEqual(metadata)
})
