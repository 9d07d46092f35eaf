/** Every answer has the envelope: those that the server itself gives, and those that a defect leaves to be given. */
import { connect } from "node:net"
import { Clock, Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { renderError, renderOk } from "../../../src/http/envelope.ts"
import { type Api, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"

interface Heard {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** What comes back for these bytes on a connection of their own, until the server closes it. */
const send = (port: number, bytes: string): Promise<Heard> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1")
    let got = ""
    socket.on("data", (chunk) => (got += chunk.toString("latin1")))
    socket.on("error", reject)
    socket.on("close", () => {
      const [head = "", ...body] = got.split("\r\n\r\n")
      const [first = "", ...lines] = head.split("\r\n")
      resolve({
        status: Number(first.split(" ")[1]),
        headers: new Map(lines.map((line) => [line.split(": ")[0]!.toLowerCase(), line.split(": ")[1] ?? ""])),
        body: body.join("\r\n\r\n")
      })
    })
    socket.write(Buffer.from(bytes, "latin1"))
  })

const isEnvelope = ({ headers, body }: Heard, code: string): void => {
  const json = JSON.parse(body)
  expect(json).toMatchObject({
    status: false,
    code,
    data: null,
    meta: { version: "1", next_steps: { docs_url: `http://corridor.test/docs/errors/${code}` } }
  })
  expect(json.message).toMatch(/\.$/)
  expect(json.meta.timestamp).toMatch(/^\d{4}-\d\d-\d\dT/)
  expect(json.meta.request_id).toMatch(/^[A-Za-z0-9_-]{1,128}$/)
  expect(headers.get("x-request-id")).toBe(json.meta.request_id)
  expect(headers.get("content-type")).toBe("application/json")
}

const host = "Host: x\r\nConnection: close\r\n"
const post = `POST /v1/wallets HTTP/1.1\r\n${host}`

covers("HTTP-14")
describe("the server's own answers", () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi()
  })
  afterAll(() => api.close())

  it.each([
    ["a missing Host", "GET /v1/me HTTP/1.1\r\nConnection: close\r\n\r\n", 400, "bad_request"],
    [
      "a missing Host of a body that waits for 100",
      "POST /v1/wallets HTTP/1.1\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
      400,
      "bad_request"
    ],
    ["a URL that is not ASCII", `GET /v1/n\xc3\xa9 HTTP/1.1\r\n${host}\r\n`, 400, "bad_request"],
    ["a query that is not ASCII", `GET /v1/me?q=\xe9 HTTP/1.1\r\n${host}\r\n`, 400, "bad_request"],
    ["a malformed request line", "GARBAGE\r\n\r\n", 400, "bad_request"],
    ["an unknown method", `FOO /v1/me HTTP/1.1\r\n${host}\r\n`, 400, "bad_request"],
    ["another version of HTTP", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "bad_request"],
    ["a header that is none", `GET /v1/me HTTP/1.1\r\n${host}Nope\r\n\r\n`, 400, "bad_request"],
    ["two lengths", `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400, "bad_request"],
    ["an expectation nobody meets", `GET /v1/me HTTP/1.1\r\n${host}Expect: magic\r\n\r\n`, 417, "bad_request"],
    ["headers too large", `GET /v1/me HTTP/1.1\r\n${host}X-Pad: ${"a".repeat(20_000)}\r\n\r\n`, 431, "bad_request"],
    ["a URL too long", `GET /v1/${"a".repeat(20_000)} HTTP/1.1\r\n${host}\r\n`, 431, "bad_request"],
    ["a tunnel", `CONNECT example.com:443 HTTP/1.1\r\n${host}\r\n`, 404, "not_found"],
    [
      "an upgrade with a body of unknown length",
      "POST /v1/wallets HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
      401,
      "authentication_failed"
    ],
    ["a path that cannot be decoded", `GET /v1/%zz HTTP/1.1\r\n${host}\r\n`, 404, "not_found"],
    ["a wrong method", `DELETE /v1/me HTTP/1.1\r\n${host}\r\n`, 404, "not_found"],
    ["a wrong method of a page", `DELETE /health/live HTTP/1.1\r\n${host}\r\n`, 404, "not_found"],
    ["a path outside the API", `GET /nothing HTTP/1.1\r\n${host}\r\n`, 404, "not_found"]
  ])("%s", async (_, bytes, status, code) => {
    const received = await send(api.port, bytes)
    expect(received.status).toBe(status)
    isEnvelope(received, code)
  })

  it("carry the request id that was sent, wherever the request could be read", async () => {
    for (const bytes of [
      "GET /v1/me HTTP/1.1\r\nConnection: close\r\nX-Request-Id: mine-1\r\n\r\n",
      `GET /v1/me HTTP/1.1\r\n${host}Expect: magic\r\nX-Request-Id: mine-1\r\n\r\n`,
      `CONNECT a:1 HTTP/1.1\r\n${host}X-Request-Id: mine-1\r\n\r\n`
    ])
      expect((await send(api.port, bytes)).headers.get("x-request-id")).toBe("mine-1")
  })

  it("end the answer under way when the rest of its body is no HTTP", async () => {
    const received = await send(
      api.port,
      `${post}Authorization: Bearer ${api.key}\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n\r\n`
    )
    expect(received.status).toBe(400)
    isEnvelope(received, "bad_request")
  })
})

covers("HTTP-14")
describe("a service whose ids have failed", () => {
  let broken = false
  let api: Api
  beforeAll(async () => {
    const ids = Layer.effect(
      Ids,
      Effect.map(Ids, (made) =>
        Ids.of({ ...made, make: (prefix) => (broken ? Effect.die(new Error("no more ids")) : made.make(prefix)) })
      )
    ).pipe(Layer.provide(Ids.layer))
    api = await startApi({}, undefined, { local: ids })
    broken = true
  })
  afterAll(() => {
    broken = false
    return api.close()
  })

  it.each([
    ["a creation", "/v1/wallets", { body: { currency: "USDC" } }, 500, "internal_error"],
    [
      "the operator",
      "/operator/v1/merchants",
      { body: { name: "A", country_code: "NG" } },
      401,
      "authentication_failed"
    ],
    ["an unknown path", "/v1/nothing", {}, 404, "not_found"],
    ["a path beside the documentation", "/docsx", {}, 404, "not_found"],
    ["a callback", "/providers/nobody/events", { body: {} }, 404, "not_found"]
  ])("answers %s in the envelope", async (_, path, options, status, code) => {
    const answer = await api.ask(path, options)
    expect([answer.status, answer.json.code]).toEqual([status, code])
    expect(answer.json.meta.request_id).toMatch(/^req_[0-9a-hjkmnp-tv-z]{26}$/)
    expect(answer.headers.get("x-request-id")).toBe(answer.json.meta.request_id)
  })

  it("answers what is no HTTP in the envelope", async () => {
    isEnvelope(await send(api.port, "GARBAGE\r\n\r\n"), "bad_request")
  })

  it("is not ready", async () => {
    const ready = async () => (await api.ask("/health/ready")).status
    expect(await ready()).toBe(503)
    broken = false
    expect(await ready()).toBe(200)
    broken = true
  })
})

covers("HTTP-14")
it("answers a defect outside the operations in the envelope", async () => {
  let broken = false
  const clock = Layer.effect(
    Clock.Clock,
    Effect.map(Clock.Clock, (real) => ({
      ...real,
      sleep: real.sleep,
      currentTimeMillisUnsafe: () => real.currentTimeMillisUnsafe(),
      currentTimeMillis: Effect.suspend(() => (broken ? Effect.die(new Error("no clock")) : real.currentTimeMillis))
    }))
  )
  const api = await startApi({}, undefined, { local: clock })
  broken = true
  const answers = await Promise.all(["/v1/nothing", "/v1/me", "/%64ocs/nothing"].map((path) => api.ask(path)))
  const ready = await api.ask("/health/ready")
  broken = false
  await api.close()
  expect(answers.map(({ status, json }) => [status, json.code])).toEqual(answers.map(() => [500, "internal_error"]))
  expect(ready.status).toBe(503)
})

covers("HTTP-14")
it("writes an answer whatever the clock says", () => {
  for (const at of [Number.NaN, -1, 9e15, Infinity]) {
    expect(JSON.parse(renderOk({}, "req_1", at)).meta.timestamp).toMatch(/^\d{4}-\d\d-\d\dT/)
    expect(JSON.parse(renderError("bad_request", "No.", undefined, "", "req_1", at)).meta.timestamp).toMatch(/Z$/)
  }
})
