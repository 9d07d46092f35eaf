/** Seeded defects: applies each to a copy of the sources, and runs seeds until one finds it. */
import { type ChildProcess, fork } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import type * as Testing from "../src/testing/index.ts"
import type { Defect } from "../test/simulation/defect.ts"
import { defects } from "../test/simulation/defects.ts"
import { eachOf, seedDefect } from "./seeded.ts"

/** The result for a defect: the seed that found it, and the violation. `seed` is null when none did. */
export interface Verdict {
  readonly name: string
  readonly seed: number | null
  readonly found: string
  /** The shrunk program that finds it, on request. */
  readonly program: Testing.Program | undefined
  readonly seconds: number
}

type Sought = Omit<Verdict, "name" | "seconds">

/** Runs in a separate process: runs seeds with the sources of a folder until one finds a violation. */
const search = async (folder: string, most: number, small: boolean): Promise<Sought> => {
  const { shrink, simulate } = (await import(
    pathToFileURL(join(folder, "src/testing/index.ts")).href
  )) as typeof Testing
  for (let seed = 1; seed <= most; seed++) {
    try {
      const report = await simulate({ seed })
      const [found] = report.found
      if (found === undefined) continue
      return { seed, found, program: small ? (await shrink(report)).program : undefined }
    } catch (error) {
      return { seed, found: String(error), program: undefined }
    }
  }
  return { seed: null, found: "", program: undefined }
}

const findDefect = (defect: Defect, most: number, small: boolean): Promise<Verdict> =>
  new Promise((resolve, reject) => {
    const folder = seedDefect(defect, ["src", "package.json"])
    const began = performance.now()
    const child: ChildProcess = fork(fileURLToPath(import.meta.url), [folder, String(most), String(small)], {
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    let verdict: Verdict | undefined
    child.once("message", (sought: Sought) => {
      verdict = { name: defect.name, ...sought, seconds: (performance.now() - began) / 1000 }
    })
    child.once("exit", () => {
      rmSync(folder, { recursive: true })
      if (verdict === undefined) reject(new Error(`${defect.name}: its simulation exited without a result`))
      else resolve(verdict)
    })
  })

export interface Judging {
  /** Most seeds for each defect. */
  readonly most: number
  /** Number of defects judged at once. */
  readonly workers: number
  /** Only defects whose name contains this text. */
  readonly only?: string | undefined
  /** Whether the program that finds a defect is shrunk. */
  readonly small?: boolean
  readonly report?: (verdict: Verdict) => void
}

/** Judges defects: which seed finds each, if any. */
export const findDefects = async ({
  most,
  only = "",
  small = false,
  report = () => {},
  workers
}: Judging): Promise<ReadonlyArray<Verdict>> => {
  const verdicts: Array<Verdict> = []
  await eachOf(
    defects.filter(({ name }) => name.includes(only)),
    workers,
    async (defect) => {
      const verdict = await findDefect(defect, most, small)
      verdicts.push(verdict)
      report(verdict)
    }
  )
  return verdicts
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , folder = "", most, small] = process.argv
  process.send!(await search(folder, Number(most), small === "true"), () => process.exit(0))
}
