import { join } from "node:path"
import { configDefaults, defineConfig } from "vitest/config"
import { LongestFirst } from "./test/support/repository/longest-first.ts"

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/**/*.long.test.ts", "test/ops/**", "test/citus/**"],
    globalSetup: ["test/support/stores/global-setup.ts"],
    pool: "forks",
    // Tests wait: for processes that start, for deadlines. A third worker uses the core that is idle meanwhile.
    maxWorkers: 3,
    // A worker loads the engine once, not once per file: half of the processor time of a run went there.
    isolate: false,
    sequence: { sequencer: LongestFirst },
    env: {
      CORRIDOR_TEST_STORES: "memory,postgres",
      // Half of the processor time of a command that starts is compiling what the one before compiled.
      NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compiled")
    },
    // Property tests and databases take seconds on a loaded machine; a hang still ends.
    testTimeout: 120_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 120_000
  }
})
