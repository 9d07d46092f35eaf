/** The server as a function. */
import { Effect, Exit, Scope } from "effect"
import { makeEntrance } from "../../embedded/inside.ts"
import type { Config } from "../config/config.ts"
import { decodeConfig } from "../config/decode.ts"
import type { ConfigDefinition } from "../config/define.ts"
import { type Env, resolveConfig } from "../config/resolve.ts"
import { makeHandlers, type Mounted } from "../mount.ts"
import { ConfigError, StartError } from "./failures.ts"

/** What a start has generated, and how it ends. */
interface Running {
  /** The key of the bootstrap merchant, if this start generated it: the only time that it is shown. Otherwise null. */
  readonly apiKey: string | null
  /** The token of the operator API, if this start generated it. Otherwise null. */
  readonly operatorToken: string | null
  /** Lets no more requests in, finishes requests and jobs in progress within ten seconds, and closes the store. */
  readonly close: () => Promise<void>
}

/** A server that runs in this process. */
export interface RunningServer extends Running {
  /** The address that it listens on, such as `http://127.0.0.1:8080`. */
  readonly url: string
}

/** A server without a listener of its own. */
export interface MountedServer extends Running, Mounted {}

const loadConfig = async (definition: ConfigDefinition, env: Env): Promise<Config> => {
  const resolved = await resolveConfig(definition, env, "the configuration")
  const result = decodeConfig(env, resolved, { literals: "allowed", isServing: true })
  if ("faults" in result) throw new ConfigError(result.faults)
  return result.config
}

const runToCompletion = async <A, E>(config: Config, start: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(start)
  if (Exit.isSuccess(exit)) return exit.value
  const { describeFailure: reasonOf } = await import("./failures.ts")
  throw new StartError(reasonOf(exit.cause, config))
}

/** Makes a function that runs an effect once, however often it is called. */
const runOnce = (close: Effect.Effect<void>): (() => Promise<void>) => {
  let closing: Promise<void> | undefined
  return () => (closing ??= Effect.runPromise(close))
}

/**
 * Starts a server, as `corridor serve --config` does. `env`: the environment variables that `secret` reads and that override
 * members, such as `process.env`; by default none.
 *
 * Errors: rejects with a {@link ConfigError} if the configuration has faults, all of which it names; with a
 * {@link StartError} if the store or the address cannot be used, or two providers have one name. Nothing runs then.
 */
export const serve = async (definition: ConfigDefinition = {}, env: Env = {}): Promise<RunningServer> => {
  const config = await loadConfig(definition, env)
  // Loads the stores and their drivers, which a program that brings its own engine does not need.
  const { startServer } = await import("./server.ts")
  const { api_key, close, operator_token, url } = await runToCompletion(config, startServer(config))
  return { url, apiKey: api_key, operatorToken: operator_token, close: runOnce(close) }
}

/**
 * Starts what `serve` starts, without a listener: its handlers are for another server. Members of the configuration about the
 * listener (`host`, `port`) are used for links only, unless there is a `baseUrl`. Errors: as `serve`.
 */
export const mountServer = async (definition: ConfigDefinition = {}, env: Env = {}): Promise<MountedServer> => {
  const config = await loadConfig(definition, env)
  const { startEngine, formatServerUrl } = await import("./server.ts")
  const { enter, finish } = makeEntrance()
  const [engineScope, workScope] = Effect.runSync(Effect.all([Scope.make(), Scope.make()]))
  const shut = (scope: Scope.Closeable) => Scope.close(scope, Exit.void)
  const close = Effect.andThen(
    Effect.all([finish, shut(workScope)], { concurrency: 2, discard: true }),
    shut(engineScope)
  )
  const start = startEngine(config, formatServerUrl(config.host, config.port), engineScope, workScope)
  const { api_key, engine, operator_token, settings } = await runToCompletion(
    config,
    Effect.onError(start, () => close)
  )
  return {
    ...makeHandlers({ context: engine, enter }, settings),
    apiKey: api_key,
    operatorToken: operator_token,
    close: runOnce(close)
  }
}
