/**
 * Paystack: payouts to bank accounts and mobile wallets in NGN, GHS, KES and ZAR, and accounts for pay-ins in NGN and GHS.
 * `docs/providers/paystack.md` has the steps, the tables, and what is not verified.
 */
import type { ProviderAdapter } from "../../engine/ports/adapter.ts"
import { makeCompanyAdapter } from "./company/provider.ts"
import { type PaystackOptions, configOf } from "./paystack/options.ts"
import { makeProvider } from "./paystack/provider.ts"

export type { PaystackOptions } from "./paystack/options.ts"

const { adapt, layer } = makeCompanyAdapter(configOf, makeProvider)

/**
 * Errors: throws `TypeError` for an option that cannot be used. Building it dies with a `TypeError` when Paystack refuses a key, or when the integration of a key has no balance in
 * its currency.
 */
export const PaystackProvider = { layer } as const

/** Paystack as a provider. Errors: throws `TypeError` for an option that cannot be used; no message contains a key. */
export const paystack: (options: PaystackOptions) => ProviderAdapter = adapt
