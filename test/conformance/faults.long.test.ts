/**
 * The whole conformance kit over a seeded fault: what it reports, and that it ends. `faults.test.ts` has each fault over the
 * cases that find it; here is one for each way in which a whole run differs.
 */
import { describe, it } from "vitest"
import { idsOf, reportOf } from "../support/connectors/conformance.ts"
import { argsOf, envOf, foundBy } from "../support/connectors/found-by.ts"

/** Faults that touch every answer: nearly every case fails. */
const everywhere: ReadonlySet<string> = new Set(["unsigned-answers", "unbound-answers"])
/** Those that differ in how the run goes on: each with what it changes. */
const runs = [
  ...everywhere,
  // A kill loses what other cases look at later.
  "forgets-after-restart",
  // What is paid twice is in the books at the end.
  "pays-twice-at-once",
  // A look-up of any case contradicts an earlier one.
  "outcome-changes",
  // The kit waits to the end for what never comes: events, and callbacks.
  "events-lost",
  "callbacks-once"
]
/** Cases that see a fault of payouts beside those of its own area, at most. */
const others = 45

describe.concurrent("the whole kit over a seeded fault", () => {
  it.for(runs)("%s", async (fault, { expect }) => {
    const args = ["--settle-within", "6", "--callback-within", "6", ...argsOf(fault)]
    const report = await reportOf("node", args, envOf(fault))
    const failed = idsOf(report, "failed")
    expect(foundBy[fault]!.filter((id) => !failed.includes(id))).toEqual([])
    expect(idsOf(report, "not-run")).toEqual([])
    expect(report.code).toBe(1)
    expect(failed.length > others).toBe(everywhere.has(fault))
  })
})
