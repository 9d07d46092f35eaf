/** A process that runs the seeds that it receives. `pool.ts` starts it. */
import { Coverage, simulate } from "../../testing/index.ts"
import type { SeedLine, Result } from "./pool.ts"

const runSeed = async (seed: number, coverage: Coverage): Promise<SeedLine> => {
  try {
    const { hash, commits, found } = await simulate({ seed, coverage })
    return { seed, hash, commits, found }
  } catch (error) {
    return { seed, hash: "", commits: 0, found: [`the simulation failed: ${String((error as Error).stack ?? error)}`] }
  }
}

const answer = async (seeds: ReadonlyArray<number>): Promise<void> => {
  const coverage = new Coverage()
  const lines: Array<SeedLine> = []
  for (const seed of seeds) lines.push(await runSeed(seed, coverage))
  process.send!({ lines, coverage: coverage.entries() } satisfies Result)
}

process.on("message", (seeds: ReadonlyArray<number>) => void answer(seeds))
