/** Whether a store is a copy, as those ask who share a comparison. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { StoreIdentity } from "../../../src/engine/work/upkeep/StoreIdentity.ts"
import { interruptedAnywhere } from "../../support/faults/interrupted.ts"

/** A store outside of this process, which takes a moment to say where it is. */
const outside = Layer.effect(
  Storage,
  Effect.map(Storage, ({ exclusive: _, ...store }) =>
    Storage.of({
      ...store,
      identity: Effect.as(Effect.yieldNow, { found: "server/1", recorded: "server/1" })
    })
  )
).pipe(Layer.provide(MemoryStorage.layer))
const layer = StoreIdentity.layer.pipe(Layer.provide(outside))

const pauses = (times: number) => Effect.repeat(Effect.yieldNow, { times })

it.live("is told after those who asked before were interrupted, wherever that was", () =>
  Effect.gen(function* () {
    const { isCopyNow } = yield* StoreIdentity
    const answer = Effect.map(isCopyNow, (isCopy) => assert.isFalse(isCopy))
    yield* interruptedAnywhere(isCopyNow, Effect.andThen(answer, pauses(9)))
  }).pipe(Effect.provide(layer))
)
