/** What servers that are called may do to the caller: send it elsewhere, never end, or hardly begin. Each client, each of them. */
import { createServer, type ServerResponse } from "node:http"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { Effect, type Layer } from "effect"
import { afterEach, describe, expect, it, vi } from "vitest"
import { makeChain } from "../../src/adapters/provider/evm/chain.ts"
import { makeRpcNode } from "../../src/adapters/provider/solana/rpc.ts"
import { httpRates } from "../../src/adapters/rates/http.ts"
import { KmsSigner } from "../../src/adapters/signer/kms.ts"
import { HttpWebhookSink } from "../../src/adapters/webhook/http.ts"
import { createClient } from "../../src/client/index.ts"
import { Signer } from "../../src/engine/ports/Signer.ts"
import { WebhookSink } from "../../src/engine/ports/WebhookSink.ts"
import { decodeConfig } from "../../src/http/config/decode.ts"
import { makeObservability } from "../../src/http/observability/layer.ts"
import { limitFetch } from "../../src/protocol/bounded-fetch.ts"
import { makeTransport } from "../../src/protocol/transport.ts"
import { feedOf } from "../../src/receiver/index.ts"
import { covers } from "../support/repository/covers.ts"

const ends: Array<() => void> = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
  vi.restoreAllMocks()
})

/** A server on loopback that answers as told, and counts what came and what it could send. */
const receiver = async (answer: (response: ServerResponse, sent: (bytes: number) => void) => void) => {
  const seen = { requests: 0, bytes: 0, closed: 0 }
  const server = createServer((request, response) => {
    seen.requests++
    request.resume()
    response.once("close", () => seen.closed++)
    answer(response, (bytes) => (seen.bytes += bytes))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  ends.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const chunk = Buffer.alloc(64 * 1024, " ")
const json = { "content-type": "application/json" }

const endless = (response: ServerResponse, sent: (bytes: number) => void): void => {
  response.writeHead(200, json)
  const more = (): void => {
    while (!response.destroyed) {
      sent(chunk.length)
      if (!response.write(chunk)) return void response.once("drain", more)
    }
  }
  more()
}

const dripping = (response: ServerResponse): void => {
  response.writeHead(200, json)
  const drip = setInterval(() => response.write(" "), 20)
  response.once("close", () => clearInterval(drip))
}

const secret = `whsec_${Buffer.alloc(32, 1).toString("base64")}`
const token = "a-secret-that-goes-nowhere-else"
const failed = async (call: Promise<unknown>): Promise<string> => {
  try {
    return `answered: ${JSON.stringify(await call)}`
  } catch (error) {
    return `failed: ${String(error)}`
  }
}

/** Exports a line of the log, and says what the log says of it. */
const exported = async (url: string): Promise<string> => {
  const lines: Array<string> = []
  vi.spyOn(console, "log").mockImplementation((line: unknown) => void lines.push(String(line)))
  const decoded = decodeConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_TRACES_EXPORTER: "none",
    OTEL_METRICS_EXPORTER: "none",
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${token}`
  })
  if ("faults" in decoded) throw new Error(decoded.faults.join())
  await Effect.runPromise(Effect.provide(Effect.logInfo("one"), makeObservability(decoded.config)))
  const report = lines.find((line) => line.includes("not exported"))
  return report === undefined ? "answered" : `failed: ${report}`
}

const delivered = (url: string, timeout_ms: number): Promise<string> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const sink = yield* WebhookSink
      return yield* sink.deliver({ url, message_id: "msg_1", body: "{}", secrets: [secret] })
    }).pipe(
      Effect.provide(HttpWebhookSink.layer({ environment: "test", user_agent: "Corridor/1", timeout_ms })),
      // A status is the answer of a receiver; the body of one that never ends is not waited for.
      Effect.map(({ error, response_status }) => (error === null ? `answered: ${response_status}` : `failed: ${error}`))
    )
  )

const transported = (url: string, timeout_ms: number): Promise<unknown> =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const send = yield* makeTransport({ timeout_ms })
        const answer = yield* send({
          method: "POST",
          url: `${url}/payouts`,
          headers: { authorization: token },
          body: "{}"
        })
        // The client of the protocol takes no status but 200.
        return answer.status === 200 ? answer : yield* Effect.fail(new Error(`HTTP status ${answer.status}`))
      })
    )
  )

const MiB = 1024 * 1024

/** What each client makes of a URL, and the most that it reads. */
const clients: ReadonlyArray<readonly [name: string, max: number, call: (url: string, ms: number) => Promise<string>]> =
  [
    ["the exporter of telemetry", 64 * 1024, (url) => exported(url)],
    ["a delivery", 64 * 1024, delivered],
    ["a connector", 8 * MiB, (url, ms) => failed(transported(url, ms))],
    [
      "rates",
      8 * MiB,
      (url, timeout_ms) => failed(httpRates({ url, secret, spread: "0", timeout_ms }).rate("USDC", "NGN"))
    ],
    [
      "a node of an EVM chain",
      32 * MiB,
      (url, timeout_ms) => {
        const { view } = makeChain({
          chain_id: 1,
          rpc_urls: [`${url}/${token}`],
          quorum: 1,
          confirmations: 1,
          timeout_ms
        })
        return failed(Effect.runPromise(view))
      }
    ],
    [
      "a node of Solana",
      32 * MiB,
      (url, ms) => failed(Effect.runPromise(makeRpcNode(`${url}/${token}`, ms).epoch("finalized")))
    ],
    [
      "the client of the API",
      64 * MiB,
      (baseUrl, timeoutMs) =>
        failed(createClient({ baseUrl, apiKey: token, timeoutMs, maxRetries: 0 }).request("GET", "/v1/me"))
    ],
    [
      "the feed of a receiver",
      64 * MiB,
      (base_url, timeout_ms) => failed(feedOf({ base_url, api_key: token, timeout_ms })(undefined))
    ],
    ["a bounded fetch", MiB, (url, ms) => failed(fetched(url, ms))]
  ]

const fetched = async (url: string, ms: number): Promise<string> => {
  const answer = await limitFetch(MiB)(url, { headers: { authorization: token }, signal: AbortSignal.timeout(ms) })
  if (!answer.ok) throw new Error(`HTTP status ${answer.status}`)
  return answer.text()
}

describe.each(clients)("%s", (_, max, call) => {
  covers("SERVICE-28")
  it.each([301, 302, 303, 307, 308])("does not follow HTTP %i, and has failed", async (status) => {
    const elsewhere = await receiver((response) => void response.writeHead(200, json).end("{}"))
    const first = await receiver((response) => void response.writeHead(status, { location: elsewhere.url }).end())
    expect(await call(first.url, 20_000)).toMatch(/^failed: /)
    expect([first.seen.requests > 0, elsewhere.seen.requests]).toEqual([true, 0])
  })

  covers("SERVICE-28")
  it("reads an answer that never ends to a bound, and closes its connection", async () => {
    const { seen, url } = await receiver(endless)
    const outcome = await call(url, 60_000)
    expect(outcome).toMatch(max === 64 * 1024 && outcome.startsWith("answered: 200") ? /^answered/ : /^failed: /)
    await expect.poll(() => seen.closed).toBe(seen.requests)
    // What the kernel and the streams hold beside it.
    expect(seen.bytes / seen.requests).toBeLessThan(max + 16 * MiB)
  })
})

describe.each(clients.filter(([name]) => name !== "the exporter of telemetry"))("%s", (_, __, call) => {
  covers("SERVICE-28")
  it("does not wait longer for an answer that comes byte by byte", async () => {
    const { seen, url } = await receiver(dripping)
    const outcome = await call(url, 400)
    expect(outcome).toMatch(/^failed: |^answered: 200$/)
    await expect.poll(() => seen.closed).toBe(seen.requests)
  })
})

covers("SERVICE-28")
it.each(["getPublicKey", "sign"])(
  "a key management service that does not answer %s is a fault, in time",
  async (silent) => {
    const { generateKeyPairSync } = await import("node:crypto")
    const { publicKey } = generateKeyPairSync("ed25519")
    const never = new Promise<never>(() => {})
    const client = {
      getPublicKey: () =>
        silent === "getPublicKey" ? never : Promise.resolve(publicKey.export({ type: "spki", format: "der" })),
      sign: () => never
    }
    const signed = Effect.flatMap(Signer, (signer) =>
      signer.sign("key", "ed25519", new Uint8Array(32), { _tag: "test" } as never)
    )
    const fault = await Effect.runPromise(
      Effect.flip(Effect.provide(signed, KmsSigner.layer({ client, timeout_ms: 50 }) as Layer.Layer<Signer>))
    )
    expect(fault.message).toBe("the key management service was silent for 50 ms")
  }
)
