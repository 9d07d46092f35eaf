/** Any test by its path: `npx vitest run test/kernel`. `npm test` and `npm run test:all` choose theirs in configurations of their own. */
import { join } from "node:path"
import { configDefaults, defineConfig } from "vitest/config"
import { AloneReporter } from "./test/support/repository/alone-reporter.ts"
import { LongestFirst } from "./test/support/repository/longest-first.ts"
import { POLL_TIMEOUT_MS } from "./test/support/repository/poll-timeout.ts"
import { TURN, turnHere } from "./test/support/repository/turns.ts"

/** Half of the processor time of a process that starts is compiling what the one before compiled: of a worker, and of a command. */
const compiled = join(import.meta.dirname, "node_modules/.cache/compiled")
// A worker begins with the environment of this process.
process.env["NODE_COMPILE_CACHE"] ??= compiled

/** Where a run writes what became of each test, as JSON. Undefined: nowhere. */
const report = process.env["CORRIDOR_TEST_REPORT"]

/** The stores of a run: those that its caller names, as the command of a test that failed does. */
export const storesFor = (usual: string): string => process.env["CORRIDOR_TEST_STORES"] ?? usual

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: [...configDefaults.exclude, "test/citus/**"],
    globalSetup: ["test/support/stores/global-setup.ts"],
    setupFiles: ["repository/processor-time", "repository/reach", "properties/seed"].map(
      (name) => `test/support/${name}.ts`
    ),
    reporters: [
      "default",
      new AloneReporter(),
      ...(report === undefined ? [] : [["json", { outputFile: report }] as ["json", { outputFile: string }]])
    ],
    // What the engine logs is the reader's where a test fails: faults are what many of them make.
    silent: "passed-only",
    slowTestThreshold: 5_000,
    pool: "forks",
    // Tests wait: for processes that start, for deadlines. Two more workers use the cores that are idle meanwhile.
    maxWorkers: 4,
    // A worker loads the engine once, not once per file: half of the processor time of a run went there.
    isolate: false,
    // Node runs the sources as a server does. Vite's runner would look up each use of an import: a tenth of the time of a run.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // TypeScript says which assertions there are: chai need not look it up at each.
    chaiConfig: { useProxy: false } as object,
    // What a test makes and forgets is freed at once, and not carried to the old generation first.
    execArgv: ["--max-semi-space-size=64"],
    sequence: { sequencer: LongestFirst },
    env: {
      CORRIDOR_TEST_STORES: storesFor("memory,postgres"),
      [TURN]: turnHere(),
      NODE_COMPILE_CACHE: compiled
    },
    // Property tests and databases take seconds on a loaded machine; a hang still ends.
    testTimeout: 300_000,
    expect: { poll: { timeout: POLL_TIMEOUT_MS } },
    hookTimeout: 300_000
  }
})
