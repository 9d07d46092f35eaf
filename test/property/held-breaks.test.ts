/** What a break is of which people hold lines, from these lines and the books (BREAK-8). */
import { expect, it } from "vitest"
import { computeHeldDifference } from "../../src/engine/resources/reconciliation/held-breaks.ts"
import { covers } from "../support/repository/covers.ts"

type Line = Parameters<typeof computeHeldDifference>[1][number]
type Found = Parameters<typeof computeHeldDifference>[0]

const line = (id: string): Line =>
  ({ id, data: { direction: "debit", amount: "100", statement_id: "stm_1" } }) as unknown as Line
const twice: Found = {
  ...{ kind: "executed_twice", severity: "high", amount: "100", direction: "debit", exposure: "100" },
  ...{ line_ids: ["a", "b"], resource_ids: ["adj_1"], candidates: [], adopt: null }
}
const paid = { resource_id: "adj_1", version: 1, direction: "debit", amount: 100n, day: "2026-01-05" } as const
const open = [{ ...paid, open: true, isPayout: false }]

covers("BREAK-8")
it("tells lines from a payment, but not from one that they are exactly", () => {
  expect(computeHeldDifference(twice, [line("a"), line("b")], open)).toMatchObject({ amount: "100", told_from: [{}] })
  expect(computeHeldDifference(twice, [line("a")], open)).toMatchObject({
    amount: "100",
    told_from: [],
    exposure: "100"
  })
  expect(computeHeldDifference(twice, [line("c")], open)).toMatchObject({ kind: "missing_in_books", exposure: null })
  expect(computeHeldDifference(twice, [], open)).toBeUndefined()
})

covers("BREAK-8")
it("tells lines of another amount from a payment under way as from one that the books have, once", () => {
  const differs: Found = { ...twice, kind: "amount_differs", line_ids: ["a"], amount: "20", exposure: "20" }
  const due = { direction: "debit", amount: 80n } as const
  expect(computeHeldDifference(differs, [line("a")], [], [due])).toMatchObject({
    amount: "20",
    exposure: "20",
    told_from: []
  })
  const moved = open.map((one) => ({ ...one, amount: 80n }))
  expect(computeHeldDifference(differs, [line("a")], moved)).toMatchObject({
    amount: "20",
    told_from: [{ amount: "80" }]
  })
  expect(computeHeldDifference(differs, [line("a")], moved, [due])).toMatchObject({ amount: "20", told_from: [{}] })
  expect(computeHeldDifference(differs, [line("a")], [], [{ ...due, direction: "credit" }])).toMatchObject({
    amount: "100"
  })
})
