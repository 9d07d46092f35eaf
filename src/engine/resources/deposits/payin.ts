/**
 * Pay-ins: incoming money as the provider reports it. Reports arrive in any order and any number of times. Each pay-in is
 * credited at most once, in one currency, to one target and, once confirmed, as one amount (DEPOSIT-7, DEPOSIT-8).
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { DepositData } from "../../../machines/deposits/deposit.ts"
import type { ExceptionData } from "../../../machines/deposits/exception.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { classOf } from "../../../machines/kernel/ledger.ts"
import { Onramp, type OnrampData } from "../../../machines/movements/onramp.ts"
import { type Decision, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { type EventResult, type HandlerResult, type Source, unwrapResult } from "../../commit/call.ts"
import { splitArrival } from "../../input/amounts.ts"
import { isAnothers, type PayinEvent, payinProviderOf } from "../../ports/Provider.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { InvariantViolation, StorageFault, type Unavailable } from "../../ports/errors.ts"
import { takeLastFour } from "../../ports/provider-events.ts"
import { transactionId } from "../../representations/movements/transaction.ts"
import { OnrampKind } from "../movements/onramp.ts"
import { DepositKind, findDepositSource } from "./deposit.ts"
import { type ExceptionDetails, ExceptionKind, type PayinKey } from "./exception.ts"
import { makePayinDeposits } from "./payin-deposit.ts"
import {
  makePayinExceptions,
  noChange,
  type PayinExceptions,
  type PayinReport,
  addVersionCheck
} from "./payin-exception.ts"
import { findContradiction, makePayinRecords, type PayinRecord, type PayinRecords } from "./payin-record.ts"
import { findTarget, type Issued, type TargetMatch } from "./payin-target.ts"

// Pay-ins to an onramp's deposit reference (ONRAMP-6, ONRAMP-9).

const makePayinOnramps = (records: PayinRecords, exceptions: PayinExceptions) =>
  Effect.gen(function* () {
    const unitOfWork = yield* UnitOfWork

    const applyFunding = Effect.fnUntraced(function* (
      report: PayinReport,
      onramp: Row<OnrampData>,
      known: PayinRecord | undefined,
      amount: string
    ): Effect.fn.Return<Decision<EventResult>, StorageFault> {
      const { at, event } = report
      const { payin_id } = event
      const next = yield* unitOfWork.step(OnrampKind, onramp, { type: "payin.confirmed", at, payin_id, amount }, at)
      if (next !== undefined)
        return yield* exceptions.withRemainder(report, next.row, {
          changes: [next.changes, records.names({ provider: report.provider, payin_id }, "arrival", onramp)],
          result: "applied"
        })
      // The quote can have expired before its timer fires.
      const expired = yield* unitOfWork.step(OnrampKind, onramp, { type: "timer.quote_expiry", at }, at)
      const late = expired !== undefined || Onramp.hasEnded(onramp.state, onramp.machine)
      const exception = yield* exceptions.record(report, late ? "late_funding" : "already_funded", known, onramp)
      return expired === undefined ? exception : { ...exception, changes: [expired.changes, ...exception.changes] }
    })

    /** Handles a report of a pay-in that failed before it was confirmed. Money that still arrives becomes an exception. */
    const followFailed = Effect.fnUntraced(function* (
      report: PayinReport,
      onramp: Row<OnrampData>,
      known: PayinRecord
    ) {
      const { stage } = report.event
      const isLate = known.late !== undefined
      const { booked, rest } = splitArrival(report.event)
      if (stage === "confirmed" && !isLate)
        return booked === null && rest !== null
          ? yield* exceptions.recordDust(report, known, onramp)
          : yield* exceptions.record(report, "contradicts_state", known, onramp)
      return stage === "failed" && isLate ? yield* exceptions.recordRecall(report, known) : noChange
    })

    return {
      /** Handles a later report of a pay-in that funded an onramp, or that failed before it was confirmed. */
      handleLater: Effect.fnUntraced(function* (
        report: PayinReport,
        onramp: Row<OnrampData>,
        known: PayinRecord
      ): Effect.fn.Return<Decision<EventResult>, StorageFault> {
        const { at, event } = report
        if (onramp.data.payin_id !== event.payin_id)
          return addVersionCheck(onramp, yield* followFailed(report, onramp, known))
        if (event.stage !== "failed") return noChange
        const next = yield* unitOfWork.step(OnrampKind, onramp, { type: "payin.failed", at }, at)
        const exception = yield* exceptions.recordRecall(report, known, next !== undefined)
        return next === undefined
          ? addVersionCheck(onramp, exception)
          : ({ changes: [next.changes, ...exception.changes], result: "applied" } as const)
      }),

      /**
       * Handles the first reports of a pay-in to an onramp. The first pay-in that is confirmed in time funds the onramp; any
       * other money is booked in suspense, for the operator to refund. A detected or failed pay-in is only put on record.
       */
      fund: (
        report: PayinReport,
        onramp: Row<OnrampData>,
        known: PayinRecord | undefined,
        amount: string
      ): Effect.Effect<Decision<EventResult>, StorageFault> => {
        const { payin_id, stage } = report.event
        const payin = { provider: report.provider, payin_id }
        if (stage === "confirmed")
          return Effect.map(applyFunding(report, onramp, known, amount), (decision) =>
            addVersionCheck(onramp, decision)
          )
        const changes =
          stage === "failed"
            ? [records.names(payin, "arrival", onramp)]
            : known === undefined
              ? [records.names(payin, "detection", onramp)]
              : []
        return Effect.succeed(addVersionCheck(onramp, { changes, result: "duplicate" }))
      }
    }
  })

const reasons = { unknown: "unknown_target", ambiguous: "ambiguous_target", wrong: "wrong_currency" } as const

/** Cuts a payer's account number to its last four digits, whatever the provider reports (DEPOSIT-14). */
const redactSender = (sender: PayinEvent["sender"]): PayinEvent["sender"] =>
  sender?.account_number === undefined ? sender : { ...sender, account_number: takeLastFour(sender.account_number) }

/** Converts a pay-in to its stored form: names are trimmed, and the payer's account number is shortened. */
export const normalizePayin = (event: PayinEvent): PayinEvent => ({
  ...event,
  target: event.target.trim(),
  currency: event.currency.trim(),
  network: event.network?.trim() || null,
  sender: redactSender(event.sender)
})

const makeDeps = Effect.gen(function* () {
  const records = yield* makePayinRecords
  const exceptions = yield* makePayinExceptions(records)
  const deposits = yield* makePayinDeposits(records, exceptions)
  const onramps = yield* makePayinOnramps(records, exceptions)
  return { unitOfWork: yield* UnitOfWork, storage: yield* Storage, records, exceptions, deposits, onramps }
})
type Deps = Effect.Success<typeof makeDeps>

/** Decides on a report of a pay-in that already has a holder. */
const handleLater = Effect.fnUntraced(function* (
  { exceptions, onramps, deposits }: Deps,
  report: PayinReport,
  known: PayinRecord
): Effect.fn.Return<Decision<EventResult>, Unavailable> {
  const { issued, row } = known
  const { booked, rest } = splitArrival(report.event)
  const { stage } = report.event
  if (row.kind !== ExceptionKind.kind && row.merchant_id !== report.merchant_id)
    return yield* new StorageFault({
      message: `pay-in ${report.event.payin_id} was assigned to another merchant concurrently`,
      retryable: true
    })
  const again = stage === "confirmed" ? yield* exceptions.recordConfirmedAgain(report, known) : undefined
  if (again !== undefined) return again
  if (row.kind === ExceptionKind.kind)
    return addVersionCheck(row, stage === "failed" ? yield* exceptions.recordRecall(report, known) : noChange)
  if (issued === undefined) return yield* onramps.handleLater(report, row as Row<OnrampData>, known)
  if (booked === null && stage === "confirmed")
    return rest === null
      ? yield* exceptions.record(report, "unreadable_amount", known, row)
      : yield* exceptions.recordDust(report, known, row)
  return yield* deposits.handleLater(report, row as Row<DepositData>, { ...known, issued }, booked ?? "0")
})

/** Decides on a report of a pay-in that has no holder yet. */
const handleFirst = Effect.fnUntraced(function* (
  { storage, exceptions, onramps, deposits }: Deps,
  report: PayinReport,
  known: PayinRecord | undefined,
  { _tag, owner }: TargetMatch
): Effect.fn.Return<Decision<EventResult>, Unavailable> {
  const [row] = owner === null ? [] : yield* storage.get([owner])
  if (_tag !== "found") return yield* exceptions.record(report, reasons[_tag], known, row)
  if (row === undefined) throw new InvariantViolation(`the owner of a target exists: ${owner?.id}`)
  const { booked, rest } = splitArrival(report.event)
  if (booked === null && rest !== null) return yield* exceptions.recordDust(report, known, row)
  if (booked === null) return yield* exceptions.record(report, "unreadable_amount", known)
  if (isAnothers(row, report.provider, payinProviderOf))
    return yield* exceptions.record(report, "another_provider", known, row)
  return row.kind === OnrampKind.kind
    ? yield* onramps.fund(report, row as Row<OnrampData>, known, booked)
    : yield* deposits.handleFirst(report, row as Row<Issued>, booked)
})

/** Finds the id of the transaction that a pay-in became or funded; undefined when there is none. */
const findTransactionId = Effect.fnUntraced(function* (
  { records, storage }: Deps,
  merchant_id: string,
  payin: PayinKey
): Effect.fn.Return<string | undefined, StorageFault> {
  const holder = yield* records.find(payin, "arrival")
  if (holder === undefined || holder.merchant_id !== merchant_id || holder.kind === ExceptionKind.kind) return undefined
  const [row] = yield* storage.get([holder])
  const isItsOwn = (row as Row<DepositData | OnrampData> | undefined)?.data.payin_id === payin.payin_id
  return isItsOwn ? transactionId(holder.id) : undefined
})

/** Finds the merchant of a pay-in: its holder's, or else its target's. `found` is undefined when it has a holder. */
const findMerchant = Effect.fnUntraced(function* ({ records, storage }: Deps, provider: string, event: PayinEvent) {
  const holder = yield* records.find({ provider, payin_id: event.payin_id }, "arrival")
  const found = holder === undefined ? yield* findTarget(storage, event, provider) : undefined
  return { merchant_id: holder?.merchant_id ?? found!.merchant_id, found }
})

/**
 * Resumes a deposit that waits for a rate, or for its merchant to be reactivated.
 * Errors: `ExternalServiceUnavailable` while no rate is available; nothing is written then.
 */
const resumeDeposit = Effect.fnUntraced(function* (
  { unitOfWork, storage, deposits }: Deps,
  merchant_id: string,
  id: string,
  source: Source
): Effect.fn.Return<void, Unavailable> {
  yield* unitOfWork.apply(merchant_id, source, function* () {
    const at = yield* Clock.currentTimeMillis
    const [row] = yield* storage.get([{ merchant_id, kind: DepositKind.kind, id }])
    const deposit = row as Row<DepositData> | undefined
    const key = deposit === undefined ? undefined : findDepositSource(deposit)
    const [issued] = key === undefined ? [] : yield* storage.get([key])
    if (deposit === undefined || issued === undefined) return { changes: [], result: undefined }
    return { changes: yield* deposits.resume(deposit, issued as Row<Issued>, at), result: undefined }
  })
})

/** Decides what a report of a pay-in leads to, given the record of that pay-in. */
const decideReport = Effect.fnUntraced(function* (
  deps: Deps,
  report: PayinReport,
  known: PayinRecord | undefined,
  found: TargetMatch | undefined
): Effect.fn.Return<Decision<EventResult>, Unavailable> {
  const { exceptions, storage } = deps
  const { event, provider } = report
  const contradicts = known === undefined ? undefined : findContradiction(event, known)
  if (known !== undefined && contradicts !== undefined)
    return yield* exceptions.recordContradiction(report, contradicts, known)
  if (known?.held === true) return yield* handleLater(deps, report, known)
  return yield* handleFirst(deps, report, known, found ?? (yield* findTarget(storage, event, provider)))
})

/**
 * Assesses a report that reuses the id of another event: returns the resource of its pay-in, and its exposure: what it would put at risk
 * under an id of its own, or what it would have taken out of the books, where that can now still be paid out.
 */
const assessExposure = Effect.fnUntraced(function* (
  deps: Deps,
  provider: string,
  event: PayinEvent
): Effect.fn.Return<Pick<ExceptionDetails, "exposure" | "row">, StorageFault> {
  const { records } = deps
  const { currency, payin_id } = event
  const known = yield* records.of({ provider, payin_id })
  if (known === undefined) return {}
  const about = known.row.kind === ExceptionKind.kind ? {} : { row: known.row }
  const { merchant_id, found } = yield* findMerchant(deps, provider, event)
  const report = { provider, merchant_id, event, at: yield* Clock.currentTimeMillis }
  const { changes } = yield* Effect.catchTag(
    decideReport(deps, report, known, found),
    "ExternalServiceUnavailable",
    () => Effect.succeed(noChange)
  )
  const raised = changes
    .flatMap(({ rows = [] }) => rows)
    .find(({ kind, version, via }) => kind === ExceptionKind.kind && (version === 1 || via === "payin.failed"))
  const exposure = (raised?.data as ExceptionData | undefined)?.exposure ?? undefined
  if (exposure !== undefined) return { ...about, exposure }
  const taken = changes
    .flatMap(({ postings = [] }) => postings)
    .reduce((sum, { amount, credit }) => (classOf(credit) === "world" ? sum + BigInt(amount) : sum), 0n)
  return taken === 0n ? about : { ...about, exposure: { amount: taken.toString(), currency } }
})

/** Handles the report of a pay-in. Law: each (provider, payin_id) is credited at most once, whatever is reported. */
const receivePayin = Effect.fnUntraced(function* (
  deps: Deps,
  provider: string,
  event: PayinEvent,
  { merchant_id, found }: { readonly merchant_id: string; readonly found: TargetMatch | undefined },
  source: Source
): Effect.fn.Return<HandlerResult, Unavailable> {
  const { unitOfWork, records } = deps
  const result = yield* unitOfWork.apply(merchant_id, source, function* () {
    const report: PayinReport = { provider, merchant_id, event, at: yield* Clock.currentTimeMillis }
    const known = yield* records.of({ provider, payin_id: event.payin_id })
    return yield* decideReport(deps, report, known, found)
  })
  return unwrapResult(result)
})

export class Payins extends Context.Service<Payins>()("corridor/engine/Payins", {
  make: Effect.map(makeDeps, (deps) =>
    bindFirst(deps, {
      transactionOf: findTransactionId,
      route: findMerchant,
      resume: resumeDeposit,
      exposedBy: assessExposure,
      receive: receivePayin
    })
  )
}) {
  static readonly layer = Layer.effect(this, this.make)
}
