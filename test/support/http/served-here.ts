/** `corridor serve` in this process, for what no signal and no process of its own decides: such a process takes a second to start. */
import { Effect } from "effect"
import { run } from "../../../src/cli/run.ts"
import { bare } from "../cli/environment.ts"
import { served } from "./served-process.ts"

export interface ServedHere {
  readonly url: string
  /** What it has written to either stream. Its log is off unless `env` asks for it: it would be the runner's. */
  readonly output: () => string
  /** Ends it as the first signal does, and gives its exit code. */
  readonly stop: () => Promise<number>
}

/** A server as `serve` of `served-process.ts` starts it. Rejects when it ends before it listens. */
export const serveHere = (
  env: Readonly<Record<string, string | undefined>> = {},
  args: ReadonlyArray<string> = ["serve"]
): Promise<ServedHere> =>
  new Promise((resolve, reject) => {
    const stopping = Promise.withResolvers<void>()
    let output = ""
    const write = (line: string): void => {
      output += `${line}\n`
      const url = /listens on (http:\S+)/.exec(line)?.[1]
      const stop = (): Promise<number> => {
        stopping.resolve()
        return ended
      }
      if (url !== undefined) resolve({ url, output: () => output, stop })
    }
    const ended = run(args, {
      env: { ...bare, ...served, CORRIDOR_LOG_LEVEL: "none", ...env },
      directory: process.cwd(),
      say: write,
      complain: (line) => write(`corridor: ${line}`),
      readInput: Effect.succeed(""),
      status: undefined,
      colors: false,
      columns: 100,
      stopped: () => Effect.promise(() => stopping.promise)
    })
    void ended.then((code) => reject(new Error(`ended with ${code} before it listened: ${output}`)), reject)
  })
