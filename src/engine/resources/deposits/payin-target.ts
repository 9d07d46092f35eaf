/**
 * The targets of pay-ins. A target consists of a network, a currency, and an address, account or reference. One address can
 * be issued on several networks and for several currencies (DEPOSIT-8).
 */
import { Effect } from "effect"
import type { OnrampData } from "../../../machines/movements/onramp.ts"
import type { DepositAddressData } from "../../../machines/wallets/deposit-address.ts"
import type { WalletCredentialData } from "../../../machines/wallets/wallet-credential.ts"
import { type ChangeSet, type KeyScope, addLookupKey } from "../../commit/changeset.ts"
import type { IssueCommand, IssuedTarget } from "../../ports/Provider.ts"
import { type LookupKey, PLATFORM_MERCHANT, type Row, type RowKey, type Storage } from "../../ports/Storage.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { currencies, requireCurrency, isCurrencyCode } from "../../reference/currencies.ts"

/** `target` is an address, an account, or an onramp's deposit reference. `network` is null when it was not reported. */
export interface PayinTarget<Network = string | null> {
  readonly network: Network
  readonly currency: string
  readonly target: string
}

/** The data of what is issued for pay-ins: a deposit address, or a wallet credential with an account. */
export type Issued = DepositAddressData | WalletCredentialData

const evmAddress = /^0x[0-9a-f]{40}$/i

/** Converts a target to the form that is compared: EVM addresses are not case-sensitive. */
export const toCanonicalTarget = (target: string): string => {
  const name = target.trim()
  return evmAddress.test(name) ? name.toLowerCase() : name
}

/** Whether two targets can be the same. A network that was not reported matches any. */
export const isSameTarget = (a: Omit<PayinTarget, "currency">, b: Omit<PayinTarget, "currency">): boolean =>
  toCanonicalTarget(a.target) === toCanonicalTarget(b.target) &&
  (a.network === null || b.network === null || a.network === b.network)

const formatTarget = ({ network, currency, target }: PayinTarget<string>): string =>
  `${network}/${currency}/${toCanonicalTarget(target)}`

/** The lookup key of a target. A bank's account number is unique at that bank alone, an address of a chain for all providers. */
const toLookupKey = (name: PayinTarget<string>, provider: string): string =>
  name.network === "bank" ? `${provider}/${formatTarget(name)}` : formatTarget(name)

export const targetScope: KeyScope = { name: "payin", taken: "decide_again" }

/** Finds the owner of a target of a provider. Undefined: none. */
export const findTargetOwner = (storage: Storage["Service"], name: PayinTarget<string>, provider: string) =>
  storage.lookup(targetScope.name, toLookupKey(name, provider))

/** Makes a resource the owner of a target of its provider, permanently. The write is refused if the target has one. */
export const registerTarget = (
  name: PayinTarget<string>,
  provider: string,
  { kind, id }: Pick<RowKey, "kind" | "id">
): ChangeSet => addLookupKey(targetScope, { key: toLookupKey(name, provider), kind, id })

/** The target of an address or account; undefined until it is issued. */
export const targetOf = ({ data }: Row<Issued>): PayinTarget<string> | undefined => {
  const target = "address" in data ? data.address : data.target
  return target === null ? undefined : { network: data.network, currency: data.currency, target }
}

/** The target of an onramp: the deposit reference that the payer includes in the payment. */
export const toOnrampTarget = ({
  source_currency: currency,
  deposit_instruction
}: Pick<OnrampData, "source_currency" | "deposit_instruction">): PayinTarget<string> => ({
  network: "bank",
  currency,
  target: deposit_instruction.depositReference
})

/**
 * The result of a search for a pay-in's target.
 *
 * `found`: exactly one target matches. `wrong`: the target exists in another currency or network. `ambiguous`: the pay-in
 * has no network, and the target exists on several. `unknown`: no target matches. `owner` is null unless exactly one row
 * owns the target.
 */
export interface TargetMatch {
  readonly _tag: "found" | "wrong" | "ambiguous" | "unknown"
  readonly merchant_id: string
  readonly owner: RowKey | null
}

const unknown: TargetMatch = { _tag: "unknown", merchant_id: PLATFORM_MERCHANT, owner: null }

const matchShared = (tag: "wrong" | "ambiguous", owners: ReadonlyArray<RowKey & LookupKey>): TargetMatch => {
  const [first, ...others] = owners
  if (first === undefined) return unknown
  const hasOneMerchant = others.every(({ merchant_id }) => merchant_id === first.merchant_id)
  return {
    _tag: tag,
    merchant_id: hasOneMerchant ? first.merchant_id : PLATFORM_MERCHANT,
    owner: others.length === 0 ? first : null
  }
}

/** All supported pairs of network and currency. */
const pairs = [...new Set(currencies.map(({ code }) => code))].flatMap((currency) =>
  requireCurrency(currency).networks.map((network) => ({ network, currency }))
)

const listOwners = (storage: Storage["Service"], names: ReadonlyArray<PayinTarget<string>>, provider: string) =>
  Effect.map(
    Effect.forEach(names, (name) => findTargetOwner(storage, name, provider)),
    (owners) => owners.filter((owner) => owner !== undefined)
  )

/** Finds the target of a provider's pay-in: first in its currency and network, then in all others. */
export const findTarget: (
  storage: Storage["Service"],
  target: PayinTarget,
  provider: string
) => Effect.Effect<TargetMatch, StorageFault> = Effect.fnUntraced(function* (storage, payinTarget, provider) {
  const { currency, network, target } = payinTarget
  const networks = network !== null ? [network] : isCurrencyCode(currency) ? requireCurrency(currency).networks : []
  const names = networks.map((candidate) => ({ network: candidate, currency, target }))
  const named = yield* listOwners(storage, names, provider)
  if (named.length > 1) return matchShared("ambiguous", named)
  const [owner] = named
  if (owner !== undefined) return { _tag: "found", merchant_id: owner.merchant_id, owner }
  const others = pairs.map((pair) => ({ ...pair, target }))
  const owners = yield* listOwners(storage, others, provider)
  // The target was issued between the two searches: the first one finds it now.
  const keys = new Set(names.flatMap((name) => [toLookupKey(name, provider), formatTarget(name)]))
  return owners.some(({ key }) => keys.has(key))
    ? yield* findTarget(storage, payinTarget, provider)
    : matchShared("wrong", owners)
})

// Whether the details of an issued account or address are those that were asked for.

/**
 * Says why a payer who follows the details would not pay to the issued target. Undefined: the payer would.
 *
 * An address has to be the target: pay-ins to another address would find no owner.
 */
export const detailsFault = (
  { details, target }: Pick<IssuedTarget, "details" | "target">,
  { network, type }: Pick<IssueCommand, "network" | "type">
): string | undefined => {
  if (type === "fiat")
    return "address" in details ? "details: found those of an address; those of a bank account are taken" : undefined
  if (!("address" in details)) return "details: found those of a bank account; those of an address are taken"
  if (details.network !== network)
    return `details.network: found ${JSON.stringify(details.network)}; ${JSON.stringify(network)} is taken`
  return isSameTarget({ network, target }, { network, target: details.address })
    ? undefined
    : `details.address: found ${JSON.stringify(details.address)}; the target, ${JSON.stringify(target)}, is taken`
}
