/**
 * Circle Mint: USDC at its issuer. Deposit addresses, transfers to approved addresses, and redemptions to linked bank accounts.
 * `docs/providers/circle.md` has the steps, the tables, and what is not verified.
 */
import { Layer } from "effect"
import { adapter, type ProviderAdapter } from "../../engine/ports/adapter.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import type { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import { Provider } from "../../engine/ports/Provider.ts"
import type { Storage } from "../../engine/ports/Storage.ts"
import { type CircleOptions, configOf } from "./circle/options.ts"
import { makeProvider } from "./circle/provider.ts"

export type { CircleOptions } from "./circle/options.ts"

/**
 * Errors: throws `TypeError` for an option that cannot be used. Building it dies with a `TypeError` when Circle refuses the key.
 */
const layer = (options: CircleOptions): Layer.Layer<Provider, StorageFault, Storage | JobNotifier> =>
  Layer.effect(Provider, makeProvider(configOf(options)))

export const CircleProvider = { layer } as const

/** Circle Mint as a provider. Errors: throws `TypeError` for an option that cannot be used; no message contains a key. */
export const circle = (options: CircleOptions): ProviderAdapter =>
  adapter("provider", layer(options), false, { environment: configOf(options).environment })
