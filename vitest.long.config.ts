/**
 * `npm run test:long`: what is exhaustive or starts many processes, and the scenarios on the stores that `npm test` leaves out. Each
 * submission runs some of these: one part of the exhaustive tests, and the scenarios that have their turn on PGlite or on cells.
 * `CORRIDOR_TEST_TURN=all` runs everything.
 */
import { configDefaults, defineConfig } from "vitest/config"
import { exhaustiveOf, scenariosOf, turnHere } from "./test/support/repository/turns.ts"
import base from "./vitest.config.ts"

export default defineConfig({
  test: {
    ...base.test,
    include: [...exhaustiveOf(turnHere()), ...scenariosOf(turnHere())],
    exclude: configDefaults.exclude,
    env: { ...base.test?.env, CORRIDOR_TEST_STORES: "pglite,cells" }
  }
})
