/** Batches whose rows lead each other to other tiers of a fee schedule (BATCH-3, BATCH-4). */
import { assert, it } from "vitest"
import { Effect } from "effect"
import type { BatchRowBody } from "../../../src/engine/representations/movements/batch.ts"
import { MoneyLimits } from "../../../src/engine/resources/controls/limit.ts"
import { Batches } from "../../../src/engine/resources/movements/batch.ts"
import { type CreateFeeSchedule, FeeSchedules } from "../../../src/engine/resources/movements/fee-schedule.ts"
import { onEveryStore, onMemory } from "../../support/engines/every-store.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

/** A merchant whose offramps have this schedule, and the members of a row that pays a bank account. */
const pricedMerchant = Effect.fnUntraced(function* (schedule: Partial<CreateFeeSchedule>) {
  const m = yield* merchantAtWork("2000")
  yield* FeeSchedules.use((s) =>
    s.create(m.operator, { operation: "offramp", merchant_id: m.merchant_id, ...schedule })
  )
  return { m, row: { operation: "offramp", wallet_id: m.wallet.id, beneficiary_id: yield* m.bank() } }
})

const rowsOf = (m: MerchantAtWork, id: string) =>
  Effect.map(
    Batches.use((s) => s.rows(m.caller, id, { per_page: 200 })),
    (found) => ("items" in found ? (found.items as ReadonlyArray<BatchRowBody>) : assert.fail("a file"))
  )

/** Checks rows, pays those without an error, and holds that each is charged what was checked. Returns the codes of the errors. */
const chargedAsChecked = Effect.fnUntraced(function* (m: MerchantAtWork, rows: ReadonlyArray<object>) {
  const batches = yield* Batches
  const draft = yield* batches.create(m.caller, { reference: "pay", rows: rows as never })
  const checked = yield* rowsOf(m, draft.id)
  yield* batches.confirm(m.caller, draft.id)
  yield* m.settle
  const { body } = yield* batches.get(m.caller, draft.id)
  const paid = yield* rowsOf(m, draft.id)
  for (const { resource_id } of paid) if (resource_id !== null) yield* m.says(resource_id, "success")
  const pick = ({ fees, received_amount, source_amount }: BatchRowBody) => ({ fees, received_amount, source_amount })
  assert.deepEqual(paid.map(pick), checked.map(pick))
  assert.deepEqual([body.totals, body.received, body.fees], [draft.totals, draft.received, draft.fees])
  assert.deepInclude(body.counts, { created: draft.counts.valid, failed: 0 })
  return draft.errors.map(({ code, row }) => [row, code])
})

const amounts = ["source_amount", "target_amount"] as const
const hundred = (amount: (typeof amounts)[number]) => ({ [amount]: amount === "source_amount" ? "100" : "150000" })

onEveryStore("a batch whose later rows have a cheaper tier", (run) => {
  covers("BATCH-4", "FEE-4")
  it.each(amounts)("charges each row as it was checked, however many are paid at once: %s", (amount) =>
    run(
      Effect.gen(function* () {
        const { m, row } = yield* pricedMerchant({ bps: "200", tiers: [{ above: "150", bps: "10" }] })
        const rows = Array.from({ length: 8 }, () => ({ ...row, ...hundred(amount) }))
        assert.deepEqual(yield* chargedAsChecked(m, rows), [])
      })
    )
  )
})

/** Rows of which the last is refused, and its error. */
const refused: Readonly<Record<"funds" | "limit" | "reference", readonly [ReadonlyArray<object>, string]>> = {
  funds: [[{ source_amount: "5000" }], "ledger_insufficient_funds"],
  limit: [[{ source_amount: "20" }, { source_amount: "240" }], "limit_exceeded"],
  reference: [["20", "200"].map((source_amount) => ({ source_amount, reference: "same" })), "duplicate_resource"]
}

onMemory("a row that is refused, before others,", (run) => {
  covers("BATCH-3")
  it.each((["funds", "reference", "limit"] as const).flatMap((why) => amounts.map((amount) => [why, amount] as const)))(
    "leads them to no tier: %s, %s",
    (why, amount) =>
      run(
        Effect.gen(function* () {
          const { m, row } = yield* pricedMerchant({ bps: "200", tiers: [{ above: "150", bps: "10" }] })
          if (why === "limit")
            yield* MoneyLimits.use((s) =>
              s.create(m.operator, {
                ...{ scope: "merchant", id: m.merchant_id, operations: ["payout"], currency: "USDC" },
                ...{ max_amount: "250", window: { rolling: "P7D" }, action: "refuse" }
              })
            )
          const [given, error] = refused[why]
          const rows = [...given, hundred(amount)].map((one) => ({ ...row, ...one }))
          assert.deepEqual(yield* chargedAsChecked(m, rows), [[given.length, error]])
        })
      )
  )

  covers("BATCH-3")
  it("takes no reference from them", () =>
    run(
      Effect.gen(function* () {
        const { m, row } = yield* pricedMerchant({ bps: "0", tiers: [{ above: "150", fixed: "30" }] })
        // The fee of its tier leaves nothing of the second to receive.
        const rows = [
          { source_amount: "200" },
          { source_amount: "20" },
          { source_amount: "5000" },
          { source_amount: "50" }
        ]
        const named = rows.map((one, n) => ({ ...row, ...one, ...(n === 0 ? {} : { reference: "same" }) }))
        assert.deepEqual(yield* chargedAsChecked(m, named), [
          [2, "invalid_value"],
          [3, "ledger_insufficient_funds"]
        ])
      })
    ))
})

onMemory("a row whose fee without the rows before it", (run) => {
  covers("BATCH-3", "BATCH-4")
  it("leaves nothing to receive, is checked at that of its tier", () =>
    run(
      Effect.gen(function* () {
        const { m, row } = yield* pricedMerchant({ fixed: "30", tiers: [{ above: "150", bps: "10" }] })
        const rows = ["20", "200", "20"].map((source_amount) => ({ ...row, source_amount }))
        assert.deepEqual(yield* chargedAsChecked(m, rows), [[1, "invalid_value"]])
      })
    ))
})
