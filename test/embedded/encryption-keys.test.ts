/** The keys that secrets are stored under: remembered by the store, and moved from one to the next. */
import { Context, Effect, Layer, ManagedRuntime } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { AesGcmCipher, aesGcmCipher, aesKey } from "../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../src/adapters/clock/movable.ts"
import { simulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { memoryWebhooks } from "../../src/adapters/webhook/memory.ts"
import { Corridor } from "../../src/embedded/Corridor.ts"
import { adapter } from "../../src/engine/ports/adapter.ts"
import type { Cipher } from "../../src/engine/ports/Cipher.ts"
import { isUnused, keyUse, rememberKeys, rotateKeys } from "../../src/engine/crypto/EncryptionKeys.ts"
import { Storage } from "../../src/engine/ports/Storage.ts"
import type { Delivery } from "../../src/engine/ports/WebhookSink.ts"
import { covers } from "../support/repository/covers.ts"
import { stores } from "../support/engines/every-store.ts"

const keyOf = (n: number) => aesKey(Buffer.alloc(32, n).toString("base64"))
const [older, newer, other] = [keyOf(1), keyOf(2), keyOf(3)]
type Keys = readonly [typeof older, ...ReadonlyArray<typeof older>]

covers("SERVICE-8")
describe.each(Object.entries(stores))("encryption keys, on %s", (_, open) => {
  let runtime: ManagedRuntime.ManagedRuntime<Storage, unknown>
  let store: Storage["Service"]
  let storage: Layer.Layer<Storage>
  beforeAll(async () => {
    runtime = ManagedRuntime.make(await open())
    store = await runtime.runPromise(Storage)
    storage = Layer.succeed(Storage, store)
  })
  afterAll(() => runtime.dispose())

  const start = (...keys: Keys) =>
    Corridor.start({
      storage: adapter("storage", storage),
      provider: simulatedProvider(),
      webhooks: memoryWebhooks(),
      cipher: aesGcmCipher({ keys }),
      clock: movableClock(),
      dispatcher: false
    })
  const withKeys = <A, E>(effect: Effect.Effect<A, E, Storage | Cipher>, ...keys: Keys) =>
    Effect.runPromise(Effect.provide(effect, Layer.merge(storage, AesGcmCipher.layer({ keys }))))
  const leftUnder = async (key: typeof older, ...keys: Keys) =>
    (await withKeys(keyUse, ...keys)).find((use) => use.key === key.id)
  const settings = () => Effect.runPromise(store.setting("encryption_keys"))

  it("are recorded: another key is rejected before anything is written, and a new key before the old one replaces it", async () => {
    const first = await start(older)
    const { merchant } = await first.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
    const lagos = first.as(merchant.id)
    const profile = { id_number: "A1234567", id_type: "passport" } as const
    const customer = await lagos.customers.create({
      type: "individual",
      name: "Ada",
      email: "a@b.co",
      country_code: "NG",
      profile
    })
    const endpoint = await lagos.webhooks.create({ url: "https://example.com/hook" }, { idempotencyKey: "endpoint-1" })
    const session = await lagos.verifications.create(customer.id, { tier_requested: "tier_1" } as never)
    await first.close()

    const before = await settings()
    const error = await start(newer).then(
      () => expect.fail("it started"),
      (refusal: Error) => refusal
    )
    expect(error.message).toBe(
      `The store cannot be used: it was written with the encryption key ${older.id}, which is not configured`
    )
    await expect(start(other, newer)).rejects.toThrow(older.id)
    expect(await settings()).toBe(before)

    const second = await start(newer, older)
    const again = second.as(merchant.id)
    expect(await again.webhooks.create({ url: "https://example.com/hook" }, { idempotencyKey: "endpoint-1" })).toEqual(
      endpoint
    )
    expect((await again.verifications.get(customer.id, session.id)).hosted_url).toBe(session.hosted_url)
    // What merely looks sealed is not, and stays as it is.
    await again.customers.update(customer.id, { metadata: { note: `${older.id}:bm90IHNlYWxlZA==` } })
    const added = await again.webhooks.create({ url: "https://example.com/other" }, { idempotencyKey: "endpoint-2" })
    expect((await leftUnder(older, newer, older))!.rows).toEqual({ customer: 1, verification: 1, webhook_endpoint: 1 })
    expect(await leftUnder(older, newer, older)).toMatchObject({ isCurrent: false, isGiven: true, answers: 1 })
    expect(await leftUnder(newer, newer, older)).toMatchObject({
      isCurrent: true,
      rows: { webhook_endpoint: 1 },
      answers: 1
    })
    // Something is left under the old one: it may not go.
    await expect(start(newer)).rejects.toThrow(older.id)

    // While the service runs.
    expect(await withKeys(rotateKeys, newer, older)).toBe(4)
    expect(await withKeys(rotateKeys, newer, older)).toBe(0)
    const left = await leftUnder(older, newer, older)
    expect(left !== undefined && isUnused(left)).toBe(true)
    await again.webhooks.update(endpoint.id, { description: "moved" })
    await second.close()

    const third = await start(newer)
    const last = third.as(merchant.id)
    expect(await last.webhooks.create({ url: "https://example.com/hook" }, { idempotencyKey: "endpoint-1" })).toEqual(
      endpoint
    )
    expect(await last.webhooks.create({ url: "https://example.com/other" }, { idempotencyKey: "endpoint-2" })).toEqual(
      added
    )
    expect((await last.verifications.get(customer.id, session.id)).hosted_url).toBe(session.hosted_url)
    const shown = await last.customers.get(customer.id)
    expect([shown.profile?.id_number, shown.metadata]).toEqual(["****4567", { note: `${older.id}:bm90IHNlYWxlZA==` }])
    await third.close()
    await expect(start(older)).rejects.toThrow(newer.id)
  })
})

/** A running node over a store, and what it has delivered. */
const startNode = async (storage: Storage["Service"], ...keys: Keys) => {
  const deliveries: Array<Delivery> = []
  const corridor = await Corridor.start({
    storage: adapter("storage", Layer.succeed(Storage, storage)),
    provider: simulatedProvider(),
    webhooks: memoryWebhooks({ deliveries }),
    cipher: aesGcmCipher({ keys }),
    clock: movableClock(),
    dispatcher: false
  })
  return { corridor, deliveries }
}

covers("SERVICE-32")
describe("a node without the key that another one encrypts with", () => {
  const nodes = async () => {
    const context = await Effect.runPromise(Effect.scoped(Layer.build(await stores["memory"]!())))
    const storage = Context.get(context, Storage)
    const behind = await startNode(storage, older)
    const { merchant } = await behind.corridor.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
    const ahead = await startNode(storage, newer, older)
    return { storage, behind, ahead, id: merchant.id }
  }

  it("refuses what needs the text for now, and leaves deliveries and payouts to the others, with the reason", async () => {
    const { ahead, behind, id, storage } = await nodes()
    const lagos = ahead.corridor.as(id)
    const sandbox = ahead.corridor.sandbox.as(id)
    const endpoint = await lagos.webhooks.create(
      { url: "https://example.com/hook", categories: ["transfer"] },
      { idempotencyKey: "endpoint-1" }
    )
    await lagos.webhooks.update(endpoint.id, { active: true })
    const customer = await lagos.customers.create({
      type: "individual",
      name: "Ada",
      email: "a@b.co",
      country_code: "NG",
      profile: { id_number: "A1234567", id_type: "passport" }
    })
    const wallet = await lagos.wallets.create({ currency: "USDC", customer_id: customer.id })
    await sandbox.deposit({ wallet_id: wallet.id, amount: "100" })
    const supplier = await lagos.beneficiaries.create({
      type: "crypto",
      name: "Supplier",
      currency: "USDC",
      customer_id: customer.id,
      details: { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" }
    })
    await sandbox.settle()
    const transfer = await lagos.transfers.create({ wallet_id: wallet.id, beneficiary_id: supplier.id, amount: "10" })

    const failure = await behind.corridor
      .as(id)
      .webhooks.create({ url: "https://example.com/hook", categories: ["transfer"] }, { idempotencyKey: "endpoint-1" })
      .then(
        () => expect.fail("it answered"),
        (error: unknown) => error
      )
    expect(failure).toMatchObject({ code: "internal_error", retryAfterMs: 1000 })

    const reason = "not sent: the signing secret could not be read; another attempt follows"
    for (let round = 0; round < 3; round++) {
      await behind.corridor.sandbox.as(id).settle()
      await behind.corridor.sandbox.advance({ seconds: 5 })
    }
    expect(behind.deliveries).toEqual([])
    expect((await lagos.transfers.get(transfer.id)).status).toBe("processing")
    const waiting = await lagos.webhooks.deliveries(endpoint.id)
    expect(waiting.items.map(({ attempts, status }) => [status, attempts.map(({ error }) => error)])).toEqual([
      ["pending", [reason]]
    ])
    const stuck = await ahead.corridor.operator.stuck({ older_than_seconds: 0, kind: "transfer" })
    expect(stuck.items).toMatchObject([
      { id: transfer.id, last_answer: { answer: expect.stringContaining(newer.id) }, attempts: 0 }
    ])

    await ahead.corridor.sandbox.advance({ seconds: 60 })
    await sandbox.settle()
    expect((await lagos.transfers.get(transfer.id)).status).toBe("success")
    expect((await lagos.webhooks.deliveries(endpoint.id)).items.map(({ status }) => status)).toEqual([
      "delivered",
      "delivered"
    ])
    // With the key behind its own, it reads all of it.
    await behind.corridor.close()
    const caughtUp = await startNode(storage, older, newer)
    expect(
      await caughtUp.corridor
        .as(id)
        .webhooks.create(
          { url: "https://example.com/hook", categories: ["transfer"] },
          { idempotencyKey: "endpoint-1" }
        )
    ).toEqual(endpoint)
    await caughtUp.corridor.close()
    await ahead.corridor.close()
  })
})

covers("SERVICE-8")
it("are only read by the list of their uses, and a rotation forgets those that nothing uses", async () => {
  const context = await Effect.runPromise(Effect.scoped(Layer.build(await stores["memory"]!())))
  const storage = Context.get(context, Storage)
  const layer = (...keys: Keys) => Layer.merge(Layer.succeed(Storage, storage), AesGcmCipher.layer({ keys }))
  const use = async (...keys: Keys) =>
    (await Effect.runPromise(Effect.provide(keyUse, layer(...keys)))).map(({ key, isRecorded }) => [key, isRecorded])
  const recorded = () => Effect.runPromise(storage.setting("encryption_keys"))
  expect([await use(older), await recorded()]).toEqual([[[older.id, false]], undefined])
  await Effect.runPromise(Effect.provide(rememberKeys, layer(older)))
  const first = await recorded()
  expect(await use(newer, older)).toEqual([
    [newer.id, false],
    [older.id, true]
  ])
  expect(await use(newer)).toEqual([
    [newer.id, false],
    [older.id, true]
  ])
  expect(await recorded()).toBe(first)
  await Effect.runPromise(Effect.provide(rotateKeys, layer(newer, older)))
  expect(await use(newer)).toEqual([[newer.id, true]])
})
