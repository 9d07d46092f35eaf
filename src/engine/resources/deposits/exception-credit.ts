/**
 * Credits the money of an exception as an ordinary deposit, in the wallet it was sent to or the one that the operator
 * names (EXCEPTION-2). Because the operator decides, no limit holds the deposit. A pay-in still counts towards the limit
 * of the customer's tier.
 */
import { Context, Effect, Layer } from "effect"
import type { DepositAddressData } from "../../../machines/wallets/deposit-address.ts"
import type { DepositData } from "../../../machines/deposits/deposit.ts"
import type { ConversionData } from "../../../machines/movements/conversion.ts"
import type { Credited, ExceptionData } from "../../../machines/deposits/exception.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { ownerOf } from "../../../machines/kernel/ledger.ts"
import type { WalletData } from "../../../machines/wallets/wallet.ts"
import { converts, type WalletCredentialData } from "../../../machines/wallets/wallet-credential.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import { Kinds } from "../../commit/kind.ts"
import { begin } from "../../commit/steps.ts"
import {
  type InvalidInput,
  invalid,
  InvariantViolation,
  NotFound,
  type StorageFault,
  type Unavailable
} from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import type { ProviderEvent } from "../../ports/Provider.ts"
import { type Transacted, transactionId } from "../../representations/movements/transaction.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { AutoConversions } from "./auto-conversion.ts"
import { DepositAddressKind } from "../wallets/deposit-address.ts"
import { DepositKind, makeDepositMetadata } from "./deposit.ts"
import { Tiers } from "../parties/tiers.ts"
import { WalletKind } from "../wallets/wallet.ts"
import { WalletCredentialKind } from "../wallets/wallet-credential.ts"

type IssuedRow = Row<DepositAddressData | WalletCredentialData>

const isCredential = (source: IssuedRow | undefined): source is Row<WalletCredentialData> =>
  source?.kind === WalletCredentialKind.kind

const sources: Readonly<Record<string, string>> = {
  deposit_address: DepositAddressKind.kind,
  credential: WalletCredentialKind.kind
}

const makeDeps = Effect.all({ storage: Storage, kinds: Kinds, conversions: AutoConversions, tiers: Tiers, ids: Ids })
type Deps = Effect.Success<typeof makeDeps>

const readRow = Effect.fnUntraced(function* ({ storage }: Deps, merchant_id: string, kind: string, id: string) {
  const [row] = yield* storage.get([{ merchant_id, kind, id }])
  return row
})

/** Reads the resource that the provider's event concerns. It belongs to the exception's merchant. */
const loadSubject = Effect.fnUntraced(function* (deps: Deps, { merchant_id, data: e }: Row<ExceptionData>) {
  if (e.resource_id === null || e.resource_kind === null) return undefined
  return yield* readRow(deps, merchant_id, e.resource_kind, e.resource_id)
})

/**
 * Whether the money is of a deposit of this customer that was to be converted: it counted towards the tier limit when it arrived. What
 * did not go back of a refund is of the exception that was refunded.
 */
const isCounted = Effect.fnUntraced(function* (deps: Deps, subject: Row | undefined, customer_id: string) {
  let origin = subject
  while (origin?.kind === "exception") origin = yield* loadSubject(deps, origin as Row<ExceptionData>)
  const { converts } = (origin?.data ?? {}) as Partial<ConversionData>
  return converts !== undefined && origin?.customer_id === customer_id
})

/** Finds the address or account that the money was paid to; undefined when unknown. */
const findSource = Effect.fnUntraced(function* (
  deps: Deps,
  { merchant_id, data: e }: Row<ExceptionData>,
  subject: Row | undefined
): Effect.fn.Return<IssuedRow | undefined, StorageFault> {
  if (e.credit_account !== undefined && e.credit_account !== null)
    return (yield* readRow(deps, merchant_id, WalletCredentialKind.kind, ownerOf(e.credit_account))) as
      | IssuedRow
      | undefined
  if (subject?.kind === DepositAddressKind.kind || subject?.kind === WalletCredentialKind.kind)
    return subject as IssuedRow
  if (subject?.kind !== DepositKind.kind) return undefined
  const { source_id, source_type } = subject.data as DepositData
  const kind = sources[source_type]
  return kind === undefined
    ? undefined
    : ((yield* readRow(deps, merchant_id, kind, source_id)) as IssuedRow | undefined)
})

/**
 * Chooses the wallet that the money of an exception is credited to, and makes the id of the deposit. `named`: the operator's choice.
 *
 * Errors: `InvalidInput` when no wallet is named and none is known, or the wallet holds another currency; `NotFound`.
 */
const chooseCreditTarget = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row<ExceptionData>,
  named: string | undefined
): Effect.fn.Return<Credited, InvalidInput | NotFound | StorageFault> {
  const { storage, ids } = deps
  const { data: e, merchant_id } = row
  const source = yield* findSource(deps, row, yield* loadSubject(deps, row))
  const wallet_id = named ?? e.wallet_id ?? source?.data.wallet_id
  if (wallet_id === undefined)
    return yield* invalid("wallet_id", "Required, because the owner of this money is unknown.")
  const wallet =
    named === undefined
      ? yield* readRow(deps, merchant_id, WalletKind.kind, wallet_id)
      : yield* storage.find(WalletKind.kind, named)
  if (wallet === undefined) return yield* new NotFound({ message: `There is no wallet ${JSON.stringify(wallet_id)}.` })
  const { currency, customer_id } = wallet.data as WalletData
  const crosses =
    isCredential(source) &&
    source.data.wallet_id === wallet_id &&
    converts(source.data) &&
    source.data.currency === e.currency
  if (currency !== e.currency && !crosses)
    return yield* invalid(
      "wallet_id",
      `Wallet ${wallet_id} holds ${currency}, but the money is in ${e.currency}. Specify a wallet that holds ${e.currency}.`
    )
  const transaction_id = yield* ids.make(DepositKind.prefix)
  return { merchant_id: wallet.merchant_id, customer_id, wallet_id, transaction_id }
})

/** The transactions with a root, the root first. */
const listFamily = Effect.fnUntraced(function* ({ kinds, storage }: Deps, merchant_id: string, root_id: string) {
  const root = kinds.ofId(root_id)
  const [found, descendants] = yield* Effect.all(
    [
      storage.get(root === undefined ? [] : [{ merchant_id, kind: root.kind, id: root_id }]),
      storage.descendants(merchant_id, [root_id])
    ],
    { concurrency: 2 }
  )
  return [...found, ...descendants].flatMap((row): ReadonlyArray<Transacted> => {
    const view = kinds.byName.get(row.kind)?.transaction
    return view === undefined ? [] : [view(row)]
  })
})

/**
 * Makes the changes of the deposit, in the ledger of the merchant it is credited to. Errors: `ExternalServiceUnavailable` when the deposit
 * requires a rate and none is available.
 */
const makeDeposit = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row<ExceptionData>,
  { merchant_id, transaction_id, wallet_id }: Credited,
  at: number
): Effect.fn.Return<ReadonlyArray<ChangeSet>, Unavailable> {
  const { conversions, kinds, ids, tiers } = deps
  const { data: e } = row
  const own = row.merchant_id === merchant_id
  const wallet = (yield* readRow(deps, merchant_id, WalletKind.kind, wallet_id)) as Row<WalletData> | undefined
  if (wallet === undefined || e.amount === null || e.currency === null)
    throw new InvariantViolation(`exception ${row.id} has money for wallet ${wallet_id}`)
  const subject = own ? yield* loadSubject(deps, row) : undefined
  const paidTo = own ? yield* findSource(deps, row, subject) : undefined
  const source = paidTo?.data.wallet_id === wallet_id && paidTo.data.currency === e.currency ? paidTo : undefined
  const crosses = isCredential(source) && wallet.data.currency !== e.currency
  const exchange = crosses ? yield* conversions.exchange(source, e.amount, at) : undefined
  const parent =
    subject !== undefined && kinds.byName.get(subject.kind)?.transaction !== undefined ? subject : undefined
  const { customer_id } = wallet.data
  const money = { customer_id, amount: e.amount, currency: e.currency }
  const reported = e.provider_event as ProviderEvent | null
  const payin = reported?._tag === "payin" ? reported : undefined
  // What could not be refunded is told of as it arrived.
  const arrived = source !== undefined && subject?.kind === DepositKind.kind ? (subject.data as DepositData) : undefined
  const { observed_at = at, transaction_hash = arrived?.transaction_hash ?? null } = payin ?? {}
  const deposit = yield* begin<DepositData>(
    DepositKind,
    {
      merchant_id,
      id: transaction_id,
      customer_id,
      root_id: parent === undefined ? null : (parent.root_id ?? parent.id)
    },
    {
      entry: "confirmed",
      source_type: source === undefined ? "exception_credit" : isCredential(source) ? "credential" : "deposit_address",
      source_id: source?.id ?? row.id,
      payin_id: e.payin_id,
      provider: e.provider,
      ...money,
      wallet_id,
      transaction_hash,
      hold_reason: null,
      failure_reason: null,
      reference: null,
      metadata:
        payin === undefined ? (arrived?.metadata ?? makeDepositMetadata(source)) : makeDepositMetadata(source, payin),
      observed_at,
      confirmed_at: exchange === undefined ? at : null,
      parent_transaction_id: parent === undefined ? null : transactionId(parent.id),
      ...(exchange === undefined ? {} : { exchange }),
      from_suspense: true
    },
    at,
    "credit"
  ).pipe(Effect.provideService(Ids, ids))
  // An exception without a pay-in has the money of a movement, which was counted when it first arrived.
  const counts = e.payin_id !== null && !(yield* isCounted(deps, subject, customer_id))
  const counted = counts ? yield* tiers.count(merchant_id, money, at) : []
  const { root_id } = deposit.row
  const family = root_id === null ? [] : yield* listFamily(deps, merchant_id, root_id)
  return [...(yield* conversions.startConversion(deposit, at, family)).changes, ...counted]
})

export class ExceptionCredits extends Context.Service<ExceptionCredits>()("corridor/engine/ExceptionCredits", {
  make: Effect.map(makeDeps, (deps) => bindFirst(deps, { chooseCreditTarget, deposit: makeDeposit }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}
