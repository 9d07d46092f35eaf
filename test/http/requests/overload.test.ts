/** More at once than a process takes: those let in are answered, the rest are told so and nothing is done for them. */
import { Deferred, Effect, Layer } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { MemoryStorage } from "../../../src/adapters/storage/memory.ts"
import { CallLimits } from "../../../src/engine/calls/Admission.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { type Answer, type Api, operatorToken, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"

const limit = 4
const more = 6

/** A memory store whose commits and lists wait while it is held. */
const holdable = () => {
  let gate: Deferred.Deferred<void> | undefined
  let held = 0
  const passing = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.suspend(() => {
      if (gate === undefined) return effect
      held++
      return Effect.andThen(Deferred.await(gate), effect)
    })
  const layer = Layer.effect(
    Storage,
    Effect.map(Storage, (store) =>
      Storage.of({
        ...store,
        commit: (change) => passing(store.commit(change)),
        list: (query) => passing(store.list(query))
      })
    )
  ).pipe(Layer.provide(MemoryStorage.layer))
  return {
    layer: Layer.merge(layer, Layer.succeed(CallLimits, { writes: limit, reads: limit })),
    held: () => held,
    hold: () => {
      gate = Deferred.makeUnsafe<void>()
      held = 0
    },
    release: () => {
      const opened = gate
      gate = undefined
      if (opened !== undefined) Deferred.doneUnsafe(opened, Effect.void)
    }
  }
}

const refused = ({ status, json, headers }: Answer): void => {
  expect([status, json.code, headers.get("retry-after")]).toEqual([429, "rate_limited", "1"])
  expect(headers.get("x-request-id")).toBe(json.meta.request_id)
}

covers("LIMIT-2", "LIMIT-3")
describe("a server that answers as many requests as it takes", () => {
  const store = holdable()
  let api: Api
  beforeAll(async () => {
    api = await startApi({}, store.layer)
  })
  afterAll(() => api.close())

  const create = (n: number): Promise<Answer> =>
    api.ask("/v1/wallets", {
      body: { currency: "USDC", label: `wallet ${n}` },
      headers: { "idempotency-key": `overload-${n}` }
    })
  const wallets = async (): Promise<number> => {
    const { total } = await Effect.runPromise(
      api.storage.list({ merchant_id: api.merchant_id, kinds: ["wallet"], index_keys: [], offset: 0, limit: 1 })
    )
    return total
  }

  it("refuses further writes with Retry-After, writes nothing of them, and takes their keys afterwards", async () => {
    store.hold()
    const inside = Array.from({ length: limit }, (_, n) => create(n))
    await expect.poll(store.held).toBe(limit)
    const outside = await Promise.all(Array.from({ length: more }, (_, n) => create(limit + n)))
    outside.forEach(refused)
    // Whose key is not known would cost a read: it is refused like the others.
    refused(await api.ask("/v1/wallets", { body: { currency: "USDC" }, key: `sk_test_${"x".repeat(43)}` }))
    expect(store.held()).toBe(limit)
    store.release()
    expect((await Promise.all(inside)).map(({ status }) => status)).toEqual(inside.map(() => 200))
    expect(await wallets()).toBe(limit)

    for (let n = 0; n < more; n++) {
      const first = await create(limit + n)
      expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([200, null])
      const again = await create(limit + n)
      expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"])
    }
    expect(await wallets()).toBe(limit + more)
  })

  it("counts reads apart, and always answers health, metrics and the operator", async () => {
    store.hold()
    const reads = Array.from({ length: limit }, () => api.ask("/v1/wallets"))
    await expect.poll(store.held).toBe(limit)
    refused(await api.ask("/v1/wallets"))
    refused(await api.ask("/v1/me"))
    const writes = Array.from({ length: limit }, (_, n) => create(100 + n))
    await expect.poll(store.held).toBe(2 * limit)
    refused(await create(200))
    const always = ["/health/live", "/health/ready", "/metrics", "/openapi.json", "/docs"]
    for (const path of always) expect((await api.ask(path)).status, path).toBe(200)
    const balance = await api.ask("/operator/v1/ledger/trial-balance", { key: operatorToken })
    expect(balance.status).toBe(200)
    store.release()
    const answers = await Promise.all([...reads, ...writes])
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect((await api.ask("/v1/me")).status).toBe(200)
  })

  it("lets others in when a client goes away from its read", async () => {
    // What was held before has made it careful: it takes as many again after some quick answers.
    for (let n = 0; n < 8 * limit; n++) await api.ask("/v1/me")
    store.hold()
    const leaving = new AbortController()
    const reads = Array.from({ length: limit }, () =>
      fetch(`${api.base}/v1/wallets`, { headers: { authorization: `Bearer ${api.key}` }, signal: leaving.signal })
    )
    await expect.poll(store.held).toBe(limit)
    leaving.abort()
    await Promise.allSettled(reads)
    await expect.poll(async () => (await api.ask("/v1/me")).status).toBe(200)
    store.release()
  })
})
