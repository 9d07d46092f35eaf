/** Programs that once found something, small as they were made: they find nothing any more. */
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
  it.each(corpus.map(({ about, program }) => [about, program] as const))("%s: nothing is found", async (_, program) => {
    expect((await live(program)).found).toEqual([])
  })

  it("holds small programs, and of each defect one at most", () => {
    expect(corpus.length).toBeGreaterThan(2)
    for (const { about, program } of corpus) expect(program.ops.length, about).toBeLessThan(60)
    expect(new Set(corpus.map(({ about }) => about)).size).toBe(corpus.length)
  })
})

it("at least twenty-five defects are seeded, each under a name of its own", () => {
  expect(new Set(defects.map(({ name }) => name)).size).toBe(defects.length)
  expect(defects.length).toBeGreaterThanOrEqual(25)
})

it("a seeded defect still has its place in the sources", () => {
  const lost = defects.filter(({ file, from }) => {
    const text = readFileSync(new URL(`../../${file}`, import.meta.url), "utf8")
    return text.split(from).length !== 2
  })
  expect(lost.map(({ name }) => name)).toEqual([])
})
