/** Two hundred worlds, each out of one seed: nothing that they live through breaks a law. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { beforeAll, describe, expect, it } from "vitest"
import { Coverage, declaredTransitions, impossible, possibleWords, rare } from "../../src/testing/index.ts"

const script = fileURLToPath(new URL("../../scripts/simulate.ts", import.meta.url))

interface Told {
  readonly lines: ReadonlyArray<{ readonly seed: number; readonly found: ReadonlyArray<string> }>
  readonly coverage: ReturnType<Coverage["entries"]>
}

const told = (args: ReadonlyArray<string>): Promise<Told> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args, "--json"], { stdio: ["ignore", "pipe", "inherit"] })
    let text = ""
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString()
    })
    child.once("error", reject)
    child.once("exit", () => resolve(JSON.parse(text) as Told))
  })

describe("two hundred seeds", () => {
  let result: Told
  beforeAll(async () => {
    result = await told(["--seeds", "200", "--workers", "2"])
  }, 480_000)

  it("live through thirty days, and nothing is found", () => {
    const found = result.lines.flatMap(({ found: some, seed }) => some.map((what) => `seed ${seed}: ${what}`))
    expect(found).toEqual([])
    expect(result.lines.map(({ seed }) => seed)).toEqual(Array.from({ length: 200 }, (_, index) => index + 1))
  })

  it("visit every transition of every machine, and hear every word in every state", () => {
    const coverage = new Coverage()
    coverage.merge(result.coverage)
    expect(coverage.missing().filter((key) => !(key in rare))).toEqual([])
  })
})

it("what cannot be visited, or hardly, is declared all the same", () => {
  const known = new Set([...declaredTransitions(), ...possibleWords()])
  expect(Object.keys(impossible).filter((key) => !known.has(key))).toEqual([])
  // Of a table over all movements, an onramp has no such failure.
  expect(Object.keys(rare).filter((key) => !known.has(key) && !/^onramp: .* failed$/.test(key))).toEqual([])
  expect(known.size).toBeGreaterThan(350)
})
