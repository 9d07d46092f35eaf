/** Adapters that somebody brings: the same world over another store, and over a provider of one's own. */
import { expect, it } from "vitest"
import { PgliteStorage } from "../../src/adapters/storage/pglite.ts"
import { SimulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { live, programOf, reduced } from "../../src/testing/index.ts"

/** The beginning of a seed's world, and what goes wrong in it. */
const shortened = (seed: number, operations: number) => {
  const program = programOf(seed)
  const keep = program.ops.map(({ n }) => n).slice(0, operations)
  return reduced(program, { keep, without: [], always: [], salt: 0 })
}

it("a world over PGlite breaks no law, and answers each call in its own time", { timeout: 180_000 }, async () => {
  const report = await live(shortened(5, 70), { storage: PgliteStorage.layer() })
  expect(report.found).toEqual([])
  expect(report.commits).toBeGreaterThan(70)
})

it("a provider of one's own takes the place of the simulated one", async () => {
  const program = shortened(5, 160)
  const slow = SimulatedProvider.layer({ mode: "auto", delay_ms: 60_000, payshap: false })
  const report = await live(program, { provider: slow })
  expect(report.found).toEqual([])
  expect(report.hash).not.toBe((await live(program)).hash)
})
