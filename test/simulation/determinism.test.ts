/** A seed determines its simulation: the same in every process, and different for every other seed. */
import { beforeAll, expect, it } from "vitest"
import { live, programOf } from "../../src/testing/index.ts"
import { corridorProcess } from "../support/cli/command-line.ts"

let hashes: ReadonlyArray<string>
// The shortest of the first hundreds.
const program = programOf(217)

beforeAll(async () => {
  // One after the other: the last is the first again, serialized.
  const all = [program, programOf(134), JSON.parse(JSON.stringify(programOf(217)))]
  const found: Array<string> = []
  for (const one of all) found.push((await live(one)).hash)
  hashes = found
})

it("the same seed has the same log hash in another process", async () => {
  const { out } = await corridorProcess(["simulate", "--seed", "217", "--quiet"])
  expect(out.trim()).toMatch(/^seed 217: \d+ commits, hash [0-9a-f]{64}$/)
  expect(out.trim().endsWith(hashes[0]!)).toBe(true)
})

it("the same program has the same log twice in one process, whatever ran before and wherever it was kept", () => {
  expect(hashes[2]).toBe(hashes[0])
  expect(programOf(217)).toEqual(program)
})

it("different seeds give different worlds", () => {
  expect(hashes[1]).not.toBe(hashes[0])
})
