/** Simulations, one for each seed: they violate nothing, and together visit everything that is possible. */
import { beforeAll, describe, expect, it } from "vitest"
import { type Coverage, rare } from "../../src/testing/index.ts"
import { describeFindings, simulateSeeds } from "../support/simulation/worlds.ts"

/**
 * Of the seeds from 31 to 330 those that visit together what is to be visited, in the least time; and 315, in which an entry accounts for a balance
 * before its lines come. Others follow where these visit less, since a change of what a seed does.
 */
const first = [
  315, 305, 280, 246, 80, 253, 92, 107, 34, 175, 76, 47, 176, 297, 148, 185, 56, 31, 155, 292, 318, 38, 120, 186, 197,
  54, 131, 116, 193, 50, 72, 198, 67
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
