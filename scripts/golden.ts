/**
 * Writes what a release promises to those after it (SERVICE-30), in `test/golden`: for every state of every machine one row, with the
 * states to which its events lead (`0.1.0.json`), and the SHA-256 of these rows and of the migrations (`0.1.0.sha256`, which
 * `sha256sum --check` reads).
 *
 * `npm run golden` is a step of a release, after `version` was raised in `package.json`. A file that is there is never written again: rows
 * of that release are in users' databases.
 */
import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type MachineEvent, type Specimen, specimens, walked } from "../test/support/machines/specimens.ts"

export interface GoldenRow {
  readonly state: string
  readonly data: object
  /** Of each type of event that the state handles, and each state to which it leads, one. */
  readonly steps: ReadonlyArray<{ readonly event: MachineEvent; readonly to: string }>
}

export interface Golden {
  readonly version: string
  readonly rows: ReadonlyArray<GoldenRow>
}

/** By the kind of the machine. */
export type Release = Readonly<Record<string, Golden>>

const root = fileURLToPath(new URL("../", import.meta.url))
const folder = "test/golden"
const migrations = "src/adapters/storage/migrations"

/** The golden rows of today's machine. */
export const goldenOf = ({ events, ...specimen }: Specimen): Golden => {
  const { lifecycle } = specimen.kind
  const rows = [...walked({ events, ...specimen }).snapshots.values()].map(({ state, data }) => {
    const steps = events.flatMap((event) => {
      const next = lifecycle.step(state, data, event)
      return next === undefined ? [] : [{ event, to: next.state }]
    })
    const unlike = new Map(steps.toReversed().map((one) => [`${one.event.type} ${one.to}`, one]))
    return { state, data, steps: [...unlike.values()].toReversed() }
  })
  return { version: lifecycle.version, rows }
}

/** A row a line. */
const textOf = (release: Release): string => {
  const machines = Object.entries(release).map(([kind, { rows, version }]) => {
    const lines = rows.map((row) => `\n  ${JSON.stringify(row)}`)
    return `${JSON.stringify(kind)}: {"version": ${JSON.stringify(version)}, "rows": [${lines.join(",")}]}`
  })
  return `{\n${machines.join(",\n")}\n}\n`
}

/** The versions that were released, with their golden rows. */
export const released = (): ReadonlyMap<string, Release> =>
  new Map(
    readdirSync(root + folder)
      .filter((name) => name.endsWith(".json"))
      .map((name) => [name.slice(0, -".json".length), JSON.parse(readFileSync(`${root}${folder}/${name}`, "utf8"))])
  )

export const hashOf = (path: string): string =>
  createHash("sha256")
    .update(readFileSync(root + path))
    .digest("hex")

/** The files of all releases with their hashes. */
export const releasedFiles = (): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(root + folder)
      .filter((name) => name.endsWith(".sha256"))
      .flatMap((name) => readFileSync(`${root}${folder}/${name}`, "utf8").trimEnd().split("\n"))
      .map((line): [string, string] => {
        const [hash, path] = line.split("  ")
        return [path!, hash!]
      })
  )

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { version } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as { readonly version: string }
  const rows = `${folder}/${version}.json`
  if (existsSync(root + rows)) {
    console.error(`${rows} is there: what was released does not change. Raise the version in package.json first.`)
    process.exit(1)
  }
  mkdirSync(root + folder, { recursive: true })
  writeFileSync(
    root + rows,
    textOf(Object.fromEntries(Object.values(specimens).map((one) => [one.kind.lifecycle.kind, goldenOf(one)])))
  )
  const known = releasedFiles()
  const paths = readdirSync(root + migrations).map((name) => `${migrations}/${name}`)
  const added = [...paths.toSorted().filter((path) => !known.has(path)), rows]
  writeFileSync(`${root}${folder}/${version}.sha256`, added.map((path) => `${hashOf(path)}  ${path}\n`).join(""))
}
