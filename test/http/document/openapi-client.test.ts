/**
 * A client made from the document, by openapi-fetch. Its types, `#openapi`, are written when `openapi-types.long.test.ts` checks this
 * file: it is no part of the project that `tsc` checks.
 */
import type { components, paths } from "#openapi"
import createClient from "openapi-fetch"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { serveHere, type ServedHere } from "../../support/http/served-here.ts"
import { apiKey, operatorToken } from "../../support/http/served-process.ts"
import { covers } from "../../support/repository/covers.ts"

describe("a client made from the document", () => {
  let server: ServedHere
  beforeAll(async () => {
    server = await serveHere()
  })
  afterAll(async () => {
    await server.stop()
  })

  const clientOf = (token: string) =>
    createClient<paths>({ baseUrl: server.url, headers: { authorization: `Bearer ${token}` } })

  /** The data of an answer that has to be one. A list is a text where it is asked for as a file. */
  const dataOf = <A>({
    data,
    error
  }: {
    readonly data?: { readonly data: A } | string | undefined
    readonly error?: unknown
  }): A => {
    if (data === undefined || typeof data === "string") throw new Error(JSON.stringify(error ?? data))
    return data.data
  }

  covers("MOVEMENT-1")
  it("funds a wallet, quotes an offramp, pays it out and reads the ledger", async () => {
    const api = clientOf(apiKey)
    const wallet = dataOf(await api.POST("/v1/wallets", { body: { currency: "USDC", label: "treasury" } }))
    dataOf(await api.POST("/sandbox/deposits", { body: { wallet_id: wallet.id, amount: "100.00" } }))
    const [bank] = dataOf(await api.GET("/v1/providers", { params: { query: { country_code: "NG" } } }))
    const ada = dataOf(
      await api.POST("/v1/beneficiaries", {
        body: {
          type: "fiat",
          name: "Ada Obi",
          currency: "NGN",
          details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank!.id }
        }
      })
    )
    const quote = dataOf(
      await api.POST("/v1/offramps/quotes", {
        body: { wallet_id: wallet.id, beneficiary_id: ada.id, target_amount: "50000.00" }
      })
    )
    expect(quote.received_amount).toBe("50000.00")

    const params = { header: { "Idempotency-Key": "invoice-1042" } }
    const body = { quote_id: quote.id, reference: "invoice-1042" }
    const created = await api.POST("/v1/offramps", { params, body })
    const offramp = dataOf(created)
    const status: components["schemas"]["Offramp"]["status"] = offramp.status
    expect(status).toBe("created")
    const again = await api.POST("/v1/offramps", { params, body })
    expect(dataOf(again).id).toBe(offramp.id)
    expect(again.response.headers.get("Idempotent-Replayed")).toBe("true")

    await expect
      .poll(async () => {
        dataOf(await api.POST("/sandbox/settle", { body: {} }))
        const { status, received_amount } = dataOf(
          await api.GET("/v1/offramps/{id}", { params: { path: { id: offramp.id } } })
        )
        return [status, received_amount]
      })
      .toEqual(["success", "50000.00"])

    const events = dataOf(await api.GET("/v1/notifications/events/feed", { params: { query: { limit: 100 } } }))
    expect(
      events.filter(({ event_object_id }) => event_object_id === offramp.id).map(({ event_type }) => event_type)
    ).toEqual(["offramp.created", "offramp.funds_received", "offramp.processing", "offramp.success"])
    const books = dataOf(await clientOf(operatorToken).GET("/operator/v1/ledger/trial-balance"))
    for (const { difference } of books.currencies) expect(Number(difference)).toBe(0)
  })

  it("has refusals typed by their status, with the code and the next step", async () => {
    const { data, error, response } = await clientOf(apiKey).POST("/v1/offramps", {
      body: { quote_id: "quo_01j9z3k4m5n6p7q8r9s0t1v2w3" }
    })
    expect([data, response.status, error?.code]).toEqual([undefined, 404, "not_found"])
    expect(error?.meta.next_steps?.docs_url).toBe(`${server.url}/docs/errors/not_found`)
  })
})
