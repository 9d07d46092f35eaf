/** Creation of movements: what transfers, offramps, onramps and conversions have in common, and the execution of a quote (QUOTE-3). */
import { Clock, Effect, Schema, Struct } from "effect"
import type { ActSum } from "../../../machines/controls/approval-rule.ts"
import type { Exchange } from "../../../machines/kernel/exchange.ts"
import { type Counted, hasRefundFailed, type Payout } from "../../../machines/kernel/payout.ts"
import { convertAtMid, type Figures } from "../../../machines/kernel/pricing.ts"
import type { QuoteData } from "../../../machines/movements/quote.ts"
import type { BeneficiaryData } from "../../../machines/parties/beneficiary.ts"
import type { CustomerData } from "../../../machines/parties/customer.ts"
import type { SenderData } from "../../../machines/parties/sender.ts"
import type {
  BeneficiarySummary,
  MovementOriginator,
  PayoutParties,
  PostalAddress
} from "../../../machines/parties/summaries.ts"
import type { WalletData } from "../../../machines/wallets/wallet.ts"
import { ActiveApprovalRules } from "../../calls/ActiveApprovalRules.ts"
import { ActiveLimits, isAmountKey } from "../../calls/ActiveLimits.ts"
import { type Decision, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { sumActs, toLimitedAct, addCounts } from "../../commit/acts.ts"
import { type Call, makeIdFor } from "../../commit/call.ts"
import { type ChangeSet, type KeyScope, referenceScope, requireVersion, takeUniqueKey } from "../../commit/changeset.ts"
import type { Measured } from "../../commit/index-keys.ts"
import type { ResourceKind } from "../../commit/kind.ts"
import type { RowAction } from "../../commit/row-act.ts"
import { begin, type Stepped } from "../../commit/steps.ts"
import { requireSameCurrency } from "../../input/amounts.ts"
import { ofBeneficiary, ofCustomer, ofWallet, makeWordFilter } from "../../input/members.ts"
import { CurrencyEcho, describe, hasPrefix, Id, listing, Optional, ReferenceText } from "../../input/schemas.ts"
import { deriveStatementReference } from "../../input/statement-reference.ts"
import { Ids } from "../../ports/Ids.ts"
import type { ConversionCommand, PayoutCommand, PayoutRecipient } from "../../ports/Provider.ts"
import { type Row, type RowWrite, Storage } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import {
  DuplicateResource,
  type Fault,
  invalid,
  type InvalidInput,
  InvalidStatus,
  type Refusal,
  type Unavailable
} from "../../ports/errors.ts"
import { requireCurrency, displayAmount } from "../../reference/currencies.ts"
import { approvalBodyFor } from "../../representations/controls/approval.ts"
import { beneficiaryBody } from "../../representations/parties/beneficiary.ts"
import { customerSummary } from "../../representations/parties/customer.ts"
import { senderSummary } from "../../representations/parties/sender.ts"
import { walletSummary } from "../../representations/wallets/wallet.ts"
import { toPayoutDestination } from "../parties/beneficiary-details.ts"
import { toOriginator } from "../parties/sender.ts"
import { QuoteKind } from "./quote.ts"

// What the kinds of the four movements have in common: how they are listed, found and counted, and their commands.

/** The index keys of a movement's source and destination currencies. Lists filter by either. */
export const currencyKeys = (sides: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(sides)].map((currency) => `currency=${currency}`)

/** Minor units, and their currency. */
type Sum = readonly [minor: string, currency: string]

/** What a movement takes, and what its recipient receives. Without the second, the recipient receives the first. */
export type TakenAndReceived = readonly [taken: Sum, received?: Sum]

/** The amounts of an exchange for limits: what it takes, fees included, and the worth of that at its rate, rounded up (LIMITS-2). */
export const toExchangeSum = ({
  destination_currency,
  quoted_received_amount,
  rate,
  source_amount,
  source_currency
}: Pick<
  Exchange,
  "source_amount" | "source_currency" | "destination_currency" | "rate" | "quoted_received_amount"
>): ActSum => ({
  taken: [source_amount, source_currency],
  received: [quoted_received_amount, destination_currency],
  worth: [
    convertAtMid(
      BigInt(source_amount),
      [requireCurrency(source_currency), "1"],
      [requireCurrency(destination_currency), rate]
    ).toString(),
    destination_currency
  ]
})

/** Makes the `controlledAction` of a kind of payout. One that waits is reserved, and not submitted (APPROVAL-4). */
export const makePayoutAction =
  <Data>(word: "transfer" | "offramp", field: string, sumOf: (data: Data) => ActSum) =>
  ({ customer_id, data, version }: RowWrite<Data & PayoutParties>): RowAction | undefined =>
    version > 1
      ? undefined
      : {
          words: [word, "payout"],
          sums: [sumOf(data)],
          customer_id,
          wallet_id: data.wallet_id,
          beneficiary_id: data.beneficiary_id,
          field,
          waits: true
        }

/** The `/v1` statuses of a payout that the provider processes, or may have received. */
export const underWayStatuses: Readonly<Record<string, string>> = {
  submitting: "processing",
  unknown: "temporary_failure",
  waiting: "temporary_failure",
  rerouted: "processing"
}

interface Moved extends Payout {
  readonly reference: string
  readonly originator: MovementOriginator
}

/**
 * Makes the members of a kind that all movements have in common. `keys`: the index keys of the wallets and credentials that money leaves or
 * reaches. `fees`: what the movement earns if it succeeds.
 */
export const makeMovementKind = <Data extends Moved>(
  kind: string,
  sums: (data: Data) => TakenAndReceived,
  keys: (data: Data) => ReadonlyArray<string>,
  fees: (data: Data) => NonNullable<Measured["fees"]> = () => []
) =>
  ({
    kind,
    status: (state) => underWayStatuses[state] ?? state,
    indexKeys: (data) => [
      ...keys(data),
      `reference=${data.reference}`,
      `type=${kind}`,
      `source_type=${kind}`,
      `source_currency=${sums(data)[0][1]}`,
      ...currencyKeys(sums(data).flatMap((sum) => (sum === undefined ? [] : [sum[1]])))
    ],
    searchValues: (data) => ({
      title: data.reference,
      references: [data.reference],
      amounts: sums(data) as ReadonlyArray<Sum>
    }),
    statistics: (data) => {
      const [[amount, source_currency], [, destination_currency] = ["", source_currency]] = sums(data)
      return { source_currency, destination_currency, amount, fees: fees(data) }
    }
  }) satisfies Partial<ResourceKind<Data>>

/** Makes the members that every command of a movement has. */
const makeCommandMembers = <Kind extends string>(
  { kind, merchant_id, id: resource_id, data }: Row<Moved>,
  id: string
) => ({
  id,
  statement_reference: deriveStatementReference(id),
  merchant_id,
  resource_id,
  kind: kind as Kind,
  originator: data.originator,
  reference: data.reference,
  attempt: data.attempts - 1
})

/** The recipient's address without members that are null. */
const toPostalAddress = (address: BeneficiarySummary["address"]): PostalAddress | null =>
  address === undefined || address === null
    ? null
    : (Object.fromEntries(Object.entries(address).filter(([, value]) => value !== null)) as unknown as PostalAddress)

/** The recipient of a payout, in the currency that the recipient receives. */
export const toRecipient = (
  { beneficiary, beneficiary_id, destination }: PayoutParties,
  currency: string
): PayoutRecipient => ({
  ...{ currency, destination },
  beneficiary: { id: beneficiary_id, name: beneficiary.name, address: toPostalAddress(beneficiary.address) }
})

/** Makes the command to pay the recipient, for each submission and look-up. `narration`: the text that the recipient's bank shows. */
export const toPayoutCommand = (
  row: Row<Moved & PayoutParties>,
  id: string,
  [taken, received = taken]: TakenAndReceived,
  narration: string | null
): PayoutCommand => ({
  ...makeCommandMembers(row, id),
  amount: displayAmount(...received),
  source_amount: displayAmount(...taken),
  source_currency: taken[1],
  ...toRecipient(row.data, received[1]),
  purpose_code: row.data.beneficiary.purpose_code ?? null,
  narration
})

/** Makes the command to exchange the given amount, after the gateway fee, for the amount due. */
export const makeExchangeCommand = (
  row: Row<Moved>,
  id: string,
  given: readonly [minor: bigint, currency: string],
  due: Sum,
  rate: string
): ConversionCommand => ({
  ...makeCommandMembers(row, id),
  source_amount: displayAmount(...given),
  source_currency: given[1],
  destination_amount: displayAmount(...due),
  destination_currency: due[1],
  rate
})

/** Whether a movement has ended without having moved money, as far as this service knows. */
const isUnmoved = ({ data, status }: Row<Payout>): boolean =>
  (status === "failed" || status === "returned") && !hasRefundFailed(data)

/** What an onramp is for, and what was paid. Other movements move what they are for. */
interface Funded {
  readonly quoted?: { readonly source_amount: string }
  readonly funded_amount?: string | null
}

/** Makes the function that scales a count of a movement to the amount that arrived instead of the quoted one, rounded up. */
const scaleToArrival =
  ({ funded_amount, quoted }: Funded) =>
  (one: Counted): Counted => {
    if (typeof funded_amount !== "string" || quoted === undefined || !isAmountKey(one.key)) return one
    const [paid, due] = [BigInt(funded_amount), BigInt(quoted.source_amount)]
    return { ...one, add: ((BigInt(one.add) * paid + due - 1n) / due).toString() }
  }

/** Lists the counts of a movement in limits: those over a limit, made at its approval; of a paid onramp, those of the paid amount. */
const listCounts = (row: Row<Payout & Funded>): ReadonlyArray<Counted> => {
  const { awaiting = 0, counted = [], over } = row.data
  return isUnmoved(row) ? [] : [...counted, ...(awaiting > 0 ? [] : (over?.counts ?? []))].map(scaleToArrival(row.data))
}

/** Makes the counter writes that replace one count by another. They are never refused: the money has moved. */
export const replaceCounts = (was: ReadonlyArray<Counted>, is: ReadonlyArray<Counted>): ReadonlyArray<ChangeSet> => {
  const sums = new Map<string, { readonly key: string; readonly bucket: number; by: bigint }>()
  for (const [all, sign] of [
    [was, -1n],
    [is, 1n]
  ] as const)
    for (const { add, bucket, key } of all) {
      const sum = sums.get(`${key}@${bucket}`) ?? { key, bucket, by: 0n }
      sum.by += sign * BigInt(add)
      sums.set(`${key}@${bucket}`, sum)
    }
  const changed = [...sums.values()].filter(({ by }) => by !== 0n)
  return changed.length === 0
    ? []
    : [{ counters: changed.map(({ bucket, by, key }) => ({ key, bucket, from: null, add: by.toString(), max: null })) }]
}

/**
 * The derived write of each movement (LIMITS-4): its counts are given back in the commit of its end. A payout that comes back after its
 * success was moved, and stays counted. A failed onramp that goes on is counted again: an operator decided that. One that is paid with
 * another amount than was quoted counts the paid amount, from then on. A payout over a limit that asks for approval counts there in the
 * commit of its last approval.
 */
export const releaseLimits = <Data extends Payout>(
  before: Row<Data>,
  after: RowWrite<Data>
): Effect.Effect<ReadonlyArray<ChangeSet>> => {
  const { counted, over } = after.data
  if ((counted === undefined && over === undefined) || before.status === "success") return Effect.succeed([])
  return Effect.succeed(replaceCounts(listCounts(before), listCounts(after)))
}

/** Unique keys of executed quotes. The owner is the movement that executed the quote. */
export const executedScope: KeyScope = {
  name: "quote",
  taken: (id) => `Quote ${id} was already executed. A quote can be executed only once.`
}

/** The input fields of a creation that executes a quote. */
export const execution = {
  quote_id: describe(Id("quo"), "The quote to execute: active, and of this operation."),
  reference: Optional(ReferenceText),
  source_currency: Optional(CurrencyEcho, "If given, it must be the quote's source currency.", "USDC"),
  destination_currency: Optional(CurrencyEcho, "If given, it must be the quote's destination currency.", "NGN")
}

interface QuoteExecution {
  readonly quote_id: string
  readonly reference?: string
  readonly source_currency?: string
  readonly destination_currency?: string
}

/** Lists the rows to prefetch for the execution of a quote. */
export const listPrefetchedQuote = ({ quote_id }: QuoteExecution) => [[QuoteKind, quote_id]] as const

interface Executed {
  readonly quote: Row<QuoteData>
  /** The quote's step and the unique key of its execution. */
  readonly changes: ReadonlyArray<ChangeSet>
}

/**
 * Executes a quote for the movement with the id `by`, and returns it with its changes. `at`: milliseconds since the epoch.
 *
 * Errors: `NotFound`; `InvalidInput` for a quote of another operation, or a currency that differs from the quote's; `DuplicateResource` for
 * an executed quote; `InvalidStatus` for an expired one.
 */
const executeQuote = Effect.fnUntraced(function* (
  unitOfWork: UnitOfWork["Service"],
  call: Call,
  operation: string,
  input: QuoteExecution,
  by: string,
  at: number
) {
  const quote = yield* unitOfWork.load(QuoteKind, call.merchant_id, input.quote_id)
  const { data: q } = quote
  if (q.operation !== operation)
    return yield* invalid(
      "quote_id",
      `Quote ${quote.id} is ${q.operation === "conversion" ? "a" : "an"} ${q.operation} quote.`
    )
  yield* requireSameCurrency("source_currency", input.source_currency, q.source_currency, "the quote's source currency")
  yield* requireSameCurrency(
    "destination_currency",
    input.destination_currency,
    q.destination_currency,
    "the quote's destination currency"
  )
  if (quote.status === "executed")
    return yield* new DuplicateResource({
      message: `Quote ${quote.id} was already executed by ${q.executed_by}. A quote can be executed only once.`
    })
  const executed = yield* unitOfWork.step(QuoteKind, quote, { type: "execute", by, at }, at)
  if (executed === undefined)
    return yield* new InvalidStatus({
      message: `Quote ${quote.id} expired at ${iso(q.expires_at)}. Create a new quote.`
    })
  return {
    quote,
    changes: [executed.changes, takeUniqueKey(executedScope, quote.id, by)]
  } satisfies Executed as Executed
})

/** Makes the schema of the query of a list of movements. */
export const makeMovementQuery = <const Status extends string>(statuses: ReadonlyArray<Status>) =>
  Schema.Struct({
    status: makeWordFilter(statuses, "status"),
    customer_id: ofCustomer,
    wallet_id: ofWallet,
    reference: Optional(Schema.String, "Only the movement with this reference.", "INV/2026/1042"),
    ...listing
  })

/** Makes the schema of the query of a list of payouts. */
export const makePayoutQuery = <const Status extends string>(statuses: ReadonlyArray<Status>) =>
  Schema.Struct({ beneficiary_id: ofBeneficiary, ...makeMovementQuery(statuses).fields })

/** The members of a new movement that say which provider executes it (ROUTE-1), from the order of {@link Routes}. */
export const toRouteMembers = ([provider, ...route]: readonly [string, ...ReadonlyArray<string>]): Required<
  Pick<Payout, "provider" | "route">
> => ({ provider, route })

/**
 * Orders the providers that can convert money which `holder` has received: `holder` first if it is one of them, because the money then
 * stays where it is. Without any, the holder: its submissions wait for a provider that converts.
 */
export const putHolderFirst = (
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
interface Created<Data> {
  readonly before?: ReadonlyArray<ChangeSet>
  readonly movement: Stepped<Data>
  readonly after?: ReadonlyArray<ChangeSet>
  /** Whom a payout pays. */
  readonly payee?: Row<BeneficiaryData>
}

/** Copies the parties of a payout as they are when it is made. */
export const snapshotParties = (
  wallet: Row<WalletData>,
  beneficiary: Row<BeneficiaryData>,
  customer: Row<CustomerData>,
  sender: Row<SenderData> | null
): PayoutParties => ({
  wallet_id: wallet.id,
  beneficiary_id: beneficiary.id,
  customer: customerSummary(customer),
  wallet: walletSummary(wallet),
  beneficiary: { ...beneficiaryBody(beneficiary), details: beneficiary.data.details },
  destination: toPayoutDestination(beneficiary.data.details),
  sender: sender === null ? null : senderSummary(sender),
  originator: toOriginator(sender, customer)
})

/** The members of an exchange that follow from its price: the figures and the rate that a quote or a deposit locked. */
export const toExchange = (
  figures: Figures<string>,
  { source_currency, destination_currency, rate }: Pick<Exchange, "source_currency" | "destination_currency" | "rate">
): Omit<Exchange, keyof Payout> => ({
  ...Struct.pick(figures, ["source_amount", "gateway_fee", "destination_amount", "network_fee", "residue"]),
  source_currency,
  destination_currency,
  quoted_received_amount: figures.received_amount,
  rate,
  received_amount: null,
  settled_at: null
})

/**
 * The decision of a movement of one kind, from its input. It writes nothing: what it returns is committed by who asked for it, alone or
 * with other movements.
 */
type Decide<Data, Input, Decided extends Creation, E> = (
  call: Call,
  input: Input,
  creation: Decided
) => Effect.Effect<Created<Data>, E, Ids>

/**
 * Makes the function that decides a movement which executes a quote of its operation, with the quote's own step.
 *
 * Errors: those of `decide`; `NotFound`; `InvalidInput` for a quote of another operation, or a currency that differs from the quote's;
 * `DuplicateResource` for an executed quote; `InvalidStatus` for an expired one.
 */
export const decideExecution = <Data, Input extends QuoteExecution, E>(
  unitOfWork: UnitOfWork["Service"],
  operation: string,
  decide: Decide<Data, Input, QuotedCreation, E>
) =>
  Effect.fnUntraced(function* (call: Call, input: Input, creation: Creation) {
    const { quote, changes } = yield* executeQuote(unitOfWork, call, operation, input, creation.id, creation.at)
    const decided: Created<Data> = { ...(yield* decide(call, input, { ...creation, quote })), before: changes }
    return decided
  })

/** Makes a payout wait if rules cover it or it is over limits that ask for approval, and makes its approvals. */
const awaitApprovals = Effect.fnUntraced(function* <Data>(
  rules: ActiveApprovalRules["Service"],
  kind: ResourceKind<Data>,
  call: Call,
  { movement, payee }: Pick<Created<Data>, "movement" | "payee">,
  { sums, words }: RowAction,
  over: ReadonlyArray<string>,
  at: number
) {
  const { customer_id, data, id, merchant_id } = movement.row
  const demands = yield* rules.demands({ merchant_id, words, sums, over })
  if (demands.length === 0) {
    call.waits?.()
    return { movement, waiting: [] }
  }
  const waiting = yield* begin(kind, { merchant_id, id, customer_id }, { ...data, awaiting: demands.length }, at)
  const made_by = yield* rules.callerOf(call)
  const { beneficiary, beneficiary_id } = data as Partial<PayoutParties>
  const about = {
    ...{ operation: words[0], resource_id: id, amounts: sumActs(sums), act: null },
    ...(beneficiary === undefined || beneficiary_id === undefined
      ? {}
      : { recipient: beneficiary.name, beneficiary_id })
  }
  const approvals = yield* Effect.forEach(demands, (demand) => rules.begin(merchant_id, made_by, demand, about, at))
  call.waits?.(approvalBodyFor(approvals[0]!.row, call))
  // Nothing waits for a payee who is blocked meanwhile.
  const unchanged = payee === undefined ? [] : [requireVersion(payee, payee)]
  return { movement: waiting, waiting: [...approvals.map(({ changes }) => changes), ...unchanged] }
})

/** Errors that a concurrent request with the same reference can cause. */
const concurrencyErrors: ReadonlySet<string> = new Set([
  "DuplicateResource",
  "InvalidStatus",
  "InsufficientFunds",
  // It may have taken what was left of a limit.
  "InvalidInput"
])

/** Makes the functions that create a movement of a kind. Each returns the body of the movement. */
export const makeCreation = <Data, Body, Input extends { readonly reference?: string }, E extends Refusal | Fault>(
  kind: ResourceKind<Data>,
  bodyOf: (row: Row<Data>) => Body,
  decide: Decide<Data, Input, Creation, E>
) =>
  Effect.gen(function* () {
    const [unitOfWork, storage, ids, limits] = yield* Effect.all([UnitOfWork, Storage, Ids, ActiveLimits])
    const rules = yield* ActiveApprovalRules

    /** What is written of a payout that it counts, and for what it waits. */
    const admitted = Effect.fnUntraced(function* (call: Call, decided: Created<Data>, act: RowAction, at: number) {
      const { id, merchant_id } = decided.movement.row
      const { changes, counted, later, over } = yield* limits.waitable(toLimitedAct({ ...call, merchant_id }, act), at)
      const { movement, waiting } = yield* awaitApprovals(rules, kind, call, decided, act, over, at)
      const counts = {
        ...(counted.length === 0 ? {} : { counted }),
        ...(over.length === 0 ? {} : { over: { limits: over, counts: later } })
      }
      const made = addCounts([movement.changes], { id, kind: kind.kind }, counts)
      return { row: movement.row, changes: made, after: [...waiting, ...changes] }
    })

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
      Effect.map(makeIdFor(call, ids, kind.prefix), (id) =>
        Effect.gen(function* () {
          const at = yield* Clock.currentTimeMillis
          const reference = input.reference ?? (yield* makeIdFor(call, ids, "ref"))
          const decided = yield* decide(call, input, { id, reference, at })
          const { before = [], after = [], movement } = decided
          const act = kind.controlledAction?.(movement.row)
          const made =
            act?.waits === true
              ? yield* admitted(call, decided, act, at)
              : { row: movement.row, changes: [movement.changes], after: [] }
          const named = takeUniqueKey(referenceScope, reference, id)
          return {
            changes: [...before, ...made.changes, named, ...after, ...made.after],
            result: bodyOf(made.row)
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
