/** The operator API of an embedding application: who acts, and keys. */
import { afterEach, describe, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../src/adapters/clock/movable.ts"
import { simulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { memoryStorage } from "../../src/adapters/storage/memory.ts"
import { memoryWebhooks } from "../../src/adapters/webhook/memory.ts"
import { Corridor, CorridorError, type RunningCorridor } from "../../src/index.ts"
import { covers } from "../support/repository/covers.ts"

let running: RunningCorridor | undefined
const start = async () =>
  (running = await Corridor.start({
    storage: memoryStorage(),
    provider: simulatedProvider({ mode: "manual" }),
    webhooks: memoryWebhooks(),
    cipher: aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] }),
    clock: movableClock()
  }))
afterEach(() => running?.close())

const merchant = { name: "Lagos", country_code: "NG" }

describe("an embedding application", () => {
  covers("OPERATOR-6", "AUDIT-1")
  it("acts as an admin, under the name that it gives", async () => {
    const { merchants, operator } = await start()
    expect(await operator.me()).toEqual({ id: null, name: "application", email: null, role: "admin" })
    expect(await operator.me({ actor: "Ada Obi" })).toMatchObject({ name: "Ada Obi" })
    const made = await merchants.create(merchant)
    await merchants.update(made.merchant.id, { status: "active", note: "checked" }, { actor: "Ada Obi" })
    const { items } = await operator.audit({ merchant_id: made.merchant.id })
    expect(items.map(({ action, note, operator: by }) => [action, note, by.name])).toEqual([
      ["updateMerchant", "checked", "Ada Obi"],
      ["createMerchant", null, "application"]
    ])
    expect(items[0]).toMatchObject({ before: { status: "pending" }, after: { status: "active" } })
  })

  covers("OPERATOR-8")
  it("repeats an action by its key, once for each who acts", async () => {
    const { merchants } = await start()
    const options = { idempotencyKey: "merchant-0001" }
    const first = await merchants.create(merchant, options)
    expect(await merchants.create(merchant, options)).toEqual(first)
    const other = await merchants.create(merchant, { ...options, actor: "Ada Obi" })
    expect(other.merchant.id).not.toBe(first.merchant.id)
    const conflict = await merchants.create({ ...merchant, name: "Abuja" }, options).catch((why: unknown) => why)
    expect(conflict).toBeInstanceOf(CorridorError)
    expect((conflict as CorridorError).code).toBe("idempotency_conflict")
    expect((await merchants.list()).total).toBe(2)
  })

  it("makes operators and merchants' keys", async () => {
    const { merchants, operator } = await start()
    const made = await operator.operators.create({ name: "Ada Obi", role: "viewer" })
    expect(made.token).toMatch(/^op_/)
    expect(await operator.operators.get(made.id)).toMatchObject({ name: "Ada Obi", status: "active" })
    const { api_key, merchant: of } = await merchants.create(merchant)
    const key = await merchants.apiKeys.create(of.id, { role: "viewer" })
    expect((await merchants.apiKeys.list(of.id)).items.map(({ id }) => id)).toEqual([key.id, api_key.id])
    expect(await merchants.apiKeys.revoke(of.id, key.id)).toEqual({ id: key.id, success: true })
    expect((await merchants.apiKeys.list(of.id)).total).toBe(1)
  })
})
