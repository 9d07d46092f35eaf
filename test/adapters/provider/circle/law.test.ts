/** The law of unknown outcomes, with Circle: see `test/support/companies/circle-law.ts`. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import { runSeeds } from "../../../support/companies/circle-law.ts"
import { covers } from "../../../support/repository/covers.ts"

const seeds = 12

describe("Circle", () => {
  covers("CIRCLE-1", "CIRCLE-2", "COMPANY-1", "COMPANY-4", "COMPANY-5")
  it.live(
    `executes each command at most once, fails nothing that it executed, and releases what it never did: ${seeds} seeds`,
    () =>
      Effect.gen(function* () {
        assert.isAbove(yield* runSeeds(1, seeds), seeds)
      }),
    { timeout: 300_000 }
  )
})
