/** Many simulations at once, each out of one seed: what `npm run simulate` tells of them. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Coverage } from "../../../src/testing/index.ts"

const script = fileURLToPath(new URL("../../../scripts/simulate.ts", import.meta.url))

export interface Lived {
  readonly lines: ReadonlyArray<{ readonly seed: number; readonly found: ReadonlyArray<string> }>
  readonly coverage: ReturnType<Coverage["entries"]>
}

/** Lives through the first `seeds` seeds in `workers` processes. */
export const livedThrough = (seeds: number, workers: number): Promise<Lived> =>
  new Promise((resolve, reject) => {
    const args = [script, "--seeds", `${seeds}`, "--workers", `${workers}`, "--json"]
    const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] })
    let text = ""
    child.stdout.on("data", (chunk: Buffer) => {
      text += chunk.toString()
    })
    child.once("error", reject)
    child.once("close", () => resolve(JSON.parse(text) as Lived))
  })

/** What was found, each with its seed. */
export const foundIn = ({ lines }: Lived): ReadonlyArray<string> =>
  lines.flatMap(({ found, seed }) => found.map((what) => `seed ${seed}: ${what}`))

export const seedsUpTo = (count: number): ReadonlyArray<number> =>
  Array.from({ length: count }, (_, index) => index + 1)
