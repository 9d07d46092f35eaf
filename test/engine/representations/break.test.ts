/** The version of a break: another one wherever an act on it would be about something else, and no other (BREAK-7). */
import { expect, it } from "vitest"
import type { BreakData } from "../../../src/machines/reconciliation/break.ts"
import { makeBreakVersion } from "../../../src/engine/representations/reconciliation/break.ts"
import { covers } from "../../support/repository/covers.ts"

const data: BreakData = {
  ...{ kind: "missing_in_books", severity: "low", amount: "5000", direction: "debit", exposure: null, currency: "NGN" },
  ...{ line_ids: ["stl_1", "stl_2"], resource_ids: [], candidates: [], told_from: [], adopt: null, since: 1_000 },
  ...{ external_account_id: "xac_1", statement_id: null, movements: [], held: false, settled_lines: [] },
  ...{ action: null, note: null, adjusting_entry_id: null, resolved_at: null }
}
const candidate = (resource_id: string) => ({ resource_id, amount: "5000", rule: "alike" })
const paid = { resource_id: "ofr_1", version: 3, amount: "4000" }
const ended = { action: "explain", adjusting_entry_id: "adj_1", resolved_at: 9 } as const

const versionOf = (changes: Partial<BreakData>, state = "open") =>
  makeBreakVersion({ data: { ...data, ...changes }, state })

covers("BREAK-7", "APPROVAL-18")
it.each<readonly [Partial<BreakData>, Partial<BreakData>]>([
  [{}, { kind: "contradicts_status" }],
  [{}, { severity: "high" }],
  [{}, { amount: "5001" }],
  [{}, { amount: null }],
  [{}, { direction: "credit" }],
  [{}, { exposure: "5000" }],
  [{}, { line_ids: ["stl_1"] }],
  [{}, { resource_ids: ["ofr_1"] }],
  [{}, { candidates: [candidate("ofr_1")] }],
  [{ candidates: [candidate("ofr_1")] }, { candidates: [candidate("ofr_1"), candidate("ofr_2")] }],
  [{}, { told_from: [paid] }],
  [{ told_from: [paid] }, { told_from: [{ ...paid, version: 4 }] }],
  [{}, { adopt: "ofr_1" }],
  [ended, { ...ended, action: "dismiss" }],
  [ended, { ...ended, adjusting_entry_id: "adj_2" }],
  [ended, { ...ended, resolved_at: 10 }]
])("is another one of %j and of %j", (one, other) => {
  expect(versionOf(one)).not.toBe(versionOf(other))
})

covers("BREAK-7")
it.each<readonly [Partial<BreakData>, Partial<BreakData>]>([
  [{}, { line_ids: ["stl_2", "stl_1"] }],
  [{}, { since: 2_000 }],
  [{}, { statement_ids: ["stm_1"] }],
  [{}, { note: "seen" }],
  [
    { candidates: [candidate("ofr_1"), candidate("ofr_2")] },
    { candidates: [candidate("ofr_1"), candidate("ofr_2"), candidate("ofr_3")] }
  ]
])("is the same of %j and of %j", (one, other) => {
  expect(versionOf(one)).toBe(versionOf(other))
})

covers("BREAK-7")
it("is another one of an open break than of a resolved one, and no number", () => {
  expect(versionOf({})).not.toBe(versionOf({}, "resolved"))
  expect(versionOf({})).toMatch(/^v[0-9a-f]{16}$/)
})
