/** What has its turn: a part of what only repeats what other tests show, drawn anew by each commit, so that a few commits run all of it. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { globSync, readFileSync } from "node:fs"
import { relative } from "node:path"
import { fileURLToPath } from "node:url"
import { costOf, secondsOf } from "./seconds.ts"

/** The commit, and `all` where everything runs. */
export const TURN = "CORRIDOR_TEST_TURN"

const commit = (): string => {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim()
  } catch {
    // What is not a checkout runs everything.
    return "all"
  }
}

/** The turn of this run. */
export const turnHere = (): string => (process.env[TURN] ??= commit())

/** A number from 0 to below a count, which is at most 256: the same at each run of a commit. */
const draw = (of: string, turn: string, count: number): number =>
  createHash("sha256").update(`${turn} ${of}`).digest().readUInt8(0) % count

/** One of as many sides as there are. Undefined: all of them. */
const drawSide = <A>(of: string, turn: string, sides: ReadonlyArray<A>): A | undefined =>
  turn === "all" ? undefined : sides[draw(of, turn, sides.length)]

/** As many of the cases as are wanted, evenly spread, and others at each commit. */
export const spread = <A>(of: string, cases: ReadonlyArray<A>, wanted: number, turn = turnHere()): ReadonlyArray<A> => {
  if (wanted >= cases.length) return cases
  const first = turn === "all" ? 0 : draw(of, turn, Math.min(cases.length, 256))
  return Array.from(
    { length: wanted },
    (_, n) => cases[Math.floor(first + (n * cases.length) / wanted) % cases.length]!
  )
}

/** Which of two sides the file at a path is on. Undefined: on both. */
export const sideOf = (path: string, turn = turnHere()): 0 | 1 | undefined =>
  drawSide(relative(process.cwd(), path), turn, [0, 1])

/** Those of several cases that have their turn: about half of them, or all. */
export const inTurn = <A>(of: string, cases: ReadonlyArray<A>, nameOf: (one: A) => string): ReadonlyArray<A> =>
  cases.filter((one) => sideOf(`${of} ${nameOf(one)}`) !== 0)

const storeSides = ["postgres", "postgres", "pglite", "cells", "memory", "memory", "memory", "memory"] as const

/** The store on which the scenarios of a file have their turn beside memory: at every second commit memory alone. Undefined: on all. */
export const storeOf = (path: string, turn = turnHere()): (typeof storeSides)[number] | undefined =>
  drawSide(relative(process.cwd(), path), turn, storeSides)

/**
 * As few parts of the files as take no more seconds than they may, each about as long: the longest first, to the part that has least.
 * Of these, the one that has its turn. Undefined: all of them.
 */
const drawPart = (
  of: string,
  turn: string,
  paths: ReadonlyArray<string>,
  costOf: (path: string) => number,
  most: number
): ReadonlySet<string> | undefined => {
  const sum = paths.reduce((seconds, path) => seconds + costOf(path), 0)
  const parts = Array.from({ length: Math.ceil(sum / most) }, () => ({ paths: [] as Array<string>, seconds: 0 }))
  for (const path of paths.toSorted((a, b) => costOf(b) - costOf(a) || (a < b ? -1 : 1))) {
    const least = parts.reduce((least, part) => (part.seconds < least.seconds ? part : least))
    least.paths.push(path)
    least.seconds += costOf(path)
  }
  const part = drawSide(of, turn, parts)
  return part === undefined ? undefined : new Set(part.paths)
}

/** Processor seconds that the exhaustive tests of a commit may take, unless one of them takes more alone. */
const EXHAUSTIVE_SECONDS = 50

const pattern = "test/**/*.long.test.ts"
let exhaustive: ReadonlyArray<string> | undefined

/** The exhaustive tests: one part of those that have their seconds, and all others. */
export const exhaustiveOf = (turn: string): ReadonlyArray<string> => {
  const all = (exhaustive ??= globSync(pattern))
  const costOf = (path: string): number => secondsOf[path] ?? 0
  const measured = all.filter((path) => costOf(path) > 0)
  const part = drawPart(pattern, turn, measured, costOf, EXHAUSTIVE_SECONDS)
  return all.filter((path) => part === undefined || costOf(path) === 0 || part.has(path))
}

export const repeatingPath = fileURLToPath(new URL("../../repeating.json", import.meta.url))

/** The files that show no rule alone, and are named by no seeded defect: `node scripts/choose-tests.ts` writes them down. */
export const readRepeating = (): ReadonlyArray<string> =>
  JSON.parse(readFileSync(repeatingPath, "utf8")) as ReadonlyArray<string>

/** Processor seconds that they may take at a commit. */
const REPEATING_SECONDS = 110

/** Those that have their turn. */
export const repeatingOf = (turn: string): ReadonlyArray<string> => {
  const all = readRepeating()
  const part = drawPart("test/repeating.json", turn, all, costOf, REPEATING_SECONDS)
  return all.filter((path) => part === undefined || part.has(path))
}
