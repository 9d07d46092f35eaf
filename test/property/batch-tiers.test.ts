/**
 * Each row of a confirmed batch is charged what its check said (BATCH-4), by the tier that the rows before it lead to, of those alone that
 * were not refused (BATCH-3): in whichever order they are paid, however many at once, and whatever fails or ends in between.
 */
import { Effect, Layer } from "effect"
import fc from "fast-check"
import { assert, it } from "vitest"
import { StorageFault } from "../../src/engine/ports/errors.ts"
import { type Row, Storage } from "../../src/engine/ports/Storage.ts"
import { BatchPayments } from "../../src/engine/resources/movements/batch-payment.ts"
import { Batches } from "../../src/engine/resources/movements/batch.ts"
import { FeeSchedules } from "../../src/engine/resources/movements/fee-schedule.ts"
import { Beneficiaries } from "../../src/engine/resources/parties/beneficiary.ts"
import type { BatchRowBody } from "../../src/engine/representations/movements/batch.ts"
import { onEveryStore } from "../support/engines/every-store.ts"
import { block } from "../support/merchants/blocked.ts"
import { type MerchantAtWork, merchantAtWork } from "../support/merchants/merchant-at-work.ts"
import { triesOf } from "../support/properties/tries.ts"
import { covers } from "../support/repository/covers.ts"

interface Case {
  /** `bps` of a schedule, and of its tiers by the whole dollars that they begin at. */
  readonly bps: number
  readonly tiers: ReadonlyArray<{ readonly above: number; readonly bps: number }>
  /** What the merchant has moved before, in dollars. */
  readonly before: number
  readonly rows: ReadonlyArray<{
    readonly pays: "transfer" | "source_amount" | "target_amount"
    readonly cents: number
    /** `huge`: the funds do not reach it. `same`: it has the reference of another one. `modified`: it fails when it is paid. */
    readonly is: "fine" | "huge" | "same" | "modified"
    /** A process that ends has not come to it. */
    readonly isLate: boolean
  }>
  /** Whether a process ends while it pays, and what was made then fails before another goes on. */
  readonly dies: boolean
  readonly fails: boolean
}

const bps = fc.integer({ min: 0, max: 400 })
const arbitrary: fc.Arbitrary<Case> = fc.record({
  bps,
  tiers: fc
    .uniqueArray(fc.record({ above: fc.integer({ min: 20, max: 400 }), bps }), {
      selector: (one) => one.above,
      minLength: 1,
      maxLength: 3
    })
    .map((tiers) => tiers.toSorted((a, b) => a.above - b.above)),
  before: fc.constantFrom(0, 30, 100),
  rows: fc.array(
    fc.record({
      pays: fc.constantFrom("transfer", "source_amount", "source_amount", "target_amount", "target_amount"),
      cents: fc.integer({ min: 500, max: 8000 }),
      is: fc.constantFrom("fine", "fine", "fine", "fine", "huge", "same", "modified"),
      isLate: fc.boolean()
    }),
    { minLength: 2, maxLength: 20 }
  ),
  dies: fc.boolean(),
  fails: fc.boolean()
})

const microsOf = (amount: string): bigint => {
  const [whole = "", decimals = ""] = amount.split(".")
  return BigInt(whole + decimals.padEnd(6, "0"))
}

const FUNDS = 800_000_000n

/** Pays a part as a process that ends once it has paid the others than `late` rows. */
const payAndDie = Effect.fnUntraced(function* (m: MerchantAtWork, id: string, late: ReadonlySet<string>) {
  const storage = yield* Storage
  const others = Effect.promise(() => new Promise((done) => setTimeout(done, 30)))
  const gone = Effect.fail(new StorageFault({ message: "gone", retryable: false }))
  const dying = Storage.of({
    ...storage,
    uniqueKeyOwner: (merchant_id, scope, key) =>
      late.has(key) ? Effect.andThen(others, gone) : storage.uniqueKeyOwner(merchant_id, scope, key)
  })
  const layer = Layer.fresh(BatchPayments.layer).pipe(Layer.provide(Layer.succeed(Storage, dying)))
  const payments = yield* Effect.provide(BatchPayments, layer)
  yield* Effect.exit(payments.pay(m.merchant_id, id, { deduplicationKey: `${id}/dies` }, 0))
})

/** The oracle of the check: which rows are refused, and what the gateway takes of each of the others. */
const requireChecked = ({ before, bps, rows, tiers }: Case, checked: ReadonlyArray<BatchRowBody>) => {
  let volume = BigInt(before) * 1_000_000n
  let left = FUNDS
  let isTaken = false
  for (const [n, { is, pays }] of rows.entries()) {
    const row = checked[n]!
    const shown = JSON.stringify([n, volume.toString(), row])
    const code =
      is === "same" && isTaken
        ? "duplicate_resource"
        : is === "huge"
          ? "ledger_insufficient_funds"
          : row.errors[0]?.code
    assert.strictEqual(row.errors[0]?.code, code, shown)
    if (code !== undefined) {
      if (is !== "huge" && code !== "duplicate_resource") assert.strictEqual(code, "ledger_insufficient_funds", shown)
      continue
    }
    isTaken ||= is === "same"
    const source = microsOf(row.source_amount!)
    left -= source
    assert.isTrue(left >= 0n, shown)
    if (pays === "transfer") continue
    const rate = BigInt(tiers.findLast(({ above }) => volume >= BigInt(above) * 1_000_000n)?.bps ?? bps)
    const due = (source * rate + 9_999n) / 10_000n
    const fee = microsOf(row.fees.find(({ currency }) => currency === "USDC")?.amount ?? "0")
    assert.strictEqual(fee, ((due + 9_999n) / 10_000n) * 10_000n, shown)
    volume += source
  }
}

const history = (one: Case) =>
  Effect.gen(function* () {
    const { before, bps, dies, fails, rows, tiers } = one
    const m = yield* merchantAtWork(String(Number(FUNDS / 1_000_000n) + before))
    const storage = yield* Storage
    const batches = yield* Batches
    const rowsOf = (id: string) =>
      Effect.map(batches.rows(m.caller, id, { per_page: 200 }), (found) =>
        "items" in found ? (found.items as ReadonlyArray<BatchRowBody>) : assert.fail("a file")
      )
    if (before > 0) {
      const { id } = yield* m.offramp(String(before), { reference: "before" })
      yield* m.settle
      yield* m.says(id, "success")
    }
    yield* FeeSchedules.use((s) =>
      s.create(m.operator, {
        ...{ operation: "offramp", merchant_id: m.merchant_id, bps: String(bps) },
        tiers: tiers.map(({ above, bps }) => ({ above: String(above), bps: String(bps) }))
      })
    )
    const payees = yield* Effect.forEach(rows, ({ pays }) => (pays === "transfer" ? m.crypto() : m.bank()))
    const sent = rows.map(({ cents, is, pays }, n) => {
      const dollars = is === "huge" ? 90_000 : cents / 100
      return {
        ...{ operation: pays === "transfer" ? pays : "offramp", wallet_id: m.wallet.id, beneficiary_id: payees[n]! },
        ...(is === "same" ? { reference: "same" } : {}),
        [pays === "transfer" ? "amount" : pays]: (pays === "target_amount" ? dollars * 1500 : dollars).toFixed(2)
      }
    })
    const { id } = yield* batches.create(m.caller, { reference: "pay", rows: sent })
    const checked = yield* rowsOf(id)
    requireChecked(one, checked)
    if (checked.every(({ status }) => status === "invalid")) return
    for (const [n, { is }] of rows.entries())
      if (is === "modified") yield* Beneficiaries.use((s) => s.update(m.caller, payees[n]!, { name: `Other ${n}` }))
    yield* m.settle
    yield* batches.confirm(m.caller, id)
    if (dies) {
      yield* payAndDie(m, id, new Set(rows.flatMap(({ isLate }, n) => (isLate ? [`${id}/${n + 1}`] : []))))
      const made = yield* storage.list({
        ...{ merchant_id: m.merchant_id, kinds: ["transfer", "offramp"], index_keys: [], offset: 0, limit: 50 }
      })
      const isRow = (row: Row): boolean => (row.data as { readonly reference: string }).reference !== "before"
      if (fails) for (const row of made.items.filter(isRow)) yield* block(m, row)
    }
    for (let round = 0; round < 4; round++) {
      yield* m.settle
      yield* m.advance(15)
    }
    const paid = yield* rowsOf(id)
    for (const [n, row] of paid.entries()) {
      const was = checked[n]!
      const shown = JSON.stringify([n, was, row])
      const status = was.status === "invalid" ? "invalid" : rows[n]!.is === "modified" ? "failed" : "created"
      assert.strictEqual(row.status, status, shown)
      if (status !== "created") continue
      const [made] = yield* storage.get([{ merchant_id: m.merchant_id, kind: row.operation!, id: row.resource_id! }])
      // Of one that has failed, the row shows no fee.
      if (made!.status !== "failed") assert.deepEqual(row.fees, was.fees, shown)
      assert.strictEqual(row.source_amount, was.source_amount, shown)
      if (made!.status !== "failed") yield* m.says(row.resource_id!, "success")
    }
  })

onEveryStore(
  "a confirmed batch",
  (run, store) => {
    covers("BATCH-3", "BATCH-4")
    it("is charged row by row what its check said, in whichever order its rows are paid", async () => {
      await fc.assert(
        fc.asyncProperty(arbitrary, (one) => run(history(one))),
        { numRuns: triesOf(store === "memory" ? 40 : 6) }
      )
    })
  },
  ["memory", "pglite"]
)
