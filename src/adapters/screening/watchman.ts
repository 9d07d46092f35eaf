/**
 * Moov Watchman: screening of beneficiaries by name and by address, against the sanctions lists that an installation of yours has loaded.
 * `docs/providers/watchman.md` has the steps, the table, and what is not verified.
 */
import { Layer } from "effect"
import { adapter, type ProviderAdapter } from "../../engine/ports/adapter.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import type { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import { Provider } from "../../engine/ports/Provider.ts"
import type { Storage } from "../../engine/ports/Storage.ts"
import { resolveConfig, type WatchmanOptions } from "./watchman/options.ts"
import { makeProvider } from "./watchman/provider.ts"

export type { WatchmanOptions } from "./watchman/options.ts"

/** The layer of the provider. Errors: throws `TypeError` for an option that cannot be used. */
const layer = (options: WatchmanOptions): Layer.Layer<Provider, StorageFault, Storage | JobNotifier> =>
  Layer.effect(Provider, makeProvider(resolveConfig(options)))

export const WatchmanScreening = { layer } as const

/** A provider that only screens, with Watchman's lists. Errors: throws `TypeError` for an option that cannot be used. */
export const watchman = (options: WatchmanOptions): ProviderAdapter => adapter("provider", layer(options))
