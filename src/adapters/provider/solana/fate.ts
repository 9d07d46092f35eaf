/** What became of a signed transaction. Only finality settles it, and only a proof makes it absent. */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { SolanaAttempt } from "./entries.ts"
import type { Nodes } from "./nodes.ts"
import type { RpcNode, SolanaTransaction } from "./rpc.ts"

/**
 * - `final`: it is in a finalized block. `error`: it was executed and failed, and only its fee was paid. `cost` is what the
 *   payer of the fee spent in lamports, including rent for the accounts that it opened.
 * - `landed`: it is in a block that is not final.
 * - `open`: no node shows it, and it can still be included, or it cannot be proven that it was not.
 * - `absent`: it is in no finalized block and cannot be in a later one.
 */
export type Fate =
  | {
      readonly _tag: "final"
      readonly slot: number
      readonly error: unknown
      readonly cost: bigint
      readonly transaction: SolanaTransaction
    }
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

const readFinalFate = Effect.fnUntraced(function* (node: RpcNode, signature: string) {
  const found = yield* node.transaction(signature, "finalized")
  if (found === null) return undefined
  const { slot, error, lamports, fee_payer } = found
  return { _tag: "final", slot, error, cost: -(lamports.get(fee_payer) ?? 0n), transaction: found } satisfies Fate
})

const rank = { final: 3, landed: 2, absent: 1, open: 0 } as const

const readFateAt = Effect.fnUntraced(function* (
  node: RpcNode,
  { signature, last_valid_block_height, from_slot }: SolanaAttempt
): Effect.fn.Return<Fate, ProviderFault> {
  // The order matters: the height is read first, so "not found" is said at that height or later.
  const final = yield* node.epoch("finalized")
  const { level, slot } = yield* node.status(signature)
  if (level === "finalized") return (yield* readFinalFate(node, signature)) ?? { _tag: "landed" }
  if (level !== null) return { _tag: "landed" }
  const open: Fate = { _tag: "open", expired: final.height > last_valid_block_height }
  if (final.height <= last_valid_block_height + margin || slot < final.slot) return open
  // A node that has deleted its old blocks finds nothing in them.
  if ((yield* node.first) > from_slot) return open
  return (yield* readFinalFate(node, signature)) ?? { _tag: "absent" }
})

/**
 * Asks every node for the fate of a signed transaction. A node that shows the transaction wins over nodes that do not: they may
 * lag. It is absent only when every node has answered, or did not answer in time. Errors: `ProviderFault` when no node answers.
 */
export const readFate = (nodes: Nodes, attempt: SolanaAttempt): Effect.Effect<Fate, ProviderFault> =>
  Effect.map(
    nodes.each(
      (node) => readFateAt(node, attempt),
      (fates) => fates.some(({ _tag }) => _tag !== "absent")
    ),
    (fates) => fates.reduce((best, fate) => (rank[fate._tag] > rank[best._tag] ? fate : best))
  )
