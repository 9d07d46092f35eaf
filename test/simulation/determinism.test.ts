/** A seed determines its simulation: the same in every process, and different for every other seed. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { beforeAll, expect, it } from "vitest"
import { live, programOf } from "../../src/testing/index.ts"

const run = promisify(execFile)
const script = fileURLToPath(new URL("../../scripts/simulate.ts", import.meta.url))

let hashes: ReadonlyArray<string>
const program = programOf(11)

beforeAll(async () => {
  // One after the other: the last is the first again, serialized.
  const all = [program, programOf(12), JSON.parse(JSON.stringify(programOf(11)))]
  const found: Array<string> = []
  for (const one of all) found.push((await live(one)).hash)
  hashes = found
})

it("the same seed has the same log hash in another process", async () => {
  const { stdout } = await run(process.execPath, [script, "--seed", "11", "--quiet"])
  expect(stdout.trim()).toMatch(/^seed 11: \d+ commits, hash [0-9a-f]{64}$/)
  expect(stdout.trim().endsWith(hashes[0]!)).toBe(true)
})

it("the same program has the same log twice in one process, whatever ran before and wherever it was kept", () => {
  expect(hashes[2]).toBe(hashes[0])
  expect(programOf(11)).toEqual(program)
})

it("different seeds give different worlds", () => {
  expect(hashes[1]).not.toBe(hashes[0])
})
