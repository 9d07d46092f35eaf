/** How movements are created: what a transfer, an offramp, an onramp and a conversion have in common. */
import { Clock, Effect, Schema } from "effect"
import type { Exchange } from "../../../machines/kernel/exchange.ts"
import type { Payout } from "../../../machines/kernel/payout.ts"
import type { Figures } from "../../../machines/kernel/pricing.ts"
import type { QuoteData } from "../../../machines/movements/quote.ts"
import type { BeneficiaryData } from "../../../machines/parties/beneficiary.ts"
import type { CustomerData } from "../../../machines/parties/customer.ts"
import type { SenderData } from "../../../machines/parties/sender.ts"
import type { PayoutParties } from "../../../machines/parties/summaries.ts"
import type { WalletData } from "../../../machines/wallets/wallet.ts"
import type { Call } from "../../commit/call.ts"
import { referenceScope } from "../../calls/reference.ts"
import { uniqueKey, type ChangeSet } from "../../commit/changeset.ts"
import type { Stepped } from "../../commit/steps.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { hasPrefix, listing, Optional } from "../../input/schemas.ts"
import type { Fault, Refusal } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { beneficiaryBody } from "../../representations/parties/beneficiary.ts"
import { customerSummary } from "../../representations/parties/customer.ts"
import { senderSummary } from "../../representations/parties/sender.ts"
import { walletSummary } from "../../representations/wallets/wallet.ts"
import { destinationOf } from "../parties/beneficiary-details.ts"
import { originatorOf } from "../parties/sender.ts"
import { execute as executed, type Execution } from "./execution.ts"

/** The schema of the query of a list of movements. */
export const movementQuery = <const Status extends string>(statuses: ReadonlyArray<Status>) =>
  Schema.Struct({
    status: Optional(Schema.Literals(statuses)),
    customer_id: Optional(Schema.String),
    wallet_id: Optional(Schema.String),
    reference: Optional(Schema.String),
    ...listing
  })

/** What `/v1` shows for the states of a payout that the provider has in hand, or may have. */
export const underWayStatuses: Readonly<Record<string, string>> = {
  submitting: "processing",
  unknown: "temporary_failure",
  waiting: "temporary_failure"
}

/** What a movement is created with. `reference` is the one given, or a new one; `at` is epoch milliseconds. */
export interface Creation {
  readonly id: string
  readonly reference: string
  readonly at: number
}

/** A movement in its first step, and what is written with it: unique keys are checked in this order. */
export interface Created<Data> {
  readonly before?: ReadonlyArray<ChangeSet>
  readonly movement: Stepped<Data>
  readonly after?: ReadonlyArray<ChangeSet>
}

/** Who takes part in a payout, as they are now. */
export const partiesOf = (
  wallet: Row<WalletData>,
  beneficiary: Row<BeneficiaryData>,
  customer: Row<CustomerData>,
  sender: Row<SenderData> | null
): PayoutParties => ({
  wallet_id: wallet.id,
  beneficiary_id: beneficiary.id,
  customer: customerSummary(customer),
  wallet: walletSummary(wallet),
  beneficiary: beneficiaryBody(beneficiary),
  destination: destinationOf(beneficiary.data.details),
  sender: sender === null ? null : senderSummary(sender),
  originator: originatorOf(sender, customer)
})

/** The members of an exchange that follow from its price: `figures` and the rate, as a quote or a deposit locked them. */
export const exchangeOf = (
  figures: Figures<string>,
  { source_currency, destination_currency, rate }: Pick<Exchange, "source_currency" | "destination_currency" | "rate">
): Omit<Exchange, keyof Payout> => ({
  source_amount: figures.source_amount,
  source_currency,
  gateway_fee: figures.gateway_fee,
  destination_amount: figures.destination_amount,
  destination_currency,
  network_fee: figures.network_fee,
  quoted_received_amount: figures.received_amount,
  residue: figures.residue,
  rate,
  received_amount: null,
  settled_at: null
})

/** What a request may be refused with because another took its reference meanwhile, or its quote has expired since. */
const overtaken: ReadonlySet<string> = new Set(["DuplicateResource", "InvalidStatus", "InsufficientFunds"])

/** The ways to create a movement of a kind. All answer with the body of the movement. */
export const creationOf = <Data, Body>(kind: ResourceKind<Data>, bodyOf: (row: Row<Data>) => Body) =>
  Effect.gen(function* () {
    const unitOfWork = yield* UnitOfWork
    const storage = yield* Storage
    const ids = yield* Ids

    /** Creates one. Errors: those of `make`; `DuplicateResource` for a reference in use. */
    const create = Effect.fnUntraced(function* <E, R>(
      call: Call,
      given: string | undefined,
      make: (creation: Creation) => Effect.Effect<Created<Data>, E, R>
    ) {
      // Made once: however often this is decided, the provider is asked about one movement.
      const id = yield* ids.make(kind.prefix)
      return yield* unitOfWork.write(
        call,
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          const reference = given ?? (yield* ids.make("ref"))
          const { before = [], movement, after = [] } = yield* make({ id, reference, at })
          return {
            changes: [...before, movement.changes, uniqueKey(referenceScope, reference, id), ...after],
            result: bodyOf(movement.row)
          }
        }).pipe(Effect.provideService(Ids, ids))
      )
    })

    /**
     * Creates one that executes a quote of its kind.
     *
     * Errors: those of `create`; `NotFound`; `InvalidInput` for another operation's quote or a currency that is not the
     * quote's; `DuplicateResource` for an executed quote; `InvalidStatus` for an expired one.
     */
    const execute = <E, R>(
      call: Call,
      input: Execution,
      make: (creation: Creation & { readonly quote: Row<QuoteData> }) => Effect.Effect<Created<Data>, E, R>
    ) =>
      create(
        call,
        input.reference,
        Effect.fnUntraced(function* (creation) {
          const { quote, changes } = yield* executed(unitOfWork, call, kind.kind, input, creation.id, creation.at)
          return { ...(yield* make({ ...creation, quote })), before: changes }
        })
      )

    /** The movement of this kind that holds a reference. */
    const existing = Effect.fnUntraced(function* (call: Call, reference: string) {
      const id = yield* storage.uniqueKeyOwner(call.merchant_id, referenceScope.name, reference)
      if (id === undefined || !hasPrefix(kind.prefix, id)) return undefined
      const row = yield* unitOfWork.load(kind, call.merchant_id, id)
      call.existing?.()
      return bodyOf(row)
    })

    /**
     * As `execute`, and answers with the movement of the same kind that holds the reference already: a caller that lost the
     * response asks again, and the quote that was sent stays as it is (REFERENCE-3). The reference is looked up before
     * anything else, so that a repeat is answered whatever has become of its quote, and again when another request took it
     * meanwhile.
     */
    const executeOnce = Effect.fnUntraced(function* <E extends Refusal | Fault, R>(
      call: Call,
      input: Execution,
      make: (creation: Creation & { readonly quote: Row<QuoteData> }) => Effect.Effect<Created<Data>, E, R>
    ) {
      const { reference } = input
      const making = execute(call, input, make)
      if (reference === undefined) return yield* making
      const found = yield* existing(call, reference)
      if (found !== undefined) return found
      return yield* Effect.catchIf(
        making,
        ({ _tag }) => overtaken.has(_tag),
        (error) =>
          Effect.flatMap(existing(call, reference), (other) =>
            other === undefined ? Effect.fail(error) : Effect.succeed(other)
          )
      )
    })

    return { create, execute, executeOnce }
  })
