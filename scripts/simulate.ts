/**
 * Simulated worlds from the command line: `npm run simulate -- --seeds 200`, `-- --seed 7`.
 *
 * `--seeds N` lives through N seeds from `--from` (1), in as many processes as there are cores (`--workers`), and prints
 * what was found, how fast it went, and what was visited. `--seed N` prints what happens in one world, line by line.
 * The exit code is 1 when something was found.
 */
import { type ChildProcess, fork } from "node:child_process"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { Coverage, narrated, simulate } from "../src/testing/index.ts"

/** What one seed came to, between processes. */
interface Line {
  readonly seed: number
  readonly hash: string
  readonly commits: number
  readonly found: ReadonlyArray<string>
}

interface Result {
  readonly lines: ReadonlyArray<Line>
  readonly coverage: ReturnType<Coverage["entries"]>
}

const batch = 10

const lived = async (seed: number, coverage: Coverage): Promise<Line> => {
  try {
    const { hash, commits, found } = await simulate({ seed, coverage })
    return { seed, hash, commits, found }
  } catch (error) {
    return { seed, hash: "", commits: 0, found: [`the simulation failed: ${String((error as Error).stack ?? error)}`] }
  }
}

/** A worker: lives through the seeds it is sent. */
const work = (): void => {
  const answer = async (seeds: ReadonlyArray<number>): Promise<void> => {
    const coverage = new Coverage()
    const lines: Array<Line> = []
    for (const seed of seeds) lines.push(await lived(seed, coverage))
    process.send!({ lines, coverage: coverage.entries() } satisfies Result)
  }
  process.on("message", (seeds: ReadonlyArray<number>) => void answer(seeds))
}

/** Lives through seeds in several processes; `told` hears of each batch as it ends. */
export const livedBy = (
  seeds: ReadonlyArray<number>,
  workers: number,
  told: (lines: ReadonlyArray<Line>) => void = () => {}
): Promise<{ readonly lines: ReadonlyArray<Line>; readonly coverage: Coverage }> =>
  new Promise((resolve, reject) => {
    const left = [...seeds]
    const lines: Array<Line> = []
    const coverage = new Coverage()
    const running = new Set<ChildProcess>()
    const feed = (child: ChildProcess): void => {
      const next = left.splice(0, batch)
      if (next.length > 0) child.send(next)
      else child.disconnect()
    }
    for (let i = 0; i < Math.min(workers, Math.ceil(seeds.length / batch)); i++) {
      const child = fork(fileURLToPath(import.meta.url), ["--work"], { stdio: ["ignore", "inherit", "inherit", "ipc"] })
      running.add(child)
      child.on("message", (result: Result) => {
        lines.push(...result.lines)
        coverage.merge(result.coverage)
        told(result.lines)
        feed(child)
      })
      child.once("exit", (code) => {
        running.delete(child)
        if (code !== 0) reject(new Error(`a worker ended with ${code}`))
        else if (running.size === 0) resolve({ lines: lines.toSorted((a, b) => a.seed - b.seed), coverage })
      })
      feed(child)
    }
  })

const many = async (count: number, from: number, workers: number, json: boolean): Promise<void> => {
  const began = performance.now()
  const seeds = Array.from({ length: count }, (_, index) => from + index)
  const { lines, coverage } = await livedBy(seeds, workers, (some) => {
    if (json) return
    for (const { found, seed } of some) for (const what of found) console.log(`seed ${seed}: ${what}`)
  })
  const failed = lines.filter(({ found }) => found.length > 0)
  const seconds = (performance.now() - began) / 1000
  if (json) console.log(JSON.stringify({ lines, coverage: coverage.entries(), seconds }))
  else {
    for (const line of coverage.told()) console.log(line)
    const commits = lines.reduce((sum, one) => sum + one.commits, 0)
    console.log(
      `${lines.length} seeds, ${commits} commits and ${((count * 30) / 365).toFixed(1)} simulated years in ${seconds.toFixed(1)} s (${(count / seconds).toFixed(1)} seeds/s): ${failed.length} failed`
    )
    for (const { seed } of failed) console.log(`npm run simulate -- --seed ${seed}`)
  }
  process.exitCode = failed.length > 0 ? 1 : 0
}

const one = async (seed: number, quiet: boolean): Promise<void> => {
  const { found, hash, commits } = await simulate({
    seed,
    ...(quiet ? {} : { log: (age, what, about) => narrated(age, what, about).forEach((line) => console.log(line)) })
  })
  for (const what of found) console.log(`found: ${what}`)
  console.log(`seed ${seed}: ${commits} commits, hash ${hash}`)
  process.exitCode = found.length > 0 ? 1 : 0
}

const whole = (text: string | undefined, otherwise: number): number => {
  if (text === undefined) return otherwise
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(`${JSON.stringify(text)} is not a number of seeds`)
  return Number(text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string" },
      from: { type: "string" },
      seed: { type: "string" },
      workers: { type: "string" },
      quiet: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      work: { type: "boolean", default: false }
    }
  })
  if (values.work) work()
  else if (values.seed !== undefined) await one(whole(values.seed, 1), values.quiet)
  else
    await many(
      whole(values.seeds, 200),
      whole(values.from, 1),
      whole(values.workers, availableParallelism()),
      values.json
    )
}
