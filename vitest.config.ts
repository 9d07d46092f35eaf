import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    globalSetup: ["test/support/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    // Property tests and databases take seconds on a loaded machine; a hang still ends.
    testTimeout: 60_000,
    hookTimeout: 120_000
  }
})
