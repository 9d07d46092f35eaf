/** What promises add to the engine: errors, options, keys, and an end. */
import { Context, Effect, Layer } from "effect"
import { afterEach, describe, expect, it } from "vitest"
import { AesGcmCipher, aesGcmCipher, aesKey } from "../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../src/adapters/clock/movable.ts"
import { SimulatedProvider, simulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { MemoryStorage, memoryStorage } from "../../src/adapters/storage/memory.ts"
import { MemoryWebhookSink, memoryWebhooks } from "../../src/adapters/webhook/memory.ts"
import { adapter } from "../../src/engine/ports/adapter.ts"
import { StorageFault } from "../../src/engine/ports/errors.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import { metricsText, mount } from "../../src/http/index.ts"
import {
  Corridor,
  CorridorError,
  RetentionPolicy,
  type RunningCorridor,
  type SandboxOptions,
  versionOf
} from "../../src/index.ts"
import { seriesOf } from "../support/http/metrics.ts"
import { covers } from "../support/repository/covers.ts"

const cipher = aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] })

const running: Array<RunningCorridor> = []
const start = async (over: Partial<SandboxOptions> = {}) => {
  const corridor = await Corridor.start({
    storage: memoryStorage(),
    provider: simulatedProvider({ mode: "manual" }),
    webhooks: memoryWebhooks(),
    cipher,
    clock: movableClock(),
    ...over
  })
  running.push(corridor)
  const { merchant } = await corridor.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
  return { corridor, lagos: corridor.as(merchant.id), sandbox: corridor.sandbox.as(merchant.id), merchant }
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((corridor) => corridor.close()))
})

const reason = async (asked: Promise<unknown>): Promise<CorridorError> => {
  const error = await asked.then(
    (answer) => answer,
    (why: unknown) => why
  )
  expect(error).toBeInstanceOf(CorridorError)
  return error as CorridorError
}

/** The same store for whoever opens it. */
const shared = () => Effect.runSync(Effect.scoped(Layer.build(MemoryStorage.layer)))

/** A memory store of which some methods are others. */
const changed = (change: (storage: Storage["Service"]) => Partial<Storage["Service"]>) =>
  adapter(
    "storage",
    Layer.effect(
      Storage,
      Effect.map(Storage, (storage) => ({ ...storage, ...change(storage) }))
    ).pipe(Layer.provide(MemoryStorage.layer))
  )

describe("retention", () => {
  it.each([
    [{ deliveries: 0 }, "retention.deliveries is 0; it takes whole days from 1 to 36500, or null (for ever)"],
    [
      { providerEvents: 29 },
      "retention.providerEvents is 29; it takes whole days from 30 to 36500, or null (for ever)"
    ],
    [{ events: Number.NaN }, "retention.events is NaN; it takes whole days from 30 to 36500, or null (for ever)"],
    [
      { providerEvents: 90.3 },
      "retention.providerEvents is 90.3; it takes whole days from 30 to 36500, or null (for ever)"
    ],
    [{ events: Infinity }, "retention.events is Infinity; it takes whole days from 30 to 36500, or null (for ever)"]
  ])("cannot be %j", async (retention, sentence) => {
    await expect(start({ retention })).rejects.toThrow(new RangeError(sentence))
  })

  it("has the given values, and the defaults for others", async () => {
    const layer = Corridor.layer({
      storage: MemoryStorage.layer,
      provider: SimulatedProvider.layer({ mode: "manual", delay_ms: 0, payshap: true }),
      webhooks: MemoryWebhookSink.layer(),
      cipher: AesGcmCipher.layer({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] }),
      retention: { deliveries: 7, providerEvents: null }
    })
    const kept = await Effect.runPromise(Effect.provide(Effect.service(RetentionPolicy), layer))
    expect(kept).toEqual({ deliveries: 7, providerEvents: null, events: null })
  })
})

describe("calls above the concurrency limit", () => {
  it("are rejected with rate_limited, have no effect, and can be repeated with their keys", async () => {
    const slow = changed((storage) => ({
      commit: (change) =>
        Effect.andThen(
          Effect.promise(() => new Promise(setImmediate)),
          storage.commit(change)
        )
    }))
    const { lagos } = await start({ storage: slow, limits: { writes: 3, reads: 1000 } })
    const create = (n: number) => lagos.wallets.create({ currency: "USDC" }, { idempotencyKey: `crowded-${n}` })
    const numbers = Array.from({ length: 8 }, (_, n) => n)
    const answers = await Promise.all(
      numbers.map((n) =>
        create(n).then(
          () => n,
          (error: unknown) => error
        )
      )
    )
    const refused = answers.filter((answer) => answer instanceof CorridorError)
    expect(refused.map(({ code, retryAfterMs }) => [code, retryAfterMs])).toEqual(
      refused.map(() => ["rate_limited", 1000])
    )
    expect(refused).toHaveLength(5)
    expect((await lagos.wallets.list()).total).toBe(3)
    for (const n of numbers) await create(n)
    expect((await lagos.wallets.list()).total).toBe(8)
  })
})

describe("an error", () => {
  it("has a code, a message and every invalid field", async () => {
    const { lagos } = await start()
    const error = await reason(lagos.customers.create({ type: "individual", name: "", country_code: "NG" } as never))
    expect(error).toMatchObject({ name: "CorridorError", code: "bad_request", retryAfterMs: undefined })
    expect(error.errors.map(({ field, code }) => [field, code])).toEqual([
      ["name", "invalid_value"],
      ["email", "required"]
    ])
  })

  it("is bad_request for values of no JSON type, also under two names and with a key", async () => {
    const { lagos } = await start()
    const circle: Record<string, unknown> = {}
    circle.itself = circle
    let key = 1000
    for (const value of [1n, circle, () => "", Symbol("id"), new Date(0), Number.NaN])
      for (const other of [2n, circle, "wal_other"]) {
        const input = { wallet_id: value, source_wallet_id: other, beneficiary_id: "ben_1", source_amount: "1" }
        const asked = (options = {}) => reason(lagos.quotes.offramp(input as never, options))
        const [error, keyed] = [await asked(), await asked({ idempotencyKey: `a-key-${key++}` })]
        expect([error.code, keyed.code]).toEqual(["bad_request", "bad_request"])
        expect(error.errors[0]!.field).toMatch(/wallet_id$/)
      }
    const one = await reason(
      lagos.quotes.offramp({ wallet_id: 1n, beneficiary_id: "ben_1", source_amount: "1" } as never)
    )
    expect(one.message).toMatch(/^wallet_id is a bigint; it takes /)
  })

  it("is bad_request for values of no JSON type in the rows of a batch, and in what an act that waits is given beside its members", async () => {
    const { corridor, lagos } = await start()
    const circle: Record<string, unknown> = {}
    circle.itself = circle
    const row = { operation: "transfer", wallet_id: "wal_1", beneficiary_id: "ben_1", amount: "1" }
    for (const value of [1n, circle, { toJSON: () => 1n }])
      for (const member of [{ amount: value }, { metadata: { of: value } }, { beneficiary: { name: value } }]) {
        const rows = [row, { ...row, ...member }] as never
        const error = await reason(lagos.batches.create({ reference: "january", rows }))
        expect([error.code, error.errors[0]?.field]).toEqual(["bad_request", `rows.1.${Object.keys(member)[0]}`])
      }
    await corridor.operator.approvalRules.create({ operations: ["api_key"] }, { actor: "ada" })
    const key = { role: "viewer", remark: 1n } as never
    const waiting = lagos.apiKeys.create(key)
    expect((await reason(waiting)).code).toBe("bad_request")
  })

  it("has the fault as its cause, and no details of it in its message", async () => {
    const lost = new StorageFault({ message: "connection to 10.0.0.7 lost", retryable: true })
    const { lagos } = await start({ storage: changed(() => ({ accounts: () => Effect.fail(lost) })) })
    const error = await reason(lagos.wallets.get((await lagos.wallets.create({ currency: "USDC" })).id))
    expect(error).toMatchObject({ code: "internal_error", retryAfterMs: 1000, cause: { _tag: "StorageFault" } })
    expect(error.message).not.toContain("10.0.0.7")
  })

  it("for a defect is internal_error, with the defect as its cause", async () => {
    const fell = new Error("no such row")
    const { lagos } = await start({ storage: changed(() => ({ accounts: () => Effect.die(fell) })) })
    const wallet = await lagos.wallets.create({ currency: "USDC" })
    expect(await reason(lagos.wallets.get(wallet.id))).toMatchObject({ code: "internal_error", cause: fell })
  })

  it("rejects the start if the store cannot be opened", async () => {
    const closed = Layer.effect(Storage, Effect.fail(new StorageFault({ message: "nobody listens", retryable: true })))
    expect(await reason(start({ storage: adapter("storage", closed) }))).toMatchObject({
      code: "internal_error",
      message: "The store cannot be used: nobody listens"
    })
  })
})

describe("a start", () => {
  it("accepts only adapters made by `adapter`", async () => {
    await expect(start({ storage: MemoryStorage.layer as never })).rejects.toThrow("storage must be an adapter made by")
    await expect(start({ storage: cipher as never })).rejects.toThrow("storage must be an adapter made by")
  })

  it.each(["pay.example.com", "ftp://pay.example.com", "https://pay.example.com/?a=1", "https://pay.example.com#"])(
    "refuses the base URL %j, which no link could begin with",
    async (url) => {
      await expect(start({ baseUrl: url })).rejects.toThrow(
        new TypeError(
          `baseUrl is ${JSON.stringify(url)}; it takes an http or https URL without credentials and a query`
        )
      )
    }
  )

  it("refuses a base URL with credentials, and does not show them", async () => {
    await expect(start({ baseUrl: "https://ada:s3cret@pay.example.com" })).rejects.toThrow(
      new TypeError("baseUrl has credentials; it takes an http or https URL without credentials and a query")
    )
  })

  it("has a sandbox only with a movable clock", async () => {
    const corridor = await Corridor.start({
      storage: memoryStorage(),
      provider: simulatedProvider(),
      webhooks: memoryWebhooks(),
      cipher
    })
    running.push(corridor)
    expect("sandbox" in corridor).toBe(false)
  })

  it("prices with the given rates and policy", async () => {
    const { lagos, sandbox } = await start({
      rates: { rate: async () => "2000", perUsd: (code) => (code === "NGN" ? "2000" : "1") },
      pricing: {
        fees: () => ({ gateway: "0", network: "0" }),
        outbound: async () => ({ minimum: null, maximum: null })
      }
    })
    const wallet = await lagos.wallets.create({ currency: "USDC" })
    await sandbox.deposit({ wallet_id: wallet.id, amount: "10" })
    const [bank] = (await lagos.providers.list({ country_code: "NG" })).items
    const person = await lagos.beneficiaries.create({
      type: "fiat",
      name: "Ada",
      currency: "NGN",
      details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank!.id }
    })
    const quote = await lagos.quotes.offramp({ wallet_id: wallet.id, beneficiary_id: person.id, source_amount: "0.10" })
    expect([quote.rate, quote.received_amount, quote.fee.line_items]).toEqual(["2000", "200.00", []])
  })

  it("moves no money while prices are unavailable, and logs a warning", async () => {
    const { lagos, sandbox } = await start({
      pricing: {
        fees: () => ({ gateway: "0", network: "0" }),
        outbound: () => Promise.reject(new Error("the desk is closed"))
      }
    })
    const wallet = await lagos.wallets.create({ currency: "USDC" })
    await sandbox.deposit({ wallet_id: wallet.id, amount: "10" })
    const supplier = await lagos.beneficiaries.create({
      type: "crypto",
      name: "Supplier",
      currency: "USDC",
      details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
    })
    const paid = lagos.transfers.create({ wallet_id: wallet.id, beneficiary_id: supplier.id, amount: "5" })
    expect(await reason(paid)).toMatchObject({ code: "external_service_unavailable", retryAfterMs: 5000 })
    expect((await lagos.transfers.list()).total).toBe(0)
    expect((await lagos.wallets.get(wallet.id)).balance).toMatchObject({ available: "10.00", reserved: "0.00" })
  })

  it("creates keys of its environment", async () => {
    const { lagos } = await start()
    expect((await lagos.apiKeys.create({ role: "viewer" })).secret).toMatch(/^sk_test_/)
    expect((await lagos.me()).api_key).toBeNull()
  })
})

describe("an idempotency key", () => {
  it("returns the first result for the same input, in any member order, and rejects another input", async () => {
    const { lagos } = await start()
    const first = await lagos.wallets.create({ currency: "USDC", label: "a" }, { idempotencyKey: "wallet-key-1" })
    const again = await lagos.wallets.create({ label: "a", currency: "USDC" }, { idempotencyKey: "wallet-key-1" })
    expect(again).toEqual(first)
    expect((await lagos.wallets.list()).total).toBe(1)
    const addressed = (wallet_id: string) =>
      lagos.depositAddresses.create(wallet_id, { network: "base" }, { idempotencyKey: "address-key-1" })
    const { id: second } = await lagos.wallets.create({ currency: "USDC" })
    const address = await addressed(first.id)
    expect(await addressed(first.id)).toEqual(address)
    expect(await reason(addressed(second))).toMatchObject({ code: "idempotency_conflict" })
    expect((await lagos.depositAddresses.list(second)).total).toBe(0)
    const other = lagos.wallets.create({ currency: "USDC", label: "b" }, { idempotencyKey: "wallet-key-1" })
    expect(await reason(other)).toMatchObject({ code: "idempotency_conflict" })
  })

  it("returns the first refusal again, even if its cause no longer exists", async () => {
    const { lagos, sandbox } = await start()
    const wallet = await lagos.wallets.create({ currency: "USDC" })
    const supplier = await lagos.beneficiaries.create({
      type: "crypto",
      name: "Supplier",
      currency: "USDC",
      details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
    })
    const pay = () =>
      reason(
        lagos.transfers.create(
          { wallet_id: wallet.id, beneficiary_id: supplier.id, amount: "5" },
          { idempotencyKey: "transfer-1" }
        )
      )
    const first = await pay()
    await sandbox.deposit({ wallet_id: wallet.id, amount: "10" })
    const second = await pay()
    expect([second.code, second.message]).toEqual(["ledger_insufficient_funds", first.message])
    expect((await lagos.transfers.list()).total).toBe(0)
  })

  it("has one effect when two calls race", async () => {
    const slow = changed((storage) => ({ commit: (change) => Effect.delay(storage.commit(change), "10 millis") }))
    const { lagos } = await start({ storage: slow })
    const both = await Promise.allSettled(
      [1, 2].map(() => lagos.wallets.create({ currency: "USDC" }, { idempotencyKey: "race-key-1" }))
    )
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"])
    expect(both.find((one) => one.status === "rejected")?.reason).toMatchObject({
      code: "idempotency_in_progress",
      retryAfterMs: 1000
    })
    expect((await lagos.wallets.list()).total).toBe(1)
  })

  it("applies across processes on one store, and its result is stored with encrypted secrets", async () => {
    const store = shared()
    const storage = Layer.succeedContext(store)
    const first = await start({ storage: adapter("storage", storage) })
    const made = await first.lagos.apiKeys.create({ role: "viewer" }, { idempotencyKey: "api-key-one" })
    await first.corridor.close()
    const second = await start({ storage: adapter("storage", storage) })
    const again = await second.corridor
      .as(first.merchant.id)
      .apiKeys.create({ role: "viewer" }, { idempotencyKey: "api-key-one" })
    expect(again).toEqual(made)
    const kept = await Effect.runPromise(
      Context.get(store, Storage).idempotencyRecord(first.merchant.id, "idem/api-key-one", Date.now())
    )
    expect(kept?.response).toMatch(/./)
    expect(kept?.response).not.toContain(made.secret)
  })

  it("has a required form", async () => {
    const { lagos } = await start()
    expect(await reason(lagos.wallets.create({ currency: "USDC" }, { idempotencyKey: "short" }))).toMatchObject({
      code: "bad_request"
    })
  })
})

describe("a result", () => {
  it("is a copy: changing it has no effect on the engine", async () => {
    const { lagos } = await start()
    const wallet = await lagos.wallets.create({ currency: "USDC", metadata: { order: "1" } })
    ;(wallet.metadata as Record<string, string>)["order"] = "2"
    ;(wallet.customer as { name: string }).name = "Mallory"
    const stored = await lagos.wallets.get(wallet.id)
    expect([stored.metadata, stored.customer.name]).toEqual([{ order: "1" }, "Lagos"])
  })

  it("of get has a version, for a change with ifMatch", async () => {
    const { lagos } = await start()
    const made = await lagos.wallets.create({ currency: "USDC" })
    expect(() => versionOf(made)).toThrow("versionOf requires the object that get returned")
    const got = await lagos.wallets.get(made.id)
    await lagos.wallets.update(made.id, { label: "first" }, { ifMatch: versionOf(got) })
    expect(
      await reason(lagos.wallets.update(made.id, { label: "second" }, { ifMatch: `"${versionOf(got)}"` }))
    ).toMatchObject({ code: "conflict" })
  })

  it("treats undefined members as absent", async () => {
    const { lagos } = await start()
    const wallet = await lagos.wallets.create({ currency: "USDC", label: undefined } as never)
    expect(wallet.label).toBeNull()
  })
})

describe("a merchant", () => {
  it("that is unknown or suspended is rejected at each call", async () => {
    const { corridor, lagos, merchant } = await start()
    expect(await reason(corridor.as("mer_nobody").wallets.list())).toMatchObject({ code: "not_found" })
    // What a database has of a user without a merchant is nobody, and not the operator.
    for (const nobody of [null, undefined] as ReadonlyArray<unknown> as ReadonlyArray<string>) {
      const calls = [corridor.as(nobody).webhooks.list(), corridor.sandbox.as(nobody).settle()]
      for (const call of calls) expect(await reason(call)).toMatchObject({ code: "not_found" })
    }
    await lagos.wallets.list()
    await corridor.merchants.update(merchant.id, { status: "suspended" })
    expect(await reason(lagos.wallets.list())).toMatchObject({ code: "merchant_inactive" })
    await corridor.merchants.update(merchant.id, { status: "active" })
    expect((await lagos.wallets.list()).total).toBe(0)
  })
})

describe("a node without a dispatcher", () => {
  it("serves calls and leaves the jobs to another process on its store", async () => {
    const storage = adapter("storage", Layer.succeedContext(shared()))
    const { lagos, sandbox, merchant, corridor } = await start({ storage, dispatcher: false })
    const wallet = await lagos.wallets.create({ currency: "USDC" })
    const address = await lagos.depositAddresses.create(wallet.id, { network: "base" })
    await new Promise((done) => setTimeout(done, 50))
    expect((await lagos.depositAddresses.get(wallet.id, address.id)).status).toBe("pending")
    await start({ storage })
    await expect
      .poll(async () => (await corridor.as(merchant.id).depositAddresses.get(wallet.id, address.id)).status)
      .toBe("active")
    expect((await sandbox.deposit({ deposit_address_id: address.id, amount: "1" })).transaction_id).toMatch(/^txn_/)
  })
})

describe("an outcome that comes at once", () => {
  covers("TIMELINE-5")
  it("is committed with the answer before it, and every history has that answer once", async () => {
    const store = shared()
    const { lagos, sandbox, merchant } = await start({
      storage: adapter("storage", Layer.succeedContext(store)),
      provider: simulatedProvider({ mode: "auto", delay_ms: 0 })
    })
    const wallet = await lagos.wallets.create({ currency: "USDC" })
    await sandbox.deposit({ wallet_id: wallet.id, amount: "100" })
    const supplier = await lagos.beneficiaries.create({
      type: "crypto",
      name: "Supplier",
      currency: "USDC",
      details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
    })
    const { history, idempotencyRecord } = Context.get(store, Storage)
    let together = 0
    for (let n = 0; n < 20; n++) {
      const { id } = await lagos.transfers.create({ wallet_id: wallet.id, beneficiary_id: supplier.id, amount: "1" })
      await expect.poll(async () => (await lagos.transfers.get(id)).status).toBe("success")
      const stepsWith = async () => {
        const { transitions } = await Effect.runPromise(history(merchant.id, id))
        return transitions.flatMap(({ origin }) => origin?.calls ?? []).filter(({ answer }) => answer === "accepted")
      }
      const kept = () => Effect.runPromise(idempotencyRecord(merchant.id, `call/${id}.payout/1`, Date.now()))
      await expect.poll(async () => (await stepsWith()).length + ((await kept()) === undefined ? 0 : 1)).toBe(1)
      together += (await stepsWith()).length
    }
    expect(together).toBeGreaterThan(0)
  })
})

describe("close", () => {
  it("waits for the running delivery, rejects further calls, and runs once", async () => {
    let began = (): void => {}
    const under_way = new Promise<void>((resolve) => (began = resolve))
    let acknowledge = (): void => {}
    const acknowledged = new Promise<void>((resolve) => (acknowledge = resolve))
    const { corridor, lagos, sandbox } = await start({
      webhooks: memoryWebhooks({
        answer: async () => {
          began()
          await acknowledged
        }
      })
    })
    const endpoint = await lagos.webhooks.create({ url: "https://example.com/events" })
    await lagos.webhooks.update(endpoint.id, { active: true })
    const wallet = await lagos.wallets.create({ currency: "USDC" })
    await sandbox.deposit({ wallet_id: wallet.id, amount: "1" })
    await under_way
    let ended = false
    const close = corridor.close().then(() => (ended = true))
    expect(await reason(lagos.wallets.list())).toMatchObject({
      code: "internal_error",
      message: expect.stringContaining("closed")
    })
    await new Promise((done) => setTimeout(done, 30))
    expect(ended).toBe(false)
    acknowledge()
    await Promise.all([close, corridor.close()])
    expect(ended).toBe(true)
  })
})

describe("the metrics of an embedded engine", () => {
  covers("METRICS-6")
  it("are the text of /metrics; gauges about the store are read at the interval that is given", async () => {
    let reads = 0
    const storage = changed((inner) => ({
      stalled: (query) => Effect.suspend(() => (reads++, inner.stalled(query)))
    }))
    await start({ storage })
    expect(reads).toBe(0)
    const { corridor, lagos } = await start({ storage, metricsIntervalSeconds: 3600 })
    await expect.poll(() => reads).toBe(1)
    await lagos.wallets.create({ currency: "USDC" })
    const response = await mount(corridor, { metricsToken: "a-token-of-prometheus" }).fetch(
      new Request("http://127.0.0.1/metrics", { headers: { authorization: "Bearer a-token-of-prometheus" } })
    )
    const [served, own] = [await response.text(), metricsText()].map((text) => [...seriesOf(text).keys()])
    expect(own).toEqual(served)
    expect(seriesOf(metricsText()).get(`corridor_commits_total{verdict="committed"}`)).toBeGreaterThan(1)
  })

  it("take an interval above zero", async () => {
    await expect(start({ metricsIntervalSeconds: 0 })).rejects.toThrow(RangeError)
  })
})
