/** What customers, wallets, deposit addresses and reference data refuse. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Request } from "../../support/http/successful-requests.ts"
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
import { covers } from "../../support/repository/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await startStocked()
})
afterAll(() => s.api.close())

const rows = rowsOf(() => s)

const emails = [
  "",
  "ada",
  "ada@",
  "@example.com",
  "a@b",
  "a b@example.com",
  "a@ex ample.com",
  "a@@b.co",
  "a@-b.co",
  "a@b-.co",
  "a@b..co",
  "<a@b.co>",
  "a@b.co,c@d.co",
  "a\u0000@b.co"
]
const phones = [
  "",
  "08012345678",
  "+0123456789",
  "+123",
  "+1234567890123456",
  "+234 801 234 5678",
  "+234-801",
  "+٢٣٤٨٠١٢٣٤٥"
]
const dates = [
  "",
  "1990-01-31",
  "31/01/1990",
  "02/30/1990",
  "02/29/2023",
  "1/32/1990",
  "1/1/199",
  "01/31/90",
  "00/10/1990",
  "13/01/1990",
  "01/31/1990 "
]
const countries = ["", "N", "NGA", "ng", "XX", "ZZ", "N1", "NG "]
const prohibited = ["CU", "IR", "KP", "SY", "RU", "BY"]

const profileRows: ReadonlyArray<Row> = [
  ["a profile that is a text", { profile: "x" }, bad("profile invalid_type")],
  ...phones.map((phone): Row => [`the phone ${phone}`, { profile: { phone } }, bad("profile.phone invalid_format")]),
  ...dates.map(
    (date_of_birth): Row => [
      `the birthday ${date_of_birth}`,
      { profile: { date_of_birth } },
      bad("profile.date_of_birth invalid_format")
    ]
  ),
  ["a birthday to come", { profile: { date_of_birth: "01/31/2999" } }, odd("profile.date_of_birth invalid_value")],
  ["another kind of document", { profile: { id_type: "library_card" } }, bad("profile.id_type invalid_value")],
  [
    "an address without a line, a city and a country",
    { profile: { address: {} } },
    bad("profile.address.line1 required", "profile.address.city required", "profile.address.country_code required")
  ],
  [
    "an address in no country",
    { profile: { address: { line1: "1", city: "X", country_code: "XX" } } },
    odd("profile.address.country_code invalid_value")
  ],
  [
    "an address in a prohibited country",
    { profile: { address: { line1: "1", city: "X", country_code: "IR" } } },
    says("prohibited_country")
  ],
  ["an id number of 65 characters", { profile: { id_number: "1".repeat(65) } }, bad("profile.id_number too_long")],
  ...texts("profile.business_licence", 128, true)
]

covers("CUSTOMER-1")
describe("a new customer is refused with", () => {
  const valid = { type: "individual", name: "Ada", email: "ada@example.com", country_code: "NG" }
  const request = (_: Stock, change: object): Request => ({
    path: "/v1/customers",
    method: "POST",
    body: { ...valid, ...change }
  })
  rows(
    [
      ...texts("name", 255),
      ...texts("merchant_reference", 128, true),
      ...emails.map((email): Row => [`the email ${JSON.stringify(email)}`, { email }, bad("email invalid_format")]),
      ["an email of 255 characters", { email: `a@${"b".repeat(250)}.co` }, bad("email too_long")],
      ["another type", { type: "company" }, bad("type invalid_value")],
      ["a type that is a number", { type: 1 }, bad("type invalid_type")],
      ...countries.map(
        (country_code): Row => [
          `the country ${JSON.stringify(country_code)}`,
          { country_code },
          odd("country_code invalid_value")
        ]
      ),
      ...prohibited.map(
        (country_code): Row => [
          `the country ${country_code}`,
          { country_code },
          says("prohibited_country", "country_code invalid_value")
        ]
      ),
      [
        "no country and no form beside it",
        { country_code: "XX", email: "x" },
        bad("email invalid_format", "country_code invalid_value")
      ],
      ...profileRows
    ],
    request
  )
  it("nothing at all", async () => {
    await expectRefusal(
      s,
      { path: "/v1/customers", body: {} },
      bad("type required", "name required", "email required", "country_code required")
    )
  })
  it("an id number, without repeating it", async () => {
    const id_number = "9".repeat(80)
    const { text } = await expectRefusal(
      s,
      { path: "/v1/customers", body: { ...valid, profile: { id_number } } },
      bad("profile.id_number too_long")
    )
    expect(text).not.toContain("99999999")
  })
})

describe("a change of a customer is refused with", () => {
  rows(
    [
      ...texts("name", 255, true),
      ...texts("merchant_reference", 128, true),
      ...profileRows,
      ["a bad email", { email: "x" }, bad("email invalid_format")]
    ],
    (s, body) => ({ path: `/v1/customers/${s.customer}`, method: "PATCH", body })
  )
})

covers("ACCESS-1", "ERROR-11", "ACCESS-2", "CURRENCY-8", "WALLET-1")
describe("a new wallet is refused with", () => {
  rows(
    [
      ...texts("label", 255, true),
      ["no currency", { currency: undefined }, bad("currency required")],
      ["a currency in lower case", { currency: "usdc" }, bad("currency invalid_format")],
      ["a currency that is a number", { currency: 1 }, bad("currency invalid_type")],
      ["a currency there is not", { currency: "BTC" }, says("not_found")],
      ["XOF without a country", { currency: "XOF" }, odd("country_code invalid_value")],
      ["XOF in another country", { currency: "XOF", country_code: "NG" }, says("not_found")],
      ["XOF without a grant", { currency: "XOF", country_code: "SN" }, says("resource_access_required")],
      ["USD without a grant", { currency: "USD" }, says("resource_access_required")],
      ["EUR without a grant", { currency: "EUR" }, says("resource_access_required")],
      ["no country", { country_code: "XX" }, odd("country_code invalid_value")],
      ["a prohibited country", { country_code: "KP" }, says("prohibited_country", "country_code invalid_value")],
      [
        "a prohibited country, before a gated currency",
        { currency: "EUR", country_code: "KP" },
        says("prohibited_country", "country_code invalid_value")
      ],
      ["a malformed customer", { customer_id: "wal_1" }, odd("customer_id invalid_format")],
      ["an unknown customer", { customer_id: unknown("cust") }, says("not_found")],
      [
        "an unknown customer, before a gated currency",
        { customer_id: unknown("cust"), currency: "USD" },
        says("not_found")
      ]
    ],
    (_, change) => ({ path: "/v1/wallets", method: "POST", body: { currency: "USDC", ...change } })
  )
})

covers("ADDRESS-1")
describe("a new deposit address is refused with", () => {
  const at = (wallet: string, body: object): Request => ({
    path: `/v1/wallets/${wallet}/deposit-addresses`,
    method: "POST",
    body
  })
  rows(
    [
      ...texts("label", 255, true),
      ["no network", { network: undefined }, bad("network required")],
      ["a network there is not", { network: "tron" }, odd("network invalid_value")],
      ["the network of banks", { network: "bank" }, odd("network invalid_value")],
      ["a network in upper case", { network: "BASE" }, odd("network invalid_value")],
      ["a network that is a number", { network: 1 }, bad("network invalid_type")]
    ],
    (s, change) => at(s.wallet, { network: "base", ...change })
  )
  it("a fiat wallet", async () => {
    await expectRefusal(s, at(s.naira, { network: "base" }), odd("wallet_id invalid_value"))
  })
})

covers("ADDRESS-5", "ADDRESS-9", "ADDRESS-10", "ADDRESS-6")
describe("disabling a deposit address is refused with", () => {
  const of = (s: Stock, id: string, body: object = {}, wallet = s.wallet): Request => ({
    path: `/v1/wallets/${wallet}/deposit-addresses/${id}`,
    method: "DELETE",
    body
  })
  const table: ReadonlyArray<readonly [string, (s: Stock) => Request, ExpectedRefusal]> = [
    ["a reason of 256 characters", (s) => of(s, s.address, { reason: "x".repeat(256) }), bad("reason too_long")],
    ["a reason that is a number", (s) => of(s, s.address, { reason: 1 }), bad("reason invalid_type")],
    ["a reason with a NUL", (s) => of(s, s.address, { reason: "\u0000" }), bad("reason invalid_value")],
    ["another wallet", (s) => of(s, s.address, {}, s.empty), says("not_found")],
    ["an unknown wallet", (s) => of(s, s.address, {}, unknown("wal")), says("not_found")],
    ["a frozen address", (s) => of(s, s.frozen), says("invalid_status")],
    ["a disabled address", (s) => of(s, s.disabled), says("invalid_status")]
  ]
  it.each(table)("%s", async (_, request, expected) => {
    await expectRefusal(s, request(s), expected)
  })
})

covers("CURRENCY-4")
describe("reference data is refused with", () => {
  const table: ReadonlyArray<readonly [string, ExpectedRefusal]> = [
    ["/v1/currencies?customer_id=x", odd("customer_id invalid_format")],
    [`/v1/currencies?customer_id=${unknown("cust")}`, says("not_found")],
    ["/v1/currencies?can_deposit=maybe", odd("can_deposit invalid_value")],
    ["/v1/currencies?type=metal", odd("type invalid_value")],
    ["/v1/providers?country_code=zz", odd("country_code invalid_value")]
  ]
  it.each(table)("%s", async (path, expected) => {
    await expectRefusal(s, { path }, expected)
  })
})
