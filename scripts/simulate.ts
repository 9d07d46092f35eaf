/**
 * Simulations on the command line: `npm run simulate -- --seeds 200`, `-- --seed 7`.
 *
 * `--seeds N` runs N seeds from `--from` (1), in one process per core (`--workers`), and prints the violations, the
 * speed and the coverage. It shrinks a failing seed and prints the command that replays the rest. `--seed N` prints the
 * log of one simulation; `--keep`, `--without`, `--always` and `--salt` select a shrunk program. `--corpus FILE` adds shrunk
 * programs to a file. `--defects` applies seeded defects to the sources, one at a time, and prints which seed finds
 * each (at most `--seeds`, 2000). Exits with 1 when there is a violation, or when a defect is not found.
 */
import { type ChildProcess, fork } from "node:child_process"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import {
  Coverage,
  live,
  narrated,
  type Program,
  programOf,
  reduced,
  type Reduction,
  shrink,
  simulate
} from "../src/testing/index.ts"
import { judgedBy, type Verdict } from "./simulate-defects.ts"

/** The result of one seed, as sent between processes. */
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

/** Most failing seeds to shrink. The others are mostly similar. */
const shrunkMax = 3

const lived = async (seed: number, coverage: Coverage): Promise<Line> => {
  try {
    const { hash, commits, found } = await simulate({ seed, coverage })
    return { seed, hash, commits, found }
  } catch (error) {
    return { seed, hash: "", commits: 0, found: [`the simulation failed: ${String((error as Error).stack ?? error)}`] }
  }
}

/** A worker process: runs the seeds that it receives. */
const work = (): void => {
  const answer = async (seeds: ReadonlyArray<number>): Promise<void> => {
    const coverage = new Coverage()
    const lines: Array<Line> = []
    for (const seed of seeds) lines.push(await lived(seed, coverage))
    process.send!({ lines, coverage: coverage.entries() } satisfies Result)
  }
  process.on("message", (seeds: ReadonlyArray<number>) => void answer(seeds))
}

/** Runs seeds in several processes. Calls `told` after each batch. */
export const livedBy = (
  seeds: ReadonlyArray<number>,
  workers: number,
  report: (lines: ReadonlyArray<Line>) => void = () => {}
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

/** A program that failed once and must not fail again. */
export interface Kept {
  readonly about: string
  readonly program: Program
}

/** Adds a program to a file of programs. */
const keep = (corpus: string, kept: Kept): void => {
  const before = existsSync(corpus) ? (JSON.parse(readFileSync(corpus, "utf8")) as ReadonlyArray<Kept>) : []
  writeFileSync(corpus, `${JSON.stringify([...before.filter(({ about }) => about !== kept.about), kept])}\n`)
}

/** The command that replays a shrunk seed. */
const replaying = (seed: number, { always, keep, salt, without }: Reduction): string =>
  [
    `npm run simulate -- --seed ${seed} --keep ${keep.join()}`,
    ...(without.length > 0 ? [`--without ${without.join()}`] : []),
    ...(always.length > 0 ? [`--always ${always.join()}`] : []),
    ...(salt > 0 ? [`--salt ${salt}`] : [])
  ].join(" ")

/** Shrinks a failing seed, prints how to replay it, and adds it to the corpus if one is given. */
const small = async (seed: number, corpus: string | undefined): Promise<void> => {
  const { program, reduction, report, runs } = await shrink(await simulate({ seed }))
  console.log(
    `seed ${seed}, after ${runs} smaller simulations: ${program.ops.length} operations find ${report.found[0]}`
  )
  console.log(replaying(seed, reduction))
  if (corpus !== undefined) keep(corpus, { about: `seed ${seed}: ${report.found[0]}`, program })
}

const many = async (
  count: number,
  from: number,
  workers: number,
  json: boolean,
  corpus: string | undefined
): Promise<void> => {
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
    for (const line of coverage.lines()) console.log(line)
    const commits = lines.reduce((sum, { commits }) => sum + commits, 0)
    console.log(
      `${lines.length} seeds, ${commits} commits and ${((count * 30) / 365).toFixed(1)} simulated years in ${seconds.toFixed(1)} s (${(count / seconds).toFixed(1)} seeds/s): ${failed.length} failed`
    )
    for (const { seed } of failed.slice(0, shrunkMax)) await small(seed, corpus)
    for (const { seed } of failed.slice(shrunkMax)) console.log(`npm run simulate -- --seed ${seed}`)
  }
  process.exitCode = failed.length > 0 ? 1 : 0
}

const one = async (program: Program, quiet: boolean): Promise<void> => {
  const { found, hash, commits } = await live(program, {
    ...(quiet ? {} : { log: (age, what, about) => narrated(age, what, about).forEach((line) => console.log(line)) })
  })
  for (const what of found) console.log(`found: ${what}`)
  console.log(`seed ${program.seed}: ${commits} commits, hash ${hash}`)
  process.exitCode = found.length > 0 ? 1 : 0
}

const table = async (
  most: number,
  workers: number,
  only: string | undefined,
  corpus: string | undefined
): Promise<void> => {
  const report = ({ found, name, program, seconds, seed }: Verdict): void => {
    if (corpus !== undefined && program !== undefined) keep(corpus, { about: name, program })
    console.log(
      seed === null
        ? `MISSED ${name} (${most} seeds, ${seconds.toFixed(0)} s)`
        : `${`seed ${seed}`.padEnd(9)} ${`${seconds.toFixed(1)} s`.padStart(7)}  ${name}: ${found.split("\n", 1)[0]!.slice(0, 110)}`
    )
  }
  const verdicts = await judgedBy({ most, workers, only, small: corpus !== undefined, report })
  const missed = verdicts.filter(({ seed }) => seed === null)
  console.log(`${verdicts.length - missed.length} of ${verdicts.length} defects found within ${most} seeds`)
  process.exitCode = missed.length > 0 ? 1 : 0
}

const whole = (text: string | undefined, otherwise: number): number => {
  if (text === undefined) return otherwise
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(`${JSON.stringify(text)} is not a whole number`)
  return Number(text)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      seeds: { type: "string" },
      from: { type: "string" },
      seed: { type: "string" },
      keep: { type: "string" },
      without: { type: "string" },
      always: { type: "string" },
      salt: { type: "string" },
      corpus: { type: "string" },
      defects: { type: "boolean", default: false },
      only: { type: "string" },
      workers: { type: "string" },
      quiet: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      work: { type: "boolean", default: false }
    }
  })
  const workers = whole(values.workers, availableParallelism())
  const listed = (text: string | undefined): ReadonlyArray<string> => (text === undefined ? [] : text.split(","))
  if (values.work) work()
  else if (values.defects) await table(whole(values.seeds, 2000), workers, values.only, values.corpus)
  else if (values.seed !== undefined) {
    const program = programOf(whole(values.seed, 1))
    const keep = values.keep === undefined ? program.ops.map(({ n }) => n) : listed(values.keep).map((n) => whole(n, 0))
    const salt = whole(values.salt, 0)
    const left = { keep, without: listed(values.without), always: listed(values.always), salt }
    await one(reduced(program, left), values.quiet)
  } else await many(whole(values.seeds, 200), whole(values.from, 1), workers, values.json, values.corpus)
}
