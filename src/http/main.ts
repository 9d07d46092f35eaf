#!/usr/bin/env node
/**
 * The `corridor` command, and the composition root. Only this file of `http` uses adapters, environment variables and the
 * process.
 */
import { createHash } from "node:crypto"
import { NodeHttpServer } from "@effect/platform-node"
import { Cause, Context, Effect, Exit, Layer, Logger, Scope } from "effect"
import { AesGcmCipher, aesKey } from "../adapters/cipher/aes-gcm.ts"
import * as MovableClock from "../adapters/clock/movable.ts"
import { SimulatedProvider } from "../adapters/provider/simulated.ts"
import { MemoryStorage } from "../adapters/storage/memory.ts"
import { PgliteStorage } from "../adapters/storage/pglite.ts"
import { PostgresStorage } from "../adapters/storage/postgres.ts"
import { ShardedStorage } from "../adapters/storage/sharded.ts"
import { HttpWebhookSink } from "../adapters/webhook/http.ts"
import { Admission } from "../engine/calls/Admission.ts"
import { DeliverySchedule } from "../engine/work/deliveries.ts"
import { Dispatcher } from "../engine/work/Dispatcher.ts"
import { BaseUrl } from "../engine/settings/BaseUrl.ts"
import { DocsUrl } from "../engine/settings/DocsUrl.ts"
import * as Engine from "../engine/Engine.ts"
import { MissingKey, rememberKeys } from "../engine/crypto/EncryptionKeys.ts"
import { Environment } from "../engine/settings/Environment.ts"
import type { StorageFault } from "../engine/ports/errors.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { JobLease } from "../engine/settings/JobLease.ts"
import { Payshap } from "../engine/resources/parties/beneficiary-details.ts"
import { Merchants } from "../engine/resources/access/merchant.ts"
import { RetentionPolicy } from "../engine/settings/retention.ts"
import type { Storage } from "../engine/ports/Storage.ts"
import { DispatcherEnabled } from "../engine/settings/DispatcherEnabled.ts"
import { version } from "../version.ts"
import { type Config, type Database, decodeConfig } from "./config.ts"
import { drainable } from "./drain.ts"
import { GatedServer } from "./overload.ts"
import { claimPort, listenOptions } from "./listeners.ts"
import { type KeyAction, keyActions, manageKeys } from "./keys.ts"
import { operatorToken } from "./operator-token.ts"
import { layer as routes } from "./server.ts"
import { HttpSettings } from "./settings.ts"

const usage = `corridor ${version}

  corridor serve          serve the API on HOST:PORT (default 127.0.0.1:8080)
  corridor keys status    list the encryption keys in use, and the number of secrets under each
  corridor keys rotate    encrypt all secrets again, under the first key of CORRIDOR_ENCRYPTION_KEY

Settings are environment variables; the README lists them.`

/** The maximum time from a signal to the end of the process. */
const graceMs = 10_000

const say = (line: string): void => void process.stdout.write(`${line}\n`)
const complain = (line: string): void => void process.stderr.write(`corridor: ${line}\n`)

const storageOf = ({ database, statement_timeout_ms }: Config): Layer.Layer<Storage, StorageFault> => {
  switch (database._tag) {
    case "memory":
      return MemoryStorage.layer
    case "pglite":
      return PgliteStorage.layer(database.dir === null ? {} : { directory: database.dir })
    case "postgres":
      return PostgresStorage.layer({ url: database.url, statement_timeout_ms })
    case "sharded":
      return ShardedStorage.layer({ urls: database.urls, statement_timeout_ms })
  }
}

/** The name of a database for messages, without its password. */
const shown = (database: Database): string => {
  if (database._tag === "memory") return "memory:"
  if (database._tag === "pglite") return `pglite:${database.dir ?? "memory"}`
  return (database._tag === "sharded" ? database.urls : [database.url])
    .map((text) => new URL(text))
    .map(({ host, pathname }) => `postgres://${host}${pathname}`)
    .join(",")
}

/** The fixed key of the test environment. It is public. */
const developmentKey = createHash("sha256").update("corridor development key").digest("base64")

const shownKey = (id: string): string =>
  id === aesKey(developmentKey).id ? `${id} (the fixed key of the test environment, ${developmentKey})` : id

const cipherOf = ({ encryption_keys }: Config) => {
  const [current = developmentKey, ...older] = encryption_keys ?? []
  return AesGcmCipher.layer({ keys: [aesKey(current), ...older.map(aesKey)] })
}

const urlOf = (host: string, port: number): string => {
  const reachable = host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`
}

/** The engine over the adapters that the settings name. */
const engineOf = (config: Config, base_url: string, docs_url: string) => {
  const settings = Layer.mergeAll(
    Layer.succeed(Environment, config.environment),
    Layer.succeed(BaseUrl, base_url),
    Layer.succeed(DocsUrl, docs_url),
    Layer.succeed(Payshap, config.payshap),
    Layer.succeed(RetentionPolicy, {
      deliveries: config.keep_deliveries,
      providerEvents: config.keep_provider_events,
      events: config.keep_events
    }),
    Layer.succeed(DispatcherEnabled, config.dispatcher),
    Layer.succeed(JobLease, config.lease_seconds * 1000),
    Layer.succeed(DeliverySchedule, { delays_ms: config.webhook_retry_seconds.map((seconds) => seconds * 1000) })
  )
  const sink = HttpWebhookSink.layer({
    timeout_ms: config.webhook_timeout_ms,
    environment: config.environment,
    user_agent: `Corridor/${version}`
  })
  const provider = SimulatedProvider.layer({
    mode: config.sandbox_mode,
    delay_ms: config.sandbox_delay_ms,
    payshap: config.payshap,
    callback_secret: config.provider_secret
  })
  return Engine.sandbox.pipe(
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(provider),
    Layer.provideMerge(Layer.mergeAll(sink, cipherOf(config), Engine.prices, Engine.local, settings)),
    Layer.provideMerge(MovableClock.layer),
    Layer.provideMerge(storageOf(config))
  )
}

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
  // The engine needs the address, for its URLs.
  const port = yield* claimPort(config)
  const at = { host: config.host, port }
  const listening = urlOf(config.host, port)
  const base_url = config.public_url ?? listening
  const docs_url = config.docs_url ?? `${base_url}/docs`

  const engineScope = yield* Scope.make()
  const engine = yield* Layer.buildWithScope(engineOf(config, base_url, docs_url), engineScope)
  const inEngine = Effect.provideContext(engine)
  yield* inEngine(rememberKeys)
  if (config.encryption_keys === undefined) {
    complain("CORRIDOR_ENCRYPTION_KEY is not set: secrets are encrypted with the fixed key of the test environment.")
  }
  const operator = yield* inEngine(operatorToken(config.operator_token))
  const merchant = yield* inEngine(Effect.flatMap(Merchants, (merchants) => merchants.bootstrap(config.api_key)))

  const workScope = yield* Scope.make()
  if (config.dispatcher) {
    yield* inEngine(Effect.flatMap(Dispatcher, (dispatcher) => dispatcher.start({ graceMs: graceMs - 500 }))).pipe(
      Scope.provide(workScope)
    )
  } else complain("CORRIDOR_DISPATCHER is off: this process serves requests and runs no jobs.")

  const httpScope = yield* Scope.make()
  const admission = new Admission({ writes: config.max_writes, reads: config.max_reads })
  const http = new GatedServer(admission)
  http.configure(Context.get(engine, Ids), docs_url, (effect) => Effect.runSync(inEngine(effect)))
  const drain = drainable(http)
  const server = routes.pipe(
    Layer.provide(
      Layer.succeed(HttpSettings, {
        environment: config.environment,
        base_url,
        docs_url,
        operator_token_hash: operator.hash,
        rate_per_second: config.rate_per_second,
        admission
      })
    ),
    Layer.provide(NodeHttpServer.layer(() => http, { ...listenOptions(at), gracefulShutdownTimeout: graceMs - 500 })),
    Layer.provide(Layer.succeedContext(engine))
  )
  yield* inEngine(Layer.buildWithScope(server, httpScope))
  yield* http.listenMore(at)

  say(
    `Corridor ${version} listens on ${listening} (${config.environment}, ${shown(config.database)}). Docs: ${docs_url}`
  )
  if (merchant.api_key !== null) say(`API key, shown this once: ${merchant.api_key}`)
  if (operator.token !== null) say(`Operator token, shown this once: ${operator.token}`)

  yield* signalled
  drain()
  yield* Effect.all([Scope.close(httpScope, Exit.void), Scope.close(workScope, Exit.void)], {
    concurrency: 2,
    discard: true
  })
  yield* Scope.close(engineScope, Exit.void)
})

/** Runs a `keys` command. It uses the store and the cipher only. */
const keys = (config: Config, action: KeyAction) =>
  manageKeys(action).pipe(
    Effect.tap((lines) => Effect.sync(() => lines.forEach(say))),
    Effect.provide(Layer.mergeAll(cipherOf(config), MovableClock.layer).pipe(Layer.provideMerge(storageOf(config))))
  )

/** One line for the reason of a failed start. */
const reasonOf = (cause: Cause.Cause<unknown>, config: Config): string => {
  const error = Cause.squash(cause) as {
    readonly _tag?: string
    readonly message?: string
    readonly cause?: { readonly message?: string }
  }
  if (error.cause instanceof MissingKey)
    return (
      `the store ${shown(config.database)} (DATABASE_URL) was written under the encryption key ${shownKey(error.cause.key)}, ` +
      "which CORRIDOR_ENCRYPTION_KEY does not contain. To change the key, set it to the new key, a comma and the old key."
    )
  if (error._tag === "StorageFault")
    return `the store ${shown(config.database)} (DATABASE_URL) cannot be used: ${error.message}`
  if (error._tag === "ServeError")
    return `HOST:PORT ${config.host}:${config.port} is not available: ${error.cause?.message ?? "it is in use"}`
  return Cause.pretty(cause)
}

const run = (args: ReadonlyArray<string>): Promise<number> => {
  const [command = "serve", sub] = args
  if (command === "--help" || command === "-h" || command === "help") {
    say(usage)
    return Promise.resolve(0)
  }
  const keyAction = keyActions.find((name) => command === "keys" && name === sub)
  if (command !== "serve" && keyAction === undefined) {
    complain(`unknown command ${JSON.stringify(args.join(" "))}.\n\n${usage}`)
    return Promise.resolve(2)
  }
  const decoded = decodeConfig(process.env)
  const faults =
    "faults" in decoded
      ? decoded.faults
      : decoded.config.environment === "live" && keyAction === undefined
        ? [
            'CORRIDOR_ENVIRONMENT is "live"; this program has the simulated provider only, and takes test. Compose your own provider with Corridor.layer.'
          ]
        : []
  for (const line of faults) complain(line)
  if ("faults" in decoded || faults.length > 0) return Promise.resolve(1)
  const task = keyAction === undefined ? serve(decoded.config) : keys(decoded.config, keyAction)
  return Effect.runPromiseExit(task.pipe(Effect.provide(Logger.layer([Logger.consoleJson])))).then((exit) => {
    if (Exit.isSuccess(exit)) return 0
    complain(reasonOf(exit.cause, decoded.config))
    return 1
  })
}

void run(process.argv.slice(2)).then((code) => process.exit(code))
