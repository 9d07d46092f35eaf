/**
 * Circle Mint: USDC at its issuer. Deposit addresses, transfers to approved addresses, and redemptions to linked bank accounts.
 * `docs/providers/circle.md` has the steps, the tables, and what is not verified.
 */
import type { ProviderAdapter } from "../../engine/ports/adapter.ts"
import { makeCompanyAdapter } from "./company/provider.ts"
import { type CircleOptions, configOf } from "./circle/options.ts"
import { makeProvider } from "./circle/provider.ts"

export type { CircleOptions } from "./circle/options.ts"

const { adapt, layer } = makeCompanyAdapter(configOf, makeProvider)

/** Errors: throws `TypeError` for an option that cannot be used. Building it dies with a `TypeError` when Circle refuses the key. */
export const CircleProvider = { layer } as const

/** Circle Mint as a provider. Errors: throws `TypeError` for an option that cannot be used; no message contains a key. */
export const circle: (options: CircleOptions) => ProviderAdapter = adapt
