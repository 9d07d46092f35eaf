/** Where a payment goes: the token account behind the address that somebody gave. */
import { SYSTEM_PROGRAM_ADDRESS } from "./programs.ts"
import { AccountState, getTokenDecoder, getTokenSize, TOKEN_PROGRAM_ADDRESS } from "@solana-program/token"
import * as kit from "@solana/kit"
import { Effect } from "effect"
import type { Context, Token } from "./config.ts"
import type { RpcNode } from "./nodes.ts"
import { associatedAccount } from "./transaction.ts"

/** `opens_for`: the owner for whom `account` must be opened. Null: it exists. */
export type Route =
  | { readonly _tag: "open"; readonly account: string; readonly opens_for: string | null }
  | { readonly _tag: "closed"; readonly reason: string }

const closed = (reason: string): Route => ({ _tag: "closed", reason })

const bytesOf = ([text]: readonly [string, string]): kit.ReadonlyUint8Array => kit.getBase64Encoder().encode(text)

export const isAddress = (text: string): boolean => kit.isAddress(text)

/**
 * The token account behind an address: the address itself when it is a token account, otherwise the associated account of
 * its owner. An address that no key holds is paid only if its owner has opened an account: otherwise the money would be
 * lost.
 */
export const routeTo = Effect.fnUntraced(function* (
  { tokens, hot }: Context,
  node: RpcNode,
  token: Token,
  address: string
) {
  if (!kit.isAddress(address)) return closed(`${address} is not a Solana address`)
  if (address === hot.address || tokens.some(({ account }) => account === address))
    return closed(`${address} is the platform's own wallet`)
  const account = yield* Effect.promise(() => associatedAccount(address, token.mint))
  const { value } = yield* node.call((rpc) =>
    rpc.getMultipleAccounts([kit.address(address), kit.address(account)], {
      commitment: "confirmed",
      encoding: "base64"
    })
  )
  const [holder, existing] = value
  if (holder?.owner === TOKEN_PROGRAM_ADDRESS) {
    const bytes = bytesOf(holder.data)
    if (bytes.length !== getTokenSize()) return closed(`${address} is not an account that holds tokens`)
    const { mint, state } = getTokenDecoder().decode(bytes)
    if (mint !== token.mint) return closed(`${address} is an account of another token than ${token.currency}`)
    if (state !== AccountState.Initialized) return closed(`${address} is frozen`)
    return { _tag: "open", account: address, opens_for: null } satisfies Route
  }
  if (existing !== null && existing !== undefined) {
    if (existing.owner !== TOKEN_PROGRAM_ADDRESS) return closed(`${account} is not an account of ${token.currency}`)
    const { state, owner } = getTokenDecoder().decode(bytesOf(existing.data))
    if (owner !== address) return closed(`the token account of ${address} has another owner`)
    return state === AccountState.Initialized
      ? ({ _tag: "open", account, opens_for: null } satisfies Route)
      : closed(`the token account of ${address} is frozen`)
  }
  const held =
    holder === null || holder === undefined ? !kit.isOffCurveAddress(address) : holder.owner === SYSTEM_PROGRAM_ADDRESS
  return held
    ? ({ _tag: "open", account, opens_for: address } satisfies Route)
    : closed(`no key holds ${address}, and it has no account of ${token.currency}`)
})
