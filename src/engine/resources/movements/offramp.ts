/** Offramps: the execution of an offramp quote (OFFRAMP-2, MOVEMENT-4). */
import { Context, Effect, Layer, Schema } from "effect"
import { findEarnedFees, takeQuotedAmount } from "../../../machines/kernel/exchange.ts"
import { noPayout, countShortage } from "../../../machines/kernel/payout.ts"
import type { QuoteData } from "../../../machines/movements/quote.ts"
import { Offramp, type OfframpData, type OfframpEvent } from "../../../machines/movements/offramp.ts"
import type { Call } from "../../commit/call.ts"
import type { ChangeSet } from "../../commit/changeset.ts"
import { begin } from "../../commit/steps.ts"
import { invalid, InvalidStatus, InvariantViolation } from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import { combineDerivedWrites, type TransactionKind } from "../../commit/kind.ts"
import { Routes } from "../../calls/Routes.ts"
import { displayAmount } from "../../reference/currencies.ts"
import {
  offrampBody,
  offrampEvent,
  offrampStatuses,
  offrampTransaction
} from "../../representations/movements/offramp.ts"
import { transactionId } from "../../representations/movements/transaction.ts"
import { Metadata, Optional, Text } from "../../input/schemas.ts"
import { retryOnFailure, sender } from "../../input/members.ts"
import { type Row, type RowWrite } from "../../ports/Storage.ts"
import { BeneficiaryKind } from "../parties/beneficiary.ts"
import { CustomerKind } from "../parties/customer.ts"
import { DepositKind } from "../deposits/deposit.ts"
import { recordDiscrepancies } from "../deposits/discrepancies.ts"
import { refundFailed } from "../deposits/exception.ts"
import {
  makeCreation,
  toExchange,
  toExchangeSum,
  decideExecution,
  execution,
  releaseLimits,
  makeMovementKind,
  makePayoutAction,
  toPayoutCommand,
  makePayoutQuery,
  type QuotedCreation,
  toRouteMembers,
  snapshotParties,
  type TakenAndReceived,
  toRecipient,
  underWayStatuses
} from "./creation.ts"
import { makeReads } from "../../calls/reads.ts"
import { requireActive } from "../parties/screening.ts"
import { findSender } from "../parties/sender.ts"
import { WalletKind } from "../wallets/wallet.ts"

/** Makes the deposit that shows the refund of a returned offramp, for the full source amount (OFFRAMP-13). */
const makeReversal = (
  before: Row<OfframpData>,
  after: RowWrite<OfframpData>,
  at: number
): Effect.Effect<ReadonlyArray<ChangeSet>, never, Ids> =>
  after.status !== "returned" || ["created", "approving"].includes(before.state)
    ? Effect.succeed([])
    : Effect.gen(function* () {
        const ids = yield* Ids
        const { data: o } = after
        const deposit = yield* begin(
          DepositKind,
          {
            merchant_id: after.merchant_id,
            id: yield* ids.make(DepositKind.prefix),
            customer_id: after.customer_id,
            root_id: after.id
          },
          {
            entry: "credited",
            source_type: "offramp_reversal",
            source_id: after.id,
            payin_id: null,
            provider: o.provider,
            customer_id: after.customer_id ?? "",
            wallet_id: o.wallet_id,
            amount: o.source_amount,
            currency: o.source_currency,
            transaction_hash: null,
            hold_reason: null,
            failure_reason: null,
            reference: null,
            metadata: {},
            observed_at: at,
            confirmed_at: at,
            parent_transaction_id: transactionId(after.id)
          },
          at,
          "reversal"
        )
        return [deposit.changes]
      })

/** The amounts that an offramp takes, and that its recipient receives. */
const toTakenAndReceived = (o: OfframpData): TakenAndReceived => [
  [o.source_amount, o.source_currency],
  [o.quoted_received_amount, o.destination_currency]
]

export const OfframpKind: TransactionKind<OfframpData, OfframpEvent> = {
  ...makeMovementKind(
    "offramp",
    toTakenAndReceived,
    (o) => [`wallet_id=${o.wallet_id}`, `beneficiary_id=${o.beneficiary_id}`],
    (o) => findEarnedFees(takeQuotedAmount(o), countShortage(o))
  ),
  prefix: "ofr",
  lifecycle: Offramp,
  status: (state) => (state === "approving" ? "created" : (underWayStatuses[state] ?? state)),
  events: { category: "offramp", object: offrampEvent },
  transaction: offrampTransaction,
  payout: (row, id) => toPayoutCommand(row, id, toTakenAndReceived(row.data), row.data.narration),
  controlledAction: makePayoutAction("offramp", "quote_id", toExchangeSum),
  derivedWrites: combineDerivedWrites(
    makeReversal,
    refundFailed,
    releaseLimits,
    // The wallet holds another currency: an operator who credits the difference names a wallet that holds this one.
    recordDiscrepancies((o) => ({ payin_id: null, wallet_id: o.wallet_id }))
  )
}

export const CreateOfframp = Schema.Struct({
  ...execution,
  narration: Optional(Text(140), "The text that the recipient's bank shows.", "Invoice 77"),
  sender_id: sender,
  retry_on_failure: retryOnFailure,
  metadata: Optional(Metadata)
}).annotate({ identifier: "CreateOfframp" })
export type CreateOfframp = typeof CreateOfframp.Type

export const ListOfframps = makePayoutQuery(offrampStatuses)

/** Chooses the sender of the request or of the quote. Errors: `InvalidInput` when both name a sender and they differ. */
const chooseSender = (given: string | undefined, quoted: string | null) =>
  given === undefined || quoted === null || given === quoted
    ? Effect.succeed(given ?? quoted)
    : Effect.fail(invalid("sender_id", `sender_id is ${given}, but the quote was created for ${quoted}.`))

const makeDeps = Effect.all({ unitOfWork: UnitOfWork, routes: Routes, ids: Ids })
type Deps = Effect.Success<typeof makeDeps>

/**
 * Decides an offramp: reserves the full source amount of a quote, and pays it out asynchronously. Insufficient funds leave the quote active
 * (MOVEMENT-5).
 *
 * Errors: `InvalidInput` for a sender that differs from the quote's; `NotFound`; `InvalidStatus` for a beneficiary that is not active or
 * was modified after the quote.
 */
const decideOfframp = Effect.fnUntraced(function* (
  { ids, routes, unitOfWork }: Deps,
  { merchant_id }: Call,
  input: CreateOfframp,
  { id, reference, at, quote }: QuotedCreation
) {
  const { data: q } = quote
  const [wallet, beneficiary, customer] = yield* unitOfWork.loadAll(
    merchant_id,
    [WalletKind, q.source_wallet_id ?? ""],
    [BeneficiaryKind, q.beneficiary_id ?? ""],
    [CustomerKind, q.customer_id]
  )
  const sender = yield* findSender(
    unitOfWork,
    merchant_id,
    yield* chooseSender(input.sender_id, q.sender_id ?? null),
    q.customer_id
  )
  if (beneficiary.data.type !== "fiat") throw new InvariantViolation(`quote ${quote.id} has a fiat beneficiary`)
  yield* requireActive(beneficiary)
  if (beneficiary.data.screening_id !== q.screening_id)
    return yield* new InvalidStatus({
      message: `Beneficiary ${beneficiary.id} was modified after quote ${quote.id} was created. Create a new quote.`
    })
  const parties = snapshotParties(wallet, beneficiary, customer, sender)
  const request = {
    operation: "payout",
    merchant_id,
    currency: q.destination_currency,
    country_code: "country_code" in beneficiary.data.details ? beneficiary.data.details.country_code : null,
    network: "bank",
    amount: displayAmount(q.received_amount, q.destination_currency)
  } as const
  const route = yield* routes.requireOrderTo("quote_id", request, toRecipient(parties, q.destination_currency))
  const movement = yield* begin(
    OfframpKind,
    { merchant_id, id, customer_id: q.customer_id },
    {
      ...noPayout,
      reference,
      quote_id: quote.id,
      ...parties,
      payment_instrument_id: yield* ids.make("pay"),
      ...toRouteMembers(route),
      narration: input.narration ?? null,
      ...toExchange(q, q),
      rate_locked_until: q.expires_at,
      retry_on_failure: input.retry_on_failure ?? false,
      metadata: input.metadata ?? {}
    },
    at
  )
  return { movement, payee: beneficiary }
})

export class Offramps extends Context.Service<Offramps>()("corridor/engine/Offramps", {
  make: Effect.gen(function* () {
    const deps = yield* makeDeps
    const { create, decision, decisionBy } = yield* makeCreation(
      OfframpKind,
      offrampBody,
      decideExecution(deps.unitOfWork, "offramp", (call, input: CreateOfframp, execution) =>
        decideOfframp(deps, call, input, execution)
      )
    )
    return {
      create,
      decision,
      /** The decision of an offramp that would execute a quote which is not stored. Nothing can commit it. */
      preview: (call: Call, quote: Row<QuoteData>, reference: string) =>
        Effect.flatten(
          decisionBy((call, input, creation) => decideOfframp(deps, call, input, { ...creation, quote }), call, {
            quote_id: quote.id,
            reference
          })
        ),
      ...(yield* makeReads(OfframpKind, ListOfframps, offrampBody))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
