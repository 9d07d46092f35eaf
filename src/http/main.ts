#!/usr/bin/env node
/** The `corridor` command. Only this file of `http` uses environment variables and the process. */
import { parseArgs } from "node:util"
import { type Cause, Effect, Exit, Layer, Logger } from "effect"
import * as MovableClock from "../adapters/clock/movable.ts"
import { version } from "../version.ts"
import type { Config } from "./config/config.ts"
import { decodeConfig } from "./config/decode.ts"
import { loadConfigFile } from "./config/file.ts"
import { resolveConfig } from "./config/resolve.ts"
import { type KeyAction, keyActions, manageKeys } from "./keys.ts"
import { cipherOf, shownStore, storageOf } from "./serve/composition.ts"
import { reasonOf } from "./serve/failures.ts"
import { graceMs, startServer } from "./serve/server.ts"

const usage = `corridor ${version}

  corridor serve          serve the API on HOST:PORT (default 127.0.0.1:8080)
  corridor keys status    list the encryption keys in use, and the number of secrets under each
  corridor keys rotate    encrypt all secrets again, under the first key
  corridor check-provider check a connector against the provider protocol; --help lists its options

  --config FILE           a configuration file (.ts, .mts, .js or .mjs) whose default export is defineConfig({ … })

Settings are environment variables, which override the configuration file; the README lists them.`

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const complain = (line: string): void => void process.stderr.write(`corridor: ${line}\n`)

/** Completes at the first SIGTERM or SIGINT. A second signal, or the end of the grace period, ends the process immediately. */
const signalled = Effect.callback<void>((resume) => {
  const stop = (): void => {
    process.once("SIGTERM", () => process.exit(1))
    process.once("SIGINT", () => process.exit(1))
    setTimeout(() => process.exit(0), graceMs).unref()
    resume(Effect.void)
  }
  let isStopping = false
  const once = (): void => {
    if (isStopping) return
    isStopping = true
    stop()
  }
  process.once("SIGTERM", once)
  process.once("SIGINT", once)
})

const serve = Effect.fnUntraced(function* (config: Config) {
  const { api_key, close, docs_url, operator_token, url } = yield* startServer(config)
  if (config.encryption_keys === undefined)
    complain("CORRIDOR_ENCRYPTION_KEY is not set: secrets are encrypted with the fixed key of the test environment.")
  if (!config.dispatcher) complain("CORRIDOR_DISPATCHER is off: this process serves requests and runs no jobs.")
  say(`Corridor ${version} listens on ${url} (${config.environment}, ${shownStore(config)}). Docs: ${docs_url}`)
  if (api_key !== null) say(`API key, shown this once: ${api_key}`)
  if (operator_token !== null) say(`Operator token, shown this once: ${operator_token}`)
  yield* signalled
  yield* close
})

/** Runs a `keys` command. It uses the store and the cipher only. */
const keys = (config: Config, action: KeyAction) =>
  manageKeys(action).pipe(
    Effect.tap((lines) => Effect.sync(() => lines.forEach(say))),
    Effect.provide(Layer.mergeAll(cipherOf(config), MovableClock.layer).pipe(Layer.provideMerge(storageOf(config))))
  )

/** The settings of the environment and the file, or one line for each fault of both. */
const settings = async (file: string | undefined, isServing: boolean) => {
  const given = process.env
  if (file === undefined) return decodeConfig(given, undefined, { literals: "refused", isServing })
  const loaded = await loadConfigFile(file, process.cwd())
  if ("faults" in loaded) {
    const decoded = decodeConfig(given)
    return { faults: [...loaded.faults, ...("faults" in decoded ? decoded.faults : [])] }
  }
  const resolved = await resolveConfig(loaded.definition, given, loaded.source)
  return decodeConfig(given, resolved, { literals: "refused", isServing })
}

const parsed = (args: ReadonlyArray<string>) => {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { config: { type: "string" }, help: { type: "boolean", short: "h" } }
    })
    return { positionals, ...values }
  } catch (error) {
    return { fault: (error as Error).message.split("\n")[0]! }
  }
}

const run = async (args: ReadonlyArray<string>): Promise<number> => {
  if (args[0] === "check-provider") {
    const { checkProvider } = await import("../conformance/command.ts")
    return checkProvider(args.slice(1), process.env, { say, complain })
  }
  const given = parsed(args)
  if ("fault" in given) {
    complain(`${given.fault}\n\n${usage}`)
    return 2
  }
  const [command = "serve", sub, ...more] = given.positionals
  if (given.help === true || command === "help") {
    say(usage)
    return 0
  }
  const keyAction = keyActions.find((name) => command === "keys" && name === sub)
  const isServing = command === "serve" && sub === undefined
  if ((!isServing && keyAction === undefined) || more.length > 0) {
    complain(`unknown command ${JSON.stringify(given.positionals.join(" "))}.\n\n${usage}`)
    return 2
  }
  const decoded = await settings(given.config, isServing)
  if ("faults" in decoded) {
    for (const line of decoded.faults) complain(line)
    return 1
  }
  const { config } = decoded
  const task = keyAction === undefined ? serve(config) : keys(config, keyAction)
  const exit = await Effect.runPromiseExit(Effect.provide(task, Logger.layer([Logger.consoleJson])))
  if (Exit.isSuccess(exit)) return 0
  complain(reasonOf(exit.cause as Cause.Cause<unknown>, config))
  return 1
}

void run(process.argv.slice(2)).then((code) => process.exit(code))
