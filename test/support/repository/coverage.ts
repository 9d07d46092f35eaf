/** Which functions of `src` run in this process, and how often, by V8's precise coverage. */
import { Session } from "node:inspector"
import { relative } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"

/** By source file: where each function that ran begins and ends. Offsets are those of the source, of which Node blanks out the types. */
export type FunctionsRun = Readonly<Record<string, ReadonlyArray<readonly [start: number, end: number]>>>

export const startCoverage = (): Session => {
  const session = new Session()
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  return session
}

/** Returns what ran since the last call, and counts anew. */
export const takeCoverage = (session: Session): FunctionsRun => {
  const sources = pathToFileURL(`${process.cwd()}/src/`).href
  let functions: FunctionsRun = {}
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

/**
 * Counts how often the blocks of a folder of `src` run in each of some runs: work that no clock measures, the same on every machine. Once
 * in a process of its own: of what has run before, not all is counted.
 */
export const countSteps = (folder: string, runs: ReadonlyArray<() => void>): ReadonlyArray<number> => {
  const url = pathToFileURL(`${process.cwd()}/${folder}/`).href
  const session = new Session()
  session.connect()
  session.post("Profiler.enable")
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true })
  return runs.map((run) => {
    let steps = 0
    run()
    session.post("Profiler.takePreciseCoverage", (error, { result }) => {
      if (error !== null) throw error
      for (const { functions } of result.filter((one) => one.url.startsWith(url)))
        for (const { ranges } of functions) for (const { count } of ranges) steps += count
    })
    return steps
  })
}
