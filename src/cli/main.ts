#!/usr/bin/env node
/** The `corridor` command. Only this file uses environment variables and the process. */
import { text } from "node:stream/consumers"
import { Effect } from "effect"
import { findNodeFault } from "../node-version.ts"
import type { Process } from "./process.ts"
import { run } from "./run.ts"

/** Ends the process when its reader has left, as `corridor events tail | head` does. */
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))

const { env, stderr, stdout } = process
const isPlain = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb"

const service: Process["Service"] = {
  env,
  directory: process.cwd(),
  say: (line) => void stdout.write(`${line}\n`),
  complain: (line) => void stderr.write(`corridor: ${line}\n`),
  readInput: Effect.promise(() => text(process.stdin)),
  status: stderr.isTTY && env["TERM"] !== "dumb" ? (text) => void stderr.write(`\r\u001b[K${text}`) : undefined,
  isTerminal: stdout.isTTY,
  colors: stdout.isTTY && !isPlain,
  columns: stdout.columns ?? 100,
  stopped: (graceMs: number): Effect.Effect<void> =>
    Effect.callback((resume) => {
      let isStopping = false
      const stop = (): void => {
        if (isStopping) return
        isStopping = true
        process.once("SIGTERM", () => process.exit(1))
        process.once("SIGINT", () => process.exit(1))
        setTimeout(() => process.exit(0), graceMs).unref()
        resume(Effect.void)
      }
      process.once("SIGTERM", stop)
      process.once("SIGINT", stop)
    })
}

// Modules that need a newer Node are loaded by the commands, so an older one gets this far.
const fault = findNodeFault(process.versions.node)
if (fault === undefined) void run(process.argv.slice(2), service).then((code) => process.exit(code))
else {
  service.complain(fault)
  process.exitCode = 3
}
