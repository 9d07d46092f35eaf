/**
 * What `npm test` and `npm run test:all` run. `npm test`: every test but the exhaustive ones, those of operators, and those of `test/left-out.json`, which take longer than
 * what they alone show is worth. `npm run test:all` runs them. A new file is run until `node scripts/choose-tests.ts` leaves it out.
 */
import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { exhaustiveOf, readRepeating, repeatingOf } from "./turns.ts"

export const leftOutPath = fileURLToPath(new URL("../../left-out.json", import.meta.url))

/** All that may run: neither exhaustive, nor of an operator's tools. */
export const runnable = (): ReadonlyArray<string> =>
  globSync("test/**/*.test.ts")
    .filter((path) => !path.endsWith(".long.test.ts") && !/^test\/(?:ops|citus)\//.test(path))
    .toSorted()

const kept: ReadonlySet<string> = new Set([
  // The conformance of each store.
  ...["memory", "pglite", "postgres", "cells"].map((store) => `test/adapters/storage/${store}.test.ts`),
  // Signing in, and the acts of an operator, in a browser.
  "test/console/acts.test.ts",
  "test/console/frame.test.ts"
])

/** What runs whatever it takes: the kernel, how the code is built, and what is kept. */
export const isAlwaysRun = (path: string): boolean =>
  path.startsWith("test/kernel/") || path.startsWith("test/tidy") || kept.has(path)

export const readLeftOut = (): ReadonlyArray<string> =>
  JSON.parse(readFileSync(leftOutPath, "utf8")) as ReadonlyArray<string>

export const mainRun = (): ReadonlyArray<string> => {
  const left = new Set(readLeftOut())
  return runnable().filter((path) => !left.has(path))
}

/** What every commit runs, whatever else shows its rules: the laws of money, who sees what, and the package as its user has it. */
export const isEverywhere = (path: string): boolean =>
  path.startsWith("test/property/") ||
  ["test/package/package.test.ts", "test/http/requests/tenancy.test.ts", "test/scenarios/work/races.test.ts"].includes(
    path
  )

/** What `npm run test:all` may leave to another commit: all but the exhaustive tests. */
export const candidates = (): ReadonlyArray<string> => [...runnable(), ...globSync("test/ops/**/*.test.ts").toSorted()]

/** What `npm run test:all` runs at every commit. */
export const alwaysRun = (): ReadonlyArray<string> => {
  const repeating = new Set(readRepeating())
  return candidates().filter((path) => !repeating.has(path))
}

/** What `npm run test:all` runs at a commit. */
export const allRun = (turn: string): ReadonlyArray<string> => [
  ...alwaysRun(),
  ...repeatingOf(turn),
  ...exhaustiveOf(turn)
]
