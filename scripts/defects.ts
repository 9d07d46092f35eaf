/**
 * Seeded defects of what no simulation runs: `npm run defects`. Applies each defect of test/defects to a copy of the sources and
 * runs the tests that must notice it. Prints the test that does, and exits with 1 when a defect survives.
 *
 * `-- --only TEXT` runs the defects whose name or file contains the text, or one of several; `-- --workers N` runs N at once. The named tests run
 * first without a defect: what fails there proves nothing.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { availableParallelism } from "node:os"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import type { TestedDefect } from "../test/defects/defect.ts"
import { defects } from "../test/defects/defects.ts"
import { copySources, eachOf, runVitest, seedDefect } from "./seeded.ts"

const root = fileURLToPath(new URL("..", import.meta.url))

/** What tests read: all but what is installed, built, or kept by git. */
const paths = readdirSync(root).filter((name) => !["node_modules", "dist", ".git"].includes(name))

/** A run that takes longer hangs. */
const mostMs = 15 * 60_000

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly message: string
    readonly assertionResults: ReadonlyArray<{ readonly status: string; readonly fullName: string }>
  }>
}

/**
 * The first test that fails, as "file: title", or a file that cannot be loaded. Undefined if all pass. Errors: throws where a run
 * failed for another reason, which says nothing about the tests: a database that did not start.
 */
const failureIn = (folder: string, report: string, status: number | null): string | undefined => {
  if (status === 0) return undefined
  if (status === null) return `the tests did not end within ${mostMs / 60_000} minutes`
  const { testResults } = existsSync(report)
    ? (JSON.parse(readFileSync(report, "utf8")) as Report)
    : { testResults: [] }
  for (const { assertionResults, message, name, status: ended } of testResults) {
    const path = relative(folder, name)
    const failed = assertionResults.find((one) => one.status === "failed")
    if (failed !== undefined) return `${path}: ${failed.fullName}`
    if (ended === "failed" && message !== "") return `${path}: ${message.split("\n", 1)[0]!}`
  }
  throw new Error("the run failed, and no test did")
}

/** Runs test files in a copy. Returns what failed, if anything did, and the files of which a test ran. */
const outcomeOf = async (
  folder: string,
  tests: ReadonlyArray<string>
): Promise<{ readonly failure?: string; readonly ran: ReadonlyArray<string> }> => {
  const report = join(folder, "defect-report.json")
  rmSync(report, { force: true })
  const status = await runVitest(folder, ["--reporter=json", `--outputFile=${report}`, ...tests], { timeout: mostMs })
  const failure = failureIn(folder, report, status)
  // The files of which a test ran. Those of a tool that is not here skip themselves, and prove nothing.
  return failure === undefined
    ? {
        ran: existsSync(report)
          ? (JSON.parse(readFileSync(report, "utf8")) as Report).testResults
              .filter(({ assertionResults }) => assertionResults.some(({ status }) => status === "passed"))
              .map(({ name }) => relative(folder, name))
          : []
      }
    : { failure, ran: [] }
}

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true, default: [""] },
    workers: { type: "string", default: String(Math.max(1, availableParallelism() >> 1)) }
  }
})

const wanted = defects.filter(({ file, name }) => values.only.some((text) => `${file} ${name}`.includes(text)))
const tests = [...new Set(wanted.flatMap((one) => one.tests))].toSorted()
const sound = copySources(paths)
const { failure, ran } = await outcomeOf(sound, tests)
rmSync(sound, { recursive: true })
if (failure !== undefined) {
  console.error(`without a defect: ${failure}`)
  process.exit(2)
}
const isTried = ({ tests: named }: TestedDefect): boolean => named.some((path) => ran.includes(path))
const tried = wanted.filter(isTried)
const untried = wanted.filter((one) => !isTried(one))
for (const { file, name } of untried) console.log(`NOT TRIED ${file}: ${name}: its tests skip themselves here`)
const survived: Array<TestedDefect> = []
await eachOf(tried, Number(values.workers), async (defect) => {
  const folder = seedDefect(defect, paths)
  const { failure: noticed } = await outcomeOf(folder, defect.tests)
  rmSync(folder, { recursive: true })
  if (noticed === undefined) survived.push(defect)
  console.log(`${noticed === undefined ? "SURVIVED" : "noticed "} ${defect.file}: ${defect.name}`)
  if (noticed !== undefined) console.log(`         ${noticed}`)
})
console.log(
  `${tried.length - survived.length} of ${tried.length} defects noticed${untried.length === 0 ? "" : `; ${untried.length} not tried`}`
)
process.exitCode = survived.length > 0 ? 1 : 0
