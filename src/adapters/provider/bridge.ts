/**
 * Bridge: payouts in USD and EUR to the bank accounts of others, from the USDC of a wallet there. `docs/providers/bridge.md` has the steps, the
 * tables, and what is not verified.
 */
import type { ProviderAdapter } from "../../engine/ports/adapter.ts"
import { makeCompanyAdapter } from "./company/provider.ts"
import { type BridgeOptions, configOf } from "./bridge/options.ts"
import { makeProvider } from "./bridge/provider.ts"

export type { BridgeOptions } from "./bridge/options.ts"

const { adapt, layer } = makeCompanyAdapter(configOf, makeProvider)

/** Errors: throws `TypeError` for an option that cannot be used. Building it dies with a `TypeError` when Bridge refuses the key, or does not know the wallet. */
export const BridgeProvider = { layer } as const

/** Bridge as a provider. Errors: throws `TypeError` for an option that cannot be used; no message contains a key. */
export const bridge: (options: BridgeOptions) => ProviderAdapter = adapt
