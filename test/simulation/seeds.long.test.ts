/** Simulations, one for each seed: they violate nothing, and together visit everything that is possible. */
import { beforeAll, describe, expect, it } from "vitest"
import { type Coverage, rare } from "../../src/testing/index.ts"
import { foundIn, livedThrough } from "../support/simulation/worlds.ts"

/** Of the seeds from 31 to 330 those that visit what few do. Others follow where these visit less, since a change of what a seed does. */
const first = [
  51, 116, 72, 246, 329, 111, 45, 43, 54, 67, 56, 197, 176, 63, 107, 260, 192, 188, 131, 163, 257, 175, 160, 262, 272,
  50, 80, 230, 83, 46
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
