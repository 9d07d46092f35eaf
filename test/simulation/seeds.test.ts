/** Worlds, one for each seed: they violate nothing. `npm run test:all` and `npm run simulate` run others. */
import { beforeAll, describe, expect, it } from "vitest"
import { brakeScopes } from "../../src/machines/movements/brake.ts"
import { listTransitions, impossible, possibleWords, rare } from "../../src/testing/index.ts"
import { covers } from "../support/repository/covers.ts"
import { describeFindings, simulateSeeds } from "../support/simulation/worlds.ts"

/** Few, and among them those that draw pauses of every scope. */
const seeds = [3, 4, 7, 12, 16, 20, 24, 25, 29, 30]

describe("ten seeds", () => {
  let lived: Awaited<ReturnType<typeof simulateSeeds>>
  beforeAll(async () => {
    lived = await simulateSeeds(seeds, 1)
  })

  it("live through thirty days without a violation", () => {
    expect(describeFindings(lived)).toEqual([])
    expect(lived.lines.map(({ seed }) => seed)).toEqual(seeds)
  })

  it("draw brakes of every scope, which stop work and let it go on", () => {
    covers("BRAKE-1", "BRAKE-2")
    const visited = new Set(lived.coverage.words.keys())
    const some = ["several at once", "several stop the same", "is listed", "work goes on"].map(
      (what) => `brake: ${what}`
    )
    expect(some.filter((key) => !visited.has(key))).toEqual([])
    const stopped = [...visited].flatMap((key) => /^brake (\w+): stops/.exec(key)?.[1] ?? [])
    expect(new Set(stopped)).toEqual(new Set(brakeScopes))
  })
})

it("exceptions from the coverage name declared transitions and events", () => {
  const known = new Set([...listTransitions(), ...possibleWords()])
  expect(Object.keys(impossible).filter((key) => !known.has(key))).toEqual([])
  // The table covers all movements, but an onramp has no such failure.
  expect(Object.keys(rare).filter((key) => !known.has(key) && !/^onramp: .* failed$/.test(key))).toEqual([])
  expect(known.size).toBeGreaterThan(350)
})
