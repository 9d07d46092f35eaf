/** Dry runs of an application that embeds the engine, and of the client. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { memoryStorage } from "../../src/adapters/storage/memory.ts"
import * as MovableClock from "../../src/adapters/clock/movable.ts"
import { aesGcmCipher, aesKey } from "../../src/adapters/cipher/aes-gcm.ts"
import { simulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { memoryWebhooks } from "../../src/adapters/webhook/memory.ts"
import { createClient, createOperatorClient, dryRunOf as clientsDryRunOf, responseOf } from "../../src/client/index.ts"
import { Corridor, type RunningSandbox } from "../../src/embedded/Corridor.ts"
import { dryRunOf } from "../../src/embedded/calls.ts"
import { operatorToken } from "../support/http/server.ts"
import { type Stock, startStocked } from "../support/http/stocked-server.ts"
import { covers } from "../support/repository/covers.ts"

const person = { type: "individual", name: "Ada Obi", email: "ada@example.com", country_code: "NG" } as const

describe("an embedded call with dryRun", () => {
  let corridor: RunningSandbox
  beforeAll(async () => {
    corridor = await Corridor.start({
      storage: memoryStorage(),
      provider: simulatedProvider({ mode: "manual", delay_ms: 0, payshap: true }),
      webhooks: memoryWebhooks(),
      cipher: aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] }),
      clock: MovableClock.movableClock(),
      dispatcher: false
    })
  })
  afterAll(() => corridor.close())

  covers("DRYRUN-1")
  it("returns what the call would return, says what it would do, and writes nothing", async () => {
    const { merchant } = await corridor.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
    const lagos = corridor.as(merchant.id)
    const tried = await lagos.customers.create(person, { dryRun: true, idempotencyKey: "customer-1" })
    expect(tried).toMatchObject({ name: "Ada Obi", kyc_status: expect.any(String) })
    expect(dryRunOf(tried)).toMatchObject({ postings: [], route: null, not_asked: [] })
    expect(() => dryRunOf({ ...tried })).toThrow(TypeError)
    expect((await lagos.customers.list()).items.map(({ name }) => name)).not.toContain("Ada Obi")
    const made = await lagos.customers.create(person, { idempotencyKey: "customer-1" })
    expect(() => dryRunOf(made)).toThrow(TypeError)
    await lagos.customers.update(made.id, { name: "Bisi" }, { dryRun: true })
    expect((await lagos.customers.get(made.id)).name).toBe("Ada Obi")
  })

  covers("DRYRUN-1")
  it("returns the file that the call would return", async () => {
    const row = "brk_01j9z3k4m5n6p7q8r9s0t1v2w3,dismiss,no difference"
    const file = new TextEncoder().encode(`id,action,note\n${row}\n`)
    const text = await corridor.operator.breaks.resolveAll({ file }, { dryRun: true })
    expect(text).toBe(await corridor.operator.breaks.resolveAll({ file }))
    expect(text).toContain(row)
  })

  it("is refused as the call would be", async () => {
    const none = corridor.merchants.update("mer_00000000000000000000000000", { status: "active" }, { dryRun: true })
    await expect(none).rejects.toMatchObject({ code: "not_found" })
  })
})

describe("a call of the client with dryRun", () => {
  let s: Stock
  beforeAll(async () => {
    s = await startStocked()
  })
  afterAll(() => s.api.close())

  covers("DRYRUN-1")
  it("asks the server for a dry run", async () => {
    const client = createClient({ baseUrl: s.api.base, apiKey: s.api.key })
    const input = { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" }
    const tried = await client.transfers.create(input, { dryRun: true })
    expect(clientsDryRunOf(tried).events).toEqual([{ type: "transfer.processing", resource_id: tried.id }])
    expect(responseOf(tried).meta["dry_run"]).toEqual(clientsDryRunOf(tried))
    await expect(client.transfers.get(tried.id)).rejects.toMatchObject({ code: "not_found" })
    const made = await client.transfers.create(input)
    expect(() => clientsDryRunOf(made)).toThrow(TypeError)
  })

  it("asks so of changes, and of any path", async () => {
    const operator = createOperatorClient({ baseUrl: s.api.base, token: operatorToken })
    const path = `/operator/v1/merchants/${s.other_merchant_id}`
    const read = async () => ((await operator.request("GET", path)) as { readonly status: string }).status
    const before = await read()
    await operator.merchants.update(s.other_merchant_id, { status: "suspended" }, { dryRun: true })
    const asked = await operator.request("PATCH", `${path}?x=1`, { status: "suspended" }, { dryRun: true })
    expect(asked).toMatchObject({ status: "suspended" })
    expect(await read()).toBe(before)
  })
})
