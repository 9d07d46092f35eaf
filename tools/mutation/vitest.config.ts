import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

/** The tests of one target alone: `MUTATION_TESTS` lists them, and no database is started for them. */
const config = defineConfig({
  resolve: {
    alias: [{ find: /^fast-check$/, replacement: fileURLToPath(new URL("fast-check.mjs", import.meta.url)) }]
  },
  test: {
    include: (process.env["MUTATION_TESTS"] ?? "").split(" "),
    testTimeout: 60_000
  }
})
export { config as default }
