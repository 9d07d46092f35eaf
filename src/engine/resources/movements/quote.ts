/** Quotes (QUOTE-4). Each operation has its own pricing. */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import type { Minor } from "../../../machines/kernel/money.ts"
import { type Priced, priceSource, priceTarget, toStoredFigures } from "../../../machines/kernel/pricing.ts"
import { Quote, type QuoteData, type QuoteEvent } from "../../../machines/movements/quote.ts"
import type { FiatDetails } from "../../../machines/parties/summaries.ts"
import type { WalletData } from "../../../machines/wallets/wallet.ts"
import { CurrentTerms } from "../../calls/CurrentTerms.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { makeApprovalEnding } from "../../commit/approval.ts"
import type { Call } from "../../commit/call.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { begin } from "../../commit/steps.ts"
import { makePriceError, parseClientAmount } from "../../input/amounts.ts"
import { accountNumberFault } from "../../input/bank-accounts.ts"
import { sender } from "../../input/members.ts"
import {
  Amount,
  CountryCode,
  CurrencyCode,
  describe,
  Id,
  Optional,
  ReferenceText,
  withAliases
} from "../../input/schemas.ts"
import { Ids } from "../../ports/Ids.ts"
import type { PricingRequest } from "../../ports/Pricing.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { BadRequest, invalid } from "../../ports/errors.ts"
import { type Currency, requireCurrency } from "../../reference/currencies.ts"
import { quoteBody } from "../../representations/movements/quote.ts"
import { Access } from "../access/access.ts"
import { BeneficiaryKind } from "../parties/beneficiary.ts"
import { defaultCustomerId } from "../parties/customer.ts"
import { requireActive } from "../parties/screening.ts"
import { findSender } from "../parties/sender.ts"
import { WalletKind } from "../wallets/wallet.ts"

// The inputs that price a movement (QUOTE-4).

const amounts = {
  source_amount: Optional(
    Amount,
    "What is taken, in the source currency, fees included, with at most as many decimals as it settles. Exactly one of source_amount and target_amount is required.",
    "100.00"
  ),
  target_amount: Optional(
    Amount,
    "What the recipient receives after all fees, in the destination currency. The quote has the smallest source_amount that reaches it.",
    "147753.75"
  ),
  reference: Optional(
    ReferenceText,
    "Shown by the quote, and not used otherwise. The movement has a reference of its own."
  )
}

export const CreateOfframpQuote = Schema.Struct({
  wallet_id: describe(withAliases(Id("wal"), "source_wallet_id"), "The crypto wallet to debit."),
  beneficiary_id: describe(
    Id("ben"),
    "The recipient: an active fiat beneficiary of the wallet's customer or of the default customer."
  ),
  sender_id: sender,
  ...amounts
}).annotate({ identifier: "CreateOfframpQuote" })
export type CreateOfframpQuote = typeof CreateOfframpQuote.Type

/** `wallet_id` is the wallet to credit. `country_code` distinguishes currencies that share one code. */
export const CreateOnrampQuote = Schema.Struct({
  wallet_id: describe(withAliases(Id("wal"), "destination_wallet_id"), "The crypto wallet to credit."),
  source_currency: describe(CurrencyCode, "The currency that the payer pays in.", "NGN"),
  country_code: Optional(CountryCode, "The country of the source currency, where its code alone is ambiguous.", "SN"),
  ...amounts
}).annotate({ identifier: "CreateOnrampQuote" })
export type CreateOnrampQuote = typeof CreateOnrampQuote.Type

export const CreateConversionQuote = Schema.Struct({
  source_wallet_id: describe(withAliases(Id("wal"), "wallet_id"), "The wallet to debit."),
  destination_wallet_id: describe(Id("wal"), "The wallet to credit: of the same customer, in another currency."),
  ...amounts
}).annotate({ identifier: "CreateConversionQuote" })
export type CreateConversionQuote = typeof CreateConversionQuote.Type

/** The general form (QUOTE-4): the operation, by default `offramp`, and its fields. */
export const CreateQuote = Schema.Union([
  Schema.Struct({
    operation: describe(Schema.Literal("onramp"), "`onramp`: fiat to a wallet."),
    ...CreateOnrampQuote.fields
  }),
  Schema.Struct({
    operation: describe(Schema.Literal("conversion"), "`conversion`: a wallet to another wallet."),
    ...CreateConversionQuote.fields
  }),
  Schema.Struct({
    operation: Optional(
      Schema.Literal("offramp").annotate({ expected: 'one of "onramp", "offramp", "conversion"' }),
      "`offramp`, the default: a wallet to a bank account."
    ),
    ...CreateOfframpQuote.fields
  })
]).annotate({ identifier: "CreateQuote" })
export type CreateQuote = typeof CreateQuote.Type

/** The lifetime of a quote in milliseconds (QUOTE-2). */
const quoteLifetime = 300_000

const endsWaiting = makeApprovalEnding<QuoteData>((state) => state === "active")

export const QuoteKind: ResourceKind<QuoteData, QuoteEvent> = {
  kind: "quote",
  prefix: "quo",
  lifecycle: Quote,
  indexKeys: ({ operation }) => [`operation=${operation}`],
  usableUntil: ({ expires_at }) => expires_at,
  waitEvent: { type: "awaited" },
  // A payout waits itself, and its quote is executed by then.
  derivedWrites: (before, after, at) =>
    before.data.awaited === true ? endsWaiting(before, after, at) : Effect.succeed([])
}

interface Amounts {
  readonly source_amount?: string
  readonly target_amount?: string
}

/** Requires exactly one of the two amounts (QUOTE-4, QUOTE-8). Errors: `BadRequest`. */
const requireOneAmount = ({ source_amount, target_amount }: Amounts): Effect.Effect<void, BadRequest> => {
  if ((source_amount === undefined) !== (target_amount === undefined)) return Effect.void
  const message =
    source_amount === undefined
      ? "Exactly one of source_amount and target_amount is required; the request has neither."
      : "Exactly one of source_amount and target_amount is required; the request has both."
  const code = source_amount === undefined ? "required" : "invalid_value"
  return Effect.fail(
    new BadRequest({
      message,
      errors: ["source_amount", "target_amount"].map((name) => ({ field: name, code, message }))
    })
  )
}

/** Chooses the network that a conversion is quoted on: the newest active credential's, or else the wallet's (QUOTE-10). */
const chooseConversionNetwork = ({ credential_network, network }: WalletData): string => credential_network ?? network

const makeDeps = Effect.all({ unitOfWork: UnitOfWork, terms: CurrentTerms, access: Access, storage: Storage, ids: Ids })
type Deps = Effect.Success<typeof makeDeps>

/** The parties, currencies, networks and price of a new quote. */
interface NewQuote
  extends Pick<
    QuoteData,
    | "operation"
    | "customer_id"
    | "source_wallet_id"
    | "destination_wallet_id"
    | "beneficiary_id"
    | "sender_id"
    | "screening_id"
    | "source_network"
    | "destination_network"
  > {
  readonly source: Currency
  readonly destination: Currency
  readonly price: Effect.Success<ReturnType<typeof priceQuote>>
}

/**
 * Prices the source or the target amount on the current terms. `at`: the date of the quote, whose fee schedule applies. Errors: those that
 * all quotes have.
 */
const priceQuote = Effect.fnUntraced(function* (deps: Deps, request: PricingRequest, input: Amounts) {
  const { source, destination } = request
  const at = yield* Clock.currentTimeMillis
  const terms = yield* deps.terms.of(request, at)
  let target: Minor | null = null
  let priced: Priced
  if (input.target_amount !== undefined) {
    // A target may have as many decimals as the ledger stores, not only those the currency settles in (AMOUNT-3).
    target = yield* parseClientAmount("target_amount", input.target_amount, destination, destination.ledger_scale)
    priced = priceTarget(terms, target)
  } else {
    priced = priceSource(terms, yield* parseClientAmount("source_amount", input.source_amount ?? "", source))
  }
  if (priced._tag !== "priced")
    return yield* makePriceError(priced, target === null ? "source_amount" : "target_amount", destination)
  return { at, terms, figures: priced, target }
})

const issueQuote = Effect.fnUntraced(function* (
  { ids }: Deps,
  merchant_id: string,
  reference: string | undefined,
  given: NewQuote
) {
  const {
    source,
    destination,
    price: { at, terms, figures, target },
    ...parties
  } = given
  const quote = yield* begin(
    QuoteKind,
    { merchant_id, id: yield* ids.make(QuoteKind.prefix), customer_id: parties.customer_id },
    {
      ...parties,
      ...toStoredFigures(figures),
      source_currency: source.code,
      source_country_code: source.country_code,
      destination_currency: destination.code,
      target_amount: target === null ? null : target.toString(),
      rate: terms.rate,
      terms,
      fee_schedule_id: terms.schedule?.fee_schedule_id ?? null,
      reference: reference ?? null,
      expires_at: at + quoteLifetime,
      executed_by: null
    },
    at
  ).pipe(Effect.provideService(Ids, ids))
  return { changes: [quote.changes], result: quoteBody(quote.row, at) }
})

/**
 * Decides an offramp quote, from a wallet to a fiat beneficiary, and writes nothing: the caller commits it.
 *
 * Errors: those of all quotes; `InvalidInput` when wallet, beneficiary, sender or currencies do not match, and when the account number is
 * invalid for its bank (ZAR-4); `InvalidStatus` for a beneficiary that is not active.
 */
const decideOfframpQuote = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateOfframpQuote) {
  const { unitOfWork, access } = deps
  yield* requireOneAmount(input)
  const { merchant_id } = call
  const [wallet, beneficiary] = yield* unitOfWork.loadAll(
    merchant_id,
    [WalletKind, input.wallet_id],
    [BeneficiaryKind, input.beneficiary_id]
  )
  const w = wallet.data
  const b = beneficiary.data
  const sender = yield* findSender(unitOfWork, merchant_id, input.sender_id, w.customer_id)
  if (b.type !== "fiat")
    return yield* invalid(
      "beneficiary_id",
      `Beneficiary ${beneficiary.id} is a ${b.type} beneficiary. Offramps require a fiat beneficiary.`
    )
  if (b.customer_id !== w.customer_id && b.customer_id !== defaultCustomerId(merchant_id))
    return yield* invalid("beneficiary_id", "The beneficiary belongs to a different customer than the wallet.")
  const source = requireCurrency(w.currency)
  if (source.type !== "crypto")
    return yield* invalid("wallet_id", `The wallet holds ${w.currency}. Offramps require a crypto wallet.`)
  const details = b.details as FiatDetails
  const destination = yield* access.currency(call, b.currency, details.country_code)
  if (!source.can_offramp || !destination.can_offramp)
    return yield* invalid("beneficiary_id", `Offramps from ${source.code} to ${destination.code} are not supported.`)
  const { account_number, country_code, provider, rail } = details
  const fault = rail === "payshap" ? null : accountNumberFault(b.currency, country_code, provider, account_number)
  if (fault !== null)
    return yield* invalid("beneficiary_id", `The beneficiary's account number is invalid for its bank: ${fault}.`)
  const priced = yield* priceQuote(
    deps,
    { merchant_id, operation: "offramp", source, destination, network: "bank" },
    input
  )
  yield* requireActive(beneficiary)
  return yield* issueQuote(deps, merchant_id, input.reference, {
    operation: "offramp",
    customer_id: w.customer_id,
    source_wallet_id: wallet.id,
    destination_wallet_id: null,
    beneficiary_id: beneficiary.id,
    sender_id: sender?.id ?? null,
    screening_id: b.screening_id,
    source,
    source_network: w.network,
    destination,
    destination_network: "bank",
    price: priced
  })
})

const quoteOfframp = (deps: Deps, call: Call, input: CreateOfframpQuote) =>
  deps.unitOfWork.write(call, decideOfframpQuote(deps, call, input))

/**
 * Prices an onramp from external fiat to a crypto wallet. `destination_wallet_id` is the wallet to credit (QUOTE-5).
 *
 * Errors: those of all quotes; `InvalidInput` for a fiat wallet, a source currency that is not fiat or has no onramps, and
 * a currency code that requires a country.
 */
const quoteOnramp = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateOnrampQuote) {
  const { unitOfWork, access } = deps
  yield* requireOneAmount(input)
  const { merchant_id } = call
  return yield* unitOfWork.write(call, function* () {
    const wallet = yield* unitOfWork.load(WalletKind, merchant_id, input.wallet_id)
    const w = wallet.data
    const source = yield* access.currency(call, input.source_currency, input.country_code ?? null)
    const destination = requireCurrency(w.currency)
    if (destination.type !== "crypto")
      return yield* invalid("wallet_id", `The wallet holds ${w.currency}. Onramps require a crypto wallet.`)
    if (source.type !== "fiat" || !source.can_onramp || !destination.can_onramp)
      return yield* invalid("source_currency", `Onramps from ${source.code} to ${destination.code} are not supported.`)
    const { network } = w
    return yield* issueQuote(deps, merchant_id, input.reference, {
      operation: "onramp",
      customer_id: w.customer_id,
      source_wallet_id: null,
      destination_wallet_id: wallet.id,
      beneficiary_id: null,
      sender_id: null,
      screening_id: null,
      source,
      source_network: "bank",
      destination,
      destination_network: network,
      price: yield* priceQuote(deps, { merchant_id, operation: "onramp", source, destination, network }, input)
    })
  })
})

/** Requires that a fiat wallet has an active credential; a crypto wallet has its chain. Errors: `InvalidInput`. */
const requireCredential = Effect.fnUntraced(function* (
  { storage }: Deps,
  field: string,
  { id, merchant_id, data }: Row<WalletData>
) {
  if (data.type === "crypto") return
  const index_keys = [`wallet_id=${id}`, "status=active"]
  const { total } = yield* storage.list({
    merchant_id,
    kinds: ["wallet_credential"],
    index_keys,
    offset: 0,
    limit: 1
  })
  if (total === 0)
    return yield* invalid(
      field,
      `Wallet ${id} holds ${data.currency} and has no active credential. Create one with POST /v1/wallets/${id}/credentials.`
    )
})

/**
 * Prices a conversion between two wallets of one customer (QUOTE-8 to QUOTE-13).
 *
 * Errors: those of all quotes; `InvalidInput` for wallets of different customers, of the same currency, or of a currency
 * that cannot be converted, and for a fiat wallet without an active credential.
 */
const quoteConversion = Effect.fnUntraced(function* (deps: Deps, call: Call, input: CreateConversionQuote) {
  const { unitOfWork, access } = deps
  yield* requireOneAmount(input)
  const { merchant_id } = call
  return yield* unitOfWork.write(call, function* () {
    const [from, to] = yield* unitOfWork.loadAll(
      merchant_id,
      [WalletKind, input.source_wallet_id],
      [WalletKind, input.destination_wallet_id]
    )
    if (from.data.customer_id !== to.data.customer_id)
      return yield* invalid("destination_wallet_id", "The two wallets belong to different customers.")
    if (from.data.currency === to.data.currency)
      return yield* invalid(
        "destination_wallet_id",
        `Both wallets hold ${to.data.currency}. A conversion requires two different currencies.`
      )
    const source = yield* access.currency(call, from.data.currency, from.data.country_code)
    const destination = yield* access.currency(call, to.data.currency, to.data.country_code)
    if (!source.can_convert || !destination.can_convert)
      return yield* invalid(
        "destination_wallet_id",
        `Conversions from ${source.code} to ${destination.code} are not supported.`
      )
    yield* requireCredential(deps, "source_wallet_id", from)
    yield* requireCredential(deps, "destination_wallet_id", to)
    const network = chooseConversionNetwork(to.data)
    return yield* issueQuote(deps, merchant_id, input.reference, {
      operation: "conversion",
      customer_id: from.data.customer_id,
      source_wallet_id: from.id,
      destination_wallet_id: to.id,
      beneficiary_id: null,
      sender_id: null,
      screening_id: null,
      source,
      source_network: chooseConversionNetwork(from.data),
      destination,
      destination_network: network,
      price: yield* priceQuote(deps, { merchant_id, operation: "conversion", source, destination, network }, input)
    })
  })
})

/** Prices the given operation. Errors: those of {@link quoteOfframp}, {@link quoteOnramp} or {@link quoteConversion}. */
const create = (deps: Deps, call: Call, input: CreateQuote) => {
  switch (input.operation) {
    case "onramp":
      return quoteOnramp(deps, call, input)
    case "conversion":
      return quoteConversion(deps, call, input)
    default:
      return quoteOfframp(deps, call, input)
  }
}

const get = Effect.fnUntraced(function* ({ unitOfWork }: Deps, call: Call, id: string) {
  const row = yield* unitOfWork.load(QuoteKind, call.merchant_id, id)
  return { body: quoteBody(row, yield* Clock.currentTimeMillis), version: String(row.version) }
})

/**
 * Errors of all quotes: `BadRequest` for both amounts or neither; `NotFound`; `InvalidInput` for an amount out of range, or
 * one that the fees exceed; `InvalidAmountPrecision`; `ResourceAccessRequired`; `ExternalServiceUnavailable` when no rate is
 * available.
 */
export class Quotes extends Context.Service<Quotes>()("corridor/engine/Quotes", {
  make: Effect.map(makeDeps, (deps) =>
    bindFirst(deps, {
      price: priceQuote,
      offramp: quoteOfframp,
      offrampDecision: decideOfframpQuote,
      onramp: quoteOnramp,
      conversion: quoteConversion,
      create,
      get
    })
  )
}) {
  static readonly layer = Layer.effect(this, this.make)
}
