/**
 * A batch whose node ends while it is paid, at ten points: each row happens once, and the results are the ledger's (BATCH-5). A batch that
 * is cancelled by another node meanwhile: nothing begins after the answer (BATCH-6).
 */
import { Effect, Latch, Layer } from "effect"
import { assert, it } from "vitest"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Provider } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { FileResponse } from "../../../src/engine/calls/operation.ts"
import { JobLease } from "../../../src/engine/settings/settings.ts"
import { Batches } from "../../../src/engine/resources/movements/batch.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onEveryStore, onServers } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
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

/**
 * Confirms a batch and pays it on a node of its own, which may end, with the same provider. In the fiber of the test it would be the engine that is there already,
 * on a clock that was moved. What it holds is soon another's.
 */
const onNode = Effect.fnUntraced(function* (
  store: Storage["Service"],
  { caller }: MerchantAtWork,
  id: string,
  seconds = 0
) {
  const provider = yield* Provider
  yield* Effect.promise(() =>
    Effect.gen(function* () {
      yield* Batches.use((s) => s.confirm(caller, id))
      if (seconds > 0) yield* SandboxOperations.use((s) => s.advance({ seconds }))
      yield* SandboxOperations.use((s) => s.settle(caller))
    }).pipe(
      Effect.exit,
      Effect.provide(
        makeSimulatedEngine({ storage: Layer.succeed(Storage, store), around: () => provider }).pipe(
          Layer.provide(Layer.succeed(JobLease, 200))
        )
      ),
      Effect.runPromise
    )
  )
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
          yield* onNode(reached(storage, reach), m, draft.id)
          assert.isBelow(reach.left, 0)

          yield* Batches.use((s) => s.confirm(m.caller, draft.id))
          const listed = storage.list({
            merchant_id: m.merchant_id,
            kinds: ["transfer"],
            index_keys: [],
            offset: 0,
            limit: 200
          })
          const isDone = Effect.gen(function* () {
            const { status } = (yield* Batches.use((s) => s.get(m.caller, draft.id))).body
            return status === "completed" && (yield* listed).items.every(({ state }) => state !== "queued")
          })
          for (let round = 0; round < 30 && !(yield* isDone); round++) {
            yield* Effect.sleep("100 millis")
            yield* m.advance(60)
            yield* m.settle
          }
          // A submission that the node had begun is looked up after its time, and then made.
          yield* m.advance(120)
          yield* m.settle
          const { body } = yield* Batches.use((s) => s.get(m.caller, draft.id))
          assert.deepInclude(body.counts, { rows: ROWS, created: ROWS, failed: 0 })
          const { items, total } = yield* listed
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

onServers("a batch with rows that wait, whose node ends", (run) => {
  covers("BATCH-5", "BATCH-9")
  // With both parts looked at, while the first one is looked at again, and when its row is paid.
  it.each([0, 1, 2, 4].map((left, at) => [left, at % 2 === 0] as const))(
    "after %d commits of the looks that follow, the next of them made: %s, pays each row once",
    (left, made) =>
      run(
        Effect.gen(function* () {
          const m = yield* merchantAtWork("1000")
          yield* m.networked("base")
          const storage = yield* Storage
          const described = (name: string, ending: string) => ({
            type: "crypto",
            name,
            currency: "USDC",
            details: { network: "base", address: `0x${"1".repeat(36)}${ending}` }
          })
          const rows = Array.from({ length: 103 }, (_, at) => ({
            operation: "transfer",
            wallet_id: m.wallet.id,
            // One in each part waits.
            beneficiary: at === 1 || at === 101 ? described("Ada", "dead") : described("Obi", "0000"),
            amount: "1.00"
          }))
          const draft = yield* Batches.use((s) => s.create(m.caller, { reference: "payroll", rows }))
          yield* Batches.use((s) => s.confirm(m.caller, draft.id))
          yield* m.settle
          const counts = Effect.map(
            Batches.use((s) => s.get(m.caller, draft.id)),
            ({ body }) => body.counts
          )
          assert.deepInclude(yield* counts, { created: 101, failed: 0 })
          const [payee] = (yield* storage.list({
            ...{ merchant_id: m.merchant_id, kinds: ["beneficiary"], index_keys: ["status=pending"] },
            ...{ offset: 0, limit: 2 }
          })).items
          yield* SandboxOperations.use((s) => s.screenBeneficiary(m.caller, payee!.id, { outcome: "screened" }))
          const reach: Reach = { left, made }
          yield* onNode(reached(storage, reach), m, draft.id, 15)
          for (let round = 0; round < 30 && (yield* counts).created < 103; round++) {
            yield* Effect.sleep("50 millis")
            yield* m.advance(60)
          }
          yield* m.advance(120)
          yield* m.settle
          assert.deepInclude(yield* counts, { created: 103, failed: 0 })
          const { items, total } = yield* storage.list({
            ...{ merchant_id: m.merchant_id, kinds: ["transfer"], index_keys: [] },
            ...{ offset: 0, limit: 200 }
          })
          assert.strictEqual(total, 103)
          for (const { id } of items) yield* m.says(id, "success")
          assert.deepEqual(yield* m.balance, { available: "897.00", reserved: "0.00", held: "0.00" })
        })
      )
  )
})

onEveryStore("a batch that is cancelled while it is paid", (run) => {
  covers("BATCH-6")
  it.each([1, 3, 17])("by another node, before row %d is written, pays no row after the answer", (before) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const store = yield* Storage
        const rows = Array.from({ length: ROWS }, () => ({
          operation: "transfer",
          wallet_id: m.wallet.id,
          beneficiary_id: m.beneficiary,
          amount: "1.00"
        }))
        const draft = yield* Batches.use((s) => s.create(m.caller, { reference: "payroll", rows }))
        const listed = store.list({
          merchant_id: m.merchant_id,
          kinds: ["transfer"],
          index_keys: [],
          offset: 0,
          limit: 200
        })
        const transfers = Effect.map(listed, ({ total }) => total)
        const cancelled = Effect.andThen(
          Batches.use((s) => s.cancel(m.caller, draft.id)),
          transfers
        ).pipe(Effect.provideContext(yield* Effect.context<Batches>()))
        const answered = Latch.makeUnsafe(false)
        let left = before
        let atAnswer = -1
        const slow = Storage.of({
          ...store,
          commit: (change) =>
            Effect.gen(function* () {
              const isRow = change.rows.some(({ kind, version }) => kind === "transfer" && version === 1)
              if (isRow && atAnswer < 0 && --left > 0) return yield* store.commit(change)
              if (isRow && atAnswer < 0) {
                atAnswer = 0
                atAnswer = yield* Effect.orDie(cancelled)
                yield* answered.open
              }
              // The others of the sixteen are on their way to the store, and come to it after the answer.
              if (isRow) yield* answered.await
              return yield* store.commit(change)
            })
        })
        yield* onNode(slow, m, draft.id)
        const { counts, status } = (yield* Batches.use((s) => s.get(m.caller, draft.id))).body
        assert.strictEqual(status, "cancelled")
        assert.deepInclude(counts, { created: yield* transfers, failed: 0 })
        assert.strictEqual(counts.created, atAnswer)
        for (const { id } of (yield* listed).items) yield* m.says(id, "success")
      })
    )
  )
})
