/** Issued addresses: each is the address of a key that the signer derives, and owns one account of each token. */
import * as kit from "@solana/kit"
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { IssueCommand, IssueResult } from "../../../engine/ports/Provider.ts"
import type { SignerFault, Signer } from "../../../engine/ports/Signer.ts"
import { type Context, tokenOf } from "./config.ts"
import { dataOf, entryKey, indexKeys, type IssuedAddress } from "./entries.ts"
import { allEntries, unreachable } from "./open-entries.ts"
import type { Watched } from "./payins.ts"
import { associatedAccount } from "./transaction.ts"

/** The address of a key. Errors: `SignerFault`, also for a key of another curve. */
export const addressOf = (signer: Signer["Service"], key_ref: string): Effect.Effect<string, SignerFault | TypeError> =>
  Effect.flatMap(signer.publicKey(key_ref), ({ curve, bytes }) =>
    curve === "ed25519"
      ? Effect.succeed(kit.getAddressDecoder().decode(bytes))
      : Effect.fail(new TypeError(`the key ${key_ref} is of ${curve}; Solana takes keys of ed25519`))
  )

/** The reference of the key that is derived for an address. */
export const derivedKey = (deposit_key: string, id: string): string => `${deposit_key}/${id}`

export const issue = Effect.fnUntraced(function* (
  context: Context,
  { id, merchant_id, type, currency, network }: IssueCommand
): Effect.fn.Return<IssueResult, ProviderFault> {
  if (type !== "crypto" || network !== context.network)
    return {
      _tag: "rejected",
      reason: `${context.name} issues addresses on ${context.network} only, not on ${network}`
    }
  if (tokenOf(context, currency) === undefined)
    return { _tag: "rejected", reason: `${context.name} has no token ${currency}` }
  const key_ref = derivedKey(context.deposit_key, id)
  const address = yield* addressOf(context.signer, key_ref).pipe(
    Effect.mapError((cause) => new ProviderFault({ message: "the signer gave no key for the address", cause }))
  )
  const key = entryKey(context.name, "solana_address", merchant_id, id)
  const fresh: IssuedAddress = { id, address, key_ref, merchant_id, swept: {} }
  const issued = yield* context.books
    .amend([key], ([row]) => {
      const before = dataOf<IssuedAddress>(row)
      if (before !== undefined) return { entries: [], result: before }
      return { entries: [{ key, data: fresh, index_keys: indexKeys(context.name, false) }], result: fresh }
    })
    .pipe(Effect.mapError(unreachable))
  return {
    _tag: "issued",
    issued: {
      provider_resource_id: issued.address,
      target: issued.address,
      details: { network, address: issued.address }
    }
  }
})

/** The token accounts of all issued addresses, whatever token each was issued for: any of them can be paid to it. */
export const watchedAccounts = Effect.fnUntraced(function* (context: Context) {
  const addresses = yield* allEntries<IssuedAddress>(context, "solana_address")
  return yield* Effect.forEach(
    addresses.flatMap((address) => context.tokens.map((token) => ({ address, token }))),
    ({ address, token }) =>
      Effect.map(accountOf(context, address.address, token.mint), (account): Watched => ({ address, token, account }))
  )
})

/** Deriving an account takes hashes until one is off the curve, so the result is kept. */
const accountOf = ({ accounts }: Context, owner: string, mint: string): Effect.Effect<string> => {
  const id = `${owner}/${mint}`
  const kept = accounts.get(id)
  if (kept !== undefined) return Effect.succeed(kept)
  return Effect.map(
    Effect.promise(() => associatedAccount(owner, mint)),
    (account) => {
      accounts.set(id, account)
      return account
    }
  )
}

/** Changes an address' entry, unless `change` leaves it as it is. */
export const changeAddress = (
  context: Context,
  { id, merchant_id }: IssuedAddress,
  change: (address: IssuedAddress) => IssuedAddress
) => {
  const key = entryKey(context.name, "solana_address", merchant_id, id)
  return context.books
    .amend([key], ([row]) => {
      const before = dataOf<IssuedAddress>(row)!
      const after = change(before)
      const entries = after === before ? [] : [{ key, data: after, index_keys: indexKeys(context.name, false) }]
      return { entries, result: undefined }
    })
    .pipe(Effect.mapError(unreachable))
}

/** Remembers the slot above which an account must be read; null: it was read completely. */
export const markBehind = (
  context: Context,
  { address, account }: Watched,
  aboveOf: (known: number | undefined) => number | null
) =>
  changeAddress(context, address, (before) => {
    const { [account]: known, ...others } = before.behind ?? {}
    const above = aboveOf(known)
    if (above === (known ?? null)) return before
    return { ...before, behind: above === null ? others : { ...others, [account]: above } }
  })
