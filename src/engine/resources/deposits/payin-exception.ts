/**
 * Exceptions of pay-ins: reports that fit no resource, recorded for the operator with the money, if any arrived
 * (EXCEPTION-1, DEPOSIT-8, ONRAMP-9).
 */
import { Effect, Equal } from "effect"
import type { KnownRecall } from "../../../machines/kernel/recall.ts"
import type { ExceptionData, ExceptionReason, Exposure } from "../../../machines/deposits/exception.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { type AccountId, credentialBalance } from "../../../machines/kernel/ledger.ts"
import { type ChangeSet, requireVersion } from "../../commit/changeset.ts"
import type { Kind } from "../../commit/kind.ts"
import type { EventResult } from "../../commit/call.ts"
import { requireCurrency, displayAmount, isCurrencyCode } from "../../reference/currencies.ts"
import { type Decision, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { splitArrival } from "../../input/amounts.ts"
import { Ids } from "../../ports/Ids.ts"
import type { PayinEvent } from "../../ports/Provider.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { type Row, Storage } from "../../ports/Storage.ts"
import { OnrampKind } from "../movements/onramp.ts"
import { DepositKind } from "./deposit.ts"
import {
  type ExceptionDetails,
  ExceptionKind,
  makeExceptionData,
  computeRemainder,
  listKeepers,
  type PayinKey,
  sumOfKept,
  raiseException
} from "./exception.ts"
import {
  type Contradiction,
  toDustKey,
  toReportKey,
  type PayinLookup,
  type PayinRecord,
  type PayinRecords,
  toStoredRecord
} from "./payin-record.ts"

/** A provider's report of a pay-in, and the merchant that it concerns. `at`: milliseconds since the epoch. */
export interface PayinReport {
  readonly provider: string
  readonly merchant_id: string
  readonly event: PayinEvent
  readonly at: number
}

export const noChange: Decision<EventResult> = { changes: [], result: "duplicate" }

/** Adds a check to the decision: its commit fails when `row` was modified after it was read. */
export const addVersionCheck = (row: Row, { changes, result }: Decision<EventResult>): Decision<EventResult> => ({
  changes: [requireVersion(row, row), ...changes],
  result
})

/** The owner of the money of an exception, if it is known. */
interface MoneyOwner {
  readonly wallet_id?: string
  readonly credit_account?: AccountId
}

/** Describes the booked and the unbooked part of an amount with more decimals than the ledger keeps (DEPOSIT-15). Empty for any other. */
const toDetail = (event: PayinEvent): Pick<ExceptionDetails, "detail"> => {
  const { booked, rest } = splitArrival(event)
  if (rest === null || !isCurrencyCode(event.currency)) return {}
  const currency = requireCurrency(event.currency)
  const taken = event.stage !== "confirmed" || booked === null ? "nothing" : displayAmount(booked, currency.code)
  return {
    detail: `amount: found ${event.amount}; ${currency.code} is kept with ${currency.ledger_scale} decimals, ${taken} is booked, and the remainder is ${rest}`
  }
}

/** The first report of a pay-in of which nothing is booked. */
const firstReport: ReadonlyArray<PayinLookup> = ["detection"]

const makeDeps = (records: PayinRecords) =>
  Effect.gen(function* () {
    return { records, unitOfWork: yield* UnitOfWork, storage: yield* Storage, ids: yield* Ids }
  })
type Deps = Effect.Success<ReturnType<typeof makeDeps>>

/** Computes the part of a pay-in that was paid out, or may have been: what no exception keeps. Null: nothing. */
const sumPaidOut = (
  { amount, payinTarget: { currency } }: PayinRecord,
  keepers: ReadonlyArray<Row<ExceptionData>>
): Exposure | null => (amount === null ? null : computeRemainder({ amount, currency }, sumOfKept(keepers)))

/**
 * Finds the exposure of a report that contradicts the record of its pay-in (EXCEPTION-5): the difference between the paid-out and the
 * reported amount; all of it, if the money did not come to this target, in this currency, or at all; undefined, if the two differ only in
 * their unbooked part (DEPOSIT-15).
 */
const assessContradiction = Effect.fnUntraced(function* (
  { storage }: Deps,
  { event, provider }: Pick<PayinReport, "event" | "provider">,
  reason: Contradiction,
  known: PayinRecord
): Effect.fn.Return<Exposure | undefined, StorageFault> {
  const keepers = yield* listKeepers(storage, known.row, { provider, payin_id: event.payin_id })
  const paid = sumPaidOut(known, keepers)
  if (paid === null) return undefined
  if (event.stage === "failed" || reason !== "another_amount") return paid
  const difference = BigInt(splitArrival(event).booked ?? "0") - BigInt(known.amount ?? "0")
  return difference === 0n ? undefined : { ...paid, amount: (difference < 0n ? -difference : difference).toString() }
})

const toLookupKey = (payin: PayinKey, event: PayinEvent, name: PayinLookup): PayinKey =>
  name === "dust" ? toDustKey(payin, event) : name === "contradiction" ? toReportKey(payin, event) : payin

const recordException = Effect.fnUntraced(function* (
  { ids, records, storage }: Deps,
  { provider, merchant_id, event, at }: PayinReport,
  details: Omit<ExceptionDetails, "provider" | "event">,
  ...named: ReadonlyArray<PayinLookup>
): Effect.fn.Return<Decision<EventResult> & { readonly id: string }, StorageFault> {
  const { changes, id } = yield* raiseException(
    merchant_id,
    makeExceptionData({ provider, event, ...details }),
    at
  ).pipe(Effect.provideService(Ids, ids), Effect.provideService(Storage, storage))
  const payin = { provider, payin_id: event.payin_id }
  const names: ReadonlyArray<ChangeSet> = named.map((name) =>
    records.names(toLookupKey(payin, event, name), name, { kind: ExceptionKind.kind, id })
  )
  return { id, changes: [...changes, ...names], result: "ignored" }
})

const toMoney = (event: PayinEvent, amount: string, { wallet_id, credit_account }: MoneyOwner = {}) => ({
  amount,
  currency: event.currency,
  payin_id: event.payin_id,
  wallet_id: wallet_id ?? null,
  credit_account: credit_account ?? null,
  booked: false
})

/**
 * Records a pay-in that cannot be credited. Its money, once confirmed, is booked in suspense. `known`: the record of
 * the pay-in. When it has a holder already, a failed deposit, the money is late.
 */
const recordPayinException = (
  deps: Deps,
  report: PayinReport,
  reason: ExceptionReason,
  known?: PayinRecord,
  row?: Row,
  owner?: MoneyOwner
) => {
  const amount = report.event.stage === "confirmed" ? splitArrival(report.event).booked : null
  const about = { reason, ...(row === undefined ? {} : { row }), ...toDetail(report.event) }
  if (amount === null) return recordException(deps, report, about, ...(known === undefined ? firstReport : []))
  return recordException(
    deps,
    report,
    { ...about, money: toMoney(report.event, amount, owner) },
    known?.held === true ? "late_arrival" : "arrival"
  )
}

/**
 * Adds, to a decision that books a pay-in, the exception which names what is below the ledger's smallest unit. No money of
 * the ledger is missing: it can only be dismissed. `row`: what the pay-in became, or funds.
 */
const addRemainder = Effect.fnUntraced(function* (
  deps: Deps,
  report: PayinReport,
  row: Row,
  decision: Decision<EventResult>
) {
  if (splitArrival(report.event).rest === null) return decision
  const { changes } = yield* recordException(
    deps,
    report,
    { reason: "remainder", row, ...toDetail(report.event) },
    "remainder"
  )
  return { ...decision, changes: [...decision.changes, ...changes] }
})

/** Records, once, an amount that is below the ledger's smallest unit, so that nothing is booked. */
const recordDust = Effect.fnUntraced(function* (deps: Deps, report: PayinReport, known?: PayinRecord, row?: Row) {
  const { records } = deps
  const { event, provider } = report
  const dust = toDustKey({ provider, payin_id: event.payin_id }, event)
  if ((yield* records.find(dust, "dust")) !== undefined) return noChange
  const about = { reason: "remainder", ...(row === undefined ? {} : { row }), ...toDetail(event) } as const
  return yield* recordException(deps, report, about, "dust", ...(known === undefined ? firstReport : []))
})

/** Records a report that contradicts the record, with both versions. No money is booked. What is told again puts nothing more at risk. */
const recordContradiction = Effect.fnUntraced(function* (
  deps: Deps,
  report: PayinReport,
  reason: Contradiction,
  known: PayinRecord
) {
  const { event, provider } = report
  const about = { reason, row: known.row, recorded: toStoredRecord(known) }
  const exposure = yield* assessContradiction(deps, report, reason, known)
  if (exposure === undefined) return yield* recordException(deps, report, about)
  const key = yield* deps.records.find(toReportKey({ provider, payin_id: event.payin_id }, event), "contradiction")
  const [first] = key === undefined ? [] : yield* deps.storage.get([key])
  if (first === undefined) return yield* recordException(deps, report, { ...about, exposure }, "contradiction")
  return yield* recordException(
    deps,
    report,
    Equal.equals((first.data as ExceptionData).exposure, exposure)
      ? { ...about, detail: `It repeats what exception ${first.id} reports.` }
      : { ...about, exposure }
  )
})

/** The kinds of rows that have the money of a pay-in, or have paid it out. */
const holders: ReadonlyArray<Kind> = [DepositKind, OnrampKind, ExceptionKind]

/** Finds the exception that reports the recall of a pay-in. Undefined: it was not recalled. */
const findRecall = Effect.fnUntraced(function* ({ records, storage }: Deps, payin: PayinKey) {
  const key = yield* records.find(payin, "recall")
  const [row] = key === undefined ? [] : yield* storage.get([key])
  return row as Row<ExceptionData> | undefined
})

/** Steps a row with an event, or checks in the commit that the row does not change. */
const informRow = (
  { unitOfWork }: Deps,
  row: Row,
  event: { readonly type: string; readonly [member: string]: unknown },
  at: number
) =>
  Effect.map(
    unitOfWork.step(holders.find(({ kind }) => kind === row.kind)!, row, event as never, at),
    (next) => next?.changes ?? requireVersion(row, row)
  )

/** Tells each row that has the money of a pay-in, or has paid it out, about the recall. Each is asked before money leaves. */
const markRecalled = (
  deps: Deps,
  by: string,
  holders: ReadonlyArray<Row>,
  at: number
): Effect.Effect<ReadonlyArray<ChangeSet>, StorageFault> =>
  Effect.forEach(holders, (holder) => informRow(deps, holder, { type: "recalled", by }, at))

/**
 * Records that a pay-in was confirmed again after its recall (DEPOSIT-17). Money that was dismissed since the recall is in suspense again,
 * with its exception. Makes no change if the pay-in was not recalled, or if its last report was already a confirmation.
 */
const recordConfirmedAgain = Effect.fnUntraced(function* (
  deps: Deps,
  { at, event, provider }: PayinReport,
  { row }: PayinRecord
): Effect.fn.Return<Decision<EventResult> | undefined, StorageFault> {
  const payin = { provider, payin_id: event.payin_id }
  const recall = yield* findRecall(deps, payin)
  if (recall === undefined) return undefined
  if (recall.data.confirmed_again === true) return addVersionCheck(recall, noChange)
  const keepers = (yield* listKeepers(deps.storage, row, payin)).filter(({ id }) => id !== recall.id)
  const opens = keepers.some(({ data }) => data.given_up === "adjusted")
  const informed = yield* Effect.forEach(keepers, (keeper) => informRow(deps, keeper, { type: "payin.confirmed" }, at))
  const itself = yield* informRow(deps, recall, { type: "payin.confirmed", ...(opens && { opens }) }, at)
  const isMarked = row.kind !== ExceptionKind.kind && (row.data as KnownRecall).recalled_by !== undefined
  const holder = isMarked ? yield* informRow(deps, row, { type: "recall.over" }, at) : requireVersion(row, row)
  return { changes: [holder, ...informed, itself], result: "ignored" }
})

/**
 * Records, once, the failure of a pay-in that was confirmed. `freed`: its money was not paid out and moves to suspense.
 * The recall follows what becomes of the money. A pay-in that was confirmed again since then is recalled again: its recall is open again,
 * with what has left (DEPOSIT-17).
 */
const recordRecall = Effect.fnUntraced(function* (
  deps: Deps,
  report: PayinReport,
  known: PayinRecord,
  freed: boolean = false
): Effect.fn.Return<Decision<EventResult>, StorageFault> {
  const { at, event, provider } = report
  const { payin_id } = event
  const payin = { provider, payin_id }
  const before = yield* findRecall(deps, payin)
  if (before !== undefined && before.data.confirmed_again !== true) return addVersionCheck(before, noChange)
  const { amount, row } = known
  const keepers = yield* listKeepers(deps.storage, row, payin)
  const exposure = freed ? null : sumPaidOut(known, keepers)
  const money = freed && amount !== null ? toMoney(event, amount) : undefined
  const isItsOwn = row.kind !== ExceptionKind.kind && (row.data as { payin_id?: string | null }).payin_id === payin_id
  const marked = (isItsOwn && !freed ? [row, ...keepers] : keepers).filter(({ id }) => id !== before?.id)
  if (before !== undefined) {
    const freedAgain = money && { amount: money.amount, currency: money.currency, payin_id }
    const again = { type: "payin.failed", exposure, ...(freedAgain && { money: freedAgain }) }
    const marks = yield* markRecalled(deps, before.id, marked, at)
    return { changes: [...marks, yield* informRow(deps, before, again, at)], result: "ignored" }
  }
  const recall = yield* recordException(
    deps,
    report,
    {
      reason: "recalled",
      row,
      recorded: toStoredRecord(known),
      ...(exposure === null ? {} : { exposure }),
      ...(money && { money })
    },
    "recall"
  )
  return {
    changes: [...(yield* markRecalled(deps, recall.id, marked, at)), ...recall.changes],
    result: recall.result
  }
})

export const makePayinExceptions = (records: PayinRecords) =>
  Effect.map(makeDeps(records), (deps) =>
    bindFirst(deps, {
      record: recordPayinException,
      withRemainder: addRemainder,
      recordDust,
      recordContradiction,
      recordRecall,
      recordConfirmedAgain
    })
  )

export type PayinExceptions = Effect.Success<ReturnType<typeof makePayinExceptions>>

/** The owner of a deposit's money: its wallet, or its credential when the currency is not the wallet's. */
export const ownerOfDeposit = ({
  exchange,
  source_id,
  wallet_id
}: {
  readonly exchange?: unknown
  readonly source_id: string
  readonly wallet_id: string
}): MoneyOwner => (exchange === undefined ? { wallet_id } : { credit_account: credentialBalance(source_id) })
