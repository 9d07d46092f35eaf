/** Two hundred worlds, each out of one seed: nothing that they live through breaks a law, and they see all there is. */
import { beforeAll, describe, expect, it } from "vitest"
import { Coverage, rare } from "../../src/testing/index.ts"
import { foundIn, type Lived, livedThrough, seedsUpTo } from "../support/simulation/worlds.ts"

describe("two hundred seeds", () => {
  let lived: Lived
  beforeAll(async () => {
    lived = await livedThrough(200, 2)
  }, 480_000)

  it("live through thirty days, and nothing is found", () => {
    expect(foundIn(lived)).toEqual([])
    expect(lived.lines.map(({ seed }) => seed)).toEqual(seedsUpTo(200))
  })

  it("visit every transition of every machine, and hear every word in every state", () => {
    const coverage = new Coverage()
    coverage.merge(lived.coverage)
    expect(coverage.missing().filter((key) => !(key in rare))).toEqual([])
  })
})
