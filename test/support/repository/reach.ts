/**
 * Runs before each test file, and writes which functions of `src` it ran in its worker: one line of JSON for each file, to the file that
 * CORRIDOR_TEST_REACH names. What a test starts as a process is not in here.
 */
import { appendFileSync } from "node:fs"
import { Session } from "node:inspector"
import { relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { afterAll, expect } from "vitest"

const to = process.env["CORRIDOR_TEST_REACH"]

/**
 * A test file, and the functions that it ran, by source: where each begins and ends. Offsets are those of the source, of which Node
 * blanks out the types.
 */
export interface Reach {
  readonly test: string
  readonly functions: Readonly<Record<string, ReadonlyArray<readonly [start: number, end: number]>>>
}

declare global {
  /** A worker runs many files: it counts once for all of them. */
  var reachOfWorker: Session | undefined
}

const counting = (): Session => {
  const session = new Session()
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  return session
}

/** What ran since the last time: the counts begin anew. */
const takeCoverage = (session: Session): Reach["functions"] => {
  const sources = pathToFileURL(`${process.cwd()}/src/`).href
  let functions: Reach["functions"] = {}
  session.post("Profiler.takePreciseCoverage", (error, { result }) => {
    if (error !== null) throw error
    functions = Object.fromEntries(
      result
        .filter(({ url }) => url.startsWith(sources))
        .map(({ functions, url }) => [
          relative(process.cwd(), fileURLToPath(url)),
          functions.flatMap(({ ranges: [range] }) =>
            range!.count > 0 ? [[range!.startOffset, range!.endOffset] as const] : []
          )
        ])
    )
  })
  return functions
}

if (to !== undefined) {
  const session = (globalThis.reachOfWorker ??= counting())
  afterAll(() => {
    const test = relative(process.cwd(), expect.getState().testPath ?? "")
    appendFileSync(to, `${JSON.stringify({ test, functions: takeCoverage(session) } satisfies Reach)}\n`)
  })
}
