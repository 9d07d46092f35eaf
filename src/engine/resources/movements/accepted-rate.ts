/** The operator's view of rates, and the acceptance of one that is outside its band (RATE-4). */
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { startWindows } from "../../../machines/kernel/rate-band.ts"
import { AcceptedRateKind, RateBandCheck, ratedCurrencies, rateId, type RateState } from "../../calls/RateBand.ts"
import type { Listed } from "../../calls/list.ts"
import type { Call } from "../../commit/call.ts"
import { begin } from "../../commit/steps.ts"
import { UnitOfWork } from "../../commit/UnitOfWork.ts"
import { describe, type Paging, toSlice, Text } from "../../input/schemas.ts"
import { InvariantViolation, invalid, NotFound } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, Storage } from "../../ports/Storage.ts"
import type { AcceptedRateData } from "../../../machines/movements/accepted-rate.ts"
import { type RateBody, acceptedRateBody } from "../../representations/movements/accepted-rate.ts"

export const AcceptRate = Schema.Struct({
  per_usd: describe(
    Text(40),
    "Units of the currency for one US dollar, as you have checked it. What the source says next is judged against it.",
    "1500.25"
  ),
  note: describe(
    Text(1000),
    "Why. The rate and the audit log show it.",
    "Devaluation announced by the central bank, checked at two banks"
  )
}).annotate({ identifier: "AcceptRate" })
export type AcceptRate = typeof AcceptRate.Type

const decimal = /^\d{1,18}(?:\.\d{1,18})?$/

const rateBody = ({ row, ...state }: RateState): RateBody => {
  const { note = null, operator_at = null, operator_per_usd = null } = row?.data ?? {}
  return acceptedRateBody({
    ...state,
    decided:
      operator_per_usd === null || operator_at === null ? null : { per_usd: operator_per_usd, at: operator_at, note }
  })
}

export class AcceptedRates extends Context.Service<AcceptedRates>()("corridor/engine/AcceptedRates", {
  make: Effect.gen(function* () {
    const [unitOfWork, storage, band] = yield* Effect.all([UnitOfWork, Storage, RateBandCheck])

    return {
      /** Operator: the rates of all currencies, by code. */
      list: Effect.fnUntraced(function* (input: Paging) {
        const { page, per_page, offset, limit } = toSlice(input)
        const all = (yield* band.states).toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
        const items = all.slice(offset, offset + limit).map(rateBody)
        return { items, page, per_page, total: all.length } satisfies Listed<RateBody>
      }),

      /**
       * Operator: accepts a rate. The source is judged against it from then on, on every node.
       *
       * Errors: `NotFound` for a currency that has no rate; `InvalidInput` for `per_usd` that is not a positive decimal.
       */
      accept: Effect.fnUntraced(function* (call: Call, currency: string, { note, per_usd }: AcceptRate) {
        if (!ratedCurrencies.includes(currency))
          return yield* new NotFound({
            message: `There is no rate of ${JSON.stringify(currency)}. Rates: ${ratedCurrencies.join(", ")}.`
          })
        if (!decimal.test(per_usd) || !/[1-9]/.test(per_usd))
          return yield* invalid(
            "per_usd",
            `per_usd is ${JSON.stringify(per_usd)}; it takes the units of ${currency} for one US dollar, above zero, as "1500.25".`
          )
        const key = { merchant_id: PLATFORM_MERCHANT, kind: AcceptedRateKind.kind, id: rateId(currency) }
        const accepted = yield* unitOfWork.write({ ...call, merchant_id: PLATFORM_MERCHANT }, function* () {
          const at = yield* Clock.currentTimeMillis
          const { day } = startWindows(per_usd, at)
          const data = {
            per_usd,
            accepted_at: at,
            day_per_usd: day.per_usd,
            day_at: day.at,
            operator_per_usd: per_usd,
            operator_at: at,
            note
          }
          const [row] = (yield* storage.get([key])) as ReadonlyArray<Row<AcceptedRateData>>
          const next =
            row === undefined
              ? yield* begin(AcceptedRateKind, key, { currency, ...data }, at)
              : yield* unitOfWork.step(AcceptedRateKind, row, { type: "update", patch: data }, at)
          if (next === undefined) throw new InvariantViolation("an accepted rate takes updates")
          return { changes: [next.changes], result: rateBody(yield* band.stateAfter(next.row)) }
        })
        yield* Effect.ignore(band.refreshed)
        return accepted
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
