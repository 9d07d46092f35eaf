/** `corridor serve` */
import { Effect, Fiber } from "effect"
import { Command } from "effect/cli"
import type { Config } from "../../http/config/config.ts"
import type { Started } from "../../http/serve/server.ts"
import { graceMs } from "../../http/envelope-server.ts"
import { version } from "../../version.ts"
import { ConfigFile, PrintJson } from "../globals.ts"
import { Process } from "../process.ts"
import { explainFailure, readSettings } from "../settings.ts"

/** Formats what a person at a terminal needs first: the addresses, and the credentials to sign in with. */
const formatWelcome = (
  { console, environment }: Config,
  store: string,
  { api_key, docs_url, operator_token, url }: Omit<Started, "close">
): ReadonlyArray<string> => {
  const isFirst = api_key !== null || operator_token !== null
  const first = isFirst ? "the key or the token above" : "the API key or the operator token of the first start"
  return [
    `Corridor ${version} (${environment}, ${store})`,
    "",
    ...(console ? [`  Console  ${url}/console`] : []),
    `  Docs     ${docs_url}`,
    `  API      ${url}/v1`,
    "",
    ...(api_key === null ? [] : [`API key, shown this once:        ${api_key}`]),
    ...(operator_token === null ? [] : [`Operator token, shown this once: ${operator_token}`]),
    ...(isFirst ? [""] : []),
    console
      ? `First: open the console and sign in with ${first}.`
      : `First: read the docs, and call the API with ${first}.`,
    "Ctrl-C stops the server. Repeated messages of the log are counted.",
    ""
  ]
}

const runServer = Effect.fnUntraced(function* (given: Config) {
  const { complain, isTerminal = false, say, stopped } = yield* Process
  const isJson = yield* PrintJson
  const config = isTerminal && !isJson ? { ...given, terminal: say } : given
  // First of all: who is told that the server listens may stop it at once, and process 1 of a container has no other way to end.
  const stopping = yield* Effect.forkChild(stopped(graceMs), { startImmediately: true })
  const [{ startServer }, { formatStore: shownStore }] = yield* Effect.promise(() =>
    Promise.all([import("../../http/serve/server.ts"), import("../../http/serve/composition.ts")])
  )
  const started = yield* startServer(config)
  const { api_key, close, docs_url, operator_token, url } = started
  if (config.encryption_keys === undefined)
    complain("CORRIDOR_ENCRYPTION_KEY is not set: secrets are encrypted with the fixed key of the test environment.")
  if (!config.dispatcher) complain("CORRIDOR_DISPATCHER is off: this process serves requests and runs no jobs.")
  if (isJson) {
    const { environment } = config
    say(JSON.stringify({ url, docs_url, environment, store: shownStore(config), api_key, operator_token }))
  } else if (isTerminal) for (const line of formatWelcome(config, shownStore(config), started)) say(line)
  else {
    say(`Corridor ${version} listens on ${url} (${config.environment}, ${shownStore(config)}). Docs: ${docs_url}`)
    if (api_key !== null) say(`API key, shown this once: ${api_key}`)
    if (operator_token !== null) say(`Operator token, shown this once: ${operator_token}`)
  }
  yield* Fiber.join(stopping)
  yield* close
})

export const serve = Command.make("serve", {}, () =>
  Effect.flatMap(readSettings({ exit: 1, isServing: true }), (config) => explainFailure(config, 1)(runServer(config)))
).pipe(
  Command.withGlobalFlags([ConfigFile]),
  Command.withShortDescription("Serve the API on HOST:PORT (default 127.0.0.1:8080)"),
  Command.withDescription(
    "Serves the API on HOST:PORT until SIGTERM or SIGINT. Settings are environment variables, which override the configuration file; docs/settings.md lists them."
  ),
  Command.withExamples([{ command: "DATABASE_URL=postgres://localhost/corridor corridor serve" }])
)
