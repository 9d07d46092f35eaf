/** Sweeps: what has arrived at an issued address goes to the hot wallet. */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { Context } from "./config.ts"
import { changeAddress } from "./addresses.ts"
import { dataOf, entryKey, type IssuedAddress, type Outgoing } from "./entries.ts"
import { unreachable } from "./open-entries.ts"
import { submit } from "./outgoing.ts"
import type { Watched } from "./payins.ts"

/**
 * Sweeps an account whose credits were all reported. Each sweep of an account has a number, so that nodes that sweep at the
 * same time sign one transaction.
 */
export const sweep = Effect.fnUntraced(function* (
  context: Context,
  { address, token, account }: Watched,
  balance: bigint
): Effect.fn.Return<void, ProviderFault> {
  if (token.sweep_from === null || balance === 0n || balance < token.sweep_from) return
  const { merchant_id } = address
  const number = address.swept[account] ?? 0
  const command_id = `sweep.${account}.${number}`
  const [row] = yield* context.books.storage
    .get([entryKey(context.name, "solana_outgoing", merchant_id, command_id)])
    .pipe(Effect.mapError(unreachable))
  const before = dataOf<Outgoing>(row)
  if (before?.ended) return yield* countSweep(context, address, account, number)
  yield* submit(context, {
    purpose: "sweep",
    command_id,
    merchant_id,
    resource_id: address.id,
    token,
    amount: before === undefined ? balance : BigInt(before.amount),
    from: { address: address.address, key_ref: address.key_ref, account },
    to: context.hot.address,
    memo: null
  })
})

/** Counts a sweep that has ended, so that the next one gets another number. */
const countSweep = (context: Context, address: IssuedAddress, account: string, number: number) =>
  changeAddress(context, address, (before) =>
    (before.swept[account] ?? 0) === number ? { ...before, swept: { ...before.swept, [account]: number + 1 } } : before
  )
