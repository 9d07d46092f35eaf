/** Simulations, one for each seed: they violate nothing, and together visit everything that is possible. */
import { beforeAll, describe, expect, it } from "vitest"
import { type Coverage, rare } from "../../src/testing/index.ts"
import { foundIn, livedThrough } from "../support/simulation/worlds.ts"

/** Of the seeds from 31 to 330 those that visit what few do. Others follow where these visit less, since a change of what a seed does. */
const first = [
  193, 246, 111, 176, 116, 130, 260, 263, 192, 188, 329, 80, 220, 212, 114, 256, 39, 257, 175, 197, 160, 78, 122, 279,
  262, 68, 69, 230, 199, 272, 91, 56, 40, 47, 43, 51, 59, 67, 75, 83
]
const others = Array.from({ length: 300 }, (_, index) => 31 + index).filter((seed) => !first.includes(seed))

const missing = (coverage: Coverage): ReadonlyArray<string> => coverage.missing().filter((key) => !(key in rare))

describe("seeds that visit what few do, and others until nothing is missing", () => {
  let lived: Awaited<ReturnType<typeof livedThrough>>
  beforeAll(async () => {
    const isWanted = (coverage: Coverage): boolean => missing(coverage).length > 0
    lived = await livedThrough([...first, ...others], 2, isWanted, first.length)
  }, 900_000)

  it("live through thirty days without a violation", () => {
    expect(foundIn(lived)).toEqual([])
    expect(lived.lines.length).toBeGreaterThanOrEqual(first.length)
  })

  it("visit every transition of every machine, and every provider event in every state", () => {
    expect(missing(lived.coverage)).toEqual([])
  })
})
