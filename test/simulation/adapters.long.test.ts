/** The same simulation over a store that the caller provides. */
import { expect, it } from "vitest"
import { live } from "../../src/testing/index.ts"
import { shortenProgram } from "../support/simulation/shortened.ts"
import { freshPglite } from "../support/stores/pglite.ts"

it("a world over PGlite, which responds asynchronously, violates nothing", async () => {
  const report = await live(shortenProgram(5, 40), { storage: await freshPglite() })
  expect(report.found).toEqual([])
  expect(report.commits).toBeGreaterThan(60)
})
