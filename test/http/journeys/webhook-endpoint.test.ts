/** Webhook endpoints over HTTP, from the request that makes one to the delivery a receiver verifies. */
import { Providers } from "../../../src/engine/ports/Provider.ts"
import { createServer } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import { HttpServer } from "effect/http"
import { Webhook } from "standardwebhooks"
import { AesGcmCipher, aesKey } from "../../../src/adapters/cipher/aes-gcm.ts"
import * as MovableClock from "../../../src/adapters/clock/movable.ts"
import { SimulatedProvider } from "../../../src/adapters/provider/simulated.ts"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { HttpWebhookSink } from "../../../src/adapters/webhook/http.ts"
import { Dispatcher } from "../../../src/engine/work/queue/Dispatcher.ts"
import * as Engine from "../../../src/engine/Engine.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { sha256 } from "../../../src/http/request.ts"
import { layer as routes } from "../../../src/http/server.ts"
import { HttpSettings } from "../../../src/http/settings.ts"
import { receiver } from "../../support/webhooks/receivers.ts"

const settings = Layer.succeed(HttpSettings, {
  environment: "test",
  base_url: "http://corridor.test",
  docs_url: "http://corridor.test/docs",
  operator_token_hash: sha256("op_test_token"),
  rate_per_second: 0
})

const served = routes.pipe(
  Layer.provideMerge(Engine.sandbox),
  Layer.provideMerge(Engine.layer),
  Layer.provideMerge(Providers.only),
  Layer.provideMerge(SimulatedProvider.layer({ mode: "manual", delay_ms: 1000, payshap: true })),
  Layer.provideMerge(
    Layer.mergeAll(
      HttpWebhookSink.layer({ environment: "test", timeout_ms: 2000, user_agent: "Corridor/test" }),
      AesGcmCipher.layer({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] }),
      Engine.prices,
      settings
    )
  ),
  Layer.provideMerge(Engine.local),
  Layer.provideMerge(MovableClock.layer),
  Layer.provideMerge(MemoryStorage.layer),
  Layer.provideMerge(
    NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1", gracefulShutdownTimeout: "1 second" })
  )
)

interface Answer {
  readonly status: number
  readonly etag: string | null
  readonly json: any
}

const client = Effect.gen(function* () {
  const { address } = yield* HttpServer.HttpServer
  const { port } = address as unknown as { port: number }
  const { api_key } = yield* Effect.flatMap(Merchants, (merchants) => merchants.bootstrap(undefined))
  const as =
    (key: string) =>
    (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Effect.Effect<Answer> =>
      Effect.promise(async () => {
        const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...headers
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) })
        })
        return { status: response.status, etag: response.headers.get("etag"), json: await response.json() }
      })
  return { ask: as(api_key ?? ""), as }
})

const live = (name: string, body: Effect.Effect<void, unknown, Layer.Success<typeof served> | Scope.Scope>) =>
  it.live(name, () => Effect.scoped(body).pipe(Effect.provide(served)))

const path = "/notifications/webhooks"

live(
  "an endpoint is made, activated and pinged, and its receiver verifies what comes",
  Effect.gen(function* () {
    const { ask } = yield* client
    const dispatcher = yield* Dispatcher
    const target = yield* receiver()
    const made = yield* ask("POST", path, { url: target.url })
    assert.strictEqual(made.status, 200)
    assert.isFalse(made.json.data.active)
    const { id, signing_secret } = made.json.data
    assert.strictEqual((yield* ask("POST", `${path}/${id}/ping`)).json.code, "invalid_status")
    const shown = yield* ask("GET", `${path}/${id}`)
    assert.match(shown.etag ?? "", /^"1-[0-9a-f]{16}"$/)
    assert.notProperty(shown.json.data, "signing_secret")
    assert.isTrue((yield* ask("PATCH", `${path}/${id}`, { active: true }, { "if-match": '"1"' })).json.data.active)
    assert.strictEqual(
      (yield* ask("PATCH", `${path}/${id}`, { active: true }, { "if-match": '"1"' })).json.code,
      "conflict"
    )
    const pinged = yield* ask("POST", `${path}/${id}/ping`, {})
    assert.strictEqual(pinged.json.data.status, "pending")
    assert.strictEqual(yield* dispatcher.drain(), 1)
    const [received] = target.received
    assert.exists(received)
    const event = new Webhook(signing_secret).verify(received.body, received.headers as Record<string, string>) as {
      event_id: string
    }
    assert.strictEqual(received.headers["webhook-id"], `msg_${event.event_id}`)
    assert.strictEqual(event.event_id, pinged.json.data.event_id)
    const log = yield* ask("GET", `${path}/${id}/deliveries?status=delivered&event_type=ping`)
    assert.strictEqual(log.json.meta.total, 1)
    assert.strictEqual(log.json.data[0].attempts[0].response_status, 204)
  })
)

live(
  "a rotation repeated with its Idempotency-Key gives the same secret, byte for byte, and both secrets sign",
  Effect.gen(function* () {
    const { ask } = yield* client
    const dispatcher = yield* Dispatcher
    const target = yield* receiver()
    const { id, signing_secret } = (yield* ask("POST", path, { url: target.url })).json.data
    yield* ask("PATCH", `${path}/${id}`, { active: true })
    const key = { "idempotency-key": "rotate-once-1" }
    const first = yield* ask("POST", `${path}/${id}/rotate-secret`, {}, key)
    assert.deepStrictEqual((yield* ask("POST", `${path}/${id}/rotate-secret`, {}, key)).json, first.json)
    yield* ask("POST", `${path}/${id}/ping`, {})
    yield* dispatcher.drain()
    const [received] = target.received
    assert.exists(received)
    for (const secret of [signing_secret, first.json.data.signing_secret]) {
      new Webhook(secret).verify(received.body, received.headers as Record<string, string>)
    }
  })
)

live(
  "what is wrong with a request is said as the contract says it",
  Effect.gen(function* () {
    const { ask, as } = yield* client
    const { id } = (yield* ask("POST", path, { url: "https://receiver.example/" })).json.data
    const outcomeOf = (answer: Answer) => [answer.status, answer.json.code]
    assert.deepStrictEqual(outcomeOf(yield* ask("POST", path, {})), [400, "bad_request"])
    assert.deepStrictEqual(
      outcomeOf(yield* ask("POST", path, { url: "https://x.example/", categories: ["payments"] })),
      [400, "bad_request"]
    )
    const local = yield* ask("POST", path, { url: "http://169.254.169.254/latest" })
    assert.deepStrictEqual(outcomeOf(local), [400, "invalid_input"])
    assert.strictEqual(local.json.meta.errors[0].field, "url")
    assert.deepStrictEqual(outcomeOf(yield* ask("GET", `${path}/tfr_1`)), [400, "invalid_input"])
    assert.deepStrictEqual(outcomeOf(yield* ask("GET", `${path}/whe_1`)), [404, "not_found"])
    assert.deepStrictEqual(outcomeOf(yield* ask("POST", `${path}/${id}/replay`, { since: "2026-01-01" })), [
      409,
      "invalid_status"
    ])
    yield* ask("PATCH", `${path}/${id}`, { active: true })
    assert.deepStrictEqual(outcomeOf(yield* ask("POST", `${path}/${id}/replay`, {})), [400, "bad_request"])
    assert.deepStrictEqual(outcomeOf(yield* ask("POST", `${path}/${id}/replay`, { event_id: "tfr_1" })), [
      400,
      "invalid_input"
    ])
    assert.deepStrictEqual(outcomeOf(yield* ask("GET", `${path}/${id}/deliveries?status=lost`)), [400, "invalid_input"])
    const developer = as((yield* ask("POST", "/api-keys", { role: "developer" })).json.data.secret)
    assert.deepStrictEqual(outcomeOf(yield* developer("POST", path, { url: "https://receiver.example/" })), [200, "ok"])
    assert.deepStrictEqual(outcomeOf(yield* developer("POST", `${path}/${id}/rotate-secret`, {})), [403, "forbidden"])
    assert.deepStrictEqual(outcomeOf(yield* developer("DELETE", `${path}/${id}`)), [403, "forbidden"])
    assert.deepStrictEqual((yield* ask("DELETE", `${path}/${id}`)).json.data, { id, success: true })
  })
)

live(
  "events are listed with paging, and fed without",
  Effect.gen(function* () {
    const { ask } = yield* client
    const listed = yield* ask(
      "GET",
      "/notifications/events?category=transfer&event_type=transfer.success&event_object_id=tfr_1"
    )
    assert.deepStrictEqual([listed.status, listed.json.data, listed.json.meta.total], [200, [], 0])
    const fed = yield* ask("GET", "/notifications/events/feed?limit=200")
    assert.deepStrictEqual([fed.status, fed.json.data], [200, []])
    assert.notProperty(fed.json.meta, "total")
    assert.strictEqual((yield* ask("GET", "/notifications/events/feed?after=evt_1")).json.code, "not_found")
    assert.strictEqual((yield* ask("GET", "/notifications/events/feed?limit=201")).json.code, "invalid_input")
    assert.strictEqual((yield* ask("GET", "/notifications/events/evt_1")).json.code, "not_found")
  })
)
