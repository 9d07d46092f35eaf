import { configDefaults, defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/**/*.long.test.ts", "test/ops/**", "test/citus/**"],
    globalSetup: ["test/support/stores/global-setup.ts"],
    pool: "forks",
    maxWorkers: 2,
    // A worker loads the engine once, not once per file: half of the processor time of a run went there.
    isolate: false,
    env: { CORRIDOR_TEST_STORES: "memory,postgres" },
    // Property tests and databases take seconds on a loaded machine; a hang still ends.
    testTimeout: 60_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 120_000
  }
})
