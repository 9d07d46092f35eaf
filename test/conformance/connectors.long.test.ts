/** The reference connectors keep the whole protocol, as the conformance kit sees it. */
import { describe, expect, it } from "vitest"
import { cases } from "../../src/conformance/cases.ts"
import { idsOf, reportOf } from "../support/connectors/conformance.ts"
import { onEachImplementation } from "../support/connectors/each-connector.ts"

// A run waits for most of its time.
describe.concurrent("the conformance kit", () => {
  onEachImplementation("on a reference connector", (implementation) => {
    it("passes every case, and skips none", async () => {
      const report = await reportOf(implementation)
      expect(report.verdicts.filter(({ status }) => status !== "passed")).toEqual([])
      expect(idsOf(report, "passed").toSorted()).toEqual(cases.map(({ id }) => id).toSorted())
      expect(report.code).toBe(0)
      expect(report.restarts).toBeGreaterThanOrEqual(3)
      expect(Number(report.moved["NGN"])).toBeGreaterThan(0)
    })
  })
})

describe("the cases", () => {
  it("are forty or more, each with an id of its own under its area, its rule, and what breaking it costs", () => {
    expect(cases.length).toBeGreaterThanOrEqual(40)
    const ids = cases.map(({ id }) => id)
    expect(ids.filter((id, i) => ids.indexOf(id) < i || !/^[a-z]+\/[a-z-]+$/.test(id))).toEqual([])
    expect(cases.filter(({ rule, why }) => !/^[A-Z`].*\.$/.test(rule) || !/^[A-Z`].*\.$/.test(why))).toEqual([])
  })
})
