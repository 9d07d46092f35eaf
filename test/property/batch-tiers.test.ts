/** Whatever rows a batch has, and whatever becomes of them: each has the fee of the tier that the rows before it lead to (BATCH-3, BATCH-4). */
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { Batches } from "../../src/engine/resources/movements/batch.ts"
import { FeeSchedules } from "../../src/engine/resources/movements/fee-schedule.ts"
import { Beneficiaries } from "../../src/engine/resources/parties/beneficiary.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../support/merchants/merchant-at-work.ts"
import { triesOf } from "../support/properties/tries.ts"
import { covers } from "../support/repository/covers.ts"

interface Case {
  readonly before: number
  readonly tiers: ReadonlyArray<{ readonly step: number; readonly bps: number }>
  /** `huge`: the funds do not reach it. `twice`: it has the reference of the row before. `modified`: it fails when it is paid. */
  readonly rows: ReadonlyArray<{
    readonly pays: "source_amount" | "target_amount"
    readonly whole: number
    readonly fate: "paid" | "huge" | "twice" | "modified"
  }>
}

const arbitrary: fc.Arbitrary<Case> = fc.record({
  before: fc.integer({ min: 0, max: 200 }),
  tiers: fc.array(fc.record({ step: fc.integer({ min: 20, max: 300 }), bps: fc.integer({ min: 1, max: 500 }) }), {
    minLength: 1,
    maxLength: 3
  }),
  rows: fc.array(
    fc.record({
      pays: fc.constantFrom("source_amount", "target_amount"),
      whole: fc.integer({ min: 10, max: 150 }),
      fate: fc.constantFrom("paid", "paid", "paid", "huge", "twice", "modified")
    }),
    { minLength: 2, maxLength: 24 }
  )
})

const microsOf = (amount: string): bigint => {
  const [whole = "", decimals = ""] = amount.split(".")
  return BigInt(whole + decimals.padEnd(6, "0"))
}
const floorBps = 250n

/** The fee that a schedule takes of a source amount, once so much has moved: the last tier that this has reached, rounded up to cents. */
const feeOf = (tiers: ReadonlyArray<readonly [above: bigint, bps: bigint]>, volume: bigint, source: bigint): bigint => {
  const bps = tiers.reduce((found, [above, bps]) => (volume >= above ? bps : found), floorBps)
  const cent = 10_000n
  return ((source * bps + 10_000n * cent - 1n) / (10_000n * cent)) * cent
}

const history = ({ before, rows, tiers: drawn }: Case) =>
  Effect.gen(function* () {
    const m = yield* merchantAtWork("5000")
    let above = 0
    const tiers = drawn.map(({ bps, step }) => ({ above: `${(above += step)}`, bps: `${bps}` }))
    yield* FeeSchedules.use((s) =>
      s.create(m.operator, { operation: "offramp", merchant_id: m.merchant_id, bps: `${floorBps}`, tiers })
    )
    if (before >= 10) yield* m.offramp(`${before}`)
    const starts = before >= 10 ? microsOf(`${before}`) : 0n
    const steps = tiers.map(({ above, bps }) => [microsOf(above), BigInt(bps)] as const)

    const payees = yield* Effect.forEach(rows, () => m.bank())
    const sent = rows.map(({ fate, pays, whole }, n) => ({
      ...{ operation: "offramp", wallet_id: m.wallet.id, beneficiary_id: payees[n]! },
      [pays]:
        pays === "source_amount"
          ? `${fate === "huge" ? 90_000 : whole}`
          : `${(fate === "huge" ? 90_000 : whole) * 1500}`,
      reference: fate === "twice" && n > 0 ? `ref ${n - 1}` : `ref ${n}`
    }))
    const batches = yield* Batches
    const read = Effect.fnUntraced(function* (id: string) {
      const found = yield* batches.rows(m.caller, id, { per_page: 200 })
      return "items" in found ? found.items : assert.fail("a file")
    })
    const draft = yield* batches.create(m.caller, { reference: "pay", rows: sent })
    const checked = yield* read(draft.id)
    let volume = starts
    for (const { errors, fees, source_amount } of checked) {
      if (errors.length > 0) continue
      const source = microsOf(source_amount!)
      const own = fees.find(({ currency }) => currency === "USDC")?.amount ?? "0.00"
      assert.strictEqual(microsOf(own), feeOf(steps, volume, source), `after ${volume}`)
      volume += source
    }
    if (draft.counts.valid === 0) return
    for (const [n, { fate }] of rows.entries())
      if (fate === "modified") yield* Beneficiaries.use((s) => s.update(m.caller, payees[n]!, { name: `Other ${n}` }))
    yield* batches.confirm(m.caller, draft.id)
    for (let round = 0; round < 20 && (yield* batches.get(m.caller, draft.id)).body.status === "processing"; round++) {
      yield* m.settle
      yield* m.advance(2)
    }
    for (const [n, row] of (yield* read(draft.id)).entries()) {
      const { fees, received_amount, source_amount } = checked[n]!
      if (row.errors.length === 0)
        assert.deepEqual(
          [row.status, row.source_amount, row.received_amount, row.fees],
          ["created", source_amount, received_amount, fees]
        )
      else if (checked[n]!.errors.length === 0) assert.deepInclude(rows[n], { fate: "modified" })
    }
  })

describe("a batch of offramps", () => {
  covers("BATCH-3", "BATCH-4", "FEE-4")
  it("is checked, and charged, at the tiers that its rows lead to in their order", () =>
    fc.assert(
      fc.asyncProperty(arbitrary, (one) =>
        Effect.runPromise(Effect.provide(history(one), Layer.fresh(makeSimulatedEngine())) as Effect.Effect<void>)
      ),
      { numRuns: triesOf(40) }
    ))
})
