import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeClient, type UnknownOutcome, urlFault } from "../../src/protocol/client.ts"
import { examples } from "../../src/protocol/examples.ts"
import { secretFault } from "../../src/protocol/signature.ts"
import { makeTransport, type TransportOptions } from "../../src/protocol/transport.ts"
import { type Exchange, scriptedConnector, secret, secretOf } from "../support/protocol/scripted-connector.ts"
import { covers } from "../support/repository/covers.ts"

const { id, input } = examples.payout

const clientOf = (url: string, options: TransportOptions = {}, secrets: ReadonlyArray<string> = [secret]) =>
  Effect.map(makeTransport(options), (transport) => {
    let made = 0
    return makeClient({
      url,
      secrets,
      transport,
      now: Effect.sync(() => Date.now()),
      request_id: Effect.sync(() => `req_${++made}`)
    })
  })

const absent = { status: "absent" }

/** Wrong answers to a look-up: each has a signed and valid `absent` in it, which must not count. */
const wrong: ReadonlyArray<readonly [string, UnknownOutcome["reason"], (exchange: Exchange) => void]> = [
  [
    "unsigned",
    "unsigned",
    ({ answer }) => answer(absent, { change: (headers, body) => (delete headers["webhook-signature"], body) })
  ],
  ["signed with another secret", "unsigned", ({ answer }) => answer(absent, { secrets: [secretOf(1)] })],
  [
    "changed on the way",
    "unsigned",
    ({ answer }) => answer(absent, { change: (_, body) => body.replace("absent", "absent ") })
  ],
  [
    "with two signatures in two headers",
    "unsigned",
    ({ answer }) =>
      answer(absent, {
        change: (headers, body) => (
          Object.assign(headers, { "webhook-signature": ["v1,a", headers["webhook-signature"]] }), body
        )
      })
  ],
  ["stale", "stale", ({ answer }) => answer(absent, { ahead_ms: -301_000 })],
  ["from the future", "stale", ({ answer }) => answer(absent, { ahead_ms: 302_000 })],
  ["replayed from another request", "mismatched", ({ answer }) => answer(absent, { as: { request_id: "req_0" } })],
  ["for another command", "mismatched", ({ answer }) => answer(absent, { as: { id: "off_2.payout" } })],
  ["for another operation", "mismatched", ({ answer }) => answer(absent, { as: { operation: "refund_status" } })],
  ...[201, 204, 301, 302, 307, 400, 401, 404, 409, 410, 422, 429, 500, 502, 503, 504].map(
    (status) =>
      [
        `with the status ${status}`,
        "status",
        ({ answer }: Exchange) =>
          answer(absent, {
            status,
            change: (headers, body) =>
              status === 204
                ? ""
                : (Object.assign(headers, status < 400 && status >= 300 ? { location: "/base/payouts/elsewhere" } : {}),
                  body)
          })
      ] as const
  ),
  [
    "cut off",
    "disconnected",
    ({ answer, response }) =>
      answer(absent, {
        change: (headers, body) => {
          headers["content-length"] = String(Buffer.byteLength(body) + 10)
          setImmediate(() => setImmediate(() => response.destroy()))
          return body
        }
      })
  ],
  ["that never comes: the connection is closed", "disconnected", ({ incoming }) => incoming.socket.destroy()],
  ["that never comes: silence", "timeout", () => {}],
  [
    "that drips",
    "timeout",
    ({ response }) => {
      response.writeHead(200)
      const drip = setInterval(() => response.write(" "), 20)
      response.on("close", () => clearInterval(drip))
    }
  ],
  [
    "of 200 MB",
    "too_large",
    ({ response }) => {
      const chunk = Buffer.alloc(1024 * 1024, 32)
      let left = 200
      const more = (): void => {
        while (left-- > 0) if (!response.write(chunk)) return void response.once("drain", more)
        response.end()
      }
      response.writeHead(200, { "content-length": 200 * 1024 * 1024 })
      more()
    }
  ],
  [
    "that is not HTTP",
    "disconnected",
    ({ incoming }) => {
      incoming.socket.end("hello\r\n\r\n")
    }
  ]
]

describe("a call", () => {
  covers("PROTOCOL-2")

  it.live("returns the signed result, and sends what the connector can verify", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* scriptedConnector(({ request, answer }) =>
          answer(request.operation === "payout" ? { status: "accepted" } : { banks: [] })
        )
        const { call } = yield* clientOf(`${connector.url}/`)
        assert.deepStrictEqual(yield* call("payout", id, input), { status: "accepted" })
        assert.deepStrictEqual(yield* call("banks", null, { country_code: "NG" }), { banks: [] })
        assert.deepStrictEqual(yield* call("banks", null, { country_code: null }), { banks: [] })
        assert.deepStrictEqual(
          connector.received.map(({ operation, id, input }) => ({ operation, id, input })) as unknown,
          [
            { operation: "payout", id, input },
            { operation: "banks", id: null, input: { country_code: "NG" } },
            { operation: "banks", id: null, input: { country_code: null } }
          ]
        )
        assert.deepStrictEqual(connector.refused, [])
      })
    )
  )

  it.live.each(wrong)("is of unknown outcome after an answer %s", ([, reason, script]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* scriptedConnector(script)
        const { call } = yield* clientOf(connector.url, { timeout_ms: reason === "timeout" ? 200 : 10_000 })
        const fault = yield* Effect.flip(call("payout_status", id, {}))
        assert.strictEqual(fault.reason, reason, fault.message)
        assert.isNotEmpty(fault.message)
        assert.lengthOf(connector.received, 1)
      })
    )
  )

  it.live("says when nothing can have been executed: the connection was refused", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const port = yield* Effect.promise(
          () =>
            new Promise<number>((resolve) => {
              const server = createServer().listen(0, "127.0.0.1", () => {
                const { port } = server.address() as AddressInfo
                server.close(() => resolve(port))
              })
            })
        )
        const { call } = yield* clientOf(`http://127.0.0.1:${port}`)
        assert.strictEqual((yield* Effect.flip(call("payout", id, input))).reason, "unsent")
      })
    )
  )

  it.live("reads a connector that has not rotated its secret yet", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* scriptedConnector(({ answer }) => answer(absent))
        const { call } = yield* clientOf(connector.url, {}, [secretOf(1), secret])
        assert.deepStrictEqual(yield* call("payout_status", id, {}), { status: "absent" })
      })
    )
  )
})

describe("the settings of a client", () => {
  it.each([
    ["https://bank.example/corridor", true],
    ["http://localhost:9000", true],
    ["http://127.0.0.1:9000/x", true],
    ["http://[::1]:9000", true],
    ["http://bank.example", false],
    ["http://127.0.0.1.example", false],
    ["http://10.0.0.1", false],
    ["ftp://bank.example", false],
    ["https://user:pass@bank.example", false],
    ["https://bank.example?x=1", false],
    ["https://bank.example#x", false],
    ["bank.example", false]
  ])("take a URL that keeps its traffic secret: %s", (url, isTaken) => {
    assert.strictEqual(urlFault(url) === null, isTaken)
  })

  it("take secrets of 24 to 64 bytes, and never quote one that is wrong", () => {
    const of = (length: number) => `whsec_${Buffer.alloc(length, 3).toString("base64")}`
    assert.deepStrictEqual(
      [24, 32, 64].map((length) => secretFault(of(length))),
      [null, null, null]
    )
    for (const bad of [of(23), of(65), "whsec_", "whsec_***", of(32).slice(6), ""]) {
      const fault = secretFault(bad)
      assert.isString(fault)
      assert.isTrue(bad === "" || !fault!.includes(bad.replace("whsec_", "") || "\0"))
    }
    const options = {
      url: "https://bank.example",
      transport: () => Effect.die("unused"),
      now: Effect.succeed(0),
      request_id: Effect.succeed("r")
    }
    assert.throws(() => makeClient({ ...options, secrets: [] }), TypeError, "a secret is required")
    assert.throws(() => makeClient({ ...options, secrets: [secret, "whsec_short"] }), TypeError)
    assert.throws(() => makeClient({ ...options, url: "http://bank.example", secrets: [secret] }), TypeError, "https")
  })
})
