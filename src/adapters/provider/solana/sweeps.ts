/** Sweeps: what has arrived at an issued address goes to the hot wallet. */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { Holding } from "./account-reading.ts"
import type { SolanaContext } from "./config.ts"
import { submitOrder } from "./outgoing.ts"
import { findSweep, readUnswept } from "./unswept.ts"

/**
 * Sweeps the confirmed pay-ins of an account into the hot wallet, and no more, once all of its credits are reported. Each sweep
 * of an account has a number, so that nodes that sweep at the same time sign one transaction.
 */
export const sweepAccount = Effect.fnUntraced(function* (
  context: SolanaContext,
  { final, slot, watched: before }: Holding
): Effect.fn.Return<void, ProviderFault> {
  const { watched, unswept } = yield* readUnswept(context, before, slot)
  const { address, token, account } = watched
  const amount = final < unswept ? final : unswept
  if (token.sweep_from === null || amount <= 0n || amount < token.sweep_from) return
  const { command_id, sweep } = yield* findSweep(context, watched)
  if (sweep?.ended) return
  yield* submitOrder(context, {
    purpose: "sweep",
    command_id,
    merchant_id: address.merchant_id,
    resource_id: address.id,
    token,
    amount: sweep === undefined ? amount : BigInt(sweep.amount),
    from: { address: address.address, key_ref: address.key_ref, account },
    to: context.hot.address,
    memo: null
  })
})
