/** Drawn histories in great number: those that have their turn, of 1,830. */
import { createHash } from "node:crypto"
import fc from "fast-check"
import { expect, it } from "vitest"
import { turnHere } from "../../support/repository/turns.ts"
import { histories } from "./histories.ts"
import { properties } from "./properties.ts"

const parts = 5
const turn = turnHere()
const [drawnPart = 0] = createHash("sha256").update(`${turn} desk`).digest()

/** The seeds of this turn. */
const seedsIn = (first: number, count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, n) => first + n).filter(
    (seed) => turn === "all" || seed % parts === drawnPart % parts
  )

it.each([
  ["oracle", "up to four days", "drawn", 1001, 750],
  ["orders", "up to four days", "drawn", 3001, 100],
  ["oracle", "statements that overlap in every way", "cut", 4001, 300],
  ["oracle", "up to ten days", "long", 5001, 30],
  ["oracle", "bookings of several payouts", "batches", 10_001, 100],
  ["orders", "bookings of several payouts", "batches", 11_001, 50],
  ["oracle", "corrected statements", "corrected", 12_001, 100],
  ["dismissed", "lines that name one payout", "repeated", 13_001, 50],
  ["oracle", "two accounts whose settings change", "shared", 6001, 150],
  ["orders", "two accounts whose settings change", "shared", 7001, 50],
  ["oracle", "two accounts whose settings change again and again", "unsettled", 8001, 100],
  ["orders", "two accounts whose settings change again and again", "unsettled", 9001, 50]
] as const)("the property %s, of histories of %s", async (name, _, kind, first, count) => {
  for (const seed of seedsIn(first, count)) {
    const [drawn] = fc.sample(histories[kind], { seed, numRuns: 1 })
    expect(await properties[name](drawn!), `seed ${seed}`).toEqual([])
  }
})
