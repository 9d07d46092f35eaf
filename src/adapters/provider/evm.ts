/**
 * Stablecoins on an EVM chain: ERC-20 transfers from a hot wallet, and deposits to addresses whose money only the hot wallet
 * can get. `docs/chains.md` explains how to run it.
 *
 * Requires the package `viem`, which is loaded when the adapter is built.
 */
import { Effect, Layer } from "effect"
import { adapter, checkCurves, layerOf, type ProviderAdapter, type SignerAdapter } from "../../engine/ports/adapter.ts"
import type { Cipher } from "../../engine/ports/Cipher.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import type { Ids } from "../../engine/ports/Ids.ts"
import type { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import { loadOptionalPeer } from "../../engine/ports/optional-peer.ts"
import { Provider } from "../../engine/ports/Provider.ts"
import type { Signer } from "../../engine/ports/Signer.ts"
import type { Storage } from "../../engine/ports/Storage.ts"
import { checkOptionNames, type EvmOptions } from "./evm/options.ts"

export type { EvmOptions, EvmToken } from "./evm/options.ts"

const load = Effect.promise(() =>
  loadOptionalPeer("viem", "corridor/adapters/provider/evm", () => import("./evm/provider.ts"))
)

/** The layer of the provider. Building it dies with a `TypeError` for an option that cannot be used, and when `viem` is not installed. */
const layer = (options: EvmOptions): Layer.Layer<Provider, StorageFault, Storage | JobNotifier | Signer> =>
  Layer.effect(
    Provider,
    Effect.flatMap(load, ({ makeProvider }) => makeProvider(options))
  )

export const EvmProvider = { layer } as const

/**
 * A provider for the tokens of one EVM chain. Its hot wallet is a key of `signer`.
 *
 * Errors: throws `TypeError` for an unknown option, and for a hot wallet of another curve. Startup fails for an invalid option,
 * and when the package `viem` is not installed.
 */
export const evmProvider = (given: EvmOptions & { readonly signer: SignerAdapter }): ProviderAdapter => {
  checkOptionNames(given)
  const { signer, ...options } = given
  checkCurves(signer, "secp256k1", { hot_wallet: options.hot_wallet })
  const signing = layerOf("signer", signer)
  const provider: Layer.Layer<Provider, StorageFault, Storage | Ids | JobNotifier | Cipher> = Layer.unwrap(
    Effect.map(load, ({ checkOptionValues }) => {
      // Before the signer starts, which stores its keys.
      checkOptionValues(options)
      return Layer.provide(layer(options), signing)
    })
  )
  return adapter("provider", provider)
}
