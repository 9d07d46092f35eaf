import { Effect } from "effect"
import { assert, it } from "@effect/vitest"
import { runSeeds } from "../../support/companies/circle-law.ts"
it.live(
  "law circle",
  () =>
    Effect.gen(function* () {
      assert.isAbove(yield* runSeeds(700001, 300), 300)
    }),
  { timeout: 900_000 }
)
