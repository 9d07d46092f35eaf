/** What verifications and currency access refuse. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { operatorToken } from "../../support/http/server.ts"
import { type Request, requestAccess } from "../../support/http/successful-requests.ts"
import { covers } from "../../support/repository/covers.ts"
import {
  bad,
  odd,
  expectRefusal,
  type Row,
  rowsOf,
  type ExpectedRefusal,
  says,
  texts
} from "../../support/http/refusals.ts"
import { type Stock, startStocked, unknown } from "../../support/http/stocked-server.ts"

let s: Stock
beforeAll(async () => {
  s = await startStocked()
})
afterAll(() => s.api.close())

const rows = rowsOf(() => s)

type Asked = readonly [string, (s: Stock) => Request | Promise<Request>, ExpectedRefusal]
const table = (asked: ReadonlyArray<Asked>): void => {
  it.each(asked)("%s", async (_, request, expected) => {
    await expectRefusal(s, await request(s), expected)
  })
}
const post = (path: string, body: unknown): Request => ({ path, method: "POST", body })
const operate = (path: string, body: unknown): Request => ({ ...post(path, body), key: operatorToken })

describe("a verification is refused with", () => {
  const urls: ReadonlyArray<unknown> = [
    "http://example.com/done",
    "example.com",
    "ftp://example.com",
    "javascript:alert(1)",
    "https://",
    "https:// example.com",
    "https:evil.com",
    "https:\\\\evil.com",
    "",
    `https://example.com/${"x".repeat(2048)}`
  ]
  covers("KYC-2")
  rows(
    [
      ["tier_0", { tier: "tier_0" }, bad("tier invalid_value")],
      ["another tier", { tier: "tier_3" }, bad("tier invalid_value")],
      ["a tier that is a number", { tier: 1 }, bad("tier invalid_type")],
      ["a redirect that is a number", { redirect_url: 7 }, bad("redirect_url invalid_type")],
      ...urls.map(
        (redirect_url): Row => [
          `the redirect ${String(redirect_url).slice(0, 40)}`,
          { redirect_url },
          bad(`redirect_url ${String(redirect_url).length > 2048 ? "too_long" : "invalid_format"}`)
        ]
      )
    ],
    (stock, change) => post(`/v1/customers/${stock.customer}/verifications`, change)
  )
  table([
    [
      "the default customer",
      (stock) => post(`/v1/customers/${stock.default_customer}/verifications`, {}),
      odd("customerId invalid_value")
    ],
    [
      "another tier than the one under way",
      (stock) => post(`/v1/customers/${stock.verified}/verifications`, { tier: "tier_2" }),
      says("invalid_status")
    ],
    [
      "a session of another customer",
      (stock) => ({ path: `/v1/customers/${stock.customer}/verifications/${stock.verification}` }),
      says("not_found")
    ],
    ["a customer there is not", () => ({ path: `/v1/customers/${unknown("cust")}/verifications` }), says("not_found")],
    [
      "a word that is none",
      (stock) => post(`/sandbox/verifications/${stock.verification}`, { outcome: "expired" }),
      bad("outcome invalid_value")
    ],
    ["no word", (stock) => post(`/sandbox/verifications/${stock.verification}`, {}), bad("outcome required")],
    [
      "a word on nothing",
      () => post(`/sandbox/verifications/${unknown("kyc")}`, { outcome: "approved" }),
      says("not_found")
    ]
  ])

  it("a tier that the customer has", async () => {
    const { id } = await s.make("/v1/customers", {
      type: "individual",
      name: "Chi",
      email: "chi@example.com",
      country_code: "NG"
    })
    const path = `/v1/customers/${id}/verifications`
    await s.make(`/sandbox/verifications/${(await s.make(path, { tier: "tier_2" })).id}`, { outcome: "approved" })
    for (const body of [{}, { tier: "tier_1" }, { tier: "tier_2" }])
      await expectRefusal(s, post(path, body), says("invalid_status"))
  })
})

describe("access to a currency is refused with", () => {
  covers("ACCESS-3", "ERROR-19")
  rows(
    [
      ["no country where there are two", {}, odd("countryCode invalid_value")],
      ["a country that is null where there are two", { countryCode: null }, odd("countryCode invalid_value")],
      ["a country there is not", { countryCode: "XX" }, odd("countryCode invalid_value")],
      ["a country there is not, by its second name", { country_code: "sn" }, odd("countryCode invalid_value")],
      ["a country that is a number", { countryCode: 7 }, bad("countryCode invalid_type")],
      ["two countries", { countryCode: "SN", country_code: "CI" }, odd("countryCode invalid_value")],
      ["a country that does not have it", { countryCode: "NG" }, says("not_found")],
      ["a prohibited country", { countryCode: "CU" }, says("prohibited_country", "countryCode invalid_value")],
      ...texts("reason", 1000, true)
    ],
    (_, change) => post("/v1/currencies/XOF/access-requests", change)
  )
  table([
    ["a currency there is not", () => post("/v1/currencies/DOGE/access-requests", {}), says("not_found")],
    ["a currency in lower case", () => post("/v1/currencies/usd/access-requests", {}), says("not_found")],
    [
      "a currency that is open to all",
      () => post("/v1/currencies/NGN/access-requests", {}),
      says("access_already_granted")
    ],
    ["another status", () => ({ path: "/v1/currencies/access-requests?status=open" }), odd("status invalid_value")],
    [
      "a review without a decision",
      async (stock) => operate(`/operator/v1/access-requests/${await requestAccess(stock)}/review`, {}),
      bad("decision required")
    ],
    [
      "another decision",
      async (stock) =>
        operate(`/operator/v1/access-requests/${await requestAccess(stock)}/review`, { decision: "defer" }),
      bad("decision invalid_value")
    ],
    [
      "a revocation of what is pending",
      async (stock) => operate(`/operator/v1/access-requests/${await requestAccess(stock)}/revoke`, {}),
      says("invalid_status")
    ],
    [
      "a review of nothing",
      () => operate(`/operator/v1/access-requests/${unknown("rar")}/review`, { decision: "approve" }),
      says("not_found")
    ]
  ])

  it("a currency that is granted, and a second review", async () => {
    const { id } = await s.make("/v1/currencies/USD/access-requests", { reason: "cards" })
    const path = `/operator/v1/access-requests/${id}`
    expect((await s.operate(`${path}/review`, { body: { decision: "approve" } })).status).toBe(200)
    await expectRefusal(s, post("/v1/currencies/USD/access-requests", {}), says("access_already_granted"))
    await expectRefusal(s, operate(`${path}/review`, { decision: "reject" }), says("invalid_status"))
    expect((await s.operate(`${path}/revoke`, { body: {} })).status).toBe(200)
    await expectRefusal(s, operate(`${path}/revoke`, {}), says("invalid_status"))
    await expectRefusal(s, post("/v1/wallets", { currency: "USD" }), says("resource_access_required"))
  })

  covers("CURRENCY-6")
  it("fiat deposits are withheld from a customer until its verification is approved, and no longer", async () => {
    const { id } = await s.make("/v1/customers", {
      type: "individual",
      name: "Efe",
      email: "efe@example.com",
      country_code: "NG"
    })
    const naira = async () => (await s.api.ask(`/v1/currencies?customer_id=${id}&code=NGN`)).json.data[0]
    const able = async () =>
      (await s.api.ask(`/v1/currencies?customer_id=${id}&can_deposit=true&type=fiat`)).json.data.length
    const session = await s.make(`/v1/customers/${id}/verifications`, {})
    for (const outcome of [null, "opened"] as const) {
      if (outcome !== null) await s.make(`/sandbox/verifications/${session.id}`, { outcome })
      expect(await naira()).toMatchObject({
        can_deposit: false,
        customer_restrictions: [{ capability: "can_deposit", reason: "customer_kyc_not_approved" }]
      })
      expect(await able()).toBe(0)
    }
    await s.make(`/sandbox/verifications/${session.id}`, { outcome: "approved" })
    expect((await naira()).can_deposit).toBe(true)
    expect(await naira()).not.toHaveProperty("customer_restrictions")
    expect(await able()).toBeGreaterThan(5)
  })
})
