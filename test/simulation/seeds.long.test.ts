/** Simulations, one for each seed: they violate nothing, and together visit everything that is possible. */
import { beforeAll, describe, expect, it } from "vitest"
import { type Coverage, rare } from "../../src/testing/index.ts"
import { foundIn, livedThrough } from "../support/simulation/worlds.ts"

/** Of the seeds from 31 to 330 those that visit what few do. Others follow where these visit less, since a change of what a seed does. */
const first = [
  305, 116, 107, 329, 96, 64, 316, 214, 72, 277, 168, 124, 260, 272, 251, 176, 131, 113, 134, 235, 71, 91, 149, 328,
  157, 323, 51, 203, 170, 306
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
