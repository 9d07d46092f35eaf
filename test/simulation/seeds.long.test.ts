/** Simulations, one for each seed: they violate nothing, and together visit everything that is possible. */
import { beforeAll, describe, expect, it } from "vitest"
import { type Coverage, rare } from "../../src/testing/index.ts"
import { foundIn, livedThrough } from "../support/simulation/worlds.ts"

/** Of the seeds from 31 to 330 those that visit what few do. Others follow where these visit less, since a change of what a seed does. */
const first = [
  92, 291, 116, 305, 108, 164, 277, 54, 330, 132, 72, 131, 284, 317, 128, 272, 154, 316, 286, 107, 324, 88, 91, 34, 134,
  311, 97, 211, 43, 203
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
