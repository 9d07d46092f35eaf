import type { Socket } from "node:net"
import { createServer as createTcpServer, type AddressInfo } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Webhook } from "standardwebhooks"
import { HttpWebhookSink, parseRetryAfter } from "../../../src/adapters/webhook/http.ts"
import { MemoryWebhookSink } from "../../../src/adapters/webhook/memory.ts"
import { type Delivery, WebhookSink } from "../../../src/engine/ports/WebhookSink.ts"
import { receiver } from "../../support/webhooks/receivers.ts"
import { covers } from "../../support/repository/covers.ts"
import * as polling from "../../support/repository/poll-timeout.ts"

const secrets = [7, 8].map((fill) => `whsec_${Buffer.alloc(32, fill).toString("base64")}`)
const body = '{"event_id":"evt_1","name":"Zoë 😀"}'
const to = (url: string): Delivery => ({ url, message_id: "msg_evt_1", body, secrets })
const sink = (timeout_ms = 2000) =>
  HttpWebhookSink.layer({ environment: "test", timeout_ms, user_agent: "Corridor/1.2.3" })
const deliver = (delivery: Delivery) => Effect.flatMap(WebhookSink, (it) => it.deliver(delivery))

/** Waits, in real time, for what a socket will show. */
const until = (holds: () => boolean) => Effect.promise(() => polling.until(holds))

/** A bare TCP receiver, for responses that no HTTP server would send. */
const tcp = (onData: (socket: Socket, connection: number) => void) =>
  Effect.acquireRelease(
    Effect.promise<{ url: string; close: () => void }>(
      () =>
        new Promise((resolve) => {
          const sockets: Array<Socket> = []
          const server = createTcpServer((socket) => {
            const connection = sockets.push(socket)
            socket.on("error", () => {}).on("data", () => onData(socket, connection))
          }).listen(0, "127.0.0.1", () => {
            const close = () => {
              for (const socket of sockets) socket.destroy()
              server.close()
            }
            resolve({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close })
          })
        })
    ),
    ({ close }) => Effect.sync(close)
  )

describe("a delivery", () => {
  covers("DELIVERY-1", "DELIVERY-2", "SIGNATURE-2")
  it.effect("carries the exact bytes and the standard headers, signed with every secret at real time", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      const answer = yield* deliver(to(target.url))
      assert.deepInclude(answer, { response_status: 204, error: null, retry_after_ms: null })
      const [received] = target.received
      assert.exists(received)
      assert.strictEqual(received.body, body)
      assert.strictEqual(received.headers["content-type"], "application/json")
      assert.strictEqual(received.headers["user-agent"], "Corridor/1.2.3")
      assert.strictEqual(received.headers["webhook-id"], "msg_evt_1")
      assert.approximately(Number(received.headers["webhook-timestamp"]), Date.now() / 1000, 2)
      for (const secret of secrets)
        new Webhook(secret).verify(received.body, received.headers as Record<string, string>)
    }).pipe(Effect.provide(sink()))
  )

  covers("DELIVERY-3", "DELIVERY-8")
  it.effect.each([200, 201, 202, 299])("is acknowledged by %d", (status) =>
    Effect.gen(function* () {
      const target = yield* receiver((_, response) => void response.writeHead(status).end("ok"))
      assert.deepInclude(yield* deliver(to(target.url)), { response_status: status, error: null })
    }).pipe(Effect.provide(sink()))
  )

  covers("DELIVERY-8")
  it.effect.each([400, 401, 404, 410, 429, 500, 503])("is not acknowledged by %d", (status) =>
    Effect.gen(function* () {
      const target = yield* receiver(
        (_, response) => void response.writeHead(status, { "retry-after": "7" }).end("private words")
      )
      const answer = yield* deliver(to(target.url))
      assert.deepInclude(answer, { response_status: status, error: `returned HTTP ${status}`, retry_after_ms: 7000 })
    }).pipe(Effect.provide(sink()))
  )

  it.effect("keeps its connections for later deliveries", () =>
    Effect.gen(function* () {
      const target = yield* receiver()
      for (let n = 0; n < 20; n++) assert.isNull((yield* deliver(to(target.url))).error)
      assert.isAtMost(target.connections(), 2)
      assert.strictEqual(target.received.length, 20)
    }).pipe(Effect.provide(sink()))
  )

  covers("DELIVERY-9")
  it.effect("does not wait for a slow one to the same host", () =>
    Effect.gen(function* () {
      const target = yield* receiver((request, response) => {
        if (request.url !== "/slow") response.writeHead(204).end()
      })
      const slow = yield* Effect.forkChild(deliver(to(target.url.replace("/hook", "/slow"))))
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 50)))
      for (let n = 0; n < 5; n++) assert.isNull((yield* deliver(to(target.url))).error)
      assert.isUndefined(slow.pollUnsafe())
      yield* Fiber.interrupt(slow)
    }).pipe(Effect.provide(sink(5000)))
  )

  it.effect.each(["end", "resetAndDestroy"] as const)(
    "is retried at once when its kept connection is stale (%s)",
    (close) => {
      const requests: Array<number> = []
      return Effect.gen(function* () {
        const target = yield* tcp((socket, connection) => {
          // Every connection responds once, and breaks on its second request.
          if (requests.includes(connection)) socket[close]()
          else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
          requests.push(connection)
        })
        for (let n = 0; n < 12; n++) assert.isNull((yield* deliver(to(target.url))).error, `delivery ${n}`)
        assert.isAbove(requests.length, 12)
      }).pipe(Effect.provide(sink()))
    }
  )
})

describe("what is kept of an attempt", () => {
  covers("DELIVERY-12")
  it.effect("is the request without its signature, and the start of the response", () =>
    Effect.gen(function* () {
      const target = yield* receiver((_, response) => void response.writeHead(422).end("<script>no such user</script>"))
      const answer = yield* deliver(to(target.url))
      const [received] = target.received
      assert.deepEqual(answer.request, {
        url: target.url,
        headers: {
          "content-type": "application/json",
          "user-agent": "Corridor/1.2.3",
          "webhook-id": "msg_evt_1",
          "webhook-timestamp": String(received?.headers["webhook-timestamp"])
        }
      })
      assert.strictEqual(answer.response_body, "<script>no such user</script>")
      assert.notInclude(JSON.stringify(answer), String(received?.headers["webhook-signature"]))
    }).pipe(Effect.provide(sink()))
  )

  covers("DELIVERY-12")
  it.effect.each([
    ["a long text", "é".repeat(5000), "é".repeat(512)],
    ["a character cut in two", `x${"é".repeat(600)}`, `x${"é".repeat(511)}`],
    ["bytes that are not text", Buffer.from([0, 0xff, 0x61]), "\uFFFD\uFFFDa"],
    ["nothing", "", ""]
  ] as const)("is at most 1024 bytes of %s, as text that any store accepts", ([, sent, kept]) =>
    Effect.gen(function* () {
      const target = yield* receiver((_, response) => void response.writeHead(200).end(sent))
      assert.strictEqual((yield* deliver(to(target.url))).response_body, kept)
    }).pipe(Effect.provide(sink()))
  )

  covers("DELIVERY-12")
  it.effect("is the request alone when nothing came back, and nothing when nothing was sent", () =>
    Effect.gen(function* () {
      const target = yield* receiver((request) => void request.socket.destroy())
      const broken = yield* deliver(to(target.url))
      assert.strictEqual(broken.request?.url, target.url)
      assert.notProperty(broken, "response_body")
      const unsent = yield* deliver(to("http://10.0.0.1/"))
      assert.notProperty(unsent, "request")
      assert.notProperty(unsent, "response_body")
    }).pipe(Effect.provide(sink()))
  )
})

describe("a receiver that misbehaves", () => {
  covers("DELIVERY-3", "DELIVERY-11")
  it.effect("that never responds fails after the timeout, and its connection is closed", () => {
    let closed = false
    return Effect.gen(function* () {
      const target = yield* receiver((request) => void request.socket.on("close", () => (closed = true)))
      const answer = yield* deliver(to(target.url))
      assert.deepInclude(answer, { response_status: null, error: "no response within 150 ms" })
      assert.isAtLeast(answer.duration_ms, 140)
      assert.isBelow(answer.duration_ms, 5000)
      yield* until(() => closed)
    }).pipe(Effect.provide(sink(150)))
  })

  it.effect("that sends its headers slowly fails after the timeout", () =>
    Effect.gen(function* () {
      const target = yield* tcp((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n")
        const drip = setInterval(() => socket.write("x-drip: 1\r\n"), 20)
        socket.on("close", () => clearInterval(drip))
      })
      assert.strictEqual((yield* deliver(to(target.url))).error, "no response within 150 ms")
    }).pipe(Effect.provide(sink(150)))
  )

  it.effect("that acknowledges and then stalls its body has acknowledged", () =>
    Effect.gen(function* () {
      const target = yield* receiver((_, response) => void response.writeHead(200).write("half"))
      const answer = yield* deliver(to(target.url))
      assert.deepInclude(answer, { response_status: 200, error: null })
      assert.isBelow(answer.duration_ms, 5000)
    }).pipe(Effect.provide(sink(150)))
  )

  it.effect("that sends an endless body is cut off after 64 KiB", () => {
    let sent = 0
    return Effect.gen(function* () {
      const target = yield* receiver((_, response) => {
        response.writeHead(200)
        const flood = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384
          if (!response.destroyed) response.once("drain", flood)
        }
        flood()
      })
      const answer = yield* deliver(to(target.url))
      assert.deepInclude(answer, { response_status: 200, error: null })
      assert.isBelow(answer.duration_ms, 4000)
      assert.isBelow(sent, 20_000_000)
    }).pipe(Effect.provide(sink(5000)))
  })

  it.effect.each(["end", "destroy", "resetAndDestroy"] as const)(
    "that closes without a response (%s) is called once",
    (close) => {
      let requests = 0
      return Effect.gen(function* () {
        const target = yield* tcp((socket) => {
          requests += 1
          socket[close]()
        })
        assert.strictEqual((yield* deliver(to(target.url))).error, "the connection was closed before a response")
        assert.strictEqual(requests, 1)
      }).pipe(Effect.provide(sink()))
    }
  )

  it.effect("that does not speak HTTP, or does not listen, gives a readable error", () =>
    Effect.gen(function* () {
      const target = yield* tcp((socket) => socket.end("220 smtp.example ESMTP\r\n"))
      assert.strictEqual((yield* deliver(to(target.url))).error, "the response is not HTTP")
      const gone = yield* Effect.scoped(receiver())
      assert.strictEqual((yield* deliver(to(gone.url))).error, "the connection was refused")
    }).pipe(Effect.provide(sink()))
  )

  it.effect("a delivery that is interrupted closes its connection", () => {
    let closed = false
    return Effect.gen(function* () {
      const target = yield* receiver((request) => void request.socket.on("close", () => (closed = true)))
      const fiber = yield* Effect.forkChild(deliver(to(target.url)))
      yield* until(() => target.received.length > 0)
      yield* Fiber.interrupt(fiber)
      yield* until(() => closed)
    }).pipe(Effect.provide(sink(10_000)))
  })
})

describe("TLS", () => {
  it.effect("verifies the host name, not the pinned address, and rejects certificates that it cannot verify", () => {
    const names: Array<string> = []
    return Effect.gen(function* () {
      const port = yield* Effect.acquireRelease(
        Effect.promise<{ port: number; close: () => void }>(
          () =>
            new Promise((resolve) => {
              const server = createTlsServer({ SNICallback: (name, done) => (names.push(name), done(null)) })
              server.on("tlsClientError", () => {})
              server.listen(0, "127.0.0.1", () =>
                resolve({ port: (server.address() as AddressInfo).port, close: () => server.close() })
              )
            })
        ),
        ({ close }) => Effect.sync(close)
      ).pipe(Effect.map((one) => one.port))
      const answer = yield* deliver(to(`https://hooks.example.com:${port}/`))
      assert.deepStrictEqual(names, ["hooks.example.com"])
      assert.match(answer.error ?? "delivered", /^the TLS connection failed/)
    }).pipe(
      Effect.provide(
        HttpWebhookSink.layer({
          environment: "test",
          timeout_ms: 2000,
          user_agent: "x",
          resolve: async () => ["127.0.0.1"]
        })
      )
    )
  })
})

describe("Retry-After", () => {
  const now = Date.UTC(2026, 0, 1, 12)
  it.each([
    ["120", 120_000],
    [" 0 ", 0],
    ["Thu, 01 Jan 2026 12:01:00 GMT", 60_000],
    ["Thursday, 01-Jan-26 12:01:00 GMT", 60_000],
    ["Thu, 01 Jan 2026 11:00:00 GMT", 0],
    ["-5", null],
    ["1.5", null],
    ["soon", null],
    ["2026-01-01T12:01:00Z", null],
    ["9999999999999", null],
    ["", null],
    [undefined, null]
  ])("reads %j as %j ms", (value, ms) => assert.strictEqual(parseRetryAfter(value, now), ms))
})

describe("the memory sink", () => {
  it.effect("records deliveries and returns the configured response", () => {
    const deliveries: Array<Delivery> = []
    const answers = [{}, { response_status: 503, retry_after_ms: 4000 }, { response_status: null }]
    return Effect.gen(function* () {
      const delivery = to("https://receiver.example/")
      assert.deepInclude(yield* deliver(delivery), { response_status: 200, error: null })
      assert.deepInclude(yield* deliver(delivery), {
        response_status: 503,
        error: "returned HTTP 503",
        retry_after_ms: 4000
      })
      assert.deepInclude(yield* deliver(delivery), { response_status: null, error: "no response" })
      assert.deepStrictEqual(deliveries, [delivery, delivery, delivery])
      const { check } = yield* WebhookSink
      assert.isNull(yield* check("https://good.example/"))
      assert.strictEqual(yield* check("https://bad.example/"), "refused")
    }).pipe(
      Effect.provide(
        MemoryWebhookSink.layer({
          deliveries,
          answer: () => answers.shift() ?? {},
          check: (url) => (url.includes("bad") ? "refused" : null)
        })
      )
    )
  })

  it.effect("fails an attempt whose handler exceeds the timeout, without stopping the handler", () =>
    Effect.gen(function* () {
      const sink = yield* WebhookSink
      assert.strictEqual(sink.timeout_ms, 60_000)
      const attempt = yield* Effect.forkChild(sink.deliver(to("https://slow.example/")))
      yield* TestClock.adjust(59_999)
      assert.isUndefined(attempt.pollUnsafe())
      yield* TestClock.adjust(1)
      assert.deepInclude(yield* Fiber.join(attempt), { response_status: null, error: "no response within 60000 ms" })
    }).pipe(Effect.provide(MemoryWebhookSink.layer({ timeout_ms: 60_000, answer: () => new Promise(() => {}) })))
  )
})
