/**
 * The cost of simulated time (SANDBOX-10): each case should take less than three seconds of real time, on both
 * database stores. `node bench/simulated-time.ts`
 */
import { Effect, type Layer } from "effect"
import { PgliteStorage } from "../src/adapters/storage/pglite.ts"
import { PostgresStorage } from "../src/adapters/storage/postgres.ts"
import { MemoryWebhookSink } from "../src/adapters/webhook/memory.ts"
import { Dispatcher } from "../src/engine/work/queue/Dispatcher.ts"
import type { StorageFault } from "../src/engine/ports/errors.ts"
import { WebhookEndpoints } from "../src/engine/resources/webhooks/webhook-endpoint.ts"
import type { Storage } from "../src/engine/ports/Storage.ts"
import { merchantAtWork, type MerchantAtWork } from "../test/support/merchants/merchant-at-work.ts"
import { startPostgres } from "../test/support/stores/postgres-server.ts"
import type { SimulatedEngine } from "../test/support/engines/every-store.ts"
import { makeSimulatedEngine } from "../test/support/engines/simulated-engine.ts"

const day = 86_400

type Prepare = (m: MerchantAtWork) => Effect.Effect<unknown, unknown, SimulatedEngine>

const held =
  (count: number): Prepare =>
  (m) =>
    Effect.gen(function* () {
      yield* m.behaves("hold")
      yield* Effect.forEach(Array.from({ length: count }), () => m.transfer("1"), { concurrency: 16 })
    })

const deposited: Prepare = (m) =>
  Effect.gen(function* () {
    const endpoints = yield* WebhookEndpoints
    const { id } = yield* endpoints.create(m.caller, { url: "https://dead.example/" })
    yield* endpoints.update(m.caller, id, { active: true })
    yield* Effect.forEach(Array.from({ length: 300 }), () => m.deposit({ amount: "1" }), { concurrency: 16 })
    yield* m.settle
  })

const cases: ReadonlyArray<readonly [string, Prepare, number]> = [
  ["20 held transfers, 7 days", held(20), 7 * day],
  ["50 held transfers, a year", held(50), 365 * day],
  ["300 deposits to a dead receiver, a day", deposited, day]
]

const postgres = await startPostgres()
const stores: Readonly<Record<string, Layer.Layer<Storage, StorageFault>>> = {
  PGlite: PgliteStorage.layer(),
  Postgres: PostgresStorage.layer({ url: postgres.url })
}
const webhooks = MemoryWebhookSink.layer({ answer: () => ({ response_status: 503 }) })
try {
  for (const [name, storage] of Object.entries(stores)) {
    for (const [title, prepare, seconds] of cases) {
      await Effect.gen(function* () {
        const m = yield* merchantAtWork("10000")
        yield* (yield* Dispatcher).start({ graceMs: 0 })
        yield* prepare(m)
        const began = performance.now()
        const { steps } = yield* m.advance(seconds)
        console.log(`${name}: ${title}: ${steps} steps, ${Math.round(performance.now() - began)} ms`)
      }).pipe(Effect.scoped, Effect.provide(makeSimulatedEngine({ storage, webhooks })), Effect.runPromise)
    }
  }
} finally {
  await postgres.stop()
}
