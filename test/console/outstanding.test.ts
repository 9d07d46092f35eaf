/** What the console lists as on no statement yet: the sum of the list is what the books have and the lines do not. */
import { expect, it } from "vitest"
import type { BankStatementLine, Movement } from "../../src/client/generated/resources.ts"
import { add, isZero } from "../../src/console/parts/decimal.ts"
import { outstandingOf } from "../../src/console/pages/treasury/booked.ts"
import { covers } from "../support/repository/covers.ts"

const account = {
  currency: "NGN",
  opening: { date: "2026-01-02", balance: "0.00" },
  time_zone: "Africa/Lagos",
  uses: ["payouts", "payins"]
} as const

const movement = (different: Partial<Movement>): Movement =>
  ({
    id: "txn_1",
    source_id: "ofr_1",
    type: "offramp",
    status: "success",
    source_amount: "160.00",
    source_currency: "USDC",
    destination_amount: "242930.00",
    destination_currency: "NGN",
    received_amount: null,
    created_at: "2026-01-05T09:00:00.000Z",
    updated_at: "2026-01-05T10:00:00.000Z",
    ...different
  }) as Movement

const line = (direction: "credit" | "debit"): BankStatementLine =>
  ({
    direction,
    status: "matched",
    matches: [{ resource_id: "ofr_1", amount: "242930.00", rule: "command_id" }]
  }) as unknown as BankStatementLine

const sumOn = (date: string, one: Movement, ...lines: ReadonlyArray<BankStatementLine>): string =>
  outstandingOf(account, [one], lines, date).reduce((sum, { amount }) => add(sum, amount), "0")

covers("CONSOLE-8")
it("counts what went and what came back of a movement that was returned, each until a line is it", () => {
  const returned = movement({ status: "returned", updated_at: "2026-01-06T10:00:00.000Z" })
  const refunded = movement({ type: "onramp", status: "returned", source_amount: "242930.00", source_currency: "NGN" })
  expect(sumOn("2026-01-05", movement({}))).toBe("-242930.00")
  for (const one of [returned, refunded]) {
    expect(isZero(sumOn("2026-01-06", one))).toBe(true)
    expect(sumOn("2026-01-06", one, line("debit"))).toBe("242930.00")
    expect(sumOn("2026-01-06", one, line("credit"))).toBe("-242930.00")
    expect(outstandingOf(account, [one], [line("credit"), line("debit")], "2026-01-06")).toEqual([])
  }
  // At the end of the day before, it had gone, and had not come back.
  expect(sumOn("2026-01-05", returned)).toBe("-242930.00")
})

it("has nothing of a day after, and nothing that the opening balance has", () => {
  expect(outstandingOf(account, [movement({})], [], "2026-01-04")).toEqual([])
  const before = movement({ created_at: "2026-01-01T22:59:59.999Z" })
  expect(outstandingOf(account, [before], [], "2026-01-05")).toEqual([])
  expect(sumOn("2026-01-05", { ...before, created_at: "2026-01-01T23:00:00.000Z" })).toBe("-242930.00")
})
