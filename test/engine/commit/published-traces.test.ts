/** The traces that a node remembers. */
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { PublishedTraces } from "../../../src/engine/commit/observed-storage.ts"

const markOf = (n: number) => ({ parent: `trace-${n}`, began: n })

it("a node remembers the last 4,096 traces, and no more than twice as many", () =>
  Effect.gen(function* () {
    const traces = yield* PublishedTraces
    const count = 20_000
    for (let n = 0; n < count; n++) {
      traces.remember(`id-${n}`, markOf(n))
      if (n >= 4_095) assert.deepEqual(traces.ofClaim(`id-${n - 4_095}`), markOf(n - 4_095))
    }
    const remembered = Array.from({ length: count }, (_, n) => traces.ofClaim(`id-${n}`)).filter(Boolean)
    assert.isAtMost(remembered.length, 8_192)
    const last = { event_id: `id-${count - 1}`, event_object_id: "tfr_1", event_sequence: 1 }
    assert.deepEqual(yield* traces.recall("mer_1", last), markOf(count - 1))
    assert.isUndefined(yield* traces.recall("mer_1", { ...last, event_id: "id-0" }))
  }).pipe(Effect.provide(PublishedTraces.layer.pipe(Layer.provide(MemoryStorage.layer))), Effect.runPromise))
