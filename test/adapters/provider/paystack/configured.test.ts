/** Paystack as its user has it: a few lines of a configuration, `corridor doctor`, a payout to Lagos, and a callback. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../../../src/adapters/clock/movable.ts"
import { paystack } from "../../../../src/adapters/provider/paystack.ts"
import { simulatedProvider } from "../../../../src/adapters/provider/simulated.ts"
import { memoryStorage } from "../../../../src/adapters/storage/memory.ts"
import { memoryWebhooks } from "../../../../src/adapters/webhook/memory.ts"
import { Corridor, type RunningSandbox } from "../../../../src/index.ts"
import { corridor as command } from "../../../support/cli/command-line.ts"
import { FakePaystack, ghsKey, ngnKey } from "../../../support/companies/fake-paystack.ts"
import { covers } from "../../../support/repository/covers.ts"

const liveKey = "sk_live_eeeeeeeeeeeeeeeeeeee"
const folder = mkdtempSync(join(tmpdir(), "corridor-paystack-"))
const fake = new FakePaystack()
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
     import { paystack } from "${src}/adapters/provider/paystack.ts"
     export default defineConfig(({ secret }) => ({
       database: "memory:",
       providers: [() => paystack({ keys: { NGN: secret("PAYSTACK_NGN") }, url: "${fake.url}" })]
     }))`
  )
}

const doctor = async (env: Readonly<Record<string, string>>): Promise<string> => {
  const { errors, out } = await command(["doctor", "--config", file], env)
  return [...out.split("\n"), ...errors].filter((line) => /paystack|PAYSTACK|providers\[0\]/i.test(line)).join("\n")
}

describe("corridor doctor", () => {
  covers("COMPANY-11", "CLI-17")
  it("says of a key that it is accepted, missing, refused, or of the other mode, in one line without the key", async () => {
    configured()
    const lines = [
      await doctor({ PAYSTACK_NGN: ngnKey }),
      await doctor({}),
      await doctor({ PAYSTACK_NGN: "sk_test_ffffffffffffffffffff" }),
      await doctor({ PAYSTACK_NGN: ghsKey }),
      await doctor({ PAYSTACK_NGN: "nonsense" })
    ]
    expect(lines.map((line) => line.split("\n").length)).toEqual([1, 1, 1, 1, 1])
    expect(lines[0]).toMatch(/paystack: keys\.NGN is accepted, and has a balance in NGN/)
    expect(lines[1]).toMatch(/reads PAYSTACK_NGN, which is not set in the environment/)
    expect(lines[2]).toMatch(
      /cannot start: paystack: keys\.NGN is refused by Paystack \(401: Invalid key \(invalid_Key\)\)/
    )
    expect(lines[3]).toMatch(/no balance in NGN, but in GHS/)
    expect(lines[4]).toMatch(/keys\.NGN is no secret key of Paystack/)
    expect(lines.join("\n")).not.toMatch(/ffffff|bbbbbb|aaaaaa|nonsense/)
  })
})

const cipher = aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] })
const options = (key = ngnKey) => ({
  storage: memoryStorage(),
  providers: [
    paystack({ keys: { NGN: key, ...(key === ngnKey ? { GHS: ghsKey } : {}) }, url: fake.url, events_interval_ms: 50 }),
    simulatedProvider({ mode: "auto" })
  ],
  webhooks: memoryWebhooks(),
  cipher,
  clock: movableClock()
})

describe("a server", () => {
  covers("COMPANY-11")
  it("does not start with keys of the other environment", async () => {
    fake.integrations.set(liveKey, fake.integrations.get(ngnKey)!)
    await expect(Corridor.start(options(liveKey))).rejects.toThrow(
      "the test environment does not accept live keys, which move real money (paystack)"
    )
    configured()
    const { code, errors } = await command(["serve", "--config", file], { PAYSTACK_NGN: liveKey, PORT: "0" })
    expect(code).toBe(1)
    expect(errors.join("\n")).toContain(
      "providers[0] has live keys, which move real money; the test environment takes keys of a test mode."
    )
    const live = { CORRIDOR_ENVIRONMENT: "live", PAYSTACK_NGN: ngnKey, PORT: "0" }
    expect((await command(["serve", "--config", file], live)).errors.join("\n")).toContain(
      "providers[0] has keys of a test mode, which move no money; the live environment takes real providers only."
    )
  })

  covers("COMPANY-13")
  it("makes a beneficiary of an account whose holder nobody can say, under the name that was sent", async () => {
    const running = await Corridor.start(options())
    try {
      const { merchant } = await running.merchants.create({ name: "Accra", country_code: "GH", status: "active" })
      const accra = running.as(merchant.id)
      const banks = (await accra.providers.list({ country_code: "GH", per_page: 100 })).items
      const provider_id = banks.find(({ name }) => name === "Absa")!.id
      const at = { country_code: "GH", network: "bank", account_number: "0123456789012", provider_id } as const
      const payee = { type: "fiat", name: "Kofi Mensah", currency: "GHS" } as const
      const named = await accra.beneficiaries.create({ ...payee, details: { ...at, account_name: "K. Mensah" } })
      const unnamed = await accra.beneficiaries.create({ ...payee, details: at })
      const renamed = await accra.beneficiaries.update(named.id, { name: "Ama Boateng" })
      const of = ({ details }: typeof named) => {
        const { account_name, name_match } = details as { readonly account_name: unknown; readonly name_match: unknown }
        return [account_name, name_match]
      }
      expect([of(named), of(unnamed), of(renamed)]).toEqual([
        ["K. Mensah", null],
        [null, null],
        ["K. Mensah", null]
      ])
    } finally {
      await running.close()
    }
  })

  covers("COMPANY-1", "COMPANY-8", "COMPANY-9")
  it("pays to a bank account in Lagos, and hears of it by a sweep and by a callback", {
    timeout: 300_000
  }, async () => {
    fake.integrations.get(ngnKey)!.first = "pending"
    const running = (await Corridor.start(options())) as RunningSandbox
    try {
      const { merchant } = await running.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
      const lagos = running.as(merchant.id)
      const { id: wallet_id } = await lagos.wallets.create({ currency: "USDC" })
      await running.sandbox.as(merchant.id).deposit({ wallet_id, amount: "500.00" })
      const bank = (await lagos.providers.list({ country_code: "NG", per_page: 100 })).items.find(
        ({ name }) => name === "ALAT by Wema"
      )
      const payee = await lagos.beneficiaries.create({
        type: "fiat",
        name: "Ada Obi",
        currency: "NGN",
        details: { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank!.id }
      })
      expect(payee.details).toMatchObject({ name_match: "full", account_name: "ADA OBI" })
      const pay = async () => {
        const quote = await lagos.quotes.offramp({ wallet_id, beneficiary_id: payee.id, target_amount: "5000.00" })
        const { id } = await lagos.offramps.create({ quote_id: quote.id })
        await expect.poll(() => fake.transfers.has(`${id}-payout`)).toBe(true)
        return id
      }
      const status = async (id: string) => (await lagos.offramps.get(id)).status
      const swept = await pay()
      fake.become(`${swept}-payout`, "success")
      await expect.poll(() => status(swept)).toBe("success")
      const called = await pay()
      fake.become(`${called}-payout`, "failed")
      const { body, headers } = fake.transferCallback(`${called}-payout`)
      await running.providers.receive("paystack", headers, body)
      await expect.poll(() => status(called)).toBe("failed")
      const stranger = fake.callback("charge.dispute.create", {})
      expect(await running.providers.receive("paystack", stranger.headers, stranger.body)).toEqual({
        event_id: null,
        result: "none"
      })
      expect((await running.operator.exceptions.list()).items).toEqual([])
      fake.become(`${swept}-payout`, "reversed")
      await expect.poll(() => status(swept)).not.toBe("success")
      expect(fake.invalid).toEqual([])
      expect([...fake.executions.values()].every((times) => times === 1)).toBe(true)
    } finally {
      await running.close()
    }
  })
})
