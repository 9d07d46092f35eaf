/**
 * Hostile URLs against two listening traps, one on each loopback address: no delivery may connect to them or to
 * anything else.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Environment } from "../../../src/engine/settings/settings.ts"
import { AddressRefused, makeConnector, type Resolve } from "../../../src/adapters/webhook/connector.ts"
import { HttpWebhookSink } from "../../../src/adapters/webhook/http.ts"
import { WebhookSink } from "../../../src/engine/ports/WebhookSink.ts"
import { receiver, watchConnections } from "../../support/webhooks/receivers.ts"
import { covers } from "../../support/repository/covers.ts"

const sink = (environment: Environment, resolve?: Resolve, timeout_ms = 2000) =>
  HttpWebhookSink.layer({
    environment,
    timeout_ms,
    user_agent: "Corridor/test",
    ...(resolve === undefined ? {} : { resolve })
  })

const delivery = (url: string) => ({
  url,
  message_id: "msg_evt_1",
  body: "{}",
  secrets: [`whsec_${Buffer.alloc(32, 3).toString("base64")}`]
})

/** The addresses of the hostile names in the table. Every other name is unknown. */
const zone: Readonly<Record<string, ReadonlyArray<string>>> = {
  "loopback.attacker.example": ["127.0.0.1"],
  "loopback6.attacker.example": ["::1"],
  "mapped.attacker.example": ["::ffff:127.0.0.1"],
  "sixtofour.attacker.example": ["2002:7f00:1::"],
  "nat64.attacker.example": ["64:ff9b::7f00:1"],
  "teredo.attacker.example": ["2001:0:4136:e378:8000:63bf:80ff:fffe"],
  "zero.attacker.example": ["0.0.0.0"],
  "unspecified.attacker.example": ["::"],
  "metadata.attacker.example": ["169.254.169.254"],
  "ula.attacker.example": ["fd00:ec2::254"],
  "mixed.attacker.example": ["93.184.215.14", "127.0.0.1"],
  "mixed6.attacker.example": ["2606:4700:4700::1111", "::1"],
  "trailing.attacker.example.": ["127.0.0.1"],
  "xn--bcher-kva.attacker.example": ["127.0.0.1"],
  "nonsense.attacker.example": ["not an address"],
  "empty.attacker.example": [],
  localhost: ["127.0.0.1"],
  "localhost.": ["127.0.0.1"],
  "localhost.localdomain": ["127.0.0.1"],
  "api.localhost": ["127.0.0.1"],
  "ip6-localhost": ["::1"]
}

const resolve: Resolve = async (name) => {
  const found = zone[name]
  if (found === undefined) throw Object.assign(new Error(name), { code: "ENOTFOUND" })
  return found
}

/** Refused in every environment. */
const elsewhere = [
  "0",
  "0.0.0.0",
  "00.0x0.0",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[2002:7f00:1::]",
  "[2001:0:4136:e378:8000:63bf:80ff:fffe]",
  "[fe80::1]",
  "[fd00:ec2::254]",
  "169.254.169.254",
  "2852039166",
  "100.100.100.200",
  "168.63.129.16",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.0.1",
  "224.0.0.1",
  "93.184.215.14@127.0.0.1"
]
const hosts = [
  ...elsewhere,
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0x7f.1",
  "0177.0.0.1",
  "0177.0x0.1",
  "017700000001",
  "127.0.0.1.",
  "127.127.127.127",
  "１２７．０．０．１",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "%31%32%37.0.0.1",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "0xa9fea9fe",
  "255.255.255.255",
  "user:pass@loopback.attacker.example",
  "LOCALHOST",
  "ｌｏｃａｌｈｏｓｔ",
  "bücher.attacker.example",
  ...Object.keys(zone)
]

covers("WEBHOOK-6")
describe("hostile targets in live", () => {
  it.effect(`makes no connection for ${hosts.length} of them, and reports why`, () =>
    Effect.gen(function* () {
      const trap = yield* receiver()
      const trap6 = yield* receiver(undefined, "::1")
      const attempts = yield* watchConnections
      const { deliver, check } = yield* WebhookSink
      for (const host of hosts) {
        for (const port of new Set([trap.port, trap6.port])) {
          const url = `https://${host}:${port}/hook`
          const answer = yield* deliver(delivery(url))
          assert.isNull(answer.response_status, url)
          assert.match(answer.error ?? "delivered", /^not sent: |^the host does not resolve to an address$/, url)
          if (answer.error !== "the host does not resolve to an address") assert.isNotNull(yield* check(url), url)
        }
      }
      assert.deepStrictEqual(attempts, [])
      assert.strictEqual(trap.connections() + trap6.connections(), 0)
    }).pipe(Effect.provide(sink("live", resolve)))
  )

  it.effect(
    "accepts the registration of a URL whose host has no address yet, or whose name servers do not respond",
    () =>
      Effect.gen(function* () {
        const { check } = yield* WebhookSink
        assert.isNull(yield* check("https://unknown.attacker.example/"))
        assert.isNull(yield* check("https://never.attacker.example/"))
      }).pipe(
        Effect.provide(sink("live", (name) => (name.startsWith("never") ? new Promise(() => {}) : resolve(name))))
      )
  )

  it.effect("rejects http before any other check", () =>
    Effect.gen(function* () {
      const trap = yield* receiver()
      const { deliver } = yield* WebhookSink
      assert.include((yield* deliver(delivery(trap.url))).error ?? "", "https://")
      assert.strictEqual(trap.connections(), 0)
    }).pipe(Effect.provide(sink("live")))
  )

  it.effect("resolves localhost and names under it to loopback without a query", () =>
    Effect.gen(function* () {
      const { check } = yield* WebhookSink
      for (const host of ["localhost", "localhost.", "hooks.localhost", "Hooks.LocalHost."]) {
        assert.include((yield* check(`https://${host}/`)) ?? "taken", "loopback", host)
      }
    }).pipe(Effect.provide(sink("live")))
  )
})

describe("hostile targets in test", () => {
  const refused = [
    ...elsewhere,
    "user:pass@127.0.0.1",
    ...[
      "mapped",
      "sixtofour",
      "nat64",
      "teredo",
      "zero",
      "unspecified",
      "metadata",
      "ula",
      "nonsense",
      "empty",
      "unknown"
    ].map((name) => `${name}.attacker.example`)
  ]

  it.effect("rejects whatever is neither loopback nor public", () =>
    Effect.gen(function* () {
      const trap = yield* receiver()
      const attempts = yield* watchConnections
      const { deliver } = yield* WebhookSink
      for (const host of refused) {
        const answer = yield* deliver(delivery(`http://${host}:${trap.port}/hook`))
        assert.match(answer.error ?? "delivered", /^not sent: |^the host does not resolve to an address$/, host)
      }
      assert.deepStrictEqual(attempts, [])
      assert.strictEqual(trap.connections(), 0)
    }).pipe(Effect.provide(sink("test", resolve)))
  )

  it.effect("the traps work: they are reached where loopback is allowed", () =>
    Effect.gen(function* () {
      const trap = yield* receiver()
      const attempts = yield* watchConnections
      const { deliver } = yield* WebhookSink
      assert.isNull((yield* deliver(delivery(`http://0x7f.1:${trap.port}/hook`))).error)
      assert.isNull((yield* deliver(delivery(`http://loopback.attacker.example:${trap.port}/hook`))).error)
      assert.strictEqual(trap.connections(), 2)
      assert.isAbove(attempts.length, 0)
    }).pipe(Effect.provide(sink("test", resolve)))
  )
})

covers("WEBHOOK-6")
describe("rebinding", () => {
  const answering = (...answers: ReadonlyArray<ReadonlyArray<string>>) => {
    const asked: Array<string> = []
    const turning: Resolve = async (name) => {
      asked.push(name)
      return answers[Math.min(asked.length, answers.length) - 1] ?? []
    }
    return { asked, turning }
  }

  it.effect("a name that resolves to loopback after its registration is rejected", () => {
    const { turning } = answering(["93.184.215.14"], ["127.0.0.1"])
    return Effect.gen(function* () {
      const trap = yield* receiver()
      const attempts = yield* watchConnections
      const { deliver, check } = yield* WebhookSink
      const url = `https://rebind.attacker.example:${trap.port}/`
      assert.isNull(yield* check(url))
      assert.strictEqual((yield* deliver(delivery(url))).error, "not sent: the host has a loopback address")
      assert.deepStrictEqual(attempts, [])
    }).pipe(Effect.provide(sink("live", turning)))
  })

  it.effect("a delivery resolves once and connects to the checked address, whatever the name resolves to next", () => {
    const { asked, turning } = answering(["127.0.0.1"], ["10.0.0.1"])
    return Effect.gen(function* () {
      const target = yield* receiver()
      const attempts = yield* watchConnections
      const { deliver } = yield* WebhookSink
      const answer = yield* deliver(delivery(`http://rebind.attacker.example:${target.port}/`))
      assert.isNull(answer.error)
      assert.deepStrictEqual(asked, ["rebind.attacker.example"])
      assert.deepStrictEqual([...new Set(attempts)], [`127.0.0.1:${target.port}`])
      assert.strictEqual(target.received[0]?.headers.host, `rebind.attacker.example:${target.port}`)
    }).pipe(Effect.provide(sink("test", turning)))
  })
})

describe("the connector", () => {
  it.effect.each(["127.0.0.1", "::1", "10.0.0.1"])("rejects an address that needs no lookup: %s", (hostname) =>
    Effect.gen(function* () {
      const attempts = yield* watchConnections
      const connect = makeConnector({ resolve, environment: "live", timeout_ms: 1000 })
      const error = yield* Effect.promise<Error | null>(
        () => new Promise((done) => connect({ hostname, protocol: "http:", port: "9" }, (...made) => done(made[0])))
      )
      assert.instanceOf(error, AddressRefused)
      assert.deepStrictEqual(attempts, [])
    })
  )
})

describe("redirects", () => {
  covers("WEBHOOK-6")
  it.effect.each([301, 302, 303, 307, 308])("does not follow a %d to loopback", (status) =>
    Effect.gen(function* () {
      const trap = yield* receiver()
      const front = yield* receiver((_, response) => void response.writeHead(status, { location: trap.url }).end())
      const { deliver } = yield* WebhookSink
      const answer = yield* deliver(delivery(front.url))
      assert.strictEqual(answer.response_status, status)
      assert.strictEqual(answer.error, `returned HTTP ${status}; redirects are not followed`)
      assert.strictEqual(trap.connections(), 0)
    }).pipe(Effect.provide(sink("test")))
  )
})
