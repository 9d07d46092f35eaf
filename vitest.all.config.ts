/**
 * `npm run test:all`: everything. The exhaustive tests and the scenarios on PGlite and on cells have their turn, which the commit draws;
 * `CORRIDOR_TEST_TURN=all` runs all of them. `--project long` runs one of the three. What an operator uses needs `npm run build` first.
 */
import { configDefaults, defineConfig } from "vitest/config"
import { exhaustiveOf, scenariosOf, turnHere } from "./test/support/repository/turns.ts"
import base from "./vitest.config.ts"

const { globalSetup, reporters, ...each } = base.test!
const turn = turnHere()
const long = "test/**/*.long.test.ts"
const ops = "test/ops/**/*.test.ts"

export default defineConfig({
  test: {
    // One server, and one console, for all of them.
    globalSetup: globalSetup!,
    reporters: reporters!,
    sequence: each.sequence!,
    maxWorkers: 6,
    projects: [
      { test: { ...each, name: "tests", exclude: [...each.exclude!, long, ops] } },
      {
        test: {
          ...each,
          name: "long",
          include: [...exhaustiveOf(turn), ...scenariosOf(turn)],
          exclude: configDefaults.exclude,
          env: { ...each.env, CORRIDOR_TEST_STORES: "pglite,cells" }
        }
      },
      { test: { ...each, name: "operations", include: [ops], exclude: configDefaults.exclude } }
    ].map(({ test }) => ({ test: { ...test, maxWorkers: 6 } }))
  }
})
