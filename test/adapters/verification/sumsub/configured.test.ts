/** Sumsub as its user has it: a few lines of a configuration, `corridor doctor`, a customer who verifies, and a callback. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../../../src/adapters/clock/movable.ts"
import { simulatedProvider } from "../../../../src/adapters/provider/simulated.ts"
import { memoryStorage } from "../../../../src/adapters/storage/memory.ts"
import { sumsub, type SumsubOptions } from "../../../../src/adapters/verification/sumsub.ts"
import { memoryWebhooks } from "../../../../src/adapters/webhook/memory.ts"
import { Corridor } from "../../../../src/index.ts"
import { corridor as command } from "../../../support/cli/command-line.ts"
import { appToken, FakeSumsub, secretKey } from "../../../support/companies/fake-sumsub.ts"
import { sumsubOptions } from "../../../support/companies/sumsub-world.ts"
import { covers } from "../../../support/repository/covers.ts"

const folder = mkdtempSync(join(tmpdir(), "corridor-sumsub-"))
const fake = new FakeSumsub()
beforeAll(() => fake.start())
beforeEach(() => {
  fake.mishaps = []
  fake.secret = secretKey
  fake.levelsBody = undefined
})
afterAll(async () => {
  await fake.stop()
  rmSync(folder, { recursive: true, force: true })
})

let file = ""
const configure = (more = ""): void => {
  // A file is imported once.
  file = join(folder, `corridor-${more.length}.config.ts`)
  const src = resolve("src")
  writeFileSync(
    file,
    `import { defineConfig } from "${src}/http/config/index.ts"
     import { sumsub } from "${src}/adapters/verification/sumsub.ts"
     export default defineConfig(({ secret }) => ({
       database: "memory:",
       providers: [() => sumsub({
         app_token: secret("SUMSUB_APP_TOKEN"),
         secret_key: secret("SUMSUB_SECRET_KEY"),
         levels: { individual: { tier_1: "basic-kyc", tier_2: "full-kyc" } },
         url: "${fake.url}", ${more}
       })]
     }))`
  )
}
const keys = { SUMSUB_APP_TOKEN: appToken, SUMSUB_SECRET_KEY: secretKey }
const doctor = async (env: Readonly<Record<string, string>> = keys): Promise<string> => {
  const { errors, out } = await command(["doctor", "--config", file], env)
  return [...out.split("\n"), ...errors].filter((line) => /sumsub|providers\[0\]/i.test(line)).join("\n")
}

describe("corridor doctor", () => {
  covers("SUMSUB-6", "SUMSUB-7", "CLI-17")
  it("says that the keys are accepted, refused or missing, and which level is not there, without a key", async () => {
    configure(`webhook_secret: "cccccccccccccccccccccccc"`)
    const accepted = await doctor()
    expect(accepted).toMatch(/sumsub: app_token is accepted, and Sumsub has the levels basic-kyc, full-kyc$/)
    expect(await doctor({ SUMSUB_APP_TOKEN: appToken })).toMatch(/reads SUMSUB_SECRET_KEY, which is not set/)
    configure()
    expect(await doctor()).toMatch(/webhook_secret is not set: callbacks are not accepted/)
    fake.secret = "another"
    const refused = await doctor()
    expect(refused).toMatch(/cannot start: sumsub: app_token and secret_key are refused by Sumsub \(status 401/)
    fake.secret = secretKey
    fake.levelsBody = { items: [{ name: "basic-kyc" }], totalItems: 1 }
    expect(await doctor()).toMatch(
      /levels\.individual\.tier_2 is "full-kyc", which Sumsub does not have .* it has basic-kyc/
    )
    fake.levelsBody = { items: [{ name: "basic-kyc" }], totalItems: 60 }
    expect(await doctor()).toMatch(/app_token and levels are not checked, .* or is not whole/)
    fake.levelsBody = undefined
    fake.goWrong("error_500", /levels/, 9)
    const away = await doctor()
    expect(away).toMatch(/app_token and levels are not checked, because Sumsub does not answer/)
    expect([accepted, refused, away].join("\n")).not.toMatch(/aaaaaaaa|bbbbbbbb|cccccccc/)
  })

  covers("SUMSUB-7")
  it("does not start in live with a token of the sandbox", async () => {
    configure()
    const { errors } = await command(["serve", "--config", file], {
      ...keys,
      CORRIDOR_ENVIRONMENT: "live",
      PORT: "0"
    })
    expect(errors.join("\n")).toContain("providers[0] has keys of a test mode")
    const live = { ...sumsubOptions, app_token: appToken.replace("sbx", "prd") }
    expect([sumsub(sumsubOptions).environment, sumsub(live).environment]).toEqual(["test", "live"])
  })
})

describe("an option that cannot be used", () => {
  covers("SUMSUB-6", "SUMSUB-7")
  it.each([
    [{ app_token: "topsecret-token" }, /^sumsub: app_token is no app token; it takes sbx:… or prd:…/],
    [{ secret_key: "topsecret key" }, /^sumsub: secret_key is no secret key/],
    [{ webhook_secret: "topsec" }, /^sumsub: webhook_secret is no secret/],
    [{ webhook_secret: [] }, /^sumsub: webhook_secret is no secret/],
    [{ webhook_digest: "sha1" }, /^sumsub: webhook_digest is "sha1"; it takes sha256 or sha512/],
    [{ levels: {} }, /^sumsub: levels\.individual\.tier_1 is no name of a level/],
    [{ levels: { individual: { tier_1: "a" } } }, /^sumsub: levels\.individual\.tier_2 is no name/],
    [
      { levels: { ...sumsubOptions.levels, business: { tier_1: "a", tier_2: " " } } },
      /^sumsub: levels\.business\.tier_2/
    ],
    [{ levels: { ...sumsubOptions.levels, company: {} } }, /^sumsub: levels\.company is for no customer/],
    [{ name: "Sumsub" }, /^sumsub: name is "Sumsub"/],
    [{ url: "http://api.example.com" }, /^sumsub: the url must be https/],
    [{ link_ttl_seconds: 0 }, /^sumsub: link_ttl_seconds is 0; it takes a whole number from 1 to 2592000/],
    [{ timeout_ms: 1.5 }, /^sumsub: timeout_ms is 1.5/],
    [{ token: "x" }, /`token` is not an option of sumsub/]
  ])("%j is refused in one line", (options, line) => {
    let message = "accepted"
    try {
      sumsub({ ...sumsubOptions, ...options } as SumsubOptions)
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toMatch(line)
    expect(message).not.toMatch(/topsec|\n/)
  })
})

describe("a customer", () => {
  covers("SUMSUB-1", "SUMSUB-2", "SUMSUB-4", "SUMSUB-5")
  it("is verified on Sumsub's page, by a callback that is looked up, and what is withdrawn is an exception", async () => {
    const running = await Corridor.start({
      storage: memoryStorage(),
      providers: [sumsub({ ...sumsubOptions, url: fake.url }), simulatedProvider({ mode: "auto" })],
      routing: { priorities: { sumsub: 1, simulated: 2 } },
      webhooks: memoryWebhooks(),
      cipher: aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] }),
      clock: movableClock()
    })
    try {
      const { merchant } = await running.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
      const lagos = running.as(merchant.id)
      const person = { type: "individual", country_code: "NG" } as const
      const ada = await lagos.customers.create({ ...person, name: "Ada Obi", email: "ada@example.com" })
      const session = await lagos.verifications.create(ada.id, { tier: "tier_1" })
      expect(session).toMatchObject({ status: "pending", hosted_url: fake.links.at(-1)!.url })
      expect((await lagos.verifications.create(ada.id, { tier: "tier_1" })).id).toBe(session.id)
      const call = (type: string) => {
        const { body, headers } = fake.callback(type, session.id)
        return running.providers.receive("sumsub", headers, body)
      }
      const status = async () => (await lagos.customers.get(ada.id)).kyc_status
      fake.open(session.id)
      expect((await call("applicantCreated")).result).toBe("applied")
      expect(await status()).toBe("in_progress")
      fake.review(session.id, { answer: "RED", rejectType: "RETRY" })
      expect((await call("applicantReviewed")).result).toBe("duplicate")
      expect(await status()).toBe("in_progress")
      fake.review(session.id, { answer: "GREEN", attempt: 1 })
      fake.goWrong("truncated")
      await expect(call("applicantReviewed")).rejects.toMatchObject({ status: 500 })
      expect((await call("applicantReviewed")).result).toBe("applied")
      expect((await call("applicantReviewed")).result).toBe("duplicate")
      expect(await lagos.customers.get(ada.id)).toMatchObject({ kyc_status: "approved", tier: "tier_1" })

      const open = async () => (await running.operator.exceptions.list()).items.map(({ reason }) => reason)
      expect(await open()).toEqual([])
      fake.review(session.id, { status: "init", attempt: 2 })
      expect((await call("applicantReset")).result).toBe("ignored")
      expect((await call("applicantReset")).result).toBe("duplicate")
      fake.review(session.id, { answer: "RED", rejectType: "FINAL", attempt: 3 })
      expect((await call("applicantReviewed")).result).toBe("ignored")
      expect((await open()).toSorted()).toEqual(["contradicts_state", "unreadable_event"])
      expect(await lagos.customers.get(ada.id)).toMatchObject({ kyc_status: "approved", tier: "tier_1" })
    } finally {
      await running.close()
    }
  })
})
