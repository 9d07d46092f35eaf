/** What came into a token account, read from the chain. */
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { SolanaTransaction, RpcNode, TokenChange } from "./rpc.ts"

/** A successful transaction that raised the balance of a token account. `isFinal`: its block is finalized. */
export interface Credit {
  readonly signature: string
  readonly slot: number
  readonly isFinal: boolean
  readonly amount: bigint
  /** Who paid it. Null: that is not certain, or nobody did, as when tokens were minted. */
  readonly from_address: string | null
  /** Epoch milliseconds. Null: the node does not know it. */
  readonly at: number | null
  readonly transaction: SolanaTransaction
}

const pageSize = 1000

/** Reads the signatures of an address above a slot, newest first. Law: complete for finalized slots up to `final`. */
export const readSignaturesAbove = Effect.fnUntraced(function* (
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

const sumMoves = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((total, amount) => total + amount, 0n)

/**
 * Finds who paid the amount that an account received: a refund goes there, so it is null wherever that is not certain.
 *
 * It is one owner, all of whose transfers the node shows, and they sum to the amount. This owner signed the transaction, or holds
 * less by the same amount: an account that tokens only pass through, such as a router's, must not be refunded. Where the node
 * shows fewer transfers, or none, it is the owner from which all recipients of the token received it.
 */
export const findPayer = (
  { moves, signers, tokens }: Pick<SolanaTransaction, "moves" | "signers" | "tokens">,
  account: string,
  { delta, mint }: Pick<TokenChange, "delta" | "mint">
): string | null => {
  const into = moves.filter(({ amount, destination }) => destination === account && amount > 0n)
  const changes = new Map<string | null, bigint>()
  for (const one of tokens.values())
    if (one.mint === mint) changes.set(one.owner, (changes.get(one.owner) ?? 0n) + one.delta)
  const givers = [...changes].filter(([, change]) => change < 0n).map(([owner]) => owner)
  const sources = new Set(into.map(({ source }) => tokens.get(source)?.owner ?? null))
  const [payer = null, ...others] = sources.size === 0 ? givers : sources
  if (payer === null || others.length > 0) return null
  if (sumMoves(into.map(({ amount }) => amount)) === delta)
    return signers.has(payer) || -(changes.get(payer) ?? 0n) >= delta ? payer : null
  return givers.length === 1 && givers[0] === payer && sumMoves(changes.values()) <= 0n ? payer : null
}

const toCredit = (
  transaction: SolanaTransaction,
  signature: string,
  account: string,
  isFinal: boolean
): Credit | undefined => {
  const { at, error, slot, tokens } = transaction
  const change = tokens.get(account)
  if (change === undefined || change.delta <= 0n || error !== null) return undefined
  const from_address = findPayer(transaction, account, change)
  return { signature, slot, isFinal, amount: change.delta, from_address, at, transaction }
}

/** Reads the credit of one transaction. Undefined: the node shows none. `isFinal`: its block is finalized, so that it stays without one. */
export const readCredit = Effect.fnUntraced(function* (node: RpcNode, account: string, signature: string) {
  const final = yield* node.transaction(signature, "finalized")
  if (final !== null) return { credit: toCredit(final, signature, account, true), isFinal: true }
  const confirmed = yield* node.transaction(signature, "confirmed")
  return { credit: confirmed === null ? undefined : toCredit(confirmed, signature, account, false), isFinal: false }
})

/** Transactions of one account that are read at the same time. */
const concurrency = 8

/**
 * Reads the credits of an account above slot `above`, oldest first, except those that `isKnown`. After `deadline` (epoch milliseconds) it
 * stops at the end of a slot: `unread_from` is then the last slot that it read, otherwise null.
 *
 * Law: complete for finalized slots up to `final`, or up to `unread_from`. Errors: `ProviderFault` when the node cannot show all of them.
 */
export const readCreditsAbove = Effect.fnUntraced(function* (
  node: RpcNode,
  account: string,
  { above, final, deadline }: { readonly above: number; readonly final: number; readonly deadline: number },
  isKnown: (signatures: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>, ProviderFault>
): Effect.fn.Return<{ readonly credits: ReadonlyArray<Credit>; readonly unread_from: number | null }, ProviderFault> {
  const listed = (yield* readSignaturesAbove(node, account, above, final)).filter(({ isFailed }) => !isFailed).reverse()
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
        return found === null ? undefined : toCredit(found, signature, account, slot <= final)
      }),
      { concurrency }
    )
    credits.push(...read.filter((credit) => credit !== undefined))
    at += part.length
    if (at < unread.length && (yield* Clock.currentTimeMillis) > deadline) return { credits, unread_from: last }
  }
  return { credits, unread_from: null }
})
