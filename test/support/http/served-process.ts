/** `corridor serve` as a process of its own, as `npm start` runs it, over a store in memory. */
import { type ChildProcess, spawn } from "node:child_process"
import { isAbsolute } from "node:path"
import { fileURLToPath } from "node:url"
import { bare, main } from "../cli/environment.ts"

/** What such a process runs. Nobody calls it: by it `npm test -- --changed` knows that the sources concern who starts one. */
export const sources = () => import("../../../src/cli/run.ts")

export interface Running {
  readonly child: ChildProcess
  /** What it has written to either stream. */
  readonly output: () => string
  /** The exit code, once it has ended. */
  readonly exit: Promise<number | null>
  /** What the first group of `pattern` holds, once the output has it. Rejects when the process ends without. */
  readonly printed: (pattern: RegExp) => Promise<string>
}

/** Starts a command with nothing but `env`, and the path to look for it. */
export const startCommand = (command: string, args: ReadonlyArray<string>, env: Record<string, string>): Running => {
  const child = spawn(command, args, { env: { ...bare, ...env } })
  let output = ""
  const listeners = new Set<() => void>()
  const listen = (chunk: Buffer): void => {
    output += String(chunk)
    for (const listener of listeners) listener()
  }
  child.stdout.on("data", listen)
  child.stderr.on("data", listen)
  const exit = new Promise<number | null>((resolve) => child.once("close", resolve))
  return {
    child,
    output: () => output,
    exit,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(output)
          if (match === null) return
          listeners.delete(look)
          resolve(match[1] ?? match[0])
        }
        listeners.add(look)
        look()
        void exit.then((code) =>
          reject(new Error(`${args[0]} ended with ${code} and never said ${pattern}: ${output}`))
        )
      })
  }
}

/** Starts a file, by its path from the root of this repository or from the machine's, with nothing but `env`. */
export const startFile = (file: string, env: Record<string, string>, args: ReadonlyArray<string> = []): Running =>
  startCommand(
    process.execPath,
    [isAbsolute(file) ? file : fileURLToPath(new URL(`../../../${file}`, import.meta.url)), ...args],
    env
  )

export const apiKey = `sk_test_${"k".repeat(43)}`
export const operatorToken = "op_test_token_of_a_served_process"

/** What a served process has by default: a free port, a store in memory, known secrets, and a provider that answers at once. */
export const served = {
  PORT: "0",
  DATABASE_URL: "memory:",
  CORRIDOR_API_KEY: apiKey,
  CORRIDOR_OPERATOR_TOKEN: operatorToken,
  CORRIDOR_SANDBOX_DELAY_MS: "0"
}

export interface Served extends Running {
  readonly url: string
}

/** A server with the settings of `served`. `file`: another release's. */
export const serve = async (
  env: Record<string, string> = {},
  file = main,
  args: ReadonlyArray<string> = []
): Promise<Served> => {
  const running = startFile(file, { ...served, ...env }, args)
  return { ...running, url: await running.printed(/listens on (http:\S+)/) }
}
