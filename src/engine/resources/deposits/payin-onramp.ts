/** Pay-ins on an onramp's deposit reference (ONRAMP-6, ONRAMP-9). */
import { Effect } from "effect"
import type { OnrampData } from "../../../machines/movements/onramp.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { type Decision, UnitOfWork } from "../../commit/UnitOfWork.ts"
import type { Row } from "../../ports/Storage.ts"
import { OnrampKind } from "../movements/onramp.ts"
import { nothing, type PayinExceptions, type PayinHeard, weighed, type Word } from "./payin-exception.ts"
import type { PayinRecord, PayinRecords } from "./payin-record.ts"

export const makePayinOnramps = (records: PayinRecords, exceptions: PayinExceptions) =>
  Effect.gen(function* () {
    const unitOfWork = yield* UnitOfWork

    const funded = Effect.fnUntraced(function* (
      word: Word,
      onramp: Row<OnrampData>,
      known: PayinRecord | undefined,
      amount: string
    ): Effect.fn.Return<Decision<PayinHeard>, StorageFault> {
      const { at, event } = word
      const { payin_id } = event
      const next = yield* unitOfWork.step(OnrampKind, onramp, { type: "payin.confirmed", at, payin_id, amount }, at)
      if (next !== undefined)
        return { changes: [next.changes, records.names(payin_id, "arrival", onramp)], result: "moved" }
      // Its deadline may have come before the timer has.
      const expired = yield* unitOfWork.step(OnrampKind, onramp, { type: "timer.quote_expiry", at }, at)
      const late = expired !== undefined || OnrampKind.ended.includes(onramp.status)
      const kept = yield* exceptions.keep(word, late ? "late_funding" : "already_funded", known, onramp)
      return expired === undefined ? kept : { ...kept, changes: [expired.changes, ...kept.changes] }
    })

    /** A word on a pay-in that had failed before it was confirmed. What comes of it after all is kept. */
    const followFailed = Effect.fnUntraced(function* (word: Word, onramp: Row<OnrampData>, known: PayinRecord) {
      const { stage } = word.event
      const isLate = known.late !== undefined
      if (stage === "confirmed" && !isLate) return yield* exceptions.keep(word, "contradicts_state", known, onramp)
      return stage === "failed" && isLate ? yield* exceptions.recalled(word, known) : nothing
    })

    return {
      /** A later word on a pay-in that funded an onramp, or failed before it could. */
      follow: Effect.fnUntraced(function* (
        word: Word,
        onramp: Row<OnrampData>,
        known: PayinRecord
      ): Effect.fn.Return<Decision<PayinHeard>, StorageFault> {
        const { at, event } = word
        if (onramp.data.payin_id !== event.payin_id) return weighed(onramp, yield* followFailed(word, onramp, known))
        if (event.stage !== "failed") return nothing
        const next = yield* unitOfWork.step(OnrampKind, onramp, { type: "payin.failed", at }, at)
        const kept = yield* exceptions.recalled(word, known, next !== undefined)
        return next === undefined
          ? weighed(onramp, kept)
          : ({ changes: [next.changes, ...kept.changes], result: "moved" } as const)
      }),

      /**
       * Money on its way to an onramp. The first that is confirmed in time funds it; whatever else comes is kept in
       * suspense, for the operator to send back. What is only told of is remembered in its version, and that it failed.
       */
      fund: (
        word: Word,
        onramp: Row<OnrampData>,
        known: PayinRecord | undefined,
        amount: string
      ): Effect.Effect<Decision<PayinHeard>, StorageFault> => {
        const { payin_id, stage } = word.event
        if (stage === "confirmed")
          return Effect.map(funded(word, onramp, known, amount), (decision) => weighed(onramp, decision))
        const changes =
          stage === "failed"
            ? [records.names(payin_id, "arrival", onramp)]
            : known === undefined
              ? [records.names(payin_id, "detection", onramp)]
              : []
        return Effect.succeed(weighed(onramp, { changes, result: "repeated" }))
      }
    }
  })
