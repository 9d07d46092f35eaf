/** Endpoints, their deliveries and a recording sink over the memory store, for scenarios of webhooks alone. */
import { it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import { mergeChanges, type ChangeSet } from "../../../src/engine/commit/changeset.ts"
import { Deliveries } from "../../../src/engine/work/deliveries.ts"
import { Kinds } from "../../../src/engine/commit/kind.ts"
import { kinds } from "../../../src/engine/registry.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { Events } from "../../../src/engine/resources/webhooks/event.ts"
import { WebhookEndpoints } from "../../../src/engine/resources/webhooks/webhook-endpoint.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { JobNotifier } from "../../../src/engine/ports/JobNotifier.ts"
import type { Delivery, DeliveryAnswer } from "../../../src/engine/ports/WebhookSink.ts"
import { call, MERCHANT } from "../merchants/caller.ts"

export { call, MERCHANT }

export const START = Date.UTC(2026, 0, 1)

export interface Sink {
  readonly deliveries: Array<Delivery>
  /** What the next deliveries are answered; 200 once it is empty. */
  readonly answers: Array<Partial<DeliveryAnswer>>
  check: (url: string) => string | null
}

export const makeSink = (): Sink => ({ deliveries: [], answers: [], check: () => null })

export const makeEndpointEngine = (sink: Sink) => {
  const ports = Layer.mergeAll(
    MemoryStorage.layer,
    Ids.layer,
    JobNotifier.layer,
    AesGcmCipher.layer({ keys: [aesKey(Buffer.alloc(32, 1).toString("base64"))] }),
    MemoryWebhookSink.layer({
      deliveries: sink.deliveries,
      answer: () => sink.answers.shift() ?? {},
      check: (url) => sink.check(url)
    })
  )
  return Layer.mergeAll(WebhookEndpoints.layer, Events.layer, Deliveries.layer).pipe(
    Layer.provideMerge(UnitOfWork.layer),
    Layer.provideMerge(Layer.succeed(Kinds, kinds)),
    Layer.provideMerge(ports)
  )
}

export const atStart = TestClock.setTime(START)

let published = 0

/** Writes an event of the merchant's, as the commit of a resource would. */
export const publish = Effect.fnUntraced(function* (type: string, more: ChangeSet = {}) {
  const storage = yield* Storage
  const ids = yield* Ids
  const at = yield* Clock.currentTimeMillis
  const id = yield* ids.make("evt")
  const category = type.slice(0, type.indexOf("."))
  const verdict = yield* storage.commit({
    merchant_id: MERCHANT,
    at,
    idempotency: { key: `test/${++published}`, fingerprint: "", response: null, expires_at: null },
    ...mergeChanges([
      more,
      {
        events: [
          {
            id,
            object_id: `obj_${published}`,
            sequence: 1,
            type,
            category,
            created_at: at,
            body: JSON.stringify({ event_id: id, event_type: type })
          }
        ]
      }
    ])
  })
  if (verdict._tag !== "Committed") throw new Error(JSON.stringify(verdict))
  return id
})

/** Claims the deliveries that are due. */
export const claimDue = Effect.fnUntraced(function* (lease_ms = 45_000) {
  const storage = yield* Storage
  const ids = yield* Ids
  const now = yield* Clock.currentTimeMillis
  const token = yield* ids.make("lease")
  return yield* storage.claim({
    queue: "delivery",
    now,
    wall: now,
    lease_ms,
    token,
    limit: 1000,
    per_partition: 1000,
    busy: []
  })
})

/** Runs the deliveries that are due; gives how many there were. */
export const runDue = Effect.gen(function* () {
  const { run } = yield* Deliveries
  const jobs = yield* claimDue()
  yield* Effect.forEach(jobs, (job) => run(job), { concurrency: 8, discard: true })
  return jobs.length
})

export const url = "https://receiver.example/hook"

/** A test over an engine of its own, at the start of 2026. */
export const scenario = <A, E>(
  name: string,
  body: (sink: Sink) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof makeEndpointEngine>>>
): void =>
  it.effect(name, () => {
    const sink = makeSink()
    return Effect.andThen(atStart, body(sink)).pipe(Effect.provide(makeEndpointEngine(sink)))
  })

/** An endpoint of all categories, switched on. */
export const active = Effect.gen(function* () {
  const endpoints = yield* WebhookEndpoints
  const made = yield* endpoints.create(call(), { url })
  yield* endpoints.update(call(), made.id, { active: true })
  return made
})
