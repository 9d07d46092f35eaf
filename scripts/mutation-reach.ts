/** Measures which functions each test file runs, for `npm run mutation:sample`: `npm run mutation:reach`. Takes the time of all tests. */
import { spawnSync } from "node:child_process"
import { mkdirSync, renameSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const to = join(root, "node_modules/.cache/reach.jsonl")
const part = `${to}.part`
mkdirSync(dirname(to), { recursive: true })
rmSync(part, { force: true })
const { status } = spawnSync(
  process.execPath,
  ["node_modules/vitest/vitest.mjs", "run", "--config", "vitest.all.config.ts", "--project", "tests", "--reporter=dot"],
  {
    cwd: root,
    // One store shows what runs: the others run the same engine.
    env: { ...process.env, CORRIDOR_TEST_REACH: part, CORRIDOR_TEST_STORES: "memory" },
    stdio: "inherit"
  }
)
if (status !== 0) process.stderr.write("A test failed: what it would have run after that is missing.\n")
renameSync(part, to)
process.exit(status ?? 1)
