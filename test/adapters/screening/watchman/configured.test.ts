/** Watchman as its user has it: a few lines of a configuration, `corridor doctor`, beneficiaries, and the decision of a desk. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../../../src/adapters/clock/movable.ts"
import { simulatedProvider } from "../../../../src/adapters/provider/simulated.ts"
import { watchman, type WatchmanOptions } from "../../../../src/adapters/screening/watchman.ts"
import { memoryStorage } from "../../../../src/adapters/storage/memory.ts"
import { memoryWebhooks } from "../../../../src/adapters/webhook/memory.ts"
import { Corridor } from "../../../../src/index.ts"
import { corridor as command } from "../../../support/cli/command-line.ts"
import { signatureOf } from "../../../support/companies/desk.ts"
import { FakeWatchman } from "../../../support/companies/fake-watchman.ts"
import { covers } from "../../../support/repository/covers.ts"

const secret = "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE="
const folder = mkdtempSync(join(tmpdir(), "corridor-watchman-"))
const fake = new FakeWatchman()
beforeAll(() => fake.start())
beforeEach(() => {
  fake.mishaps = []
  fake.isLoading = false
  fake.listed = [{ list: "us_ofac", id: "1", type: "person", name: "Viktor Black" }]
  fake.refresh()
})
afterAll(async () => {
  await fake.stop()
  rmSync(folder, { recursive: true, force: true })
})

let files = 0
const doctor = async (options: string): Promise<string> => {
  // A file is imported once.
  const file = join(folder, `corridor-${files++}.config.ts`)
  const src = resolve("src")
  writeFileSync(
    file,
    `import { defineConfig } from "${src}/http/config/index.ts"
     import { watchman } from "${src}/adapters/screening/watchman.ts"
     export default defineConfig({ database: "memory:", providers: [() => watchman({ url: "${fake.url}", ${options} })] })`
  )
  const { errors, out } = await command(["doctor", "--config", file], {})
  return [...out.split("\n"), ...errors].filter((line) => /watchman/i.test(line)).join("\n")
}

describe("corridor doctor", () => {
  covers("WATCHMAN-2", "WATCHMAN-6", "CLI-17")
  it("says how old the lists are, that they are too old, that one is empty, and that nobody decides", async () => {
    const signed = `desk_secret: "${secret}"`
    fake.refreshed_at = Date.now() - 3.5 * 3_600_000
    expect(await doctor(signed)).toMatch(/watchman: Watchman at 127\.0\.0\.1:\d+ has us_ofac, refreshed 3 hours ago$/)
    expect(await doctor("")).toMatch(/watchman: desk_secret is not set: what is held is decided by other lists alone/)
    fake.refreshed_at = Date.now() - 50 * 3_600_000
    expect((await doctor(signed)).split("\n")).toEqual([
      expect.stringMatching(
        /^fail .* clears nobody: its lists are old: they were refreshed 50 hours ago, and 48 are allowed$/
      )
    ])
    fake.refresh()
    expect(await doctor(`${signed}, lists: ["us_ofac", "eu_csl"]`)).toMatch(
      /clears nobody: it has no entries of eu_csl/
    )
  })
})

describe("an option that cannot be used", () => {
  const url = "https://watchman.example.com"
  covers("WATCHMAN-6")
  it.each([
    [{ url: "http://watchman.example.com" }, /^watchman: the url must be https, or http to a loopback address/],
    [{ url: "watchman" }, /^watchman: the url must be an absolute URL/],
    [{ url, name: "Watchman" }, /^watchman: name is "Watchman"/],
    [{ url, formerly: ["watchman"] }, /^watchman: /],
    [{ url, lists: [] }, /^watchman: lists has no list/],
    [{ url, lists: ["us ofac"] }, /^watchman: lists has no list, or one that is no name/],
    [{ url, max_age_hours: 0 }, /^watchman: max_age_hours is 0; it takes 1 to 744/],
    [{ url, possible_match: 0.2 }, /^watchman: possible_match is 0.2; it takes 0.5 to 1/],
    [{ url, possible_match: Number.NaN }, /^watchman: possible_match is NaN/],
    [{ url, strong_match: 0.8 }, /^watchman: strong_match is 0.8; it takes 0.85 to 1/],
    [{ url, on_strong_match: "cleared" }, /^watchman: on_strong_match is "cleared"; it takes refused or held/],
    [{ url, desk_secret: "topsecret" }, /^watchman: the secret must be whsec_ followed by base64/],
    [{ url, desk_secret: [] }, /^watchman: a secret is required/],
    [{ url, timeout_ms: 0.5 }, /^watchman: timeout_ms takes whole ms/],
    [{ url, events_interval_ms: 0 }, /^watchman: events_interval_ms is 0/],
    [{ url, max_age_hour: 3 }, /`max_age_hour` is not an option of watchman. Did you mean `max_age_hours`/]
  ])("%j is refused in one line", (options, line) => {
    let message = "accepted"
    try {
      watchman(options as WatchmanOptions)
    } catch (error) {
      message = (error as Error).message
    }
    expect(message).toMatch(line)
    expect(message).not.toMatch(/topsecret|\n/)
  })
})

describe("beneficiaries", () => {
  covers("WATCHMAN-1", "WATCHMAN-2", "WATCHMAN-3", "WATCHMAN-5")
  it("are active, blocked or pending as Watchman says, none is written while it cannot say, and the desk decides", async () => {
    const running = await Corridor.start({
      storage: memoryStorage(),
      providers: [
        watchman({ url: fake.url, desk_secret: secret, events_interval_ms: 50, timeout_ms: 1000 }),
        simulatedProvider({ mode: "auto" })
      ],
      routing: { priorities: { watchman: 1, simulated: 2 } },
      webhooks: memoryWebhooks(),
      cipher: aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] }),
      clock: movableClock()
    })
    try {
      const { merchant } = await running.merchants.create({ name: "Lagos", country_code: "NG", status: "active" })
      const lagos = running.as(merchant.id)
      const details = { network: "base", address: "0x1111111111111111111111111111111111111111" } as const
      const create = (name: string) => lagos.beneficiaries.create({ type: "crypto", name, currency: "USDC", details })
      expect((await create("Ada Obi")).status).toBe("active")
      expect((await create("Viktor Black")).status).toBe("blocked")

      fake.goWrong("html", /./, 3)
      await expect(create("Ada Obi")).rejects.toMatchObject({ status: 500 })
      fake.mishaps = []
      fake.refreshed_at = Date.now() - 60 * 3_600_000
      await expect(create("Ada Obi")).rejects.toMatchObject({ status: 500 })
      fake.refresh()
      expect((await lagos.beneficiaries.list({})).total).toBe(2)

      const held = await create("Виктор")
      expect(held.status).toBe("pending")
      const requests = fake.requests.map((one) => new URL(one, fake.url).searchParams)
      const screening_id = requests.findLast((query) => query.get("name") === "Виктор")!.get("requestID")!
      const decide = (id: string, cleared: boolean) => {
        const body = JSON.stringify({
          ...{ operation: "event", id, type: "screened", merchant_id: merchant.id, resource_id: held.id },
          ...{ screening_id, cleared }
        })
        return running.providers.receive("watchman", signatureOf(secret, body, Date.now()), body)
      }
      expect(await decide("desk_1", true)).toEqual({ event_id: "desk_1", result: "applied" })
      expect((await lagos.beneficiaries.get(held.id)).status).toBe("active")
      expect(await decide("desk_1", true)).toEqual({ event_id: "desk_1", result: "duplicate" })

      // What is held is told by other lists too.
      const other = await create("Петр")
      fake.generation++
      fake.listed.push({ list: "us_ofac", id: "2", type: "person", name: "Петр" })
      await expect.poll(async () => (await lagos.beneficiaries.get(other.id)).status).toBe("blocked")
    } finally {
      await running.close()
    }
  })
})
