/** What has its turn: a part of what only repeats what other tests show, drawn anew by each commit, so that a few commits run all of it. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { globSync } from "node:fs"
import { relative } from "node:path"
import { secondsOf } from "./seconds.ts"

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

/** One of as many sides as there are. Undefined: all of them. */
const drawSide = <A>(of: string, turn: string, sides: ReadonlyArray<A>): A | undefined => {
  if (turn === "all") return undefined
  const [draw = 0] = createHash("sha256").update(`${turn} ${of}`).digest()
  return sides[draw % sides.length]
}

/** Which of two sides the file at a path is on. Undefined: on both. */
export const sideOf = (path: string, turn = turnHere()): 0 | 1 | undefined =>
  drawSide(relative(process.cwd(), path), turn, [0, 1])

/** Those of several cases that have their turn: about half of them, or all. */
export const inTurn = <A>(of: string, cases: ReadonlyArray<A>, nameOf: (one: A) => string): ReadonlyArray<A> =>
  cases.filter((one) => sideOf(`${of} ${nameOf(one)}`) !== 0)

/** The store beside memory on which the scenarios of a file have their turn. Undefined: on all. */
export const storeOf = (path: string, turn = turnHere()): "postgres" | "pglite" | "cells" | undefined =>
  drawSide(relative(process.cwd(), path), turn, ["postgres", "postgres", "pglite", "cells"])

/** Processor seconds that the exhaustive tests of a commit may take. */
const EXHAUSTIVE_SECONDS = 75

const secondsIn = (path: string): number => secondsOf[path] ?? 0

/** The exhaustive tests: one part of those that have their seconds, and all others. */
export const exhaustiveOf = (turn: string): ReadonlyArray<string> => {
  const all = globSync("test/**/*.long.test.ts")
  // As few parts of the exhaustive tests as take no more than they may, each about as long: the longest first, to
  // the part that has least.
  const paths = all.filter((path) => secondsIn(path) > 0)
  const sum = paths.reduce((seconds, path) => seconds + secondsIn(path), 0)
  const parts = Array.from({ length: Math.ceil(sum / EXHAUSTIVE_SECONDS) }, () => ({
    paths: [] as Array<string>,
    seconds: 0
  }))
  for (const path of paths.toSorted((a, b) => secondsIn(b) - secondsIn(a) || (a < b ? -1 : 1))) {
    const least = parts.reduce((least, part) => (part.seconds < least.seconds ? part : least))
    least.paths.push(path)
    least.seconds += secondsIn(path)
  }
  const part = drawSide(
    "test/**/*.long.test.ts",
    turn,
    parts.map(({ paths }) => paths)
  )
  return all.filter((path) => part === undefined || secondsIn(path) === 0 || part.includes(path))
}
