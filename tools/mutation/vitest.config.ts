import { defineConfig } from "vitest/config"

/** The tests of one target alone: `MUTATION_TESTS` lists them, and no database is started for them. */
const config = defineConfig({
  test: {
    include: (process.env["MUTATION_TESTS"] ?? "").split(" "),
    setupFiles: ["tools/mutation/setup.ts"],
    testTimeout: 60_000
  }
})
export { config as default }
