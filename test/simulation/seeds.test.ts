/** Worlds, each out of one seed: nothing that they live through breaks a law. `npm run test:long` lives through more. */
import { expect, it } from "vitest"
import { declaredTransitions, impossible, possibleWords, rare } from "../../src/testing/index.ts"
import { foundIn, livedThrough, seedsUpTo } from "../support/simulation/worlds.ts"

it("thirty seeds live through thirty days, and nothing is found", { timeout: 240_000 }, async () => {
  const lived = await livedThrough(30, 1)
  expect(foundIn(lived)).toEqual([])
  expect(lived.lines.map(({ seed }) => seed)).toEqual(seedsUpTo(30))
})

it("what cannot be visited, or hardly, is declared all the same", () => {
  const known = new Set([...declaredTransitions(), ...possibleWords()])
  expect(Object.keys(impossible).filter((key) => !known.has(key))).toEqual([])
  // Of a table over all movements, an onramp has no such failure.
  expect(Object.keys(rare).filter((key) => !known.has(key) && !/^onramp: .* failed$/.test(key))).toEqual([])
  expect(known.size).toBeGreaterThan(350)
})
