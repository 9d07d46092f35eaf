/**
 * Simulations on the command line: `npm run simulate -- --seeds 200`, `-- --seed 7`. `corridor simulate` has the same options.
 *
 * Two more are for work on the sources. `--corpus FILE` adds shrunk programs to a file. `--defects` applies seeded defects to
 * the sources, one at a time, and prints which seed finds each (at most `--seeds`, 2000; `--only NAME`); it exits with 1 when
 * a defect is not found.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { simulateMany } from "../src/cli/simulation/report.ts"
import type { Program } from "../src/testing/index.ts"
import { findDefects, type Verdict } from "./simulate-defects.ts"

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
  const verdicts = await findDefects({ most, workers, only, small: corpus !== undefined, report })
  const missed = verdicts.filter(({ seed }) => seed === null)
  console.log(`${verdicts.length - missed.length} of ${verdicts.length} defects found within ${most} seeds`)
  process.exitCode = missed.length > 0 ? 1 : 0
}

const whole = (text: string | undefined, otherwise: number): number => {
  if (text === undefined) return otherwise
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(`${JSON.stringify(text)} is not a whole number`)
  return Number(text)
}

const args = process.argv.slice(2)
if (args.some((one) => one === "--defects" || one === "--corpus")) {
  const { values } = parseArgs({
    args,
    options: {
      seeds: { type: "string" },
      from: { type: "string" },
      corpus: { type: "string" },
      defects: { type: "boolean", default: false },
      only: { type: "string" },
      workers: { type: "string" }
    }
  })
  const { corpus } = values
  const workers = whole(values.workers, availableParallelism())
  if (values.defects) await table(whole(values.seeds, 2000), workers, values.only, corpus)
  else {
    const isClean = await simulateMany({
      seeds: whole(values.seeds, 200),
      from: whole(values.from, 1),
      workers,
      isJson: false,
      command: "npm run simulate --",
      say: console.log,
      keep: (about, program) => keep(corpus!, { about, program })
    })
    process.exitCode = isClean ? 0 : 1
  }
} else {
  const main = fileURLToPath(new URL("../src/cli/main.ts", import.meta.url))
  process.exitCode = spawnSync(process.execPath, [main, "simulate", ...args], { stdio: "inherit" }).status ?? 1
}
