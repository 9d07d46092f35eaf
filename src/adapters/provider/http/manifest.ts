/**
 * What a connector serves. The manifest is read at startup and then again and again. A connector that is away does not stop
 * the process from starting: the manifest that was read last applies, by any node and before any restart; without one, the
 * configured offers do.
 */
import { Effect, Option, Schema } from "effect"
import { toCanonicalJson } from "../../../engine/ports/canonical-json.ts"
import type { ProviderFault, StorageFault } from "../../../engine/ports/errors.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { PLATFORM_MERCHANT } from "../../../engine/ports/Storage.ts"
import { Manifest as ManifestSchema } from "../../../protocol/results.ts"
import type { ProviderBooks } from "../books.ts"

type Manifest = typeof ManifestSchema.Type

/** The pause after a failed read; it doubles up to the interval. */
const RETRY_MS = 1000

const kind = "connector_manifest"

/** A manifest that a later release stored may not be readable. */
const decode = Schema.decodeUnknownOption(ManifestSchema)

const logFault =
  (what: string) =>
  <E extends { readonly message: string }>(fault: E) =>
    Effect.logWarning(`${what}: ${fault.message}`)

/**
 * Keeps the manifest of a provider up to date until the scope closes. `present` returns the current one; undefined while none is known.
 *
 * `read`: asks the connector once. It is called once before this returns.
 */
export const keepManifest = (
  provider: string,
  { amend, storage }: ProviderBooks,
  read: Effect.Effect<Manifest, ProviderFault>,
  interval_ms: number
) =>
  Effect.gen(function* () {
    const key = { merchant_id: PLATFORM_MERCHANT, kind, id: provider }
    let present: Manifest | undefined
    /** What the connector itself has told this process last. */
    let latest: Manifest | undefined
    let refused: { readonly fault: ProviderFault; readonly at: number } | undefined

    const store = (manifest: Manifest): Effect.Effect<void, StorageFault> =>
      amend([key], ([row]) => ({
        entries: toCanonicalJson(row?.data) === toCanonicalJson(manifest) ? [] : [{ key, data: manifest }],
        result: undefined
      }))

    /** Whether the connector answered. */
    const refresh = read.pipe(
      Effect.tapError((fault) => Effect.map(wallNow, (at) => void (refused = { fault, at }))),
      Effect.flatMap((manifest) => {
        present = latest = manifest
        return Effect.catch(store(manifest), logFault(`the manifest of ${provider} could not be stored`))
      }),
      Effect.as(true),
      Effect.catch((fault) => Effect.as(logFault(`the manifest of ${provider} could not be read`)(fault), false))
    )

    const stored = storage.get([key]).pipe(
      Effect.map(([row]) => Option.getOrUndefined(decode(row?.data))),
      Effect.catch((fault) =>
        Effect.as(logFault(`the stored manifest of ${provider} could not be read`)(fault), undefined)
      )
    )

    let isRead = yield* refresh
    if (!isRead) present = yield* stored

    yield* Effect.gen(function* () {
      for (let pause_ms = isRead ? interval_ms : RETRY_MS; ; ) {
        yield* Effect.sleep(pause_ms)
        isRead = yield* refresh
        pause_ms = isRead ? interval_ms : Math.min(pause_ms * 2, interval_ms)
      }
    }).pipe(Effect.forkScoped)

    return {
      present: () => present,
      /** The manifest as the connector told it to this process. Asks for it at most once a second. */
      stated: Effect.gen(function* () {
        if (latest !== undefined) return latest
        if (refused !== undefined && Math.abs((yield* wallNow) - refused.at) < RETRY_MS) return yield* refused.fault
        yield* refresh
        return latest ?? (yield* refused!.fault)
      })
    }
  })
