/** What came into a token account, read from the chain. */
import * as kit from "@solana/kit"
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { RpcNode } from "./nodes.ts"

/** A successful transaction that raised the balance of a token account. `isFinal`: its block is finalized. */
export interface Credit {
  readonly signature: string
  readonly slot: number
  readonly isFinal: boolean
  readonly amount: bigint
  /** The owner of the account that gave most of the token. Null: there is none, as when tokens were minted. */
  readonly from_address: string | null
  /** Epoch milliseconds. Null: the node does not know it. */
  readonly block_time: number | null
}

const pageSize = 1000

/** The signatures of an address above a slot, newest first. Law: complete for finalized slots up to `final`. */
export const signaturesAbove = Effect.fnUntraced(function* (
  node: RpcNode,
  address: string,
  above: number,
  final: number
) {
  const found: Array<{ readonly signature: kit.Signature; readonly slot: number; readonly failed: boolean }> = []
  let before: kit.Signature | undefined
  while (true) {
    const page = yield* node.call((rpc) =>
      rpc.getSignaturesForAddress(kit.address(address), {
        commitment: "confirmed",
        limit: pageSize,
        minContextSlot: BigInt(final),
        ...(before === undefined ? {} : { before })
      })
    )
    const newer = page.filter(({ slot }) => Number(slot) > above)
    found.push(...newer.map(({ signature, slot, err }) => ({ signature, slot: Number(slot), failed: err !== null })))
    if (newer.length < pageSize) return found
    before = newer.at(-1)!.signature
  }
})

export const transactionAt = (node: RpcNode, signature: string, commitment: "confirmed" | "finalized") =>
  node.call((rpc) =>
    rpc.getTransaction(kit.signature(signature), {
      commitment,
      encoding: "jsonParsed",
      maxSupportedTransactionVersion: 0
    })
  )

type Found = NonNullable<Effect.Success<ReturnType<typeof transactionAt>>>

/** By how much a transaction changed each token account, and who owns it. */
export const changesOf = ({ meta, transaction }: Found) => {
  const changes = new Map<string, { readonly mint: string; readonly owner: string | null; readonly delta: bigint }>()
  const add = (
    balances: ReadonlyArray<{
      readonly accountIndex: number
      readonly mint: string
      readonly owner?: string
      readonly uiTokenAmount: { readonly amount: string }
    }>,
    sign: bigint
  ): void => {
    for (const { accountIndex, mint, owner, uiTokenAmount } of balances) {
      const account = transaction.message.accountKeys[accountIndex]!.pubkey
      const delta = (changes.get(account)?.delta ?? 0n) + sign * BigInt(uiTokenAmount.amount)
      changes.set(account, { mint, owner: owner ?? changes.get(account)?.owner ?? null, delta })
    }
  }
  add(meta?.preTokenBalances ?? [], -1n)
  add(meta?.postTokenBalances ?? [], 1n)
  return changes
}

const creditIn = (found: Found, signature: string, account: string, isFinal: boolean): Credit | undefined => {
  const changes = changesOf(found)
  const change = changes.get(account)
  if (change === undefined || change.delta <= 0n || found.meta === null || found.meta.err !== null) return undefined
  const givers = [...changes.values()].filter(({ mint, delta }) => mint === change.mint && delta < 0n)
  const [giver] = givers.sort((a, b) => (a.delta < b.delta ? -1 : 1))
  return {
    signature,
    slot: Number(found.slot),
    isFinal,
    amount: change.delta,
    from_address: giver?.owner ?? null,
    block_time: found.blockTime === null ? null : Number(found.blockTime) * 1000
  }
}

/** The credit of one transaction, final or not. Undefined: the node shows none now. */
export const creditOf = Effect.fnUntraced(function* (node: RpcNode, account: string, signature: string) {
  const final = yield* transactionAt(node, signature, "finalized")
  if (final !== null) return creditIn(final, signature, account, true)
  const confirmed = yield* transactionAt(node, signature, "confirmed")
  return confirmed === null ? undefined : creditIn(confirmed, signature, account, false)
})

/**
 * The credits of an account above slot `above`, oldest first.
 *
 * Law: complete for finalized slots up to `final`. Errors: `ProviderFault` when the node cannot show all of them.
 */
export const creditsAbove = Effect.fnUntraced(function* (
  node: RpcNode,
  account: string,
  above: number,
  final: number
): Effect.fn.Return<ReadonlyArray<Credit>, ProviderFault> {
  const credits: Array<Credit> = []
  for (const { signature, slot, failed } of (yield* signaturesAbove(node, account, above, final)).reverse()) {
    if (failed) continue
    const found = yield* transactionAt(node, signature, slot <= final ? "finalized" : "confirmed")
    if (found === null && slot <= final)
      return yield* new ProviderFault({ message: `the Solana node lists ${signature} as final and does not show it` })
    const credit = found === null ? undefined : creditIn(found, signature, account, slot <= final)
    if (credit !== undefined) credits.push(credit)
  }
  return credits
})
