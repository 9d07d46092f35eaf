/** Where a payment goes: the token account behind the address that somebody gave. */
import * as kit from "@solana/kit"
import { Effect } from "effect"
import { type Recipients, findRecipientFault } from "../chain/recipients.ts"
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

/** Makes the rules for recipients on Solana. Addresses have the form of Solana, whatever the network is called. */
export const makeRecipients = ({ hot, tokens }: Pick<SolanaContext, "hot" | "tokens">): Recipients => ({
  network: "solana",
  own: [hot.address, ...tokens.map(({ account }) => account)],
  tokens: tokens.map(({ mint }) => mint)
})

/**
 * Finds the token account to pay for an address: the address itself if it is a token account, otherwise its associated account.
 * An address that no key holds is paid only if its owner has opened an account: otherwise the money would be lost.
 */
export const findRoute = Effect.fnUntraced(function* (
  context: SolanaContext,
  node: RpcNode,
  token: TokenMint,
  address: string
) {
  const fault = findRecipientFault(makeRecipients(context), address)
  if (fault !== null) return closeRoute(fault)
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
  const isHeld =
    holder === null ? !kit.isOffCurveAddress(kit.address(address)) : holder.owner === systemProgram && holder.isEmpty
  return isHeld
    ? toOpenRoute(account, address)
    : closeRoute(`no key holds ${address}, and it has no account of ${token.currency}`)
})
