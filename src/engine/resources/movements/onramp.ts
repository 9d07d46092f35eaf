/** Onramps: external fiat to a crypto wallet (ONRAMP-1, MOVEMENT-4). */
import { Context, Effect, Layer, Schema } from "effect"
import { findEarnedFees } from "../../../machines/kernel/exchange.ts"
import { countShortage, hasRefundFailed, noPayout } from "../../../machines/kernel/payout.ts"
import { Onramp, type OnrampData, type OnrampEvent } from "../../../machines/movements/onramp.ts"
import type { Call } from "../../commit/call.ts"
import { begin, jobId } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { combineDerivedWrites, type TransactionKind } from "../../commit/kind.ts"
import { Providers } from "../../ports/Provider.ts"
import { Routes } from "../../calls/Routes.ts"
import { displayAmount } from "../../reference/currencies.ts"
import { customerSummary } from "../../representations/parties/customer.ts"
import { onrampBody, onrampEvent, onrampStatuses, onrampTransaction } from "../../representations/movements/onramp.ts"
import { walletSummary } from "../../representations/wallets/wallet.ts"
import { Metadata, Optional } from "../../input/schemas.ts"
import { deriveStatementReference } from "../../input/statement-reference.ts"
import { CustomerKind } from "../parties/customer.ts"
import { recordDiscrepancies } from "../deposits/discrepancies.ts"
import { keepRecalled, recordUnappliedFunds } from "../deposits/exception.ts"
import {
  makeCreation,
  makeExchangeCommand,
  toExchangeSum,
  decideExecution,
  execution,
  releaseLimits,
  makeMovementKind,
  makeMovementQuery,
  putHolderFirst,
  type QuotedCreation,
  toRouteMembers,
  type TakenAndReceived,
  underWayStatuses
} from "./creation.ts"
import { makeReads } from "../../calls/reads.ts"
import { toOnrampTarget, registerTarget } from "../deposits/payin-target.ts"
import { awaitAnswer } from "../../calls/provider-call.ts"
import { toOriginator } from "../parties/sender.ts"
import { WalletKind } from "../wallets/wallet.ts"

/** How long the rate is locked and the deposit is accepted after the quote's execution, in milliseconds (ONRAMP-6). */
const rateLock = 30 * 60 * 1000

const statuses: Readonly<Record<string, string>> = {
  ...underWayStatuses,
  queued: "processing",
  refunding: "processing",
  failed_again: "failed"
}

/** The amounts that an onramp takes from its payer, and that the wallet receives. */
const toTakenAndReceived = ({ actual, funded_amount, quoted, ...o }: OnrampData): TakenAndReceived => [
  [funded_amount ?? quoted.source_amount, o.source_currency],
  [(actual ?? quoted).received_amount, o.destination_currency]
]

/** The words after which an onramp that was recalled is not submitted again. */
const wasNotExecuted: ReadonlySet<string> = new Set(["provider.unavailable", "provider.absent", "payout.begun"])

const common = makeMovementKind(
  "onramp",
  toTakenAndReceived,
  (o) => [`wallet_id=${o.wallet.id}`],
  (o) => (o.actual === null ? [] : findEarnedFees({ ...o, ...o.actual }, countShortage(o)))
)

export const OnrampKind: TransactionKind<OnrampData, OnrampEvent> = {
  ...common,
  prefix: "onr",
  lifecycle: Onramp,
  status: (state) => statuses[state] ?? state,
  searchValues: (o) => ({
    ...common.searchValues(o),
    // A payer may pay another amount than was quoted: both are its amounts.
    amounts: [
      ...common.searchValues(o).amounts,
      [o.quoted.source_amount, o.source_currency],
      [o.quoted.received_amount, o.destination_currency]
    ],
    references: [o.reference, o.deposit_instruction.depositReference],
    provider_references: [o.payin_id]
  }),
  events: { category: "onramp", object: onrampEvent },
  transaction: onrampTransaction,
  conversion: (row, id) => {
    const { actual, source_currency, destination_currency, terms } = row.data
    return makeExchangeCommand(
      row,
      id,
      [actual === null ? 0n : BigInt(actual.source_amount) - BigInt(actual.gateway_fee), source_currency],
      [actual?.destination_amount ?? "0", destination_currency],
      terms.rate
    )
  },
  refund: ({ merchant_id, id: resource_id, data: o }, id) => ({
    id,
    statement_reference: deriveStatementReference(id),
    merchant_id,
    resource_id,
    payin_id: o.payin_id ?? "",
    amount: displayAmount(o.funded_amount ?? "0", o.source_currency),
    currency: o.source_currency
  }),
  controlledAction: ({ customer_id, data: { quoted, ...o }, version }) =>
    version > 1
      ? undefined
      : {
          words: ["onramp"],
          sums: [
            toExchangeSum({ ...o, ...quoted, quoted_received_amount: quoted.received_amount, rate: o.terms.rate })
          ],
          customer_id,
          wallet_id: o.wallet.id,
          field: "quote_id"
        },
  // The money belongs to the payer: it can be refunded, but has no wallet to credit.
  derivedWrites: combineDerivedWrites(
    releaseLimits,
    recordUnappliedFunds((o) => ({
      amount: o.funded_amount ?? "0",
      currency: o.source_currency,
      payin_id: o.payin_id,
      wallet_id: null
    })),
    keepRecalled(({ data, machine, state, via }) =>
      wasNotExecuted.has(via) && Onramp.hasEnded(state, machine) && !hasRefundFailed(data)
        ? { amount: data.funded_amount ?? "0", currency: data.source_currency, payin_id: data.payin_id }
        : undefined
    ),
    recordDiscrepancies((o) =>
      o.discrepancy?.reason === "partial_return"
        ? { payin_id: o.payin_id, wallet_id: null }
        : { payin_id: null, wallet_id: o.wallet.id }
    )
  )
}

export const CreateOnramp = Schema.Struct({
  ...execution,
  metadata: Optional(Metadata)
}).annotate({ identifier: "CreateOnramp" })
export type CreateOnramp = typeof CreateOnramp.Type

export const ListOnramps = makeMovementQuery(onrampStatuses)

const makeDeps = Effect.all({ unitOfWork: UnitOfWork, routes: Routes, providers: Providers })
type Deps = Effect.Success<typeof makeDeps>

/**
 * Decides an onramp: locks the rate of a quote, and requests the account that the payer sends the money to.
 *
 * Errors: `NotFound`; `ExternalServiceUnavailable` when the provider returns no account, which leaves the quote active.
 */
const decideOnramp = Effect.fnUntraced(function* (
  { providers, routes, unitOfWork }: Deps,
  { merchant_id }: Call,
  input: CreateOnramp,
  { id, reference, at, quote }: QuotedCreation
) {
  const { data: q } = quote
  const [wallet, customer] = yield* unitOfWork.loadAll(
    merchant_id,
    [WalletKind, q.destination_wallet_id ?? ""],
    [CustomerKind, q.customer_id]
  )
  const rate_locked_until = at + rateLock
  const amount = displayAmount(q.source_amount, q.source_currency)
  const [payin_provider] = yield* routes.requireOrder("quote_id", {
    operation: "payin",
    merchant_id,
    currency: q.source_currency,
    country_code: q.source_country_code,
    network: "bank",
    amount
  })
  const converters = yield* routes.requireOrder("quote_id", {
    operation: "conversion",
    merchant_id,
    currency: q.source_currency,
    destination_currency: q.destination_currency,
    country_code: null,
    network: null,
    amount
  })
  const route = toRouteMembers(putHolderFirst(payin_provider, converters))
  const deposit_instruction = yield* awaitAnswer(
    "the account to pay to",
    { name: payin_provider },
    providers.byName(payin_provider)!.payins!.instruct!({
      // It may be decided again, with the time of then: an id is one request for ever.
      id: jobId(id, `instruction_${rate_locked_until}`),
      merchant_id,
      resource_id: id,
      amount,
      currency: q.source_currency,
      country_code: q.source_country_code,
      expires_at: rate_locked_until
    })
  )
  const movement = yield* begin(
    OnrampKind,
    { merchant_id, id, customer_id: q.customer_id },
    {
      ...noPayout,
      reference,
      quote_id: quote.id,
      customer: customerSummary(customer),
      originator: toOriginator(null, customer),
      wallet: walletSummary(wallet),
      ...route,
      ...(route.provider === payin_provider ? {} : { payin_provider }),
      source_currency: q.source_currency,
      destination_currency: q.destination_currency,
      terms: q.terms,
      quoted: {
        source_amount: q.source_amount,
        gateway_fee: q.gateway_fee,
        destination_amount: q.destination_amount,
        network_fee: q.network_fee,
        received_amount: q.received_amount,
        residue: q.residue
      },
      rate_locked_until,
      deposit_instruction,
      payin_id: null,
      funded_amount: null,
      actual: null,
      received_amount: null,
      settled_at: null,
      retry_on_failure: true,
      metadata: input.metadata ?? {}
    },
    at
  )
  const target = registerTarget(toOnrampTarget(movement.row.data), payin_provider, { kind: OnrampKind.kind, id })
  return { movement, after: [target] }
})

export class Onramps extends Context.Service<Onramps>()("corridor/engine/Onramps", {
  make: Effect.gen(function* () {
    const deps = yield* makeDeps
    const { createOnce, decision } = yield* makeCreation(
      OnrampKind,
      onrampBody,
      decideExecution(deps.unitOfWork, "onramp", (call, input: CreateOnramp, execution) =>
        decideOnramp(deps, call, input, execution)
      )
    )
    return { create: createOnce, decision, ...(yield* makeReads(OnrampKind, ListOnramps, onrampBody)) }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
