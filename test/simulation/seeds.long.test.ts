/** 270 simulations, one for each seed: they violate nothing, and together visit everything that is possible. */
import { beforeAll, describe, expect, it } from "vitest"
import { Coverage, rare } from "../../src/testing/index.ts"
import { foundIn, type Lived, livedThrough, seedsUpTo } from "../support/simulation/worlds.ts"

describe("270 seeds", () => {
  let lived: Lived
  beforeAll(async () => {
    lived = await livedThrough(270, 2)
  }, 900_000)

  it("live through thirty days without a violation", () => {
    expect(foundIn(lived)).toEqual([])
    expect(lived.lines.map(({ seed }) => seed)).toEqual(seedsUpTo(270))
  })

  it("visit every transition of every machine, and every provider event in every state", () => {
    const coverage = new Coverage()
    coverage.merge(lived.coverage)
    expect(coverage.missing().filter((key) => !(key in rare))).toEqual([])
  })
})
