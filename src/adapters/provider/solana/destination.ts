/** Where a payment goes: the token account behind the address that somebody gave. */
import * as kit from "@solana/kit"
import { Effect } from "effect"
import type { SolanaContext, TokenMint } from "./config.ts"
import type { RpcNode } from "./rpc.ts"
import { findAssociatedAccount } from "./transaction.ts"

/** `opens_for`: the owner for whom `account` must be opened. Null: it exists. */
export type Route =
  | { readonly _tag: "open"; readonly account: string; readonly opens_for: string | null }
  | { readonly _tag: "closed"; readonly reason: string }

/** The owner of accounts that hold SOL alone: wallets. */
const systemProgram = "11111111111111111111111111111111"

const toOpenRoute = (account: string, opens_for: string | null): Route => ({ _tag: "open", account, opens_for })
const closeRoute = (reason: string): Route => ({ _tag: "closed", reason })

/**
 * The token account behind an address: the address itself when it is a token account, otherwise the associated account of
 * its owner. An address that no key holds is paid only if its owner has opened an account: otherwise the money would be
 * lost.
 */
export const routeTo = Effect.fnUntraced(function* (
  { tokens, hot }: SolanaContext,
  node: RpcNode,
  token: TokenMint,
  address: string
) {
  if (!kit.isAddress(address)) return closeRoute(`${address} is not a Solana address`)
  if (address === hot.address || tokens.some(({ account }) => account === address))
    return closeRoute(`${address} is the platform's own wallet`)
  const account = yield* Effect.promise(() => findAssociatedAccount(address, token.mint))
  const { accounts } = yield* node.accounts([address, account], "confirmed")
  const [holder = null, existing = null] = accounts
  if (holder?.token !== undefined) {
    if (holder.token.mint !== token.mint)
      return closeRoute(`${address} is an account of another token than ${token.currency}`)
    return holder.token.isUsable ? toOpenRoute(address, null) : closeRoute(`${address} is frozen`)
  }
  if (existing?.token !== undefined) {
    if (existing.token.owner !== address) return closeRoute(`the token account of ${address} has another owner`)
    return existing.token.isUsable
      ? toOpenRoute(account, null)
      : closeRoute(`the token account of ${address} is frozen`)
  }
  const isHeld = holder === null ? !kit.isOffCurveAddress(address) : holder.owner === systemProgram && holder.isEmpty
  return isHeld
    ? toOpenRoute(account, address)
    : closeRoute(`no key holds ${address}, and it has no account of ${token.currency}`)
})
