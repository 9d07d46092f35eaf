/** A small `npm run torture`: everything that goes wrong there goes wrong here once. */
import { expect, it } from "vitest"
import { covers } from "../support/repository/covers.ts"
import { torture } from "./torture.ts"

covers("IDEM-7", "SERVICE-2")
it.concurrent.each([
  ["one schema", {}],
  ["a cell", { cell: "postgres" }]
] as const)("loses nothing and pays nothing twice while its server and its nodes die, in %s", async (_, where) => {
  const outcome = await torture({
    ...where,
    operations: 150,
    seconds: 5,
    nodes: 2,
    lease_s: 2,
    faults: [
      { at_s: 1.5, what: "postmaster", down_s: 0.3 },
      { at_s: 2.2, what: "pause", node: 1, for_s: 2.5 },
      { at_s: 3, what: "kill", node: 0 }
    ]
  })
  expect(outcome.breaches).toEqual([])
  expect(outcome.made.length).toBe(150)
  // What went wrong was felt: requests had to be asked again.
  expect(outcome.retries).toBeGreaterThan(0)
  expect(outcome.executions).toBeGreaterThan(100)
})
