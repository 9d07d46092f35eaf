/** Worlds, one for each seed: they violate nothing. `npm run test:long` runs more. */
import { expect, it } from "vitest"
import { declaredTransitions, impossible, possibleWords, rare } from "../../src/testing/index.ts"
import { foundIn, livedThrough, seedsUpTo } from "../support/simulation/worlds.ts"

it("thirty seeds live through thirty days without a violation", { timeout: 240_000 }, async () => {
  const lived = await livedThrough(30, 1)
  expect(foundIn(lived)).toEqual([])
  expect(lived.lines.map(({ seed }) => seed)).toEqual(seedsUpTo(30))
})

it("exceptions from the coverage name declared transitions and events", () => {
  const known = new Set([...declaredTransitions(), ...possibleWords()])
  expect(Object.keys(impossible).filter((key) => !known.has(key))).toEqual([])
  // The table covers all movements, but an onramp has no such failure.
  expect(Object.keys(rare).filter((key) => !known.has(key) && !/^onramp: .* failed$/.test(key))).toEqual([])
  expect(known.size).toBeGreaterThan(350)
})
