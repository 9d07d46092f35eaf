/** Whatever becomes of the rows of a batch, and wherever its payment ends in between: limits have counted what did not fail (LIMITS-11). */
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { assert, describe, it } from "vitest"
import { StorageFault } from "../../src/engine/ports/errors.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { MoneyLimits } from "../../src/engine/resources/controls/limit.ts"
import { BatchPayments } from "../../src/engine/resources/movements/batch-payment.ts"
import { Batches } from "../../src/engine/resources/movements/batch.ts"
import { FeeSchedules } from "../../src/engine/resources/movements/fee-schedule.ts"
import { Beneficiaries } from "../../src/engine/resources/parties/beneficiary.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { block } from "../support/merchants/blocked.ts"
import { type MerchantAtWork, merchantAtWork } from "../support/merchants/merchant-at-work.ts"
import { triesOf } from "../support/properties/tries.ts"
import { covers } from "../support/repository/covers.ts"

/** `modified`: its recipient is another one when it is paid. `back`: it comes back after its success. */
const fates = ["success", "failed", "returned", "back", "modified"] as const

interface Case {
  readonly rows: ReadonlyArray<{
    readonly pays: "transfer" | "source_amount" | "target_amount"
    readonly cents: number
    readonly fate: (typeof fates)[number]
  }>
  /** What an offramp costs when it is paid, beside when it was checked. */
  readonly price: "same" | "dearer" | "cheaper"
  /** Another payment takes most of the money first. */
  readonly isShort: boolean
  /** How many rows are looked at before the process ends, and whether their movements end before another goes on. */
  readonly dies: number | null
  readonly endsFirst: boolean
  readonly cancels: boolean
  /** What two limits count before the confirmation and after it. */
  readonly operations: readonly [ReadonlyArray<Counts>, ReadonlyArray<Counts>]
}

const counts = ["batch", "transfer", "offramp"] as const
type Counts = (typeof counts)[number]

const ofBatches = fc.subarray([...counts]).map((more) => [...new Set(["batch" as const, ...more])])

const arbitrary: fc.Arbitrary<Case> = fc.record({
  rows: fc.array(
    fc.record({
      pays: fc.constantFrom("transfer", "source_amount", "target_amount"),
      cents: fc.integer({ min: 200, max: 5000 }),
      fate: fc.constantFrom(...fates, "failed" as const)
    }),
    { minLength: 1, maxLength: 7 }
  ),
  price: fc.constantFrom("same", "dearer", "cheaper"),
  isShort: fc.boolean(),
  dies: fc.option(fc.nat(7)),
  endsFirst: fc.boolean(),
  cancels: fc.boolean(),
  operations: fc.tuple(ofBatches, ofBatches)
})

const microsOf = (amount: string): bigint => {
  const [whole = "", decimals = ""] = amount.split(".")
  return BigInt(whole + decimals.padEnd(6, "0"))
}

/** Pays a part as a process that ends after it has looked at `rows`. */
const payAndDie = Effect.fnUntraced(function* (m: MerchantAtWork, id: string, rows: number) {
  const storage = yield* Storage
  let left = rows
  const dying: Storage["Service"] = {
    ...storage,
    uniqueKeyOwner: (...key) =>
      left-- > 0
        ? storage.uniqueKeyOwner(...key)
        : Effect.fail(new StorageFault({ message: "gone", retryable: false } as never))
  }
  const layer = Layer.fresh(BatchPayments.layer).pipe(Layer.provide(Layer.succeed(Storage, dying)))
  const payments = yield* Effect.provide(BatchPayments, layer)
  yield* Effect.exit(payments.pay(m.merchant_id, id, { deduplicationKey: `${id}/dies` }, 0))
})

const history = ({ cancels, dies, endsFirst, isShort, operations, price, rows }: Case) =>
  Effect.gen(function* () {
    const m = yield* merchantAtWork("1000")
    const limits = yield* MoneyLimits
    const limit = (more: object) =>
      limits.create(m.operator, {
        ...{
          scope: "merchant",
          id: m.merchant_id,
          operations: ["batch"],
          window: { rolling: "P7D" },
          action: "refuse"
        },
        ...more
      } as never)
    const usedOf = ({ id }: { readonly id: string }) => Effect.map(limits.get(id), ({ body }) => body)
    const dollars = yield* limit({ currency: "USDC", max_amount: "1000000", max_count: 9 })
    const naira = yield* limit({ currency: "NGN", max_amount: "1000000000" })
    const euros = yield* limit({ currency: "EUR", max_amount: "1000000" })
    const both = yield* limit({ currency: "USDC", max_amount: "1000000", operations: ["batch", "transfer"] })
    const changing = yield* limit({ currency: "USDC", max_amount: "1000000", operations: operations[0] })

    const payees = yield* Effect.forEach(rows, ({ pays }) => (pays === "transfer" ? m.crypto() : m.bank()))
    const sent = rows.map(({ cents, pays }, n) => {
      const own = { wallet_id: m.wallet.id, beneficiary_id: payees[n]! }
      const amount = (cents / 100).toFixed(2)
      return pays === "transfer"
        ? { operation: "transfer", amount, ...own }
        : pays === "source_amount"
          ? { operation: "offramp", source_amount: amount, ...own }
          : { operation: "offramp", target_amount: (cents * 15).toFixed(2), ...own }
    })
    const batches = yield* Batches
    const rowsOf = (id: string) =>
      Effect.map(batches.rows(m.caller, id, { per_page: 200 }), (found) =>
        "items" in found ? found.items : assert.fail("a file")
      )
    const { errors, id } = yield* batches.create(m.caller, { reference: "pay", rows: sent })
    assert.deepEqual(errors, [])
    const beneficiaries = yield* Beneficiaries
    for (const [n, { fate }] of rows.entries())
      if (fate === "modified") yield* beneficiaries.update(m.caller, payees[n]!, { name: `Other ${n}` })
    yield* m.settle
    if (price !== "same")
      yield* FeeSchedules.use((s) =>
        s.create(m.operator, {
          ...{ operation: "offramp", merchant_id: m.merchant_id, bps: "0" },
          fixed: price === "dearer" ? "1" : "0"
        } as never)
      )
    const before = isShort ? yield* m.transfer("960") : undefined
    yield* batches.confirm(m.caller, id)
    yield* limits.update(m.operator, changing.id, { operations: operations[1] })

    const ended = new Set<string>()
    const says = Effect.fnUntraced(function* (resource_id: string, fate: Case["rows"][number]["fate"]) {
      if (ended.has(resource_id)) return
      ended.add(resource_id)
      if (fate === "failed") return yield* m.says(resource_id, "failed")
      if (fate === "returned" && resource_id.startsWith("ofr_")) return yield* m.says(resource_id, "returned")
      yield* m.says(resource_id, "success")
      if (fate === "back" && resource_id.startsWith("ofr_")) yield* m.says(resource_id, "returned")
    })
    const storage = yield* Storage
    const movements = Effect.gen(function* () {
      const { items } = yield* storage.list({
        ...{ merchant_id: m.merchant_id, kinds: ["transfer", "offramp"], index_keys: [], offset: 0, limit: 50 }
      })
      return items.flatMap((row) => {
        const [, n] = /^pay-(\d+)$/.exec((row.data as { readonly reference: string }).reference) ?? []
        return n === undefined ? [] : [{ ...rows[Number(n) - 1]!, row }]
      })
    })
    const end = Effect.gen(function* () {
      for (const { fate, row } of yield* movements) yield* says(row.id, fate)
    })
    if (dies !== null) {
      yield* payAndDie(m, id, dies)
      // What it has begun ends before another process takes the batch.
      if (endsFirst)
        for (const { fate, row } of yield* movements) {
          if (fate !== "failed") continue
          yield* block(m, row)
          ended.add(row.id)
        }
    }
    // A batch whose rows have all ended is not cancelled.
    if (cancels) yield* Effect.ignore(batches.cancel(m.caller, id))
    for (let round = 0; round < 4; round++) {
      yield* m.settle
      yield* m.advance(15)
    }
    yield* end
    if (before !== undefined) yield* m.says(before.id, "success")
    yield* m.settle

    // The oracle: what the movements took that did not fail, whatever the batch and the counters say.
    const all = yield* movements
    const moved = all.filter(
      ({ fate, row }) => row.status === "success" || (fate === "back" && row.status === "returned")
    )
    const takenOf = ({ row }: (typeof all)[number]): bigint => {
      const { amount, source_amount } = row.data as { readonly amount?: string; readonly source_amount?: string }
      return BigInt(source_amount ?? amount!)
    }
    const taken = moved.reduce((sum, one) => sum + takenOf(one), 0n)
    const shown = { rows: yield* rowsOf(id), moved: moved.length, of: all.length }
    const isEnded = shown.rows.every(({ resource_id, status }) => (resource_id !== null) === (status === "created"))
    assert.isTrue(isEnded, JSON.stringify(shown))
    // BATCH-4, BATCH-6: the totals are those of the movements that there are, also of a batch that was cancelled meanwhile.
    const { body } = yield* batches.get(m.caller, id)
    const made = all.reduce((sum, one) => sum + takenOf(one), 0n)
    assert.deepEqual(
      body.totals.map(({ amount }) => microsOf(amount)),
      made === 0n ? [] : [made],
      JSON.stringify({ ...shown, counts: body.counts })
    )
    const counted = yield* usedOf(dollars)
    assert.strictEqual(microsOf(counted.used_amount!), taken, JSON.stringify(shown))
    assert.strictEqual(counted.used_count, all.length === 0 ? 0 : 1)
    // The transfer beside the batch is one of this limit, too.
    assert.strictEqual(microsOf((yield* usedOf(both)).used_amount!), taken + (isShort ? 960_000_000n : 0n))
    // Each row once, with its batch or by itself.
    const beside = isShort && operations[0].includes("transfer") ? 960_000_000n : 0n
    assert.strictEqual(microsOf((yield* usedOf(changing)).used_amount!), taken + beside, JSON.stringify(operations))
    // At a rate, as exactly as the currency goes: a row has its share of one rounding, and loses another. Nothing where nothing moved.
    for (const [of, rates] of [
      [naira, { transfer: 150_000n, offramp: 149_250n }],
      [euros, { transfer: 92n, offramp: 92n }]
    ] as const) {
      const due = moved.reduce((sum, one) => sum + takenOf(one) * rates[one.row.kind as keyof typeof rates], 0n)
      const off = microsOf((yield* usedOf(of)).used_amount!) * 100n - due
      const most = 2_000_000n * BigInt(moved.length)
      assert.isTrue(off >= -most && off <= most, `${off} beside ${due}: ${JSON.stringify(shown)}`)
    }
  })

describe("limits of batches", () => {
  covers("LIMITS-11", "LIMITS-4", "BATCH-4", "BATCH-5", "BATCH-6")
  it("have counted what the rows took that did not fail, after every row has ended", async () => {
    await fc.assert(
      fc.asyncProperty(arbitrary, (one) =>
        Effect.runPromise(Effect.provide(history(one), Layer.fresh(makeSimulatedEngine())) as Effect.Effect<void>)
      ),
      { numRuns: triesOf(60) }
    )
  })

  covers("LIMITS-11", "BATCH-6")
  it("get back at once what a cancelled batch has not begun, and the rest as it fails", () =>
    Effect.gen(function* () {
      const m = yield* merchantAtWork("1000")
      const limits = yield* MoneyLimits
      const batches = yield* Batches
      const { id: limit } = yield* limits.create(m.operator, {
        ...{ scope: "merchant", id: m.merchant_id, operations: ["batch"], window: { rolling: "P7D" } },
        ...{ currency: "EUR", max_amount: "1000", max_count: 2, action: "refuse" }
      } as never)
      const used = Effect.map(limits.get(limit), ({ body: { used_amount, used_count } }) => [used_amount, used_count])
      const row = { operation: "transfer", wallet_id: m.wallet.id, beneficiary_id: m.beneficiary, amount: "1.01" }
      const rows = Array.from({ length: 330 }, () => row)
      const { id } = yield* batches.create(m.caller, { reference: "pay", rows })
      yield* batches.confirm(m.caller, id)
      // 333.30 * 0.92.
      assert.deepEqual(yield* used, ["306.64", 1])
      const payments = yield* Effect.provide(BatchPayments, Layer.fresh(BatchPayments.layer))
      yield* payments.pay(m.merchant_id, id, { deduplicationKey: `${id}/first` }, 0)
      yield* batches.cancel(m.caller, id)
      // Those of the first part are movements; the second may have begun, and is looked at again.
      assert.deepEqual(yield* used, ["185.84", 1])
      yield* m.settle
      assert.deepEqual(yield* used, ["92.92", 1])
      const made = yield* m.underWay
      assert.strictEqual(made.length, 100)
      for (const one of made) yield* m.says(one, "failed")
      // The batch stays an act: it has made movements.
      assert.deepEqual(yield* used, ["0.00", 1])
    }).pipe((effect) =>
      Effect.runPromise(Effect.provide(effect, Layer.fresh(makeSimulatedEngine())) as Effect.Effect<void>)
    ))
})
