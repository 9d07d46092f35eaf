/** The composition root: the adapters that the settings name, and the engine over them. */
import { Layer } from "effect"
import { AesGcmCipher, aesKey } from "../../adapters/cipher/aes-gcm.ts"
import * as MovableClock from "../../adapters/clock/movable.ts"
import { simulatedProvider } from "../../adapters/provider/simulated.ts"
import { CellsStorage } from "../../adapters/storage/cells/cells.ts"
import { MemoryStorage } from "../../adapters/storage/memory.ts"
import { PgliteStorage } from "../../adapters/storage/pglite.ts"
import { PostgresStorage } from "../../adapters/storage/postgres.ts"
import { HttpWebhookSink } from "../../adapters/webhook/http.ts"
import { DispatcherEnabled, JobLease } from "../../engine/settings/settings.ts"
import { parsePostgresUrl } from "../../engine/input/schemas.ts"
import { layerOf } from "../../engine/ports/adapter.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import type { Storage } from "../../engine/ports/Storage.ts"
import { Payshap } from "../../engine/resources/parties/beneficiary-details.ts"
import { Corridor, pricingOf, ratesOf } from "../../index.ts"
import { version } from "../../version.ts"
import type { Config } from "../config/config.ts"
import { developmentKey } from "../config/live.ts"
import { makeObservability } from "../observability/layer.ts"

export const makeStorageLayer = ({ database, statement_timeout_ms }: Config): Layer.Layer<Storage, StorageFault> => {
  switch (database._tag) {
    case "memory":
      return MemoryStorage.layer
    case "pglite":
      return PgliteStorage.layer(database.dir === null ? {} : { directory: database.dir })
    case "postgres":
      return PostgresStorage.layer({ url: database.url, statement_timeout_ms })
    case "cells":
      return CellsStorage.layer({ url: database.url, cells: database.cells, statement_timeout_ms })
  }
}

/** Formats the name of a store for messages, without its password. */
export const formatStore = ({ database }: Config): string => {
  if (database._tag === "memory") return "memory:"
  if (database._tag === "pglite") return `pglite:${database.dir ?? "memory"}`
  const cells = database._tag === "cells" ? `?cells=${database.cells}` : ""
  const { hosts, pathname } = parsePostgresUrl(database.url)!
  return `postgres://${hosts}${pathname}${cells}`
}

export const makeCipherLayer = ({ encryption_keys }: Config) => {
  const [current = developmentKey, ...older] = encryption_keys ?? []
  return AesGcmCipher.layer({ keys: [aesKey(current), ...older.map(aesKey)] })
}

/** Formats the name of an encryption key for messages. */
export const formatKey = (id: string): string =>
  id === aesKey(developmentKey).id ? `${id} (the fixed key of the test environment, ${developmentKey})` : id

/** Makes the layer of the engine with the adapters that the settings name, without a dispatcher. Its jobs run in a scope of their own. */
export const makeEngineLayer = (config: Config, base_url: string, docs_url: string) => {
  const isTest = config.environment === "test"
  const settings = Layer.mergeAll(
    Layer.succeed(Payshap, config.payshap),
    Layer.succeed(DispatcherEnabled, config.dispatcher),
    Layer.succeed(JobLease, config.lease_seconds * 1000)
  )
  return Corridor.layer({
    environment: config.environment,
    baseUrl: base_url,
    docsUrl: docs_url,
    storage: makeStorageLayer(config),
    providers: (
      config.providers ?? [
        simulatedProvider({
          mode: config.sandbox_mode,
          delay_ms: config.sandbox_delay_ms,
          payshap: config.payshap,
          callback_secret: config.provider_secret
        })
      ]
    ).map((provider) => layerOf("provider", provider)),
    routing: config.routing,
    webhooks: HttpWebhookSink.layer({
      timeout_ms: config.webhook_timeout_ms,
      environment: config.environment,
      user_agent: `Corridor/${version}`
    }),
    cipher: makeCipherLayer(config),
    rates: config.rates === undefined ? undefined : ratesOf(config.rates),
    pricing: config.pricing === undefined ? undefined : pricingOf(config.pricing),
    // The sandbox moves it, and the offset is in the store.
    clock: isTest ? MovableClock.layer : undefined,
    rateBand: config.rate_band,
    screening: config.screening,
    webhookRetrySeconds: config.webhook_retry_seconds,
    nameMatch: config.name_match,
    retention: {
      deliveries: config.keep_deliveries,
      providerEvents: config.keep_provider_events,
      events: config.keep_events
    },
    dispatcher: false
  }).pipe(Layer.provideMerge(settings), Layer.provideMerge(makeObservability(config)))
}
