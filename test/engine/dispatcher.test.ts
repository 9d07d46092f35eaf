/** When a dispatcher that works finds what falls due. */
import { Clock, Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../src/adapters/storage/memory.ts"
import { MemoryWebhookSink } from "../../src/adapters/webhook/memory.ts"
import { Dispatcher } from "../../src/engine/Dispatcher.ts"
import { Ids } from "../../src/engine/Ids.ts"
import { Retention } from "../../src/engine/Retention.ts"
import { Storage } from "../../src/engine/Storage.ts"
import { Wake } from "../../src/engine/Wake.ts"
import { Workers } from "../../src/engine/Workers.ts"
import { change, job } from "../storage/support.ts"

/** Half of the time after which a queue is looked at in any case. */
const LATE_MS = 500
const SLOW_MS = 1400

/** Jobs whose ids begin with `slow` take their time; how late each began is told. */
const dispatching = (late: Map<string, number>) => {
  const workers = Layer.effect(
    Workers,
    Effect.map(Storage, (storage) =>
      Workers.of({
        wake: Effect.succeed(0),
        run: ({ due_at, id, lease, merchant_id }) =>
          Effect.gen(function* () {
            late.set(id, (yield* Clock.currentTimeMillis) - due_at!)
            if (id.startsWith("slow")) yield* Effect.sleep(SLOW_MS)
            yield* storage.commit(change(merchant_id, { lease: { job: id, token: lease! } }))
          })
      })
    )
  )
  const ports = Layer.mergeAll(
    MemoryStorage.layer,
    Ids.layer,
    Wake.layer,
    MemoryWebhookSink.layer(),
    Layer.succeed(Retention, Retention.of({ start: Effect.void, sweep: Effect.succeed(0) } as never))
  )
  return Dispatcher.layer.pipe(Layer.provideMerge(workers), Layer.provideMerge(ports))
}

const put = Effect.fnUntraced(function* (...due: ReadonlyArray<readonly [id: string, after_ms: number]>) {
  const at = yield* Clock.currentTimeMillis
  const jobs = due.map(([id, after_ms]) => job("timer", { id, lane: id, due_at: at + after_ms, created_at: at }))
  yield* (yield* Storage).commit(change("mer", { jobs }))
  ;(yield* Wake).hint("timer")
})

it.each<[string, ReadonlyArray<readonly [string, number]>]>([
  ["a moment after the hint of its commit", [["timer", 15]]],
  ["while the queue was just being asked", Array.from({ length: 30 }, (_, n) => [`t${n}`, 10 + n] as const)],
  [
    "beside four that are slow",
    [
      ["slow1", 0],
      ["slow2", 0],
      ["slow3", 0],
      ["slow4", 0],
      ["timer", 200]
    ]
  ]
])("a timer is found that falls due %s", async (_, due) => {
  const late = new Map<string, number>()
  await Effect.gen(function* () {
    yield* (yield* Dispatcher).start({ graceMs: 0 })
    yield* Effect.sleep(60)
    yield* put(...due)
    yield* Effect.sleep(SLOW_MS)
  }).pipe(Effect.scoped, Effect.provide(dispatching(late)), Effect.runPromise)
  assert.strictEqual(late.size, due.length)
  for (const [id, ms] of late) assert.isBelow(ms, LATE_MS, id)
})
