/**
 * Words on pay-ins that move nothing, kept for the operator with the money, if any came (EXCEPTION-1, DEPOSIT-8,
 * ONRAMP-9).
 */
import { Effect } from "effect"
import type { ExceptionData, Exposure } from "../../../machines/deposits/exception.ts"
import { type AccountId, credentialBalance } from "../../../machines/kernel/ledger.ts"
import { type ChangeSet, requireUnchanged } from "../../commit/changeset.ts"
import { begin } from "../../commit/steps.ts"
import type { EventResult } from "../../commit/source.ts"
import { type Decision, UnitOfWork } from "../../commit/UnitOfWork.ts"
import { Ids } from "../../ports/Ids.ts"
import { type PayinEvent, Provider } from "../../ports/Provider.ts"
import type { Row } from "../../ports/Storage.ts"
import { type ExceptionDetails, ExceptionKind, exceptionData } from "./exception.ts"
import {
  type Contradiction,
  minorOf,
  type PayinLookup,
  type PayinRecord,
  type PayinRecords,
  recordShown
} from "./payin-record.ts"

/** A provider's report of a pay-in, and the merchant that it concerns. */
export interface PayinReport {
  readonly merchant_id: string
  readonly event: PayinEvent
  readonly at: number
}

export const noChange: Decision<EventResult> = { changes: [], result: "duplicate" }

/** The decision, checked against the version of the row that it was made on. */
export const checkedAgainst = (row: Row, { changes, result }: Decision<EventResult>): Decision<EventResult> => ({
  changes: [requireUnchanged(row, row), ...changes],
  result
})

/** Whose money it is that is booked with an exception, where that is known. */
export interface MoneyOwner {
  readonly wallet_id?: string
  readonly credit_account?: AccountId
}

/** States of an exception in which nobody has been given its money. */
const withheld: ReadonlySet<string> = new Set(["open"])

/** What was given, or is being given, on the strength of a pay-in that failed after all; undefined: nothing. */
const exposureOf = ({ amount, late, payinTarget: { currency }, row }: PayinRecord): Exposure | undefined => {
  const holder = late ?? row
  const isGiven =
    holder.kind !== ExceptionKind.kind ||
    !(withheld.has(holder.state) || (holder.data as { readonly action: string | null }).action === "dismiss")
  return amount !== null && isGiven ? { amount, currency } : undefined
}

export const makePayinExceptions = (records: PayinRecords) =>
  Effect.gen(function* () {
    const unitOfWork = yield* UnitOfWork
    const provider = yield* Provider
    const ids = yield* Ids

    const recordException = Effect.fnUntraced(function* (
      { merchant_id, event, at }: PayinReport,
      details: Omit<ExceptionDetails, "provider" | "event">,
      named?: PayinLookup
    ): Effect.fn.Return<Decision<EventResult>> {
      const id = yield* ids.make(ExceptionKind.prefix)
      const exception = yield* begin(
        ExceptionKind,
        { merchant_id, id },
        exceptionData({ provider: provider.name, event, ...details }),
        at
      ).pipe(Effect.provideService(Ids, ids))
      const names: ReadonlyArray<ChangeSet> =
        named === undefined ? [] : [records.names(event.payin_id, named, { kind: ExceptionKind.kind, id })]
      return { changes: [exception.changes, ...names], result: "ignored" }
    })

    const moneyOf = (event: PayinEvent, amount: string, { wallet_id, credit_account }: MoneyOwner = {}) => ({
      amount,
      currency: event.currency,
      payin_id: event.payin_id,
      wallet_id: wallet_id ?? null,
      credit_account: credit_account ?? null,
      booked: false
    })

    return {
      /**
       * Keeps a pay-in that has no place, with its money in suspense once it has come. `known`: what is on record; where it
       * is held already, by a deposit that failed, the money is late.
       */
      record: (report: PayinReport, reason: string, known?: PayinRecord, row?: Row, owner?: MoneyOwner) => {
        const amount = report.event.stage === "confirmed" ? minorOf(report.event) : null
        const about = { reason, ...(row === undefined ? {} : { row }) }
        if (amount === null) return recordException(report, about, known === undefined ? "detection" : undefined)
        return recordException(
          report,
          { ...about, money: moneyOf(report.event, amount, owner) },
          known?.held === true ? "late_arrival" : "arrival"
        )
      },

      /** A word that is of another version than the record: nothing is booked, and both versions are kept. */
      recordContradiction: (report: PayinReport, reason: Contradiction, known: PayinRecord) => {
        const exposure = report.event.stage === "failed" ? exposureOf(known) : undefined
        return recordException(report, {
          reason,
          row: known.row,
          recorded: recordShown(known),
          ...(exposure === undefined ? {} : { exposure })
        })
      },

      /**
       * A pay-in that failed after it was confirmed, told once. `freed`: what was booked of it and nobody has been given,
       * which goes to suspense. What stands there already is not decided on without a look at this.
       */
      recordRecall: Effect.fnUntraced(function* (report: PayinReport, known: PayinRecord, freed: boolean = false) {
        if ((yield* records.find(report.event.payin_id, "recall")) !== undefined) return noChange
        const { amount } = known
        const exposure = freed ? undefined : exposureOf(known)
        const holder =
          known.late ?? (known.row.kind === ExceptionKind.kind ? (known.row as Row<ExceptionData>) : undefined)
        const next =
          holder === undefined
            ? undefined
            : yield* unitOfWork.step(ExceptionKind, holder, { type: "recalled" }, report.at)
        const recall = yield* recordException(
          report,
          {
            reason: "recalled",
            row: known.row,
            recorded: recordShown(known),
            ...(exposure === undefined ? {} : { exposure }),
            ...(freed && amount !== null ? { money: moneyOf(report.event, amount) } : {})
          },
          "recall"
        )
        return next === undefined ? recall : { ...recall, changes: [next.changes, ...recall.changes] }
      })
    }
  })

export type PayinExceptions = Effect.Success<ReturnType<typeof makePayinExceptions>>

/** Whose the money of a deposit is: the wallet's, or, in another currency, the credential's. */
export const ownerOfDeposit = ({
  exchange,
  source_id,
  wallet_id
}: {
  readonly exchange?: unknown
  readonly source_id: string
  readonly wallet_id: string
}): MoneyOwner => (exchange === undefined ? { wallet_id } : { credit_account: credentialBalance(source_id) })
