/**
 * Paystack: payouts to bank accounts and mobile wallets in NGN, GHS, KES and ZAR, and accounts for pay-ins in NGN and GHS.
 * `docs/providers/paystack.md` has the steps, the tables, and what is not verified.
 */
import { Layer } from "effect"
import { adapter, type ProviderAdapter } from "../../engine/ports/adapter.ts"
import type { StorageFault } from "../../engine/ports/errors.ts"
import type { JobNotifier } from "../../engine/ports/JobNotifier.ts"
import { Provider } from "../../engine/ports/Provider.ts"
import type { Storage } from "../../engine/ports/Storage.ts"
import { configOf, type PaystackOptions } from "./paystack/options.ts"
import { makeProvider } from "./paystack/provider.ts"

export type { PaystackOptions } from "./paystack/options.ts"

/**
 * Errors: throws `TypeError` for an option that cannot be used. Building it dies with a `TypeError` when Paystack refuses a key, or when
 * the integration of a key has no balance in its currency.
 */
const layer = (options: PaystackOptions): Layer.Layer<Provider, StorageFault, Storage | JobNotifier> => {
  const config = configOf(options)
  return Layer.effect(Provider, makeProvider(config))
}

export const PaystackProvider = { layer } as const

/** Paystack as a provider. Errors: throws `TypeError` for an option that cannot be used; no message contains a key. */
export const paystack = (options: PaystackOptions): ProviderAdapter =>
  adapter("provider", layer(options), false, { environment: configOf(options).environment })
