/**
 * SPL tokens on Solana: payouts, deposit addresses, refunds and sweeps, over JSON-RPC nodes. `docs/chains.md` explains what
 * is proven when.
 *
 * The packages `@solana/kit` and `@solana-program/token` are loaded when the provider starts.
 */
import { Effect, Layer } from "effect"
import { adapter, checkCurves, layerOf, type ProviderAdapter } from "../../engine/ports/adapter.ts"
import type { Cipher } from "../../engine/ports/Cipher.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import type { Ids } from "../../engine/ports/Ids.ts"
import type { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import { loadOptionalPeer } from "../../engine/ports/optional-peer.ts"
import { Provider } from "../../engine/ports/Provider.ts"
import type { Storage } from "../../engine/ports/Storage.ts"
import { checkOptionNames, findOptionFault, type SolanaOptions } from "./solana/options.ts"

export type { SolanaOptions, SolanaToken } from "./solana/options.ts"

/** The layer of the provider. Errors: dies with a `TypeError` when a package is missing, or a key is missing or of another curve. */
const layer = (options: SolanaOptions): Layer.Layer<Provider, StorageFault, Storage | Ids | JobNotifier | Cipher> => {
  const signing = layerOf("signer", options.signer)
  // The packages come first: the signer stores its keys when it starts.
  return Layer.unwrap(
    Effect.map(
      Effect.promise(() =>
        loadOptionalPeer(
          "@solana/kit @solana-program/token",
          "corridor/adapters/provider/solana",
          () => import("./solana/provider.ts")
        )
      ),
      ({ makeLayer: make }) => Layer.provide(Layer.effect(Provider, make(options)), signing)
    )
  )
}

export const SolanaProvider = { layer } as const

/**
 * A provider for SPL tokens on Solana.
 *
 * Errors: throws `TypeError` for an invalid option, and for a key of another curve. Startup fails when the packages `@solana/kit`
 * and `@solana-program/token` are not installed, or when the signer does not have the keys.
 */
export const solanaProvider = (options: SolanaOptions): ProviderAdapter => {
  checkOptionNames(options)
  const fault = findOptionFault(options)
  if (fault !== undefined) throw new TypeError(`solanaProvider: ${fault}`)
  const { deposit_key, hot_wallet, signer } = options
  checkCurves(signer, "ed25519", { hot_wallet, deposit_key })
  return adapter("provider", layer(options))
}
