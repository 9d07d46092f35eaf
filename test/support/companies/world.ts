/** A fake company, and providers over it that share a store: each is a process of its own. */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import type { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import { Provider } from "../../../src/engine/ports/Provider.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { WallTime } from "../../../src/engine/ports/Time.ts"

/** A provider as one process has it. `end` ends the process. */
export interface Process {
  readonly provider: Provider["Service"]
  readonly end: Effect.Effect<void>
}

interface Fake {
  readonly start: () => Promise<unknown>
  readonly stop: () => Promise<void>
  now: () => number
}

const began = Date.UTC(2026, 10, 29)

/** A fake, a store, and a clock that moves by hand. All end with the scope. `layerOf`: the provider over the fake. */
export const companyWorld = <F extends Fake, O>(
  fake: F,
  layerOf: (over: Partial<O>) => Layer.Layer<Provider, StorageFault, Storage | JobNotifier>
) =>
  Effect.gen(function* () {
    yield* Effect.acquireRelease(
      Effect.promise(() => fake.start()),
      () => Effect.promise(() => fake.stop())
    )
    const time = { now: began }
    fake.now = () => time.now
    const shared = yield* Layer.build(Layer.mergeAll(Layer.fresh(MemoryStorage.layer), Ids.layer, JobNotifier.layer))
    const wall = Context.make(
      WallTime,
      Effect.sync(() => time.now)
    )
    /** Another process over the same store. */
    const start = (over: Partial<O> = {}, storage = Context.get(shared, Storage)) =>
      Effect.gen(function* () {
        const scope = yield* Scope.make()
        const context = yield* Layer.buildWithScope(
          layerOf(over).pipe(
            Layer.provide(Layer.succeed(Storage, storage)),
            Layer.provide(Layer.succeedContext(Context.merge(shared, wall)))
          ),
          scope
        ) as Effect.Effect<Context.Context<Provider>, StorageFault>
        return { provider: Context.get(context, Provider), end: Scope.close(scope, Exit.void) } satisfies Process
      }).pipe(Effect.provideContext(wall))
    return {
      ...{ fake, time, start, storage: Context.get(shared, Storage) },
      /** Runs with the world's wall clock. */
      inWorld: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provideContext(effect, wall),
      pass: (ms: number) => {
        time.now += ms
      }
    }
  })
