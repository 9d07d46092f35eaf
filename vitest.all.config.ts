/**
 * `npm run test:all`: everything. The exhaustive tests and the stores of a scenario have their turn, which the commit draws;
 * `CORRIDOR_TEST_TURN=all` runs all of them. `--project long` runs one of the three. What an operator uses needs `npm run build` first.
 */
import { configDefaults, defineConfig } from "vitest/config"
import { exhaustiveOf, turnHere } from "./test/support/repository/turns.ts"
import base, { storesFor } from "./vitest.config.ts"

const { globalSetup, reporters, ...any } = base.test!
/** A scenario is on memory, and on the store beside it that the commit draws. */
const each = { ...any, env: { ...any.env, CORRIDOR_TEST_STORES: storesFor("memory,postgres,pglite,cells") } }
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
          include: [...exhaustiveOf(turnHere())],
          exclude: configDefaults.exclude
        }
      },
      { test: { ...each, name: "operations", include: [ops], exclude: configDefaults.exclude } }
    ].map(({ test }) => ({ test: { ...test, maxWorkers: 6 } }))
  }
})
