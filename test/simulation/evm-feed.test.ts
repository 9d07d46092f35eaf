/** The reader of EVM deposits over a chain whose node lies, lags and fails. `npm run simulate:chain` runs more seeds. */
import { describe, expect, it } from "vitest"
import { covers } from "../support/repository/covers.ts"
import { simulateFeed } from "./evm-feed.ts"

const seeds = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, n) => n + 1)

describe("a chain whose node lies", () => {
  covers("EVM-22", "EVM-27")
  it("has each transfer of its final blocks credited once, and no other, for every seed", async () => {
    const faults: Array<string> = []
    for (const seed of seeds(60)) {
      const fault = await simulateFeed(seed)
      if (fault !== null) faults.push(`seed ${seed}: ${fault}`)
    }
    expect(faults).toEqual([])
  })

  it("is a chain on which lists of logs alone lose deposits", async () => {
    const faults: Array<string | null> = []
    for (const seed of seeds(40)) faults.push(await simulateFeed(seed, { balance_proof: false }))
    expect(faults.filter((fault) => fault !== null).length).toBeGreaterThan(2)
  })
})
