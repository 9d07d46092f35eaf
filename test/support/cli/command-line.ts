/** `corridor`, in this process or as one of its own: what it prints to each stream, and its exit code. */
import { spawn } from "node:child_process"
import { Effect } from "effect"
import { run } from "../../../src/cli/run.ts"
import { bare, main } from "./environment.ts"

export interface Ended {
  readonly code: number | null
  readonly out: string
  /** The lines of the standard error, without the name of the command. */
  readonly errors: ReadonlyArray<string>
}

const splitLines = (err: string): ReadonlyArray<string> => err.split("\n").filter((line) => line !== "")

/** Runs a command line to its end in this process, with nothing but `env`, and `input` at its standard input. A process of its own would start for a second. */
export const corridor = async (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  directory = process.cwd(),
  input = ""
): Promise<Ended> => {
  let out = ""
  let err = ""
  const code = await run(args, {
    env: { ...bare, ...env },
    directory,
    say: (line) => void (out += `${line}\n`),
    complain: (line) => void (err += `${line}\n`),
    readInput: Effect.succeed(input),
    status: undefined,
    colors: false,
    columns: 100,
    stopped: () => Effect.never
  })
  return { code, out, errors: splitLines(err.trimEnd()) }
}

/** The same as a process: for what a process decides, and once for each command, which shows that it loads what it needs. */
export const corridorProcess = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...bare, ...env },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let out = ""
    let err = ""
    child.stdout.on("data", (chunk) => (out += String(chunk)))
    child.stderr.on("data", (chunk) => (err += String(chunk)))
    child.once("error", reject)
    child.once("close", (code) =>
      resolve({ code, out, errors: splitLines(err.trimEnd()).map((line) => line.replace(/^corridor: /, "")) })
    )
  })
