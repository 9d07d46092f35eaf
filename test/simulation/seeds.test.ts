/** Two hundred worlds, each out of one seed: nothing that they live through breaks a law. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"

const script = fileURLToPath(new URL("../../scripts/simulate.ts", import.meta.url))

interface Told {
  readonly lines: ReadonlyArray<{ readonly seed: number; readonly found: ReadonlyArray<string> }>
  readonly coverage: Readonly<Record<string, ReadonlyArray<readonly [string, number]>>>
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

it("two hundred seeds live through thirty days, and nothing is found", { timeout: 180_000 }, async () => {
  const { coverage, lines } = await told(["--seeds", "200", "--workers", "2"])
  const found = lines.flatMap(({ found: some, seed }) => some.map((what) => `seed ${seed}: ${what}`))
  expect(found).toEqual([])
  expect(lines.length).toBe(200)
  expect(Object.keys(coverage)).toEqual(["transitions", "words", "operations"])
})
