/** A batch whose node ends while it is paid, at ten points: each row happens once, and the results are the ledger's (BATCH-5). */
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { FileResponse } from "../../../src/engine/calls/operation.ts"
import { Batches } from "../../../src/engine/resources/movements/batch.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { simulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"

const gone = new StorageFault({ message: "the node has ended", retryable: false })

/** A store that a node reaches for `left` more commits. `made`: the last of them is made, and its answer is lost. */
interface Reach {
  left: number
  readonly made: boolean
}

const reached = (store: Storage["Service"], reach: Reach): Storage["Service"] =>
  Storage.of({
    ...store,
    commit: (change) =>
      Effect.suspend(() => {
        if (reach.left < 0) return Effect.fail(gone)
        reach.left--
        if (reach.left >= 0) return store.commit(change)
        return reach.made ? Effect.andThen(store.commit(change), Effect.fail(gone)) : Effect.fail(gone)
      })
  })

const ROWS = 34

/** The confirmation, the first rows, the border of what is paid at once, the last rows, the record of the part, and after it. */
const points = [1, 2, 3, 9, 17, 18, 34, 35, 36, 40]
onServers("a batch whose node ends", (run) => {
  covers("BATCH-5")
  it.each(points.map((left, at) => [left, at % 2 === 0] as const))(
    "after %d commits, the next of them made: %s, is paid by the next node, each row once",
    (left, made) =>
      run(
        Effect.gen(function* () {
          const m = yield* merchantAtWork("1000")
          const storage = yield* Storage
          const rows = Array.from({ length: ROWS }, (_, at) => ({
            operation: "transfer",
            wallet_id: m.wallet.id,
            beneficiary_id: m.beneficiary,
            amount: `${at + 1}.00`
          }))
          const draft = yield* Batches.use((s) => s.create(m.caller, { reference: "payroll", rows }))
          const reach: Reach = { left, made }
          const dying = simulatedEngine({ storage: Layer.succeed(Storage, reached(storage, reach)) })
          yield* Effect.gen(function* () {
            const sandbox = yield* SandboxOperations
            yield* Batches.use((s) => s.confirm(m.caller, draft.id))
            yield* sandbox.settle(m.caller)
          }).pipe(Effect.exit, Effect.provide(dying))

          yield* Batches.use((s) => s.confirm(m.caller, draft.id))
          let status = ""
          for (let round = 0; round < 30 && status !== "completed"; round++) {
            yield* m.advance(60)
            yield* m.settle
            status = (yield* Batches.use((s) => s.get(m.caller, draft.id))).body.status
          }
          const { body } = yield* Batches.use((s) => s.get(m.caller, draft.id))
          assert.deepInclude(body.counts, { rows: ROWS, created: ROWS, failed: 0 })
          const { items, total } = yield* storage.list({
            merchant_id: m.merchant_id,
            kinds: ["transfer"],
            index_keys: [],
            offset: 0,
            limit: 200
          })
          assert.strictEqual(total, ROWS)
          for (const { id } of items) yield* m.says(id, "success")
          for (const { id } of items) assert.strictEqual(yield* m.executions(id), 1)
          const file = yield* Batches.use((s) => s.rows(m.caller, draft.id, { format: "csv" }))
          if (!(file instanceof FileResponse)) throw new Error("no file")
          const lines = file.text.trim().split("\r\n").slice(1)
          assert.deepEqual(
            lines.map((line) =>
              line
                .split(",")
                .filter((_, at) => at === 0 || at === 6 || at === 12)
                .join(" ")
            ),
            rows.map(({ amount }, at) => `${at + 1} ${amount} success`)
          )
          // 34 rows of 1 to 34: what the file sums to is what has left the wallet.
          assert.deepEqual(yield* m.balance, { available: "405.00", reserved: "0.00", held: "0.00" })
        })
      )
  )
})
