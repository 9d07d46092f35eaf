/** Simulations, one for each seed: they violate nothing, and together visit everything that is possible. */
import { beforeAll, describe, expect, it } from "vitest"
import { type Coverage, rare } from "../../src/testing/index.ts"
import { describeFindings, simulateSeeds } from "../support/simulation/worlds.ts"

/** Of the seeds from 31 to 330 those that visit what few do. Others follow where these visit less, since a change of what a seed does. */
const first = [
  227, 305, 164, 67, 92, 330, 271, 104, 315, 133, 158, 311, 135, 277, 31, 112, 187, 239, 54, 58, 178, 40, 51, 66, 82,
  102, 131
]
const others = Array.from({ length: 300 }, (_, index) => 31 + index).filter((seed) => !first.includes(seed))

const missing = (coverage: Coverage): ReadonlyArray<string> => coverage.missing().filter((key) => !(key in rare))

describe("seeds that visit what few do, and others until nothing is missing", () => {
  let lived: Awaited<ReturnType<typeof simulateSeeds>>
  beforeAll(async () => {
    const isWanted = (coverage: Coverage): boolean => missing(coverage).length > 0
    lived = await simulateSeeds([...first, ...others], 2, isWanted, first.length)
  }, 900_000)

  it("live through thirty days without a violation", () => {
    expect(describeFindings(lived)).toEqual([])
    expect(lived.lines.length).toBeGreaterThanOrEqual(first.length)
  })

  it("visit every transition of every machine, and every provider event in every state", () => {
    expect(missing(lived.coverage)).toEqual([])
  })
})
