/** The provider of a connector, over a memory store, in the scope of a test. */
import { Clock, Context, Effect, Layer } from "effect"
import { HttpProvider, type HttpProviderOptions } from "../../../src/adapters/provider/http.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { Provider } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { secret } from "./scripted-connector.ts"
import { until } from "../repository/poll-timeout.ts"

/** A store that several providers of one test share, as they do across restarts. */
export const memoryStore = Effect.map(Layer.build(MemoryStorage.layer), (context) => Context.get(context, Storage))

/** Starts the provider of a connector. `storage`: default, a new one. */
export const startProvider = (url: string, options: Partial<HttpProviderOptions> = {}, storage?: Storage["Service"]) =>
  Effect.gen(function* () {
    const store = Layer.succeed(Storage, storage ?? (yield* memoryStore))
    const layer = HttpProvider.layer({ name: "bank", url, secret, ...options }).pipe(
      Layer.provide(Layer.mergeAll(store, Ids.layer, JobNotifier.layer))
    )
    return Context.get(yield* Layer.build(layer), Provider)
  })

/** The manifest of a scripted connector that offers everything. */
export const fullManifest = {
  protocol: "1",
  id: "scripted",
  offers: [
    "payout",
    "conversion",
    "payin",
    "issue",
    "directory",
    "screening",
    "verification",
    "statements",
    "rates"
  ].map((operation) => ({
    operation,
    currency: null,
    destination_currency: null,
    country_code: null,
    network: null,
    minimum: null,
    maximum: null,
    cost: null
  })),
  events: { callbacks: true, readable: true }
}

/** Waits, in real time, until a condition holds. */
export const eventually = (holds: () => boolean) =>
  Effect.andThen(
    Effect.promise(() => until(holds)),
    Clock.currentTimeMillis
  )
