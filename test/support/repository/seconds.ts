/** What processor time the tests take: `test/seconds.json`, which `node scripts/test-seconds.ts` writes from a measured run. */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export interface TestSeconds {
  /** Processor seconds that the files of a folder may take together, as measured on the machine that wrote {@link files}. */
  readonly budgets: Readonly<Record<string, number>>
  /** Processor seconds of a file, and of the processes that it starts. A file that takes less than half of one is not here. */
  readonly files: Readonly<Record<string, number>>
  /**
   * Of a file in `npm test`, where laws are tried less often, with what its browser and the run's database take: the time of all
   * processes of a run of one worker. A file that nobody has measured so is not here.
   */
  readonly whole: Readonly<Record<string, number>>
}

export const secondsPath = fileURLToPath(new URL("../../seconds.json", import.meta.url))
export const testSeconds = JSON.parse(readFileSync(secondsPath, "utf8")) as TestSeconds
export const secondsOf = testSeconds.files

/** What a file that takes too little to be listed costs. */
export const SMALL_SECONDS = 0.15

/** What a file takes of `npm test`. One that nobody has measured so takes what its own processes do. */
export const wholeSecondsOf = (path: string): number => testSeconds.whole[path] ?? secondsOf[path] ?? SMALL_SECONDS

/** What a file takes at most of a run: its own processes, or with its browser and the database. */
export const costOf = (path: string): number =>
  Math.max(testSeconds.whole[path] ?? 0, secondsOf[path] ?? 0, SMALL_SECONDS)

/** What a budget is of: the folder below `test`. */
export const folderOf = (path: string): string =>
  path
    .split("/")
    .slice(0, 2)
    .join("/")
    .replace(/\.test\.ts$/, "")
