/**
 * `npm run test:all`: what repeats, the exhaustive tests and the stores of a scenario have their turn, which the commit draws;
 * `CORRIDOR_TEST_TURN=all` runs all of them. `-- test/ops` runs one folder. What an operator uses needs `npm run build` first.
 */
import { configDefaults, defineConfig } from "vitest/config"
import { allRun } from "./test/support/repository/main-run.ts"
import { turnHere } from "./test/support/repository/turns.ts"
import { SHARE } from "./test/support/properties/tries.ts"
import base, { storesFor } from "./vitest.config.ts"

export default defineConfig({
  test: {
    ...base.test,
    // One project: a worker whose next file is of another one ends, and the engine is loaded anew.
    include: [...allRun(turnHere())],
    exclude: configDefaults.exclude,
    // A scenario is on memory, and on the store beside it that the commit draws.
    env: {
      ...base.test?.env,
      CORRIDOR_TEST_STORES: storesFor("memory,postgres,pglite,cells"),
      // Each commit draws other cases.
      [SHARE]: turnHere() === "all" ? "1" : "0.5"
    },
    maxWorkers: 6
  }
})
