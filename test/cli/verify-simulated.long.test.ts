/** `corridor verify` accuses nothing of a simulated history, at random points of it and at its end. `verify.test.ts` has one of them. */
import { expect, it } from "vitest"
import { programOf } from "../../src/testing/index.ts"
import { verifyThroughout } from "../support/cli/verified-throughout.ts"
import { covers } from "../support/repository/covers.ts"
import { shortenProgram } from "../support/simulation/shortened.ts"
import { dropDatabase, freshDatabase } from "../support/stores/database.ts"

const seeds = Array.from({ length: 8 }, (_, n) => n + 1)

/** One of which payouts wait for approval, which comes late in a program: it is lived through to its end. */
const whole = new Set([3])

covers("VERIFY-1")
it.each(seeds)(
  "accuses nothing in the history of seed %i",
  async (seed) => {
    const url = await freshDatabase()
    const { accused, found, verified } = await verifyThroughout(
      whole.has(seed) ? programOf(seed) : shortenProgram(seed, 160),
      url
    )
    expect([found, accused]).toEqual([[], []])
    expect(verified).toBeGreaterThan(3)
    await dropDatabase(url)
  },
  900_000
)
