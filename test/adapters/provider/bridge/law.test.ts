/** The law of unknown outcomes, with Bridge: see `test/support/companies/bridge-law.ts`. */
import { Effect } from "effect"
import { assert, describe, it } from "@effect/vitest"
import { runSeeds } from "../../../support/companies/bridge-law.ts"
import { covers } from "../../../support/repository/covers.ts"

const seeds = 12

describe("Bridge", () => {
  covers("BRIDGE-1", "BRIDGE-2", "COMPANY-1", "COMPANY-4", "COMPANY-5")
  it.live(
    `executes each command at most once, fails nothing that it executed, and releases what it never did: ${seeds} seeds`,
    () =>
      Effect.gen(function* () {
        assert.isAbove(yield* runSeeds(1, seeds), seeds)
      }),
    { timeout: 300_000 }
  )
})
