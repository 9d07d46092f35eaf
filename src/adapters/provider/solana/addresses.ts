/** Issued addresses: each is the address of a key that the signer derives, and owns one account of each token. */
import { readData } from "../chain/books.ts"
import * as kit from "@solana/kit"
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { IssueCommand, IssueResult } from "../../../engine/ports/Provider.ts"
import type { SignerFault, Signer } from "../../../engine/ports/Signer.ts"
import { type SolanaContext, type TokenMint, findToken } from "./config.ts"
import { toIndexKeys, type IssuedAddress, solanaKey } from "./entries.ts"
import type { Row, RowKey } from "../../../engine/ports/Storage.ts"
import { listAllEntries } from "./open-entries.ts"
import { findAssociatedAccount } from "./transaction.ts"

/** A token account that belongs to an issued address. */
export interface Watched {
  readonly address: IssuedAddress
  readonly token: TokenMint
  readonly account: string
}

/** Reads the address of a key from the signer. Errors: `SignerFault`; `TypeError` for a key of another curve. */
export const readKeyAddress = (
  signer: Signer["Service"],
  key_ref: string
): Effect.Effect<string, SignerFault | TypeError> =>
  Effect.flatMap(signer.publicKey(key_ref), ({ curve, bytes }) =>
    curve === "ed25519"
      ? Effect.succeed(kit.getAddressDecoder().decode(bytes))
      : Effect.fail(new TypeError(`the key ${key_ref} is of ${curve}; Solana takes keys of ed25519`))
  )

/** Derives the signer's reference of the key of a deposit address. */
export const deriveKeyPath = (deposit_key: string, id: string): string => `${deposit_key}/${id}`

/** Issues a deposit address, which has a key of its own, and records it. */
export const issueDepositAddress = Effect.fnUntraced(function* (
  context: SolanaContext,
  { id, merchant_id, type, currency, network }: IssueCommand
): Effect.fn.Return<IssueResult, ProviderFault> {
  if (type !== "crypto" || network !== context.network)
    return {
      _tag: "rejected",
      reason: `${context.name} issues addresses on ${context.network} only, not on ${network}`
    }
  if (findToken(context, currency) === undefined)
    return { _tag: "rejected", reason: `${context.name} has no token ${currency}` }
  const key_ref = deriveKeyPath(context.deposit_key, id)
  const address = yield* readKeyAddress(context.signer, key_ref).pipe(
    Effect.mapError((cause) => new ProviderFault({ message: "the signer gave no key for the address", cause }))
  )
  const key = solanaKey(context.name, "solana_address", id)
  const fresh: IssuedAddress = { id, address, key_ref, merchant_id, swept: {}, unswept: {} }
  const issued = yield* context.books.amend([key], ([row]) => {
    const before = readData<IssuedAddress>(row)
    if (before !== undefined) return { entries: [], result: before }
    return { entries: [{ key, data: fresh, index_keys: toIndexKeys(context.name, false) }], result: fresh }
  })
  return {
    _tag: "issued",
    issued: {
      provider_resource_id: issued.address,
      target: issued.address,
      details: { network, address: issued.address }
    }
  }
})

/** Lists the token accounts of all issued addresses, for every token: a payer may send any of them to an address. */
export const listWatchedAccounts = Effect.fnUntraced(function* (context: SolanaContext) {
  const addresses = yield* listAllEntries<IssuedAddress>(context, "solana_address")
  return yield* Effect.forEach(
    addresses.flatMap((address) => context.tokens.map((token) => ({ address, token }))),
    ({ address, token }) =>
      Effect.map(
        deriveTokenAccount(context, address.address, token.mint),
        (account): Watched => ({ address, token, account })
      )
  )
})

/** Derives the token account of an owner, and keeps the result: the derivation takes hashes until one is off the curve. */
const deriveTokenAccount = ({ accounts }: SolanaContext, owner: string, mint: string): Effect.Effect<string> => {
  const id = `${owner}/${mint}`
  const kept = accounts.get(id)
  if (kept !== undefined) return Effect.succeed(kept)
  return Effect.map(
    Effect.promise(() => findAssociatedAccount(owner, mint)),
    (account) => {
      accounts.set(id, account)
      return account
    }
  )
}

const addressKey = ({ name }: SolanaContext, { id }: IssuedAddress): RowKey => solanaKey(name, "solana_address", id)

/** Whether an address is the hot wallet or an issued one, or a token account of one of them. */
export const isOwnAddress = Effect.fnUntraced(function* (context: SolanaContext, asked: string) {
  if (asked === context.hot.address || context.tokens.some(({ account }) => account === asked)) return true
  const watched = yield* listWatchedAccounts(context)
  return watched.some(({ account, address }) => account === asked || address.address === asked)
})

/** Changes the entry of an address by `change`, and returns the address. Writes nothing if `change` returns its argument. */
export const changeAddress = (
  context: SolanaContext,
  address: IssuedAddress,
  change: (address: IssuedAddress) => IssuedAddress
) => {
  const key = addressKey(context, address)
  return context.books.amend([key], ([row]) => {
    const before = readData<IssuedAddress>(row)!
    const after = change(before)
    const entries = after === before ? [] : [{ key, data: after, index_keys: toIndexKeys(context.name, false) }]
    return { entries, result: after }
  })
}

/** Makes the key of an address' entry, and the write that changes an account's unswept amount, for a decision that also writes others. */
export const toUnsweptEntry = (context: SolanaContext, { address, account }: Watched) => {
  const key = addressKey(context, address)
  return {
    key,
    changed: (row: Row | undefined, by: bigint) => ({
      key,
      data: addUnswept(readData<IssuedAddress>(row)!, account, by),
      index_keys: toIndexKeys(context.name, false)
    })
  }
}

export const addUnswept = (address: IssuedAddress, account: string, by: bigint): IssuedAddress => ({
  ...address,
  unswept: { ...address.unswept, [account]: (BigInt(address.unswept[account] ?? "0") + by).toString() }
})

type Slots = IssuedAddress["again"]

/** Sets the slot of an account in a map of slots. Null removes it. */
const putSlot = (slots: Slots, account: string, slot: number | null): NonNullable<Slots> => {
  const { [account]: _, ...others } = slots ?? {}
  return slot === null ? others : { ...others, [account]: slot }
}

/** Records the slot above which an account has not been read completely. */
export const markBehind = (
  context: SolanaContext,
  { address, account }: Watched,
  aboveOf: (known: number | undefined) => number
) =>
  changeAddress(context, address, (before) => {
    const known = before.behind?.[account]
    const above = aboveOf(known)
    return above === known ? before : { ...before, behind: putSlot(before.behind, account, above) }
  })

/** Requests that an account is read again above a slot. It replaces an earlier request. */
export const requestReread = (context: SolanaContext, { address, account }: Watched, above: number) =>
  changeAddress(context, address, (before) => ({ ...before, again: putSlot(before.again, account, above) }))

/**
 * Records how far an account was read: up to `unread_from`; null: completely. `above`: from where every reading begins. An
 * operator's request that came meanwhile is kept.
 */
export const markRead = (
  context: SolanaContext,
  { address, account }: Watched,
  unread_from: number | null,
  above: number
) =>
  changeAddress(context, address, (before) => {
    const [behind, again] = [before.behind?.[account], before.again?.[account]]
    if (unread_from === null && behind === undefined && again === undefined) return before
    const left = unread_from === null || again === undefined ? null : Math.max(again, unread_from)
    return {
      ...before,
      behind: putSlot(before.behind, account, unread_from === null ? null : Math.max(behind ?? above, unread_from)),
      again: again === address.again?.[account] ? putSlot(before.again, account, left) : (before.again ?? {})
    }
  })
