/** What has its turn: a part of what only repeats what other tests show, drawn anew by each commit, so that a few commits run all of it. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { globSync, readdirSync, readFileSync } from "node:fs"
import { relative } from "node:path"
import { secondsOf } from "./longest-first.ts"

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
const drawn = <A>(of: string, turn: string, sides: ReadonlyArray<A>): A | undefined => {
  if (turn === "all") return undefined
  const [draw = 0] = createHash("sha256").update(`${turn} ${of}`).digest()
  return sides[draw % sides.length]
}

/** Which of two sides the file at a path is on. Undefined: on both. */
export const sideOf = (path: string, turn = turnHere()): 0 | 1 | undefined =>
  drawn(relative(process.cwd(), path), turn, [0, 1])

/** Those of several cases that have their turn: about half of them, or all. */
export const inTurn = <A>(of: string, cases: ReadonlyArray<A>, nameOf: (one: A) => string): ReadonlyArray<A> =>
  cases.filter((one) => sideOf(`${of} ${nameOf(one)}`) !== 0)

/** The store beside memory on which the scenarios of a file have their turn. Undefined: on all. */
export const storeOf = (path: string, turn = turnHere()): "postgres" | "pglite" | "cells" | undefined =>
  drawn(relative(process.cwd(), path), turn, ["postgres", "postgres", "pglite", "cells"])

const secondsIn = (path: string): number => secondsOf[path] ?? 0

/** The exhaustive tests. Of those that take long every third one has its turn, in the order of their seconds, so that all thirds take as long. */
export const exhaustiveOf = (turn: string): ReadonlyArray<string> => {
  const all = globSync("test/**/*.long.test.ts").toSorted((a, b) => secondsIn(b) - secondsIn(a) || (a < b ? -1 : 1))
  const third = drawn("test/**/*.long.test.ts", turn, [0, 1, 2])
  return all.filter((path, nth) => third === undefined || secondsIn(path) < 5 || nth % 3 === third)
}

/** The scenarios that have their turn on another store than memory and Postgres, and what calls everything at once. */
export const scenariosOf = (turn: string): ReadonlyArray<string> =>
  [
    "test/http/requests/many-callers.test.ts",
    ...readdirSync("test/scenarios", { recursive: true, encoding: "utf8" }).map((name) => `test/scenarios/${name}`)
  ]
    .filter((path) => path.endsWith(".test.ts") && storeOf(path, turn) !== "postgres")
    .filter((path) => /\b(?:onEveryStore|onServers|storesHere)\(/.test(readFileSync(path, "utf8")))
