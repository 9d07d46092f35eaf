/** The rules of the tests that a test can hold: what `npm test` runs, what it takes, and what it notices. */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { compareFolders, slownessOf, timesIn, updateSeconds } from "../scripts/test-seconds.ts"
import { findCoverage } from "../scripts/rules-doc.ts"
import { defects } from "./defects/defects.ts"
import { commandsOf } from "./support/repository/alone-reporter.ts"
import { rules } from "./support/repository/covers.ts"
import { allRun, alwaysRun, candidates, mainRun, readLeftOut, runnable } from "./support/repository/main-run.ts"
import { testSeconds, wholeSecondsOf } from "./support/repository/seconds.ts"
import { exists, sources } from "./support/repository/source.ts"
import { exhaustiveOf, readRepeating, repeatingOf } from "./support/repository/turns.ts"

describe("npm test", () => {
  const main = new Set(mainRun())

  it("takes few processor seconds", () => {
    const seconds = [...main].reduce((sum, path) => sum + wholeSecondsOf(path), 0)
    expect(seconds).toBeLessThan(250)
  })

  it("has an example of nine rules of ten", () => {
    const { holding } = findCoverage(sources("test"))
    // What is no file of tests is the conformance of the stores, which always runs.
    const isRun = ({ file }: { readonly file: string }): boolean => main.has(file) || !file.endsWith(".test.ts")
    const without = [...rules].filter((id) => !(holding.get(id) ?? []).some(isRun))
    expect(without.length, without.join(" ")).toBeLessThan(rules.size / 10)
  })

  it("notices nine of ten seeded defects", () => {
    const unnoticed = defects.filter(({ tests }) => !tests.some((path) => main.has(path)))
    expect(unnoticed.length, unnoticed.map(({ name }) => name).join("; ")).toBeLessThan(defects.length / 10)
  })

  it("leaves out files that are there, and nothing that npm run test:all has not", () => {
    expect(readLeftOut().filter((path) => !exists(path))).toEqual([])
    expect(readLeftOut().filter((path) => !runnable().includes(path))).toEqual([])
  })
})

/** `node scripts/choose-tests.ts` chooses anew. */
describe("npm run test:all", () => {
  const always = new Set(alwaysRun())

  it("runs at every commit what npm test does, and a test of each rule that has one", () => {
    expect(mainRun().filter((path) => !always.has(path))).toEqual([])
    const { holding } = findCoverage(sources("test"))
    const repeating = new Set(readRepeating())
    const without = [...holding].filter(([, tests]) => tests.every(({ file }) => repeating.has(file)))
    expect(without.map(([id]) => id)).toEqual([])
  })

  it("runs at every commit what must notice a seeded defect", () => {
    const inTurn = defects.flatMap(({ tests }) => tests).filter((path) => readRepeating().includes(path))
    expect(inTurn).toEqual([])
  })

  it("runs the rest within some commits", () => {
    const commits = Array.from({ length: 48 }, (_, n) => String(n))
    const all = readRepeating()
    expect(new Set(commits.flatMap(repeatingOf))).toEqual(new Set(all))
    expect(allRun("all").toSorted()).toEqual([...new Set([...candidates(), ...exhaustiveOf("all")])].toSorted())
  })
})

describe("the seconds of the tests", () => {
  it("are of files that are there, in folders that have a budget", () => {
    expect(Object.keys(testSeconds.files).filter((path) => !exists(path))).toEqual([])
    expect(Object.values(testSeconds.budgets).filter((budget) => !(budget > 0))).toEqual([])
  })

  it("are the sum of the runs of a file", () => {
    expect(timesIn("test/a.test.ts 1.50\ntest/b.test.ts 2.00\ntest/a.test.ts 0.25\n")).toEqual({
      "test/a.test.ts": 1.75,
      "test/b.test.ts": 2
    })
  })

  const written = {
    budgets: { "test/x": 10, "test/y": 10 },
    files: { "test/x/a.test.ts": 8, "test/y/b.test.ts": 8, "test/y/c.test.ts": 1 },
    whole: {}
  }

  it("are compared as the machine that measured would have taken them", () => {
    const times = { "test/x/a.test.ts": 24, "test/y/b.test.ts": 24, "test/y/c.test.ts": 30 }
    expect(slownessOf(times, written.files)).toBe(3)
    expect(compareFolders(times, written)).toEqual([
      { folder: "test/y", seconds: 18, budget: 10, isOver: true },
      { folder: "test/x", seconds: 8, budget: 10, isOver: false }
    ])
  })

  it("are over in a folder that has no budget", () => {
    expect(compareFolders({ "test/z/d.test.ts": 1 }, written)).toEqual([
      { folder: "test/z", seconds: 1, budget: null, isOver: true }
    ])
  })

  it("keep what has not run, forget what is gone, and leave a budget as somebody decided it", () => {
    const times = { "test/x/a.test.ts": 9.04, "test/z/d.test.ts": 20, "test/z/small.test.ts": 0.2 }
    expect(updateSeconds(times, written, (path) => path !== "test/y/c.test.ts")).toEqual({
      budgets: { "test/x": 10, "test/y": 10, "test/z": 27 },
      files: { "test/x/a.test.ts": 9, "test/y/b.test.ts": 8, "test/z/d.test.ts": 20 },
      whole: {}
    })
  })
})

describe("a failed test", () => {
  const moduleOf = (failed: ReadonlyArray<string>) =>
    ({
      moduleId: `${process.cwd()}/test/a.test.ts`,
      project: { config: { env: { CORRIDOR_TEST_STORES: "pglite,cells" } } },
      children: { allTests: () => failed.map((fullName) => ({ fullName })).values() }
    }) as unknown as Parameters<typeof commandsOf>[0]

  it("is said with the command that runs it alone, on its stores and with its turn", () => {
    expect(commandsOf(moduleOf(["a group > it's (1)"]), "abc")).toEqual([
      `CORRIDOR_TEST_STORES=pglite,cells CORRIDOR_TEST_TURN=abc npx vitest run test/a.test.ts -t 'a group it'\\''s \\(1\\)'`
    ])
  })

  it("is its whole file, where that could not be loaded", () => {
    expect(commandsOf(moduleOf([]), "all")).toEqual(["CORRIDOR_TEST_STORES=pglite,cells npx vitest run test/a.test.ts"])
  })

  it.each(["vitest.config.ts", "vitest.all.config.ts"])(
    "is found again on the stores that its command names, by %s",
    (path) => {
      const print = `const { default: { test } } = await import(process.argv[1]); console.log(test.env.CORRIDOR_TEST_STORES)`
      const env = { ...process.env, CORRIDOR_TEST_STORES: "cells" }
      expect(
        execFileSync("node", ["--input-type=module", "-e", print, join(process.cwd(), path)], {
          encoding: "utf8",
          env
        }).trim()
      ).toBe("cells")
    }
  )
})
