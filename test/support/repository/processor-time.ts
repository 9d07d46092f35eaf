/**
 * Runs before each test file, and writes what processor time the file took: its worker's, and that of the processes which it started
 * and which ended. One line `path seconds` for each file, to the file that CORRIDOR_TEST_TIMES names. The database server of the run
 * is nobody's: its time is not in here.
 */
import { appendFileSync, readFileSync } from "node:fs"
import { relative } from "node:path"
import { afterAll, expect } from "vitest"

const to = process.env["CORRIDOR_TEST_TIMES"]

/** Seconds of the children that ended, by the sixteenth and seventeenth field of `stat`, in hundredths. Zero where there is no such file. */
const ofChildren = (): number => {
  try {
    const fields = readFileSync("/proc/self/stat", "utf8")
      .replace(/^.*\) /s, "")
      .split(" ")
    return (Number(fields[13]) + Number(fields[14])) / 100
  } catch {
    return 0
  }
}

const processorSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000 + ofChildren()
}

if (to !== undefined) {
  const before = processorSeconds()
  afterAll(() => {
    const path = relative(process.cwd(), expect.getState().testPath ?? "")
    appendFileSync(to, `${path} ${(processorSeconds() - before).toFixed(2)}\n`)
  })
}
