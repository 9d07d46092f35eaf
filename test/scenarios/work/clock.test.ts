/**
 * The service's clock, moved by the sandbox (SANDBOX-8): for everyone, forward only, and through every deadline on the
 * way.
 */
import { assert, it } from "vitest"
import { Clock, Context, Effect, Fiber, Layer } from "effect"
import * as MovableClock from "../../../src/adapters/clock/movable.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { wallNow } from "../../../src/engine/ports/Time.ts"
import { JobHandlers } from "../../../src/engine/work/queue/JobHandlers.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onEveryStore, type Run } from "../../support/engines/every-store.ts"
import { until } from "../../support/repository/poll-timeout.ts"

const shared = (run: Run): void => {
  it("a fraction of a millisecond moves it by whole ones, and the service goes on", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        yield* m.advance(5.0005)
        assert.isTrue(Number.isInteger(yield* Clock.currentTimeMillis))
        yield* Clock.currentTimeNanos
        yield* m.transfer("10")
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  it("what another node has in hand keeps nothing else from being met in its order", () =>
    run(
      Effect.gen(function* () {
        const storage = yield* Storage
        const ids = yield* Ids
        const workers = yield* JobHandlers
        const m = yield* merchantAtWork()
        const other = yield* merchantAtWork()
        yield* m.behaves("unavailable")
        const { id } = yield* m.transfer("10", { retry_on_failure: true })
        yield* m.settle
        yield* other.transfer("10")
        const [job] = yield* storage.claim({
          queue: "command",
          now: yield* Clock.currentTimeMillis,
          wall: yield* wallNow,
          lease_ms: 45_000,
          token: yield* ids.make("lease"),
          limit: 1,
          per_partition: 1,
          busy: []
        })
        const elsewhere = yield* Effect.forkChild(Effect.andThen(Effect.sleep(100), workers.run(job!)))
        yield* m.advance(600)
        yield* Fiber.join(elsewhere)
        // After 0, 5, 15, 35, 75, 155 and 315 seconds.
        assert.strictEqual(((yield* m.rowOf(id)).data as { readonly attempts: number }).attempts, 7)
        yield* m.behaves("accept")
        yield* m.advance(600)
        yield* m.says(id, "success")
        const { items } = yield* storage.list({
          merchant_id: other.merchant_id,
          kinds: ["transfer"],
          index_keys: [],
          offset: 0,
          limit: 1
        })
        yield* other.says(items[0]!.id, "success")
      })
    ))
}

it("two nodes that move it at once come to show the same, and what a third one will", () =>
  Effect.gen(function* () {
    const storage = yield* Storage
    const slow = {
      ...storage,
      assign: (key: string, value: string) => Effect.andThen(Effect.sleep(60), storage.assign(key, value))
    }
    const node = (store: Storage["Service"]) =>
      Layer.build(Layer.fresh(MovableClock.layer).pipe(Layer.provide(Layer.succeed(Storage, store))))
    const one = yield* node(storage)
    const two = yield* node(slow)
    const began = yield* Clock.currentTimeMillis
    const late = yield* Effect.forkChild(Context.get(two, ServiceClock).moveTo(began + 50_000))
    yield* Effect.sleep(20)
    yield* Context.get(one, ServiceClock).moveTo(began + 100_000)
    yield* Fiber.join(late)
    for (const shown of [one, two, yield* node(storage)]) {
      const isThere = () => Context.get(shown, Clock.Clock).currentTimeMillisUnsafe() >= began + 100_000
      // A node reads the offset every two seconds.
      yield* Effect.promise(() => until(isThere))
    }
  }).pipe(Effect.scoped, Effect.provide(MemoryStorage.layer), Effect.runPromise))

onEveryStore("the service's clock", shared)
