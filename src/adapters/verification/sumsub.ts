/**
 * Sumsub: verification of customers on pages that Sumsub hosts. `docs/providers/sumsub.md` has the steps, the table, and what is not verified.
 */
import { Layer } from "effect"
import { adapter, type ProviderAdapter } from "../../engine/ports/adapter.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import type { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import { Provider } from "../../engine/ports/Provider.ts"
import type { Storage } from "../../engine/ports/Storage.ts"
import { configOf, type SumsubOptions } from "./sumsub/options.ts"
import { makeProvider } from "./sumsub/provider.ts"

export type { SumsubOptions } from "./sumsub/options.ts"

/**
 * Errors: throws `TypeError` for an option that cannot be used. Building it dies with a `TypeError` when Sumsub refuses the keys, or does
 * not have one of the levels.
 */
const layer = (options: SumsubOptions): Layer.Layer<Provider, StorageFault, Storage | JobNotifier> =>
  Layer.effect(Provider, makeProvider(configOf(options)))

export const SumsubVerification = { layer } as const

/** Sumsub as a provider that verifies, and does nothing else. Errors: throws `TypeError` for an option that cannot be used; no message contains a secret. */
export const sumsub = (options: SumsubOptions): ProviderAdapter =>
  adapter("provider", layer(options), false, { environment: configOf(options).environment })
