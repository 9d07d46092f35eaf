/** What beneficiaries refuse: bank accounts, payshap proxies and crypto addresses. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Request } from "../../support/http/successful-requests.ts"
import { bad, odd, expectRefusal, type Row, rowsOf, says, texts } from "../../support/http/refusals.ts"
import { evm, solana, type Stock, startStocked, unknown } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
let off: Stock
beforeAll(async () => {
  s = await startStocked()
  off = await startStocked({ payshap: false })
})
afterAll(() => Promise.all([s.api.close(), off.api.close()]))

const rows = rowsOf(() => s)

covers("BENEFICIARY-5", "CURRENCY-10")
describe("a new fiat beneficiary is refused with", () => {
  const naira = (s: Stock, change: object, details: object): Request => ({
    path: "/v1/beneficiaries",
    method: "POST",
    body: {
      type: "fiat",
      name: "Ada",
      currency: "NGN",
      details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: s.bank, ...details },
      ...change
    }
  })
  rows(
    [
      ...texts("name", 255),
      ...texts("label", 255, true),
      ...texts("merchant_reference", 128, true),
      ["no details", { details: undefined }, bad("details required")],
      ["details that are a list", { details: [] }, bad("details invalid_type")],
      [
        "empty details",
        { details: {} },
        bad(
          "details.country_code required",
          "details.network required",
          "details.account_number required",
          "details.provider_id required"
        )
      ],
      ["no type", { type: undefined }, bad("type required")],
      ["another type", { type: "cash" }, bad("type invalid_value")],
      ["a currency there is not", { currency: "BTC" }, says("not_found")],
      ["a crypto currency", { currency: "USDC" }, odd("currency invalid_value")],
      ["a malformed customer", { customer_id: "x" }, odd("customer_id invalid_format")],
      ["an unknown customer", { customer_id: unknown("cust") }, says("not_found")]
    ],
    (s, change) => naira(s, change, {})
  )
  rows(
    [
      ["another network", { network: "base" }, odd("details.network invalid_value")],
      ["another country", { country_code: "GH" }, odd("details.country_code invalid_value")],
      ["no country", { country_code: "XX" }, odd("details.country_code invalid_value")],
      [
        "a prohibited country",
        { country_code: "RU" },
        says("prohibited_country", "details.country_code invalid_value")
      ],
      ["an unknown bank", { provider_id: unknown("prov") }, says("not_found")],
      ["a malformed bank", { provider_id: "FNB" }, odd("details.provider_id invalid_value")],
      ["a bank of another country", (s) => ({ provider_id: s.fnb }), odd("details.provider_id invalid_value")],
      ["no bank", { provider_id: null }, bad("details.provider_id required")],
      ["five digits", { account_number: "12345" }, odd("details.account_number invalid_value")],
      ["twenty-one digits", { account_number: "1".repeat(21) }, odd("details.account_number invalid_value")],
      ["separators", { account_number: "0123-456-789" }, odd("details.account_number invalid_value")],
      ["other digits", { account_number: "٠١٢٣٤٥٦٧٨٩" }, odd("details.account_number invalid_value")],
      ["an account number that is a number", { account_number: 123456789 }, bad("details.account_number invalid_type")],
      [
        "an account of zeros",
        { account_number: "0000000000" },
        says("account_resolution_failed", "details.account_number invalid_value")
      ],
      ["another rail", { rail: "swift" }, bad("details.rail invalid_value")],
      ["payshap in naira", { rail: "payshap" }, odd("details.rail invalid_value")]
    ],
    (s, details) => naira(s, {}, details)
  )
})

covers("PAYSHAP-2", "PAYSHAP-3", "PAYSHAP-5", "PAYSHAP-6", "ZAR-1", "ZAR-2", "PAYSHAP-8", "ERROR-23")
describe("a new beneficiary in South Africa is refused with", () => {
  const rand = (s: Stock, details: object): Request => ({
    path: "/v1/beneficiaries",
    method: "POST",
    body: {
      type: "fiat",
      name: "Sipho",
      currency: "ZAR",
      details: { country_code: "ZA", network: "bank", provider_id: s.fnb, ...details }
    }
  })
  const proxy = (account_number: unknown) => ({ account_number, rail: "payshap", provider_id: null })
  const number = odd("details.account_number invalid_value")
  rows(
    [
      ["ten digits at FNB", { account_number: "1".repeat(10) }, number],
      ["twelve digits at FNB", { account_number: "1".repeat(12) }, number],
      ["a separator", { account_number: "1234567890-" }, number],
      [
        "payshap in another country",
        { ...proxy("+27821234567"), country_code: "NG" },
        odd("details.rail invalid_value")
      ],
      ["payshap on another network", { ...proxy("+27821234567"), network: "base" }, odd("details.rail invalid_value")],
      ...[
        "a@",
        "@b",
        "a@@b",
        "a@b@c",
        "a b@c",
        "a@b ",
        "0821234567",
        "+2782123456",
        "+278212345678",
        "+27 821234567",
        ""
      ].map((value): Row => [`the proxy ${JSON.stringify(value)}`, proxy(value), number]),
      ["an unregistered mobile number", proxy("+27000000000"), number],
      ["an unregistered identifier", proxy("unknown@bank"), number],
      ["a bank that does not answer", proxy("+27000000001"), number],
      ["payshap unavailable", proxy("+27000000002"), says("external_service_unavailable")]
    ],
    (s, details) => rand(s, details)
  )
  covers("PAYSHAP-6")
  it("payshap switched off", async () => {
    await expectRefusal(off, rand(off, proxy("+27821234567")), says("forbidden"))
  })
  covers("ZAR-3")
  it("a message that names the bank and both counts", async () => {
    const { json } = await expectRefusal(s, rand(s, { account_number: "1".repeat(10) }), number)
    expect(json.message).toMatch(/FNB|First National/)
    expect(json.message).toMatch(/11 digits.*10 digits/)
  })
})

covers("BENEFICIARY-4")
describe("a new crypto beneficiary is refused with", () => {
  const paid = (change: object, details: object): Request => ({
    path: "/v1/beneficiaries",
    method: "POST",
    body: {
      type: "crypto",
      name: "T",
      currency: "USDC",
      details: { network: "base", address: evm, ...details },
      ...change
    }
  })
  const address = odd("details.address invalid_value")
  rows(
    [
      ["no details", { details: {} }, bad("details.network required", "details.address required")],
      ["a fiat currency", { currency: "NGN" }, odd("currency invalid_value")]
    ],
    (_, change) => paid(change, {})
  )
  rows(
    [
      ["a network there is not", { network: "tron" }, odd("details.network invalid_value")],
      ["an address of another network", { address: solana }, address],
      ["an EVM address on solana", { network: "solana" }, address],
      ["a checksum that is wrong", { address: evm.replace("E7", "e7") }, address],
      ["no 0x", { address: evm.slice(2) }, address],
      ["an address too short", { address: evm.slice(0, 41) }, address],
      ["an empty address", { address: "" }, address],
      ["a base58 of 31 bytes", { network: "solana", address: "1".repeat(31) }, address],
      ["letters that base58 has not", { network: "solana", address: `0${solana.slice(1)}` }, address],
      ["an address that is a number", { address: 1 }, bad("details.address invalid_type")],
      ["a rail", { rail: "payshap" }, odd("details.rail invalid_value")]
    ],
    (_, details) => paid({}, details)
  )
})

covers("BENEFICIARY-1")
describe("a change of a beneficiary is refused with", () => {
  const of = (id: string, body: object): Request => ({ path: `/v1/beneficiaries/${id}`, method: "PATCH", body })
  rows(
    [
      ...texts("name", 255, true),
      ...texts("label", 255, true),
      [
        "an account number of five digits",
        { details: { account_number: "12345" } },
        odd("details.account_number invalid_value")
      ],
      ["an account of zeros", { details: { account_number: "000000" } }, says("account_resolution_failed")],
      ["an unknown bank", { details: { provider_id: unknown("prov") } }, says("not_found")],
      [
        "a bank of another country",
        (s) => ({ details: { provider_id: s.fnb } }),
        odd("details.provider_id invalid_value")
      ],
      ["details that are a text", { details: "x" }, bad("details invalid_type")]
    ],
    (s, body) => of(s.fiat, body)
  )
  it("details of a crypto beneficiary", async () => {
    await expectRefusal(s, of(s.crypto, { details: { account_number: "0123456789" } }), odd("details invalid_value"))
  })
})
