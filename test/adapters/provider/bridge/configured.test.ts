/** Bridge as its user has it: a few lines of a configuration, `corridor doctor`, a pay-in, a payout to a bank, and a webhook. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../../../src/adapters/clock/movable.ts"
import { bridge } from "../../../../src/adapters/provider/bridge.ts"
import { simulatedProvider } from "../../../../src/adapters/provider/simulated.ts"
import { memoryStorage } from "../../../../src/adapters/storage/memory.ts"
import { memoryWebhooks } from "../../../../src/adapters/webhook/memory.ts"
import { Corridor, type RunningSandbox } from "../../../../src/index.ts"
import { corridor as command } from "../../../support/cli/command-line.ts"
import { iban } from "../../../support/companies/bridge-world.ts"
import { bridgeKey, customerId, FakeBridge, walletId, webhookKey } from "../../../support/companies/fake-bridge.ts"
import { covers } from "../../../support/repository/covers.ts"

const liveKey = "sk-live-eeeeeeeeeeeeeeeeeeee"
const folder = mkdtempSync(join(tmpdir(), "corridor-bridge-"))
const fake = new FakeBridge()
fake.now = () => Date.now()
beforeAll(() => fake.start())
afterAll(async () => {
  await fake.stop()
  rmSync(folder, { recursive: true, force: true })
})

const file = join(folder, "corridor.config.ts")
const configured = (): void => {
  const src = resolve("src")
  writeFileSync(
    file,
    `import { defineConfig } from "${src}/http/config/index.ts"
     import { bridge } from "${src}/adapters/provider/bridge.ts"
     export default defineConfig(({ secret }) => ({
       database: "memory:",
       providers: [
         () =>
           bridge({
             environment: "test",
             key: secret("BRIDGE_KEY"),
             customer: "${customerId}",
             wallet: "${walletId}",
             url: "${fake.url}"
           })
       ]
     }))`
  )
}

const doctor = async (env: Readonly<Record<string, string>>): Promise<string> => {
  const { errors, out } = await command(["doctor", "--config", file], env)
  return [...out.split("\n"), ...errors].filter((line) => /bridge|BRIDGE_KEY|providers\[0\]/i.test(line)).join("\n")
}

describe("corridor doctor", () => {
  covers("BRIDGE-9", "CLI-17")
  it("says of a key that it is accepted, missing, refused, or of the other environment, in one line without the key", async () => {
    configured()
    const lines = [
      await doctor({ BRIDGE_KEY: bridgeKey }),
      await doctor({}),
      await doctor({ BRIDGE_KEY: "sk-test-ffffffffffffffff" }),
      await doctor({ BRIDGE_KEY: liveKey })
    ]
    expect(lines.map((line) => line.split("\n").length)).toEqual([1, 1, 1, 1])
    expect(lines[0]).toMatch(/bridge: key is accepted, and the wallet has 1000000\.0 USDC/)
    expect(lines[1]).toMatch(/reads BRIDGE_KEY, which is not set in the environment/)
    expect(lines[2]).toMatch(/cannot start: bridge: key is refused by Bridge \(401: /)
    expect(lines[3]).toMatch(/bridge: key is one of live, and environment is test/)
    expect(lines.join("\n")).not.toMatch(/ffffff|bbbbbb|aaaaaa|eeeeee/)
  })
})

const options = () => ({
  storage: memoryStorage(),
  providers: [
    bridge({
      ...{ environment: "test", key: bridgeKey, customer: customerId, wallet: walletId, url: fake.url },
      ...{ payins: ["USD"], webhook_keys: [webhookKey], events_interval_ms: 50 }
    }),
    simulatedProvider({ mode: "auto" })
  ],
  webhooks: memoryWebhooks(),
  cipher: aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] }),
  clock: movableClock()
})

describe("a server", () => {
  covers("BRIDGE-10", "BRIDGE-11", "BRIDGE-12", "BRIDGE-4", "COMPANY-1", "COMPANY-8", "COMPANY-9")
  it("takes USD on an account, pays EUR to an IBAN, and hears of both by sweeps and by webhooks", {
    timeout: 300_000
  }, async () => {
    const running = (await Corridor.start(options())) as RunningSandbox
    try {
      const { merchant } = await running.merchants.create({ name: "Berlin", country_code: "DE", status: "active" })
      const berlin = running.as(merchant.id)
      for (const [code, countryCode] of [
        ["USD", "US"],
        ["EUR", "DE"]
      ] as const) {
        const request = await berlin.currencies.requestAccess(code, { countryCode, reason: "payouts" })
        await running.operator.accessRequests.review(request.id, { decision: "approve" })
      }
      const { id: dollars } = await berlin.wallets.create({ currency: "USD" })
      const created = await berlin.walletCredentials.create(dollars, { type: "fiat", network: "bank", currency: "USD" })
      const details = async () => (await berlin.walletCredentials.get(dollars, created.id)).details
      await expect.poll(async () => JSON.stringify(await details())).toMatch(/"accountNumber":"001000000"/)
      const [account] = fake.virtualAccounts
      const deposit = fake.arrive(account!, 300_000_000n, { fee: 2_000_000n, rail: "wire" })
      fake.happen(deposit, "payment_processed")
      const balanceOf = async (id: string) => JSON.stringify((await berlin.wallets.get(id)).balance)
      await expect.poll(() => balanceOf(dollars)).toMatch(/"300\.00/)
      const notifiedDeposit = fake.arrive(account!, 20_000_000n)
      fake.happen(notifiedDeposit, "payment_processed")
      const message = fake.depositMessage(notifiedDeposit)
      await running.providers.receive("bridge", message.headers, message.body)
      await expect.poll(() => balanceOf(dollars)).toMatch(/"320\.00/)

      const { id: wallet_id } = await berlin.wallets.create({ currency: "USDC" })
      await running.sandbox.as(merchant.id).deposit({ wallet_id, amount: "500.00" })
      const payee = await berlin.beneficiaries.create({
        ...{ type: "fiat", name: "Ada Obi", currency: "EUR" },
        details: { country_code: "DE", network: "bank", account_number: iban }
      })
      const pay = async () => {
        const quote = await berlin.quotes.offramp({ wallet_id, beneficiary_id: payee.id, target_amount: "50.00" })
        const { id } = await berlin.offramps.create({ quote_id: quote.id })
        await expect.poll(() => fake.under(`${id}.payout`).length).toBe(1)
        return { id, transfer: fake.under(`${id}.payout`)[0]! }
      }
      const status = async (id: string) => (await berlin.offramps.get(id)).status
      const swept = await pay()
      fake.become(swept.transfer, "in_review")
      fake.become(swept.transfer, "payment_processed")
      await expect.poll(() => status(swept.id)).toBe("success")
      const notified = await pay()
      fake.become(notified.transfer, "canceled")
      const { body, headers } = fake.message(notified.transfer)
      await running.providers.receive("bridge", headers, body)
      await expect.poll(() => status(notified.id)).toBe("failed")
      expect((await running.operator.exceptions.list()).items).toEqual([])
      fake.become(swept.transfer, "returned")
      fake.become(swept.transfer, "refunded")
      await expect.poll(() => status(swept.id)).toBe("returned")
      expect(fake.invalid).toEqual([])
      expect([...fake.executions.values()].every((times) => times === 1)).toBe(true)
    } finally {
      await running.close()
    }
  })
})
