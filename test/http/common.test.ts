import { connect } from "node:net"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { StorageFault } from "../../src/engine/errors.ts"
import { Storage } from "../../src/engine/Storage.ts"
import { type Answer, type Api, operatorToken, type Options, startApi } from "../support/api.ts"

let api: Api
const keys = { viewer: "", developer: "" }
const makeKey = async (role: string): Promise<{ id: string; secret: string }> => {
  const { json } = await api.ask("/v1/api-keys", { body: { role } })
  return json.data
}
const operator = (path: string, options: Options = {}) => api.ask(path, { ...options, key: operatorToken })

beforeAll(async () => {
  api = await startApi({ rate_per_second: 0 })
  keys.viewer = (await makeKey("viewer")).secret
  keys.developer = (await makeKey("developer")).secret
})
afterAll(() => api.close())

const fieldsOf = (answer: Answer): ReadonlyArray<string> => (answer.json.meta.errors ?? []).map((e: any) => `${e.field} ${e.code}`)

/** Sends bytes as they are and gives the first answer's text: for what `fetch` refuses to send. */
const raw = (text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const socket = connect(api.port, "127.0.0.1", () => socket.write(text))
    let heard = ""
    socket.on("data", (chunk) => {
      heard += chunk.toString()
    })
    socket.on("close", () => resolve(heard))
    socket.on("error", reject)
    setTimeout(() => socket.end(), 300)
  })

describe("every answer", () => {
  const table: ReadonlyArray<readonly [string, Options, number, string]> = [
    ["/v1/me", {}, 200, "ok"],
    ["/v1/api-keys", {}, 200, "ok"],
    ["/v1/nothing", {}, 404, "not_found"],
    ["/v1/me", { method: "PUT" }, 404, "not_found"],
    ["/v1/me", { method: "POST", body: {} }, 404, "not_found"],
    ["/v1/me/", {}, 404, "not_found"],
    ["/v1/ME", {}, 404, "not_found"],
    ["/v1/wallets/%zz", {}, 404, "not_found"],
    ["/sandbox/nothing", {}, 404, "not_found"],
    ["/operator/v1/nothing", {}, 404, "not_found"],
    ["/", {}, 404, "not_found"],
    ["/v1/me", { key: null }, 401, "authentication_failed"],
    ["/v1/wallets/ben_1", {}, 400, "invalid_input"],
    ["/v1/wallets/wal_1", {}, 404, "not_found"],
    [`/v1/wallets/wal_${"x".repeat(5000)}`, {}, 404, "not_found"],
    ["/v1/wallets/wal_%00", {}, 400, "invalid_input"],
    ["/v1/wallets?page=0", {}, 400, "invalid_input"],
    ["/v1/wallets", { body: {} }, 400, "bad_request"]
  ]
  it.each(table)("%s %j is %i %s in the envelope", async (path, options, status, code) => {
    const answer = await api.ask(path, options)
    expect(answer.status).toBe(status)
    expect(answer.json).toMatchObject({ status: status === 200, code, meta: { version: "1" } })
    expect(answer.headers.get("content-type")).toBe("application/json")
    expect(answer.headers.get("x-request-id")).toBe(answer.json.meta.request_id)
    expect(answer.json.meta.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    if (status === 200) return
    expect(answer.json.data).toBeNull()
    expect(answer.json.meta.next_steps).toEqual({
      action: expect.stringMatching(/\.$/),
      docs_url: `http://corridor.test/docs/errors/${code}`
    })
  })

  it.each([
    ["abc_DEF-123", true],
    ["x".repeat(128), true],
    ["x".repeat(129), false],
    ["has space", false],
    ["dot.ted", false]
  ])("takes the request id %s: %s", async (id, taken) => {
    const { json } = await api.ask("/v1/me", { headers: { "x-request-id": id } })
    if (taken) expect(json.meta.request_id).toBe(id)
    else expect(json.meta.request_id).toMatch(/^req_[0-9a-z]{26}$/)
  })
})

describe("authentication", () => {
  it.each([
    ["no header", {}],
    ["another scheme", { authorization: "Basic abc" }],
    ["no key", { authorization: "Bearer " }],
    ["two words", { authorization: "Bearer a b" }],
    ["an unknown key", { authorization: `Bearer sk_test_${"a".repeat(43)}` }],
    ["a key of another environment", { authorization: `Bearer sk_live_${"a".repeat(43)}` }],
    ["the operator's token", { authorization: `Bearer ${operatorToken}` }]
  ])("refuses %s", async (_, headers) => {
    const answer = await api.ask("/v1/me", { key: null, headers: headers as Record<string, string> })
    expect([answer.status, answer.json.code]).toEqual([401, "authentication_failed"])
  })

  it("takes the scheme in any case", async () => {
    expect((await api.ask("/v1/me", { key: null, headers: { authorization: `bearer ${api.key}` } })).status).toBe(200)
  })

  it("refuses a revoked key from the next request on", async () => {
    const { id, secret } = await makeKey("developer")
    expect((await api.ask("/v1/me", { key: secret })).status).toBe(200)
    expect((await api.ask(`/v1/api-keys/${id}`, { method: "DELETE" })).json.data).toEqual({ id, success: true })
    expect((await api.ask("/v1/me", { key: secret })).json.code).toBe("authentication_failed")
    expect((await api.ask(`/v1/api-keys/${id}`, { method: "DELETE" })).json.code).toBe("invalid_status")
    expect((await api.ask("/v1/api-keys")).json.data.map((k: any) => k.id)).not.toContain(id)
  })

  it("refuses the operator API without the operator's token", async () => {
    for (const key of [null, api.key, "wrong"]) expect((await api.ask("/operator/v1/merchants", { key })).status).toBe(401)
    expect((await operator("/operator/v1/merchants")).status).toBe(200)
  })

  it("tells an inactive merchant from an unknown key, at once when the operator suspends it", async () => {
    const made = await operator("/operator/v1/merchants", { body: { name: "Lagos", country_code: "NG" } })
    const { merchant, api_key } = made.json.data
    const me = () => api.ask("/v1/me", { key: api_key.secret })
    const move = (status: string) => operator(`/operator/v1/merchants/${merchant.id}`, { method: "PATCH", body: { status } })
    expect([(await me()).status, (await me()).json.code]).toEqual([401, "merchant_inactive"])
    expect((await move("suspended")).json.code).toBe("invalid_status")
    expect((await move("active")).json.data.status).toBe("active")
    expect((await me()).json.data.merchant.id).toBe(merchant.id)
    expect((await move("suspended")).status).toBe(200)
    expect((await me()).json.code).toBe("merchant_inactive")
    expect((await move("pending")).json.code).toBe("invalid_status")
  })
})

describe("order of checks", () => {
  const bad = { "idempotency-key": "bad" }
  it.each([
    ["authentication before everything", { key: "sk_test_no", headers: bad, raw: "{" }, "/v1/wallets", 401],
    ["role before the key's form", { key: "viewer", headers: bad, raw: "{" }, "/v1/wallets", 403],
    ["the key's form before the body", { headers: bad, raw: "{" }, "/v1/wallets", 400],
    ["a path id before the body", { method: "PATCH", raw: "{" }, "/v1/wallets/ben_1", 400],
    ["the body before existence", { method: "PATCH", body: { label: 7 } }, "/v1/wallets/wal_1", 400]
  ])("asks for %s", async (_, { key, ...options }: any, path, status) => {
    const answer = await api.ask(path, { ...options, method: options.method ?? "POST", ...(key === undefined ? {} : { key: key === "viewer" ? keys.viewer : key }) })
    expect(answer.status).toBe(status)
    if (path.endsWith("ben_1")) expect(fieldsOf(answer)).toEqual(["id invalid_format"])
    if (options.headers === bad && status === 400) expect(fieldsOf(answer)).toEqual(["Idempotency-Key invalid_format"])
  })

  it("lets a viewer read and nothing else", async () => {
    expect((await api.ask("/v1/wallets", { key: keys.viewer })).status).toBe(200)
    expect((await api.ask("/v1/wallets", { key: keys.viewer, body: { currency: "USDC" } })).json.code).toBe("forbidden")
  })
})

describe("bodies", () => {
  const post = (options: Options) => api.ask("/v1/api-keys", { method: "POST", ...options })
  it.each([
    ["malformed JSON", { raw: "{" }, "body invalid_format"],
    ["an array", { raw: "[]" }, "body invalid_type"],
    ["null", { raw: "null" }, "body invalid_type"],
    ["another content type", { raw: "role=admin", headers: { "content-type": "application/x-www-form-urlencoded" } }, "body invalid_type"],
    ["bytes that are not UTF-8", { raw: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]) }, "body invalid_format"],
    ["a body over 1 MiB", { raw: JSON.stringify({ role: "viewer", pad: "x".repeat(1024 * 1024) }) }, "body too_long"],
    ["nothing at all", { raw: "" }, "role required"],
    ["a deep nest where a text belongs", { raw: `{"role":"viewer","label":${"[".repeat(20_000)}${"]".repeat(20_000)}}` }, "label invalid_type"],
    ["a value that is not in the list", { body: { role: "owner" } }, "role invalid_value"],
    ["another type", { body: { role: 1, label: 2 } }, "role invalid_type,label invalid_type"],
    ["a text too long", { body: { role: "viewer", label: "x".repeat(101) } }, "label too_long"]
  ])("refuses %s", async (_, options, expected) => {
    const answer = await post(options as Options)
    expect([answer.status, answer.json.code, fieldsOf(answer).join()]).toEqual([400, "bad_request", expected])
  })

  it("refuses a body over 1 MiB that does not say how long it is", async () => {
    const stream = new ReadableStream({
      start(controller) {
        for (let i = 0; i < 20; i++) controller.enqueue(new TextEncoder().encode("x".repeat(100_000)))
        controller.close()
      }
    })
    const response = await fetch(`${api.base}/v1/api-keys`, {
      method: "POST",
      headers: { authorization: `Bearer ${api.key}`, "content-type": "application/json" },
      body: stream,
      duplex: "half"
    } as never)
    expect([response.status, ((await response.json()) as any).meta.errors[0].code]).toEqual([400, "too_long"])
  })

  it("takes a body of almost 1 MiB, a charset, and members it does not know", async () => {
    const { json } = await post({
      raw: JSON.stringify({ role: "viewer", pad: "x".repeat(1024 * 1024 - 100) }),
      headers: { "content-type": "application/json; charset=utf-8" }
    })
    expect(json.code).toBe("ok")
    await api.ask(`/v1/api-keys/${json.data.id}`, { method: "DELETE" })
  })

  it("answers invalid_input for every field of a transfer, and bad_request where it is not JSON", async () => {
    const fields = await api.ask("/v1/transfers", { body: { wallet_id: "ben_1", amount: 10 } })
    expect(fields.json.code).toBe("invalid_input")
    expect(fieldsOf(fields)).toEqual(["wallet_id invalid_format", "beneficiary_id required", "amount invalid_type"])
    expect((await api.ask("/v1/transfers", { method: "POST", raw: "{" })).json.code).toBe("bad_request")
  })

  it("answers invalid_input for a malformed id in a body", async () => {
    expect((await api.ask("/v1/wallets", { body: { currency: "USDC", customer_id: "wal_1" } })).json.code).toBe("invalid_input")
  })
})

describe("lists", () => {
  it.each([
    "page=0",
    "page=1000001",
    "page=x",
    "page=1.5",
    "per_page=0",
    "per_page=201",
    "per_page=-1",
    "page=1&page=2",
    "created_after=yesterday",
    "created_before=2026-02-30"
  ])("refuse %s", async (query) => {
    const answer = await api.ask(`/v1/wallets?${query}`)
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_input"])
    expect(fieldsOf(answer)[0]).toMatch(new RegExp(`^${query.split("=")[0]} `))
  })

  it("page from the newest, say whether there is more, and end empty", async () => {
    const made: Array<string> = []
    for (const label of ["a", "b", "c"]) made.unshift((await api.ask("/v1/wallets", { body: { currency: "USDC", label } })).json.data.id)
    const first = await api.ask("/v1/wallets?per_page=2")
    expect(first.json.data.map((w: any) => w.id)).toEqual(made.slice(0, 2))
    expect(first.json.meta).toMatchObject({ page: 1, per_page: 2, total: 3, has_more: true })
    const last = await api.ask("/v1/wallets?per_page=2&page=2")
    expect([last.json.data.length, last.json.meta.has_more]).toEqual([1, false])
    const past = await api.ask("/v1/wallets?page=1000000")
    expect([past.status, past.json.data, past.json.meta.has_more]).toEqual([200, [], false])
    const none = await api.ask("/v1/wallets?customer_id=cust_unknown")
    expect([none.status, none.json.data, none.json.meta.total]).toEqual([200, [], 0])
    expect((await api.ask("/v1/wallets?created_before=2020-01-01")).json.data).toEqual([])
  })
})

describe("idempotency", () => {
  let count = 0
  const key = () => `key_${process.pid}_${count++}`
  const create = (idempotency: string, label: string, path = "/v1/wallets") =>
    api.ask(path, { body: { currency: "USDC", label }, headers: { "idempotency-key": idempotency } })

  it("repeats an answer byte for byte, with the first request's id", async () => {
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

  it("repeats a secret and keeps it encrypted", async () => {
    const k = key()
    const ask = () => api.ask("/v1/api-keys", { body: { role: "viewer" }, headers: { "idempotency-key": k } })
    const first = await ask()
    expect((await ask()).text).toBe(first.text)
    const kept = await Effect.runPromise(api.storage.applied(api.merchant_id, `idem/${k}`, 0))
    expect(kept?.response).not.toContain(first.json.data.secret)
    await api.ask(`/v1/api-keys/${first.json.data.id}`, { method: "DELETE" })
  })

  it.each([
    ["another body", (k: string) => create(k, "other")],
    ["another path", (k: string) => create(k, "first", "/v1/transfers")],
    ["the same members in other bytes", (k: string) => api.ask("/v1/wallets", { raw: '{ "currency":"USDC","label":"first"}', headers: { "idempotency-key": k } })]
  ])("conflicts on %s", async (_, other) => {
    const k = key()
    await create(k, "first")
    const answer = await other(k)
    expect([answer.status, answer.json.code]).toEqual([409, "idempotency_conflict"])
  })

  it("keeps refusals too", async () => {
    for (const body of ['{"currency":7}', "{", '{"currency":"NOPE"}', '{"currency":"USD"}']) {
      const k = key()
      const ask = () => api.ask("/v1/wallets", { raw: body, headers: { "idempotency-key": k } })
      const [first, again] = [await ask(), await ask()]
      expect(first.status).toBeGreaterThanOrEqual(400)
      expect([again.text, again.status, again.headers.get("idempotent-replayed")]).toEqual([first.text, first.status, "true"])
    }
  })

  it("never keeps 401 and 403", async () => {
    const k = key()
    const options = { body: { currency: "USDC", label: "kept" }, headers: { "idempotency-key": k } }
    expect((await api.ask("/v1/wallets", { ...options, key: null })).status).toBe(401)
    expect((await api.ask("/v1/wallets", { ...options, key: keys.viewer })).status).toBe(403)
    const admin = await api.ask("/v1/api-keys", { body: { role: "admin" }, key: keys.developer, headers: { "idempotency-key": `${k}x` } })
    expect(admin.json.code).toBe("forbidden_key_role")
    const first = await api.ask("/v1/wallets", options)
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([200, null])
  })

  it.each(["short", "has space", "dot.dot.dot", "x".repeat(256), "comma,comma"])("refuses the key %s", async (k) => {
    const answer = await create(k, "never")
    expect([answer.status, answer.json.code]).toEqual([400, "bad_request"])
  })

  it("refuses the header sent twice", async () => {
    const body = '{"currency":"USDC"}'
    const heard = await raw(
      `POST /v1/wallets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\n` +
        `Idempotency-Key: samekey123\r\nIdempotency-Key: samekey123\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
    )
    expect(heard).toContain("HTTP/1.1 400")
    expect(heard).toContain("bad_request")
  })

  it("has one effect when many send one key at once", async () => {
    const k = key()
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(k, "raced")))
    const fine = answers.filter((a) => a.status === 200)
    expect(fine.length).toBeGreaterThanOrEqual(1)
    expect(new Set(fine.map((a) => a.text)).size).toBe(1)
    for (const other of answers.filter((a) => a.status !== 200)) expect(other.json.code).toBe("idempotency_in_progress")
    const wallets = (await api.ask("/v1/wallets?per_page=200")).json.data.filter((w: any) => w.label === "raced")
    expect(wallets).toHaveLength(1)
  })

  it("is scoped to the merchant", async () => {
    const k = key()
    const made = await operator("/operator/v1/merchants", { body: { name: "Other", country_code: "GH", status: "active" } })
    const first = await create(k, "mine")
    const other = await api.ask("/v1/wallets", {
      key: made.json.data.api_key.secret,
      body: { currency: "USDC", label: "theirs" },
      headers: { "idempotency-key": k }
    })
    expect([other.status, other.headers.get("idempotent-replayed")]).toEqual([200, null])
    expect((await api.ask(`/v1/wallets/${first.json.data.id}`, { key: made.json.data.api_key.secret })).status).toBe(404)
  })
})

describe("versions", () => {
  it("guard a change by If-Match", async () => {
    const { json } = await api.ask("/v1/wallets", { body: { currency: "USDC" } })
    const path = `/v1/wallets/${json.data.id}`
    const etag = (await api.ask(path)).headers.get("etag")!
    expect(etag).toMatch(/^"[^"]+"$/)
    const change = (match: string, label: string) => api.ask(path, { method: "PATCH", body: { label }, headers: { "if-match": match } })
    expect((await change(etag, "a")).status).toBe(200)
    expect([(await change(etag, "b")).json.code, (await api.ask(path)).json.data.label]).toEqual(["conflict", "a"])
    expect((await change(`W/${(await api.ask(path)).headers.get("etag")}`, "c")).json.code).toBe("conflict")
    expect((await change("*", "d")).status).toBe(200)
    expect((await api.ask(path)).headers.get("etag")).not.toBe(etag)
  })
})

describe("rate limit", () => {
  it("limits money-movement writes of a merchant, not reads, and says when to come back", async () => {
    const limited = await startApi({ rate_per_second: 2 })
    try {
      const other = (await limited.ask("/v1/api-keys", { body: { role: "admin" } })).json.data.secret
      const answers: Array<Answer> = []
      for (let i = 0; i < 8; i++) {
        answers.push(await limited.ask("/v1/wallets", { body: { currency: "USDC" }, key: i % 2 === 0 ? limited.key : other }))
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
  it("are 500 in the envelope and tell nothing of the world", async () => {
    const broken = Layer.effect(
      Storage,
      Effect.gen(function*() {
        const { MemoryStorage } = yield* Effect.promise(() => import("../../src/adapters/storage/memory.ts"))
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
    const faulty = await startApi({}, broken)
    try {
      const fault = await faulty.ask("/v1/wallets")
      expect([fault.status, fault.json.code, fault.headers.get("retry-after")]).toEqual([500, "internal_error", "1"])
      expect(fault.text).not.toMatch(/select|secret/)
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

  it("do not stop a write whose client has gone", async () => {
    const body = '{"currency":"USDC","label":"gone"}'
    const socket = connect(api.port, "127.0.0.1")
    socket.write(
      `POST /v1/wallets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      () => socket.destroy()
    )
    await expect
      .poll(async () => (await api.ask("/v1/wallets?per_page=200")).json.data.filter((w: any) => w.label === "gone").length, { timeout: 3000 })
      .toBe(1)
  })
})
