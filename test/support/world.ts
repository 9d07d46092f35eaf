/** An engine over the memory store and the simulated provider, whose clock moves by hand. */
import { Effect, Layer } from "effect"
import * as MovableClock from "../../src/adapters/clock/movable.ts"
import { AesGcmCipher } from "../../src/adapters/cipher/aes-gcm.ts"
import { SimulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../../src/adapters/storage/memory.ts"
import { MemoryWebhookSink } from "../../src/adapters/webhook/memory.ts"
import type { Call } from "../../src/engine/Call.ts"
import * as Engine from "../../src/engine/Engine.ts"
import type { StorageFault } from "../../src/engine/errors.ts"
import { Ids } from "../../src/engine/Ids.ts"
import type { Storage } from "../../src/engine/Storage.ts"

const key = { id: "test", key: new Uint8Array(32).fill(7) }

export interface WorldOptions {
  readonly mode?: "auto" | "manual"
  readonly storage?: Layer.Layer<Storage, StorageFault>
}

export const world = ({ mode = "manual", storage = MemoryStorage.layer }: WorldOptions = {}) =>
  Engine.sandbox.pipe(
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(SimulatedProvider.layer({ mode, delay_ms: 1000, payshap: true })),
    Layer.provideMerge(Layer.mergeAll(MemoryWebhookSink.layer(), AesGcmCipher.layer({ keys: [key as never] }), Engine.prices)),
    Layer.provideMerge(Engine.local),
    Layer.provideMerge(MovableClock.layer),
    Layer.provideMerge(storage)
  )

export const call = (merchant_id: string, idempotency: Call["idempotency"] = null): Effect.Effect<Call, never, Ids> =>
  Effect.gen(function*() {
    const ids = yield* Ids
    return {
      merchant_id,
      role: "admin",
      key_id: null,
      request_id: yield* ids.make("req"),
      idempotency,
      if_match: null,
      reply: (result: unknown) => JSON.stringify(result)
    } as const
  })
