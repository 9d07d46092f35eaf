/** Creation of movements: what transfers, offramps, onramps and conversions have in common. */
import { Clock, Effect, Schema } from "effect"
import type { ControlledWord } from "../../../machines/controls/approval-rule.ts"
import type { Exchange } from "../../../machines/kernel/exchange.ts"
import type { Payout } from "../../../machines/kernel/payout.ts"
import { atMid, type Figures } from "../../../machines/kernel/pricing.ts"
import type { QuoteData } from "../../../machines/movements/quote.ts"
import type { BeneficiaryData } from "../../../machines/parties/beneficiary.ts"
import type { CustomerData } from "../../../machines/parties/customer.ts"
import type { SenderData } from "../../../machines/parties/sender.ts"
import type { PayoutParties } from "../../../machines/parties/summaries.ts"
import type { WalletData } from "../../../machines/wallets/wallet.ts"
import type { Call } from "../../commit/call.ts"
import { ActiveLimits, type LimitedAct, type Waitable } from "../../calls/ActiveLimits.ts"
import { type ActAmount, ActiveApprovalRules } from "../../calls/ActiveApprovalRules.ts"
import { referenceScope } from "../../calls/reference.ts"
import { uniqueKey, type ChangeSet } from "../../commit/changeset.ts"
import { begin, type Stepped } from "../../commit/steps.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import { type Decision, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { hasPrefix, listing, Optional } from "../../input/schemas.ts"
import { ofCustomer, ofWallet, only } from "../../input/members.ts"
import type { Fault, InvalidInput, Refusal, Unavailable } from "../../ports/errors.ts"
import { Ids } from "../../ports/Ids.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { currencyOf } from "../../reference/currencies.ts"
import { shownApproval } from "../../representations/controls/approval.ts"
import { beneficiaryBody } from "../../representations/parties/beneficiary.ts"
import { customerSummary } from "../../representations/parties/customer.ts"
import { senderSummary } from "../../representations/parties/sender.ts"
import { walletSummary } from "../../representations/wallets/wallet.ts"
import { destinationOf } from "../parties/beneficiary-details.ts"
import { originatorOf } from "../parties/sender.ts"
import { execute, type QuoteExecution } from "./execution.ts"
import { withCounted } from "./limit-release.ts"

/** The schema of the query of a list of movements. */
export const movementQuery = <const Status extends string>(statuses: ReadonlyArray<Status>) =>
  Schema.Struct({
    status: only(statuses, "status"),
    customer_id: ofCustomer,
    wallet_id: ofWallet,
    reference: Optional(Schema.String, "Only the movement with this reference.", "INV/2026/1042"),
    ...listing
  })

/** The members of a new movement that say which provider executes it (ROUTE-1), from the order of {@link Routes}. */
export const routed = ([provider, ...route]: readonly [string, ...ReadonlyArray<string>]): Required<
  Pick<Payout, "provider" | "route">
> => ({ provider, route })

/**
 * The converters of money that `holder` has received: `holder` first if it is one of them, because the money then stays where
 * it is. Without any, the holder: its submissions wait for a provider that converts.
 */
export const heldFirst = (
  holder: string,
  converters: ReadonlyArray<string>
): readonly [string, ...ReadonlyArray<string>] => {
  const others = converters.filter((name) => name !== holder)
  const [first = holder, ...rest] = others
  return others.length < converters.length ? [holder, ...others] : [first, ...rest]
}

/** The identity of a new movement. `reference`: the caller's or a generated one. `at`: milliseconds since the epoch. */
export interface Creation {
  readonly id: string
  readonly reference: string
  readonly at: number
}

/** The same, of a movement that executes a quote. */
export interface QuotedCreation extends Creation {
  readonly quote: Row<QuoteData>
}

/** The first step of a movement and the changes written with it. Their order is the order in which keys are checked. */
export interface Created<Data> {
  readonly before?: ReadonlyArray<ChangeSet>
  readonly movement: Stepped<Data>
  readonly after?: ReadonlyArray<ChangeSet>
}

/** The parties of a payout, as they are now. */
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

/** The members of an exchange that follow from its price: the figures and the rate that a quote or a deposit locked. */
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

/**
 * The decision of a movement of one kind, from its input. It writes nothing: what it returns is committed by who asked for it, alone or
 * with other movements.
 */
export type Decide<Data, Input, Decided extends Creation, E> = (
  call: Call,
  input: Input,
  creation: Decided
) => Effect.Effect<Created<Data>, E, Ids>

/**
 * The decision of a movement that executes a quote of its operation, and the quote's own step.
 *
 * Errors: those of `decide`; `NotFound`; `InvalidInput` for a quote of another operation, or a currency that differs from the
 * quote's; `DuplicateResource` for an executed quote; `InvalidStatus` for an expired one.
 */
export const executing = <Data, Input extends QuoteExecution, E>(
  unitOfWork: UnitOfWork["Service"],
  operation: string,
  decide: Decide<Data, Input, QuotedCreation, E>
) =>
  Effect.fnUntraced(function* (call: Call, input: Input, creation: Creation) {
    const { quote, changes } = yield* execute(unitOfWork, call, operation, input, creation.id, creation.at)
    const decided: Created<Data> = { ...(yield* decide(call, input, { ...creation, quote })), before: changes }
    return decided
  })

/** What a movement takes and what its recipient receives, in minor units. */
const amountsOf = (data: unknown): ReadonlyArray<ActAmount> => {
  const m = data as Readonly<Record<string, string | undefined>>
  return [
    [m["amount"], m["currency"]],
    [m["source_amount"], m["source_currency"]],
    [m["quoted_received_amount"], m["destination_currency"]]
  ].flatMap(([amount, currency]) => (amount === undefined || currency === undefined ? [] : [[amount, currency]]))
}

/** The payouts, which wait as movements: their money is reserved, and nothing is submitted (APPROVAL-4). */
const payouts: ReadonlyMap<string, ReadonlyArray<ControlledWord>> = new Map([
  ["transfer", ["transfer", "payout"]],
  ["offramp", ["offramp", "payout"]]
])

/** The movement, which waits if rules cover it or it is over limits that ask for approval, and its approvals. */
const awaited = Effect.fnUntraced(function* <Data>(
  rules: ActiveApprovalRules["Service"],
  kind: ResourceKind<Data>,
  call: Call,
  movement: Stepped<Data>,
  over: ReadonlyArray<string>,
  at: number
) {
  const words = payouts.get(kind.kind)
  if (words === undefined) return { movement, approvals: [] }
  const { customer_id, data, id, merchant_id } = movement.row
  const demands = yield* rules.demands({ merchant_id, words, amounts: amountsOf(data), over })
  const [operation] = words
  if (demands.length === 0 || operation === undefined) {
    call.waits?.()
    return { movement, approvals: [] }
  }
  const waiting = yield* begin(kind, { merchant_id, id, customer_id }, { ...data, awaiting: demands.length }, at)
  const made_by = yield* rules.callerOf(call)
  const recipient = (data as Partial<PayoutParties>).beneficiary?.name
  const about = {
    ...{ operation, resource_id: id, amounts: amountsOf(data), act: null },
    ...(recipient === undefined ? {} : { recipient })
  }
  const approvals = yield* Effect.forEach(demands, (demand) => rules.begin(merchant_id, made_by, demand, about, at))
  call.waits?.(shownApproval(approvals[0]!.row, call))
  return { movement: waiting, approvals: approvals.map(({ changes }) => changes) }
})

/** Errors that a concurrent request with the same reference can cause. */
const concurrencyErrors: ReadonlySet<string> = new Set([
  "DuplicateResource",
  "InvalidStatus",
  "InsufficientFunds",
  // It may have taken what was left of a limit.
  "InvalidInput"
])

export type MovementAct = Omit<LimitedAct, "merchant_id" | "customer_id" | "api_key_id">

/** The amounts of an exchange for limits: what it takes, fees included, and what that is at its rate, rounded up (LIMITS-2). */
export const exchanged = ({
  destination_currency,
  rate,
  source_amount,
  source_currency
}: Pick<Exchange, "source_amount" | "source_currency" | "destination_currency" | "rate">) =>
  [
    [source_amount, source_currency],
    [
      atMid(
        BigInt(source_amount),
        [currencyOf(source_currency), "1"],
        [currencyOf(destination_currency), rate]
      ).toString(),
      destination_currency
    ]
  ] as const

/** The ways to create a movement of a kind. Each returns the body of the movement. */
export const creationOf = <Data, Body, Input extends { readonly reference?: string }, E extends Refusal | Fault>(
  kind: ResourceKind<Data>,
  bodyOf: (row: Row<Data>) => Body,
  decide: Decide<Data, Input, Creation, E>,
  act: (data: NoInfer<Data>) => MovementAct
) =>
  Effect.gen(function* () {
    const unitOfWork = yield* UnitOfWork
    const storage = yield* Storage
    const ids = yield* Ids
    const limits = yield* ActiveLimits
    const rules = yield* ActiveApprovalRules

    /** What a movement counts. A payout waits for approval where a limit asks for one; the creation of another waits as an act. */
    const counting = (limited: LimitedAct, at: number) =>
      payouts.has(kind.kind)
        ? limits.waitable(limited, at)
        : Effect.map(
            limits.admit(limited, at),
            ({ changes, counted }): Waitable => ({ changes: changes(), counted, over: [], later: [] })
          )

    /**
     * Makes the id of a movement, and returns its decision, which is not committed: give its changes, with those of others, to one
     * `UnitOfWork.write`. It may be made again. Decisions of one write do not see each other: what adds up (a balance, a key that two
     * take) is refused in the commit, and nothing is written. Errors of the decision: those of `decide`;
     * `InvalidInput` when a limit has no room for it (LIMITS-5); `ExternalServiceUnavailable` when a limit needs a rate.
     */
    const decision = (call: Call, input: Input) => decisionBy(decide, call, input)

    /** The same, by another decision of the movement: of one that executes a quote which is not stored, for instance. */
    const decisionBy = (
      decide: Decide<Data, Input, Creation, E>,
      call: Call,
      input: Input
    ): Effect.Effect<Effect.Effect<Decision<Body>, E | InvalidInput | Unavailable>> =>
      // The id is not made in the decision: when that is made again, the provider still sees one movement.
      Effect.map(ids.make(kind.prefix), (id) =>
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          const reference = input.reference ?? (yield* ids.make("ref"))
          const decided = yield* decide(call, input, { id, reference, at })
          const { before = [], after = [] } = decided
          const { customer_id, data, merchant_id } = decided.movement.row
          const limited = { merchant_id, customer_id, api_key_id: call.key_id, ...act(data) }
          const { changes, counted, later, over } = yield* counting(limited, at)
          const { approvals, movement } = yield* awaited(rules, kind, call, decided.movement, over, at)
          const made = withCounted(movement.changes, id, {
            ...(counted.length === 0 ? {} : { counted }),
            ...(over.length === 0 ? {} : { over: { limits: over, counts: later } })
          })
          return {
            changes: [...before, made, uniqueKey(referenceScope, reference, id), ...after, ...approvals, ...changes],
            result: bodyOf(movement.row)
          }
        }).pipe(Effect.provideService(Ids, ids))
      )

    /** Creates a movement. Errors: those of the decision; `DuplicateResource` for a reference in use; `InsufficientFunds`. */
    const create = (call: Call, input: Input) =>
      Effect.flatMap(decision(call, input), (decided) => unitOfWork.write(call, decided))

    /** The movement of this kind that has the reference; undefined when there is none. */
    const existing = Effect.fnUntraced(function* (call: Call, reference: string) {
      const id = yield* storage.uniqueKeyOwner(call.merchant_id, referenceScope.name, reference)
      if (id === undefined || !hasPrefix(kind.prefix, id)) return undefined
      const row = yield* unitOfWork.load(kind, call.merchant_id, id)
      call.existing?.()
      return bodyOf(row)
    })

    /**
     * Like `create`, but returns the existing movement of the same kind when its reference is in use, and writes nothing
     * (REFERENCE-3). A caller that lost the response can therefore retry. The reference is looked up first, so that
     * a retry succeeds whatever the state of its quote, and again when a concurrent request has used it.
     */
    const createOnce = Effect.fnUntraced(function* (call: Call, input: Input) {
      const { reference } = input
      const creation = create(call, input)
      if (reference === undefined) return yield* creation
      const found = yield* existing(call, reference)
      if (found !== undefined) return found
      return yield* Effect.catchIf(
        creation,
        ({ _tag }) => concurrencyErrors.has(_tag),
        (error) =>
          Effect.flatMap(existing(call, reference), (other) =>
            other === undefined ? Effect.fail(error) : Effect.succeed(other)
          )
      )
    })

    return { decision, decisionBy, create, createOnce }
  })
