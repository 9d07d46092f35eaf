/** What the rows of a batch and their summary read (BATCH-1): one part at a time, and for a page no part beside it. */
import { assert, describe, it } from "vitest"
import { Effect, Layer } from "effect"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { FileResponse } from "../../../src/engine/calls/operation.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { Batches, type ListBatchRows } from "../../../src/engine/resources/movements/batch.ts"
import { partSize } from "../../../src/engine/resources/movements/batch-row.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"

/** How many rows each read of the store by keys has asked for. */
const watchedStore = () => {
  const reads: Array<number> = []
  const layer = Layer.effect(
    Storage,
    Effect.map(Storage, (inner): Storage["Service"] => ({
      ...inner,
      get: (keys) =>
        Effect.suspend(() => {
          reads.push(keys.length)
          return inner.get(keys)
        })
    }))
  ).pipe(Layer.provide(MemoryStorage.layer))
  return { layer, reads }
}

const perPage = 40
const count = 2 * partSize + 30

describe("a batch of several parts", () => {
  covers("BATCH-1")
  it("pages its rows as one list, and reads no more at once than a part and what its rows became", async () => {
    const { layer, reads } = watchedStore()
    await Effect.gen(function* () {
      const m = yield* merchantAtWork("1000")
      const batches = yield* Batches
      const rows = Array.from({ length: count }, (_, n) => ({
        ...{ operation: "transfer", wallet_id: m.wallet.id, beneficiary_id: m.beneficiary },
        amount: n % 3 === 0 ? "none" : "1"
      }))
      const { id } = yield* batches.create(m.caller, { reference: "pay", rows })
      yield* batches.confirm(m.caller, id)
      for (let round = 0; round < 5; round++) yield* m.settle

      const page = Effect.fnUntraced(function* (query: ListBatchRows) {
        reads.length = 0
        const found = yield* batches.rows(m.caller, id, query)
        if (found instanceof FileResponse) return assert.fail("a file")
        assert.isAtMost(Math.max(...reads), partSize)
        return found
      })
      const walk = Effect.fnUntraced(function* (query: ListBatchRows) {
        const walked: Array<{ readonly row: number; readonly status: string }> = []
        for (let number = 1; number <= Math.ceil(count / perPage) + 1; number++) {
          const { items, total } = yield* page({ ...query, page: number, per_page: perPage })
          walked.push(...items.map(({ row, status }) => ({ row, status })))
          if (number > 1 && query.status === undefined && query.awaits_approval === undefined)
            assert.isAtMost(reads.length, 5, "the batch, and of two parts the rows and their movements")
          assert.strictEqual(total, oracle.filter((one) => isOf(query, one)).length)
        }
        return walked
      })
      const oracle = Array.from({ length: count }, (_, n) => ({
        ...{ row: n + 1, status: n % 3 === 0 ? "invalid" : "created" }
      }))
      const isOf = ({ awaits_approval, status }: ListBatchRows, one: { readonly status: string }): boolean =>
        (status === undefined || one.status === status) && (awaits_approval === undefined || !awaits_approval)
      for (const query of [{}, { status: "created" }, { status: "invalid" }, { awaits_approval: false }] as const)
        assert.deepEqual(
          yield* walk(query),
          oracle.filter((one) => isOf(query, one))
        )

      const file = yield* batches.rows(m.caller, id, { format: "csv" })
      assert.ok(file instanceof FileResponse)
      assert.strictEqual(file.text.trimEnd().split("\r\n").length, count + 1)

      const created = oracle.filter(({ status }) => status === "created").length
      reads.length = 0
      assert.deepEqual(yield* batches.summary(m.caller, id), {
        movements: [
          {
            resource_status: "processing",
            awaits_approval: false,
            count: created,
            totals: [{ currency: "USDC", amount: `${created}.00` }]
          }
        ]
      })
      assert.isAtMost(Math.max(...reads), partSize)
    }).pipe(Effect.provide(makeSimulatedEngine({ storage: layer })), Effect.runPromise)
  })
})
