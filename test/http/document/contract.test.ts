/**
 * The document against the server: every operation is called once with success, and what it answers is what the document
 * says, member for member. Every other test that asks through `support/http/server.ts` is held to the same document.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { catalogue } from "../../support/http/successful-requests.ts"
import { Contract } from "../../support/http/contract.ts"
import { type Stock, startStocked } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await startStocked()
})
afterAll(() => s.api.close())

describe("the document", () => {
  covers(
    "AMOUNT-1",
    "CUSTOMER-2",
    "CUSTOMER-3",
    "WALLET-3",
    "PRICE-4",
    "BENEFICIARY-3",
    "BENEFICIARY-2",
    "MOVEMENT-9",
    "QUOTE-1",
    "OFFRAMP-7",
    "CONVERSION-3",
    "TRANSFER-5",
    "TRANSACTION-1",
    "ADDRESS-2",
    "CURRENCY-3",
    "WEBHOOK-1",
    "FIELD-10"
  )
  it.each(Object.entries(catalogue))("%s responds as documented", async (id, call) => {
    const { path, ...options } = await call(s)
    const method = options.method ?? "GET"
    expect(s.api.contract.operationOf(method, path)?.id).toBe(id)
    const answer = await s.api.ask(path, options)
    expect([answer.status, answer.json.code], answer.text).toEqual([200, "ok"])
    if (method === "GET" && Array.isArray(answer.json.data)) expect(answer.json.data).not.toEqual([])
  })

  it("has exactly the operations that these tests call", () => {
    expect(Object.keys(catalogue).sort()).toEqual(s.api.contract.operations.map(({ id }) => id).sort())
  })

  it("fails the check for an unknown member, a missing member, another status and another code", async () => {
    const { headers, json } = await s.api.ask("/v1/me")
    const judge = (changes: object, status = 200) =>
      s.api.contract.breaches({ method: "GET", path: "/v1/me", status, headers, json: { ...json, ...changes } })
    expect(judge({})).toEqual([])
    expect(judge({ data: { ...json.data, extra: 1 } })).toHaveLength(1)
    expect(judge({ data: {} }).length).toBeGreaterThan(0)
    expect(judge({}, 418)).toHaveLength(1)
    const missing = await s.api.ask("/v1/wallets/wal_1")
    const body = { ...missing.json, code: "conflict" }
    expect(
      s.api.contract.breaches({
        method: "GET",
        path: "/v1/wallets/wal_1",
        status: 404,
        headers: missing.headers,
        json: body
      })
    ).toHaveLength(1)
    expect(new Contract({ paths: {}, components: {} }).operations).toEqual([])
  })
})
