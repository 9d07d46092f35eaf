/** What became of a signed transaction. Only finality settles it, and only a proof makes it absent. */
import * as kit from "@solana/kit"
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { Attempt } from "./entries.ts"
import type { Nodes, RpcNode } from "./nodes.ts"

/**
 * - `final`: it is in a finalized block. `error`: it was executed and failed, and only its fee was paid. `cost` is what the
 *   payer of the fee spent in lamports, including rent for the accounts that it opened.
 * - `landed`: it is in a block that is not final.
 * - `open`: no node shows it, and it can still be included, or it cannot be proven that it was not.
 * - `absent`: it is in no finalized block and cannot be in a later one.
 */
export type Fate =
  | { readonly _tag: "final"; readonly slot: number; readonly error: unknown; readonly cost: bigint }
  | { readonly _tag: "landed" }
  | { readonly _tag: "open"; readonly expired: boolean }
  | { readonly _tag: "absent" }

/**
 * The number of blocks beyond the last valid one that must be final before "not found" is believed.
 *
 * A transaction can only be in a block of at most `last_valid_block_height`, so one final block above it would be enough
 * for a node whose answers are all from one moment. The answers to two requests may come from two machines behind one
 * URL. The margin is one more window of validity (about a minute): a machine that has processed a slot so far behind the
 * last possible block has that block, if it exists, as a root, since a fork of more than 32 blocks cannot be voted for.
 */
export const margin = 150

const finalOf = Effect.fnUntraced(function* (node: RpcNode, signature: kit.Signature) {
  const found = yield* node.call((rpc) =>
    rpc.getTransaction(signature, {
      commitment: "finalized",
      encoding: "jsonParsed",
      maxSupportedTransactionVersion: 0
    })
  )
  if (found === null || found.meta === null) return undefined
  const { meta, slot } = found
  const cost = (meta.preBalances[0] ?? 0n) - (meta.postBalances[0] ?? 0n)
  return { _tag: "final", slot: Number(slot), error: meta.err, cost } satisfies Fate
})

const rank = { final: 3, landed: 2, absent: 1, open: 0 } as const

const fateAt = Effect.fnUntraced(function* (node: RpcNode, attempt: Attempt): Effect.fn.Return<Fate, ProviderFault> {
  const signature = kit.signature(attempt.signature)
  // The order matters: the height is read first, so "not found" is said at that height or later.
  const { absoluteSlot, blockHeight } = yield* node.call((rpc) => rpc.getEpochInfo({ commitment: "finalized" }))
  const { context, value } = yield* node.call((rpc) =>
    rpc.getSignatureStatuses([signature], { searchTransactionHistory: true })
  )
  const [status] = value
  if (status !== null && status !== undefined) {
    if (status.confirmationStatus !== "finalized") return { _tag: "landed" }
    return (yield* finalOf(node, signature)) ?? { _tag: "landed" }
  }
  const height = Number(blockHeight)
  const open: Fate = { _tag: "open", expired: height > attempt.last_valid_block_height }
  if (height <= attempt.last_valid_block_height + margin || context.slot < absoluteSlot) return open
  // A node that has deleted its old blocks finds nothing in them.
  const first = yield* node.call((rpc) => rpc.getFirstAvailableBlock())
  if (Number(first) > attempt.from_slot) return open
  return (yield* finalOf(node, signature)) ?? { _tag: "absent" }
})

/**
 * Asks every node. Sight of the transaction wins over its absence: a node that shows it is not contradicted by one that
 * lags. Errors: `ProviderFault` when no node answers.
 */
export const fateOf = (nodes: Nodes, attempt: Attempt): Effect.Effect<Fate, ProviderFault> =>
  Effect.map(
    nodes.each((node) => fateAt(node, attempt)),
    (fates) => fates.reduce((best, fate) => (rank[fate._tag] > rank[best._tag] ? fate : best))
  )
