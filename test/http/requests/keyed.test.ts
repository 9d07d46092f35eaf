import { connect } from "node:net"
import { Effect, Layer, Logger, References } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { StorageFault } from "../../../src/engine/ports/errors.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { type Answer, type Api, asOperator, createKey, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"

let api: Api
let viewer: string
let developer: string

beforeAll(async () => {
  api = await startApi({ rate_per_second: 0 })
  viewer = (await createKey(api, "viewer")).secret
  developer = (await createKey(api, "developer")).secret
})
afterAll(() => api.close())

/** Sends bytes as they are and gives the first answer's text: for what `fetch` refuses to send. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(api.port, "127.0.0.1", () => socket.write(text))
    let received = ""
    socket.on("data", (chunk) => {
      received += chunk.toString()
    })
    socket.on("close", () => resolve(received))
    socket.on("error", reject)
  })

describe("idempotency", () => {
  let count = 0
  const key = () => `key_${process.pid}_${count++}`
  const create = (idempotency: string, label: string, path = "/v1/wallets") =>
    api.ask(path, { body: { currency: "USDC", label }, headers: { "idempotency-key": idempotency } })

  covers("IDEM-1", "IDEM-7", "IDEM-9")
  it("repeats a response byte for byte, with the first request's id", async () => {
    const k = key()
    const first = await create(k, "once")
    const again = await api.ask("/v1/wallets", {
      body: { currency: "USDC", label: "once" },
      headers: { "idempotency-key": k, "x-request-id": "another" }
    })
    expect(again.text).toBe(first.text)
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(first.headers.get("idempotent-replayed")).toBeNull()
    expect(again.headers.get("x-request-id")).toBe(first.json.meta.request_id)
    expect((await api.ask("/v1/wallets?per_page=200")).json.data.filter((w: any) => w.label === "once")).toHaveLength(1)
  })

  covers("IDEM-8")
  it("repeats a secret and keeps it encrypted", async () => {
    const k = key()
    const ask = () => api.ask("/v1/api-keys", { body: { role: "viewer" }, headers: { "idempotency-key": k } })
    const first = await ask()
    expect((await ask()).text).toBe(first.text)
    const kept = await Effect.runPromise(api.storage.idempotencyRecord(api.merchant_id, `idem/${k}`, 0))
    expect(kept?.response).not.toContain(first.json.data.secret)
    await api.ask(`/v1/api-keys/${first.json.data.id}`, { method: "DELETE" })
  })

  covers("IDEM-2", "IDEM-4", "ERROR-16")
  it.each([
    ["another body", (k: string) => create(k, "other")],
    ["another path", (k: string) => create(k, "first", "/v1/transfers")],
    [
      "the same members in other bytes",
      (k: string) =>
        api.ask("/v1/wallets", { raw: '{ "currency":"USDC","label":"first"}', headers: { "idempotency-key": k } })
    ]
  ])("conflicts on %s", async (_, other) => {
    const k = key()
    await create(k, "first")
    const answer = await other(k)
    expect([answer.status, answer.json.code]).toEqual([409, "idempotency_conflict"])
  })

  it("stores refusals too", async () => {
    for (const body of ['{"currency":7}', "{", '{"currency":"NOPE"}', '{"currency":"USD"}']) {
      const k = key()
      const ask = () => api.ask("/v1/wallets", { raw: body, headers: { "idempotency-key": k } })
      const [first, again] = [await ask(), await ask()]
      expect(first.status).toBeGreaterThanOrEqual(400)
      expect([again.text, again.status, again.headers.get("idempotent-replayed")]).toEqual([
        first.text,
        first.status,
        "true"
      ])
    }
  })

  covers("IDEM-9")
  it("never stores 401 and 403", async () => {
    const k = key()
    const options = { body: { currency: "USDC", label: "kept" }, headers: { "idempotency-key": k } }
    expect((await api.ask("/v1/wallets", { ...options, key: null })).status).toBe(401)
    expect((await api.ask("/v1/wallets", { ...options, key: viewer })).status).toBe(403)
    const admin = await api.ask("/v1/api-keys", {
      body: { role: "admin" },
      key: developer,
      headers: { "idempotency-key": `${k}x` }
    })
    expect(admin.json.code).toBe("forbidden_key_role")
    const first = await api.ask("/v1/wallets", options)
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([200, null])
  })

  covers("IDEM-6")
  it.each(["short", "has space", "dot.dot.dot", "x".repeat(256), "comma,comma"])("refuses the key %s", async (k) => {
    const answer = await create(k, "never")
    expect([answer.status, answer.json.code]).toEqual([400, "bad_request"])
  })

  it.each([
    ["short", "has 5 characters"],
    ["s", "has 1 character"],
    ["x".repeat(256), "has 256 characters"],
    ["dot.dot.dot", 'has the character "."'],
    ["comma,comma", 'has the character ",", as a header that is sent twice has']
  ])("of the key %s it names the header, the accepted form, and what was found", async (key, found) => {
    const { json } = await create(key, "never")
    expect(json.meta.errors).toEqual([
      {
        field: "Idempotency-Key",
        code: "invalid_format",
        message: `Idempotency-Key takes one value of 8 to 255 letters, digits, underscores and hyphens. What was sent ${found}.`
      }
    ])
  })

  it("does not require a key", async () => {
    const body = { currency: "USDC", label: "keyless" }
    const answers = [await api.ask("/v1/wallets", { body }), await api.ask("/v1/wallets", { body })]
    expect(answers.map((a) => [a.status, a.headers.get("idempotent-replayed")])).toEqual([
      [200, null],
      [200, null]
    ])
    expect(answers[0]!.json.data.id).not.toBe(answers[1]!.json.data.id)
    const read = await api.ask("/v1/wallets?per_page=1", { headers: { "idempotency-key": key() } })
    expect([read.status, read.headers.get("idempotent-replayed")]).toEqual([200, null])
  })

  it("refuses the header sent twice", async () => {
    const body = '{"currency":"USDC"}'
    const received = await raw(
      `POST /v1/wallets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\n` +
        `Idempotency-Key: samekey123\r\nIdempotency-Key: samekey123\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
    )
    expect(received).toContain("HTTP/1.1 400")
    expect(received).toContain("bad_request")
  })

  it("has one effect under concurrent requests with one key", async () => {
    const k = key()
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(k, "raced")))
    const fine = answers.filter((a) => a.status === 200)
    expect(fine.length).toBeGreaterThanOrEqual(1)
    expect(new Set(fine.map((a) => a.text)).size).toBe(1)
    for (const other of answers.filter((a) => a.status !== 200)) expect(other.json.code).toBe("idempotency_in_progress")
    const wallets = (await api.ask("/v1/wallets?per_page=200")).json.data.filter((w: any) => w.label === "raced")
    expect(wallets).toHaveLength(1)
  })

  covers("IDEM-5")
  it("is scoped to the merchant", async () => {
    const k = key()
    const made = await asOperator(api, "/operator/v1/merchants", {
      body: { name: "Other", country_code: "GH", status: "active" }
    })
    const first = await create(k, "mine")
    const other = await api.ask("/v1/wallets", {
      key: made.json.data.api_key.secret,
      body: { currency: "USDC", label: "theirs" },
      headers: { "idempotency-key": k }
    })
    expect([other.status, other.headers.get("idempotent-replayed")]).toEqual([200, null])
    expect((await api.ask(`/v1/wallets/${first.json.data.id}`, { key: made.json.data.api_key.secret })).status).toBe(
      404
    )
  })
})

describe("versions", () => {
  covers("HTTP-11", "ERROR-14")
  it("protect a change with If-Match", async () => {
    const { json } = await api.ask("/v1/wallets", { body: { currency: "USDC" } })
    const path = `/v1/wallets/${json.data.id}`
    const etag = (await api.ask(path)).headers.get("etag")!
    expect(etag).toMatch(/^"[^"]+"$/)
    const change = (match: string, label: string) =>
      api.ask(path, { method: "PATCH", body: { label }, headers: { "if-match": match } })
    expect((await change(etag, "a")).status).toBe(200)
    expect([(await change(etag, "b")).json.code, (await api.ask(path)).json.data.label]).toEqual(["conflict", "a"])
    expect((await change(`W/${(await api.ask(path)).headers.get("etag")}`, "c")).json.code).toBe("conflict")
    expect((await change("*", "d")).status).toBe(200)
    expect((await api.ask(path)).headers.get("etag")).not.toBe(etag)
    // Of a list, any: what has gone, what is weak, and what a tag may have in it besides quotes.
    const current = (await api.ask(path)).headers.get("etag")!
    const [old, other] = [await change(`${etag}, "a,b"`, "e"), await change(`, ${etag} ,W/"9",${current},`, "f")]
    expect([old.json.code, other.json.data?.label]).toEqual(["conflict", "f"])
    expect(old.json.message).toMatch(/^If-Match names version \S+ or a,b; the current version is \S+\.$/)
    expect((await change('W/"1"', "g")).json.message).toMatch(/^If-Match names no version;/)
  })

  covers("HTTP-12")
  it("have an ETag that is another one where the body is another, by another resource or by time", async () => {
    const individual = { type: "individual", name: "Ada", email: "ada@example.com", country_code: "NG" }
    const { id: customer_id } = (await api.ask("/v1/customers", { body: individual })).json.data
    const { json } = await api.ask("/v1/wallets", { body: { currency: "USDC", customer_id } })
    const path = `/v1/wallets/${json.data.id}`
    const seen = async () => {
      const { headers, json } = await api.ask(path)
      return { etag: headers.get("etag")!, name: json.data.customer.name as string }
    }
    const first = await seen()
    await api.ask(`/v1/customers/${customer_id}`, { method: "PATCH", body: { name: "Obi" } })
    const second = await seen()
    expect([first.name, second.name, first.etag === second.etag]).toEqual(["Ada", "Obi", false])
    // Nothing of the wallet has changed: a change of what was read first loses nothing.
    const change = (match: string) =>
      api.ask(path, { method: "PATCH", body: { label: "x" }, headers: { "if-match": match } })
    expect((await change(first.etag)).status).toBe(200)
    expect((await change(second.etag)).json.code).toBe("conflict")
  })
})

describe("rate limit", () => {
  covers("LIMIT-1", "LIMIT-2", "LIMIT-3", "ERROR-21", "LIMIT-4")
  it("limits money-movement writes of a merchant, not reads, with Retry-After", async () => {
    const limited = await startApi({ rate_per_second: 2 })
    try {
      const other = (await limited.ask("/v1/api-keys", { body: { role: "admin" } })).json.data.secret
      const answers: Array<Answer> = []
      for (let i = 0; i < 8; i++) {
        answers.push(
          await limited.ask("/v1/wallets", { body: { currency: "USDC" }, key: i % 2 === 0 ? limited.key : other })
        )
      }
      const refused = answers.filter((a) => a.status === 429)
      expect(answers.slice(0, 4).map((a) => a.status)).toEqual([200, 200, 200, 200])
      expect(refused.length).toBeGreaterThanOrEqual(2)
      expect(refused[0]!.json.code).toBe("rate_limited")
      expect(Number(refused[0]!.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
      for (let i = 0; i < 10; i++) expect((await limited.ask("/v1/wallets")).status).toBe(200)
      expect((await limited.ask("/v1/api-keys", { body: { role: "viewer" } })).status).toBe(200)
    } finally {
      await limited.close()
    }
  })
})

describe("faults", () => {
  covers("HTTP-13", "ERROR-22")
  covers("SERVICE-11")
  it("are 500 in the envelope, without details of the fault", async () => {
    const broken = Layer.effect(
      Storage,
      Effect.gen(function* () {
        const { MemoryStorage } = yield* Effect.promise(() => import("../../../src/adapters/storage/memory.ts"))
        const storage = yield* Effect.service(Storage).pipe(Effect.provide(MemoryStorage.layer))
        const fault = new StorageFault({ message: "select secret from table", retryable: true })
        return Storage.of({
          ...storage,
          list: () => Effect.fail(fault),
          accounts: () => Effect.die(new Error("a bug at /home/someone")),
          ping: Effect.fail(fault)
        })
      })
    )
    const logged: Array<unknown> = []
    const recorder = Logger.make(({ fiber, logLevel, message }) => {
      logged.push([logLevel, message, fiber.getRef(References.CurrentLogAnnotations)])
    })
    const faulty = await startApi({}, broken, { local: Logger.layer([recorder]) })
    try {
      const fault = await faulty.ask("/v1/wallets", { headers: { "x-request-id": "req_of_a_fault" } })
      expect([fault.status, fault.json.code, fault.headers.get("retry-after")]).toEqual([500, "internal_error", "1"])
      expect(fault.text).not.toMatch(/select|secret/)
      // Whoever serves it reads why: the response asks the caller for the request id alone.
      const about = { operation: "listWallets", request_id: "req_of_a_fault" }
      expect(logged).toEqual([["Warn", ["the store failed a request: select secret from table"], about]])
      const { json } = await faulty.ask("/v1/wallets", { body: { currency: "USDC" } })
      const bug = await faulty.ask(`/v1/wallets/${json.data.id}`)
      expect([bug.status, bug.json.code]).toEqual([500, "internal_error"])
      expect(bug.text).not.toMatch(/bug|home/)
      expect((await faulty.ask("/health/live")).status).toBe(200)
      const ready = await faulty.ask("/health/ready")
      expect([ready.status, ready.json]).toEqual([503, { status: "unavailable" }])
    } finally {
      await faulty.close()
    }
  })

  it("do not interrupt a write whose client has disconnected", async () => {
    const body = '{"currency":"USDC","label":"gone"}'
    const socket = connect(api.port, "127.0.0.1")
    socket.write(
      `POST /v1/wallets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      () => socket.destroy()
    )
    await expect
      .poll(
        async () => (await api.ask("/v1/wallets?per_page=200")).json.data.filter((w: any) => w.label === "gone").length
      )
      .toBe(1)
  })
})
