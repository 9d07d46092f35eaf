/** `corridor serve` */
import { Effect, Fiber } from "effect"
import { Command } from "effect/cli"
import type { Config } from "../../http/config/config.ts"
import { graceMs } from "../../http/drain.ts"
import { version } from "../../version.ts"
import { ConfigFile, PrintJson } from "../globals.ts"
import { Process } from "../process.ts"
import { explained, readSettings } from "../settings.ts"

const run = Effect.fnUntraced(function* (config: Config) {
  const { complain, say, stopped } = yield* Process
  // First of all: who is told that the server listens may stop it at once, and process 1 of a container has no other way to end.
  const stopping = yield* Effect.forkChild(stopped(graceMs), { startImmediately: true })
  const [{ startServer }, { shownStore }] = yield* Effect.promise(() =>
    Promise.all([import("../../http/serve/server.ts"), import("../../http/serve/composition.ts")])
  )
  const { api_key, close, docs_url, operator_token, url } = yield* startServer(config)
  if (config.encryption_keys === undefined)
    complain("CORRIDOR_ENCRYPTION_KEY is not set: secrets are encrypted with the fixed key of the test environment.")
  if (!config.dispatcher) complain("CORRIDOR_DISPATCHER is off: this process serves requests and runs no jobs.")
  if (yield* PrintJson) {
    const { environment } = config
    say(JSON.stringify({ url, docs_url, environment, store: shownStore(config), api_key, operator_token }))
  } else {
    say(`Corridor ${version} listens on ${url} (${config.environment}, ${shownStore(config)}). Docs: ${docs_url}`)
    if (api_key !== null) say(`API key, shown this once: ${api_key}`)
    if (operator_token !== null) say(`Operator token, shown this once: ${operator_token}`)
  }
  yield* Fiber.join(stopping)
  yield* close
})

export const serve = Command.make("serve", {}, () =>
  Effect.flatMap(readSettings({ exit: 1, isServing: true }), (config) => explained(config, 1)(run(config)))
).pipe(
  Command.withGlobalFlags([ConfigFile]),
  Command.withShortDescription("Serve the API on HOST:PORT (default 127.0.0.1:8080)"),
  Command.withDescription(
    "Serves the API on HOST:PORT until SIGTERM or SIGINT. Settings are environment variables, which override the configuration file; docs/settings.md lists them."
  ),
  Command.withExamples([{ command: "DATABASE_URL=postgres://localhost/corridor corridor serve" }])
)
