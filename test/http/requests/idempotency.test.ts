/** One key, one effect, one answer: what makes a repeat, what makes a conflict, and what is never kept. */
import { connect } from "node:net"
import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { type Answer, operatorToken, type Options, startApi } from "../../support/http/server.ts"
import { type Stock, startStocked } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await startStocked()
})
afterAll(() => s.api.close())

let count = 0
const newKey = (): string => `key-${process.pid}-${count++}`
const keyed = (key: string, options: Options): Options => ({
  ...options,
  headers: { ...options.headers, "idempotency-key": key }
})
const replayed = (answer: Answer): string | null => answer.headers.get("idempotent-replayed")
const wallets = async (label: string): Promise<number> =>
  (await s.api.ask("/v1/wallets?per_page=200")).json.data.filter((one: any) => one.label === label).length

describe("a key that was used", () => {
  const bodies = (label: string) => ({
    same: `{"currency":"USDC","label":"${label}"}`,
    other: `{"label":"${label}","currency":"USDC"}`
  })
  const at = { same: "/v1/wallets", other: "/v1/transfers" }
  const conflict = { status: 409, code: "idempotency_conflict", replayed: null, made: 1 }
  const anew = { status: 200, code: "ok", replayed: null }
  const again = { status: 200, code: "ok", replayed: "true", made: 1 }
  const summary = async (answer: Answer, label: string) => ({
    status: answer.status,
    code: answer.json.code,
    replayed: replayed(answer),
    made: await wallets(label)
  })

  it.each([
    ["same", "same", again],
    ["other", "same", conflict],
    ["same", "other", conflict],
    ["other", "other", conflict]
  ] as const)("with the %s bytes at the %s path", async (body, path, expected) => {
    const label = newKey()
    const first = await s.api.ask("/v1/wallets", keyed(label, { raw: bodies(label).same }))
    const second = await s.api.ask(at[path], keyed(label, { raw: bodies(label)[body] }))
    expect(await summary(second, label)).toEqual(expected)
    if (expected === again) expect(second.text).toBe(first.text)
  })

  it("with another query is a repeat: a path is a path", async () => {
    const label = newKey()
    const first = await s.api.ask("/v1/wallets", keyed(label, { raw: bodies(label).same }))
    expect((await s.api.ask("/v1/wallets?x=1", keyed(label, { raw: bodies(label).same }))).text).toBe(first.text)
  })

  it.each(["same", "other"] as const)("by another merchant, with the %s bytes, is new", async (body) => {
    const label = newKey()
    await s.api.ask("/v1/wallets", keyed(label, { raw: bodies(label).same }))
    const second = await s.api.ask("/v1/wallets", keyed(label, { raw: bodies(label)[body], key: s.keys.other }))
    expect(await summary(second, label)).toEqual({ ...anew, made: 1 })
  })

  it("by another key of the same merchant is a repeat", async () => {
    const label = newKey()
    const first = await s.api.ask("/v1/wallets", keyed(label, { raw: bodies(label).same }))
    const second = await s.api.ask("/v1/wallets", keyed(label, { raw: bodies(label).same, key: s.keys.developer }))
    expect([second.text, replayed(second)]).toEqual([first.text, "true"])
  })
})

describe("a repeat", () => {
  it("carries the first X-Request-Id, whatever it sends itself", async () => {
    const key = newKey()
    const body = { currency: "USDC" }
    const first = await s.api.ask("/v1/wallets", keyed(key, { body, headers: { "x-request-id": "first-one" } }))
    const again = await s.api.ask("/v1/wallets", keyed(key, { body, headers: { "x-request-id": "second-one" } }))
    expect(first.json.meta.request_id).toBe("first-one")
    expect([again.text, again.headers.get("x-request-id")]).toEqual([first.text, "first-one"])
  })

  it("moves money once, and answers as it was then", async () => {
    const key = newKey()
    const body = { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "7", reference: key }
    const first = await s.api.ask("/v1/transfers", keyed(key, { body }))
    await s.settle()
    await s.make("/sandbox/outcomes", { resource_id: first.json.data.id, outcome: "success" })
    const again = await s.api.ask("/v1/transfers", keyed(key, { body }))
    expect([again.text, again.json.data.status, replayed(again)]).toEqual([first.text, "processing", "true"])
    expect((await s.api.ask(`/v1/transfers?reference=${key}`)).json.data.map((one: any) => one.status)).toEqual([
      "success"
    ])
  })

  covers("HTTP-6", "IDEM-1")
  it("is answered as the first, whatever it would be refused for now", async () => {
    const key = newKey()
    const wallet = await s.make("/v1/wallets", { currency: "USDC" })
    await s.make("/sandbox/deposits", { wallet_id: wallet.id, amount: "5" })
    const body = { wallet_id: wallet.id, beneficiary_id: s.crypto, amount: "5", reference: key }
    const ask = (sent: object) => s.api.ask("/v1/transfers", keyed(key, { body: sent }))
    const [first, again] = [await ask(body), await ask(body)]
    expect(first.json.data.status).toBe("processing")
    expect([again.text, replayed(again)]).toEqual([first.text, "true"])
    const others = [{ ...body, amount: "6" }, { ...body, amount: "much" }, { amount: "5" }, []]
    for (const other of others) expect((await ask(other)).json.code).toBe("idempotency_conflict")
  })

  covers("IDEM-7")
  it("of a refusal is that refusal, also once it would succeed", async () => {
    const key = newKey()
    const wallet = await s.make("/v1/wallets", { currency: "USDC" })
    const body = { wallet_id: wallet.id, beneficiary_id: s.crypto, amount: "5" }
    const first = await s.api.ask("/v1/transfers", keyed(key, { body }))
    expect(first.json.code).toBe("ledger_insufficient_funds")
    await s.make("/sandbox/deposits", { wallet_id: wallet.id, amount: "5" })
    const again = await s.api.ask("/v1/transfers", keyed(key, { body }))
    expect([again.status, again.text, replayed(again)]).toEqual([422, first.text, "true"])
    expect((await s.api.ask("/v1/transfers", keyed(newKey(), { body }))).status).toBe(200)
  })

  it("is answered after the key it was made with is revoked, by the merchant's other keys only", async () => {
    const key = newKey()
    const made = await s.make("/v1/api-keys", { role: "developer" })
    const body = { currency: "USDC", label: key }
    const first = await s.api.ask("/v1/wallets", keyed(key, { body, key: made.secret }))
    await s.api.ask(`/v1/api-keys/${made.id}`, { method: "DELETE" })
    expect((await s.api.ask("/v1/wallets", keyed(key, { body, key: made.secret }))).status).toBe(401)
    expect((await s.api.ask("/v1/wallets", keyed(key, { body }))).text).toBe(first.text)
  })

  covers("IDEM-8")
  it.each([
    ["/v1/api-keys", { role: "viewer" }, "secret"],
    ["/v1/notifications/webhooks", { url: "http://127.0.0.1:9/sealed" }, "signing_secret"]
  ])("at %s shows a secret again that is kept sealed", async (path, body, name) => {
    const key = newKey()
    const first = await s.api.ask(path, keyed(key, { body }))
    expect((await s.api.ask(path, keyed(key, { body }))).text).toBe(first.text)
    const kept = await Effect.runPromise(s.api.storage.idempotencyRecord(s.api.merchant_id, `idem/${key}`, 0))
    expect(kept?.response).toMatch(/^sealed:/)
    expect(kept?.response).not.toContain(first.json.data[name])
  })
})

describe("what is never kept", () => {
  const body = (label: string) => ({ currency: "USDC", label })
  covers("IDEM-7", "IDEM-9", "LIMIT-2")
  it("is 401, 403 by role and 429: the same key succeeds afterwards", async () => {
    const limited = await startApi({ rate_per_second: 1 })
    try {
      const viewer = (await limited.ask("/v1/api-keys", { body: { role: "viewer" } })).json.data.secret
      let key = newKey()
      const ask = (options: Options = {}) => limited.ask("/v1/wallets", keyed(key, { body: body("kept"), ...options }))
      const beyond = async () => {
        expect((await ask({ key: null })).status).toBe(401)
        expect((await ask({ key: viewer })).status).toBe(403)
        while ((await limited.ask("/v1/wallets", { body: body("spent") })).status === 200);
        return ask()
      }
      let refused = await beyond()
      // A second that went by meanwhile allows one more: that key is used.
      for (let tries = 0; tries < 20 && refused.status === 200; tries++) {
        key = newKey()
        refused = await beyond()
      }
      expect([refused.status, refused.json.code]).toEqual([429, "rate_limited"])
      await new Promise((resolve) => setTimeout(resolve, Number(refused.headers.get("retry-after")) * 1000))
      const made = await ask()
      expect([made.status, replayed(made)]).toEqual([200, null])
    } finally {
      await limited.close()
    }
  })

  it("is a role above one's own, and a conflict of the key itself", async () => {
    const key = newKey()
    const above = await s.api.ask("/v1/api-keys", keyed(key, { body: { role: "admin" }, key: s.keys.developer }))
    expect(above.json.code).toBe("forbidden_key_role")
    const secret = newKey()
    const made = await s.api.ask("/v1/api-keys", keyed(secret, { body: { role: "admin" } }))
    expect(made.status).toBe(200)
    const again = await s.api.ask("/v1/api-keys", keyed(secret, { body: { role: "admin" }, key: s.keys.developer }))
    expect([again.status, again.json.code, again.json.data]).toEqual([403, "forbidden_key_role", null])
    expect((await s.api.ask("/v1/api-keys", keyed(secret, { body: { role: "admin" } }))).text).toBe(made.text)
    const first = await s.api.ask("/v1/wallets", keyed(key, { body: body(key) }))
    expect([first.status, replayed(first)]).toEqual([200, null])
    expect((await s.api.ask("/v1/wallets", keyed(key, { body: body("other") }))).json.code).toBe("idempotency_conflict")
    expect((await s.api.ask("/v1/wallets", keyed(key, { body: body(key) }))).text).toBe(first.text)
  })
})

describe("a key that is no key", () => {
  it("is two of them, the same or not", async () => {
    const body = '{"currency":"USDC","label":"twice"}'
    const send = (headers: string): Promise<string> =>
      new Promise((resolve, reject) => {
        const socket = connect(s.api.port, "127.0.0.1", () =>
          socket.write(
            `POST /v1/wallets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${s.api.key}\r\nContent-Type: application/json\r\n` +
              `${headers}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`
          )
        )
        let received = ""
        socket.on("data", (chunk) => {
          received += chunk.toString()
        })
        socket.on("close", () => resolve(received))
        socket.on("error", reject)
      })
    for (const second of ["same-key-123", "other-key-123", ""]) {
      const received = await send(`Idempotency-Key: same-key-123\r\nidempotency-key: ${second}\r\n`)
      expect(received).toMatch(/^HTTP\/1\.1 400 /)
      expect(received).toContain('"code":"bad_request"')
    }
    expect(await wallets("twice")).toBe(0)
  })

  it("is told before the body is looked at, and only where keys are taken", async () => {
    const bad = { "idempotency-key": "bad" }
    expect((await s.api.ask("/v1/wallets", { raw: "{", headers: bad })).json.meta.errors[0].field).toBe(
      "Idempotency-Key"
    )
    expect((await s.api.ask("/v1/wallets", { headers: bad })).status).toBe(200)
    const path = `/v1/wallets/${s.empty}`
    expect((await s.api.ask(path, { method: "PATCH", body: { label: "x" }, headers: bad })).status).toBe(200)
    expect((await s.api.ask("/sandbox/settle", { body: {}, headers: bad })).status).toBe(200)
  })
})

describe("while the first one runs", () => {
  covers("IDEM-3", "ERROR-17")
  it("a repeat is told to wait, another body conflicts, and another merchant's is none of it", async () => {
    let open = (): void => {}
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const slow = Layer.effect(
      Storage,
      Effect.map(Storage, (storage) =>
        Storage.of({
          ...storage,
          commit: (change) =>
            change.idempotency?.key === "idem/slow-key-1" && change.merchant_id === slowApi.merchant_id
              ? Effect.andThen(
                  Effect.promise(() => gate),
                  storage.commit(change)
                )
              : storage.commit(change)
        })
      )
    ).pipe(Layer.provide(MemoryStorage.layer))
    const slowApi = await startApi({ rate_per_second: 0 }, slow)
    try {
      const ask = (label: string, key?: string) =>
        slowApi.ask(
          "/v1/wallets",
          keyed("slow-key-1", { body: { currency: "USDC", label }, ...(key === undefined ? {} : { key }) })
        )
      const merchant = { name: "Other", country_code: "GH", status: "active" }
      const other = await slowApi.ask("/operator/v1/merchants", { body: merchant, key: operatorToken })
      const first = ask("a")
      await expect.poll(async () => (await ask("a")).json.code).toBe("idempotency_in_progress")
      const waiting = await ask("a")
      expect([waiting.status, Number(waiting.headers.get("retry-after")) >= 1]).toEqual([409, true])
      expect((await ask("b")).json.code).toBe("idempotency_conflict")
      expect((await ask("a", other.json.data.api_key.secret)).status).toBe(200)
      open()
      const made = await first
      expect([made.status, replayed(made)]).toEqual([200, null])
      const again = await ask("a")
      expect([again.text, replayed(again)]).toEqual([made.text, "true"])
      expect((await slowApi.ask("/v1/wallets")).json.meta.total).toBe(1)
    } finally {
      open()
      await slowApi.close()
    }
  })
})

covers("IDEM-7")
describe("many at once", () => {
  it("with one key have one effect: each is that answer, or is told to wait", async () => {
    const key = newKey()
    const body = { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1.5", reference: key }
    const before = (await s.api.ask(`/v1/wallets/${s.wallet}`)).json.data.balance
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => s.api.ask("/v1/transfers", keyed(key, { body })))
    )
    const fine = answers.filter(({ status }) => status === 200)
    expect(new Set(fine.map(({ text }) => text)).size).toBe(1)
    for (const { status, json, headers } of answers) {
      if (status === 200) continue
      expect([status, json.code]).toEqual([409, "idempotency_in_progress"])
      expect(Number(headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
    }
    const after = (await s.api.ask(`/v1/wallets/${s.wallet}`)).json.data.balance
    expect([
      Number(before.available) - Number(after.available),
      Number(after.reserved) - Number(before.reserved)
    ]).toEqual([1.5, 1.5])
    expect((await s.api.ask("/v1/transfers", keyed(key, { body }))).text).toBe(fine[0]!.text)
  })

  it("with one key and two bodies have one effect, and the other body conflicts", async () => {
    const key = newKey()
    const ask = (i: number) =>
      s.api.ask("/v1/wallets", keyed(key, { body: { currency: "USDC", label: `${key}-${i % 2}` } }))
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => ask(i)))
    const codes = new Set(answers.map(({ json }) => json.code))
    expect(codes.has("ok")).toBe(true)
    for (const code of codes) expect(["ok", "idempotency_in_progress", "idempotency_conflict"]).toContain(code)
    expect((await wallets(`${key}-0`)) + (await wallets(`${key}-1`))).toBe(1)
  })

  it("with a key each on one quote execute it once", async () => {
    const quote = await s.quote({ source_amount: "20" })
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => s.api.ask("/v1/offramps", keyed(newKey(), { body: { quote_id: quote.id } })))
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const { status, json } of answers)
      if (status !== 200) expect([status, json.code]).toEqual([409, "duplicate_resource"])
  })
})
