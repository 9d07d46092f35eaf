/** Wallet credentials (CREDENTIAL-2, CREDENTIAL-4 to CREDENTIAL-6). `payin.ts` handles the money that arrives on them. */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Clock, Context, Effect, Layer, Schema, Struct } from "effect"
import type { CustomerData } from "../../../machines/parties/customer.ts"
import type { WalletData } from "../../../machines/wallets/wallet.ts"
import {
  converts,
  WalletCredential,
  type WalletCredentialData,
  type WalletCredentialEvent
} from "../../../machines/wallets/wallet-credential.ts"
import type { Call } from "../../commit/call.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import { begin, step } from "../../commit/steps.ts"
import { invalid, type InvalidInput, type StorageFault } from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { Routes } from "../../calls/Routes.ts"
import { type Currency, requireCurrency } from "../../reference/currencies.ts"
import { walletSummary } from "../../representations/wallets/wallet.ts"
import { walletCredentialBody, walletCredentialStatuses } from "../../representations/wallets/wallet-credential.ts"
import { CountryCode, CurrencyCode, describe, listing, Metadata, Optional, Text } from "../../input/schemas.ts"
import { label, makeWordFilter } from "../../input/members.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { Access } from "../access/access.ts"
import { CustomerKind } from "../parties/customer.ts"
import { requireOnNetwork } from "../../input/field-checks.ts"
import { defaultNetwork, WalletKind } from "./wallet.ts"
import { makeUnderWallet } from "./under-wallet.ts"

/**
 * For `Kind.derivedWrites`: updates the wallet's network, that of its newest active credential in its own currency, in each
 * step that changes the status of such a credential (WALLET-1). The wallet is written even when its network does not change,
 * so that the second of two concurrent steps is decided again.
 */
const updateWalletNetwork = (
  before: Row<WalletCredentialData>,
  after: Row<WalletCredentialData>,
  at: number
): Effect.Effect<ReadonlyArray<ChangeSet>, StorageFault, Ids | Storage> =>
  converts(after.data) || before.status === after.status
    ? Effect.succeed([])
    : Effect.gen(function* () {
        const storage = yield* Storage
        const {
          merchant_id,
          data: { wallet_currency, wallet_id }
        } = after
        // The wallet first: of two steps at once, the one whose list lacks the other's credential has an old wallet too.
        const [found] = yield* storage.get([{ merchant_id, kind: "wallet", id: wallet_id }])
        const { items } = yield* storage.list({
          merchant_id,
          kinds: [after.kind],
          index_keys: [`wallet_id=${wallet_id}`, `currency=${wallet_currency}`, "status=active"],
          offset: 0,
          limit: 2
        })
        const others = (items as ReadonlyArray<Row<WalletCredentialData>>).filter(({ id }) => id !== after.id)
        const [newest] = [...others, ...(after.status === "active" ? [after] : [])].toSorted((a, b) =>
          (a.created_at === b.created_at ? a.id > b.id : a.created_at > b.created_at) ? -1 : 1
        )
        const network = newest?.data.network ?? defaultNetwork(requireCurrency(wallet_currency))
        const wallet = found as Row<WalletData>
        const patch = wallet.data.credential_network === undefined ? { network } : { credential_network: network }
        const next = yield* step(WalletKind, wallet, { type: "update", patch }, at)
        return next === undefined ? [] : [next.changes]
      })

export const WalletCredentialKind: ResourceKind<WalletCredentialData, WalletCredentialEvent> = {
  kind: "wallet_credential",
  prefix: "wcr",
  lifecycle: WalletCredential,
  indexKeys: ({ currency, wallet_id }) => [`wallet_id=${wallet_id}`, `currency=${currency}`],
  searchValues: ({ label, target, type }) => ({
    title: label,
    ...(type === "crypto" ? { addresses: [target] } : { accounts: [target] })
  }),
  issue: ({ merchant_id, id: resource_id, data }, id) => ({
    ...{ id, merchant_id, kind: "wallet_credential", resource_id },
    ...Struct.pick(data, ["type", "currency", "country_code", "network", "holder"])
  }),
  derivedWrites: updateWalletNetwork
}

/** `country_code` distinguishes currencies that share one code. The wallet's currency does not require it. */
export const CreateWalletCredential = Schema.Struct({
  type: describe(
    Schema.Literals(["crypto", "fiat"]),
    "What it takes. `fiat`: bank transfers. `crypto`: payments on a network."
  ),
  network: describe(Text(32), "The network of the currency: `bank` for fiat.", "bank", "base"),
  currency: Optional(
    CurrencyCode,
    "The currency that it takes. Default: the wallet's. If it differs, each deposit is converted; one of the two is then fiat and the other crypto.",
    "NGN"
  ),
  country_code: Optional(CountryCode, "The country of the currency, where its code alone is ambiguous.", "SN"),
  label,
  metadata: Optional(Metadata)
}).annotate({ identifier: "CreateWalletCredential" })
export type CreateWalletCredential = typeof CreateWalletCredential.Type

export const ListWalletCredentials = Schema.Struct({
  status: makeWordFilter(walletCredentialStatuses, "status"),
  ...listing
})

/** Says why deposits in `source` cannot be converted to `destination` (AUTOCONVERT-4, AUTOCONVERT-5). Undefined: they can. */
const findConversionFault = (source: Currency, destination: Currency): InvalidInput | undefined => {
  if (source.type === destination.type)
    return invalid(
      "currency",
      `${source.code} and ${destination.code} are both ${source.type}. A credential in another currency must be fiat for a crypto wallet, or crypto for a fiat wallet.`
    )
  const [capability, ramp] =
    source.type === "fiat" ? (["can_onramp", "onramp"] as const) : (["can_offramp", "offramp"] as const)
  const unsupported = [source, destination].find((currency) => !currency[capability])
  return unsupported === undefined
    ? undefined
    : invalid(
        "currency",
        `Converting ${source.code} to ${destination.code} requires an ${ramp}, which ${unsupported.code} does not support.`
      )
}

const makeDeps = Effect.gen(function* () {
  const { get, list, operate } = yield* makeUnderWallet(
    WalletCredentialKind,
    ListWalletCredentials,
    walletCredentialBody
  )
  return {
    ...(yield* Effect.all({ unitOfWork: UnitOfWork, routes: Routes, access: Access, ids: Ids })),
    get,
    list,
    operate
  }
})
type Deps = Effect.Success<typeof makeDeps>

/** Resolves the credential's currency, by default the wallet's. Errors: those of `create`. */
const resolveCurrency = Effect.fnUntraced(function* (
  { access }: Deps,
  call: Call,
  wallet: WalletData,
  input: CreateWalletCredential
) {
  const own = requireCurrency(wallet.currency)
  const same = input.currency === undefined || input.currency === own.code
  const country = input.country_code ?? (same ? wallet.country_code : null)
  const currency = yield* access.currency(call, input.currency ?? own.code, country)
  if (same && wallet.country_code !== null && country !== wallet.country_code)
    return yield* invalid(
      "country_code",
      `The wallet holds ${own.code} of ${wallet.country_code}, but country_code is ${country}.`
    )
  const fault = same ? undefined : findConversionFault(currency, own)
  if (fault !== undefined) return yield* fault
  if (input.type !== currency.type)
    return yield* invalid(
      "type",
      `type is ${JSON.stringify(input.type)}, but ${currency.code} is a ${currency.type} currency.`
    )
  yield* requireOnNetwork("network", currency, input.network)
  return currency
})

const requireVerification = ({ id, data }: Row<CustomerData>): Effect.Effect<void, InvalidInput> =>
  data.is_default || data.kyc_status === "approved"
    ? Effect.void
    : Effect.fail(
        invalid(
          "type",
          `Customer ${id} is ${data.kyc_status}, not approved. Fiat credentials require an approved verification.`
        )
      )

/**
 * Requests an account or address that funds the wallet from the provider. The credential is `pending` until the provider
 * issues it (AUTOCONVERT-2 to AUTOCONVERT-6, CREDENTIAL-2).
 *
 * Errors: `NotFound` for the wallet or the currency; `InvalidInput` for a type or network that the currency does not
 * have, currencies that cannot be converted, a code that requires a country, or a fiat credential of a customer who is
 * not approved; `ResourceAccessRequired`.
 */
const create = Effect.fnUntraced(function* (deps: Deps, call: Call, wallet_id: string, input: CreateWalletCredential) {
  const { unitOfWork, routes, ids } = deps
  const { merchant_id } = call
  return yield* unitOfWork.write(call, function* () {
    const wallet = yield* unitOfWork.load(WalletKind, merchant_id, wallet_id)
    const currency = yield* resolveCurrency(deps, call, wallet.data, input)
    const customer = yield* unitOfWork.load(CustomerKind, merchant_id, wallet.data.customer_id)
    if (currency.type === "fiat") yield* requireVerification(customer)
    const route = { merchant_id, currency: currency.code, amount: null }
    const [provider] = yield* routes.requireOrder("currency", {
      ...{ ...route, operation: "issue", country_code: currency.country_code, network: input.network }
    })
    const destination_currency = wallet.data.currency
    if (destination_currency !== currency.code)
      yield* routes.requireOrder("currency", {
        ...{ ...route, operation: "conversion", destination_currency, country_code: null, network: null }
      })
    const credential = yield* begin<WalletCredentialData>(
      WalletCredentialKind,
      { merchant_id, id: yield* ids.make(WalletCredentialKind.prefix), customer_id: customer.id },
      {
        wallet_id,
        type: currency.type,
        currency: currency.code,
        country_code: currency.country_code,
        network: input.network,
        wallet_currency: wallet.data.currency,
        holder: customer.data.name,
        label: input.label ?? null,
        metadata: input.metadata ?? {},
        target: null,
        details: null,
        provider_resource_id: null,
        provider
      },
      yield* Clock.currentTimeMillis
    )
    return {
      changes: [credential.changes],
      result: walletCredentialBody(credential.row, walletSummary(wallet))
    }
  })
})

/** Operator: freezes a credential: deposits that arrive from now on are held. Errors: `NotFound`; `InvalidStatus` unless `active`. */
const freeze = ({ operate }: Deps, call: Call, id: string) => operate(call, id, { type: "freeze" })

/** Operator: ends a freeze. Held deposits stay held. Errors: `NotFound`; `InvalidStatus` unless `frozen`. */
const unfreeze = ({ operate }: Deps, call: Call, id: string) => operate(call, id, { type: "unfreeze" })

/** Operator: disables a credential for good. Later deposits are held. Errors: `NotFound`; `InvalidStatus` when it is `disabled`. */
const disable = ({ operate }: Deps, call: Call, id: string) => operate(call, id, { type: "disable" })

export class WalletCredentials extends Context.Service<WalletCredentials>()("corridor/engine/WalletCredentials", {
  make: Effect.gen(function* () {
    const deps = yield* makeDeps
    const { get, list } = deps

    return {
      ...bindFirst(deps, { create, freeze, unfreeze, disable }),

      get,

      list
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
