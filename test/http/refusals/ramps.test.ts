/** What onramps, conversions and their quotes refuse. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { conversionQuote, onrampQuote, type Request } from "../../support/http/successful-requests.ts"
import { expectRefusal, says } from "../../support/http/refusals.ts"
import { amountRows, referenceRows, type Row } from "../../support/http/refused-values.ts"
import { type Stock, startStocked, unknown } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await startStocked()
})
afterAll(() => s.api.close())

const rows = (path: string, table: ReadonlyArray<Row>, more: object = {}): void => {
  it.each(table)("%s", async (_, body, expected) => {
    await expectRefusal(
      s,
      { path, method: "POST", body: { ...more, ...(body(s) as object) } } satisfies Request,
      expected
    )
  })
}

const bad = (...fields: ReadonlyArray<string>) => says("bad_request", ...fields)
const odd = (field: string) => says("invalid_input", `${field} invalid_value`)

covers("QUOTE-4", "ONRAMP-2", "ERROR-3", "ACCESS-2")
describe.each([
  ["/v1/onramps/quotes", {}],
  ["/v1/quotes", { operation: "onramp" }]
])("an onramp quote at %s is refused with", (path, more) => {
  const valid = (s: Stock) => ({ wallet_id: s.wallet, source_currency: "NGN" })
  const priced = (s: Stock) => ({ ...valid(s), source_amount: "150000" })
  rows(
    path,
    [
      ...amountRows("source_amount", valid, "bad_request"),
      ...amountRows("target_amount", valid, "bad_request"),
      ...referenceRows(priced, "bad_request"),
      ["nothing", () => ({}), bad("wallet_id required", "source_currency required")],
      ["no amount", valid, bad("source_amount required", "target_amount required")],
      [
        "both amounts",
        (s) => ({ ...priced(s), target_amount: "10" }),
        bad("source_amount invalid_value", "target_amount invalid_value")
      ],
      [
        "a malformed wallet id",
        (s) => ({ ...priced(s), wallet_id: "x" }),
        says("invalid_input", "wallet_id invalid_format")
      ],
      [
        "a currency in lower case",
        (s) => ({ ...priced(s), source_currency: "ngn" }),
        bad("source_currency invalid_format")
      ],
      ["a country there is not", (s) => ({ ...priced(s), country_code: "XX" }), odd("country_code")],
      [
        "a prohibited country",
        (s) => ({ ...priced(s), country_code: "IR" }),
        says("prohibited_country", "country_code invalid_value")
      ],
      ["an unknown wallet", (s) => ({ ...priced(s), wallet_id: unknown("wal") }), says("not_found")],
      ["an unknown currency", (s) => ({ ...priced(s), source_currency: "ABC" }), says("not_found")],
      ["a currency of another country", (s) => ({ ...priced(s), country_code: "GH" }), says("not_found")],
      ["a code of two countries", (s) => ({ ...priced(s), source_currency: "XOF" }), odd("country_code")],
      ["a gated currency", (s) => ({ ...priced(s), source_currency: "EUR" }), says("resource_access_required")],
      [
        "a gated currency of a country",
        (s) => ({ ...priced(s), source_currency: "XOF", country_code: "SN" }),
        says("resource_access_required")
      ],
      ["a currency that cannot", (s) => ({ ...priced(s), source_currency: "UGX" }), odd("source_currency")],
      ["crypto as its source", (s) => ({ ...priced(s), source_currency: "USDT" }), odd("source_currency")],
      ["a fiat wallet", (s) => ({ ...priced(s), wallet_id: s.naira }), odd("wallet_id")],
      [
        "three decimals of naira",
        (s) => ({ ...valid(s), source_amount: "1.001" }),
        says("invalid_amount_precision", "source_amount invalid_value")
      ],
      [
        "seven decimals of USDC as target",
        (s) => ({ ...valid(s), target_amount: "1.0000001" }),
        says("invalid_amount_precision", "target_amount invalid_value")
      ],
      ["an amount that leaves nothing", (s) => ({ ...valid(s), source_amount: "100" }), odd("source_amount")],
      ["a target above the range", (s) => ({ ...valid(s), target_amount: "1000000.01" }), odd("target_amount")],
      ["the largest amount there is", (s) => ({ ...valid(s), source_amount: "9".repeat(18) }), odd("source_amount")]
    ],
    more
  )
})

covers("QUOTE-8", "QUOTE-9", "QUOTE-10", "QUOTE-12", "QUOTE-6", "ERROR-3")
describe.each([
  ["/v1/conversions/quotes", {}],
  ["/v1/quotes", { operation: "conversion" }]
])("a conversion quote at %s is refused with", (path, more) => {
  const valid = (s: Stock) => ({ source_wallet_id: s.wallet, destination_wallet_id: s.tether })
  const priced = (s: Stock) => ({ ...valid(s), source_amount: "5" })
  rows(
    path,
    [
      ...amountRows("source_amount", valid, "bad_request"),
      ...amountRows("target_amount", valid, "bad_request"),
      ...referenceRows(priced, "bad_request"),
      ["nothing", () => ({}), bad("source_wallet_id required", "destination_wallet_id required")],
      ["no amount", valid, bad("source_amount required", "target_amount required")],
      [
        "both amounts",
        (s) => ({ ...priced(s), target_amount: "10" }),
        bad("source_amount invalid_value", "target_amount invalid_value")
      ],
      [
        "a malformed wallet id",
        (s) => ({ ...priced(s), source_wallet_id: "x" }),
        says("invalid_input", "source_wallet_id invalid_format")
      ],
      ["an unknown source", (s) => ({ ...priced(s), source_wallet_id: unknown("wal") }), says("not_found")],
      ["an unknown destination", (s) => ({ ...priced(s), destination_wallet_id: unknown("wal") }), says("not_found")],
      ["one wallet twice", (s) => ({ ...priced(s), destination_wallet_id: s.wallet }), odd("destination_wallet_id")],
      [
        "two wallets of one currency",
        (s) => ({ ...priced(s), destination_wallet_id: s.empty }),
        odd("destination_wallet_id")
      ],
      [
        "wallets of different customers",
        (s) => ({ ...priced(s), source_wallet_id: s.customer_wallet }),
        odd("destination_wallet_id")
      ],
      [
        "a fiat source without a credential",
        (s) => ({ ...priced(s), source_wallet_id: s.naira }),
        odd("source_wallet_id")
      ],
      [
        "a fiat destination without a credential",
        (s) => ({ ...priced(s), destination_wallet_id: s.naira }),
        odd("destination_wallet_id")
      ],
      [
        "three decimals of USDC",
        (s) => ({ ...valid(s), source_amount: "1.001" }),
        says("invalid_amount_precision", "source_amount invalid_value")
      ],
      [
        "seven decimals of USDT as target",
        (s) => ({ ...valid(s), target_amount: "1.0000001" }),
        says("invalid_amount_precision", "target_amount invalid_value")
      ],
      ["an amount that leaves nothing", (s) => ({ ...valid(s), source_amount: "0.01" }), odd("source_amount")]
    ],
    more
  )

  it("nothing that trailing zeros make look precise", async () => {
    await s.make(path, { ...more, ...valid(s), source_amount: "1.230000" })
  })

  it("nothing of a target within the ledger's decimals", async () => {
    const quote = await s.make(path, { ...more, ...valid(s), target_amount: "1.234567" })
    if (quote.received_amount !== "1.234567") throw new Error(`the target became ${quote.received_amount}`)
  })
})

covers("MOVEMENT-4", "REFERENCE-3")
describe.each([
  ["an onramp", "/v1/onramps", onrampQuote, "NGN", "USDC"],
  ["a conversion", "/v1/conversions", conversionQuote, "USDC", "USDT"]
] as const)("%s is refused with", (_, path, quoted, source, destination) => {
  rows(path, [
    ...referenceRows((s) => ({ quote_id: s.executed }), "bad_request"),
    ["nothing", () => ({}), bad("quote_id required")],
    ["a quote id of another type", () => ({ quote_id: "wal_1" }), says("invalid_input", "quote_id invalid_format")],
    ["a quote id that is a number", () => ({ quote_id: 7 }), bad("quote_id invalid_type")],
    [
      "metadata that is nested",
      (s) => ({ quote_id: s.executed, metadata: { a: { b: "c" } } }),
      bad("metadata.a invalid_type")
    ],
    ["an unknown quote", () => ({ quote_id: unknown("quo") }), says("not_found")],
    ["an offramp's quote", (s) => ({ quote_id: s.executed }), odd("quote_id")]
  ])

  it("currencies that are not the quote's", async () => {
    const quote_id = await quoted(s)
    const body = { quote_id, source_currency: source, destination_currency: destination }
    await expectRefusal(s, { path, body: { ...body, source_currency: "GHS" } }, odd("source_currency"))
    await expectRefusal(
      s,
      { path, body: { ...body, destination_currency: destination.toLowerCase() } },
      odd("destination_currency")
    )
    await s.make(path, body)
  })

  it("a quote that was executed, also under another name", async () => {
    const quote_id = await quoted(s)
    await s.make(path, { quote_id })
    await expectRefusal(s, { path, body: { quote_id } }, says("duplicate_resource"))
    await expectRefusal(s, { path, body: { quote_id, reference: "again" } }, says("duplicate_resource"))
  })

  covers("REFERENCE-3")
  it("a reference that another kind of movement has, and the quote stays good", async () => {
    const quote_id = await quoted(s)
    const reference = `mine-${path.slice(4)}`
    await s.make(path, { quote_id: await quoted(s), reference })
    const [theirs, others] =
      path === "/v1/onramps" ? (["/v1/conversions", conversionQuote] as const) : (["/v1/onramps", onrampQuote] as const)
    await s.make(theirs, { quote_id: await others(s), reference: `of another kind than ${path}` })
    for (const taken of ["stock-transfer", "stock-offramp", `of another kind than ${path}`]) {
      await expectRefusal(s, { path, body: { quote_id, reference: taken } }, says("duplicate_resource"))
    }
    await expectRefusal(
      s,
      { path: "/v1/transfers", body: { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1", reference } },
      says("duplicate_resource")
    )
    await s.make(path, { quote_id })
  })

  covers("REFERENCE-3")
  it("no reference of its own kind: it answers with the movement that has it, and does nothing", async () => {
    const first = await quoted(s)
    const reference = `again ${path}`
    const made = await s.make(path, { quote_id: first, reference })
    const other = await quoted(s)
    const expired = await quoted(s)
    const status = async (id: string) => (await s.api.ask(`/v1/quotes/${id}`)).json.data.status
    const before = s.effects.length
    const asked = (quote_id: string, headers = {}) =>
      s.api.ask(path, { body: { quote_id, reference, metadata: { other: "x" } }, headers })
    for (const quote_id of [first, other, unknown("quo"), s.executed]) {
      const answer = await asked(quote_id)
      expect([answer.status, answer.json.data], answer.text).toEqual([200, made])
      expect(answer.headers.get("idempotent-replayed")).toBe("true")
    }
    expect(await status(other)).toBe("active")
    const headers = { "idempotency-key": `reference-${path.slice(4)}` }
    const keyed = await asked(other, headers)
    const again = await asked(other, headers)
    expect([keyed.json.data, again.text]).toEqual([made, keyed.text])
    expect(s.effects.slice(before)).toEqual([])
    await s.make("/sandbox/clock/advance", { seconds: 300 })
    const late = await asked(expired)
    expect([late.status, late.json.data.id, await status(expired)]).toEqual([200, made.id, "expired"])
    expect(
      (await s.api.ask(path, { body: { quote_id: await quoted(s) } })).headers.get("idempotent-replayed")
    ).toBeNull()
  })

  it("an expired quote, from the instant of its expires_at", async () => {
    const quote_id = await quoted(s)
    await s.make("/sandbox/clock/advance", { seconds: 300 })
    await expectRefusal(s, { path, body: { quote_id } }, says("invalid_status"))
  })

  covers("QUOTE-7")
  it("the quote of another operation", async () => {
    await expectRefusal(
      s,
      { path, body: { quote_id: await (quoted === onrampQuote ? conversionQuote : onrampQuote)(s) } },
      odd("quote_id")
    )
    await expectRefusal(s, { path: "/v1/offramps", body: { quote_id: await quoted(s) } }, odd("quote_id"))
  })
})

describe("funds", () => {
  it("that a wallet does not have are no conversion's, and the quote stays active", async () => {
    const { id: quote_id } = await s.make("/v1/conversions/quotes", {
      source_wallet_id: s.empty,
      destination_wallet_id: s.tether,
      source_amount: "5"
    })
    await expectRefusal(s, { path: "/v1/conversions", body: { quote_id } }, says("ledger_insufficient_funds"))
    const { json } = await s.api.ask(`/v1/quotes/${quote_id}`)
    if (json.data.status !== "active") throw new Error("the quote was executed")
  })
})

describe("a read is refused with", () => {
  it.each([
    ["/v1/onramps?status=created", says("invalid_input", "status invalid_value")],
    ["/v1/conversions?status=awaiting_deposit", says("invalid_input", "status invalid_value")],
    ["/v1/conversions?per_page=201", says("invalid_input", "per_page invalid_value")],
    [`/v1/onramps/${unknown("ofr")}`, says("invalid_input", "id invalid_format")],
    [`/v1/onramps/${unknown("onr")}`, says("not_found")],
    [`/v1/conversions/${unknown("con")}`, says("not_found")]
  ])("%s", async (path, expected) => {
    await expectRefusal(s, { path }, expected)
  })
})

describe("the sandbox", () => {
  it("knows no onramp that there is not, and takes one target", async () => {
    const body = { onramp_id: unknown("onr"), amount: "5" }
    await expectRefusal(s, { path: "/sandbox/deposits", body }, says("not_found"))
    await expectRefusal(s, { path: "/sandbox/deposits", body: { ...body, wallet_id: s.wallet } }, says("bad_request"))
  })
})
