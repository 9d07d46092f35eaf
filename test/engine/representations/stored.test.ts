/** Bodies of rows, and those that are stored in other resources: shown as their schema is today, whatever release has stored them. */
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import type { Row } from "../../../src/engine/ports/Storage.ts"
import type { BatchData } from "../../../src/machines/movements/batch.ts"
import { batchBody } from "../../../src/engine/representations/movements/batch.ts"
import { covers } from "../../support/repository/covers.ts"
import { bodyOf, fitToSchema } from "../../../src/engine/representations/members.ts"

const shownAs = fitToSchema(
  Schema.Struct({
    id: Schema.String,
    label: Schema.NullOr(Schema.String),
    rail: Schema.optionalKey(Schema.String),
    memo: Schema.NullOr(Schema.String)
  })
)

describe("a stored body", () => {
  const now = { id: "ben_1", label: "Suppliers", rail: "payshap", memo: null }
  it("of today is shown as it is", () => {
    expect(shownAs(now)).toBe(now)
  })
  for (const [why, stored, shown] of [
    ["without its last member", { id: "1", label: "a", rail: "b" }, { id: "1", label: "a", rail: "b", memo: null }],
    ["without a member that may be absent", { id: "1", label: "a", memo: "b" }, { id: "1", label: "a", memo: "b" }],
    ["whose member is undefined", { ...now, memo: undefined }, now],
    ["with a member that is gone", { ...now, old: "x" }, now],
    ["with another name", { ...now, memo: undefined, remark: "x" }, now],
    ["in another order", { memo: null, label: "Suppliers", id: "ben_1", rail: "payshap" }, now]
  ] as const) {
    it(`${why} is shown by the schema`, () => {
      expect(JSON.stringify(shownAs(stored))).toBe(JSON.stringify(shown))
    })
  }
})

covers("BATCH-6")
it("of a batch that an earlier release cancelled has no totals where no row had begun", () => {
  const sums = [{ currency: "USDC", amount: "4000000" }]
  const totals = { source: sums, received: sums, fees: sums }
  const data = { reference: "old", rows: 2, valid: 2, failed: 1, totals, confirmed_at: null, ended_at: 1 }
  const shown = (created: number, status: string) => {
    const row = { id: "bat_1", status, created_at: 0, updated_at: 0, data: { ...data, created } }
    const { fees, received, totals } = batchBody(row as unknown as Row<BatchData>)
    return [totals, received, fees].map(({ length }) => length)
  }
  expect(shown(0, "cancelled")).toEqual([0, 0, 0])
  expect(shown(1, "cancelled")).toEqual([1, 1, 1])
  expect(shown(0, "draft")).toEqual([1, 1, 1])
})

describe("the body of a row", () => {
  const Body = Schema.Struct({
    id: Schema.String,
    status: Schema.String,
    amount: Schema.String,
    label: Schema.NullOr(Schema.String),
    report: Schema.Unknown,
    rail: Schema.optionalKey(Schema.String),
    created_at: Schema.String,
    updated_at: Schema.String
  })
  interface Data {
    readonly amount: string
    readonly label?: string | null
    readonly report?: unknown
    readonly rail?: string
    readonly hash: string
  }
  const body = bodyOf(Body, ({ data }: Row<Data>, currency: string) => ({ amount: `${data.amount} ${currency}` }))
  const shown = (data: Data) =>
    body({ id: "tfr_1", status: "success", created_at: 0, updated_at: 1000, data } as Row<Data>, "USDC")
  const times = { created_at: "1970-01-01T00:00:00.000Z", updated_at: "1970-01-01T00:00:01.000Z" }

  it("has the members of its schema alone, what is given before what is stored", () => {
    expect(shown({ amount: "25", label: "a", report: 1, rail: "b", hash: "secret" })).toEqual({
      ...{ id: "tfr_1", status: "success", amount: "25 USDC", label: "a", report: 1, rail: "b" },
      ...times
    })
  })
  it("has null for what was stored without, where it may be null", () => {
    const all = shown({ amount: "25", hash: "secret" })
    expect(all).toEqual({ id: "tfr_1", status: "success", amount: "25 USDC", label: null, report: null, ...times })
    expect("rail" in all).toBe(false)
  })
})
