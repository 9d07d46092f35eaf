/** Runs seeds in several processes. */
import { type ChildProcess, fork } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Coverage } from "../../testing/index.ts"

/** The result of one seed, as sent between processes. */
export interface SeedLine {
  readonly seed: number
  readonly hash: string
  readonly commits: number
  readonly found: ReadonlyArray<string>
}

export interface Result {
  readonly lines: ReadonlyArray<SeedLine>
  readonly coverage: ReturnType<Coverage["entries"]>
}

export interface SeedOutcome {
  /** In the order of the seeds. */
  readonly lines: ReadonlyArray<SeedLine>
  readonly coverage: Coverage
}

/** Seeds that a process receives at once. */
const batch = 10

/** The worker's file: TypeScript beside the sources, JavaScript in the package. */
const worker = fileURLToPath(new URL(`./worker${import.meta.url.slice(-3)}`, import.meta.url))

/** Runs seeds in processes, and calls `report` after each batch. Rejects if a process ends before its seeds. */
export const runSeeds = (
  seeds: ReadonlyArray<number>,
  workers: number,
  report: (lines: ReadonlyArray<SeedLine>) => void = () => {}
): Promise<SeedOutcome> =>
  new Promise((resolve, reject) => {
    const left = [...seeds]
    const lines: Array<SeedLine> = []
    const coverage = new Coverage()
    const running = new Set<ChildProcess>()
    const feed = (child: ChildProcess): void => {
      const next = left.splice(0, batch)
      if (next.length > 0) child.send(next)
      else child.disconnect()
    }
    for (let i = 0; i < Math.min(workers, Math.ceil(seeds.length / batch)); i++) {
      const child = fork(worker, { stdio: ["ignore", "inherit", "inherit", "ipc"] })
      running.add(child)
      child.on("message", (result: Result) => {
        lines.push(...result.lines)
        coverage.merge(result.coverage)
        report(result.lines)
        feed(child)
      })
      child.once("exit", (code) => {
        running.delete(child)
        if (code !== 0) reject(new Error(`a worker exited with ${code}`))
        else if (running.size === 0) resolve({ lines: lines.toSorted((a, b) => a.seed - b.seed), coverage })
      })
      feed(child)
    }
  })
