/** A suspended merchant's payouts (MERCHANT-4): what is queued waits, what was submitted is followed to its end. */
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { type Change, Storage } from "../../../src/engine/ports/Storage.ts"
import { merchantAtWork, type MerchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { onMemory, type Run, type SimulatedEngine } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

const becomes = (m: MerchantAtWork, status: "active" | "suspended") =>
  Merchants.use((merchants) => merchants.update(m.operator, m.merchant_id, { status }))

const jobOf = Effect.fnUntraced(function* (m: MerchantAtWork, id: string) {
  const storage = yield* Storage
  const { items } = yield* storage.jobs({
    merchant_id: m.merchant_id,
    queue: "command",
    body: { id },
    offset: 0,
    limit: 2
  })
  assert.lengthOf(items, 1)
  return items[0]!
})

const shared = (run: Run): void => {
  covers("MERCHANT-4")
  it("waits with what is queued however long it is, says so, and goes on at once when it is active again", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const submitted = yield* m.transfer("10")
        yield* m.settle
        const [transfer, offramp] = [yield* m.transfer("10"), yield* m.offramp("10")]
        yield* becomes(m, "suspended")
        yield* m.settle
        assert.strictEqual((yield* m.rowOf(transfer.id)).state, "queued")
        assert.strictEqual((yield* m.rowOf(offramp.id)).state, "created")
        assert.strictEqual((yield* jobOf(m, transfer.id)).body["parked"], "merchant_suspended")
        yield* m.says(submitted.id, "success")
        assert.strictEqual(yield* m.status(submitted.id), "success")

        assert.isBelow((yield* m.advance(30 * 86_400)).steps, 20)
        assert.strictEqual((yield* m.rowOf(transfer.id)).state, "queued")
        const { items } = yield* LedgerReports.use((books) => books.stuck({ merchant_id: m.merchant_id }))
        assert.deepEqual(
          items.map(({ id, reason }) => [id, reason]),
          [[transfer.id, "merchant_suspended"]]
        )
        // Its rate was locked for so long only: the money is free again.
        assert.strictEqual(yield* m.status(offramp.id), "failed")

        yield* becomes(m, "active")
        yield* m.settle
        assert.strictEqual((yield* m.rowOf(transfer.id)).state, "submitting")
        assert.notProperty((yield* jobOf(m, transfer.id)).body, "parked")
        yield* m.says(transfer.id, "success")
        assert.strictEqual(yield* m.executions(transfer.id), 1)
      })
    ))

  it("waits with what was turned away, and looks up what is unknown", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("unavailable")
        const refused = yield* m.transfer("10", { retry_on_failure: true })
        yield* m.settle
        yield* m.behaves("timeout")
        const unknown = yield* m.transfer("10")
        yield* m.settle
        yield* becomes(m, "suspended")
        yield* m.behaves("accept")
        yield* m.advance(3600)
        assert.strictEqual((yield* m.rowOf(refused.id)).state, "waiting")
        assert.strictEqual((yield* m.rowOf(unknown.id)).state, "submitting")
        yield* becomes(m, "active")
        yield* m.settle
        assert.strictEqual((yield* m.rowOf(refused.id)).state, "submitting")
        for (const { id } of [refused, unknown]) yield* m.says(id, "success")
      })
    ))

  it("stays with what holds it when another reason to wait ends first", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.behaves("hold")
        const { id } = yield* m.transfer("10")
        yield* m.settle
        assert.strictEqual((yield* jobOf(m, id)).body["parked"], "provider_not_ready")
        yield* becomes(m, "suspended")
        yield* m.behaves("accept")
        yield* m.settle
        assert.strictEqual((yield* jobOf(m, id)).body["parked"], "merchant_suspended")
        yield* m.behaves("hold")
        yield* becomes(m, "active")
        yield* m.settle
        assert.strictEqual((yield* jobOf(m, id)).body["parked"], "provider_not_ready")
        yield* m.behaves("accept")
        yield* m.settle
        yield* m.says(id, "success")
      })
    ))
}

onMemory("a suspended merchant", shared)

const parks = ({ jobs }: Change): boolean => jobs.some(({ body }) => "parked" in body)

it.each<
  ["merchant_suspended" | "provider_not_ready", (m: MerchantAtWork) => Effect.Effect<unknown, unknown, SimulatedEngine>]
>([
  ["merchant_suspended", (m) => becomes(m, "active")],
  ["provider_not_ready", (m) => m.behaves("accept")]
])("what ends while a payout is just being parked for it (%s) leaves nothing behind", (obstacle, ends) => {
  let before: Effect.Effect<unknown> | undefined
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (store) => ({
      ...store,
      commit: (change: Change) => {
        const first = parks(change) ? before : undefined
        if (first !== undefined) before = undefined
        return Effect.andThen(first ?? Effect.void, store.commit(change))
      }
    }))
  ).pipe(Layer.provide(MemoryStorage.layer))
  return Effect.gen(function* () {
    const m = yield* merchantAtWork()
    const { id } = yield* m.transfer("10")
    if (obstacle === "merchant_suspended") yield* becomes(m, "suspended")
    else yield* m.behaves("hold")
    const context = yield* Effect.context<SimulatedEngine>()
    before = Effect.orDie(Effect.provideContext(ends(m), context))
    yield* m.settle
    assert.isUndefined(before)
    assert.strictEqual((yield* m.rowOf(id)).state, "submitting")
  }).pipe(Effect.provide(makeSimulatedEngine({ storage })), Effect.runPromise)
})
