import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Property tests and embedded databases take seconds on a loaded machine; a hang still ends.
    testTimeout: 60_000,
    hookTimeout: 120_000
  }
})
