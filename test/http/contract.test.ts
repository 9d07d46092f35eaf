/**
 * The document against the server: every operation is called once with success, and what it answers is what the document
 * says, member for member. Every other test that asks through `support/api.ts` is held to the same document.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { catalogue } from "../support/catalogue.ts"
import { Contract } from "../support/contract.ts"
import { type Stock, stocked } from "../support/stock.ts"
import { covers } from "../support/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await stocked()
})
afterAll(() => s.api.close())

describe("the document", () => {
  covers(
    "interface/conventions/1",
    "interface/resources/customer",
    "interface/resources/customer-summary",
    "interface/resources/wallet-summary",
    "interface/resources/fee",
    "interface/resources/provider",
    "interface/resources/beneficiary",
    "interface/resources/payment-instrument",
    "interface/resources/quote",
    "interface/resources/offramp",
    "interface/resources/conversion",
    "interface/resources/transfer",
    "interface/resources/transaction",
    "interface/resources/deposit-address",
    "interface/resources/currency",
    "interface/resources/webhook-endpoint",
    "decisions/14/22"
  )
  it.each(Object.entries(catalogue))("%s answers as it says", async (id, call) => {
    const { path, ...options } = await call(s)
    const method = options.method ?? "GET"
    expect(s.api.contract.operationOf(method, path)?.id).toBe(id)
    const answer = await s.api.ask(path, options)
    expect([answer.status, answer.json.code], answer.text).toEqual([200, "ok"])
    if (method === "GET" && Array.isArray(answer.json.data)) expect(answer.json.data).not.toEqual([])
  })

  it("has no operation that was not called, and no call that it does not have", () => {
    expect(Object.keys(catalogue).sort()).toEqual(s.api.contract.operations.map(({ id }) => id).sort())
  })

  it("is a judge that finds a member too many, a member missing, another status and another code", async () => {
    const { headers, json } = await s.api.ask("/v1/me")
    const judge = (changes: object, status = 200) =>
      s.api.contract.breaches({ method: "GET", path: "/v1/me", status, headers, json: { ...json, ...changes } })
    expect(judge({})).toEqual([])
    expect(judge({ data: { ...json.data, extra: 1 } })).toHaveLength(1)
    expect(judge({ data: {} }).length).toBeGreaterThan(0)
    expect(judge({}, 418)).toHaveLength(1)
    const missing = await s.api.ask("/v1/wallets/wal_1")
    const told = { ...missing.json, code: "conflict" }
    expect(
      s.api.contract.breaches({
        method: "GET",
        path: "/v1/wallets/wal_1",
        status: 404,
        headers: missing.headers,
        json: told
      })
    ).toHaveLength(1)
    expect(new Contract({ paths: {}, components: {} }).operations).toEqual([])
  })
})
