import { afterAll, beforeAll, describe, expect, it } from "vitest"
import {
  type Answer,
  type Api,
  asOperator,
  createKey,
  operatorToken,
  type Options,
  startApi
} from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"

let api: Api
let viewer: string

beforeAll(async () => {
  api = await startApi({ rate_per_second: 0 })
  viewer = (await createKey(api, "viewer")).secret
})
afterAll(() => api.close())

const fieldsOf = (answer: Answer): ReadonlyArray<string> =>
  (answer.json.meta.errors ?? []).map((e: any) => `${e.field} ${e.code}`)

describe("every response", () => {
  const table: ReadonlyArray<readonly [string, Options, number, string]> = [
    ["/v1/me", {}, 200, "ok"],
    ["/v1/api-keys", {}, 200, "ok"],
    ["/v1/nothing", {}, 404, "not_found"],
    ["/v1/me", { method: "PUT" }, 404, "not_found"],
    ["/v1/me", { method: "POST", body: {} }, 404, "not_found"],
    ["/v1/me/", {}, 404, "not_found"],
    ["/v1/ME", {}, 404, "not_found"],
    ["/v1/wallets/%zz", {}, 404, "not_found"],
    ["/v1/me;a=b", {}, 404, "not_found"],
    ["/v1/wallets;page=0", {}, 404, "not_found"],
    ["/v1/wallets/", {}, 404, "not_found"],
    ["/v1/wallets/?page=1", {}, 404, "not_found"],
    ["/v1/wallets//balance", {}, 404, "not_found"],
    ["/sandbox/nothing", {}, 404, "not_found"],
    ["/operator/v1/nothing", {}, 404, "not_found"],
    ["/v1/me", { key: null }, 401, "authentication_failed"],
    ["/v1/wallets/ben_1", {}, 400, "invalid_input"],
    ["/v1/wallets/wal_1", {}, 404, "not_found"],
    [`/v1/wallets/wal_${"x".repeat(5000)}`, {}, 404, "not_found"],
    ["/v1/wallets/wal_%00", {}, 400, "invalid_input"],
    ["/v1/wallets?page=0", {}, 400, "invalid_input"],
    ["/v1/wallets", { body: {} }, 400, "bad_request"]
  ]
  covers(
    "ENVELOPE-1",
    "ENVELOPE-2",
    "ENVELOPE-3",
    "ENVELOPE-4",
    "ENVELOPE-5",
    "ENVELOPE-6",
    "ENVELOPE-7",
    "ENVELOPE-8",
    "ENVELOPE-11",
    "HTTP-1",
    "HTTP-2",
    "HTTP-4",
    "HTTP-5",
    "FIELD-6",
    "ENVELOPE-12",
    "ERROR-12"
  )
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

  covers("HTTP-10")
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
  covers("AUTH-1", "AUTH-4", "ERROR-7", "KEY-1")
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

  covers("AUTH-10")
  it("says what a secret of the other area is and what is taken, whether or not it is valid", async () => {
    const refusalOf = async (path: string, secret: string) => {
      const body = path.startsWith("/sandbox") ? { body: {} } : {}
      const { json, status } = await api.ask(path, { key: secret, ...body })
      return [status, json.code, json.message]
    }
    const { token } = (
      await asOperator(api, "/operator/v1/operators", {
        body: { name: "Ada Obi", email: "ada@example.com", role: "viewer" }
      })
    ).json.data
    const nobodys = (secret: string) => `${secret.slice(0, -8)}${"z".repeat(8)}`
    const key = await refusalOf("/operator/v1/merchants", api.key)
    expect(key.slice(0, 2)).toEqual([401, "authentication_failed"])
    expect(key[2]).toMatch(/has an API key\. The operator API takes an operator's token/)
    for (const other of [nobodys(api.key), `sk_live_${"a".repeat(43)}`])
      expect(await refusalOf("/operator/v1/merchants", other)).toEqual(key)
    for (const path of ["/v1/me", "/sandbox/outcomes"]) {
      const found = await refusalOf(path, token)
      expect(found.slice(0, 2)).toEqual([401, "authentication_failed"])
      expect(found[2]).toMatch(/has an operator's token\. This route takes an API key/)
      expect(await refusalOf(path, nobodys(token))).toEqual(found)
    }
  })

  covers("AUTH-9")
  it("says how to authenticate wherever it refuses with 401, and nowhere else", async () => {
    const challenge = async (path: string, options: Options) => {
      const { status, headers } = await api.ask(path, options)
      return [status, headers.get("www-authenticate")]
    }
    const body = { name: "Lome Trading", country_code: "NG" }
    const pending = (await asOperator(api, "/operator/v1/merchants", { body })).json.data.api_key.secret
    expect(await challenge("/v1/me", { key: null })).toEqual([401, "Bearer"])
    expect(await challenge("/v1/me", { key: pending })).toEqual([401, "Bearer"])
    expect(await challenge("/operator/v1/merchants", {})).toEqual([401, "Bearer"])
    expect(await challenge("/v1/me", {})).toEqual([200, null])
    expect(await challenge("/v1/wallets", { key: viewer, body: {} })).toEqual([403, null])
  })

  it("accepts the scheme in any case", async () => {
    expect((await api.ask("/v1/me", { key: null, headers: { authorization: `bearer ${api.key}` } })).status).toBe(200)
  })

  covers("KEY-2")
  it("refuses a revoked key from the next request on", async () => {
    const { id, secret } = await createKey(api, "developer")
    expect((await api.ask("/v1/me", { key: secret })).status).toBe(200)
    expect((await api.ask(`/v1/api-keys/${id}`, { method: "DELETE" })).json.data).toEqual({ id, success: true })
    expect((await api.ask("/v1/me", { key: secret })).json.code).toBe("authentication_failed")
    expect((await api.ask(`/v1/api-keys/${id}`, { method: "DELETE" })).json.code).toBe("invalid_status")
    expect((await api.ask("/v1/api-keys")).json.data.map((k: any) => k.id)).not.toContain(id)
  })

  it("refuses the operator API without the operator's token", async () => {
    for (const key of [null, api.key, "wrong"])
      expect((await api.ask("/operator/v1/merchants", { key })).status).toBe(401)
    expect((await asOperator(api, "/operator/v1/merchants")).status).toBe(200)
  })

  covers("AUTH-5", "ERROR-8", "MERCHANT-1", "OPERATOR-1")
  it("distinguishes an inactive merchant from an unknown key, at once after a suspension", async () => {
    const made = await asOperator(api, "/operator/v1/merchants", { body: { name: "Lagos", country_code: "NG" } })
    const { merchant, api_key } = made.json.data
    const me = () => api.ask("/v1/me", { key: api_key.secret })
    const move = (status: string) =>
      asOperator(api, `/operator/v1/merchants/${merchant.id}`, { method: "PATCH", body: { status } })
    expect([(await me()).status, (await me()).json.code]).toEqual([401, "merchant_inactive"])
    expect((await move("suspended")).json.code).toBe("invalid_status")
    expect((await move("active")).json.data.status).toBe("active")
    expect((await me()).json.data.merchant.id).toBe(merchant.id)
    expect((await move("suspended")).status).toBe(200)
    expect((await me()).json.code).toBe("merchant_inactive")
    expect((await move("pending")).json.code).toBe("invalid_status")
  })
})

covers("HTTP-6")
describe("order of checks", () => {
  const bad = { "idempotency-key": "bad" }
  it.each([
    ["authentication before everything", { key: "sk_test_no", headers: bad, raw: "{" }, "/v1/wallets", 401],
    ["role before the key's form", { key: "viewer", headers: bad, raw: "{" }, "/v1/wallets", 403],
    ["the key's form before the body", { headers: bad, raw: "{" }, "/v1/wallets", 400],
    ["a path id before the body", { method: "PATCH", raw: "{" }, "/v1/wallets/ben_1", 400],
    ["the body before existence", { method: "PATCH", body: { label: 7 } }, "/v1/wallets/wal_1", 400]
  ])("checks %s", async (_, { key, ...options }: any, path, status) => {
    const answer = await api.ask(path, {
      ...options,
      method: options.method ?? "POST",
      ...(key === undefined ? {} : { key: key === "viewer" ? viewer : key })
    })
    expect(answer.status).toBe(status)
    if (path.endsWith("ben_1")) expect(fieldsOf(answer)).toEqual(["id invalid_format"])
    if (options.headers === bad && status === 400) expect(fieldsOf(answer)).toEqual(["Idempotency-Key invalid_format"])
  })

  covers("AUTH-6", "ERROR-9", "AUTH-7")
  it("allows a viewer to read only", async () => {
    expect((await api.ask("/v1/wallets", { key: viewer })).status).toBe(200)
    expect((await api.ask("/v1/wallets", { key: viewer, body: { currency: "USDC" } })).json.code).toBe("forbidden")
  })
})

covers("HTTP-8", "HTTP-7", "ENVELOPE-10", "ERROR-1", "HTTP-3")
describe("bodies", () => {
  const post = (options: Options) => api.ask("/v1/api-keys", { method: "POST", ...options })
  it.each([
    ["malformed JSON", { raw: "{" }, "body invalid_format"],
    ["an array", { raw: "[]" }, "body invalid_type"],
    ["null", { raw: "null" }, "body invalid_type"],
    [
      "another content type",
      { raw: "role=admin", headers: { "content-type": "application/x-www-form-urlencoded" } },
      "body invalid_type"
    ],
    ["bytes that are not UTF-8", { raw: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]) }, "body invalid_format"],
    ["a body over 1 MiB", { raw: JSON.stringify({ role: "viewer", pad: "x".repeat(1024 * 1024) }) }, "body too_long"],
    ["nothing at all", { raw: "" }, "role required"],
    [
      "a deep nest where a text belongs",
      { raw: `{"role":"viewer","label":${"[".repeat(20_000)}${"]".repeat(20_000)}}` },
      "label invalid_type"
    ],
    ["a value that is not in the list", { body: { role: "owner" } }, "role invalid_value"],
    ["another type", { body: { role: 1, label: 2 } }, "role invalid_type,label invalid_type"],
    ["a text too long", { body: { role: "viewer", label: "x".repeat(101) } }, "label too_long"]
  ])("refuses %s", async (_, options, expected) => {
    const answer = await post(options as Options)
    expect([answer.status, answer.json.code, fieldsOf(answer).join()]).toEqual([400, "bad_request", expected])
  })

  covers("HTTP-20")
  it("names the line and the column at which a body is no JSON, and nothing of it", async () => {
    const { json, text } = await post({ raw: '{\n  "role": "viewer",\n  "label": secret\n}' })
    expect(json.message).toBe("The body is not valid JSON: line 3, column 12.")
    expect(text).not.toContain("secret")
  })

  it("refuses a body over 1 MiB without a Content-Length", async () => {
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

  it("accepts a body of almost 1 MiB, a charset and unknown members", async () => {
    const { json } = await post({
      raw: JSON.stringify({ role: "viewer", pad: "x".repeat(1024 * 1024 - 100) }),
      headers: { "content-type": "application/json; charset=utf-8" }
    })
    expect(json.code).toBe("ok")
    await api.ask(`/v1/api-keys/${json.data.id}`, { method: "DELETE" })
  })

  covers("HTTP-8", "ERROR-3")
  it("returns invalid_input for every field of a transfer, and bad_request if the body is not JSON", async () => {
    const fields = await api.ask("/v1/transfers", { body: { wallet_id: "ben_1", amount: 10 } })
    expect(fields.json.code).toBe("invalid_input")
    expect(fieldsOf(fields)).toEqual(["wallet_id invalid_format", "beneficiary_id required", "amount invalid_type"])
    expect((await api.ask("/v1/transfers", { method: "POST", raw: "{" })).json.code).toBe("bad_request")
  })

  covers("ERROR-3")
  it("returns invalid_input for a malformed id in a body", async () => {
    expect((await api.ask("/v1/wallets", { body: { currency: "USDC", customer_id: "wal_1" } })).json.code).toBe(
      "invalid_input"
    )
  })
})

describe("lists", () => {
  covers("LIST-1", "ERROR-2")
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

  covers("LIST-6")
  it.each([
    "/v1/notifications/events?category=foo",
    "/v1/notifications/events?category=ping",
    "/v1/notifications/events?event_type=offramp.foo",
    "/v1/notifications/webhooks/whe_unknown/deliveries?event_type=foo",
    "/operator/v1/webhook-endpoints/whe_unknown/deliveries?event_type=foo",
    "/operator/v1/exceptions?reason=foo",
    "/operator/v1/search?q=Ada&kind=foo"
  ])("refuse a value that a filter cannot have: %s", async (path) => {
    const answer = await (path.startsWith("/operator") ? asOperator(api, path) : api.ask(path))
    expect([answer.status, answer.json.code]).toEqual([400, "invalid_input"])
    expect(fieldsOf(answer)).toEqual([`${path.split("=").at(-2)!.split(/[?&]/).at(-1)} invalid_value`])
  })

  covers("LIST-3", "ENVELOPE-9", "LIST-1")
  it("return pages newest first, report has_more, and end with an empty page", async () => {
    const made: Array<string> = []
    for (const label of ["a", "b", "c"])
      made.unshift((await api.ask("/v1/wallets", { body: { currency: "USDC", label } })).json.data.id)
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

covers("HTTP-5")
it.each([
  ["/v1/walets", "Did you mean /v1/wallets?"],
  ["/v1/wallets/", "Did you mean /v1/wallets?"],
  ["/v1/offramp/ofr_01j9z3k4m5n6p7q8r9s0t1v2w3", "Did you mean /v1/offramps/:id?"],
  ["/operator/v1/exception", "Did you mean /operator/v1/exceptions?"],
  ["/sandbox/deposit", "Did you mean /sandbox/deposits?"]
] as const)("%s names what was probably meant", async (path, said) => {
  const { json, status } = await api.ask(path)
  expect([status, json.message]).toEqual([404, expect.stringContaining(said)])
})

covers("CURRENCY-8")
it("a currency that is unknown has the one that was probably meant", async () => {
  const { json, status } = await api.ask("/v1/wallets", { body: { currency: "NGM" } })
  expect([status, json.message]).toEqual([404, "There is no currency NGM. Did you mean NGN?"])
})

it.each(["/v1/nothing", "/v1/me", "/v1/wallets/wal_01j9z3k4m5n6p7q8r9s0t1v2w3", "/elsewhere"])(
  "PUT %s names nothing",
  async (path) => {
    const { json } = await api.ask(path, { method: "PUT" })
    expect(json.message).toBe(`The route PUT ${path} does not exist.`)
  }
)

covers("HTTP-19")
describe("the address of the server", () => {
  const start = async (accept: string) => {
    const response = await fetch(`${api.base}/`, { headers: { accept } })
    return [response.status, response.headers.get("content-type"), await response.text()] as const
  }

  it("leads people to the console and the documentation", async () => {
    const [status, type, text] = await start("text/html,application/xhtml+xml,*/*;q=0.8")
    expect([status, type]).toEqual([200, "text/html; charset=utf-8"])
    const links = [...text.matchAll(/<a href="([^"]+)">/g)].map(([, href]) => href)
    expect(links.map((href) => new URL(href!).pathname)).toEqual(["/console", "/docs", "/openapi.json"])
  })

  it("names them to programs", async () => {
    const [status, type, text] = await start("*/*")
    expect([status, type]).toEqual([200, "application/json"])
    expect(JSON.parse(text)).toMatchObject({
      name: "Corridor",
      environment: "test",
      docs_url: expect.stringMatching(/\/docs$/),
      console_url: expect.stringMatching(/\/console$/),
      openapi_url: expect.stringMatching(/\/openapi\.json$/)
    })
  })
})
