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
