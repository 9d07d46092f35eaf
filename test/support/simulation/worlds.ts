/** Many simulations, each out of one seed, in processes of their own. */
import { runSeeds, type SeedLine, type SeedOutcome } from "../../../src/cli/simulation/pool.ts"
import { Coverage } from "../../../src/testing/index.ts"

/** Lives through seeds in `workers` processes, some at a time, until nothing is left that `isWanted` names. */
export const simulateSeeds = async (
  seeds: ReadonlyArray<number>,
  workers: number,
  isWanted: (coverage: Coverage) => boolean = () => true,
  atOnce = seeds.length
): Promise<SeedOutcome> => {
  const lines: Array<SeedLine> = []
  const coverage = new Coverage()
  for (let from = 0; from < seeds.length && isWanted(coverage); from += atOnce) {
    const some = await runSeeds(seeds.slice(from, from + atOnce), workers)
    lines.push(...some.lines)
    coverage.merge(some.coverage.entries())
  }
  return { lines, coverage }
}

/** What was found, each with its seed. */
export const describeFindings = ({ lines }: SeedOutcome): ReadonlyArray<string> =>
  lines.flatMap(({ found, seed }) => found.map((what) => `seed ${seed}: ${what}`))
