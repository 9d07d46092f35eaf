/** All that is checked before anything is signed. What fails here was certainly not paid. */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { SolanaContext } from "./config.ts"
import { findRoute } from "./destination.ts"
import type { SolanaAttempt, SolanaOutgoing } from "./entries.ts"
import { listOpenEntries } from "./open-entries.ts"
import type { RpcNode } from "./rpc.ts"
import type { Order } from "./order.ts"
import {
  computeFee,
  type Lifetime,
  deriveReferenceAddress,
  type SolanaTransfer,
  encodeForSimulation
} from "./transaction.ts"

export interface Ready {
  readonly _tag: "ready"
  readonly transfer: SolanaTransfer
  readonly lifetime: Lifetime
}

export type UnpreparedTransfer =
  | { readonly _tag: "unavailable" }
  | { readonly _tag: "rejected"; readonly reason: string }

/** `findExecution`: the chain has a transaction of this command that the books do not have. They were restored, perhaps. */
export type Preparation = Ready | UnpreparedTransfer | { readonly _tag: "executed"; readonly attempt: SolanaAttempt }

/** The bytes of a token account, and of an account without data. */
const tokenBytes = 165n
const noBytes = 0n

/** Finds a successful transaction of this command that the hot wallet signed, by the command's reference address on the chain. */
const findExecution = Effect.fnUntraced(function* ({ hot }: SolanaContext, node: RpcNode, command_id: string) {
  const marked = yield* node.signatures(deriveReferenceAddress(command_id), { commitment: "finalized", from: 0 })
  for (const { signature } of marked.filter(({ isFailed }) => !isFailed)) {
    const found = yield* node.transaction(signature, "finalized")
    if (found === null || found.fee_payer !== hot.address) continue
    const attempt: SolanaAttempt = {
      signature,
      wire: "",
      last_valid_block_height: 0,
      from_slot: found.slot,
      cost: (-(found.lamports.get(hot.address) ?? 0n)).toString()
    }
    return { _tag: "executed", attempt } as const
  }
  return undefined
})

/** Sums the open transfers of the order's token that may still reduce the hot wallet's final balance. */
const sumOpenTransfers = (context: SolanaContext, order: Order): Effect.Effect<bigint, ProviderFault> =>
  Effect.map(listOpenEntries<SolanaOutgoing>(context, "solana_outgoing"), (all) =>
    all
      .filter((one) => one.ended === null && one.purpose !== "sweep" && one.currency === order.token.currency)
      .filter(({ command_id }) => command_id !== order.command_id)
      .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  )

const prepareTransferAt = Effect.fnUntraced(function* (
  context: SolanaContext,
  node: RpcNode,
  order: Order
): Effect.fn.Return<Preparation, ProviderFault> {
  const found = yield* findExecution(context, node, order.command_id)
  if (found !== undefined) return found
  const isSweep = order.purpose === "sweep"
  const route = isSweep
    ? ({ _tag: "open", account: order.token.account, opens_for: order.to } as const)
    : yield* findRoute(context, node, order.token, order.to)
  if (route._tag === "closed") return { _tag: "rejected", reason: route.reason }

  const { accounts } = yield* node.accounts([order.from.account, context.hot.address], "finalized")
  const [source, payer] = accounts
  const taken = isSweep ? 0n : yield* sumOpenTransfers(context, order)
  if (!source?.token || !payer || source.token.amount < order.amount + taken) return { _tag: "unavailable" }
  const rent = route.opens_for === null ? 0n : yield* node.rent(tokenBytes)
  const kept = yield* node.rent(noBytes)
  if (payer.lamports < computeFee(isSweep ? 2 : 1, context.price, order) + rent + kept) return { _tag: "unavailable" }

  const lifetime = yield* node.blockhash
  const transfer: SolanaTransfer = {
    command_id: order.command_id,
    fee_payer: context.hot,
    owner: order.from,
    source: order.from.account,
    mint: order.token.mint,
    decimals: order.token.decimals,
    amount: order.amount,
    destination: route.account,
    opens_for: route.opens_for,
    memo: order.memo,
    price: context.price
  }
  // The simulation sees one node's state, so its failure is no verdict on the order.
  if ((yield* node.simulate(encodeForSimulation(transfer, lifetime))).isFailed) return { _tag: "unavailable" }
  return { _tag: "ready", transfer, lifetime }
})

/** Prepares a transfer: finds its recipient, checks funds and simulates it. Signs nothing. Errors: `ProviderFault` when no node answers. */
export const prepareTransfer = (context: SolanaContext, order: Order): Effect.Effect<Preparation, ProviderFault> =>
  context.nodes.first((node) => prepareTransferAt(context, node, order))
