/** `corridor` as a process of its own: what it prints to each stream, and its exit code. */
import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { bare } from "./environment.ts"

/** The command: that of the sources, or the built one (`npm run test:built`). */
export const main = fileURLToPath(
  new URL(
    process.env["CORRIDOR_CLI"] === "built" ? "../../../dist/cli/main.js" : "../../../src/cli/main.ts",
    import.meta.url
  )
)

export interface Ended {
  readonly code: number | null
  readonly out: string
  /** The lines of the standard error, without the name of the command. */
  readonly errors: ReadonlyArray<string>
}

/** Runs a command line to its end, with nothing but `env`. */
export const corridor = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  directory?: string
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...bare, ...env },
      stdio: ["ignore", "pipe", "pipe"],
      ...(directory === undefined ? {} : { cwd: directory })
    })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk) => (out += String(chunk)))
    child.stderr.on("data", (chunk) => (err += String(chunk)))
    child.once("error", reject)
    child.once("close", (code) =>
      resolve({
        code,
        out,
        errors: err
          .trimEnd()
          .split("\n")
          .filter((line) => line !== "")
          .map((line) => line.replace(/^corridor: /, ""))
      })
    )
  })
