/** The ledger of the auditor accuses no history that is right: one that it did is here, once it was understood. */
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../src/adapters/storage/memory.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { Deposits } from "../../src/engine/resources/deposits/deposits.ts"
import { latestRefund } from "../../src/engine/resources/deposits/refund-reports.ts"
import { Inbox } from "../../src/engine/work/providers/Inbox.ts"
import { Ledger } from "../../src/testing/model/ledger.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../support/merchants/merchant-at-work.ts"
import { covers } from "../support/repository/covers.ts"

/** A store whose commits a ledger follows, and what that finds wrong. */
const followed = () => {
  const wrongs: Array<string> = []
  const ledger = new Ledger((what) => void wrongs.push(what))
  const storage = Layer.effect(
    Storage,
    Effect.map(Storage, (store) => ({
      ...store,
      commit: (change) =>
        Effect.tap(store.commit(change), ({ _tag }) =>
          Effect.promise(async () => _tag === "Committed" && ledger.enter(change, store))
        )
    }))
  ).pipe(Layer.provide(MemoryStorage.layer))
  return { storage, wrongs, ledger }
}

covers("DEPOSIT-17")
it("what a bounced refund had is in suspense once more, where its pay-in was taken back and came again", async () => {
  const { ledger, storage, wrongs } = followed()
  const history = Effect.gen(function* () {
    const m = yield* merchantAtWork("0", "tier_0")
    const tells = (stage: "confirmed" | "failed") => m.deposit({ amount: "1500", payin_id: "p1", stage })
    const rejects = Effect.gen(function* () {
      const { items } = yield* (yield* Storage).list({
        merchant_id: m.merchant_id,
        kinds: ["deposit"],
        index_keys: [],
        offset: 0,
        limit: 1
      })
      yield* Deposits.use((s) => s.reject(m.operator, items[0]!.id, "unknown payer"))
      return items[0]!.id
    })
    const dismisses = (reason: string) =>
      Effect.flatMap(m.exceptions, (all) => m.resolve(all.find((one) => one.reason === reason)!.id, "dismiss"))
    yield* m.refunds("accept")
    yield* tells("confirmed")
    const id = yield* rejects
    yield* m.settle
    yield* tells("failed")
    yield* dismisses("recalled")
    yield* tells("confirmed")
    for (const outcome of ["success", "failed"] as const)
      yield* Inbox.use((inbox) =>
        Effect.flatMap(m.rowOf(id), (row) =>
          inbox.receive("simulated", {
            _tag: "refund",
            event_id: `${id}.${outcome}`,
            merchant_id: m.merchant_id,
            resource_id: id,
            command_id: latestRefund(row),
            outcome
          } as never)
        )
      )
    yield* tells("failed")
    yield* dismisses("refund_bounced")
    yield* tells("confirmed")
    assert.deepInclude(
      (yield* m.exceptions).find(({ reason }) => reason === "refund_bounced"),
      { amount: "1500.00" }
    )
    assert.strictEqual(ledger.balance(m.merchant_id, "world:simulated", "USDC"), -1_500_000_000n)
  })
  await Effect.runPromise(Effect.provide(history, makeSimulatedEngine({ storage })))
  assert.deepEqual(wrongs, [])
})
