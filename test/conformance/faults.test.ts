/** Each seeded fault of the reference connector is found by the conformance kit, from outside. */
import { describe, expect, it } from "vitest"
import { faults } from "../../examples/connector-node/faults.ts"
import { idsOf, reportOf } from "../support/connectors/conformance.ts"
import { argsOf, envOf, foundBy } from "../support/connectors/found-by.ts"
import { inTurn } from "../support/repository/turns.ts"

/** What makes the events and callbacks that cases at the end of a run look at. */
const traffic: Readonly<Record<string, string>> = {
  "events/once": "events/outcome",
  "callbacks/repeated": "payouts/many-at-once",
  "callbacks/signed": "callbacks/outcome"
}

describe("a seeded fault is found", () => {
  it("each of them has a case that finds it", () => {
    expect(Object.keys(foundBy).toSorted()).toEqual(Object.keys(faults).toSorted())
    expect(Object.keys(faults).length).toBeGreaterThanOrEqual(12)
  })

  describe.concurrent("by the cases of its area", () => {
    const those = inTurn("a fault of a connector", Object.entries(foundBy), ([fault]) => fault)
    it.for(those)("%s", async ([fault, found], { expect }) => {
      const only = found.flatMap((id) => [id, ...(traffic[id] === undefined ? [] : [traffic[id]])])
      const args = ["--only", only.join(","), "--settle-within", "15", "--callback-within", "10", ...argsOf(fault)]
      const report = await reportOf("node", args, envOf(fault))
      expect(found.filter((id) => !idsOf(report, "failed").includes(id))).toEqual([])
      expect(idsOf(report, "not-run")).toEqual([])
      expect(report.code).toBe(1)
    })
  })
})
