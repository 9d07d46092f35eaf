/** Bodies that are stored in other resources: shown as their schema is today, whatever release has stored them. */
import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { fitToSchema } from "../../../src/engine/representations/members.ts"

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
