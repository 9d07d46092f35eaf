/**
 * Where pay-ins are made to. A place is (network, currency, target): one address may be issued on several networks and for
 * several currencies (DEPOSIT-8).
 */
import { Effect } from "effect"
import type { DepositAddressData } from "../../../machines/wallets/deposit-address.ts"
import type { OnrampData } from "../../../machines/movements/onramp.ts"
import type { WalletCredentialData } from "../../../machines/wallets/wallet-credential.ts"
import { lookupKey, type ChangeSet } from "../../commit/changeset.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { currencies, currencyOf, isCurrencyCode } from "../../reference/currencies.ts"
import { type LookupKey, HOUSE, type Row, type RowKey, type Storage } from "../../ports/Storage.ts"

/** `target` is an address, an account, or an onramp's deposit reference. A null network was not reported. */
export interface PlaceName<Network = string | null> {
  readonly network: Network
  readonly currency: string
  readonly target: string
}

/** What is issued for pay-ins: an address or an account. */
export type Issued = DepositAddressData | WalletCredentialData

const evmAddress = /^0x[0-9a-f]{40}$/i

/** A target as it is compared: EVM addresses without regard to case. */
const compared = (target: string): string => {
  const name = target.trim()
  return evmAddress.test(name) ? name.toLowerCase() : name
}

/** Whether two names may be of one place; a network that was not reported may be any. */
export const samePlace = (one: Omit<PlaceName, "currency">, other: Omit<PlaceName, "currency">): boolean =>
  compared(one.target) === compared(other.target) &&
  (one.network === null || other.network === null || one.network === other.network)

const keyOf = ({ network, currency, target }: PlaceName<string>): string => `${network}/${currency}/${compared(target)}`

/** Makes a resource the owner of a place. Each place has one owner, for ever. */
export const ownPlace = (name: PlaceName<string>, { kind, id }: Pick<RowKey, "kind" | "id">): ChangeSet =>
  lookupKey({ scope: "payin", key: keyOf(name), kind, id })

/** The owner of a place. */
export const ownerOfPlace = (storage: Storage["Service"], name: PlaceName<string>) =>
  storage.lookup("payin", keyOf(name))

/** The place of what was issued; undefined before it is. */
export const placeOf = ({ data }: Row<Issued>): PlaceName<string> | undefined => {
  const target = "address" in data ? data.address : data.target
  return target === null ? undefined : { network: data.network, currency: data.currency, target }
}

/** The place of an onramp: the reference that its payer states. */
export const onrampPlace = ({
  source_currency: currency,
  deposit_instruction
}: Pick<OnrampData, "source_currency" | "deposit_instruction">): PlaceName<string> => ({
  network: "bank",
  currency,
  target: deposit_instruction.depositReference
})

/**
 * What the place of a pay-in turns out to be.
 *
 * `found`: the one place that it names. `wrong`: its target is a place of another currency or network. `ambiguous`: it
 * names no network, and its target is a place on several. `owner` is the row it belongs to, null where there is no one row.
 */
export interface FoundPlace {
  readonly _tag: "found" | "wrong" | "ambiguous" | "unknown"
  readonly merchant_id: string
  readonly owner: RowKey | null
}

const unknown: FoundPlace = { _tag: "unknown", merchant_id: HOUSE, owner: null }

const sharedBy = (tag: "wrong" | "ambiguous", owners: ReadonlyArray<RowKey & LookupKey>): FoundPlace => {
  const [first, ...others] = owners
  if (first === undefined) return unknown
  const isOnes = others.every(({ merchant_id }) => merchant_id === first.merchant_id)
  return { _tag: tag, merchant_id: isOnes ? first.merchant_id : HOUSE, owner: others.length === 0 ? first : null }
}

/** All (network, currency) there are. */
const pairs = [...new Set(currencies.map(({ code }) => code))].flatMap((currency) =>
  currencyOf(currency).networks.map((network) => ({ network, currency }))
)

const ownersOf = (storage: Storage["Service"], names: ReadonlyArray<PlaceName<string>>) =>
  Effect.map(
    Effect.forEach(names, (name) => ownerOfPlace(storage, name)),
    (owners) => owners.filter((owner) => owner !== undefined)
  )

/** Finds the place of a pay-in. */
export const findPlace = Effect.fnUntraced(function* (
  storage: Storage["Service"],
  { network, currency, target }: PlaceName
): Effect.fn.Return<FoundPlace, StorageFault> {
  const networks = network !== null ? [network] : isCurrencyCode(currency) ? currencyOf(currency).networks : []
  const named = yield* ownersOf(
    storage,
    networks.map((one) => ({ network: one, currency, target }))
  )
  if (named.length > 1) return sharedBy("ambiguous", named)
  const [owner] = named
  if (owner !== undefined) return { _tag: "found", merchant_id: owner.merchant_id, owner }
  return sharedBy(
    "wrong",
    yield* ownersOf(
      storage,
      pairs.map((pair) => ({ ...pair, target }))
    )
  )
})
