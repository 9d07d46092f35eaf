/** `npm run test:citus`: what runs on Citus, and the scenarios there. It skips itself where there is no Citus. */
import { configDefaults, defineConfig } from "vitest/config"
import { citusBin, noCitus } from "./test/support/stores/citus.ts"
import base from "./vitest.config.ts"

if (citusBin() === undefined) {
  console.log(noCitus)
  process.exit(0)
}

export default defineConfig({
  test: {
    ...base.test,
    include: ["test/citus/**/*.test.ts", "test/scenarios/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/**/*.long.test.ts"],
    globalSetup: [...(base.test!.globalSetup as ReadonlyArray<string>), "test/citus/global-setup.ts"],
    env: { ...base.test?.env, CORRIDOR_TEST_STORES: "citus" },
    // A statement crosses two servers.
    testTimeout: 240_000
  }
})
