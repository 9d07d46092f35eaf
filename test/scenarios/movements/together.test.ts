/** A resource that makes movements of others, all in one commit (CONTRIBUTING.md, A resource that makes movements). */
import { assert, it } from "vitest"
import { Clock, Context, Effect, Layer } from "effect"
import { makeRecordLifecycle, type Update } from "../../../src/machines/kernel/lifecycle.ts"
import type { Call } from "../../../src/engine/commit/call.ts"
import type { ResourceKind } from "../../../src/engine/commit/kind.ts"
import { begin } from "../../../src/engine/commit/steps.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import type { Registration } from "../../../src/engine/operations/registration.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { type CreateOfframp, Offramps } from "../../../src/engine/resources/movements/offramp.ts"
import { type CreateTransfer, Transfers } from "../../../src/engine/resources/movements/transfer.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { covers } from "../../support/repository/covers.ts"

interface PayoutBatchData {
  readonly movements: ReadonlyArray<string>
}

const PayoutBatchKind: ResourceKind<PayoutBatchData, Update<PayoutBatchData>> = {
  kind: "payout_batch",
  prefix: "pba",
  lifecycle: makeRecordLifecycle<PayoutBatchData>("payout_batch")
}

/** Many payouts, or none: what a registration would have as its service. */
class PayoutBatches extends Context.Service<PayoutBatches>()("test/PayoutBatches", {
  make: Effect.gen(function* () {
    const unitOfWork = yield* UnitOfWork
    const transfers = yield* Transfers
    const offramps = yield* Offramps
    const ids = yield* Ids
    return {
      create: Effect.fnUntraced(function* (
        call: Call,
        rows: ReadonlyArray<CreateTransfer>,
        quoted: ReadonlyArray<CreateOfframp> = []
      ) {
        const id = yield* ids.make(PayoutBatchKind.prefix)
        const decisions = [
          ...(yield* Effect.forEach(rows, (row) => transfers.decision(call, row))),
          ...(yield* Effect.forEach(quoted, (row) => offramps.decision(call, row)))
        ]
        return yield* unitOfWork.write(call, function* () {
          const at = yield* Clock.currentTimeMillis
          const made = yield* Effect.all(decisions)
          const movements = made.map(({ result }) => result.id)
          const batch = yield* begin(PayoutBatchKind, { merchant_id: call.merchant_id, id }, { movements }, at)
          return { changes: [batch.changes, ...made.flatMap(({ changes }) => changes)], result: { id, movements } }
        })
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const registration = { kind: PayoutBatchKind, layer: PayoutBatches.layer, operations: {} } satisfies Registration

onEveryStore("movements that are made together", (run) => {
  const begun = Effect.gen(function* () {
    const m = yield* merchantAtWork("100")
    const storage = yield* Storage
    const batches = yield* Effect.provide(PayoutBatches, registration.layer)
    const rows = (...amounts: ReadonlyArray<string>) =>
      amounts.map((amount): CreateTransfer => ({ wallet_id: m.wallet.id, beneficiary_id: m.beneficiary, amount }))
    /** How many rows, events and jobs there are of the merchant, and its balance. */
    const trace = Effect.gen(function* () {
      const { merchant_id } = m
      const listed = { merchant_id, offset: 0, limit: 200 }
      const [batched, events, jobs] = yield* Effect.all([
        storage.list({ ...listed, kinds: ["payout_batch", "transfer", "offramp"], index_keys: [] }),
        storage.events(listed),
        storage.jobs({ ...listed, queue: "command" })
      ])
      return [batched.items.length, events.items.length, jobs.items.length, yield* m.balance] as const
    })
    return { m, batches, rows, trace }
  })

  covers("MOVEMENT-5")
  it("are written in one commit, each with its own reference, event and payout, and the books balance", () =>
    run(
      Effect.gen(function* () {
        const { m, batches, rows } = yield* begun
        const quote = yield* m.quote("30")
        const { id, movements } = yield* batches.create(m.caller, rows("25", "40"), [{ quote_id: quote.id }])
        assert.deepEqual((yield* m.rowOf(movements[0]!)).version, 1)
        assert.deepEqual(yield* m.balance, { available: "5.00", reserved: "95.00", held: "0.00" })
        const written = yield* Effect.forEach(movements, m.rowOf)
        assert.strictEqual(new Set(written.map(({ data }) => (data as { reference: string }).reference)).size, 3)
        assert.match(id, /^pba_/)
        yield* m.settle
        for (const movement of movements) {
          assert.strictEqual(yield* m.status(movement), "processing")
          yield* m.says(movement, "success")
          assert.strictEqual(yield* m.status(movement), "success")
          assert.strictEqual(yield* m.executions(movement), 1)
        }
        assert.deepEqual(yield* m.balance, { available: "5.00", reserved: "0.00", held: "0.00" })
      })
    ))

  covers("REFERENCE-1", "QUOTE-3", "MOVEMENT-5")
  it("leave no trace when one of them is refused: for its input, its funds, its reference, or its quote", () =>
    run(
      Effect.gen(function* () {
        const { m, batches, rows, trace } = yield* begun
        const before = yield* trace
        const [first] = rows("10")
        const refused = (second: Partial<CreateTransfer>, own: Partial<CreateTransfer> = {}) =>
          Effect.map(
            Effect.flip(
              batches.create(m.caller, [
                { ...first!, ...own },
                { ...first!, ...second }
              ])
            ),
            ({ _tag }) => _tag
          )
        assert.strictEqual(yield* refused({ beneficiary_id: yield* m.bank() }), "InvalidInput")
        assert.strictEqual(yield* refused({ amount: "90.01" }), "InsufficientFunds")
        assert.strictEqual(yield* refused({ reference: "one" }, { reference: "one" }), "DuplicateResource")
        assert.deepEqual(yield* trace, before)

        const { id: quote_id } = yield* m.quote("10")
        const twice = yield* Effect.flip(batches.create(m.caller, [first!], [{ quote_id }, { quote_id }]))
        assert.strictEqual(twice._tag, "DuplicateResource")
        assert.include(twice.message, `Quote ${quote_id} was already executed`)
        assert.deepEqual(yield* trace, before)

        // What was refused has taken nothing: the same movements can be made.
        const { movements } = yield* batches.create(m.caller, [{ ...first!, reference: "one" }], [{ quote_id }])
        yield* m.settle
        for (const movement of movements) yield* m.says(movement, "success")
      })
    ))
})
