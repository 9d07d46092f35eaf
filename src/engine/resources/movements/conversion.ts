/** Conversions between two wallets of one customer (CONVERSION-1, MOVEMENT-4). */
import { Context, Effect, Layer, Schema } from "effect"
import { Conversion, type ConversionData, type ConversionEvent } from "../../../machines/movements/conversion.ts"
import { available } from "../../../machines/kernel/ledger.ts"
import { noPayout, countShortage } from "../../../machines/kernel/payout.ts"
import { findEarnedFees, type Exchange, takeQuotedAmount } from "../../../machines/kernel/exchange.ts"
import type { Figures } from "../../../machines/kernel/pricing.ts"
import type { Call } from "../../commit/call.ts"
import { begin, type Stepped } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { Ids } from "../../ports/Ids.ts"
import { combineDerivedWrites, type TransactionKind } from "../../commit/kind.ts"
import { Routes } from "../../calls/Routes.ts"
import { displayAmount } from "../../reference/currencies.ts"
import {
  conversionBody,
  conversionEvent,
  conversionStatuses,
  conversionTransaction
} from "../../representations/movements/conversion.ts"
import { customerSummary } from "../../representations/parties/customer.ts"
import { walletSummary } from "../../representations/wallets/wallet.ts"
import { Metadata, Optional } from "../../input/schemas.ts"
import { CustomerKind } from "../parties/customer.ts"
import { recordDiscrepancies } from "../deposits/discrepancies.ts"
import { recordUnappliedFunds } from "../deposits/exception.ts"
import {
  makeCreation,
  makeExchangeCommand,
  toExchange,
  toExchangeSum,
  decideExecution,
  execution,
  releaseLimits,
  makeMovementKind,
  makeMovementQuery,
  type QuotedCreation,
  toRouteMembers,
  type TakenAndReceived
} from "./creation.ts"
import { makeReads } from "../../calls/reads.ts"
import { toOriginator } from "../parties/sender.ts"
import { WalletKind } from "../wallets/wallet.ts"

/** The amounts that a conversion takes, and that the destination wallet receives. */
const toTakenAndReceived = (c: ConversionData): TakenAndReceived => [
  [c.source_amount, c.source_currency],
  [c.quoted_received_amount, c.destination_currency]
]

export const ConversionKind: TransactionKind<ConversionData, ConversionEvent> = {
  ...makeMovementKind(
    "conversion",
    toTakenAndReceived,
    (c) => [
      ...(c.source_wallet === null ? [] : [`wallet_id=${c.source_wallet.id}`]),
      `wallet_id=${c.destination_wallet.id}`,
      ...(c.credential_id === null ? [] : [`credential_id=${c.credential_id}`])
    ],
    (c) => findEarnedFees(takeQuotedAmount(c), countShortage(c))
  ),
  prefix: "con",
  lifecycle: Conversion,
  events: { category: "conversion", object: conversionEvent },
  transaction: conversionTransaction,
  conversion: (row, id) => {
    const { data: c } = row
    const net = BigInt(c.source_amount) - BigInt(c.gateway_fee)
    return makeExchangeCommand(
      row,
      id,
      [net, c.source_currency],
      [c.destination_amount, c.destination_currency],
      c.rate
    )
  },
  // What a deposit is converted to is no act of anybody.
  controlledAction: ({ customer_id, data: c, version }) =>
    version > 1 || c.rate_source !== "quoted"
      ? undefined
      : {
          words: ["conversion"],
          sums: [toExchangeSum(c)],
          customer_id,
          wallet_id: c.source_wallet?.id ?? null,
          to_wallet_id: c.destination_wallet.id,
          field: "quote_id"
        },
  derivedWrites: combineDerivedWrites(
    releaseLimits,
    recordUnappliedFunds(({ converts, ...c }) => ({
      amount: c.source_amount,
      currency: c.source_currency,
      payin_id: converts?.payin_id ?? null,
      wallet_id: c.source_wallet?.id ?? null,
      credit_account: c.source_account,
      ...(converts && { deposit: { id: converts.deposit_id, provider: converts.provider } })
    })),
    recordDiscrepancies((c) => ({ payin_id: null, wallet_id: c.destination_wallet.id }))
  )
}

/** The data of a new conversion. `price`: minor units, as in a quote or {@link Figures}. */
interface NewConversion
  extends Omit<ConversionData, keyof Exchange>,
    Pick<ConversionData, "provider" | "route" | "source_currency" | "destination_currency" | "rate"> {
  readonly price: Figures<string>
}

/**
 * Takes the first step of a conversion. Its changes reserve the full source amount on `source_account`, publish `conversion.created` and
 * submit the conversion. The caller commits them, together with the unique key of the reference and the execution of the quote, if any.
 *
 * `root_id`: the resource that the conversion descends from, null when it is its own root. It always retries (PAYOUT-2).
 */
export const beginConversion = (
  base: {
    readonly merchant_id: string
    readonly id: string
    readonly customer_id: string
    readonly root_id: string | null
  },
  { price, ...data }: NewConversion,
  at: number
): Effect.Effect<Stepped<ConversionData>, never, Ids> =>
  begin<ConversionData>(
    ConversionKind,
    base,
    { ...noPayout, ...data, ...toExchange(price, data), retry_on_failure: true },
    at
  )

export const CreateConversion = Schema.Struct({
  ...execution,
  metadata: Optional(Metadata)
}).annotate({ identifier: "CreateConversion" })
export type CreateConversion = typeof CreateConversion.Type

export const ListConversions = makeMovementQuery(conversionStatuses)

const makeDeps = Effect.all({ unitOfWork: UnitOfWork, routes: Routes })
type Deps = Effect.Success<typeof makeDeps>

/**
 * Decides a conversion: reserves the full source amount of a quote. Both legs settle together at success. Insufficient funds leave the
 * quote active (MOVEMENT-5). Errors: `NotFound`.
 */
const decideConversion = Effect.fnUntraced(function* (
  { routes, unitOfWork }: Deps,
  { merchant_id }: Call,
  input: CreateConversion,
  { id, reference, at, quote }: QuotedCreation
) {
  const { data: q } = quote
  const [source, destination, customer] = yield* unitOfWork.loadAll(
    merchant_id,
    [WalletKind, q.source_wallet_id ?? ""],
    [WalletKind, q.destination_wallet_id ?? ""],
    [CustomerKind, q.customer_id]
  )
  const route = yield* routes.requireOrder("quote_id", {
    operation: "conversion",
    merchant_id,
    currency: q.source_currency,
    destination_currency: q.destination_currency,
    country_code: null,
    network: null,
    amount: displayAmount(q.source_amount, q.source_currency)
  })
  const movement = yield* beginConversion(
    { merchant_id, id, customer_id: q.customer_id, root_id: null },
    {
      reference,
      quote_id: quote.id,
      rate_source: "quoted",
      customer: customerSummary(customer),
      originator: toOriginator(null, customer),
      source_account: available(source.id),
      source_wallet: walletSummary(source),
      credential_id: null,
      destination_wallet: walletSummary(destination),
      ...toRouteMembers(route),
      price: q,
      source_currency: q.source_currency,
      destination_currency: q.destination_currency,
      rate: q.rate,
      rate_locked_until: q.expires_at,
      parent_transaction_id: null,
      metadata: input.metadata ?? {}
    },
    at
  )
  return { movement }
})

export class Conversions extends Context.Service<Conversions>()("corridor/engine/Conversions", {
  make: Effect.gen(function* () {
    const deps = yield* makeDeps
    const { createOnce, decision } = yield* makeCreation(
      ConversionKind,
      conversionBody,
      decideExecution(deps.unitOfWork, "conversion", (call, input: CreateConversion, execution) =>
        decideConversion(deps, call, input, execution)
      )
    )
    return { create: createOnce, decision, ...(yield* makeReads(ConversionKind, ListConversions, conversionBody)) }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
