/** What came into a token account, read from the chain. */
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { SolanaTransaction, RpcNode } from "./rpc.ts"

/** A successful transaction that raised the balance of a token account. `isFinal`: its block is finalized. */
export interface Credit {
  readonly signature: string
  readonly slot: number
  readonly isFinal: boolean
  readonly amount: bigint
  /** The owner of the account that gave most of the token. Null: there is none, as when tokens were minted. */
  readonly from_address: string | null
  /** Epoch milliseconds. Null: the node does not know it. */
  readonly at: number | null
  readonly transaction: SolanaTransaction
}

const pageSize = 1000

/** The signatures of an address above a slot, newest first. Law: complete for finalized slots up to `final`. */
export const signaturesAbove = Effect.fnUntraced(function* (
  node: RpcNode,
  address: string,
  above: number,
  final: number
) {
  const found: Array<{ readonly signature: string; readonly slot: number; readonly isFailed: boolean }> = []
  let before: string | undefined
  while (true) {
    const page = yield* node.signatures(address, {
      commitment: "confirmed",
      from: final,
      ...(before === undefined ? {} : { before })
    })
    const newer = page.filter(({ slot }) => slot > above)
    found.push(...newer)
    if (newer.length < pageSize) return found
    before = newer.at(-1)!.signature
  }
})

const creditIn = (
  transaction: SolanaTransaction,
  signature: string,
  account: string,
  isFinal: boolean
): Credit | undefined => {
  const { at, error, slot, tokens } = transaction
  const change = tokens.get(account)
  if (change === undefined || change.delta <= 0n || error !== null) return undefined
  const givers = [...tokens.values()].filter(({ mint, delta }) => mint === change.mint && delta < 0n)
  const [giver] = givers.sort((a, b) => (a.delta < b.delta ? -1 : 1))
  return { signature, slot, isFinal, amount: change.delta, from_address: giver?.owner ?? null, at, transaction }
}

/** The credit of one transaction, final or not. Undefined: the node shows none now. */
export const creditOf = Effect.fnUntraced(function* (node: RpcNode, account: string, signature: string) {
  const final = yield* node.transaction(signature, "finalized")
  if (final !== null) return creditIn(final, signature, account, true)
  const confirmed = yield* node.transaction(signature, "confirmed")
  return confirmed === null ? undefined : creditIn(confirmed, signature, account, false)
})

/** Transactions of one account that are read at the same time. */
const concurrency = 8

/**
 * The credits of an account above slot `above`, oldest first, except those that `isKnown`. After `deadline` (epoch
 * milliseconds) only those of the first slots are read: `unread_from` is the last slot that is read then, otherwise null.
 *
 * Law: complete for finalized slots up to `final`, or up to `unread_from`. Errors: `ProviderFault` when the node cannot
 * show all of them.
 */
export const creditsAbove = Effect.fnUntraced(function* (
  node: RpcNode,
  account: string,
  { above, final, deadline }: { readonly above: number; readonly final: number; readonly deadline: number },
  isKnown: (signatures: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, ProviderFault>
): Effect.fn.Return<{ readonly credits: ReadonlyArray<Credit>; readonly unread_from: number | null }, ProviderFault> {
  const listed = (yield* signaturesAbove(node, account, above, final)).filter(({ isFailed }) => !isFailed).reverse()
  const known = yield* isKnown(listed.map(({ signature }) => signature))
  const unread = listed.filter(({ signature }) => !known.has(signature))
  const credits: Array<Credit> = []
  for (let at = 0; at < unread.length; ) {
    const last = unread[Math.min(at + concurrency, unread.length) - 1]!.slot
    // A slot is read completely, so that the next reading can begin after it.
    const end = unread.findIndex(({ slot }) => slot > last)
    const part = unread.slice(at, end < 0 ? unread.length : end)
    const read = yield* Effect.forEach(
      part,
      Effect.fnUntraced(function* ({ signature, slot }) {
        const found = yield* node.transaction(signature, slot <= final ? "finalized" : "confirmed")
        if (found === null && slot <= final)
          return yield* new ProviderFault({
            message: `the Solana node lists ${signature} as final and does not show it`
          })
        return found === null ? undefined : creditIn(found, signature, account, slot <= final)
      }),
      { concurrency }
    )
    credits.push(...read.filter((credit) => credit !== undefined))
    at += part.length
    if (at < unread.length && (yield* Clock.currentTimeMillis) > deadline) return { credits, unread_from: last }
  }
  return { credits, unread_from: null }
})
