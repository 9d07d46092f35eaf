/** An engine over the memory store and the simulated provider, whose clock moves by hand. */
import { Context, Effect, Layer } from "effect"
import * as MovableClock from "../../../src/adapters/clock/movable.ts"
import { AesGcmCipher } from "../../../src/adapters/cipher/aes-gcm.ts"
import { SimulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import type { Call } from "../../../src/engine/commit/call.ts"
import * as Engine from "../../../src/engine/Engine.ts"
import type { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { Pricing } from "../../../src/engine/ports/Pricing.ts"
import { Rates } from "../../../src/engine/ports/Rates.ts"
import { Provider, Providers } from "../../../src/engine/ports/Provider.ts"
import { Routing, type RoutingPolicy } from "../../../src/engine/ports/Routing.ts"
import { Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import type { Storage } from "../../../src/engine/ports/Storage.ts"
import { type Band, RateBandSetting } from "../../../src/engine/settings/settings.ts"
import { type Keeping, RetentionPolicy } from "../../../src/engine/settings/retention.ts"
import type { WebhookSink } from "../../../src/engine/ports/WebhookSink.ts"
import { FaultyProvider, type Plan } from "../faults/faulty-provider.ts"

const key = { id: "test", key: new Uint8Array(32).fill(7) }

export interface SimulatedEngineOptions {
  readonly mode?: "auto" | "manual"
  readonly storage?: Layer.Layer<Storage, StorageFault>
  /** From an acceptance to its outcome, in `auto` mode. */
  readonly delay_ms?: number
  /** How the provider goes wrong; by default it does not. */
  readonly plan?: Plan
  /** A provider around the one that is there. */
  readonly around?: (inner: Provider["Service"]) => Provider["Service"]
  /** Other providers, configured after it. */
  readonly others?: ReadonlyArray<Provider["Service"]>
  readonly routing?: RoutingPolicy
  readonly webhooks?: Layer.Layer<WebhookSink>
  /** Another market than the table. */
  readonly rates?: Layer.Layer<Rates>
  /** The band of its rates. Default: `off` for another market than the table, whose tests let it jump. */
  readonly band?: Band | "off"
  /** How long what is kept, in days. */
  readonly retention?: Keeping
}

export const makeSimulatedEngine = (options: SimulatedEngineOptions = {}) => {
  const { storage = MemoryStorage.layer, webhooks = MemoryWebhookSink.layer(), rates = Rates.layer } = options
  const { band = options.rates === undefined ? undefined : "off", others = [], routing } = options
  const { mode = "manual", delay_ms = 1000, plan, around } = options
  const bare = SimulatedProvider.layer({ mode, delay_ms, payshap: true })
  const wrapped = (wrap: NonNullable<SimulatedEngineOptions["around"]>) =>
    Effect.gen(function* () {
      return Context.make(Provider, wrap(yield* Provider)).pipe(Context.add(Sandbox, yield* Sandbox))
    })
  const simulated = around === undefined ? bare : Layer.effectContext(wrapped(around)).pipe(Layer.provide(bare))
  return Engine.sandbox.pipe(
    Layer.provideMerge(Engine.layer),
    Layer.provideMerge(
      Layer.effect(
        Providers,
        Effect.map(Provider, (first) => Providers.from([first, ...others]))
      )
    ),
    Layer.provideMerge(
      options.retention === undefined ? Layer.empty : Layer.succeed(RetentionPolicy, options.retention)
    ),
    Layer.provideMerge(band === undefined ? Layer.empty : Layer.succeed(RateBandSetting, band)),
    Layer.provideMerge(routing === undefined ? Layer.empty : Layer.succeed(Routing, routing)),
    Layer.provideMerge(plan === undefined ? simulated : FaultyProvider.layer(plan).pipe(Layer.provide(simulated))),
    Layer.provideMerge(
      Layer.mergeAll(
        webhooks,
        AesGcmCipher.layer({ keys: [key as never] }),
        Pricing.layer.pipe(Layer.provideMerge(rates))
      )
    ),
    Layer.provideMerge(Engine.local),
    Layer.provideMerge(MovableClock.layer),
    Layer.provideMerge(storage)
  )
}

export const call = (merchant_id: string, idempotency: Call["idempotency"] = null): Effect.Effect<Call, never, Ids> =>
  Effect.gen(function* () {
    const ids = yield* Ids
    return {
      merchant_id,
      role: "admin",
      key_id: null,
      operator: null,
      operation: "aTest",
      request_id: yield* ids.make("req"),
      idempotency,
      if_match: null,
      reply: (result: unknown) => JSON.stringify(result)
    } as const
  })
