/**
 * Runs before each test file, and writes which functions of `src` it ran in its worker: one line of JSON for each file, to the file that
 * CORRIDOR_TEST_REACH names. What a test starts as a process is not in here.
 */
import { appendFileSync } from "node:fs"
import type { Session } from "node:inspector"
import { relative } from "node:path"
import { afterAll, expect } from "vitest"
import { type FunctionsRun, startCoverage, takeCoverage } from "./coverage.ts"

const to = process.env["CORRIDOR_TEST_REACH"]

/** A test file, and the functions that it ran. */
export interface Reach {
  readonly test: string
  readonly functions: FunctionsRun
}

declare global {
  /** A worker runs many files: it counts once for all of them. */
  var reachOfWorker: Session | undefined
}

if (to !== undefined) {
  const session = (globalThis.reachOfWorker ??= startCoverage())
  afterAll(() => {
    const test = relative(process.cwd(), expect.getState().testPath ?? "")
    appendFileSync(to, `${JSON.stringify({ test, functions: takeCoverage(session) } satisfies Reach)}\n`)
  })
}
