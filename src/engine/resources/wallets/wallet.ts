/** Wallets (WALLET-1). */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import type { CustomerData } from "../../../machines/parties/customer.ts"
import { Wallet, type WalletData, type WalletEvent } from "../../../machines/wallets/wallet.ts"
import type { Call } from "../../commit/call.ts"
import { begin } from "../../commit/steps.ts"
import { InvariantViolation } from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import type { Currency, Network } from "../../reference/currencies.ts"
import { customerSummary } from "../../representations/parties/customer.ts"
import { listWalletAccounts, walletBody } from "../../representations/wallets/wallet.ts"
import { CountryCode, CurrencyCode, describe, listing, Metadata, Optional, Text } from "../../input/schemas.ts"
import { inCurrency, label, ofCustomer, owner } from "../../input/members.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { Access } from "../access/access.ts"
import { MerchantKind } from "../access/api-key.ts"
import { CustomerKind, defaultCustomerId } from "../parties/customer.ts"
import { checkVersion, listRows, toIndexKeys } from "../../calls/list.ts"
import { requireOnNetwork } from "../../input/field-checks.ts"

export const WalletKind: ResourceKind<WalletData, WalletEvent> = {
  kind: "wallet",
  prefix: "wal",
  lifecycle: Wallet,
  indexKeys: ({ currency }) => [`currency=${currency}`]
}

/** The network of a wallet without an active credential in its own currency (WALLET-1). */
export const defaultNetwork = ({ type }: Pick<Currency, "type">): Network => (type === "crypto" ? "solana" : "bank")

export const CreateWallet = Schema.Struct({
  currency: describe(CurrencyCode, "The currency of the wallet."),
  country_code: Optional(CountryCode, "The country of the currency, where its code alone is ambiguous.", "SN"),
  network: Optional(
    Text(32),
    "The network that transfers are paid on. It cannot be changed. Default: the network of the newest active credential in the wallet's currency, or else `solana`; `bank` for fiat.",
    "base"
  ),
  customer_id: owner,
  label,
  metadata: Optional(Metadata)
}).annotate({ identifier: "CreateWallet" })
export type CreateWallet = typeof CreateWallet.Type

export const UpdateWallet = Schema.Struct({
  label,
  metadata: Optional(Metadata)
}).annotate({ identifier: "UpdateWallet" })
export type UpdateWallet = typeof UpdateWallet.Type

export const ListWallets = Schema.Struct({
  customer_id: ofCustomer,
  currency: inCurrency,
  ...listing
})
export type ListWallets = typeof ListWallets.Type

const makeDeps = Effect.all({ unitOfWork: UnitOfWork, storage: Storage, access: Access, ids: Ids })
type Deps = Effect.Success<typeof makeDeps>

/** Reads the bodies of wallets, with their customers and balances. `version` counts changes of the wallet and of its accounts. */
const readBodies = Effect.fnUntraced(function* (
  { storage }: Deps,
  merchant_id: string,
  rows: ReadonlyArray<Row<WalletData>>
) {
  const customerKeys = [...new Set(rows.map((row) => row.data.customer_id))].map((id) => ({
    merchant_id,
    kind: "customer",
    id
  }))
  const [customers, accounts] = yield* Effect.all(
    [
      storage.get(customerKeys),
      storage.accounts(
        merchant_id,
        rows.flatMap((row) => listWalletAccounts(row.id))
      )
    ],
    { concurrency: 2 }
  )
  const summaries = new Map(customers.map((row) => [row.id, customerSummary(row as Row<CustomerData>)]))
  const balances = new Map(accounts.map((account) => [account.account, account]))
  return rows.map((row) => {
    const customer = summaries.get(row.data.customer_id)
    if (customer === undefined) throw new InvariantViolation(`wallet ${row.id} has a customer`)
    const moves = listWalletAccounts(row.id).reduce((sum, account) => sum + (balances.get(account)?.version ?? 0), 0)
    return { row, body: walletBody(row, customer, balances), version: `${row.version}.${moves}` }
  })
})

const readWalletBody = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const { unitOfWork } = deps
  const row = yield* unitOfWork.load(WalletKind, call.merchant_id, id)
  const [found] = yield* readBodies(deps, call.merchant_id, [row])
  return found!
})

/**
 * Creates a wallet. Errors: `NotFound` for an unknown currency or customer; `InvalidInput` when the code requires a country, or for a
 * network that the currency does not have; `ProhibitedCountry`; `ResourceAccessRequired`.
 */
const create = Effect.fnUntraced(function* ({ unitOfWork, access, ids }: Deps, call: Call, input: CreateWallet) {
  const customer_id = input.customer_id ?? defaultCustomerId(call.merchant_id)
  return yield* unitOfWork.write(call, function* () {
    const customer = yield* unitOfWork.load(CustomerKind, call.merchant_id, customer_id)
    const currency = yield* access.currency(call, input.currency, input.country_code ?? null)
    const network = input.network ?? null
    if (network !== null) yield* requireOnNetwork("network", currency, network)
    const wallet = yield* begin<WalletData>(
      WalletKind,
      { merchant_id: call.merchant_id, id: yield* ids.make(WalletKind.prefix), customer_id },
      {
        customer_id,
        type: currency.type,
        currency: currency.code,
        country_code: currency.country_code,
        ...(network === null
          ? { network: defaultNetwork(currency) }
          : { network, credential_network: defaultNetwork(currency) }),
        label: input.label ?? null,
        metadata: input.metadata ?? {}
      },
      yield* Clock.currentTimeMillis
    )
    return { changes: [wallet.changes], result: walletBody(wallet.row, customerSummary(customer), new Map()) }
  })
})

/** Replaces the given fields of a wallet. Errors: `NotFound`; `Conflict` when `If-Match` does not match. */
const update = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, input: UpdateWallet) {
  const { unitOfWork } = deps
  return yield* unitOfWork.write(call, function* () {
    const found = yield* readWalletBody(deps, call, id)
    yield* checkVersion(call, found.version)
    const next = yield* unitOfWork.stepOrDie(
      WalletKind,
      found.row,
      { type: "update", patch: input },
      yield* Clock.currentTimeMillis
    )
    const [after] = yield* readBodies(deps, call.merchant_id, [next.row])
    return { changes: [next.changes], result: after!.body }
  })
})

const get = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string) {
  const { body, version } = yield* readWalletBody(deps, call, id)
  return { body, version }
})

const list = Effect.fnUntraced(function* (deps: Deps, call: Call, input: ListWallets) {
  const { storage } = deps
  const keys = toIndexKeys(ListWallets, input)
  const listed = yield* listRows<WalletData>(storage, call.merchant_id, [WalletKind.kind], keys, input)
  const found = yield* readBodies(deps, call.merchant_id, listed.items)
  return { ...listed, items: found.map(({ body }) => body) }
})

/** Operator: lists the wallets of a merchant. Errors: `NotFound` for the merchant. */
const listOfMerchant = (deps: Deps, call: Call, input: ListWallets) =>
  Effect.andThen(deps.unitOfWork.load(MerchantKind, call.merchant_id, call.merchant_id), list(deps, call, input))

export class Wallets extends Context.Service<Wallets>()("corridor/engine/Wallets", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { create, update, get, list, listOf: listOfMerchant }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
