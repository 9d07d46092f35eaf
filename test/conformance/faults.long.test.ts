/** The whole conformance kit over every seeded fault: what it reports, and that it ends. */
import { describe, it } from "vitest"
import { idsOf, reportOf } from "../support/connectors/conformance.ts"
import { argsOf, envOf, foundBy } from "../support/connectors/found-by.ts"

/** Faults that touch every answer: nearly every case fails. */
const everywhere: ReadonlySet<string> = new Set(["unsigned-answers", "unbound-answers"])
/** Cases that see a fault of payouts beside those of its own area, at most. */
const others = 45

describe.concurrent("the whole kit over a seeded fault", () => {
  it.for(Object.entries(foundBy))("%s", { timeout: 300_000 }, async ([fault, found], { expect }) => {
    const args = ["--settle-within", "6", "--callback-within", "6", ...argsOf(fault)]
    const report = await reportOf("node", args, envOf(fault))
    const failed = idsOf(report, "failed")
    expect(found.filter((id) => !failed.includes(id))).toEqual([])
    expect(idsOf(report, "not-run")).toEqual([])
    expect(report.code).toBe(1)
    expect(failed.length > others).toBe(everywhere.has(fault))
  })
})
