/** Batches of payouts, from the check to the results, on every store (BATCH-1 to BATCH-7). */
import { assert, it } from "vitest"
import { Effect, Layer } from "effect"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { FileResponse } from "../../../src/engine/calls/operation.ts"
import { MoneyLimits } from "../../../src/engine/resources/controls/limit.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { Timelines } from "../../../src/engine/reports/timeline/timeline.ts"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import type { BeneficiarySummary } from "../../../src/machines/parties/summaries.ts"
import type { BatchRowBody, CheckedBatchBody } from "../../../src/engine/representations/movements/batch.ts"
import { Beneficiaries } from "../../../src/engine/resources/parties/beneficiary.ts"
import { Reference } from "../../../src/engine/resources/reference/reference.ts"
import { Batches, type ListBatchRows } from "../../../src/engine/resources/movements/batch.ts"
import { FeeSchedules } from "../../../src/engine/resources/movements/fee-schedule.ts"
import { BatchPayments } from "../../../src/engine/resources/movements/batch-payment.ts"
import { Brakes } from "../../../src/engine/resources/movements/brake.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onEveryStore, onMemory } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"

type Given = Readonly<Record<string, unknown>>

const create = (m: MerchantAtWork, rows: ReadonlyArray<Given>, reference = "pay") =>
  Batches.use((s) => s.create(m.caller, { reference, rows }))
const ofCsv = (m: MerchantAtWork, csv: string, reference = "pay") =>
  Batches.use((s) => s.create(m.caller, { reference, csv }))
const confirm = (m: MerchantAtWork, id: string) => Batches.use((s) => s.confirm(m.caller, id))
const cancel = (m: MerchantAtWork, id: string) => Batches.use((s) => s.cancel(m.caller, id))
const get = (m: MerchantAtWork, id: string) =>
  Effect.map(
    Batches.use((s) => s.get(m.caller, id)),
    ({ body }) => body
  )
const rowsOf = (m: MerchantAtWork, id: string, query: ListBatchRows = {}) =>
  Effect.map(
    Batches.use((s) => s.rows(m.caller, id, { per_page: 200, ...query })),
    (found) => {
      if (found instanceof FileResponse) throw new Error("a file")
      return found.items as ReadonlyArray<BatchRowBody>
    }
  )
const fileOf = (m: MerchantAtWork, id: string, query: ListBatchRows = {}) =>
  Effect.map(
    Batches.use((s) => s.rows(m.caller, id, { format: "csv", ...query })),
    (found) => {
      if (!(found instanceof FileResponse)) throw new Error("no file")
      return found.text
    }
  )

const transfer = (m: MerchantAtWork, amount: string, more: Given = {}): Given => ({
  operation: "transfer",
  wallet_id: m.wallet.id,
  beneficiary_id: m.beneficiary,
  amount,
  ...more
})

/** Runs what is due until the batch is neither a draft nor processing. */
const paid = Effect.fnUntraced(function* (m: MerchantAtWork, id: string) {
  for (let round = 0; round < 20; round++) {
    yield* m.settle
    const batch = yield* get(m, id)
    if (batch.status !== "processing") return batch
    yield* m.advance(2)
  }
  return yield* get(m, id)
})

const succeed = (m: MerchantAtWork, rows: ReadonlyArray<BatchRowBody>) =>
  Effect.forEach(rows, ({ resource_id }) => (resource_id === null ? Effect.void : m.says(resource_id, "success")), {
    concurrency: 8,
    discard: true
  })

onEveryStore("a batch", (run) => {
  covers("BATCH-1", "BATCH-3", "BATCH-4")
  it("is checked, confirmed and paid: each row is a movement of its own, and the results are the ledger's", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const bank = yield* m.bank()
        const draft = yield* create(m, [
          transfer(m, "25"),
          { operation: "offramp", wallet_id: m.wallet.id, beneficiary_id: bank, source_amount: "100" },
          transfer(m, "40", { reference: "INV-3", metadata: { team: "ng" } }),
          { operation: "offramp", wallet_id: m.wallet.id, beneficiary_id: bank, target_amount: "147753.75" }
        ])
        assert.strictEqual(draft.status, "draft")
        assert.deepEqual(draft.counts, { rows: 4, valid: 4, invalid: 0, created: 0, failed: 0, cancelled: 0 })
        assert.deepEqual(draft.totals, [{ currency: "USDC", amount: "265.00" }])
        assert.deepEqual(draft.received, [
          { currency: "NGN", amount: "295507.50" },
          { currency: "USDC", amount: "65.00" }
        ])
        assert.deepEqual(draft.fees, [
          { currency: "NGN", amount: "1500.00" },
          { currency: "USDC", amount: "1.00" }
        ])
        assert.deepEqual(draft.errors, [])
        assert.deepEqual(yield* m.balance, { available: "1000.00", reserved: "0.00", held: "0.00" })
        assert.deepEqual(
          (yield* rowsOf(m, draft.id)).map(({ recipient, row, status }) => [row, status, recipient]),
          [
            [1, "valid", "Chidi"],
            [2, "valid", "Chidi"],
            [3, "valid", "Chidi"],
            [4, "valid", "Chidi"]
          ]
        )

        const toBank = yield* rowsOf(m, draft.id, { beneficiary_id: bank })
        assert.deepEqual(
          toBank.map(({ row }) => row),
          [2, 4]
        )

        assert.strictEqual((yield* confirm(m, draft.id)).status, "processing")
        const done = yield* paid(m, draft.id)
        assert.strictEqual(done.status, "completed")
        assert.deepEqual(done.counts, { rows: 4, valid: 4, invalid: 0, created: 4, failed: 0, cancelled: 0 })
        assert.deepInclude(yield* m.balance, { available: "735.00" })
        const made = yield* rowsOf(m, draft.id)
        assert.deepEqual(
          made.map(({ recipient, reference, status }) => [status, reference, recipient]),
          [
            ["created", "pay-1", "Chidi"],
            ["created", "pay-2", "Chidi"],
            ["created", "INV-3", "Chidi"],
            ["created", "pay-4", "Chidi"]
          ]
        )
        const stored = yield* m.rowOf(made[2]!.resource_id!)
        assert.deepInclude(stored.data as object, { reference: "INV-3", amount: "40000000", metadata: { team: "ng" } })
        assert.deepEqual(yield* confirm(m, draft.id), done)

        yield* m.settle
        yield* succeed(m, made.slice(0, 3))
        yield* m.says(made[3]!.resource_id!, "failed")
        const ended = yield* rowsOf(m, draft.id)
        assert.deepEqual(
          ended.map(({ resource_status }) => resource_status),
          ["success", "success", "success", "failed"]
        )
        const received = (rows: typeof ended) => rows.map((row) => [row.received_amount, row.fees.length])
        const [, paidOut] = received(made)
        assert.deepEqual(received(ended).slice(1), [paidOut, ["40.00", 0], [null, 0]])
        // All of them are `created`: what became of each is by the status of its movement.
        assert.deepEqual(yield* rowsOf(m, draft.id, { resource_status: "failed" }), [ended[3]!])
        assert.deepEqual(yield* rowsOf(m, draft.id, { resource_status: "success", per_page: 1, page: 2 }), [ended[1]!])
        assert.deepEqual(yield* rowsOf(m, draft.id, { resource_status: "success", status: "valid" }), [])
        assert.match(yield* fileOf(m, draft.id, { resource_status: "failed" }), /^row,.*\r\n4,created,[^\r]*\r\n$/)
        assert.deepEqual(yield* rowsOf(m, draft.id, { beneficiary_id: bank }), [ended[1]!, ended[3]!])
        assert.deepEqual(yield* rowsOf(m, draft.id, { beneficiary_id: bank, per_page: 1, page: 2 }), [ended[3]!])
        assert.deepEqual(yield* rowsOf(m, draft.id, { beneficiary_id: "ben_another" }), [])
        assert.match(
          yield* fileOf(m, draft.id, { beneficiary_id: bank, resource_status: "success" }),
          /^row,.*\r\n2,created,[^\r]*\r\n$/
        )
        const lines = (yield* fileOf(m, draft.id)).trim().split("\r\n")
        assert.strictEqual(lines.length, 5)
        assert.match(
          lines[2]!,
          /^2,created,offramp,.*,100\.00,USDC,147753\.75,NGN,750\.00 NGN; 0\.50 USDC,ofr_\w+,success,/
        )
      })
    ))

  covers("BATCH-2", "BATCH-3")
  it("names what is wrong with each row, by its number and column, and pays the others", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const taken = yield* m.transfer("1", { reference: "taken" })
        const draft = yield* create(m, [
          transfer(m, "60"),
          transfer(m, "39.01"),
          transfer(m, "39"),
          transfer(m, "ten"),
          transfer(m, "1", { beneficiary_id: "b-17" }),
          transfer(m, "1", { beneficiary_id: "ben_01j9z3k4m5n6p7q8r9s0t1v2w3" }),
          transfer(m, "1", { wallet_id: "wal_01j9z3k4m5n6p7q8r9s0t1v2w3" }),
          transfer(m, "1", { reference: "taken" }),
          transfer(m, "1", { reference: "pay-1" }),
          { ...transfer(m, "1"), operation: "gift" },
          { operation: "offramp", wallet_id: m.wallet.id, beneficiary_id: m.beneficiary, source_amount: "10" },
          { operation: "transfer", wallet_id: m.wallet.id, beneficiary_id: m.beneficiary },
          transfer(m, "0.001"),
          transfer(m, "1", { source_amount: "1" }),
          transfer(m, "1", { beneficiary_id: taken.id })
        ])
        assert.deepEqual(
          draft.errors.map(({ code, field, row }) => [row, field, code]),
          [
            [2, "amount", "ledger_insufficient_funds"],
            [4, "amount", "invalid_format"],
            [5, "beneficiary_id", "invalid_format"],
            [6, "beneficiary_id", "not_found"],
            [7, "wallet_id", "not_found"],
            [8, "reference", "duplicate_resource"],
            [9, "reference", "duplicate_resource"],
            [10, "operation", "invalid_value"],
            [11, "beneficiary_id", "invalid_value"],
            [12, "amount", "required"],
            [13, "amount", "invalid_amount_precision"],
            [14, "source_amount", "invalid_value"],
            [15, "beneficiary_id", "invalid_format"]
          ]
        )
        assert.strictEqual(draft.errors[9]!.message, "The amount is missing. A transfer takes amount.")
        assert.deepInclude(draft.counts, { rows: 15, valid: 2, invalid: 13 })
        assert.deepEqual(draft.totals, [{ currency: "USDC", amount: "99.00" }])
        assert.deepEqual(
          (yield* rowsOf(m, draft.id, { status: "invalid" })).map(({ row }) => row),
          [2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]
        )
        // A recipient that nobody knows has no name, and an id of something else shows nothing of it.
        assert.deepEqual(
          (yield* rowsOf(m, draft.id))
            .filter(({ row }) => [4, 5, 6, 15].includes(row))
            .map(({ recipient, resource_status }) => [recipient, resource_status]),
          [
            ["Chidi", null],
            [null, null],
            [null, null],
            [null, null]
          ]
        )
        assert.deepEqual((yield* get(m, draft.id)).errors, draft.errors)
        yield* confirm(m, draft.id)
        const done = yield* paid(m, draft.id)
        assert.deepEqual(done.counts, { rows: 15, valid: 2, invalid: 13, created: 2, failed: 0, cancelled: 0 })
        yield* m.settle
        yield* succeed(m, yield* rowsOf(m, draft.id))
        yield* m.says(taken.id, "success")
      })
    ))

  covers("BATCH-4")
  it("goes on where a row is refused: funds and references that went in between", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const draft = yield* create(m, [
          transfer(m, "50", { reference: "one" }),
          transfer(m, "40", { reference: "two" }),
          transfer(m, "10", { reference: "three" })
        ])
        const between = [yield* m.transfer("45"), yield* m.transfer("1", { reference: "three" })]
        yield* confirm(m, draft.id)
        const done = yield* paid(m, draft.id)
        assert.deepInclude(done.counts, { created: 1, failed: 2 })
        const rows = yield* rowsOf(m, draft.id)
        const failed = rows.filter(({ status }) => status === "failed")
        assert.deepEqual(
          failed.at(-1)?.errors.map(({ code, field, row }) => [row, field, code]),
          [[3, "reference", "duplicate_resource"]]
        )
        assert.deepEqual(
          failed[0]!.errors.map(({ code, field }) => [field, code]),
          [["amount", "ledger_insufficient_funds"]]
        )
        yield* m.settle
        yield* succeed(m, rows)
        for (const { id } of between) yield* m.says(id, "success")
      })
    ))

  covers("BATCH-4")
  it("takes its reference when it is confirmed, and not before", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const first = yield* create(m, [transfer(m, "1")], "march")
        const mended = yield* create(m, [transfer(m, "2")], "march")
        yield* confirm(m, mended.id)
        assert.strictEqual((yield* Effect.flip(confirm(m, first.id)))._tag, "DuplicateResource")
        // What could never be confirmed is not checked first.
        const never = yield* Effect.flip(create(m, [transfer(m, "3")], "march"))
        assert.strictEqual(never._tag, "DuplicateResource")
        assert.include(never.message, `"march"`)
        assert.strictEqual((yield* cancel(m, first.id)).status, "cancelled")
        assert.strictEqual((yield* Effect.flip(confirm(m, first.id)))._tag, "InvalidStatus")
        yield* paid(m, mended.id)
        assert.strictEqual((yield* Effect.flip(cancel(m, mended.id)))._tag, "InvalidStatus")
        const bad = yield* create(m, [transfer(m, "none")])
        assert.strictEqual((yield* Effect.flip(confirm(m, bad.id)))._tag, "InvalidStatus")
        const { items } = yield* Batches.use((s) => s.list(m.caller, { status: "cancelled" }))
        assert.deepEqual(
          items.map(({ id }) => id),
          [first.id]
        )
        yield* m.settle
        yield* succeed(m, yield* rowsOf(m, mended.id))
      })
    ))

  covers("BATCH-3")
  it("names the references that another batch gives its rows by their numbers", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const first = yield* create(
          m,
          Array.from({ length: 250 }, (_, n) => transfer(m, n === 101 ? "ten" : "1")),
          "plain"
        )
        yield* confirm(m, first.id)
        // Of row 102, which has an error, and of numbers that no row has, nothing is promised.
        const names = ["1", "100", "101", "102", "201", "250", "251", "0", "01", "1e2", "", "1-1", "-1"]
        const second = yield* create(
          m,
          names.map((name) => transfer(m, "1", { reference: `plain-${name}` })),
          "second"
        )
        assert.deepEqual(
          second.errors.map(({ message }) => message),
          ["1", "100", "101", "201", "250"].map(
            (row) => `The reference "plain-${row}" is that of row ${row} of batch ${first.id}, which is being paid.`
          )
        )
        yield* cancel(m, first.id)
      })
    ))

  covers("BATCH-3")
  it("names the references of rows that another batch is about to pay, in whichever part", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const others = Array.from({ length: 150 }, () => transfer(m, "1"))
        const first = yield* create(
          m,
          [transfer(m, "1", { reference: "INV-1" }), transfer(m, "ten", { reference: "INV-2" }), ...others],
          "first"
        )
        const again = (reference: string) =>
          create(
            m,
            ["INV-1", "INV-2", "first-152", "INV-3"].map((one) => transfer(m, "1", { reference: one })),
            reference
          )
        // A draft promises nothing.
        assert.deepEqual((yield* again("second")).errors, [])
        yield* confirm(m, first.id)
        const refused = [
          [1, `The reference "INV-1" is that of row 1 of batch ${first.id}, which is being paid.`],
          [3, `The reference "first-152" is that of row 152 of batch ${first.id}, which is being paid.`]
        ]
        const second = yield* again("second")
        assert.deepEqual(
          second.errors.map(({ message, row }) => [row, message]),
          refused
        )
        assert.deepEqual(
          second.errors.map(({ code, field }) => [field, code]),
          [
            ["reference", "duplicate_resource"],
            ["reference", "duplicate_resource"]
          ]
        )
        yield* paid(m, first.id)
        const late = yield* again("third")
        assert.deepEqual(
          late.errors.map(({ row, message }) => [row, message.replace(/tfr_\w+/, "tfr_")]),
          [
            [1, `The reference "INV-1" is in use by tfr_. References are unique per merchant.`],
            [3, `The reference "first-152" is in use by tfr_. References are unique per merchant.`]
          ]
        )
        // Of a batch that is cancelled, no row takes its reference any more.
        const stopped = yield* create(m, [transfer(m, "1", { reference: "INV-9" })], "stopped")
        yield* confirm(m, stopped.id)
        yield* cancel(m, stopped.id)
        assert.deepEqual((yield* create(m, [transfer(m, "1", { reference: "INV-9" })], "fourth")).errors, [])
        yield* m.settle
        const rows = [...(yield* rowsOf(m, first.id))]
        yield* succeed(m, rows)
      })
    ))

  covers("BATCH-4")
  it("is refused where the reference that it gives a row would be longer than one may be", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const long = "x".repeat(126)
        const nine = Array.from({ length: 9 }, () => transfer(m, "1"))
        const ten = [...nine, transfer(m, "1")]
        assert.deepInclude((yield* create(m, nine, long)).counts, { valid: 9 })
        const refused = yield* Effect.flip(create(m, ten, long))
        assert.strictEqual(refused._tag, "InvalidInput")
        if (refused._tag !== "InvalidInput") return
        assert.deepEqual(
          refused.errors.map(({ code, field }) => [field, code]),
          [["reference", "too_long"]]
        )
        for (const found of ["126", "row 10", "129", "125"]) assert.include(refused.message, found)
        const own = [...nine, transfer(m, "1", { reference: "ten" })]
        const made = yield* create(m, own, long)
        yield* confirm(m, made.id)
        yield* paid(m, made.id)
        assert.deepInclude((yield* get(m, made.id)).counts, { created: 10, failed: 0 })
        yield* m.settle
        yield* succeed(m, yield* rowsOf(m, made.id))
      })
    ))

  covers("BATCH-6")
  it("that is cancelled pays no row that has not begun", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const draft = yield* create(
          m,
          Array.from({ length: 230 }, () => transfer(m, "1"))
        )
        yield* confirm(m, draft.id)
        const cancelled = yield* cancel(m, draft.id)
        assert.deepInclude(cancelled.counts, { created: 0, cancelled: 230 })
        assert.deepEqual(yield* cancel(m, draft.id), cancelled)
        yield* m.settle
        assert.deepInclude((yield* get(m, draft.id)).counts, { created: 0, cancelled: 230 })
        assert.deepEqual((yield* rowsOf(m, draft.id, { status: "cancelled", page: 2 })).length, 30)
        assert.deepInclude(yield* m.balance, { available: "1000.00" })
      })
    ))

  covers("BATCH-6")
  it("that is cancelled has the totals of the rows that had begun, as a draft and while it is paid", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const sumsOf = ({ fees, received, totals }: CheckedBatchBody) => ({ totals, received, fees })
        const bank = yield* m.bank()
        const offramp = { operation: "offramp", wallet_id: m.wallet.id, beneficiary_id: bank, source_amount: "100" }
        const draft = yield* create(m, [transfer(m, "4"), transfer(m, "4"), offramp], "draft")
        assert.notDeepEqual(draft.fees, [])
        const cancelled = yield* cancel(m, draft.id)
        assert.deepInclude(cancelled.counts, { created: 0, cancelled: 3 })
        const nothing = { totals: [], received: [], fees: [] }
        assert.deepEqual(sumsOf(cancelled), nothing)
        assert.deepEqual(sumsOf(yield* get(m, draft.id)), nothing)
        // Of three parts, one is paid.
        const rows = Array.from({ length: 230 }, () => transfer(m, "1"))
        const { id } = yield* create(m, rows, "paid")
        yield* confirm(m, id)
        const payments = yield* Effect.provide(BatchPayments, Layer.fresh(BatchPayments.layer))
        yield* payments.pay(m.merchant_id, id, { deduplicationKey: `${id}/first` }, 0)
        const stopped = yield* cancel(m, id)
        assert.deepInclude(stopped.counts, { created: 100, cancelled: 130 })
        const hundred = {
          totals: [{ currency: "USDC", amount: "100.00" }],
          received: [{ currency: "USDC", amount: "100.00" }],
          fees: []
        }
        assert.deepEqual(sumsOf(stopped), hundred)
        yield* m.settle
        assert.deepEqual(sumsOf(yield* get(m, id)), hundred)
        yield* succeed(m, yield* rowsOf(m, id, { status: "created" }))
      })
    ))

  covers("BATCH-5")
  it("of several parts is paid whole, however many confirm it at once, and each row once", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const draft = yield* create(
          m,
          Array.from({ length: 205 }, (_, at) => transfer(m, `1.${10 + (at % 90)}`))
        )
        yield* Effect.all(
          Array.from({ length: 5 }, () => Effect.exit(confirm(m, draft.id))),
          { concurrency: "unbounded" }
        )
        const done = yield* paid(m, draft.id)
        assert.deepInclude(done.counts, { rows: 205, created: 205, failed: 0 })
        const storage = yield* Storage
        const { total } = yield* storage.list({
          merchant_id: m.merchant_id,
          kinds: ["transfer"],
          index_keys: [],
          offset: 0,
          limit: 1
        })
        assert.strictEqual(total, 205)
        const rows = [...(yield* rowsOf(m, draft.id)), ...(yield* rowsOf(m, draft.id, { page: 2 }))]
        assert.strictEqual(new Set(rows.map(({ resource_id }) => resource_id)).size, 205)
        yield* m.settle
        yield* succeed(m, rows)
      })
    ))
})

onMemory("a row of a batch", (run) => {
  covers("BATCH-5")
  it("of which two processes pay one part at once, because one has lost its lease, records it once", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const rows = Array.from({ length: 20 }, () => transfer(m, "1"))
        const draft = yield* create(m, rows)
        yield* confirm(m, draft.id)
        const storage = yield* Storage
        const paymentsOver = (over: Storage["Service"]) =>
          Effect.provide(
            BatchPayments,
            Layer.fresh(BatchPayments.layer).pipe(Layer.provide(Layer.succeed(Storage, over)))
          )
        const paying = (payments: BatchPayments["Service"], process: string) =>
          payments.pay(m.merchant_id, draft.id, { deduplicationKey: `${draft.id}/${process}` }, 0)
        const other = yield* paymentsOver(storage)
        // The one is stalled when it has read the part, until the other has paid it.
        let stalls = true
        const one = yield* paymentsOver({
          ...storage,
          get: (keys) =>
            Effect.tap(storage.get(keys), () => {
              if (!stalls || keys[0]?.kind !== "batch_part") return Effect.void
              stalls = false
              return Effect.asVoid(paying(other, "other"))
            })
        })
        yield* paying(one, "one")
        assert.isFalse(stalls)
        const batch = yield* get(m, draft.id)
        assert.strictEqual(batch.status, "completed")
        assert.deepInclude(batch.counts, { created: 20, failed: 0 })
        assert.deepInclude(yield* m.balance, { available: "980.00" })
        yield* m.settle
        yield* succeed(m, yield* rowsOf(m, draft.id))
      })
    ))

  covers("BATCH-5")
  it.each([
    ["after the other has recorded that it failed", "part"],
    ["before the other records that it failed", "record"]
  ] as const)("that one process refuses and another pays, %s, is one of both", (_, when) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("10")
        const draft = yield* create(m, [transfer(m, "10")])
        const between = yield* m.transfer("10")
        yield* m.settle
        yield* confirm(m, draft.id)
        const storage = yield* Storage
        const paymentsOver = (over: Storage["Service"]) =>
          Effect.provide(
            BatchPayments,
            Layer.fresh(BatchPayments.layer).pipe(Layer.provide(Layer.succeed(Storage, over)))
          )
        const paying = (payments: BatchPayments["Service"], process: string) =>
          payments.pay(m.merchant_id, draft.id, { deduplicationKey: `${draft.id}/${process}` }, 0)
        let stalls = true
        const isStalled = (keys: Parameters<Storage["Service"]["get"]>[0]): boolean => {
          const isRead = when === "part" ? keys[0]?.kind === "batch_part" : keys[1]?.kind === "batch_part"
          if (!stalls || !isRead) return false
          stalls = false
          return true
        }
        // The one has read the part, and is stalled until the other has refused the row; or it refuses the row, and is stalled until
        // the other has paid it and ended. In between, the money comes back.
        const returns = m.says(between.id, "failed")
        const ends = paymentsOver({
          ...storage,
          get: (keys) =>
            keys[1]?.kind === "batch_part"
              ? Effect.fail(new StorageFault({ message: "The process has ended.", retryable: false }))
              : storage.get(keys)
        })
        const other = Effect.flatMap(ends, (payments) => Effect.exit(paying(payments, "other")))
        const refuses = Effect.flatMap(paymentsOver(storage), (payments) => paying(payments, "other"))
        const order: ReadonlyArray<Effect.Effect<unknown, unknown, any>> =
          when === "part" ? [refuses, returns] : [returns, other]
        const meanwhile = Effect.orDie(Effect.all(order, { discard: true }))
        const context = yield* Effect.context<any>()
        const stalled = Effect.asVoid(Effect.provideContext(meanwhile, context))
        const one = yield* paymentsOver({
          ...storage,
          get: (keys) => Effect.tap(storage.get(keys), () => (isStalled(keys) ? stalled : Effect.void))
        })
        yield* paying(one, "one")
        assert.isFalse(stalls)
        const [row] = yield* rowsOf(m, draft.id)
        const isPaid = when === "record"
        assert.deepEqual([row!.status, row!.resource_id !== null], [isPaid ? "created" : "failed", isPaid])
        assert.deepInclude(yield* m.balance, { available: isPaid ? "0.00" : "10.00" })
        assert.deepInclude((yield* get(m, draft.id)).counts, { created: isPaid ? 1 : 0, failed: isPaid ? 0 : 1 })
        yield* m.settle
        yield* succeed(m, [row!])
      })
    )
  )

  covers("BATCH-3", "BATCH-4", "FEE-2")
  it.each(["source_amount", "target_amount"] as const)("has the fees that the rows before it lead to: %s", (amount) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const bank = yield* m.bank()
        const fees = yield* FeeSchedules
        const tiers = [{ above: "150", bps: "200" }]
        yield* fees.create(m.operator, { operation: "offramp", merchant_id: m.merchant_id, bps: "10", tiers })
        const row: Given = {
          ...{ operation: "offramp", wallet_id: m.wallet.id, beneficiary_id: bank },
          [amount]: amount === "source_amount" ? "100" : "150000"
        }
        const draft = yield* create(m, [row, row, row, row])
        yield* confirm(m, draft.id)
        const done = yield* paid(m, draft.id)
        assert.deepInclude(done.counts, { valid: 4, created: 4, failed: 0 })
        assert.deepEqual([done.totals, done.received, done.fees], [draft.totals, draft.received, draft.fees])
        const items = yield* rowsOf(m, draft.id)
        yield* succeed(m, items)
        const gateway = items.map(({ fees: [, own] }) => own!.amount)
        assert.deepEqual([gateway[0], gateway[2]], [gateway[1], gateway[3]])
        assert.isAbove(Number(gateway[2]), 10 * Number(gateway[0]))
      })
    )
  )

  covers("BATCH-3", "BATCH-4")
  it("for which the rows before leave no room in a limit has an error, and takes nothing from those behind it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const bank = yield* m.bank()
        const limits = yield* MoneyLimits
        const limit = yield* limits.create(m.operator, {
          scope: "merchant",
          id: m.merchant_id,
          operations: ["payout"],
          currency: "USDC",
          max_amount: "100.00",
          window: { rolling: "P7D" },
          action: "refuse"
        })
        const offramp = (source_amount: string): Given => ({
          operation: "offramp",
          wallet_id: m.wallet.id,
          beneficiary_id: bank,
          source_amount
        })
        const draft = yield* create(m, [
          transfer(m, "40"),
          offramp("50"),
          offramp("10.01"),
          transfer(m, "10.01"),
          transfer(m, "10")
        ])
        assert.deepEqual(
          draft.errors.map(({ code, field, limit_id, max, row, used }) => [row, field, code, limit_id, max, used]),
          [
            [3, "source_amount", "limit_exceeded", limit.id, "100.00", "0.00"],
            [4, "amount", "limit_exceeded", limit.id, "100.00", "0.00"]
          ]
        )
        yield* confirm(m, draft.id)
        assert.deepInclude((yield* paid(m, draft.id)).counts, { valid: 3, created: 3, failed: 0 })
        // What was checked is not held: another payout that comes first is counted first.
        yield* limits.update(m.operator, limit.id, { max_amount: "110.00" })
        const late = yield* create(m, [transfer(m, "10")], "late")
        const between = yield* m.transfer("5")
        yield* confirm(m, late.id)
        assert.deepInclude((yield* paid(m, late.id)).counts, { created: 0, failed: 1 })
        assert.deepEqual(
          (yield* rowsOf(m, late.id))[0]!.errors.map(({ code, field, limit_id, used }) => [
            field,
            code,
            limit_id,
            used
          ]),
          [["amount", "limit_exceeded", limit.id, "105.00"]]
        )
        yield* m.settle
        yield* succeed(m, yield* rowsOf(m, draft.id))
        yield* m.says(between.id, "success")
      })
    ))

  covers("BATCH-4")
  it("takes no more from a wallet than was confirmed: a row whose price moved is refused, and its totals say what left", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const to = yield* m.bank()
        const offramp = (amounts: Given): Given => ({
          operation: "offramp",
          wallet_id: m.wallet.id,
          beneficiary_id: to,
          ...amounts
        })
        const rows = [offramp({ target_amount: "15000" }), offramp({ source_amount: "150" }), transfer(m, "7")]
        const [draft, cheaper] = [yield* create(m, rows), yield* create(m, rows, "cheaper")]
        const checked = yield* rowsOf(m, draft.id)
        const before = yield* m.balance
        const schedule = (fixed: string) =>
          FeeSchedules.use((s) =>
            s.create(m.operator, { operation: "offramp", merchant_id: m.merchant_id, fixed, bps: "0" })
          )
        const dearer = yield* schedule("100")
        yield* confirm(m, draft.id)
        const batch = yield* paid(m, draft.id)
        assert.deepInclude(batch.counts, { created: 2, failed: 1 })
        const [refused, ...made] = yield* rowsOf(m, draft.id)
        assert.deepInclude(refused!.errors[0], { row: 1, field: "target_amount", code: "price_changed" })
        assert.match(
          refused!.errors[0]!.message,
          new RegExp(`would take \\d{3}\\.\\d\\d USDC now, and ${checked[0]!.source_amount} USDC was confirmed`)
        )
        // A row of what leaves takes exactly that, whatever its recipient receives of it.
        assert.deepEqual(
          made.map(({ source_amount }) => source_amount),
          ["150.00", "7.00"]
        )
        assert.deepEqual(batch.totals, [{ currency: "USDC", amount: "157.00" }])
        assert.deepInclude(batch.fees, { currency: "USDC", amount: "100.00" })
        assert.strictEqual(Number(before.available) - Number((yield* m.balance).available), 157)
        // One that takes less is paid, and the totals say it.
        yield* FeeSchedules.use((s) => s.end(m.operator, dearer.id))
        yield* schedule("0")
        yield* confirm(m, cheaper.id)
        const less = yield* paid(m, cheaper.id)
        assert.deepInclude(less.counts, { created: 3, failed: 0 })
        const own = yield* rowsOf(m, cheaper.id)
        assert.isBelow(Number(own[0]!.source_amount), Number(checked[0]!.source_amount))
        const sum = own.reduce((total, { source_amount }) => total + Math.round(Number(source_amount) * 100), 0)
        assert.deepEqual(less.totals, [{ currency: "USDC", amount: (sum / 100).toFixed(2) }])
        yield* m.settle
        yield* succeed(m, [...made, ...own])
      })
    ))

  covers("BATCH-3", "BATCH-7")
  it("counts the rows that describe one recipient together, and with those that name it, in a limit of a beneficiary", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const limits = yield* MoneyLimits
        const limit = yield* limits.create(m.operator, {
          scope: "beneficiary",
          operations: ["payout"],
          currency: "USDC",
          max_amount: "100.00",
          window: { rolling: "P7D" },
          action: "refuse"
        })
        const describing = (name: string, amount: string): Given => ({
          operation: "transfer",
          wallet_id: m.wallet.id,
          beneficiary: {
            type: "crypto",
            name,
            currency: "USDC",
            details: { network: "solana", address: "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin" }
          },
          amount
        })
        const refused = (batch: { readonly errors: ReadonlyArray<{ readonly row: number; readonly code: string }> }) =>
          batch.errors.map(({ code, row }) => [row, code])
        // Nobody is stored yet: rows that are alike pay one.
        const rows = [
          describing("Ada", "60"),
          describing("Ben", "60"),
          describing("Ada", "60"),
          describing("Ada", "40")
        ]
        const first = yield* create(m, rows)
        assert.deepEqual(refused(first), [[3, "limit_exceeded"]])
        yield* confirm(m, first.id)
        assert.deepInclude((yield* paid(m, first.id)).counts, { created: 3, failed: 0 })
        // Ada is stored now, and what she was paid counts.
        const second = yield* create(m, [describing("Ada", "1"), describing("Ben", "40")], "second")
        assert.deepEqual(refused(second), [[1, "limit_exceeded"]])
        yield* limits.update(m.operator, limit.id, { status: "disabled" })
        yield* m.settle
        yield* succeed(
          m,
          (yield* rowsOf(m, first.id)).filter(({ resource_id }) => resource_id !== null)
        )
      })
    ))

  covers("BATCH-4")
  it("pays nobody but the recipient who was checked: one that was modified since is refused", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const beneficiaries = yield* Beneficiaries
        const [changed, kept] = [yield* m.bank(), yield* m.bank()]
        const offramp = (beneficiary_id: string): Given => ({
          operation: "offramp",
          wallet_id: m.wallet.id,
          beneficiary_id,
          source_amount: "10"
        })
        const draft = yield* create(m, [offramp(changed), offramp(kept)])
        yield* beneficiaries.update(m.caller, changed, { name: "Ngozi" })
        yield* beneficiaries.update(m.caller, kept, { label: "Rent" })
        yield* m.settle
        yield* confirm(m, draft.id)
        assert.deepInclude((yield* paid(m, draft.id)).counts, { created: 1, failed: 1 })
        const [refused, made] = yield* rowsOf(m, draft.id)
        assert.deepEqual(refused!.errors, [
          {
            row: 1,
            field: "beneficiary_id",
            code: "invalid_status",
            message: `Beneficiary ${changed} was modified after the batch was checked. Check the row in a new batch.`
          }
        ])
        assert.strictEqual(made!.status, "created")
        // Of a new check, it is paid where it is now.
        const again = yield* create(m, [offramp(changed)], "again")
        yield* confirm(m, again.id)
        assert.deepInclude((yield* paid(m, again.id)).counts, { created: 1, failed: 0 })
        yield* m.settle
        yield* succeed(m, [made!, ...(yield* rowsOf(m, again.id))])
      })
    ))

  covers("BATCH-7")
  it("makes the beneficiary that it describes, once, and uses one that is identical", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const storage = yield* Storage
        const beneficiaries = Effect.map(
          storage.list({ merchant_id: m.merchant_id, kinds: ["beneficiary"], index_keys: [], offset: 0, limit: 10 }),
          ({ items }) => items
        )
        const before = (yield* beneficiaries).length
        const beneficiary = {
          type: "crypto",
          name: "Ngozi",
          currency: "USDC",
          details: { network: "solana", address: "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin" }
        }
        const inline = (amount: string): Given => {
          const { beneficiary_id: _, ...row } = transfer(m, amount)
          return { ...row, beneficiary }
        }
        const first = yield* create(m, [inline("1"), inline("2")], "one")
        assert.deepEqual(first.errors, [])
        const recipients = (yield* rowsOf(m, first.id)).map(({ beneficiary_id, recipient }) => [
          beneficiary_id,
          recipient
        ])
        assert.deepEqual(recipients, [
          [null, "Ngozi"],
          [null, "Ngozi"]
        ])
        assert.strictEqual((yield* beneficiaries).length, before)
        yield* confirm(m, first.id)
        assert.deepInclude((yield* paid(m, first.id)).counts, { created: 2 })
        assert.strictEqual((yield* beneficiaries).length, before + 1)
        const second = yield* create(m, [inline("3")], "two")
        yield* confirm(m, second.id)
        assert.deepInclude((yield* paid(m, second.id)).counts, { created: 1 })
        assert.strictEqual((yield* beneficiaries).length, before + 1)
        yield* m.settle
        for (const { id } of [first, second]) yield* succeed(m, yield* rowsOf(m, id))
        const wrong = yield* create(m, [
          { ...inline("1"), beneficiary: { ...beneficiary, details: { network: "solana", address: "0x1" } } }
        ])
        assert.deepEqual(
          wrong.errors.map(({ code, field, row }) => [row, field, code]),
          [[1, "beneficiary.details.address", "invalid_value"]]
        )
      })
    ))

  covers("BATCH-7")
  it("uses an identical beneficiary that can be paid, whatever newer one is still being screened", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const beneficiaries = yield* Beneficiaries
        const sandbox = yield* SandboxOperations
        yield* m.networked("base")
        const beneficiary = {
          type: "crypto",
          name: "Ada Obi",
          currency: "USDC",
          details: { network: "base", address: `0x${"1".repeat(36)}dead` }
        } as const
        const active = yield* beneficiaries.create(m.caller, beneficiary)
        yield* sandbox.screenBeneficiary(m.caller, active.id, { outcome: "screened" })
        const newer = yield* beneficiaries.create(m.caller, beneficiary)
        assert.strictEqual(newer.status, "pending")
        const { beneficiary_id: _, ...row } = transfer(m, "5")
        const draft = yield* create(m, [{ ...row, beneficiary }])
        assert.deepEqual(draft.errors, [])
        yield* confirm(m, draft.id)
        assert.deepInclude(yield* paid(m, draft.id), { status: "completed" })
        const [made] = yield* rowsOf(m, draft.id)
        const { data } = yield* m.rowOf(made!.resource_id!)
        assert.strictEqual((data as { beneficiary_id: string }).beneficiary_id, active.id)
        yield* m.settle
        yield* succeed(m, [made!])
      })
    ))

  covers("BATCH-7")
  it("fails when the recipient that it has made is refused, which is screened once", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const sandbox = yield* SandboxOperations
        const storage = yield* Storage
        yield* m.networked("base")
        const those = (status: string) =>
          Effect.map(
            storage.list({
              ...{ merchant_id: m.merchant_id, kinds: ["beneficiary"], index_keys: [`status=${status}`] },
              ...{ offset: 0, limit: 10 }
            }),
            ({ items }) => items
          )
        const beneficiary = {
          type: "crypto",
          name: "Ada Obi",
          currency: "USDC",
          details: { network: "base", address: `0x${"1".repeat(36)}dead` }
        }
        const { beneficiary_id: _, ...row } = transfer(m, "5")
        const draft = yield* create(m, [{ ...row, beneficiary }, transfer(m, "1")])
        yield* confirm(m, draft.id)
        yield* m.advance(5)
        const [made, ...others] = yield* those("pending")
        assert.deepEqual(others, [])
        yield* sandbox.screenBeneficiary(m.caller, made!.id, { outcome: "refused" })
        yield* m.advance(30)
        assert.deepEqual([(yield* those("pending")).length, (yield* those("blocked")).length], [0, 1])
        assert.deepInclude(yield* get(m, draft.id), { status: "completed" })
        const [failed, other] = yield* rowsOf(m, draft.id)
        assert.deepEqual(
          failed!.errors.map(({ code, field }) => [failed!.status, field, code]),
          [["failed", "beneficiary", "invalid_status"]]
        )
        yield* succeed(m, [other!])
      })
    ))

  covers("BATCH-7", "BENEFICIARY-12", "BENEFICIARY-14")
  it("pays with the postal address and the purpose code that it describes, and never with those of another beneficiary", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const [bank] = (yield* Reference.use((s) => s.providers({ country_code: "NG" }))).items
        const details = { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank!.id }
        const plain = { type: "fiat", name: "Ada Obi", currency: "NGN", details } as const
        const lagos = { line1: "1 Marina", city: "Lagos", country_code: "NG" }
        const abuja = { ...lagos, city: "Abuja" }
        const stored = yield* Beneficiaries.use((s) => s.create(m.caller, { ...plain, address: lagos }))
        const described = [
          plain,
          { ...plain, address: lagos },
          { ...plain, address: abuja },
          { ...plain, purpose_code: "SALA" },
          { ...plain, purpose_code: "RENT" }
        ]
        const draft = yield* create(
          m,
          described.map((beneficiary) => ({
            ...{ operation: "offramp", wallet_id: m.wallet.id, source_amount: "10", beneficiary }
          }))
        )
        yield* confirm(m, draft.id)
        assert.deepInclude((yield* paid(m, draft.id)).counts, { created: 5, failed: 0 })
        const made = yield* rowsOf(m, draft.id)
        const paidBy = yield* Effect.forEach(made, ({ resource_id }) => m.rowOf(resource_id!))
        const found = paidBy.map(({ data }) => data as { beneficiary_id: string; beneficiary: BeneficiarySummary })
        assert.deepEqual(
          made.map(({ beneficiary_id }) => beneficiary_id),
          found.map(({ beneficiary_id }) => beneficiary_id)
        )
        assert.deepEqual(
          found.map(({ beneficiary }) => beneficiary.address?.city ?? null),
          [null, "Lagos", "Abuja", null, null]
        )
        assert.deepEqual(
          found.map(({ beneficiary }) => beneficiary.purpose_code ?? null),
          [null, null, null, "SALA", "RENT"]
        )
        assert.deepEqual(
          found.map(({ beneficiary_id }) => beneficiary_id === stored.id),
          [false, true, false, false, false]
        )
        yield* m.settle
        yield* succeed(m, made)
      })
    ))

  covers("BENEFICIARY-13", "BATCH-2")
  it("is refused with a document of its recipient, of which nothing is stored", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const storage = yield* Storage
        const number = `8001015${m.merchant_id.slice(-8)}`
        const holder_document = { id_type: "national_id", id_number: number }
        const details = { country_code: "ZA", network: "bank", account_number: "12345678901", provider_id: "prov_1" }
        const { beneficiary_id: _, ...row } = transfer(m, "1")
        const inline = { type: "fiat", name: "Ada Obi", currency: "ZAR", details }
        const columns = "operation,wallet_id,amount,beneficiary.name,beneficiary.details.holder_document.id_number"
        const refused = [
          create(m, [
            transfer(m, "1"),
            { ...row, beneficiary: { ...inline, details: { ...details, holder_document } } }
          ]),
          create(m, [transfer(m, "1"), { ...row, beneficiary: { ...inline, holder_document } }]),
          create(m, [transfer(m, "1"), { ...row, holder_document }]),
          ofCsv(m, `${columns}\ntransfer,${m.wallet.id},1,Ada,\ntransfer,${m.wallet.id},1,Ada,${number}`)
        ]
        for (const one of refused) {
          const error = yield* Effect.flip(one)
          assert.strictEqual(error._tag, "BadRequest")
          assert.match("errors" in error ? error.errors![0]!.field : "", /^rows\.1\..*holder_document$/)
          assert.include(error.message, "POST /v1/beneficiaries")
          assert.notInclude(JSON.stringify(error), number)
        }
        const rows = yield* storage.rowsHolding("", null, 10_000)
        assert.notInclude(JSON.stringify(rows), number)
        // Metadata is the merchant's own.
        const draft = yield* create(m, [transfer(m, "1", { metadata: { holder_document: "none" } })])
        assert.deepEqual(draft.errors, [])
      })
    ))

  covers("BATCH-7")
  it("pays the recipient that it describes, also when the one that was found is modified before it is paid", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const beneficiaries = yield* Beneficiaries
        const storage = yield* Storage
        const [bank] = (yield* Reference.use((s) => s.providers({ country_code: "NG" }))).items
        const details = { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank!.id }
        const beneficiary = { type: "fiat", name: "Ada Obi", currency: "NGN", details } as const
        const stored = yield* beneficiaries.create(m.caller, beneficiary)
        const draft = yield* create(m, [
          { operation: "offramp", wallet_id: m.wallet.id, source_amount: "10", beneficiary }
        ])
        assert.deepEqual(draft.errors, [])
        yield* confirm(m, draft.id)
        // The update arrives between the search and what is decided from the stored beneficiary.
        const { get: read, matches } = storage
        let isFound = false
        Object.assign(storage, {
          matches: (query: Parameters<typeof matches>[0]) =>
            Effect.tap(matches(query), () => Effect.sync(() => void (isFound = true))),
          get: (keys: Parameters<typeof read>[0]) => {
            const found = read(keys)
            if (!isFound || !keys.some(({ kind }) => kind === "beneficiary")) return found
            isFound = false
            const update = beneficiaries.update(m.caller, stored.id, { details: { account_number: "9876543210" } })
            return Effect.tap(found, () => Effect.orDie(update))
          }
        })
        assert.deepInclude((yield* paid(m, draft.id)).counts, { created: 1, failed: 0 })
        const [made] = yield* rowsOf(m, draft.id)
        const { data } = yield* m.rowOf(made!.resource_id!)
        assert.strictEqual(
          (data as { beneficiary: { details: { account_number: string } } }).beneficiary.details.account_number,
          "0123456789"
        )
        assert.notStrictEqual((data as { beneficiary_id: string }).beneficiary_id, stored.id)
        yield* m.settle
        yield* succeed(m, [made!])
      })
    ))

  covers("BATCH-7", "OPERATOR-4")
  it("waits while its merchant is suspended, and is submitted when no brake stops it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const merchants = yield* Merchants
        const draft = yield* create(m, [transfer(m, "5")])
        yield* confirm(m, draft.id)
        yield* merchants.update(m.operator, m.merchant_id, { status: "suspended" })
        yield* m.settle
        assert.strictEqual((yield* get(m, draft.id)).status, "processing")
        const stuck = Effect.map(
          LedgerReports.use((s) => s.stuck({ kind: "batch", merchant_id: m.merchant_id, older_than_seconds: 600 })),
          ({ items }) => items.map(({ id, reason, status }) => [id, status, reason])
        )
        assert.deepEqual(yield* stuck, [])
        yield* m.advance(601)
        assert.deepEqual(yield* stuck, [[draft.id, "processing", "merchant_suspended"]])
        const { waits_for } = yield* Timelines.use((s) => s.whole(draft.id))
        assert.strictEqual(waits_for?.reason, "merchant_suspended")
        const brakes = yield* Brakes
        const brake = yield* brakes.create(m.operator, { scope: "merchant", merchant_id: m.merchant_id })
        yield* merchants.update(m.operator, m.merchant_id, { status: "active" })
        assert.strictEqual((yield* paid(m, draft.id)).status, "completed")
        assert.deepEqual(yield* stuck, [])
        const [row] = yield* rowsOf(m, draft.id)
        yield* m.settle
        assert.strictEqual(yield* m.executions(row!.resource_id!), 0)
        yield* brakes.release(m.operator, brake.id, {})
        yield* m.settle
        yield* succeed(m, [row!])
        assert.strictEqual(yield* m.executions(row!.resource_id!), 1)
      })
    ))

  covers("BATCH-2")
  it("comes from a file, whose header has the names of its members, dotted where nested", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("100")
        const { id: wallet } = m.wallet
        const file = (...lines: ReadonlyArray<string>) => lines.join("\r\n")
        const draft = yield* ofCsv(
          m,
          file(
            "\uFEFFoperation,wallet_id,beneficiary_id,amount,reference,metadata.cost.center,beneficiary.name,beneficiary.type,beneficiary.currency,beneficiary.details.network,beneficiary.details.address",
            `transfer,${wallet},${m.beneficiary},5.00,"INV, 1",ng-42,,,,,`,
            `transfer,${wallet},,6.00,,,Ngozi,crypto,USDC,solana,9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin`,
            "",
            `transfer,${wallet},${m.beneficiary},six,,,,,,,`
          )
        )
        assert.deepEqual(
          draft.errors.map(({ code, field, row }) => [row, field, code]),
          [[3, "amount", "invalid_format"]]
        )
        const rows = yield* rowsOf(m, draft.id)
        assert.deepEqual(
          rows.map(({ reference, source_amount }) => [reference, source_amount]),
          [
            ["INV, 1", "5.00"],
            ["pay-2", "6.00"],
            ["pay-3", null]
          ]
        )
        const refused = (csv: string) => Effect.map(Effect.flip(ofCsv(m, csv)), ({ message }) => message)
        assert.include(
          yield* refused("operation,walet_id\r\ntransfer,x"),
          `"walet_id" is not a field of a row. Did you mean "wallet_id"? It takes operation,`
        )
        assert.include(yield* refused("OPERATION\r\ntransfer"), `Did you mean "operation"?`)
        assert.include(yield* refused("colour\r\nred"), `"colour" is not a field of a row. It takes operation,`)
        assert.include(yield* refused(`operation,amount\r\ntransfer,"1`), "not a CSV file")
        assert.include(yield* refused("operation,operation\r\ntransfer,x"), "is there twice")
        assert.include(yield* refused("operation,amount\r\n"), "has 0 rows")
        const both = yield* Effect.flip(Batches.use((s) => s.create(m.caller, { reference: "x", rows: [], csv: "" })))
        assert.strictEqual(both._tag, "BadRequest")
        const many = yield* Effect.flip(
          create(
            m,
            Array.from({ length: 10_001 }, () => ({}))
          )
        )
        assert.include(many.message, "10001 rows")
        // As too many members of a list are.
        assert.strictEqual(many._tag, "BadRequest")
      })
    ))
})

covers("BATCH-3")
it("reads of a batch that is being paid the parts which a reference in question can be in, and no others", () => {
  const parts: Array<string> = []
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        get: (keys) => {
          parts.push(...keys.flatMap(({ id, kind }) => (kind === "batch_part" ? [id.slice(id.indexOf(".") + 1)] : [])))
          return store.get(keys)
        }
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  return Effect.gen(function* () {
    const m = yield* merchantAtWork("1000")
    const large = yield* create(
      m,
      Array.from({ length: 350 }, () => transfer(m, "1")),
      "large"
    )
    const named = yield* create(m, [transfer(m, "1", { reference: "INV-1" })], "named")
    yield* confirm(m, large.id)
    /** The parts that are read to check rows with these references. */
    const readFor = Effect.fnUntraced(function* (references: ReadonlyArray<string>) {
      parts.length = 0
      yield* create(
        m,
        references.map((reference) => transfer(m, "1", { reference })),
        "small"
      )
      return parts.toSorted()
    })
    assert.deepEqual(yield* readFor(["A", "other-1", "large-401", "large-x"]), [])
    assert.deepEqual(yield* readFor(["A", "large-101", "large-350", "large-102"]), ["1", "3"])
    yield* confirm(m, named.id)
    assert.deepEqual(yield* readFor(["A"]), ["0"])
  }).pipe(Effect.provide(makeSimulatedEngine({ storage })), Effect.runPromise)
})
