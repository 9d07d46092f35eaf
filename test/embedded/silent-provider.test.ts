/** A provider that takes connections and does not answer: who waits for it holds up only itself. */
import { afterAll, assert, beforeAll, describe, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../src/adapters/clock/movable.ts"
import { defineProvider } from "../../src/adapters/provider/custom.ts"
import { simulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { memoryStorage } from "../../src/adapters/storage/memory.ts"
import { memoryWebhooks } from "../../src/adapters/webhook/memory.ts"
import { bounds } from "../../src/engine/work/queue/Dispatcher.ts"
import { Corridor, type RunningSandbox } from "../../src/index.ts"
import { covers } from "../support/repository/covers.ts"

const cipher = aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] })
const never = <A>(): Promise<A> => new Promise(() => {})
const address = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
const soon = { timeout: 5000 }

describe("a provider that does not answer submissions", () => {
  let asked = 0
  const paid = new Set<string>()
  const silent = defineProvider({
    name: "silent",
    manifest: { offers: [{ operation: "payout", currency: "USDC" }] },
    payouts: { submit: () => (asked++, never()), lookup: () => never() }
  })
  const well = defineProvider({
    name: "well",
    manifest: { offers: [{ operation: "payout", currency: "USDT" }] },
    payouts: {
      submit: ({ id }) => (paid.add(id), { _tag: "accepted" }),
      lookup: () => ({ _tag: "pending" })
    }
  })
  const start = () =>
    Corridor.start({
      storage: memoryStorage(),
      providers: [silent, well, simulatedProvider({ mode: "manual" })],
      webhooks: memoryWebhooks(),
      cipher,
      clock: movableClock()
    })
  let corridor: Awaited<ReturnType<typeof start>>
  beforeAll(async () => void (corridor = await start()))
  afterAll(() => corridor.close(), 20_000)

  covers("SERVICE-31")
  it("holds up no payout of another provider, however many wait for it", async () => {
    const { merchant } = await corridor.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
    const [lagos, sandbox] = [corridor.as(merchant.id), (corridor as RunningSandbox).sandbox.as(merchant.id)]
    const payer = async (currency: "USDC" | "USDT") => {
      const { id: wallet_id } = await lagos.wallets.create({ currency })
      await sandbox.deposit({ wallet_id, amount: "100000.00" })
      const payee = { type: "crypto", name: "Supplier", currency, details: { network: "solana", address } } as const
      const { id: beneficiary_id } = await lagos.beneficiaries.create(payee)
      return () => lagos.transfers.create({ wallet_id, beneficiary_id, amount: "10.00" })
    }
    const [toSilent, toWell] = [await payer("USDC"), await payer("USDT")]
    for (let n = 2 * bounds.command.limit; n > 0; n--) await toSilent()
    await expect.poll(() => asked, soon).toBeGreaterThanOrEqual(bounds.command.perPartition)
    const { id } = await toWell()
    await expect.poll(() => paid.has(`${id}.payout`), soon).toBe(true)
    assert.isAtMost(asked, bounds.command.limit / 2)
  })
})

describe("a bank that does not answer who holds an account", () => {
  const bank = { id: `prov_${"0".repeat(26)}`, name: "Silent", code: "001", country_code: "NG" }
  const silent = defineProvider({
    name: "silent",
    manifest: { offers: [{ operation: "directory", country_code: "NG" }] },
    directory: { banks: () => [bank], resolveAccount: () => never(), resolveProxy: () => never() }
  })
  const writes = 4
  const start = () =>
    Corridor.start({
      storage: memoryStorage(),
      providers: [silent, simulatedProvider({ mode: "manual" })],
      webhooks: memoryWebhooks(),
      cipher,
      clock: movableClock(),
      limits: { writes, reads: 4 }
    })
  let corridor: Awaited<ReturnType<typeof start>>
  beforeAll(async () => void (corridor = await start()))
  afterAll(() => corridor.close(), 20_000)

  covers("SERVICE-31")
  it("takes no room of the calls of others, and only so many wait for it", async () => {
    const [a, b] = await Promise.all(
      ["A", "B"].map(async (name) => {
        const { merchant } = await corridor.merchants.create({ name, country_code: "NG", status: "active" })
        return corridor.as(merchant.id)
      })
    )
    const details = { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank.id } as const
    const refused: Array<unknown> = []
    const pays = () =>
      a!.beneficiaries.create({ type: "fiat", name: "Payee", currency: "NGN", details }).then(
        () => assert.fail("it was answered"),
        ({ code }: { code: unknown }) => void refused.push(code)
      )
    for (let n = 0; n < 2 * writes; n++) {
      void pays()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const customer = { type: "individual", name: "Ada", email: "ada@example.com", country_code: "NG" } as const
    const made = await Promise.all(Array.from({ length: writes }, () => b!.customers.create(customer)))
    assert.lengthOf(made, writes)
    assert.deepEqual(
      refused,
      Array.from({ length: writes }, () => "external_service_unavailable")
    )
  })
})
