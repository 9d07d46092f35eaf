/**
 * What processor time the tests take. A run writes it with `CORRIDOR_TEST_TIMES=FILE`, and then:
 *
 * - `node scripts/test-seconds.ts FILE` writes `test/seconds.json`: the seconds of each file. A budget stays as it is; a folder without
 *   one gets three tenths more than it takes: what has its turn differs from commit to commit.
 * - `node scripts/test-seconds.ts --whole FILE` writes what each file takes of `npm test` with its browser and the database, of a run of
 *   one worker whose processes were counted as a group.
 * - `node scripts/test-seconds.ts --check FILE` prints what each folder takes beside its budget, and fails where one takes more. How
 *   much slower the machine is than the one that measured comes from the files that both have run: their median. A run of everything is
 *   over no budget: they are of what has its turn.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { parseArgs } from "node:util"
import { turnHere } from "../test/support/repository/turns.ts"
import { folderOf, secondsPath, type TestSeconds, testSeconds } from "../test/support/repository/seconds.ts"

/** A file that takes less is not listed. */
const LEAST_SECONDS = 0.5

/** What a folder may take above its budget before it fails: runs of one tree differ by as much. */
const TOLERANCE = 1.25

export type Times = Readonly<Record<string, number>>

/** The seconds of each file of a written run. A file that ran on several stores, or in several runs, took the sum. */
export const timesIn = (text: string): Times => {
  const times: Record<string, number> = {}
  for (const line of text.trim().split("\n")) {
    const [path = "", seconds = ""] = line.split(" ")
    if (path !== "") times[path] = (times[path] ?? 0) + Number(seconds)
  }
  return times
}

const roundToTenth = (seconds: number): number => Math.round(seconds * 10) / 10

const folders = (times: Times): Readonly<Record<string, number>> => {
  const sums: Record<string, number> = {}
  for (const [path, seconds] of Object.entries(times)) {
    const folder = folderOf(path)
    sums[folder] = (sums[folder] ?? 0) + seconds
  }
  return sums
}

/** How much slower a run was than what is written: the median of the files that say something. */
export const slownessOf = (times: Times, written: Times): number => {
  const ratios = Object.entries(times)
    .flatMap(([path, seconds]) => ((written[path] ?? 0) >= 1 ? [seconds / written[path]!] : []))
    .toSorted((a, b) => a - b)
  return ratios[ratios.length >> 1] ?? 1
}

export interface FolderTime {
  readonly folder: string
  /** As the machine that wrote the budgets would have taken. */
  readonly seconds: number
  /** Null: the folder has none. */
  readonly budget: number | null
  readonly isOver: boolean
}

/** What each folder takes beside its budget. A folder with none is over: somebody decides what it may take. */
export const compareFolders = (times: Times, { budgets, files }: TestSeconds): ReadonlyArray<FolderTime> => {
  const slowness = slownessOf(times, files)
  return Object.entries(folders(times))
    .map(([folder, taken]) => {
      const budget = budgets[folder] ?? null
      const seconds = roundToTenth(taken / slowness)
      return { folder, seconds, budget, isOver: budget === null || seconds > TOLERANCE * budget }
    })
    .toSorted((a, b) => b.seconds - a.seconds)
}

const sortTimes = (values: Times): Times =>
  Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)))

/** The file as a measured run makes it. Files that did not run, as those whose turn it was not, stay while they are there. */
export const updateSeconds = (times: Times, before: TestSeconds, isThere: (path: string) => boolean): TestSeconds => {
  const files = {
    ...before.files,
    ...Object.fromEntries(Object.entries(times).map(([path, seconds]) => [path, roundToTenth(seconds)]))
  }
  const listed = Object.fromEntries(
    Object.entries(files).filter(([path, seconds]) => seconds >= LEAST_SECONDS && isThere(path))
  )
  const sums = folders({ ...listed, ...times })
  const budgets = Object.fromEntries(
    Object.entries(sums).map(([folder, seconds]) => [
      folder,
      before.budgets[folder] ?? Math.max(1, Math.ceil(1.3 * seconds))
    ])
  )
  return { ...before, budgets: sortTimes(budgets), files: sortTimes(listed) }
}

const main = (): number => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { check: { type: "boolean", default: false }, whole: { type: "boolean", default: false } }
  })
  const times = timesIn(positionals.map((path) => readFileSync(path, "utf8")).join("\n"))
  if (Object.keys(times).length === 0) throw new Error("no file has a time: run the tests with CORRIDOR_TEST_TIMES")
  if (!values.check) {
    const there = Object.entries(times).filter(([path]) => existsSync(path))
    const written = values.whole
      ? { ...testSeconds, whole: sortTimes(Object.fromEntries(there)) }
      : updateSeconds(times, testSeconds, existsSync)
    writeFileSync(secondsPath, `${JSON.stringify(written, null, 2)}\n`)
    return 0
  }
  const all = compareFolders(times, testSeconds)
  for (const { budget, folder, isOver, seconds } of all)
    process.stdout.write(
      `${folder.padEnd(28)}${seconds.toFixed(1).padStart(8)} s of ${String(budget ?? "none").padStart(5)}${isOver ? "  over its budget" : ""}\n`
    )
  return turnHere() !== "all" && all.some(({ isOver }) => isOver) ? 1 : 0
}

if (import.meta.main) process.exit(main())
