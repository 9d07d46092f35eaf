/** Which tests of `npm run test:long` have their turn: half of them, drawn anew by each commit, so that a few commits run them all. */
import { createHash } from "node:crypto"
import { globSync, readdirSync, readFileSync } from "node:fs"
import { relative } from "node:path"
import { secondsOf } from "./longest-first.ts"

/** The commit, `all` where everything runs, and everything where it is not set. */
export const TURN = "CORRIDOR_TEST_TURN"

/** Which of two sides the file at a path is on. Undefined: on both. */
export const sideOf = (path: string, turn = process.env[TURN] ?? "all"): 0 | 1 | undefined => {
  if (turn === "all") return undefined
  const [draw = 0] = createHash("sha256")
    .update(`${turn} ${relative(process.cwd(), path)}`)
    .digest()
  return draw % 2 === 0 ? 0 : 1
}

const secondsIn = (path: string): number => secondsOf[path] ?? 0

/** The exhaustive tests. Of those that take long every second one has its turn, in the order of their seconds, so that both halves take as long. */
export const exhaustiveOf = (turn: string): ReadonlyArray<string> => {
  const all = globSync("test/**/*.long.test.ts").toSorted((a, b) => secondsIn(b) - secondsIn(a) || (a < b ? -1 : 1))
  const side = sideOf("test/**/*.long.test.ts", turn)
  return all.filter((path, nth) => side === undefined || secondsIn(path) < 20 || nth % 2 === side)
}

/** The scenarios that run on other stores than memory, without those that run on cells alone and have no turn. */
export const scenariosOf = (turn: string): ReadonlyArray<string> =>
  readdirSync("test/scenarios", { recursive: true, encoding: "utf8" })
    .map((name) => `test/scenarios/${name}`)
    .filter((path) => {
      if (!path.endsWith(".test.ts")) return false
      const text = readFileSync(path, "utf8")
      return text.includes("onEveryStore(") || (text.includes("onServers(") && sideOf(path, turn) !== 0)
    })
