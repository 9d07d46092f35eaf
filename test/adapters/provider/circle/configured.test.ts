/** Circle as its user has it: a few lines of a configuration, `corridor doctor`, a transfer, and a notification. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../../../src/adapters/clock/movable.ts"
import { circle } from "../../../../src/adapters/provider/circle.ts"
import { simulatedProvider } from "../../../../src/adapters/provider/simulated.ts"
import { memoryStorage } from "../../../../src/adapters/storage/memory.ts"
import { memoryWebhooks } from "../../../../src/adapters/webhook/memory.ts"
import { Corridor, type RunningSandbox } from "../../../../src/index.ts"
import { corridor as command } from "../../../support/cli/command-line.ts"
import { circleKey, FakeCircle, topicArn } from "../../../support/companies/fake-circle.ts"
import { covers } from "../../../support/repository/covers.ts"

const liveKey = "LIVE_API_KEY:cccccccccccccccc:dddddddddddddddd"

const approved = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV"
const folder = mkdtempSync(join(tmpdir(), "corridor-circle-"))
const fake = new FakeCircle()
fake.now = () => Date.now()
beforeAll(async () => {
  await fake.start()
  fake.addRecipient(approved, "SOL")
})
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
     import { circle } from "${src}/adapters/provider/circle.ts"
     export default defineConfig(({ secret }) => ({
       database: "memory:",
       providers: [() => circle({ environment: "test", key: secret("CIRCLE_KEY"), url: "${fake.url}" })]
     }))`
  )
}

const doctor = async (env: Readonly<Record<string, string>>): Promise<string> => {
  const { errors, out } = await command(["doctor", "--config", file], env)
  return [...out.split("\n"), ...errors].filter((line) => /circle|providers\[0\]/i.test(line)).join("\n")
}

describe("corridor doctor", () => {
  covers("CIRCLE-10", "CLI-17")
  it("says of a key that it is accepted, missing, refused, or of the other environment, in one line without the key", async () => {
    configured()
    const lines = [
      await doctor({ CIRCLE_KEY: circleKey }),
      await doctor({}),
      await doctor({ CIRCLE_KEY: "SAND_API_KEY:ffffffffffffffff:ffffffffffffffff" }),
      await doctor({ CIRCLE_KEY: liveKey })
    ]
    expect(lines.map((line) => line.split("\n").length)).toEqual([1, 1, 1, 1])
    expect(lines[0]).toMatch(/circle: key is accepted/)
    expect(lines[1]).toMatch(/reads CIRCLE_KEY, which is not set in the environment/)
    expect(lines[2]).toMatch(/cannot start: circle: key is refused by Circle \(401: /)
    expect(lines[3]).toMatch(/circle: key is one of live, and environment is test/)
    expect(lines.join("\n")).not.toMatch(/ffffff|bbbbbb|aaaaaa|cccccc/)
  })
})

const options = () => ({
  storage: memoryStorage(),
  providers: [
    circle({
      ...{ environment: "test", key: circleKey, url: fake.url, events_interval_ms: 50 },
      notifications: { topic_arn: topicArn, sns_url: fake.url }
    }),
    simulatedProvider({ mode: "auto" })
  ],
  webhooks: memoryWebhooks(),
  cipher: aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] }),
  clock: movableClock()
})

describe("a server", () => {
  covers("COMPANY-1", "COMPANY-8", "COMPANY-9", "CIRCLE-7", "CIRCLE-9")
  it("takes a deposit, pays to an approved address, and hears of it by a sweep and by a notification", {
    timeout: 300_000
  }, async () => {
    const running = (await Corridor.start(options())) as RunningSandbox
    try {
      const { merchant } = await running.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
      const lagos = running.as(merchant.id)
      const { id: wallet_id } = await lagos.wallets.create({ currency: "USDC" })
      const created = await lagos.depositAddresses.create(wallet_id, { network: "solana" })
      const address = async () => {
        const { details, status } = await lagos.depositAddresses.get(wallet_id, created.id)
        return status === "active" ? details?.address : undefined
      }
      await expect.poll(address).toMatch(/^[0-9a-f]{32}$/)
      fake.arrive((await address())!, 500_000_000n, "complete", "SOL")
      const balance = async () => (await lagos.wallets.get(wallet_id)).balance
      await expect.poll(async () => JSON.stringify(await balance())).toMatch(/"500\.00/)
      const payee = await lagos.beneficiaries.create({
        ...{ type: "crypto", name: "Ada Obi", currency: "USDC" },
        details: { network: "solana", address: approved }
      })
      const pay = async () => {
        const { id } = await lagos.transfers.create({ wallet_id, beneficiary_id: payee.id, amount: "20.00" })
        const count = fake.payments.length
        await expect.poll(() => fake.payments.length).toBe(count + 1)
        return { id, payment: fake.payments.at(-1)! }
      }
      const status = async (id: string) => (await lagos.transfers.get(id)).status
      const swept = await pay()
      fake.become(swept.payment, "complete")
      await expect.poll(() => status(swept.id)).toBe("success")
      const notified = await pay()
      fake.become(notified.payment, "failed", "transfer_denied")
      const { body, headers } = fake.paymentMessage(notified.payment)
      await running.providers.receive("circle", headers, body)
      await expect.poll(() => status(notified.id)).toBe("failed")
      expect((await running.operator.exceptions.list()).items).toEqual([])
      expect(fake.invalid).toEqual([])
      expect([...fake.executions.values()].every((times) => times === 1)).toBe(true)
    } finally {
      await running.close()
    }
  })
})
