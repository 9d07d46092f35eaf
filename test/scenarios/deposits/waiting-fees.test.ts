/** A deposit that waits for a rate has the fee of its date, whatever schedules begin and end meanwhile (FEE-2, FEE-5). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { ConversionData } from "../../../src/machines/movements/conversion.ts"
import { type CreateFeeSchedule, FeeSchedules } from "../../../src/engine/resources/movements/fee-schedule.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { market, openWay, ways } from "../../support/merchants/credentials.ts"
import { covers } from "../../support/repository/covers.ts"

type Stages = ReadonlyArray<"detected" | "confirmed">
type Fee = Pick<CreateFeeSchedule, "bps" | "tiers">

interface Case {
  /** The schedule of its date. Absent: none, so that the fee is the port's. */
  readonly of?: Fee
  readonly fee: string
}

const cases: Readonly<Record<string, Case>> = {
  "a schedule that has ended since": { of: { bps: "100" }, fee: "1000000" },
  "a tier that has been passed since": { of: { bps: "100", tiers: [{ above: "50", bps: "10" }] }, fee: "1000000" },
  "no schedule, where one began since": { fee: "250000" }
}

onMemory("a deposit that waits for a rate", (run) => {
  covers("FEE-2", "FEE-5")
  it.each(
    Object.entries(cases).flatMap(([name, one]) => [
      { name, ...one, before: ["confirmed"], after: [] },
      { name, ...one, before: ["detected", "confirmed"], after: [] },
      { name, ...one, before: ["detected"], after: ["confirmed"] }
    ]) as ReadonlyArray<Case & { readonly name: string; readonly before: Stages; readonly after: Stages }>
  )("has the fee of its date: $name, $before, $after", ({ after, before, fee, of }) => {
    const rates = market()
    return run(
      Effect.gen(function* () {
        const m = yield* openWay(ways[1]!)
        const fees = yield* FeeSchedules
        const make = (given: Fee) =>
          fees.create(m.operator, {
            ...{ operation: "conversion", merchant_id: m.merchant_id, source_currency: "USDC" },
            ...given
          })
        const made = of === undefined ? undefined : yield* make(of)
        yield* rates.closes
        const payin_id = `waits for ${m.merchant_id}`
        const deposit = yield* m.pay(before, { payin_id })
        yield* m.advance(60)
        yield* rates.opens
        // Another one is converted first, and the schedule is another by then.
        if (of?.tiers !== undefined) yield* m.pay(["confirmed"])
        else {
          if (made !== undefined) yield* fees.end(m.operator, made.id)
          yield* make({ bps: "200" })
        }
        yield* m.pay(after, { payin_id })
        yield* m.advance(3600)
        yield* m.finish
        const rows = yield* Effect.forEach(yield* m.conversions, ({ id }) => m.rowOf(id))
        const own = rows
          .map(({ data }) => data as ConversionData)
          .filter((one) => one.parent_transaction_id === deposit)
        assert.deepEqual(
          own.map(({ gateway_fee }) => gateway_fee),
          [fee]
        )
      }),
      { rates: rates.layer }
    )
  })
})
