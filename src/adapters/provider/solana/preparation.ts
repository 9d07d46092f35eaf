/** All that is checked before anything is signed. What fails here was certainly not paid. */
import { getTokenDecoder } from "@solana-program/token"
import * as kit from "@solana/kit"
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { Context } from "./config.ts"
import { routeTo } from "./destination.ts"
import type { Attempt, Outgoing } from "./entries.ts"
import { openEntries } from "./open-entries.ts"
import type { RpcNode } from "./nodes.ts"
import type { Order } from "./order.ts"
import { feeOf, type Lifetime, referenceOf, type Transfer, unsigned } from "./transaction.ts"

export interface Ready {
  readonly _tag: "ready"
  readonly transfer: Transfer
  readonly lifetime: Lifetime
  readonly from_slot: number
}

export type Refusal = { readonly _tag: "unavailable" } | { readonly _tag: "rejected"; readonly reason: string }

/** `executed`: the chain has a transaction of this command that the books do not have. They were restored, perhaps. */
export type Preparation = Ready | Refusal | { readonly _tag: "executed"; readonly attempt: Attempt }

/** The bytes of a token account, and of an account without data. */
const tokenBytes = 165n
const noBytes = 0n

/** A successful transaction of this command that the hot wallet signed, which the chain finds by its mark. */
const executed = Effect.fnUntraced(function* ({ hot }: Context, node: RpcNode, command_id: string) {
  const marked = yield* node.call((rpc) =>
    rpc.getSignaturesForAddress(referenceOf(command_id), { commitment: "finalized" })
  )
  for (const { signature } of marked.filter(({ err }) => err === null)) {
    const found = yield* node.call((rpc) =>
      rpc.getTransaction(signature, {
        commitment: "finalized",
        encoding: "jsonParsed",
        maxSupportedTransactionVersion: 0
      })
    )
    if (found === null || found.meta === null) continue
    if (found.transaction.message.accountKeys[0]?.pubkey !== hot.address) continue
    const slot = Number(found.slot)
    const cost = (found.meta.preBalances[0] ?? 0n) - (found.meta.postBalances[0] ?? 0n)
    const attempt: Attempt = {
      signature,
      wire: "",
      last_valid_block_height: 0,
      from_slot: slot,
      cost: cost.toString()
    }
    return { _tag: "executed", attempt } as const
  }
  return undefined
})

/** What the open transfers may still take from the hot wallet's final balance of this order's token. */
const reserved = (context: Context, order: Order): Effect.Effect<bigint, ProviderFault> =>
  Effect.map(openEntries<Outgoing>(context, "solana_outgoing"), (all) =>
    all
      .filter((one) => one.ended === null && one.purpose !== "sweep" && one.currency === order.token.currency)
      .filter(({ command_id }) => command_id !== order.command_id)
      .reduce((sum, { amount }) => sum + BigInt(amount), 0n)
  )

const prepareAt = Effect.fnUntraced(function* (
  context: Context,
  node: RpcNode,
  order: Order
): Effect.fn.Return<Preparation, ProviderFault> {
  const found = yield* executed(context, node, order.command_id)
  if (found !== undefined) return found
  const isSweep = order.purpose === "sweep"
  const route = isSweep
    ? ({ _tag: "open", account: order.token.account, opens_for: order.to } as const)
    : yield* routeTo(context, node, order.token, order.to)
  if (route._tag === "closed") return { _tag: "rejected", reason: route.reason }

  const { value: accounts } = yield* node.call((rpc) =>
    rpc.getMultipleAccounts([kit.address(order.from.account), kit.address(context.hot.address)], {
      commitment: "finalized",
      encoding: "base64"
    })
  )
  const [source, payer] = accounts
  if (!source || !payer) return { _tag: "unavailable" }
  const balance = getTokenDecoder().decode(kit.getBase64Encoder().encode(source.data[0])).amount
  if (balance < order.amount + (isSweep ? 0n : yield* reserved(context, order))) return { _tag: "unavailable" }
  const rent = (bytes: bigint) => node.call((rpc) => rpc.getMinimumBalanceForRentExemption(bytes))
  const cost =
    feeOf(isSweep ? 2 : 1, context.price) +
    (route.opens_for === null ? 0n : yield* rent(tokenBytes)) +
    (yield* rent(noBytes))
  if (payer.lamports < cost) return { _tag: "unavailable" }

  const { context: at, value: lifetime } = yield* node.call((rpc) =>
    rpc.getLatestBlockhash({ commitment: "confirmed" })
  )
  const transfer: Transfer = {
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
  const { value: simulated } = yield* node.call((rpc) =>
    rpc.simulateTransaction(unsigned(transfer, lifetime), {
      encoding: "base64",
      commitment: "confirmed",
      sigVerify: false
    })
  )
  // The simulation sees one node's state, so its failure is no verdict on the order.
  if (simulated.err !== null) return { _tag: "unavailable" }
  return { _tag: "ready", transfer, lifetime, from_slot: Number(at.slot) }
})

/** Errors: `ProviderFault` when no node answers. Nothing was signed then. */
export const prepare = (context: Context, order: Order): Effect.Effect<Preparation, ProviderFault> =>
  context.nodes.first((node) => prepareAt(context, node, order))
