/**
 * Bridge: payouts in USD and EUR to the bank accounts of others, from the USDC of a wallet there. `docs/providers/bridge.md` has the steps, the
 * tables, and what is not verified.
 */
import { Layer } from "effect"
import { adapter, type ProviderAdapter } from "../../engine/ports/adapter.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import type { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import { Provider } from "../../engine/ports/Provider.ts"
import type { Storage } from "../../engine/ports/Storage.ts"
import { type BridgeOptions, configOf } from "./bridge/options.ts"
import { makeProvider } from "./bridge/provider.ts"

export type { BridgeOptions } from "./bridge/options.ts"

/**
 * Errors: throws `TypeError` for an option that cannot be used. Building it dies with a `TypeError` when Bridge refuses the key, or does not
 * know the wallet.
 */
const layer = (options: BridgeOptions): Layer.Layer<Provider, StorageFault, Storage | JobNotifier> =>
  Layer.effect(Provider, makeProvider(configOf(options)))

export const BridgeProvider = { layer } as const

/** Bridge as a provider. Errors: throws `TypeError` for an option that cannot be used; no message contains a key. */
export const bridge = (options: BridgeOptions): ProviderAdapter =>
  adapter("provider", layer(options), false, { environment: configOf(options).environment })
