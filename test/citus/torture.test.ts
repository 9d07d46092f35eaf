/** A small torture on Citus: the coordinator and each worker stop and start again, nodes are killed and paused. */
import { expect, it } from "vitest"
import { torture } from "../faults/torture.ts"
import { covers } from "../support/repository/covers.ts"

covers("CELLS-6", "IDEM-7")
it("loses nothing and pays nothing twice while the coordinator, the workers and the nodes die", async () => {
  const outcome = await torture({
    cell: "citus",
    operations: 120,
    seconds: 8,
    nodes: 2,
    lease_s: 2,
    faults: [
      ...[1.5, 3.5, 5.5].map((at_s) => ({ at_s, what: "postmaster", down_s: 0.3 }) as const),
      { at_s: 2.2, what: "pause", node: 1, for_s: 2.5 },
      { at_s: 4.5, what: "kill", node: 0 }
    ]
  })
  expect(outcome.breaches).toEqual([])
  expect(outcome.made.length).toBe(120)
  expect(outcome.retries).toBeGreaterThan(0)
  expect(outcome.executions).toBeGreaterThan(60)
})
