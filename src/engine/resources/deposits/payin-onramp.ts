/** Pay-ins to an onramp's deposit reference (ONRAMP-6, ONRAMP-9). */
import { Effect } from "effect"
import { Onramp, type OnrampData } from "../../../machines/movements/onramp.ts"
import type { StorageFault } from "../../ports/errors.ts"
import type { EventResult } from "../../commit/source.ts"
import { type Decision, UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { Row } from "../../ports/Storage.ts"
import { OnrampKind } from "../movements/onramp.ts"
import { noChange, type PayinExceptions, withVersionCheck, type PayinReport } from "./payin-exception.ts"
import type { PayinRecord, PayinRecords } from "./payin-record.ts"

export const makePayinOnramps = (records: PayinRecords, exceptions: PayinExceptions) =>
  Effect.gen(function* () {
    const unitOfWork = yield* UnitOfWork

    const funded = Effect.fnUntraced(function* (
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
      if (stage === "confirmed" && !isLate) return yield* exceptions.record(report, "contradicts_state", known, onramp)
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
          return withVersionCheck(onramp, yield* followFailed(report, onramp, known))
        if (event.stage !== "failed") return noChange
        const next = yield* unitOfWork.step(OnrampKind, onramp, { type: "payin.failed", at }, at)
        const exception = yield* exceptions.recordRecall(report, known, next !== undefined)
        return next === undefined
          ? withVersionCheck(onramp, exception)
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
          return Effect.map(funded(report, onramp, known, amount), (decision) => withVersionCheck(onramp, decision))
        const changes =
          stage === "failed"
            ? [records.names(payin, "arrival", onramp)]
            : known === undefined
              ? [records.names(payin, "detection", onramp)]
              : []
        return Effect.succeed(withVersionCheck(onramp, { changes, result: "duplicate" }))
      }
    }
  })
