/** What two readers could read in two ways: refused, or read as its standard says. */
import { once } from "node:events"
import { type AddressInfo, connect } from "node:net"
import { text } from "node:stream/consumers"
import { gzipSync } from "node:zlib"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { EnvelopeServer } from "../../../src/http/envelope-server.ts"
import { findRepeatedMember } from "../../../src/http/request.ts"
import { type Api, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

const send = async (lines: ReadonlyArray<string>, body: string | Buffer = "") => {
  const socket = connect(api.port, "127.0.0.1")
  socket.write(`${[...lines, "Connection: close"].join("\r\n")}\r\n\r\n`)
  socket.write(body)
  const [head = "", ...rest] = (await text(socket)).split("\r\n\r\n")
  const json = JSON.parse(rest.join("\r\n\r\n"))
  return { status: Number(head.split(" ")[1]), code: json.code, message: json.message, fields: json.meta.errors, json }
}

const wallet = '{"currency":"USDC"}'
const keyed = () => [
  "POST /v1/wallets HTTP/1.1",
  "Host: a",
  `Authorization: Bearer ${api.key}`,
  `Content-Length: ${wallet.length}`
]

describe("a header that a request may have once", () => {
  covers("HTTP-17")
  it.each([
    ["Host", ["Host: b"]],
    ["Authorization", ["authorization: Bearer sk_test_other"]],
    ["Content-Type", ["Content-Type: application/json", "Content-Type: application/json; charset=utf-8"]]
  ])("is refused when it occurs twice: %s", async (name, lines) => {
    const answer = await send([...keyed(), ...lines], wallet)
    expect([answer.status, answer.code]).toEqual([400, "bad_request"])
    expect(answer.fields[0].field.toLowerCase()).toBe(name.toLowerCase())
    expect(answer.message + answer.fields[0].message).toContain("occurs twice")
  })

  it("is taken once, whatever its case, and others may be repeated", async () => {
    const answer = await send([...keyed(), "CONTENT-TYPE: application/json", "X-Any: 1", "X-Any: 2"], wallet)
    expect(answer.code).toBe("ok")
  })
})

describe("a body", () => {
  const post = (raw: string | Uint8Array, headers: Record<string, string> = {}) =>
    api.ask("/v1/wallets", { raw, headers })

  covers("HTTP-18")
  it.each(["utf-16", "iso-8859-1", '"utf-16le"', "us-ascii"])("in charset=%s is refused", async (charset) => {
    const { json, status } = await post(wallet, { "content-type": `application/json; charset=${charset}` })
    expect([status, json.code, json.meta.errors[0].code]).toEqual([400, "bad_request", "invalid_type"])
    expect(json.meta.errors[0].message).toContain("utf-8 is required")
  })

  covers("HTTP-18")
  it.each(["utf-8", "UTF-8", '"utf-8"'])("in charset=%s is read", async (charset) => {
    expect((await post(wallet, { "content-type": `application/json; charset=${charset}` })).status).toBe(200)
  })

  covers("HTTP-18")
  it.each([
    ["gzip", "plain", wallet],
    ["gzip", "compressed", gzipSync(wallet)],
    ["br", "plain", wallet],
    ["identity, gzip", "plain", wallet]
  ])("with Content-Encoding: %s is refused, %s", async (coding, _, raw) => {
    const { json, status } = await post(raw, { "content-encoding": coding })
    expect([status, json.code, json.meta.errors[0].code]).toEqual([400, "bad_request", "invalid_type"])
  })

  covers("HTTP-18")
  it("with Content-Encoding: identity is read, and a byte order mark is ignored", async () => {
    expect((await post(wallet, { "content-encoding": "identity" })).status).toBe(200)
    expect((await post(`\ufeff${wallet}`)).status).toBe(200)
    expect((await post(Buffer.from(wallet, "utf16le"))).status).toBe(400)
  })

  covers("HTTP-18")
  it.each([
    ['{"currency":"USDC","currency":"USDT"}', "currency"],
    ['{"currency":"USDC","metadata":{"a":"1","b":"2","\\u0061":"3"}}', "metadata.a"],
    ['{"currency":"USDC","any":[{"a":1},{"a":1,"a":1}]}', "any.1.a"]
  ])("%s is refused, and names the member", async (raw, member) => {
    const { json, status } = await post(raw)
    expect([status, json.code, json.meta.errors[0].field]).toEqual([400, "bad_request", member])
  })

  it("has no member twice where JSON.stringify wrote it, whatever its names and texts", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(findRepeatedMember(JSON.stringify(value))).toBe(undefined)
      })
    )
  })

  covers("HTTP-14")
  it("with a chunk size that no number holds is answered in the envelope", async () => {
    const answer = await send(
      ["POST /v1/wallets HTTP/1.1", "Host: a", `Authorization: Bearer ${api.key}`, "Transfer-Encoding: chunked"],
      `${"F".repeat(17)}\r\n{}`
    )
    expect([answer.status, answer.code]).toEqual([400, "bad_request"])
  })

  covers("HTTP-18")
  it("that does not arrive is answered in the envelope, whatever size it says that it has", async () => {
    const server = new EnvelopeServer({ requestTimeout: 200, headersTimeout: 200, connectionsCheckingInterval: 50 })
    server.on("request", (request) => void request.resume())
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${"F".repeat(16)}\r\n{}`)
    const answer = await text(socket)
    server.close()
    expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*"code":"bad_request"/)
    expect(new EnvelopeServer().requestTimeout).toBe(300_000)
  })
})
