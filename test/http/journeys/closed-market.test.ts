/** A service whose rate source has no rate now: prices are unavailable, and money that arrives is received and waits. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Effect } from "effect"
import { kinds } from "../../../src/engine/registry.ts"
import { type Api, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"
import { market } from "../../support/merchants/credentials.ts"

const rates = market()
let api: Api
let wallet: string
let credential: string
beforeAll(async () => {
  api = await startApi({}, undefined, { rates: rates.layer })
  wallet = (await api.ask("/v1/wallets", { body: { currency: "USDC" } })).json.data.id
  const body = { type: "fiat", currency: "NGN", network: "bank" }
  credential = (await api.ask(`/v1/wallets/${wallet}/credentials`, { body })).json.data.id
  await api.ask(`/sandbox/credentials/${credential}`, { body: { outcome: "issued" } })
})
afterAll(() => api.close())

const written = async () => {
  const every = { kinds: [...kinds.byName.keys()], index_keys: [], offset: 0, limit: 1 }
  const { total } = await Effect.runPromise(api.storage.list(every))
  return { rows: total, books: await Effect.runPromise(api.storage.trialBalance) }
}

const conversions = async () => (await api.ask("/v1/conversions")).json.data

const unavailable = { status: 500, json: { code: "external_service_unavailable" } }

describe("without a rate", () => {
  it("a quote is rejected, and the same key succeeds when a rate is available", async () => {
    const body = { wallet_id: wallet, source_currency: "NGN", source_amount: "150000" }
    const ask = () => api.ask("/v1/onramps/quotes", { body, headers: { "idempotency-key": "key-of-a-quote" } })
    await Effect.runPromise(rates.closes)
    const before = await written()
    const closed = await ask()
    const after = await written()
    await Effect.runPromise(rates.opens)
    const open = await ask()
    expect(after).toEqual(before)
    expect(closed).toMatchObject(unavailable)
    expect(closed.headers.get("retry-after")).toBe("5")
    expect(closed.json.message).toContain("The rate source did not return a current rate.")
    expect(open).toMatchObject({ status: 200, json: { data: { rate: "0.000663349917081" } } })
  })

  covers("DEPOSIT-12")
  it("money to convert is received, and converted when a rate is available", async () => {
    const payload = { credential_id: credential, amount: "150750.00", payin_id: "payin_of_a_closed_market" }
    await Effect.runPromise(rates.closes)
    const closed = await api.ask("/sandbox/deposits", { body: payload })
    expect(closed.status).toBe(200)
    const received = `/v1/transactions/${closed.json.data.transaction_id}`
    expect((await api.ask(received)).json.data.status).toBe("processing")
    await api.ask("/sandbox/clock/advance", { body: { seconds: 60 } })
    expect(await conversions()).toEqual([])
    await Effect.runPromise(rates.opens)
    await api.ask("/sandbox/deposits", { body: payload })
    await api.ask("/sandbox/clock/advance", { body: { seconds: 60 } })
    expect((await api.ask(received)).json.data.status).toBe("received")
    expect(await conversions()).toMatchObject([{ source_amount: "150750.00", source_currency: "NGN" }])
  })
})
