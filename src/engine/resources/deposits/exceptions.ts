/** The operator's list of exceptions, and their resolution (EXCEPTION-3). */
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import {
  type Credited,
  Exception,
  type ExceptionData,
  exceptionReasons,
  findMoney
} from "../../../machines/deposits/exception.ts"
import { Onramp, type OnrampData } from "../../../machines/movements/onramp.ts"
import type { CustomerData } from "../../../machines/parties/customer.ts"
import { isOpenForLateApproval, type VerificationData } from "../../../machines/parties/verification.ts"
import type { Call, Source } from "../../commit/call.ts"
import { addNote, type ChangeSet } from "../../commit/changeset.ts"
import { InvalidStatus, type StorageFault, type Unavailable } from "../../ports/errors.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { isAnothers, payinProviderOf, type ProviderEvent } from "../../ports/Provider.ts"
import { displayAmount } from "../../reference/currencies.ts"
import {
  amountOf,
  anyIdOf,
  currencyCodeOf,
  idOf,
  orNull,
  textOf,
  timeOf,
  times,
  wordOf,
  bodyOf
} from "../../representations/members.ts"
import { describe, Id, listing, Optional, Text } from "../../input/schemas.ts"
import { type Row, type RowKey, Storage } from "../../ports/Storage.ts"
import { isoOrNull } from "../../ports/Time.ts"
import { confirmedAgain, ExceptionKind, creditBody, hasConfirmedAgain, makeExceptionVersion } from "./exception.ts"
import { ExceptionCredits } from "./exception-credit.ts"
import { checkVersion, listRows, toIndexKeys } from "../../calls/list.ts"
import { findOfAnyMerchant } from "../../calls/reads.ts"
import { OnrampKind } from "../movements/onramp.ts"
import { CustomerKind } from "../parties/customer.ts"
import { VerificationKind } from "../parties/verification.ts"
import { isAboutCustomer } from "../parties/verified-identity.ts"
import { VerificationOutcomes } from "../parties/verification-outcome.ts"

const resolutions = ["refund", "credit", "apply", "dismiss"] as const

const resolutionMeanings = {
  refund: "send the money back to its payer",
  credit: "credit it to a wallet",
  apply: "apply the late event as if it had come in time",
  dismiss: "close it; nothing is moved"
}

const ExposureBody = Schema.Struct({
  amount: amountOf("What the platform may lose, in `currency`.", "98.90"),
  currency: currencyCodeOf("The currency of the exposure.")
}).annotate({ identifier: "Exposure", description: "What the platform may lose." })

const ReturnedPartBody = Schema.Struct({
  id: textOf("The provider's id of the part.", "part_2"),
  amount: amountOf("What it brought, in the currency of the return.", "40.00")
}).annotate({ identifier: "ReturnedPart", description: "A part of a return." })

const CreditedBody = Schema.Struct({
  merchant_id: idOf("mer", "The merchant of the wallet."),
  wallet_id: idOf("wal", "The wallet that is credited."),
  transaction_id: idOf("txn", "The deposit's transaction.")
}).annotate({ identifier: "CreditedDeposit", description: "A deposit that the operator made." })

export const ExceptionBody = Schema.Struct({
  id: idOf("exc", "The id of the exception."),
  merchant_id: textOf("The merchant that it concerns, or the platform.", "mer_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  resource_id: orNull(anyIdOf("The resource that it concerns. Null if none is known.", "tfr")),
  resource_kind: orNull(textOf("The kind of the resource. Null if none is known.", "transfer")),
  status: wordOf(["open", "resolved"], "Whether an operator still has to act."),
  reason: textOf("Why it is an exception, in one word.", "contradicts_state"),
  provider: textOf("The provider that reported the event.", "simulated"),
  provider_event: describe(Schema.Unknown, "The event that could not be applied, as the provider reported it.", {
    _tag: "movement",
    outcome: "reversed"
  }),
  recorded: describe(Schema.Unknown, "What was recorded before and is contradicted. Null if nothing was.", {
    outcome: "success"
  }),
  detail: orNull(
    textOf(
      "What could not be taken: the member, what was found in it, and what is taken. Of a recall: that the pay-in was confirmed again. Null where the reason says it all.",
      "amount: found 100; a decimal string such as 100.25 is taken"
    )
  ),
  severity: wordOf(["low", "high"], "How urgent it is.", {
    high: "money may have left twice or be missing, or a customer was told a success that was none"
  }),
  exposure: describe(Schema.NullOr(ExposureBody), "What the platform may lose. Null if nothing."),
  amount: orNull(
    amountOf(
      "The money that came, in `currency`: it is in suspense until the exception is resolved. Null if none came.",
      "25.00"
    )
  ),
  currency: orNull(currencyCodeOf("The currency of `amount`. Null if none came.")),
  parts: describe(
    Schema.Array(ReturnedPartBody),
    "The parts of the return that came after its first report. Their sum is no longer missing.",
    [{ id: "part_2", amount: "40.00" }]
  ),
  actions: describe(
    Schema.Array(Schema.Literals(resolutions)),
    "The actions that are taken now: what its money allows, and `apply` while its resource accepts the event.",
    ["refund", "dismiss"]
  ),
  version: textOf(
    "Another one once it says something else, or of other money. `If-Match` of a resolution takes it.",
    "v5d41402abc4b2a76"
  ),
  action: describe(
    orNull(
      wordOf([...resolutions, "adjust"], "How it was resolved.", {
        ...resolutionMeanings,
        adjust: "an adjusting entry booked it"
      })
    ),
    "How it was resolved. Null while it is open."
  ),
  adjusting_entry_id: orNull(idOf("adj", "The adjusting entry that it ended with. Null for another end.")),
  credited: describe(
    Schema.NullOr(CreditedBody),
    "The deposit that a credit made, or will make when the wallet belongs to another merchant. Null without a credit."
  ),
  note: orNull(textOf("The operator's note. Null while it is open.", "Refunded at the bank's request")),
  resolved_at: orNull(timeOf("When it was resolved. Null while it is open.", "2026-02-02T11:00:00.000Z")),
  ...times
}).annotate({ identifier: "Exception", description: "An event of a provider that an operator has to decide on." })
export type ExceptionBody = typeof ExceptionBody.Type

export const ListExceptions = Schema.Struct({
  status: Optional(Schema.Literals(["open", "resolved"]), "Only exceptions with this status."),
  severity: Optional(Schema.Literals(["low", "high"]), "Only exceptions of this severity."),
  reason: Optional(Schema.Literals(exceptionReasons), "Only exceptions with this reason.", "contradicts_state"),
  merchant_id: Optional(Id("mer"), "Only exceptions of this merchant."),
  resource_id: Optional(Schema.String, "Only exceptions about this resource.", "ofr_01j9z3k4m5n6p7q8r9s0t1v2w3"),
  ...listing
})
export type ListExceptions = typeof ListExceptions.Type

export const ResolveException = Schema.Struct({
  action: wordOf(resolutions, "What to do.", resolutionMeanings),
  wallet_id: Optional(
    Id("wal"),
    "With `credit`: the wallet to credit. Default: the wallet that the money was sent to, if it is known."
  ),
  note: describe(Text(500), "Why. The audit log shows it.", "Refunded at the bank's request")
}).annotate({ identifier: "ResolveException" })
export type ResolveException = typeof ResolveException.Type

type Action = ResolveException["action"]

/** Finds the event of an exception that may be applied although it came late; see `resolveException`. */
const findLateEvent = ({ amount, payin_id, provider_event, recalled, resource_id, resource_kind }: ExceptionData) => {
  const event = provider_event as ProviderEvent | null
  if (event?._tag === "verification")
    return event.outcome === "approved" ? { event, kind: VerificationKind.kind, id: event.resource_id } : undefined
  if (event?._tag !== "payin" || resource_kind !== OnrampKind.kind || recalled === true) return undefined
  return amount === null || payin_id === null || resource_id === null
    ? undefined
    : { event, kind: OnrampKind.kind, id: resource_id, amount, payin_id }
}

/** Finds the key of the resource that the late event of an exception is about. */
const findLateKey = ({ data, merchant_id }: Row<ExceptionData>): RowKey | undefined => {
  const late = findLateEvent(data)
  return late && { merchant_id, kind: late.kind, id: late.id }
}

/** The resource of a late event, and the customer of a verification. */
interface LateSubject {
  readonly row: Row
  readonly customer: Row<CustomerData> | undefined
}

/** Reads the resources of late events, by id. */
const readLateSubjects = Effect.fnUntraced(function* ({ get }: Storage["Service"], keys: ReadonlyArray<RowKey>) {
  const rows = keys.length === 0 ? [] : yield* get(keys)
  const sessions = (rows as ReadonlyArray<Row<VerificationData>>).filter(({ kind }) => kind === VerificationKind.kind)
  const customerKeys = sessions.map(({ data: { customer_id: id }, merchant_id }) => ({
    merchant_id,
    kind: CustomerKind.kind,
    id
  }))
  const customers = customerKeys.length === 0 ? [] : ((yield* get(customerKeys)) as ReadonlyArray<Row<CustomerData>>)
  const customerOf = ({ data }: Row) => customers.find(({ id }) => id === (data as VerificationData).customer_id)
  return new Map(rows.map((row): [string, LateSubject] => [row.id, { row, customer: customerOf(row) }]))
})

/** The event by which an onramp accepts a late payment. Undefined for another late event. */
const toApplication = (late: NonNullable<ReturnType<typeof findLateEvent>>, at: number) =>
  late.amount === undefined
    ? undefined
    : ({
        type: "payin.applied",
        at,
        payin_id: late.payin_id,
        amount: late.amount,
        observed_at: late.event.observed_at
      } as const)

/**
 * Whether the late event of an exception is valid for its resource. The money of a pay-in is with the provider that reported it: an onramp
 * whose payer pays to another one cannot have it.
 */
const isApplicable = ({ data: e }: Row<ExceptionData>, late_subject: LateSubject | undefined, at: number): boolean => {
  const late = findLateEvent(e)
  if (late === undefined || late_subject === undefined) return false
  const { customer, row: subject } = late_subject
  const application = toApplication(late, at)
  if (application === undefined) {
    const session = subject as Row<VerificationData>
    const isOfCustomer = customer !== undefined && isAboutCustomer(session, customer.data)
    return !isAnothers(session, e.provider) && isOpenForLateApproval(session) && isOfCustomer
  }
  const { data, machine, state } = subject as Row<OnrampData>
  return (
    !isAnothers(subject, e.provider, payinProviderOf) &&
    e.currency === data.source_currency &&
    Onramp.knows(machine) &&
    Onramp.step(state, data, application, machine) !== undefined
  )
}

/** A deposit that a credit may make: which one, the operator says. */
const somebody: Credited = { merchant_id: "", customer_id: "", wallet_id: "", transaction_id: "" }

/**
 * Lists the actions that {@link Exceptions} `resolveException` accepts for an exception, as its body offers them. `subject`: the resource
 * of its late event.
 */
const listActions = (row: Row<ExceptionData>, subject: LateSubject | undefined, at: number): ReadonlyArray<Action> => {
  const { data, machine, state } = row
  const accepts = (action: Action): boolean =>
    Exception.step(state, data, { type: "resolve", action, note: "", at, credited: somebody }, machine) !== undefined
  return Exception.knows(machine)
    ? resolutions.filter((action) => accepts(action) && (action !== "apply" || isApplicable(row, subject, at)))
    : []
}

/** Shows the money of an exception that came and has not left since. */
const showMoney = (e: ExceptionData): Pick<ExceptionBody, "amount" | "currency"> => {
  const money = findMoney(e)
  return money === null
    ? { amount: null, currency: (e.gone ?? null) === null ? e.currency : null }
    : { amount: displayAmount(money.amount, money.currency), currency: money.currency }
}

export const exceptionBody = bodyOf(
  ExceptionBody,
  ({ merchant_id, state, status, data: e }: Row<ExceptionData>, actions: ReadonlyArray<Action>) => ({
    merchant_id,
    version: makeExceptionVersion({ state, data: e }),
    severity: e.severity ?? "low",
    exposure:
      e.exposure === undefined || e.exposure === null
        ? null
        : { ...e.exposure, amount: displayAmount(e.exposure.amount, e.exposure.currency) },
    ...showMoney(e),
    detail: [e.detail ?? [], hasConfirmedAgain(e) ? confirmedAgain : []].flat().join(". ") || null,
    parts: (e.rest?.parts ?? []).map(({ amount, id }) => ({ id, amount: displayAmount(amount, e.rest!.currency) })),
    actions,
    adjusting_entry_id: e.action === "adjust" ? (e.adjusting_entry_id ?? null) : null,
    credited: creditBody(e),
    // A recall of which money was paid keeps the decision, and waits for another.
    resolved_at: status === "open" && actions.length > 0 ? null : isoOrNull(e.resolved_at)
  })
)

const refuseClosed = ({ data: { action }, id, state }: Row<ExceptionData>): InvalidStatus =>
  new InvalidStatus({
    message:
      state === "resolved"
        ? `Exception ${id} is already resolved.`
        : `Exception ${id} is already being resolved with \`${action}\`.`
  })

const refuseAction = ({ data: e, id }: Row<ExceptionData>, action: ResolveException["action"]): InvalidStatus =>
  new InvalidStatus({
    message:
      action === "apply"
        ? `Exception ${id} cannot be applied. Its event was not valid when it was due, or is no longer valid.`
        : findMoney(e) === null
          ? `Exception ${id} holds no money to ${action}.`
          : `Exception ${id} has no pay-in to refund. Credit the money to a wallet.`
  })

const makeDeps = Effect.all({
  unitOfWork: UnitOfWork,
  storage: Storage,
  credits: ExceptionCredits,
  verifications: VerificationOutcomes
})
type Deps = Effect.Success<typeof makeDeps>

/** Reads the bodies of exceptions, with the actions that each accepts now. */
const readBodies = Effect.fnUntraced(function* (
  { storage }: Deps,
  rows: ReadonlyArray<Row<ExceptionData>>
): Effect.fn.Return<ReadonlyArray<ExceptionBody>, StorageFault> {
  const keys = rows.flatMap((row) => (row.state === "open" ? (findLateKey(row) ?? []) : []))
  const subjects = yield* readLateSubjects(storage, keys)
  const at = yield* Clock.currentTimeMillis
  return rows.map((row) => exceptionBody(row, listActions(row, subjects.get(findLateKey(row)?.id ?? ""), at)))
})

const readBody = (deps: Deps, row: Row<ExceptionData>) => Effect.map(readBodies(deps, [row]), ([body]) => body!)

/** Makes the changes of an event that arrived too late. Undefined when its resource does not accept it. */
const applyLate = Effect.fnUntraced(function* (
  { verifications, unitOfWork }: Deps,
  row: Row<ExceptionData>,
  subject: Row | undefined,
  at: number
) {
  const late = findLateEvent(row.data)
  if (late === undefined || subject === undefined) return undefined
  const application = toApplication(late, at)
  if (application === undefined) return yield* verifications.approveLate(row.merchant_id, late.id, at)
  const next = yield* unitOfWork.step(OnrampKind, subject as Row<OnrampData>, application, at)
  return next === undefined ? undefined : [next.changes]
})

/** Plans a resolution: the changes beside the exception, and the data that the exception stores of it. */
const planResolution = Effect.fnUntraced(function* (
  deps: Deps,
  row: Row<ExceptionData>,
  subject: Row | undefined,
  { action, wallet_id }: ResolveException,
  at: number
) {
  const { credits } = deps
  const none: { more: object; changes: ReadonlyArray<ChangeSet> } = { more: {}, changes: [] }
  if (action === "apply") {
    const changes = yield* applyLate(deps, row, subject, at)
    return changes === undefined ? yield* refuseAction(row, action) : { ...none, changes }
  }
  if (action !== "credit" || findMoney(row.data) === null) return none
  const credited = yield* credits.chooseCreditTarget(row, wallet_id)
  if (credited.merchant_id !== row.merchant_id) return { ...none, more: { credited, elsewhere: true } }
  return { more: { credited }, changes: yield* credits.deposit(row, credited, at) }
})

/** Operator: reads an exception of any merchant. Errors: `NotFound`. */
const get = (deps: Deps, id: string) =>
  Effect.flatMap(findOfAnyMerchant(deps.storage, ExceptionKind, id), (row) => readBody(deps, row))

const list = Effect.fnUntraced(function* (deps: Deps, { merchant_id, ...input }: ListExceptions) {
  const keys = toIndexKeys(ListExceptions, input)
  const listed = yield* listRows<ExceptionData>(deps.storage, merchant_id ?? null, [ExceptionKind.kind], keys, input)
  return { ...listed, items: yield* readBodies(deps, listed.items) }
})

/**
 * Resolves an exception.
 *
 * - `credit` makes the money in suspense a deposit in the given wallet, or in the wallet it was sent to.
 * - `refund` sends the money back to its payer.
 * - `apply` handles a late event as if it had arrived in time: an approval after its link expired, or a payment made
 *   before its onramp's deadline, at the locked rate.
 * - `dismiss` only closes the exception: no money arrived, or it was returned elsewhere.
 *
 * Errors: `NotFound`; `InvalidInput` when the wallet to credit is unknown or holds another currency, or a limit has no room; `InvalidStatus`
 * when the exception is not open, or has nothing to credit, refund or apply; `ExternalServiceUnavailable` when a credit
 * requires a rate and none is available.
 */
const resolveException = Effect.fnUntraced(function* (deps: Deps, call: Call, id: string, input: ResolveException) {
  const { storage, unitOfWork } = deps
  const { merchant_id } = yield* findOfAnyMerchant(storage, ExceptionKind, id)
  const resolved = yield* unitOfWork.write({ ...call, merchant_id }, function* () {
    const row = yield* unitOfWork.load(ExceptionKind, merchant_id, id)
    if (row.state !== "open") return yield* refuseClosed(row)
    yield* checkVersion(call, makeExceptionVersion(row))
    const at = yield* Clock.currentTimeMillis
    const key = findLateKey(row)
    const subject = key && (yield* readLateSubjects(storage, [key])).get(key.id)
    const { action, note } = input
    if (!listActions(row, subject, at).includes(action)) return yield* refuseAction(row, action)
    const { more, changes } = yield* planResolution(deps, row, subject?.row, input, at)
    const next = yield* unitOfWork.step(ExceptionKind, row, { type: "resolve", action, note, at, ...more }, at)
    if (next === undefined) return yield* refuseAction(row, action)
    return { changes: addNote([next.changes, ...changes], row, note), result: exceptionBody(next.row, []) }
  })
  return resolved.status === "open" && resolved.credited !== null ? yield* finishCredit(deps, id) : resolved
})

/** Makes the second commit of a credit to another merchant, if it is still to be made, and returns the exception. Errors: `NotFound`. */
const finishCredit = Effect.fnUntraced(function* (deps: Deps, id: string) {
  const row = yield* findOfAnyMerchant(deps.storage, ExceptionKind, id)
  if (row.state !== "crediting") return yield* readBody(deps, row)
  yield* creditMerchant(deps, row.merchant_id, id, { deduplicationKey: `exception/${id}/credited` })
  return yield* get(deps, id)
})

/**
 * Makes the deposit of an exception that is credited to another merchant, and then closes the exception. These are two
 * idempotent commits: a retry after a crash between them does not make a second deposit.
 */
const creditMerchant = Effect.fnUntraced(function* (
  { storage, unitOfWork, credits }: Deps,
  merchant_id: string,
  id: string,
  source: Source
): Effect.fn.Return<void, Unavailable> {
  const [found] = yield* storage.get([{ merchant_id, kind: ExceptionKind.kind, id }])
  const row = found as Row<ExceptionData> | undefined
  const credited = row?.state === "crediting" ? row.data.credited : undefined
  if (row !== undefined && credited !== undefined)
    yield* unitOfWork.apply(credited.merchant_id, { deduplicationKey: `exception/${id}` }, function* () {
      const at = yield* Clock.currentTimeMillis
      return { changes: yield* credits.deposit(row, credited, at), result: undefined }
    })
  yield* unitOfWork.apply(merchant_id, source, function* () {
    const at = yield* Clock.currentTimeMillis
    const [now] = yield* storage.get([{ merchant_id, kind: ExceptionKind.kind, id }])
    const next =
      now === undefined
        ? undefined
        : yield* unitOfWork.step(ExceptionKind, now as Row<ExceptionData>, { type: "credited", at }, at)
    return { changes: next === undefined ? [] : [next.changes], result: undefined }
  })
})

export class Exceptions extends Context.Service<Exceptions>()("corridor/engine/Exceptions", {
  make: Effect.map(makeDeps, (deps) =>
    bindFirst(deps, { get, list, resolve: resolveException, finish: finishCredit, credit: creditMerchant })
  )
}) {
  static readonly layer = Layer.effect(this, this.make)
}
