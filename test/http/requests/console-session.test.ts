/** The console's sessions: how they begin and end, what they may call, and who may not use them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, asOperator, createKey, operatorToken, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"
import { version } from "../../../src/version.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

interface Asked {
  readonly method?: string
  readonly body?: unknown
  readonly cookie?: string
  readonly csrf?: string
  readonly headers?: Record<string, string>
}

/** Asks without a key: as a browser does, with a cookie. */
const ask = async (path: string, { body, cookie, csrf, headers = {}, method }: Asked = {}, from = api) => {
  const response = await fetch(from.base + path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(cookie === undefined ? {} : { cookie: `corridor_session=${cookie}` }),
      ...(csrf === undefined ? {} : { "x-csrf-token": csrf }),
      ...headers
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: text === "" ? null : JSON.parse(text) }
}

/** Signs in, and gives the cookie and the CSRF token. */
const signIn = async (token: string, asked: Asked = {}, from = api) => {
  const { headers, json, status } = await ask("/console/session", { body: { token }, ...asked }, from)
  if (status !== 200) throw new Error(`the sign-in was refused: ${JSON.stringify(json)}`)
  const set = headers.get("set-cookie")!
  return {
    cookie: /^corridor_session=([^;]+)/.exec(set)![1]!,
    csrf: json.data.csrf_token as string,
    set,
    session: json.data
  }
}

const newOperator = async (role = "support") =>
  (await asOperator(api, "/operator/v1/operators", { body: { name: "Ada Obi", role } })).json.data

describe("a sign-in", () => {
  covers("SESSION-1", "SESSION-2")
  it("gives an operator a session, in a cookie that no script reads", async () => {
    const { id, token } = await newOperator()
    const { cookie, session, set } = await signIn(token)
    expect(session).toEqual({
      type: "operator",
      name: "Ada Obi",
      role: "support",
      operator_id: id,
      key_id: null,
      merchant_id: null,
      merchant_name: null,
      environment: "test",
      csrf_token: expect.stringMatching(/^[0-9a-f]{64}$/),
      expires_at: expect.any(String),
      server_version: version
    })
    expect(set.replace(/^[^;]+/, "")).toBe("; Max-Age=43200; HttpOnly; SameSite=Strict; Path=/console")
    expect(cookie).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect((await ask("/console/session", { cookie })).json.data).toEqual(session)
  })

  it("gives a merchant a session of the role of its key", async () => {
    const { id, secret } = await createKey(api, "viewer")
    const { session } = await signIn(secret)
    expect(session).toMatchObject({
      type: "merchant",
      role: "viewer",
      name: secret.slice(0, 12),
      operator_id: null,
      key_id: id,
      merchant_id: api.merchant_id,
      merchant_name: "Corridor"
    })
  })

  it("takes the configured operator token", async () => {
    expect((await signIn(operatorToken)).session).toMatchObject({ type: "operator", operator_id: null, role: "admin" })
  })

  covers("SESSION-2")
  it("never adopts an id that a request brings, and gives each session its own", async () => {
    const planted = "x".repeat(43)
    const first = await signIn(operatorToken, { cookie: planted })
    const second = await signIn(operatorToken, { cookie: first.cookie })
    expect(new Set([planted, first.cookie, second.cookie]).size).toBe(3)
    expect(first.csrf).not.toBe(second.csrf)
    expect((await ask("/console/session", { cookie: planted })).status).toBe(401)
  })

  covers("SESSION-2")
  it.each(["https://pay.example.com/corridor", "HTTPS://PAY.example.com/corridor"])(
    "sends the cookie over https only, and below the public path, where the service is public at %s",
    async (base_url) => {
      const other = await startApi({ base_url })
      try {
        expect((await signIn(operatorToken, {}, other)).set).toMatch(/; Path=\/corridor\/console; Secure$/)
      } finally {
        await other.close()
      }
    }
  )

  it.each([
    [{ token: "op_nobody" }, 401, "authentication_failed"],
    [{ token: `sk_test_${"x".repeat(43)}` }, 401, "authentication_failed"],
    [{}, 400, "bad_request"],
    [{ token: 7 }, 400, "bad_request"],
    [{ token: "" }, 400, "bad_request"],
    [{ token: "x".repeat(513) }, 400, "bad_request"]
  ])("refuses %j", async (body, status, code) => {
    const answer = await ask("/console/session", { body })
    expect([answer.status, answer.json.code, answer.headers.get("set-cookie")]).toEqual([status, code, null])
  })

  it.each([
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "none" }
  ])("refuses a page elsewhere: %j", async (headers) => {
    const answer = await ask("/console/session", { body: { token: operatorToken }, headers: headers as never })
    expect([answer.status, answer.json.code, answer.headers.get("set-cookie")]).toEqual([403, "forbidden", null])
  })

  it("accepts a page of its own", async () => {
    for (const origin of [api.base, "http://corridor.test"])
      await signIn(operatorToken, { headers: { origin, "sec-fetch-site": "same-origin" } })
  })

  covers("SESSION-5")
  it("is refused for a minute after twenty failures from one address, but not with a valid token", async () => {
    const other = await startApi()
    try {
      for (let n = 0; n < 20; n++)
        expect((await ask("/console/session", { body: { token: `op_${n}` } }, other)).status).toBe(401)
      const refused = await ask("/console/session", { body: { token: "op_20" } }, other)
      expect([refused.status, refused.json.code]).toEqual([429, "rate_limited"])
      expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
      // Behind a proxy everyone has one address: a stranger must not lock the others out.
      for (const token of [operatorToken, other.key]) await signIn(token, {}, other)
    } finally {
      await other.close()
    }
  })
})

describe("a session", () => {
  covers("SESSION-1")
  it("calls the API in place of a key: the same routes, the same responses", async () => {
    const { cookie, csrf } = await signIn(api.key)
    const read = await ask("/console/api/v1/me", { cookie })
    const plain = await api.ask("/v1/me")
    expect(read.json.data).toEqual(plain.json.data)
    const made = await ask("/console/api/v1/wallets", { cookie, csrf, body: { currency: "USDC", label: "by hand" } })
    expect([made.status, made.json.data.label]).toEqual([200, "by hand"])
    expect((await ask("/console/api/sandbox/settle", { cookie, csrf, body: {} })).status).toBe(200)
    const listed = await ask("/console/api/v1/wallets?currency=USDC&per_page=1", { cookie })
    expect(listed.json.meta.per_page).toBe(1)
  })

  it("repeats a call by its Idempotency-Key, with the key itself too", async () => {
    const { cookie, csrf } = await signIn(api.key)
    const headers = { "idempotency-key": "console-0001" }
    const first = await ask("/console/api/v1/wallets", { cookie, csrf, body: { currency: "USDT" }, headers })
    const again = await api.ask("/v1/wallets", { body: { currency: "USDT" }, headers })
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"])
  })

  covers("SESSION-4")
  it("of a merchant opens no route of the operator's, and the reverse", async () => {
    const merchant = await signIn(api.key)
    const operator = await signIn(operatorToken)
    expect((await ask("/console/api/operator/v1/me", merchant)).json.code).toBe("authentication_failed")
    expect((await ask("/console/api/v1/me", operator)).json.code).toBe("authentication_failed")
    const settle = await ask("/console/api/sandbox/settle", { ...operator, body: {} })
    expect(settle.json.code).toBe("authentication_failed")
    expect((await ask("/console/api/operator/v1/me", operator)).status).toBe(200)
  })

  covers("SESSION-4")
  it("counts below /console/api only, where a key counts for nothing", async () => {
    const { cookie } = await signIn(api.key)
    const operator = await signIn(operatorToken)
    for (const [path, session] of [
      ["/v1/me", cookie],
      ["/operator/v1/me", operator.cookie]
    ] as const)
      expect((await ask(path, { cookie: session })).status).toBe(401)
    const authorization = `Bearer ${operatorToken}`
    expect((await ask("/console/api/operator/v1/me", { headers: { authorization } })).status).toBe(401)
    const read = await ask("/console/api/v1/me", { cookie, headers: { authorization } })
    expect(read.status).toBe(200)
    for (const path of ["/console/api/docs", "/console/api/metrics", "/console/api/console/session", "/console/api/"])
      expect((await ask(path, { cookie })).status, path).toBe(404)
  })

  covers("SESSION-3")
  it("writes only with its own CSRF token, and for pages of this service", async () => {
    const { cookie, csrf } = await signIn(api.key)
    const other = await signIn(api.key)
    const body = { currency: "USDC" }
    const count = async () => (await api.ask("/v1/wallets?per_page=1")).json.meta.total
    const before = await count()
    const refusals: ReadonlyArray<Asked> = [
      { cookie },
      { cookie, csrf: "" },
      { cookie, csrf: csrf.toUpperCase() },
      { cookie, csrf: other.csrf },
      { cookie, csrf: `${csrf}0` },
      { cookie, csrf, headers: { origin: "https://evil.example" } },
      { cookie, csrf, headers: { "sec-fetch-site": "cross-site" } }
    ]
    for (const refusal of refusals) {
      const { json, status } = await ask("/console/api/v1/wallets", { ...refusal, body })
      expect([status, json.code], JSON.stringify(refusal)).toEqual([403, "forbidden"])
    }
    const out = await ask("/console/session", { cookie, method: "DELETE" })
    expect(out.json.code).toBe("forbidden")
    expect((await ask("/console/api/v1/me", { cookie, headers: { "sec-fetch-site": "cross-site" } })).status).toBe(403)
    expect(await count()).toBe(before)
    expect((await ask("/console/api/v1/wallets", { cookie, csrf, body })).status).toBe(200)
    expect(await count()).toBe(before + 1)
  })

  covers("SESSION-1")
  it("ends at the sign-out, once and for all", async () => {
    const { cookie, csrf } = await signIn(operatorToken)
    const out = await ask("/console/session", { cookie, csrf, method: "DELETE" })
    expect([out.status, out.text]).toEqual([204, ""])
    expect(out.headers.get("set-cookie")).toMatch(/^corridor_session=; Max-Age=0; HttpOnly/)
    for (const path of ["/console/session", "/console/api/operator/v1/me"])
      expect((await ask(path, { cookie })).json.code).toBe("authentication_failed")
    expect((await ask("/console/session", { cookie, csrf, method: "DELETE" })).status).toBe(401)
  })

  covers("SESSION-1")
  it("ends with its operator, and with a new token of the operator", async () => {
    const { id, token } = await newOperator()
    const first = await signIn(token)
    const { json } = await asOperator(api, `/operator/v1/operators/${id}/rotate-token`, { body: {} })
    expect((await ask("/console/session", first)).status).toBe(401)
    const second = await signIn(json.data.token)
    await asOperator(api, `/operator/v1/operators/${id}/revoke`, { body: {} })
    expect((await ask("/console/api/operator/v1/me", second)).status).toBe(401)
  })

  it("ends with its API key, and calls nothing while the merchant is suspended", async () => {
    const { id, secret } = await createKey(api, "developer")
    const session = await signIn(secret)
    const status = (to: string) =>
      asOperator(api, `/operator/v1/merchants/${api.merchant_id}`, { method: "PATCH", body: { status: to } })
    await status("suspended")
    expect((await ask("/console/api/v1/me", session)).json.code).toBe("merchant_inactive")
    expect((await ask("/console/session", session)).json.code).toBe("merchant_inactive")
    await status("active")
    expect((await ask("/console/api/v1/me", session)).status).toBe(200)
    await api.ask(`/v1/api-keys/${id}`, { method: "DELETE" })
    expect((await ask("/console/api/v1/me", session)).json.code).toBe("authentication_failed")
  })

  it("of a viewer writes nothing", async () => {
    const merchant = await signIn((await createKey(api, "viewer")).secret)
    const operator = await signIn((await newOperator("viewer")).token)
    const refused = [
      await ask("/console/api/v1/wallets", { ...merchant, body: { currency: "USDC" } }),
      await ask("/console/api/operator/v1/brakes", { ...operator, body: { scope: "all" } })
    ]
    for (const { json, status } of refused) expect([status, json.code]).toEqual([403, "forbidden"])
  })
})

describe("the page of the console", () => {
  it("is at its own paths only", async () => {
    for (const path of ["/%63onsole", "/console;x", "/%63onsole/api/v1/me"])
      expect((await ask(path)).status, path).toBe(404)
  })
})

describe("a server without the console", () => {
  covers("SESSION-6")
  it("has nothing below /console", async () => {
    const other = await startApi({ console: false })
    try {
      const encoded = ["/%63onsole", "/%63onsole/movements", "/%63onsole/session", "/%63onsole/api/v1/me", "/console;x"]
      for (const path of ["/console", "/console/", "/console/session", "/console/api/v1/me", "/console/assets/a.js"])
        expect((await ask(path, {}, other)).status, path).toBe(404)
      for (const path of encoded) expect((await ask(path, {}, other)).status, path).toBe(404)
      for (const path of ["/console/session", "/%63onsole/session"])
        expect((await ask(path, { body: { token: operatorToken } }, other)).status, path).toBe(404)
      expect((await other.ask("/v1/me")).status).toBe(200)
    } finally {
      await other.close()
    }
  })
})
