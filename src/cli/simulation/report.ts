/** What a person sees of simulations. */
import {
  live,
  narrateEntry,
  type Program,
  programOf,
  reduceProgram,
  type Reduction,
  shrink,
  simulate
} from "../../testing/index.ts"
import { runSeeds } from "./pool.ts"

/** Most failing seeds to shrink. The others are mostly similar. */
const shrunkMax = 3

export interface Many {
  readonly seeds: number
  readonly from: number
  readonly workers: number
  readonly isJson: boolean
  /** Print what was visited and what is missing, after the result. */
  readonly isCovered?: boolean
  /** Shows progress: how many seeds of `seeds` have run, and how many failed. */
  readonly progress?: (done: number, failed: number) => void
  /** The command that runs one seed, without its options. */
  readonly command: string
  readonly say: (line: string) => void
  /** Called with each violation that was shrunk. */
  readonly keep?: (about: string, program: Program) => void
}

/** Runs seeds and prints the violations, the speed and the coverage. Returns whether there was no violation. */
export const simulateMany = async (many: Many): Promise<boolean> => {
  const { command, from, isCovered = false, isJson, progress = () => {}, say, seeds: count, workers } = many
  const began = performance.now()
  const seeds = Array.from({ length: count }, (_, index) => from + index)
  let [done, wrong] = [0, 0]
  progress(done, wrong)
  const { lines, coverage } = await runSeeds(seeds, workers, (some) => {
    done += some.length
    wrong += some.filter(({ found }) => found.length > 0).length
    progress(done, wrong)
    if (isJson) return
    for (const { found, seed } of some) for (const what of found) say(`seed ${seed}: ${what}`)
  })
  const failed = lines.filter(({ found }) => found.length > 0)
  const seconds = (performance.now() - began) / 1000
  if (isJson) {
    say(JSON.stringify({ lines, coverage: coverage.entries(), seconds }))
    return failed.length === 0
  }
  const commits = lines.reduce((sum, { commits }) => sum + commits, 0)
  say(
    `${lines.length} seeds, ${commits} commits and ${((count * 30) / 365).toFixed(1)} simulated years in ${seconds.toFixed(1)} s (${(count / seconds).toFixed(1)} seeds/s): ${failed.length} failed`
  )
  if (isCovered) for (const line of coverage.lines()) say(line)
  else say(`${coverage.summary()}: --coverage lists them`)
  for (const line of failed.slice(0, shrunkMax)) {
    // Shrinks a failing seed, and prints how to replay it.
    const { seed } = line
    const { keep } = many
    const { program, reduction, report, runs } = await shrink(await simulate({ seed }))
    say(`seed ${seed}, after ${runs} smaller simulations: ${program.ops.length} operations find ${report.found[0]}`)
    // The options that replay a shrunk seed.
    const options = [
      `--seed ${seed} --keep ${reduction.keep.join()}`,
      ...(reduction.without.length > 0 ? [`--without ${reduction.without.join()}`] : []),
      ...(reduction.always.length > 0 ? [`--always ${reduction.always.join()}`] : []),
      ...(reduction.salt > 0 ? [`--salt ${reduction.salt}`] : [])
    ].join(" ")
    say(`${command} ${options}`)
    keep?.(`seed ${seed}: ${report.found[0]}`, program)
  }
  for (const { seed } of failed.slice(shrunkMax)) say(`${command} --seed ${seed}`)
  return failed.length === 0
}

/** What is left of a seed's program. `keep`: the numbers of its operations; undefined keeps all. */
export interface One extends Omit<Reduction, "keep"> {
  readonly seed: number
  readonly keep: ReadonlyArray<number> | undefined
  readonly isQuiet: boolean
  readonly isJson: boolean
  readonly say: (line: string) => void
}

/** Runs one simulation and prints its log. Returns whether there was no violation. */
export const simulateOne = async ({ isJson, isQuiet, keep, say, seed, ...left }: One): Promise<boolean> => {
  const program = programOf(seed)
  const reduction = { ...left, keep: keep ?? program.ops.map(({ n }) => n) }
  const { found, hash, commits } = await live(reduceProgram(program, reduction), {
    ...(isQuiet || isJson ? {} : { log: (age, what, about) => narrateEntry(age, what, about).forEach(say) })
  })
  if (isJson) {
    say(JSON.stringify({ seed, hash, commits, found }))
    return found.length === 0
  }
  for (const what of found) say(`found: ${what}`)
  say(`seed ${seed}: ${commits} commits, hash ${hash}`)
  return found.length === 0
}
