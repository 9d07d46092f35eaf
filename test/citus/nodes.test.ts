/** `npm run bench -- --nodes` on Citus: one server, then two that share a store. Every transfer ends in success. */
import { expect, inject, it } from "vitest"
import { measureNodes } from "../../bench/nodes.ts"
import { citusDatabase } from "../support/stores/citus.ts"

it("several nodes create transfers and pay them", async () => {
  const fresh = async (): Promise<string> => `${await citusDatabase(inject("citus"))}?cells=1`
  const lines = await measureNodes(fresh, (cells) => console.log(cells.join("  ")), 0.01, [1, 2])
  expect(lines.map(({ name }) => name)).toEqual(["nodes/1", "nodes/2"])
  for (const { lived_per_s } of lines) expect(lived_per_s).toBeGreaterThan(0)
})
