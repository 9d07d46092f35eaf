/** What quotes, offramps and transfers refuse: amounts, what does not fit together, states, references and funds. */
import { afterAll, beforeAll, describe, it } from "vitest"
import type { Request } from "../../support/http/successful-requests.ts"
import { expectRefusal, type ExpectedRefusal, says } from "../../support/http/refusals.ts"
import { amountRows, referenceRows, type Row } from "../../support/http/refused-values.ts"
import { type Stock, startStocked, unknown } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await startStocked()
})
afterAll(() => s.api.close())

const rows = (path: string, table: ReadonlyArray<Row>): void => {
  it.each(table)("%s", async (_, body, expected) => {
    await expectRefusal(s, { path, method: "POST", body: body(s) } satisfies Request, expected)
  })
}

covers(
  "TRANSFER-3",
  "TRANSFER-4",
  "AMOUNT-3",
  "REFERENCE-3",
  "AUTH-3",
  "ERROR-4",
  "ERROR-15",
  "ERROR-20",
  "AMOUNT-2",
  "REFERENCE-1",
  "CURRENCY-11",
  "MOVEMENT-4"
)
describe("a transfer is refused with", () => {
  const valid = (s: Stock) => ({ wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" })
  const bad = (...fields: ReadonlyArray<string>) => says("invalid_input", ...fields)
  rows("/v1/transfers", [
    ...amountRows("amount", valid, "invalid_input"),
    ...referenceRows(valid, "invalid_input"),
    ["nothing", () => ({}), bad("wallet_id required", "beneficiary_id required", "amount required")],
    [
      "everything wrong at once",
      () => ({
        wallet_id: 1,
        beneficiary_id: "wal_1",
        amount: "x",
        reference: " ",
        retry_on_failure: "true",
        metadata: 1
      }),
      bad(
        "wallet_id invalid_type",
        "beneficiary_id invalid_format",
        "amount invalid_format",
        "reference invalid_format",
        "retry_on_failure invalid_type",
        "metadata invalid_type"
      )
    ],
    ["a wallet id of another type", (s) => ({ ...valid(s), wallet_id: s.crypto }), bad("wallet_id invalid_format")],
    [
      "a beneficiary id of another type",
      (s) => ({ ...valid(s), beneficiary_id: s.wallet }),
      bad("beneficiary_id invalid_format")
    ],
    ["an unknown wallet", (s) => ({ ...valid(s), wallet_id: unknown("wal") }), says("not_found")],
    ["an unknown beneficiary", (s) => ({ ...valid(s), beneficiary_id: unknown("ben") }), says("not_found")],
    [
      "an unknown wallet, before what does not fit",
      (s) => ({ ...valid(s), wallet_id: unknown("wal"), source_currency: "NGN", amount: "0.001" }),
      says("not_found")
    ],
    [
      "another source currency",
      (s) => ({ ...valid(s), source_currency: "USDT" }),
      bad("source_currency invalid_value")
    ],
    [
      "the source currency in lower case",
      (s) => ({ ...valid(s), source_currency: "usdc" }),
      bad("source_currency invalid_value")
    ],
    [
      "another destination currency",
      (s) => ({ ...valid(s), destination_currency: "NGN" }),
      bad("destination_currency invalid_value")
    ],
    ["a fiat beneficiary", (s) => ({ ...valid(s), beneficiary_id: s.fiat }), bad("beneficiary_id invalid_value")],
    [
      "a beneficiary of another currency",
      (s) => ({ ...valid(s), beneficiary_id: s.crypto_usdt }),
      bad("beneficiary_id invalid_value")
    ],
    [
      "a beneficiary on another network",
      (s) => ({ ...valid(s), beneficiary_id: s.crypto_on_base }),
      bad("beneficiary_id invalid_value")
    ],
    [
      "a beneficiary of another customer",
      (s) => ({ ...valid(s), beneficiary_id: s.crypto_of_customer }),
      bad("beneficiary_id invalid_value")
    ],
    ["a fiat wallet", (s) => ({ ...valid(s), wallet_id: s.naira }), bad("beneficiary_id invalid_value")],
    [
      "a fiat wallet and a fiat beneficiary",
      (s) => ({ ...valid(s), wallet_id: s.naira, beneficiary_id: s.fiat }),
      bad("beneficiary_id invalid_value")
    ],
    [
      "three decimals",
      (s) => ({ ...valid(s), amount: "1.001" }),
      says("invalid_amount_precision", "amount invalid_value")
    ],
    [
      "decimals beyond the ledger",
      (s) => ({ ...valid(s), amount: "1.000000000000000001" }),
      says("invalid_amount_precision", "amount invalid_value")
    ],
    ["less than the least", (s) => ({ ...valid(s), amount: "0.99" }), bad("amount invalid_value")],
    ["more than the most", (s) => ({ ...valid(s), amount: "1000000.01" }), bad("amount invalid_value")],
    ["the most, without the funds", (s) => ({ ...valid(s), amount: "1000000.00" }), says("ledger_insufficient_funds")],
    ["an empty wallet", (s) => ({ ...valid(s), wallet_id: s.empty }), says("ledger_insufficient_funds")],
    ["a reference of a transfer", (s) => ({ ...valid(s), reference: "stock-transfer" }), says("duplicate_resource")],
    ["a reference of an offramp", (s) => ({ ...valid(s), reference: "stock-offramp" }), says("duplicate_resource")],
    [
      "a reference in use, before the funds",
      (s) => ({ ...valid(s), wallet_id: s.empty, reference: "stock-transfer" }),
      says("duplicate_resource")
    ]
  ])
})

covers("QUOTE-4", "QUOTE-6", "AMOUNT-3", "CURRENCY-11")
describe.each(["/v1/offramps/quotes", "/v1/quotes"])("a quote at %s is refused with", (path) => {
  const valid = (s: Stock) => ({ wallet_id: s.wallet, beneficiary_id: s.fiat })
  const funded = (s: Stock) => ({ ...valid(s), source_amount: "10" })
  const bad = (...fields: ReadonlyArray<string>) => says("bad_request", ...fields)
  const odd = (field: string) => says("invalid_input", `${field} invalid_value`)
  rows(path, [
    ...amountRows("source_amount", valid, "bad_request"),
    ...amountRows("target_amount", valid, "bad_request"),
    ...referenceRows(funded, "bad_request"),
    ["nothing", () => ({}), bad("wallet_id required", "beneficiary_id required")],
    ["no amount", valid, bad("source_amount required", "target_amount required")],
    [
      "both amounts",
      (s) => ({ ...funded(s), target_amount: "10" }),
      bad("source_amount invalid_value", "target_amount invalid_value")
    ],
    [
      "no amount for an unknown wallet",
      (s) => ({ ...valid(s), wallet_id: unknown("wal") }),
      bad("source_amount required", "target_amount required")
    ],
    [
      "a malformed wallet id",
      (s) => ({ ...funded(s), wallet_id: "x" }),
      says("invalid_input", "wallet_id invalid_format")
    ],
    ["an unknown wallet", (s) => ({ ...funded(s), wallet_id: unknown("wal") }), says("not_found")],
    ["an unknown beneficiary", (s) => ({ ...funded(s), beneficiary_id: unknown("ben") }), says("not_found")],
    ["a crypto beneficiary", (s) => ({ ...funded(s), beneficiary_id: s.crypto }), odd("beneficiary_id")],
    [
      "a beneficiary of another customer",
      (s) => ({ ...funded(s), beneficiary_id: s.fiat_of_customer }),
      odd("beneficiary_id")
    ],
    ["a fiat wallet", (s) => ({ ...funded(s), wallet_id: s.naira }), odd("wallet_id")],
    [
      "three decimals of USDC",
      (s) => ({ ...valid(s), source_amount: "10.001" }),
      says("invalid_amount_precision", "source_amount invalid_value")
    ],
    [
      "three decimals of naira as target",
      (s) => ({ ...valid(s), target_amount: "5000.001" }),
      says("invalid_amount_precision", "target_amount invalid_value")
    ],
    ["an amount that leaves nothing", (s) => ({ ...valid(s), source_amount: "0.01" }), odd("source_amount")],
    ["a target below the range", (s) => ({ ...valid(s), target_amount: "1499" }), odd("target_amount")],
    ["a target above the range", (s) => ({ ...valid(s), target_amount: "1500000001" }), odd("target_amount")],
    ["the largest amount there is", (s) => ({ ...valid(s), source_amount: "9".repeat(18) }), odd("source_amount")]
  ])
})

covers("QUOTE-4")
describe("a quote of any operation is refused with", () => {
  const valid = (s: Stock) => ({ wallet_id: s.wallet, beneficiary_id: s.fiat, source_amount: "10" })
  rows("/v1/quotes", [
    [
      "an operation there is not",
      (s) => ({ ...valid(s), operation: "swap" }),
      says("bad_request", "operation invalid_value")
    ],
    [
      "an operation of another type",
      (s) => ({ ...valid(s), operation: 1 }),
      says("bad_request", "operation invalid_type")
    ]
  ])
})

covers("OFFRAMP-3", "OFFRAMP-5", "OFFRAMP-6", "ERROR-15")
describe("an offramp is refused with", () => {
  const valid = (s: Stock) => ({ quote_id: s.executed })
  const bad = (...fields: ReadonlyArray<string>) => says("bad_request", ...fields)
  rows("/v1/offramps", [
    ...referenceRows(valid, "bad_request"),
    ["nothing", () => ({}), bad("quote_id required")],
    ["a quote id of another type", () => ({ quote_id: "wal_1" }), says("invalid_input", "quote_id invalid_format")],
    ["a quote id that is a number", () => ({ quote_id: 7 }), bad("quote_id invalid_type")],
    [
      "a malformed id and a wrong type",
      () => ({ quote_id: "wal_1", retry_on_failure: "yes" }),
      bad("quote_id invalid_format", "retry_on_failure invalid_type")
    ],
    ["an unknown quote", () => ({ quote_id: unknown("quo") }), says("not_found")],
    [
      "another source currency",
      (s) => ({ ...valid(s), source_currency: "USDT" }),
      says("invalid_input", "source_currency invalid_value")
    ],
    [
      "another destination currency",
      (s) => ({ ...valid(s), destination_currency: "ngn" }),
      says("invalid_input", "destination_currency invalid_value")
    ],
    ["a narration of 141 characters", (s) => ({ ...valid(s), narration: "x".repeat(141) }), bad("narration too_long")],
    ["a narration with a NUL", (s) => ({ ...valid(s), narration: "a\u0000" }), bad("narration invalid_value")],
    ["an executed quote", valid, says("duplicate_resource")]
  ])

  covers("OFFRAMP-4", "ERROR-13", "QUOTE-2", "QUOTE-3")
  it("an expired quote, from the instant of its expires_at", async () => {
    const quote = await s.quote({ source_amount: "10" })
    await s.make("/sandbox/clock/advance", { seconds: 299 })
    await s.make("/sandbox/clock/advance", { seconds: 1 })
    await expectRefusal(s, { path: "/v1/offramps", body: { quote_id: quote.id } }, says("invalid_status"))
    const { json } = await s.api.ask(`/v1/quotes/${quote.id}`)
    if (json.data.status !== "expired") throw new Error("the quote does not show as expired")
  })

  covers("REFERENCE-1", "REFERENCE-3")
  it("a reference in use, and the quote stays good", async () => {
    const quote = await s.quote({ source_amount: "10" })
    for (const reference of ["stock-transfer", "stock-offramp"]) {
      await expectRefusal(
        s,
        { path: "/v1/offramps", body: { quote_id: quote.id, reference } },
        says("duplicate_resource")
      )
    }
    await s.make("/v1/offramps", { quote_id: quote.id, reference: "another" })
  })

  covers("MOVEMENT-5")
  it("an empty wallet, and the quote stays active", async () => {
    const quote = await s.quote({ wallet_id: s.empty, source_amount: "10" })
    await expectRefusal(s, { path: "/v1/offramps", body: { quote_id: quote.id } }, says("ledger_insufficient_funds"))
    const { json } = await s.api.ask(`/v1/quotes/${quote.id}`)
    if (json.data.status !== "active") throw new Error("the quote was executed")
  })
})

covers("TRANSACTION-2", "TRANSACTION-3")
describe("a read is refused with", () => {
  const table: ReadonlyArray<readonly [string, ExpectedRefusal]> = [
    ["/v1/transfers?status=created", says("invalid_input", "status invalid_value")],
    ["/v1/offramps?status=received", says("invalid_input", "status invalid_value")],
    ["/v1/transactions?type=refund", says("invalid_input", "type invalid_value")],
    ["/v1/transactions?source_type=bank", says("invalid_input", "source_type invalid_value")],
    ["/v1/transactions?status=pending&page=0", says("invalid_input", "status invalid_value", "page invalid_value")],
    [`/v1/transactions/${unknown("tfr")}`, says("invalid_input", "id invalid_format")],
    [`/v1/transactions/${unknown("txn")}`, says("not_found")]
  ]
  it.each(table)("%s", async (path, expected) => {
    await expectRefusal(s, { path }, expected)
  })
})
