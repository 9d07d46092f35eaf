/** Pay-ins on an onramp's deposit reference (decisions 9.6 and 15.6). */
import { Effect } from "effect"
import type { OnrampData } from "../../machines/onramp.ts"
import type { StorageFault } from "../errors.ts"
import { type Decision, Host } from "../Host.ts"
import type { Row } from "../Storage.ts"
import { OnrampKind } from "./onramp.ts"
import { nothing, type PayinExceptions, type PayinHeard, weighed, type Word } from "./payin-exception.ts"
import { onrampPlace } from "./payin-place.ts"
import type { PayinRecord, PayinRecords } from "./payin-record.ts"

export const makePayinOnramps = (records: PayinRecords, exceptions: PayinExceptions) =>
  Effect.gen(function* () {
    const host = yield* Host

    const funded = Effect.fnUntraced(function* (
      word: Word,
      onramp: Row<OnrampData>,
      known: PayinRecord | undefined,
      amount: string
    ): Effect.fn.Return<Decision<PayinHeard>, StorageFault> {
      const { at, event } = word
      const { payin_id } = event
      const next = yield* host.step(OnrampKind, onramp, { type: "payin.confirmed", at, payin_id, amount }, at)
      if (next !== undefined)
        return { parts: [next.parts, records.names(payin_id, "arrival", onramp)], result: "moved" }
      // Its deadline may have come before the timer has.
      const expired = yield* host.step(OnrampKind, onramp, { type: "timer.quote_expiry", at }, at)
      const late = expired !== undefined || OnrampKind.ended.includes(onramp.status)
      const kept = yield* exceptions.keep(word, late ? "late_funding" : "already_funded", known, onramp)
      return expired === undefined ? kept : { ...kept, parts: [expired.parts, ...kept.parts] }
    })

    const follow = Effect.fnUntraced(function* (
      word: Word,
      onramp: Row<OnrampData>,
      known: PayinRecord
    ): Effect.fn.Return<Decision<PayinHeard>, StorageFault> {
      if (word.event.stage !== "failed") return nothing
      const { at } = word
      const next = yield* host.step(OnrampKind, onramp, { type: "payin.failed", at }, at)
      const kept = yield* exceptions.recalled(word, known, next !== undefined)
      return next === undefined
        ? weighed(onramp, kept)
        : ({ parts: [next.parts, ...kept.parts], result: "moved" } as const)
    })

    return {
      /** A later word on the pay-in that funded an onramp. */
      follow,

      /**
       * Money on its way to an onramp. The first that is confirmed in time funds it; whatever else comes is kept in
       * suspense, for the operator to send back. What is only told of is remembered in its version.
       */
      fund: (
        word: Word,
        onramp: Row<OnrampData>,
        known: PayinRecord | undefined,
        amount: string
      ): Effect.Effect<Decision<PayinHeard>, StorageFault> => {
        const { payin_id, funded_amount } = onramp.data
        // It was funded by this pay-in after the record was read: a recall must not be taken for a first word.
        if (payin_id === word.event.payin_id)
          return follow(word, onramp, {
            row: onramp,
            held: true,
            place: onrampPlace(onramp.data),
            amount: funded_amount
          })
        if (word.event.stage === "confirmed")
          return Effect.map(funded(word, onramp, known, amount), (decision) => weighed(onramp, decision))
        const first = known === undefined ? [records.names(word.event.payin_id, "detection", onramp)] : []
        return Effect.succeed(weighed(onramp, { parts: first, result: "repeated" }))
      }
    }
  })
