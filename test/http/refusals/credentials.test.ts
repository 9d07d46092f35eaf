/** What wallet credentials, their operator's calls and the sandbox's pay-ins to them refuse. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { covers } from "../../support/repository/covers.ts"
import { operatorToken } from "../../support/http/server.ts"
import { type Request, onCredential } from "../../support/http/successful-requests.ts"
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
let credential: string
beforeAll(async () => {
  s = await startStocked()
  credential = (await s.make(`/v1/wallets/${s.wallet}/credentials`, { type: "crypto", network: "base" })).id
})
afterAll(() => s.api.close())

const rows = rowsOf(() => s)

const at = (wallet: string, body: object, more: Partial<Request> = {}): Request => ({
  path: `/v1/wallets/${wallet}/credentials`,
  method: "POST",
  body,
  ...more
})

covers("AUTOCONVERT-3", "AUTOCONVERT-4", "AUTOCONVERT-5", "AUTOCONVERT-6")
describe("a new wallet credential is refused with", () => {
  const table: ReadonlyArray<Row> = [
    ...texts("label", 255, true),
    ...texts("network", 32).filter(([name]) => !name.includes("characters")),
    ["no type", { type: undefined }, bad("type required")],
    ["another type", { type: "card" }, bad("type invalid_value")],
    ["a type that is a number", { type: 1 }, bad("type invalid_type")],
    ["no network", { network: undefined }, bad("network required")],
    ["a network there is not", { network: "tron" }, odd("network invalid_value")],
    ["the network of banks", { network: "bank" }, odd("network invalid_value")],
    ["a network in upper case", { network: "BASE" }, odd("network invalid_value")],
    ["a chain for nairas", { type: "fiat", currency: "NGN" }, odd("network invalid_value")],
    ["a type that is not the wallet's", { type: "fiat" }, odd("type invalid_value")],
    ["a type that is not the currency's", { currency: "NGN", network: "bank" }, odd("type invalid_value")],
    ["a currency in lower case", { currency: "usdc" }, bad("currency invalid_format")],
    ["a currency that is a number", { currency: 1 }, bad("currency invalid_type")],
    ["a currency there is not", { currency: "BTC" }, says("not_found")],
    ["crypto for crypto", { currency: "USDT" }, odd("currency invalid_value")],
    [
      "a currency that cannot be onramped",
      { type: "fiat", currency: "UGX", network: "bank" },
      odd("currency invalid_value")
    ],
    ["a gated currency", { type: "fiat", currency: "EUR", network: "bank" }, says("resource_access_required")],
    ["XOF without a country", { type: "fiat", currency: "XOF", network: "bank" }, odd("country_code invalid_value")],
    [
      "XOF without a grant",
      { type: "fiat", currency: "XOF", network: "bank", country_code: "SN" },
      says("resource_access_required")
    ],
    [
      "a prohibited country",
      { type: "fiat", currency: "NGN", network: "bank", country_code: "RU" },
      says("prohibited_country", "country_code invalid_value")
    ],
    [
      "a country whose currency it is not",
      { type: "fiat", currency: "NGN", network: "bank", country_code: "GH" },
      says("not_found")
    ],
    ["no country", { country_code: "XX" }, odd("country_code invalid_value")],
    ["metadata that is a list", { metadata: [] }, bad("metadata invalid_type")],
    [
      "metadata of 51 keys",
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`k${n}`, "v"])) },
      bad("metadata too_long")
    ]
  ]
  rows(table, (s, change) => at(s.wallet, { type: "crypto", network: "base", ...change }))

  const other: ReadonlyArray<readonly [string, (s: Stock) => Request, ExpectedRefusal]> = [
    ["nothing", (s) => at(s.wallet, {}), bad("type required", "network required")],
    [
      "fiat for fiat",
      (s) => at(s.naira, { type: "fiat", currency: "KES", network: "bank" }),
      odd("currency invalid_value")
    ],
    [
      "fiat, for a customer who is not approved",
      (s) => at(s.customer_wallet, { type: "fiat", currency: "NGN", network: "bank" }),
      odd("type invalid_value")
    ],
    ["a malformed wallet", () => at("da_1", { type: "crypto", network: "base" }), odd("id invalid_format")],
    ["an unknown wallet", () => at(unknown("wal"), { type: "crypto", network: "base" }), says("not_found")],
    [
      "an unknown wallet, before an unknown currency",
      () => at(unknown("wal"), { type: "crypto", network: "base", currency: "BTC" }),
      says("not_found")
    ],
    [
      "a viewer's key",
      (s) => at(s.wallet, { type: "crypto", network: "base" }, { key: s.keys.viewer }),
      says("forbidden")
    ],
    ["no key", (s) => at(s.wallet, { type: "crypto", network: "base" }, { key: null }), says("authentication_failed")]
  ]
  it.each(other)("%s", async (_, request, expected) => {
    await expectRefusal(s, request(s), expected)
  })
})

covers("CREDENTIAL-5", "CREDENTIAL-6")
describe("reading wallet credentials is refused with", () => {
  const table: ReadonlyArray<readonly [string, (s: Stock) => string, ExpectedRefusal]> = [
    ["a malformed wallet", () => "/v1/wallets/x/credentials", odd("id invalid_format")],
    ["an unknown wallet", () => `/v1/wallets/${unknown("wal")}/credentials`, says("not_found")],
    ["a page of nothing", (s) => `/v1/wallets/${s.wallet}/credentials?page=0`, odd("page invalid_value")],
    ["201 a page", (s) => `/v1/wallets/${s.wallet}/credentials?per_page=201`, odd("per_page invalid_value")],
    ["a page that is a word", (s) => `/v1/wallets/${s.wallet}/credentials?page=two`, odd("page invalid_value")],
    ["another status", (s) => `/v1/wallets/${s.wallet}/credentials?status=open`, odd("status invalid_value")],
    ["a malformed credential", (s) => `/v1/wallets/${s.wallet}/credentials/da_1`, odd("credentialId invalid_format")],
    ["an unknown credential", (s) => `/v1/wallets/${s.wallet}/credentials/${unknown("wcr")}`, says("not_found")],
    ["another wallet", (s) => `/v1/wallets/${s.empty}/credentials/${credential}`, says("not_found")]
  ]
  it.each(table)("%s", async (_, path, expected) => {
    await expectRefusal(s, { path: path(s) }, expected)
  })
})

covers("CREDENTIAL-8")
describe("the operator's call on a wallet credential is refused", () => {
  const operate = (id: string, act: string, key: string | null = operatorToken): Request => ({
    path: `/operator/v1/credentials/${id}/${act}`,
    method: "POST",
    body: {},
    key
  })

  it.each(["freeze", "unfreeze", "disable", "forward"])(
    "to %s one that is malformed or unknown, or with a merchant's key",
    async (act) => {
      await expectRefusal(s, operate("x", act), odd("id invalid_format"))
      await expectRefusal(s, operate(unknown("wcr"), act), says("not_found"))
      await expectRefusal(s, operate(credential, act, s.api.key), says("authentication_failed"))
    }
  )

  it.each(["freeze", "unfreeze"])("to %s one that is pending", async (act) => {
    await expectRefusal(s, operate(credential, act), says("invalid_status"))
  })

  it("to do anything to one that is disabled", async () => {
    const { id } = await s.make(`/v1/wallets/${s.wallet}/credentials`, { type: "crypto", network: "base" })
    await s.operate(`/operator/v1/credentials/${id}/disable`, { body: {} })
    for (const act of ["freeze", "unfreeze", "disable"])
      await expectRefusal(s, operate(id, act), says("invalid_status"))
  })

  it("to forward where nothing stands: its wallet's own currency, nothing arrived, all forwarded", async () => {
    await expectRefusal(s, operate(credential, "forward"), says("invalid_status"))
    const { id } = await s.make(`/v1/wallets/${s.wallet}/credentials`, {
      type: "fiat",
      currency: "NGN",
      network: "bank"
    })
    await expectRefusal(s, operate(id, "forward"), says("invalid_status"))
    const full = await onCredential(s)
    const { json } = await s.operate(`/operator/v1/credentials/${full}/forward`, { body: {} })
    expect(json.data).toMatchObject({
      source_type: "deposit_forward",
      status: "confirmed",
      source_amount: "150750.00",
      received_amount: "99.74"
    })
    await expectRefusal(s, operate(full, "forward"), says("invalid_status"))
  })
})

describe("a pay-in of the sandbox to a credential is refused with", () => {
  const table: ReadonlyArray<readonly [string, (s: Stock) => object, ExpectedRefusal]> = [
    ["a malformed credential", () => ({ credential_id: "da_1" }), odd("credential_id invalid_format")],
    ["an unknown credential", () => ({ credential_id: unknown("wcr") }), says("not_found")],
    [
      "a credential and its wallet",
      (s) => ({ credential_id: credential, wallet_id: s.wallet }),
      bad("wallet_id invalid_value")
    ],
    [
      "more decimals than an amount has",
      () => ({ credential_id: credential, amount: `0.${"0".repeat(18)}1` }),
      bad("amount invalid_format")
    ]
  ]
  it.each(table)("%s", async (_, body, expected) => {
    await expectRefusal(s, { path: "/sandbox/deposits", method: "POST", body: { amount: "5", ...body(s) } }, expected)
  })

  it("an unknown credential that is to be issued", async () => {
    await expectRefusal(
      s,
      { path: `/sandbox/credentials/${unknown("wcr")}`, method: "POST", body: { outcome: "issued" } },
      says("not_found")
    )
  })
})
