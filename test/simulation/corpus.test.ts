/** Shrunk programs that once found a violation. They must not find it again. */
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { live, type Program } from "../../src/testing/index.ts"
import { defects } from "./defects.ts"

interface Kept {
  readonly about: string
  readonly program: Program
}

const corpus = JSON.parse(readFileSync(new URL("corpus.json", import.meta.url), "utf8")) as ReadonlyArray<Kept>

describe("the corpus", () => {
  it.each(corpus.map(({ about, program }) => [about, program] as const))("%s: no violation", async (_, program) => {
    expect((await live(program)).found).toEqual([])
  })

  it("holds small programs, at most one for each defect", () => {
    expect(corpus.length).toBeGreaterThan(2)
    for (const { about, program } of corpus) expect(program.ops.length, about).toBeLessThan(60)
    expect(new Set(corpus.map(({ about }) => about)).size).toBe(corpus.length)
  })
})

it("at least twenty-five defects are seeded, with unique names", () => {
  expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length)
  expect(defects.length).toBeGreaterThanOrEqual(25)
})
