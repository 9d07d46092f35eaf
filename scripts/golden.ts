/**
 * Writes the golden snapshots of every machine: one row for each stable state, and the state to which each event leads.
 *
 * A file is named after the machine and the version stored with its rows. After a release it never changes, because
 * rows of that version are in users' databases. `npm run golden` writes files for new versions, and adds new states of
 * a version. It never changes or removes rows that a commit has; a file that none has is written anew.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type MachineEvent, type Specimen, specimens, walkMachine } from "../test/support/machines/specimens.ts"

export interface GoldenRow {
  readonly state: string
  readonly data: object
  /** The events that the state handles, and the states to which they lead. */
  readonly steps: ReadonlyArray<{ readonly event: MachineEvent; readonly to: string }>
}

export interface Golden {
  readonly machine: string
  readonly version: string
  readonly rows: ReadonlyArray<GoldenRow>
}

export const folder = fileURLToPath(new URL("../test/golden/", import.meta.url))

export const goldenName = ({ kind: { lifecycle } }: Specimen): string => `${lifecycle.kind}.v${lifecycle.version}.json`

/** The golden snapshots of the current machine. */
export const goldenOf = (specimen: Specimen): Golden => {
  const { lifecycle } = specimen.kind
  const rows = [...walkMachine(specimen).snapshots.values()].map(({ state, data }) => ({
    state,
    data,
    steps: specimen.events.flatMap((event) => {
      const next = lifecycle.step(state, data, event)
      return next === undefined ? [] : [{ event, to: next.state }]
    })
  }))
  return { machine: lifecycle.kind, version: lifecycle.version, rows }
}

/** The existing rows, plus those of missing states. */
export const completeGolden = (golden: Golden, before: Golden | undefined): Golden => {
  if (before === undefined) return golden
  const known = new Set(before.rows.map(({ state }) => state))
  return { ...before, rows: [...before.rows, ...golden.rows.filter(({ state }) => !known.has(state))] }
}

export const read = (name: string): Golden | undefined =>
  existsSync(folder + name) ? (JSON.parse(readFileSync(folder + name, "utf8")) as Golden) : undefined

/** Whether a commit has the file. Where none has any of them, as without a repository, every file counts as committed. */
export const readCommittedNames = (cwd = folder): ((name: string) => boolean) => {
  try {
    const listed = execFileSync("git", ["ls-tree", "--name-only", "HEAD", "./"], { cwd, stdio: "pipe" })
    const names = new Set(listed.toString().split("\n"))
    return (name) => listed.length === 0 || names.has(name)
  } catch {
    return () => true
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(folder, { recursive: true })
  const isCommitted = readCommittedNames()
  for (const specimen of Object.values(specimens)) {
    const name = goldenName(specimen)
    const golden = completeGolden(goldenOf(specimen), isCommitted(name) ? read(name) : undefined)
    writeFileSync(folder + name, `${JSON.stringify(golden, null, 1)}\n`)
  }
}
