/** A process that runs the seeds that it receives. `pool.ts` starts it. */
import { Coverage, simulate } from "../../testing/index.ts"
import type { SeedLine, Result } from "./pool.ts"

const runAndReport = async (seeds: ReadonlyArray<number>): Promise<void> => {
  const coverage = new Coverage()
  const lines: Array<SeedLine> = []
  for (const seed of seeds)
    try {
      const { hash, commits, found } = await simulate({ seed, coverage })
      lines.push({ seed, hash, commits, found })
    } catch (error) {
      const found = [`the simulation failed: ${String((error as Error).stack ?? error)}`]
      lines.push({ seed, hash: "", commits: 0, found })
    }
  process.send!({ lines, coverage: coverage.entries() } satisfies Result)
}

process.on("message", (seeds: ReadonlyArray<number>) => void runAndReport(seeds))
