/** The server as a function. */
import { Effect, Exit, Logger } from "effect"
import { decodeConfig } from "../config/decode.ts"
import type { ConfigDefinition } from "../config/define.ts"
import { type Env, resolveConfig } from "../config/resolve.ts"
import { ConfigError, StartError } from "./errors.ts"

/** A server that runs in this process. */
export interface RunningServer {
  /** The address that it listens on, such as `http://127.0.0.1:8080`. */
  readonly url: string
  /** The key of the bootstrap merchant, if this start generated it: the only time that it is shown. Otherwise null. */
  readonly apiKey: string | null
  /** The token of the operator API, if this start generated it. Otherwise null. */
  readonly operatorToken: string | null
  /** Stops listening, finishes requests and jobs in progress within ten seconds, and closes the store. */
  readonly close: () => Promise<void>
}

/**
 * Starts a server, as `corridor serve --config` does. `env`: the environment variables that `secret` reads and that override
 * members, such as `process.env`; by default none.
 *
 * Errors: rejects with a {@link ConfigError} if the configuration has faults, all of which it names; with a
 * {@link StartError} if the store or the address cannot be used, or two providers have one name. Nothing runs then.
 */
export const serve = async (definition: ConfigDefinition = {}, env: Env = {}): Promise<RunningServer> => {
  const resolved = await resolveConfig(definition, env, "the configuration")
  const decoded = decodeConfig(env, resolved, { literals: "allowed", isServing: true })
  if ("faults" in decoded) throw new ConfigError(decoded.faults)
  // Loads the stores and their drivers, which a program that brings its own engine does not need.
  const [{ startServer }, { reasonOf }] = await Promise.all([import("./server.ts"), import("./failures.ts")])
  const exit = await Effect.runPromiseExit(
    Effect.provide(startServer(decoded.config), Logger.layer([Logger.consoleJson]))
  )
  if (Exit.isFailure(exit)) throw new StartError(reasonOf(exit.cause, decoded.config))
  const { api_key, close, operator_token, url } = exit.value
  let closing: Promise<void> | undefined
  return {
    url,
    apiKey: api_key,
    operatorToken: operator_token,
    close: () => (closing ??= Effect.runPromise(close))
  }
}
