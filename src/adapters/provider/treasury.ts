/**
 * Conversions from the platform's own inventory, for a team whose banks and chains hold both currencies: every conversion is
 * settled at once, at the rate of its command. No money moves outside: the ledger's `fx` account has what the platform has
 * bought and sold, and the platform balances its accounts at its banks and on chains itself.
 */
import { Effect, Layer } from "effect"
import { checkOptions } from "../../engine/input/options.ts"
import { adapter, type ProviderAdapter } from "../../engine/ports/adapter.ts"
import { type MovementOutcome, Provider, makeOpenManifest } from "../../engine/ports/Provider.ts"

export interface TreasuryOptions {
  /** Its name as a provider. Default: `treasury`. */
  readonly name?: string
  /** Its earlier names. */
  readonly formerly?: ReadonlyArray<string>
}

const outcome: MovementOutcome = { outcome: "success", reason: null, transaction_hash: null }
const settled = Effect.succeed({ _tag: "settled", outcome } as const)

const layer = ({ formerly, name = "treasury" }: TreasuryOptions = {}): Layer.Layer<Provider> =>
  Layer.succeed(
    Provider,
    Provider.of({
      name,
      ...(formerly && { formerly }),
      manifest: makeOpenManifest("conversion"),
      // It keeps no record: whatever the id, and after any restart, the same command has the same result.
      liquidity: { submit: () => settled, lookup: () => settled }
    })
  )

export const TreasuryProvider = { layer } as const

/**
 * A provider of conversions that are settled at once from the platform's own inventory. It has no pay-ins and no payouts.
 *
 * Errors: throws `TypeError` for an unknown option.
 */
export const treasuryProvider = (options: TreasuryOptions = {}): ProviderAdapter => {
  checkOptions("treasuryProvider", options, { name: "string?", formerly: "object?" })
  return adapter("provider", TreasuryProvider.layer(options))
}
