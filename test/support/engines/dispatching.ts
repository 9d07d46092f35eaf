/** A dispatcher whose jobs only say that they began, over a store. */
import { Clock, Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import { Claims } from "../../../src/engine/commit/Claims.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { ClockSkew } from "../../../src/engine/work/upkeep/ClockSkew.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import { JobHandlers } from "../../../src/engine/work/queue/JobHandlers.ts"
import { Reindexing } from "../../../src/engine/work/upkeep/Reindexing.ts"
import { Retention } from "../../../src/engine/work/upkeep/Retention.ts"
import { StoreIdentity } from "../../../src/engine/work/upkeep/StoreIdentity.ts"
import { change } from "../../adapters/storage/support.ts"

export const SLOW_MS = 1400
const SILENT_MS = 15_000

/** Jobs whose ids begin with `slow` or `silent` take their time; how late each began is told. */
const dispatching = (late: Map<string, number>, storage: Layer.Layer<Storage> = MemoryStorage.layer) => {
  const workers = Layer.effect(
    JobHandlers,
    Effect.map(Storage, (storage) =>
      JobHandlers.of({
        wake: Effect.succeed(0),
        run: ({ due_at, id, lease, merchant_id }) =>
          Effect.gen(function* () {
            late.set(id, (yield* Clock.currentTimeMillis) - due_at!)
            if (id.startsWith("slow")) yield* Effect.sleep(SLOW_MS)
            if (id.startsWith("silent")) yield* Effect.sleep(SILENT_MS)
            yield* storage.commit(change(merchant_id, { lease: { job: id, token: lease! } }))
          })
      })
    )
  )
  const ports = Layer.mergeAll(
    Layer.mergeAll(ClockSkew.layer, StoreIdentity.layer).pipe(Layer.provideMerge(storage)),
    Ids.layer,
    JobNotifier.layer,
    MemoryWebhookSink.layer(),
    Layer.succeed(Reindexing, Reindexing.of({ start: Effect.void, next: Effect.succeed(false) })),
    Layer.succeed(Retention, Retention.of({ start: Effect.void, sweep: Effect.succeed(0) } as never))
  )
  return Dispatcher.layer.pipe(Layer.provideMerge(workers), Layer.provideMerge(Claims.layer), Layer.provideMerge(ports))
}

/** Runs an effect beside a dispatcher over `storage`, by the test's clock. */
export const overStore =
  (late: Map<string, number>, storage: Layer.Layer<Storage>) =>
  <A, E>(effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof dispatching>> | Scope.Scope>): Promise<A> =>
    effect.pipe(
      Effect.scoped,
      Effect.provide(dispatching(late, storage)),
      Effect.provide(TestClock.layer()),
      Effect.runPromise
    )
