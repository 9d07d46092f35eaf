/** A desk at which people match, explain, undo and reverse: what is left is what the open lines are (BREAK-8, CLOSE-4, CLOSE-5). */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { atDesk } from "../../support/statements/day-desk.ts"
import { walked } from "./people.ts"

/** `DESK_SEEDS=1-200` walks from these seeds. */
const [from = 1, to = 3] = (process.env["DESK_SEEDS"] ?? "1-3").split("-").map(Number)
const seeds = Array.from({ length: to - from + 1 }, (_, n) => from + n)

covers("BREAK-8", "CLOSE-4", "CLOSE-5", "MATCH-7")
describe.each(["exports", "statements", "sealed", "second"] as const)("a desk of people, with %s", (walk) => {
  it.each(seeds)("has each open line in one break, and each break about open lines: seed %d", async (seed) => {
    const scenario = atDesk((own) => walked(own, walk, seed, 25), walk !== "second")
    expect(await Effect.runPromise(Effect.provide(scenario, makeSimulatedEngine()))).toEqual([])
  })
})
