import { Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { Ids } from "../../../src/engine/ports/Ids.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { ensureOperatorToken as operatorTokenOf } from "../../../src/http/operator-token.ts"
import { type Api, operatorToken, startApi } from "../../support/http/server.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"

let api: Api
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.close())

let count = 0
/** A merchant of its own for a test: its admin key, and how to call with it. */
const merchant = async () => {
  const made = await api.ask("/operator/v1/merchants", {
    key: operatorToken,
    body: { name: `Merchant ${count++}`, country_code: "NG", status: "active" }
  })
  const { api_key, merchant: body, default_customer } = made.json.data
  const makeKey = (role: string, key = api_key.secret) => api.ask("/v1/api-keys", { key, body: { role } })
  return { api_key, body, default_customer, key: api_key.secret as string, makeKey }
}

describe("merchants", () => {
  covers("OPERATOR-1", "MERCHANT-2", "MERCHANT-3")
  it("are created with an admin key and a verified default customer, pending by default", async () => {
    const { json } = await api.ask("/operator/v1/merchants", {
      key: operatorToken,
      body: { name: "Accra Ltd", country_code: "GH" }
    })
    expect(json.data.merchant).toMatchObject({ name: "Accra Ltd", country_code: "GH", status: "pending" })
    expect(json.data.api_key).toMatchObject({
      role: "admin",
      secret: expect.stringMatching(/^sk_test_[A-Za-z0-9_-]{43}$/)
    })
    expect(json.data.default_customer).toMatchObject({
      id: json.data.merchant.default_customer_id,
      type: "business",
      name: "Accra Ltd",
      kyc_status: "approved",
      tier: "tier_2",
      is_default: true
    })
  })

  it("can be controlled through the sandbox while suspended, but not while pending", async () => {
    const { body, key } = await merchant()
    const wallet = await api.ask("/v1/wallets", { key, body: { currency: "USDC" } })
    const settle = (as: string) => api.ask("/sandbox/settle", { key: as, body: {} })
    await api.ask(`/operator/v1/merchants/${body.id}`, {
      method: "PATCH",
      key: operatorToken,
      body: { status: "suspended" }
    })
    expect((await api.ask("/v1/wallets", { key })).json.code).toBe("merchant_inactive")
    // The step looks again for what waits for a decision about the merchant.
    expect((await settle(key)).json.data).toEqual({ steps: 1, deliveries_pending: 0 })
    const deposit = { wallet_id: wallet.json.data.id, amount: "5.00" }
    expect((await api.ask("/sandbox/deposits", { key, body: deposit })).status).toBe(200)
    const pending = await api.ask("/operator/v1/merchants", {
      key: operatorToken,
      body: { name: "Accra Ltd", country_code: "GH" }
    })
    expect((await settle(pending.json.data.api_key.secret)).json.code).toBe("merchant_inactive")
  })

  covers("ERROR-5")
  it.each([
    [{ name: "X", country_code: "KP" }, "prohibited_country"],
    [{ name: "X", country_code: "ng" }, "invalid_input"],
    [{ name: "", country_code: "NG" }, "bad_request"],
    [{ country_code: "NG" }, "bad_request"],
    [{ name: "X", country_code: "NG", status: "closed" }, "bad_request"]
  ])("refuse %j: %s", async (body, code) => {
    const answer = await api.ask("/operator/v1/merchants", { key: operatorToken, body })
    expect([answer.status, answer.json.code]).toEqual([400, code])
  })

  covers("OPERATOR-1")
  it("are listed by status, and unknown ones are not found", async () => {
    const { body } = await merchant()
    const list = await api.ask("/operator/v1/merchants?status=active&per_page=200", { key: operatorToken })
    expect(list.json.data.map((m: any) => m.id)).toContain(body.id)
    expect(list.json.data.every((m: any) => m.status === "active")).toBe(true)
    const patch = (id: string) =>
      api.ask(`/operator/v1/merchants/${id}`, { key: operatorToken, method: "PATCH", body: { status: "active" } })
    expect((await patch("mer_unknown")).json.code).toBe("not_found")
    expect((await patch("cust_1")).json.code).toBe("invalid_input")
    expect((await patch(body.id)).json.data.status).toBe("active")
  })

  covers("AUTH-8")
  it("read their own merchant and key", async () => {
    const { key, body, api_key } = await merchant()
    const { json } = await api.ask("/v1/me", { key })
    expect(json.data).toEqual({
      merchant: { id: body.id, name: body.name, country_code: "NG", status: "active" },
      integration: { id: `int_${body.id.slice(4)}` },
      api_key: { id: api_key.id, role: "admin", prefix: key.slice(0, 12), created_at: api_key.created_at },
      environment: "test"
    })
  })
})

describe("keys", () => {
  covers("KEY-2", "KEY-1")
  it("show their secret once and never again", async () => {
    const { key, makeKey } = await merchant()
    const made = await makeKey("developer")
    expect(made.json.data).toEqual({
      id: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      role: "developer",
      label: null,
      // That of the key that made it, which is a person of its own.
      person: expect.stringMatching(/^key_[0-9a-z]{26}$/),
      prefix: made.json.data.secret.slice(0, 12),
      secret: expect.stringMatching(/^sk_test_[A-Za-z0-9_-]{43}$/),
      created_at: expect.any(String)
    })
    const list = await api.ask("/v1/api-keys", { key })
    expect(list.json.data).toHaveLength(2)
    expect(list.text).not.toContain(made.json.data.secret)
  })

  covers("ERROR-10", "AUTH-6")
  it("cannot have a role above that of their creator", async () => {
    const { makeKey } = await merchant()
    const developer = (await makeKey("developer")).json.data.secret
    expect((await makeKey("admin", developer)).json.code).toBe("forbidden_key_role")
    expect((await makeKey("developer", developer)).status).toBe(200)
    expect((await makeKey("viewer", developer)).status).toBe(200)
    const viewer = (await makeKey("viewer")).json.data.secret
    expect((await makeKey("viewer", viewer)).json.code).toBe("forbidden")
  })

  covers("AUTH-7", "KEY-2")
  it("revoke themselves, and others only as admin", async () => {
    const { key, api_key, makeKey } = await merchant()
    const developer = (await makeKey("developer")).json.data
    const revoke = (id: string, by: string) => api.ask(`/v1/api-keys/${id}`, { method: "DELETE", key: by })
    expect((await revoke(api_key.id, developer.secret)).json.code).toBe("forbidden")
    expect((await revoke(developer.id, developer.secret)).status).toBe(200)
    expect((await api.ask("/v1/me", { key: developer.secret })).status).toBe(401)
    expect((await revoke("key_unknown", key)).json.code).toBe("not_found")
    const other = await merchant()
    expect((await revoke(other.api_key.id, key)).json.code).toBe("not_found")
    expect((await api.ask("/v1/me", { key: other.key })).status).toBe(200)
  })

  covers("KEY-3", "ERROR-18")
  it("are limited to ten under concurrent creation, and a revocation frees a place", async () => {
    const { key, makeKey } = await merchant()
    const answers = await Promise.all(Array.from({ length: 14 }, () => makeKey("viewer")))
    const made = answers.filter((a) => a.status === 200)
    for (const other of answers.filter((a) => a.status !== 200))
      expect(["api_key_limit_exceeded", "conflict"]).toContain(other.json.code)
    while ((await makeKey("viewer")).status === 200);
    expect((await api.ask("/v1/api-keys", { key })).json.meta.total).toBe(10)
    expect((await makeKey("viewer")).json.code).toBe("api_key_limit_exceeded")
    await api.ask(`/v1/api-keys/${made[0]!.json.data.id}`, { method: "DELETE", key })
    expect((await makeKey("viewer")).status).toBe(200)
  })
})

covers("SERVICE-4")
describe("the bootstrap merchant", () => {
  /** Two nodes over one store. */
  const nodes = async () => {
    const store = Effect.runSync(Effect.scoped(Layer.build(MemoryStorage.layer)))
    const storage = Layer.succeedContext(store)
    const start = (api_key?: string) =>
      Effect.runPromise(
        Effect.scoped(
          Effect.flatMap(Merchants, (merchants) => merchants.bootstrap(api_key)).pipe(
            Effect.provide(makeSimulatedEngine({ storage }))
          )
        )
      )
    const list = () =>
      Effect.runPromise(
        Effect.provideContext(
          Effect.flatMap(Storage, (s) =>
            s.list({ kinds: ["merchant", "api_key", "customer"], index_keys: [], offset: 0, limit: 100 })
          ),
          store
        )
      )
    return { start, list, storage }
  }

  it("is created once by nodes that start together, and one of them prints its key", async () => {
    const { start, list } = await nodes()
    const made = await Promise.all([start(), start(), start()])
    expect(new Set(made.map((m) => m.merchant_id)).size).toBe(1)
    expect(made.filter((m) => m.api_key !== null)).toHaveLength(1)
    expect((await list()).items.map((row) => row.kind).sort()).toEqual(["api_key", "customer", "merchant"])
    expect((await start()).api_key).toBeNull()
    expect((await list()).total).toBe(3)
  })

  it("stores a configured key once, and a second one replaces it", async () => {
    const { start, list } = await nodes()
    const [first, second] = [`sk_test_${"a".repeat(43)}`, `sk_test_${"b".repeat(43)}`]
    await Promise.all([start(first), start(first)])
    await start(first)
    expect((await list()).total).toBe(3)
    await start(second)
    await start(second)
    const keys = (await list()).items.filter((row) => row.kind === "api_key")
    expect(keys.map(({ data }) => (data as { readonly prefix: string }).prefix)).toEqual([second!.slice(0, 12)])
  })

  covers("SERVICE-5")
  it("has one operator token for all nodes of an empty store, until one is configured", async () => {
    const { storage } = await nodes()
    const start = (token?: string) =>
      Effect.runPromise(operatorTokenOf(token).pipe(Effect.provide(Layer.merge(storage, Ids.layer))))
    const made = await Promise.all([start(), start()])
    expect(made[0]!.hash).toBe(made[1]!.hash)
    expect(made.filter((m) => m.token !== null)).toHaveLength(1)
    const configured = await start("configured-token-123")
    expect(configured.hash).not.toBe(made[0]!.hash)
    expect(await start()).toEqual({ hash: configured.hash, token: null })
    expect(await start("off")).toEqual({ hash: "", token: null })
    expect(await start()).toEqual({ hash: "", token: null })
    expect(await start("configured-token-123")).toEqual(configured)
  })
})
