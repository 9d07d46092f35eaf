/** The acts of a decision, from its rows (LIMITS-11, APPROVAL-16). */
import { describe, expect, it } from "vitest"
import { listActs, sumActs, subtractGivenBack } from "../../../src/engine/commit/acts.ts"
import type { Call } from "../../../src/engine/commit/call.ts"
import type { RowWrite } from "../../../src/engine/ports/Storage.ts"
import { kinds } from "../../../src/engine/registry.ts"
import { call } from "../../support/merchants/caller.ts"
import { covers } from "../../support/repository/covers.ts"

const row = (kind: string, via: string, data: object, version = 1): RowWrite => ({
  ...{ merchant_id: "mer_1", kind, id: `${kind}_1`, version, machine: "1", state: "", status: "", customer_id: null },
  ...{ root_id: null, created_at: 0, updated_at: 0, hidden: false, event_count: 0, index_keys: [], from: null },
  ...{ via, data }
})
const entry = row("adjusting_entry", "create", { amount: "700", currency: "USDC" })
const exception = row("exception", "adjusted", { amount: "700", currency: "USDC" }, 2)
const found = (act: Call["act"], ...rows: ReadonlyArray<RowWrite>) =>
  listActs(kinds, act === undefined ? call() : call({ act }), [{ rows }])

describe("the acts of a decision", () => {
  covers("APPROVAL-16", "LIMITS-11")
  it("are those of its rows, and the first word of its operation, each with what it comes to, once", () => {
    const words = ["adjusting_entry", "break_resolution", "exception_credit"] as const
    const both = found({ words, field: "id" }, entry, exception)!
    expect(both.words).toEqual(["adjusting_entry", "exception_credit"])
    expect(sumActs(both.sums)).toEqual([["700", "USDC"]])
    expect(both.first?.kind).toBe("adjusting_entry")
    // A word without an amount has that of what is posted with it.
    const resolved = found(
      { words: ["break_resolution", "adjusting_entry"], field: "id" },
      row("break", "resolved", {}),
      entry
    )!
    expect(resolved.limited.map(({ sums, words }) => [words[0], sumActs(sums)])).toEqual([
      ["break_resolution", [["700", "USDC"]]],
      ["adjusting_entry", [["700", "USDC"]]]
    ])
    expect(found({ words: ["break_resolution"], field: "id" }, row("break", "resolved", {}))!.sums).toEqual([])
    const adopted = { adopted_amount: "700", currency: "USDC" }
    for (const via of ["resolved", "reopened"]) {
      const { sums } = found({ words: ["break_resolution"], field: "id" }, row("break", via, adopted))!
      expect(sumActs(sums)).toEqual([["700", "USDC"]])
    }
    expect(found(undefined, row("break", "found", adopted))).toBeUndefined()
    expect(found({ words: ["limit"], field: "id" })).toBeUndefined()
    expect(found(undefined, row("break", "resolved", {}))).toBeUndefined()
  })

  covers("APPROVAL-16")
  it("are a defect where an operation does not say that it is one of them", () => {
    expect(() => found({ words: [], field: "body" }, entry)).toThrow("adjusting_entry")
    expect(() => found({ words: ["adjusting_entry"], field: "body" }, entry, exception)).toThrow("exception_credit")
    expect(found(undefined, entry, exception)!.words).toEqual(["adjusting_entry", "exception_credit"])
  })
})

covers("LIMITS-13")
it("a counter has room again for what the same commit gives back, in its bucket and no lower than nothing", () => {
  const stored = [
    {
      key: "a",
      amounts: [
        { bucket: 1, amount: "5" },
        { bucket: 2, amount: "7" }
      ]
    },
    { key: "b", amounts: [{ bucket: 1, amount: "5" }] }
  ]
  const write = (key: string, bucket: number, add: string) => ({ key, bucket, from: null, add, max: null })
  expect(
    subtractGivenBack(stored, [write("a", 1, "-3"), write("a", 2, "4"), write("b", 1, "-9"), write("b", 2, "-1")])
  ).toEqual([
    {
      key: "a",
      amounts: [
        { bucket: 1, amount: "2" },
        { bucket: 2, amount: "7" }
      ]
    },
    { key: "b", amounts: [{ bucket: 1, amount: "0" }] }
  ])
})
