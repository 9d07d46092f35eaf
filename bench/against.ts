/**
 * This tree beside another commit, in turns on one machine: `npm run bench -- --against COMMIT [--only life] [--turns 2]`. Prints each
 * row's ratio to the floor, and both rates, for each turn. A ratio beside one of another day proves nothing.
 *
 * The commit is cloned and installed beside the temporary files of the machine once, and kept for the next run.
 */
import { execFileSync } from "node:child_process"
import { existsSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Show } from "./results.ts"

const here = fileURLToPath(new URL("..", import.meta.url))

/** Rows by the beginning of their names: those in which lost ground was found before. */
const usual = ["create/postgres", "life/postgres", "http/postgres/create", "deliveries"]

const run = (folder: string, command: string, ...args: ReadonlyArray<string>): string =>
  execFileSync(command, args, {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 2 ** 26
  })

const treeOf = (commit: string): string => {
  const name = run(here, "git", "rev-parse", "--short", `${commit}^{commit}`).trim()
  const folder = join(tmpdir(), `corridor-bench-${name}`)
  if (!existsSync(join(folder, "node_modules"))) {
    rmSync(folder, { recursive: true, force: true })
    run(here, "git", "clone", "--quiet", "--no-hardlinks", here, folder)
    run(folder, "git", "checkout", "--quiet", name)
    run(folder, "npm", "ci", "--no-audit", "--no-fund")
  }
  return folder
}

interface Line {
  readonly name: string
  readonly ours_per_s: number | null
  readonly floor_per_s: number | null
  readonly ratio: number | null
}

const linesOf = (folder: string, only: string, { rounds, scale }: Load): ReadonlyArray<Line> => {
  const args = ["run", "--silent", "bench", "--", "--json", "--only", only, "--rounds", rounds, "--scale", scale]
  const output = run(folder, "npm", ...args)
  return JSON.parse(output.slice(output.indexOf("[")))
}

interface Load {
  readonly rounds: string
  readonly scale: string
}

/** The order of the trees changes with each turn: the second to run has the warmer machine. */
export const measureAgainst = (
  commit: string,
  show: Show,
  { only, turns, ...load }: Load & { readonly only: string; readonly turns: number }
): ReadonlyArray<object> => {
  const trees = [
    ["before", treeOf(commit)],
    ["after", here]
  ] as const
  const lines: Array<object> = []
  show(["", "turn", "tree", "ratio", "ours/s", "floor/s"])
  for (let turn = 1; turn <= turns; turn++) {
    for (const [tree, folder] of turn % 2 === 1 ? trees : trees.toReversed()) {
      for (const row of only === "" ? usual : [only]) {
        for (const { name, ours_per_s, floor_per_s, ratio } of linesOf(folder, row, load)) {
          if (ratio === null) continue
          lines.push({ name, turn, tree, ratio, ours_per_s, floor_per_s })
          show([name, turn, tree, ratio, ours_per_s, floor_per_s])
        }
      }
    }
  }
  return lines
}
