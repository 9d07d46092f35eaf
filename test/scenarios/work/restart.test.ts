/** A restart: what fell due meanwhile is done, each thing once, however many nodes come back together. */
import assert from "node:assert/strict"
import { Clock, Effect, type Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, it } from "vitest"
import { PostgresStorage } from "../../../src/adapters/storage/postgres.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import type { StorageFault } from "../../../src/engine/ports/errors.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { wallNow } from "../../../src/engine/ports/Time.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { freshDatabase } from "../../support/stores/database.ts"
import { onrampsOf } from "../../support/merchants/ramps.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

type Node = ManagedRuntime.ManagedRuntime<Layer.Success<ReturnType<typeof makeSimulatedEngine>>, StorageFault>

const transfers = 60
const onramps = 60
const minute = 60_000

let url: string
const nodes: Array<Node> = []
const node = (): Node => {
  const started = ManagedRuntime.make(makeSimulatedEngine({ storage: PostgresStorage.layer({ url, connections: 4 }) }))
  nodes.push(started)
  return started
}
beforeAll(async () => {
  url = await freshDatabase()
})
afterAll(() => Promise.all(nodes.map((one) => one.dispose())))

describe("nodes that start again", () => {
  it("meet every deadline that has passed once, also those that a dead node had in hand", async () => {
    const before = node()
    const { ids, merchant_id } = await before.runPromise(
      Effect.gen(function* () {
        const storage = yield* Storage
        const m = yield* merchantAtWork("1000")
        const { onramp } = yield* onrampsOf(m)
        const paid = yield* Effect.forEach(Array.from({ length: transfers }), () => m.transfer("1"), { concurrency: 8 })
        yield* m.settle
        const awaited = yield* Effect.forEach(Array.from({ length: onramps }), () => onramp(), { concurrency: 8 })
        // It took some of what was about to fall due, and never came back: its leases have run out by now.
        const now = (yield* Clock.currentTimeMillis) + 31 * minute
        for (const queue of ["timer", "command"] as const) {
          const taken = { queue, now, wall: yield* wallNow, lease_ms: 0, busy: [] }
          const claimed = yield* storage.claim({ ...taken, token: `dead-${queue}`, limit: 10, per_partition: 10 })
          assert.equal(claimed.length, 10)
        }
        return { merchant_id: m.merchant_id, ids: [...paid, ...awaited].map(({ id }) => id) }
      })
    )
    await before.dispose()

    const [first, second] = [node(), node()]
    await first.runPromise(
      Effect.gen(function* () {
        const clock = yield* ServiceClock
        yield* clock.moveTo((yield* Clock.currentTimeMillis) + 31 * minute)
      })
    )
    const drained = Effect.flatMap(Dispatcher, ({ drain }) => drain())
    const [one, other] = await Promise.all([first.runPromise(drained), second.runPromise(drained)])
    // The other node may have looked before it heard of the time: whatever is left is done here.
    const rest = await first.runPromise(drained)
    assert.ok(one + other + rest >= transfers + onramps)

    await first.runPromise(
      Effect.gen(function* () {
        const storage = yield* Storage
        for (const id of ids) {
          const { events, transitions } = yield* storage.history(merchant_id, id)
          const met = transitions.filter(({ via }) => via.startsWith("timer.") || via === "provider.pending")
          assert.equal(met.length, 1, `${id}: ${transitions.map(({ via }) => via).join(" ")}`)
          if (id.startsWith("onr_"))
            assert.deepEqual(
              events.map(({ type }) => type),
              ["onramp.awaiting_deposit", "onramp.failed"]
            )
        }
      })
    )
  })
})
