/** The same simulation over a provider that the caller provides. */
import { expect, it } from "vitest"
import { SimulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { live } from "../../src/testing/index.ts"
import { shortenProgram } from "../support/simulation/shortened.ts"

it("a custom provider replaces the simulated one", async () => {
  const program = shortenProgram(5, 160)
  const slow = SimulatedProvider.layer({ mode: "auto", delay_ms: 60_000, payshap: false })
  const report = await live(program, { provider: slow })
  expect(report.found).toEqual([])
  expect(report.hash).not.toBe((await live(program)).hash)
})
