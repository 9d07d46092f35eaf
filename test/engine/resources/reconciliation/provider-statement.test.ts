/** What a provider's own statement becomes, line by line and balance by balance (INGEST-8). */
import { assert, it } from "vitest"
import type { StatementLine } from "../../../../src/engine/ports/Provider.ts"
import { readLines, splitReadable } from "../../../../src/engine/resources/reconciliation/provider-statement.ts"
import { covers } from "../../../support/repository/covers.ts"

const now = Date.parse("2026-05-04T12:00:00Z")
const account = { currency: "USDC", time_zone: "UTC" } as const
const line = (id: string, booked_at: number): StatementLine => ({
  ...{ id, booked_at, direction: "debit", amount: "1", currency: "USDC" },
  ...{ command_id: null, payin_id: null, provider_reference: null, transaction_hash: null, narration: null }
})
const impossible = [
  ...["9999-12-31", "1900-01-01", "1969-12-31", "2027-06-09"].map((day) => Date.parse(day)),
  ...[Number.NaN, Infinity, 8_640_000_000_000_001]
]

covers("INGEST-8")
it.each(impossible)("refuses a line that was booked at %d, and hides no other", (booked_at) => {
  const { lines, refused } = readLines(account, [line("a", booked_at), line("b", now)], now)
  assert.deepEqual(
    lines.map(({ bank_reference, booked_on }) => [bank_reference, booked_on]),
    [["b", "2026-05-04"]]
  )
  assert.deepEqual(
    refused.map((one) => (one.line as StatementLine).id),
    ["a"]
  )
  assert.match(refused[0]!.fault, /^booked_at is .*; it takes a time from 1970-01-01 to 2027-06-08$/)
})

covers("INGEST-8")
it.each(impossible)("refuses a balance of the time %d, and leaves the page without it", (at) => {
  const balances = [{ currency: "USDC", amount: "5" }]
  const closing = { block: "7", at: now, balances }
  for (const name of ["opening", "closing"] as const) {
    const { faults, page } = splitReadable(
      { lines: [], cursor: "1", closing, [name]: { block: "8", at, balances } },
      now
    )
    assert.strictEqual(page[name], undefined)
    assert.strictEqual(page.cursor, "1")
    assert.match(faults[0]!.fault, new RegExp(`^${name}.at is .*; it takes a time from 1970-01-01 to 2027-06-08$`))
  }
  assert.deepEqual(splitReadable({ lines: [], cursor: "1", closing }, now), {
    faults: [],
    page: { lines: [], cursor: "1", closing }
  })
})
