/**
 * `npm run test:long`: what is exhaustive, and the scenarios on the stores that `npm test` leaves out. Each submission runs half of these:
 * every second exhaustive test, a scenario of both stores on one of them, and every second one of cells alone. `CORRIDOR_TEST_TURN=all` runs
 * everything.
 */
import { execFileSync } from "node:child_process"
import { configDefaults, defineConfig } from "vitest/config"
import { exhaustiveOf, scenariosOf, TURN } from "./test/support/repository/turns.ts"
import base from "./vitest.config.ts"

/** What is not a checkout runs everything. */
const commit = (): string => {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    return "all"
  }
}
const turn = process.env[TURN] ?? commit()

export default defineConfig({
  test: {
    ...base.test,
    include: [...exhaustiveOf(turn), "test/http/requests/many-callers.test.ts", ...scenariosOf(turn)],
    exclude: configDefaults.exclude,
    env: {
      ...base.test?.env,
      CORRIDOR_TEST_STORES: "pglite,cells",
      [TURN]: turn
    }
  }
})
