/** What the adapters of a configuration find when they look at what they depend on. */
import { Cause, Duration, Effect, Exit, Layer } from "effect"
import { layerOf } from "../engine/ports/adapter.ts"
import { Ids } from "../engine/ports/Ids.ts"
import { JobNotifier } from "../engine/ports/JobNotifier.ts"
import { Provider, type ProviderCheck } from "../engine/ports/Provider.ts"
import type { Config } from "../http/config/config.ts"
import { readFirstLine } from "./failure.ts"

/** How long one adapter may take. */
const timeoutMs = 30_000

/**
 * Starts each adapter of the configuration apart from the store, and runs its own check. Simulated adapters are skipped. Nothing
 * is written: if a local signer has generated a key in the store, another key takes its place in the check.
 */
export const checkAdapters = (config: Config): Effect.Effect<ReadonlyArray<ProviderCheck>> =>
  Effect.map(
    Effect.forEach(
      config.providers ?? [],
      Effect.fnUntraced(function* (adapter, at): Effect.fn.Return<ReadonlyArray<ProviderCheck>> {
        if (adapter.simulated) return []
        const [{ makeCipherLayer }, { MemoryStorage }] = yield* Effect.promise(() =>
          Promise.all([import("../http/serve/composition.ts"), import("../adapters/storage/memory.ts")])
        )
        // A store of its own: an adapter may write to its books when it starts, and nothing here may.
        const around = Layer.mergeAll(MemoryStorage.layer, Ids.layer, JobNotifier.layer, makeCipherLayer(config))
        const started = yield* Effect.exit(
          Effect.provide(
            Effect.gen(function* () {
              const { cautions = [], check, name } = yield* Provider
              const found: ReadonlyArray<ProviderCheck> =
                check === undefined ? [{ status: "ok", sentence: "it starts" }] : yield* check
              return [
                ...found.map(({ sentence, status }) => ({ status, sentence: `${name}: ${sentence}` })),
                ...cautions
                  .filter((sentence) => !found.some((one) => sentence === `${name}: ${one.sentence}`))
                  .map((sentence) => ({ status: "warn" as const, sentence }))
              ]
            }),
            Layer.provide(layerOf("provider", adapter), around)
          ).pipe(Effect.timeout(Duration.millis(timeoutMs)))
        )
        if (Exit.isSuccess(started)) return started.value
        const cause = Cause.squash(started.cause)
        const what = Cause.isTimeoutError(cause)
          ? `does not answer within ${timeoutMs / 1000} seconds`
          : `cannot start: ${readFirstLine(cause)}`
        return [{ status: "fail", sentence: `providers[${at}] ${what}` }]
      }),
      { concurrency: "unbounded" }
    ),
    (found) => found.flat()
  )
