/** What is asked of a service whose rate source has no rate now: it is unavailable, and nothing was written. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Effect } from "effect"
import { kinds } from "../../src/engine/kinds.ts"
import { type Api, startApi } from "../support/api.ts"
import { market } from "../support/credentials.ts"

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
  const every = { kinds: [...kinds.keys()], facets: [], offset: 0, limit: 1 }
  const { total } = await Effect.runPromise(api.storage.list(every))
  return { rows: total, books: await Effect.runPromise(api.storage.trialBalance) }
}

/** Asks while the market is closed and again, by the same key, when it has opened. */
const askedTwice = async (path: string, body: unknown) => {
  const ask = () => api.ask(path, { body, headers: { "idempotency-key": `key-of${path.replaceAll("/", "-")}` } })
  await Effect.runPromise(rates.closes)
  const before = await written()
  const closed = await ask()
  const after = await written()
  await Effect.runPromise(rates.opens)
  expect(after).toEqual(before)
  return { closed, open: await ask() }
}

const unavailable = { status: 500, json: { code: "external_service_unavailable" } }

describe("while there is no rate", () => {
  it("a quote is not made, and is made by the same key when there is one", async () => {
    const { closed, open } = await askedTwice("/v1/onramps/quotes", {
      wallet_id: wallet,
      source_currency: "NGN",
      source_amount: "150000"
    })
    expect(closed).toMatchObject(unavailable)
    expect(closed.headers.get("retry-after")).toBe("5")
    expect(closed.json.message).toContain("The rate source did not say what this is worth now.")
    expect(open).toMatchObject({ status: 200, json: { data: { rate: "0.000663349917081" } } })
  })

  it("money to convert is not taken in, and is credited once when the provider tells it again", async () => {
    const told = { credential_id: credential, amount: "150750.00", payin_id: "payin_of_a_closed_market" }
    const { closed, open } = await askedTwice("/sandbox/deposits", told)
    expect(closed).toMatchObject(unavailable)
    expect(open.status).toBe(200)
    await api.ask("/sandbox/deposits", { body: told })
    const conversions = await api.ask("/v1/conversions")
    expect(conversions.json.data).toMatchObject([{ source_amount: "150750.00", source_currency: "NGN" }])
  })
})
