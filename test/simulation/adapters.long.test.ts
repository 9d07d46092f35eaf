/** The same simulation over a store that the caller provides. */
import { expect, it } from "vitest"
import { PgliteStorage } from "../../src/adapters/storage/pglite.ts"
import { live } from "../../src/testing/index.ts"
import { shortened } from "../support/simulation/shortened.ts"

it("a world over PGlite, which responds asynchronously, violates nothing", { timeout: 180_000 }, async () => {
  const report = await live(shortened(5, 70), { storage: PgliteStorage.layer() })
  expect(report.found).toEqual([])
  expect(report.commits).toBeGreaterThan(70)
})
