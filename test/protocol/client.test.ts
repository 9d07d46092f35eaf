import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { makeClient, urlFault } from "../../src/protocol/client.ts"
import { examples } from "../../scripts/provider-protocol/examples.ts"
import { secretFault } from "../../src/protocol/signature.ts"
import { makeTransport, type TransportOptions } from "../../src/protocol/transport.ts"
import { makeScriptedConnector, secret, secretOf } from "../support/protocol/scripted-connector.ts"
import { wrongAnswers } from "../support/protocol/wrong-answers.ts"
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

describe("a call", () => {
  covers("PROTOCOL-2")

  it.live("returns the signed result, and sends what the connector can verify", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ request, answer }) =>
          answer(request.operation === "payout" ? { status: "accepted" } : { banks: [] })
        )
        const { call } = yield* clientOf(`${connector.url}/`)
        assert.deepStrictEqual(yield* call("payout", id, input), { status: "accepted", awaited_person: null })
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

  it.live.each(wrongAnswers)("is of unknown outcome after an answer %s", ([, reason, script]) =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(script)
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

  it.live("says that nothing was sent to a name that does not resolve", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const { call } = yield* clientOf("https://connector.invalid")
        assert.strictEqual((yield* Effect.flip(call("payout", id, input))).reason, "unsent")
      })
    )
  )

  it.live("reads a connector that has not rotated its secret yet", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const connector = yield* makeScriptedConnector(({ answer }) => answer({ status: "absent" }))
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
    ["https://user@bank.example", false],
    ["https://:pass@bank.example", false],
    ["https://bank.example?x=1", false],
    ["https://bank.example#x", false],
    ["bank.example", false]
  ])("take a URL that keeps its traffic secret: %s", (url, isTaken) => {
    assert.strictEqual(urlFault(url) === null, isTaken)
  })

  it("take no secret that cannot sign", () => {
    for (const text of ["A".repeat(33), `${"A".repeat(32)}=`, `${"A".repeat(34)}=`, `${"A".repeat(35)}==`])
      assert.strictEqual(secretFault(`whsec_${text}`), "the secret must be whsec_ followed by base64")
    for (const text of ["A".repeat(34), `${"A".repeat(34)}==`, "A".repeat(35), `${"A".repeat(35)}=`])
      assert.isNull(secretFault(`whsec_${text}`))
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
