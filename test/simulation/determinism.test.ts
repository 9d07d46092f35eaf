/** A seed determines its simulation: the same in every process, and different for every other seed. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { live, programOf } from "../../src/testing/index.ts"

const run = promisify(execFile)
const script = fileURLToPath(new URL("../../scripts/simulate.ts", import.meta.url))

const reportedBy = async (seed: number): Promise<string> => {
  const { stdout } = await run(process.execPath, [script, "--seed", String(seed), "--quiet"])
  return stdout.trim()
}

it("the same seed has the same log hash in two processes", async () => {
  for (const seed of [3, 92]) {
    const [one, other] = await Promise.all([reportedBy(seed), reportedBy(seed)])
    expect(one).toMatch(new RegExp(`^seed ${seed}: \\d+ commits, hash [0-9a-f]{64}$`))
    expect(other).toBe(one)
  }
})

it("the same program has the same log twice in one process, whatever ran before", async () => {
  const program = programOf(11)
  const first = await live(program)
  await live(programOf(12))
  expect((await live(programOf(11))).hash).toBe(first.hash)
  expect(programOf(11)).toEqual(program)
})

it("different seeds give different worlds", async () => {
  const hashes = await Promise.all([1, 2, 3].map(async (seed) => (await live(programOf(seed))).hash))
  expect(new Set(hashes).size).toBe(3)
})

it("a program survives serialization with the same log", async () => {
  const program = programOf(21)
  const read = JSON.parse(JSON.stringify(program))
  expect((await live(read)).hash).toBe((await live(program)).hash)
})
