/**
 * Exceptions of pay-ins: reports that fit no resource, recorded for the operator with the money, if any arrived
 * (EXCEPTION-1, DEPOSIT-8, ONRAMP-9).
 */
import { Effect } from "effect"
import type { ExceptionData, ExceptionReason, Exposure } from "../../../machines/deposits/exception.ts"
import { bindFirst } from "../../../machines/kernel/bound.ts"
import { type AccountId, credentialBalance } from "../../../machines/kernel/ledger.ts"
import { type ChangeSet, requireVersion } from "../../commit/changeset.ts"
import type { Kind } from "../../commit/kind.ts"
import type { EventResult } from "../../commit/call.ts"
import { currencyOf, displayAmount, isCurrencyCode } from "../../reference/currencies.ts"
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
  exceptionData,
  remainingExposure,
  keepersOf,
  sumOfKept,
  raiseException
} from "./exception.ts"
import {
  type Contradiction,
  dustOf,
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
export const withVersionCheck = (row: Row, { changes, result }: Decision<EventResult>): Decision<EventResult> => ({
  changes: [requireVersion(row, row), ...changes],
  result
})

/** The owner of the money of an exception, if it is known. */
interface MoneyOwner {
  readonly wallet_id?: string
  readonly credit_account?: AccountId
}

/** What is booked of an amount with more decimals than the ledger keeps, and what is not (DEPOSIT-15). Empty for any other. */
const detailOf = (event: PayinEvent): Pick<ExceptionDetails, "detail"> => {
  const { booked, rest } = splitArrival(event)
  if (rest === null || !isCurrencyCode(event.currency)) return {}
  const currency = currencyOf(event.currency)
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

/** What of the money of a pay-in was paid out, or may have been: what no exception keeps. Null: nothing. */
const paidOutOf = (
  { amount, payinTarget: { currency } }: PayinRecord,
  keepers: ReadonlyArray<Row<ExceptionData>>
): Exposure | null => (amount === null ? null : remainingExposure({ amount, currency }, sumOfKept(keepers)))

/**
 * What a report that contradicts the record of its pay-in puts at risk (EXCEPTION-5): what was paid out more, or less, than came. The
 * whole, where it did not come there, in that currency, or at all. Nothing, where only what is not booked of it differs (DEPOSIT-15).
 */
const assessContradiction = Effect.fnUntraced(function* (
  { storage }: Deps,
  { event, provider }: Pick<PayinReport, "event" | "provider">,
  reason: Contradiction,
  known: PayinRecord
): Effect.fn.Return<Exposure | undefined, StorageFault> {
  const keepers = yield* keepersOf(storage, { provider, payin_id: event.payin_id }, known.row)
  const paid = paidOutOf(known, keepers)
  if (paid === null) return undefined
  if (event.stage === "failed" || reason !== "another_amount") return paid
  const difference = BigInt(splitArrival(event).booked ?? "0") - BigInt(known.amount ?? "0")
  return difference === 0n ? undefined : { ...paid, amount: (difference < 0n ? -difference : difference).toString() }
})

const recordException = Effect.fnUntraced(function* (
  { ids, records, storage }: Deps,
  { provider, merchant_id, event, at }: PayinReport,
  details: Omit<ExceptionDetails, "provider" | "event">,
  ...named: ReadonlyArray<PayinLookup>
): Effect.fn.Return<Decision<EventResult> & { readonly id: string }, StorageFault> {
  const { changes, id } = yield* raiseException(merchant_id, exceptionData({ provider, event, ...details }), at).pipe(
    Effect.provideService(Ids, ids),
    Effect.provideService(Storage, storage)
  )
  const payin = { provider, payin_id: event.payin_id }
  const names: ReadonlyArray<ChangeSet> = named.map((name) =>
    records.names(name === "dust" ? dustOf(payin, event) : payin, name, { kind: ExceptionKind.kind, id })
  )
  return { id, changes: [...changes, ...names], result: "ignored" }
})

const moneyOf = (event: PayinEvent, amount: string, { wallet_id, credit_account }: MoneyOwner = {}) => ({
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
  const about = { reason, ...(row === undefined ? {} : { row }), ...detailOf(report.event) }
  if (amount === null) return recordException(deps, report, about, ...(known === undefined ? firstReport : []))
  return recordException(
    deps,
    report,
    { ...about, money: moneyOf(report.event, amount, owner) },
    known?.held === true ? "late_arrival" : "arrival"
  )
}

/**
 * Adds, to a decision that books a pay-in, the exception which names what is below the ledger's smallest unit. No money of
 * the ledger is missing: it can only be dismissed. `row`: what the pay-in became, or funds.
 */
const withRemainder = Effect.fnUntraced(function* (
  deps: Deps,
  report: PayinReport,
  row: Row,
  decision: Decision<EventResult>
) {
  if (splitArrival(report.event).rest === null) return decision
  const { changes } = yield* recordException(
    deps,
    report,
    { reason: "remainder", row, ...detailOf(report.event) },
    "remainder"
  )
  return { ...decision, changes: [...decision.changes, ...changes] }
})

/** Records, once, an amount of which nothing is booked: all of it is below the ledger's smallest unit. */
const recordDust = Effect.fnUntraced(function* (deps: Deps, report: PayinReport, known?: PayinRecord, row?: Row) {
  const { records } = deps
  const { event, provider } = report
  const dust = dustOf({ provider, payin_id: event.payin_id }, event)
  if ((yield* records.find(dust, "dust")) !== undefined) return noChange
  const about = { reason: "remainder", ...(row === undefined ? {} : { row }), ...detailOf(event) } as const
  return yield* recordException(deps, report, about, "dust", ...(known === undefined ? firstReport : []))
})

/** Records a report that contradicts the record, with both versions. No money is booked. */
const recordContradiction = Effect.fnUntraced(function* (
  deps: Deps,
  report: PayinReport,
  reason: Contradiction,
  known: PayinRecord
) {
  const exposure = yield* assessContradiction(deps, report, reason, known)
  return yield* recordException(deps, report, {
    reason,
    row: known.row,
    recorded: toStoredRecord(known),
    ...(exposure === undefined ? {} : { exposure })
  })
})

/** The kinds of rows that have the money of a pay-in, or have paid it out. */
const holders: ReadonlyArray<Kind> = [DepositKind, OnrampKind, ExceptionKind]

/**
 * Records, once, the failure of a pay-in that was confirmed. `freed`: its money was not paid out and moves to suspense.
 * Whatever has the money, or has paid it out, knows of the recall from then on: it is asked wherever money is about to leave, and the
 * recall follows what becomes of the money.
 */
const recordRecall = Effect.fnUntraced(function* (
  deps: Deps,
  report: PayinReport,
  known: PayinRecord,
  freed: boolean = false
): Effect.fn.Return<Decision<EventResult>, StorageFault> {
  const { records, storage, unitOfWork } = deps
  const { payin_id } = report.event
  const payin = { provider: report.provider, payin_id }
  if ((yield* records.find(payin, "recall")) !== undefined) return noChange
  const { amount, row } = known
  const keepers = yield* keepersOf(storage, payin, row)
  const exposure = freed ? null : paidOutOf(known, keepers)
  const recall = yield* recordException(
    deps,
    report,
    {
      reason: "recalled",
      row,
      recorded: toStoredRecord(known),
      ...(exposure === null ? {} : { exposure }),
      ...(freed && amount !== null ? { money: moneyOf(report.event, amount) } : {})
    },
    "recall"
  )
  const isItsOwn = row.kind !== ExceptionKind.kind && (row.data as { payin_id?: string | null }).payin_id === payin_id
  const marks = yield* Effect.forEach(isItsOwn && !freed ? [row, ...keepers] : keepers, (holder) =>
    Effect.map(
      unitOfWork.step(
        holders.find(({ kind }) => kind === holder.kind)!,
        holder,
        { type: "recalled", by: recall.id },
        report.at
      ),
      (next) => next?.changes ?? requireVersion(holder, holder)
    )
  )
  return { changes: [...marks, ...recall.changes], result: recall.result }
})

export const makePayinExceptions = (records: PayinRecords) =>
  Effect.map(makeDeps(records), (deps) =>
    bindFirst(deps, { record: recordPayinException, withRemainder, recordDust, recordContradiction, recordRecall })
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
