/**
 * Auto-conversion of deposits in a currency other than the wallet's. A deposit is priced when it is credited to its wallet
 * credential; a conversion then credits the wallet (AUTOCONVERT-7, AUTOCONVERT-10, AUTOCONVERT-12).
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { CustomerData } from "../../../machines/parties/customer.ts"
import type { DepositData, DepositExchange, DepositPrice } from "../../../machines/deposits/deposit.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { credentialBalance } from "../../../machines/kernel/ledger.ts"
import { priceSource, toStoredFigures, type Terms } from "../../../machines/kernel/pricing.ts"
import type { WalletData } from "../../../machines/wallets/wallet.ts"
import { type WalletCredentialData, converts } from "../../../machines/wallets/wallet-credential.ts"
import type { Call } from "../../commit/call.ts"
import { type ChangeSet, referenceScope, takeUniqueKey, addNote } from "../../commit/changeset.ts"
import { begin, type Stepped } from "../../commit/steps.ts"
import { InvalidStatus, InvariantViolation, type StorageFault, type Unavailable } from "../../ports/errors.ts"
import { UnitOfWork, makeNotFound } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import { requireCurrency, displayAmount } from "../../reference/currencies.ts"
import { customerSummary } from "../../representations/parties/customer.ts"
import { depositBody } from "../../representations/deposits/deposit.ts"
import { addRelatedToEvent, type Transacted, transactionId } from "../../representations/movements/transaction.ts"
import { credentialInEvents } from "../../representations/wallets/wallet-credential.ts"
import { walletSummary } from "../../representations/wallets/wallet.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { beginConversion, ConversionKind } from "../movements/conversion.ts"
import { DepositKind, makeDepositMetadata, forwardedBy } from "./deposit.ts"
import { putHolderFirst, toRouteMembers } from "../movements/creation.ts"
import { CurrentTerms } from "../../calls/CurrentTerms.ts"
import { Routes } from "../../calls/Routes.ts"
import { Providers } from "../../ports/Provider.ts"
import { CustomerKind } from "../parties/customer.ts"
import { toOriginator } from "../parties/sender.ts"
import { WalletCredentialKind } from "../wallets/wallet-credential.ts"

/** A step of a deposit with all that it changes. `related`: the other transactions with its root. */
export interface Converted {
  readonly row: Row<DepositData>
  readonly changes: ReadonlyArray<ChangeSet>
  readonly related: ReadonlyArray<Transacted>
}

/** The price of an amount that is too small to convert. There are no fees, and the money stays on the credential. */
const tooSmallToConvert = {
  gateway_fee: "0",
  destination_amount: "0",
  network_fee: "0",
  received_amount: "0",
  residue: "0"
}

const priceOnTerms = (terms: Terms, amount: string): DepositPrice => {
  const price = priceSource(terms, BigInt(amount))
  const figures = price._tag === "priced" ? toStoredFigures(price) : { ...tooSmallToConvert, source_amount: amount }
  return { ...figures, rate: terms.rate }
}

const makeDeps = Effect.all({
  unitOfWork: UnitOfWork,
  storage: Storage,
  providers: Providers,
  routes: Routes,
  terms: CurrentTerms,
  ids: Ids
})
type Deps = Effect.Success<typeof makeDeps>

/**
 * Makes the exchange of a deposit to a credential. With an `amount` (minor units), it is priced at the current rate, and at the fee of `at` or at that
 * which was `locked` before; with null, it is unpriced, and its fee is locked. Undefined for a credential in its wallet's currency.
 * Errors: `ExternalServiceUnavailable` when no rate is available.
 */
const makeExchange = Effect.fnUntraced(function* (
  deps: Deps,
  { customer_id, data: c, merchant_id, ...credential }: Row<WalletCredentialData>,
  amount: string | null,
  at: number,
  locked?: DepositExchange["scheduled"]
): Effect.fn.Return<DepositExchange | undefined, Unavailable> {
  const { storage, terms } = deps
  if (!converts(c)) return undefined
  const rows = yield* storage.get([
    { merchant_id, kind: "wallet", id: c.wallet_id },
    { merchant_id, kind: "customer", id: customer_id ?? "" }
  ])
  const wallet = rows.find(({ kind }) => kind === "wallet") as Row<WalletData> | undefined
  const customer = rows.find(({ kind }) => kind === "customer") as Row<CustomerData> | undefined
  if (wallet === undefined || customer === undefined)
    throw new InvariantViolation(`credential ${credential.id} has a wallet and a customer`)
  const { currency, network } = wallet.data
  const currencies = { source: requireCurrency(c.currency), destination: requireCurrency(currency) }
  const request = { merchant_id, operation: "conversion", ...currencies, network } as const
  const priced = amount === null ? undefined : yield* terms.of(request, at, locked)
  return {
    destination_currency: currency,
    ...(priced === undefined
      ? { price: null, scheduled: yield* terms.scheduled(request, at) }
      : { terms: priced, price: priceOnTerms(priced, amount!) }),
    wallet: walletSummary(wallet),
    customer: customerSummary(customer),
    credential: credentialInEvents({ ...credential, customer_id, merchant_id, data: c })
  }
})

/** Lists the providers that can convert a deposit. Its own provider has the money, so it is the first, unless it cannot convert. */
const listConverters = ({ routes }: Deps, { data: d, merchant_id }: Pick<Row<DepositData>, "data" | "merchant_id">) =>
  Effect.map(
    routes.order({
      operation: "conversion",
      merchant_id,
      currency: d.currency,
      destination_currency: d.exchange?.destination_currency ?? null,
      country_code: null,
      network: null,
      amount: displayAmount(d.amount, d.currency)
    }),
    (names) => toRouteMembers(putHolderFirst(d.provider, names))
  )

/**
 * Begins the conversion of a deposit that is credited to its credential. Undefined for a deposit in any other state, without a price, or too
 * small to convert.
 */
const beginConverting = Effect.fnUntraced(function* (
  deps: Deps,
  deposit: Row<DepositData>,
  at: number
): Effect.fn.Return<Pick<Converted, "changes" | "related"> | undefined, StorageFault> {
  const { storage, ids } = deps
  const { data: d, merchant_id } = deposit
  const { exchange } = d
  if (deposit.state !== "received" || exchange === undefined || exchange.price === null) return undefined
  const { rate, ...price } = exchange.price
  if (price.received_amount === "0") return undefined
  const [customer] = yield* storage.get([{ merchant_id, kind: CustomerKind.kind, id: d.customer_id }])
  if (customer === undefined) throw new InvariantViolation(`the customer ${d.customer_id} exists`)
  const id = yield* ids.make(ConversionKind.prefix)
  const reference = yield* ids.make("ref")
  const conversion = yield* beginConversion(
    { merchant_id, id, customer_id: d.customer_id, root_id: deposit.root_id ?? deposit.id },
    {
      reference,
      quote_id: null,
      rate_source: "live",
      customer: exchange.customer,
      originator: toOriginator(null, customer as Row<CustomerData>),
      source_account: credentialBalance(d.source_id),
      source_wallet: null,
      credential_id: d.source_id,
      destination_wallet: exchange.wallet,
      ...(yield* listConverters(deps, deposit)),
      price,
      source_currency: d.currency,
      destination_currency: exchange.destination_currency,
      rate,
      rate_locked_until: null,
      parent_transaction_id: transactionId(deposit.id),
      ...(d.payin_id !== null && { converts: { deposit_id: deposit.id, provider: d.provider, payin_id: d.payin_id } }),
      metadata: exchange.credential.metadata
    },
    at
  ).pipe(Effect.provideService(Ids, ids))
  return {
    changes: [conversion.changes, takeUniqueKey(referenceScope, reference, id)],
    related: [ConversionKind.transaction(conversion.row)]
  }
})

/**
 * Starts the conversion of a deposit in the same commit that credits it to its credential, and has the events of the deposit show it
 * with `before`, the transactions with its root that exist. Returns all that changes, also where nothing is converted.
 */
const startConversion = Effect.fnUntraced(function* (
  deps: Deps,
  deposit: Stepped<DepositData>,
  at: number,
  before: ReadonlyArray<Transacted> = []
): Effect.fn.Return<Converted, StorageFault> {
  const { changes = [], related: begun = [] } = (yield* beginConverting(deps, deposit.row, at)) ?? {}
  const related = [...before, ...begun]
  const { events = [], ...others } = deposit.changes
  const shown =
    related.length === 0 ? events : events.map((one) => ({ ...one, body: addRelatedToEvent(one.body, related) }))
  return { row: deposit.row, changes: [{ ...others, events: shown }, ...changes], related }
})

/**
 * Prices another amount at the rate and fee that were locked at detection. Without locked terms, it has no price yet. Undefined for a
 * deposit that was not priced.
 */
export const repriceExchange = (detected: DepositExchange | undefined, amount: string): DepositExchange | undefined => {
  if (detected === undefined || detected.price === null || detected.price.source_amount === amount) return detected
  return { ...detected, price: detected.terms === undefined ? null : priceOnTerms(detected.terms, amount) }
}

/** Prices `amount` at the rate and fee that were locked at detection; without a locked rate, at the current one. */
const priceOnLockedTerms = (
  deps: Deps,
  credential: Row<WalletCredentialData>,
  detected: DepositExchange | undefined,
  amount: string,
  at: number
): Effect.Effect<DepositExchange | undefined, Unavailable> =>
  detected === undefined || detected.price === null || detected.terms === undefined
    ? makeExchange(deps, credential, amount, at, detected?.scheduled)
    : Effect.succeed({ ...detected, price: priceOnTerms(detected.terms, amount) })

/**
 * Releases a held deposit: credits it, or prices it now and converts it when its currency is not the wallet's
 * (EVENT-14). Undefined when the deposit is not held. The caller counts it towards the customer's limit.
 */
const releaseDeposit = Effect.fnUntraced(function* (
  deps: Deps,
  deposit: Row<DepositData>,
  at: number
): Effect.fn.Return<Converted | undefined, Unavailable> {
  const { storage, unitOfWork } = deps
  const { data: d, merchant_id } = deposit
  const [credential] =
    d.exchange === undefined
      ? []
      : yield* storage.get([{ merchant_id, kind: WalletCredentialKind.kind, id: d.source_id }])
  const priced =
    credential === undefined
      ? undefined
      : yield* makeExchange(deps, credential as Row<WalletCredentialData>, d.amount, at)
  const event = { type: "released", at, ...(priced === undefined ? {} : { exchange: priced }) } as const
  const next = yield* unitOfWork.step(DepositKind, deposit, event, at)
  return next === undefined ? undefined : yield* startConversion(deps, next, at)
})

/**
 * Operator: converts the whole balance of a credential at the current rate and fee, in one step (AUTOCONVERT-10,
 * AUTOCONVERT-12).
 *
 * Errors: `NotFound`; `InvalidStatus` when the credential is in its wallet's currency, has no balance, or has a balance
 * too small to convert; `ExternalServiceUnavailable` when no rate is available.
 */
const forwardBalance = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, note?: string) {
  const { storage, unitOfWork, ids, providers } = deps
  const found = yield* storage.find(WalletCredentialKind.kind, id)
  if (found === undefined) return yield* makeNotFound(WalletCredentialKind, id)
  const { merchant_id } = found
  return yield* unitOfWork.write({ ...call, merchant_id }, function* () {
    const credential = yield* unitOfWork.load(WalletCredentialKind, merchant_id, id)
    const { currency, wallet_id } = credential.data
    const accounts = yield* storage.accounts(merchant_id, [credentialBalance(id)])
    const amount = accounts.find((account) => account.currency === currency)?.balance ?? "0"
    if (amount === "0") {
      return yield* new InvalidStatus({
        message: `Wallet credential ${id} has no ${currency} balance to forward.`
      })
    }
    const at = yield* Clock.currentTimeMillis
    const priced = yield* makeExchange(deps, credential, amount, at)
    if (priced === undefined || (priced.price?.received_amount ?? "0") === "0") {
      return yield* new InvalidStatus({
        message: `The balance of wallet credential ${id} is too small to convert.`
      })
    }
    const deposit = yield* begin<DepositData>(
      DepositKind,
      { merchant_id, id: yield* ids.make(DepositKind.prefix), customer_id: credential.customer_id },
      {
        entry: "credited",
        source_type: "deposit_forward",
        source_id: id,
        payin_id: null,
        provider: credential.data.provider ?? providers.all[0]!.name,
        customer_id: credential.customer_id ?? "",
        wallet_id,
        amount,
        currency,
        transaction_hash: null,
        hold_reason: null,
        failure_reason: null,
        reference: null,
        metadata: makeDepositMetadata(credential),
        observed_at: at,
        confirmed_at: at,
        parent_transaction_id: null,
        exchange: priced
      },
      at,
      forwardedBy
    )
    return { changes: addNote([deposit.changes], deposit.row, note), result: depositBody(deposit.row) }
  })
})

export class AutoConversions extends Context.Service<AutoConversions>()("corridor/engine/AutoConversions", {
  make: Effect.map(makeDeps, (deps) =>
    bindFirst(deps, {
      exchange: makeExchange,
      priceOnLockedTerms,
      startConversion,
      release: releaseDeposit,
      forward: forwardBalance
    })
  )
}) {
  static readonly layer = Layer.effect(this, this.make)
}
