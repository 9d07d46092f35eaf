/** Five questions of support, each answered by an operator who has only the console: clicks, and what the page then says. */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { desktop, picture, publishPicture, awaitSettled, signIn } from "../support/console/pages.ts"
import { type Seeded, seedConsole } from "../support/console/seeded.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { makeHeldDeposit } from "../support/http/successful-requests.ts"
import { covers } from "../support/repository/covers.ts"

const report = join(import.meta.dirname, "../../artifacts/console/questions.txt")

covers("CONSOLE-1")
describeInBrowser("questions of support", () => {
  let seeded: Seeded
  beforeAll(async () => {
    mkdirSync(dirname(report), { recursive: true })
    writeFileSync(report, "")
    seeded = await seedConsole()
  })
  afterAll(() => seeded?.close())

  /** Signed in, on the overview. Counts what a person does: clicks, fields and keys. */
  const asked = (name: string, token: string, use: (page: Page, hand: Hand) => Promise<void>): Promise<void> =>
    seeded.visit(desktop, async (page) => {
      await signIn(page, token)
      const began = performance.now()
      const hand = new Hand(page)
      await use(page, hand)
      appendFileSync(report, `${name}: ${hand.acts} acts, ${((performance.now() - began) / 1000).toFixed(1)} s\n`)
      expect(hand.acts).toBeLessThanOrEqual(8)
      await picture(page, `questions/${name}`, false)
    })

  class Hand {
    acts = 0
    readonly page: Page
    constructor(page: Page) {
      this.page = page
    }
    async click(what: Locator): Promise<void> {
      this.acts++
      await what.click()
      await awaitSettled(this.page)
    }
    async fill(what: Locator, text: string): Promise<void> {
      this.acts++
      await what.fill(text)
    }
    async choose(what: Locator, value: string): Promise<void> {
      this.acts++
      await what.selectOption(value)
      await awaitSettled(this.page)
    }
    async press(key: string): Promise<void> {
      this.acts++
      await this.page.keyboard.press(key)
      await awaitSettled(this.page)
    }
  }

  it("where is payout invoice-1042?", async () => {
    const { make, quote, settle } = seeded.stock
    const { id } = await quote({ source_amount: "10" })
    await make("/v1/offramps", { quote_id: id, reference: "invoice-1042" })
    await settle()
    await asked("where-is-the-payout", operatorToken, async (page, hand) => {
      await hand.fill(page.getByLabel("Search", { exact: true }), "invoice-1042")
      await hand.press("Enter")
      const waits = page.getByRole("region", { name: "What it waits for" })
      await waits.waitFor()
      expect(await waits.textContent()).toMatch(/provider|bank/i)
      expect(await page.locator("main").textContent()).toContain("invoice-1042")
      await publishPicture(page, "movement")
    })
  })

  it("why was this deposit held?", async () => {
    const id = await makeHeldDeposit(seeded.stock)
    await asked("why-was-it-held", operatorToken, async (page, hand) => {
      await hand.click(page.getByRole("link", { name: "Held deposits", exact: true }).first())
      const row = page.getByRole("row").filter({ has: page.locator(`a[href$="${id}"]`) })
      expect(await row.textContent()).toMatch(/frozen/i)
    })
  })

  it("which merchants fail on NGN since noon?", async () => {
    const { make, quote, settle, wallet } = seeded.stock
    const { id } = await quote({ wallet_id: wallet, source_amount: "10" })
    const offramp = await make("/v1/offramps", { quote_id: id })
    await settle()
    await make("/sandbox/outcomes", { resource_id: offramp.id, outcome: "failed" })
    await settle()
    await asked("who-fails-on-ngn", operatorToken, async (page, hand) => {
      await hand.click(page.getByRole("link", { name: "Statistics", exact: true }).first())
      await hand.fill(page.getByLabel("Currency"), "NGN")
      await hand.press("Enter")
      const first = page.getByRole("row").nth(1)
      await expect.poll(() => first.textContent()).toMatch(/^(?!mer_).+USDC → NGN/)
      expect(Number(await first.getByRole("cell").nth(2).textContent())).toBeGreaterThan(0)
      await page.goto("/console")
      await awaitSettled(page)
      await publishPicture(page, "overview")
    })
  })

  it("was this webhook delivered?", async () => {
    await asked("was-it-delivered", seeded.stock.api.key, async (page, hand) => {
      await hand.click(page.getByRole("link", { name: "Webhooks", exact: true }))
      await hand.click(page.locator(`main table a[href$="${seeded.endpoint}"]`).first())
      await hand.fill(page.getByLabel("Event type", { exact: true }), "deposit.confirmed")
      await hand.press("Enter")
      const rows = page.getByRole("row").filter({ hasText: "deposit.confirmed" })
      const delivery = rows.filter({ has: page.locator("summary") }).first()
      await hand.click(delivery.locator("summary"))
      expect(await delivery.textContent()).toMatch(/HTTP (?:500|200)/)
      expect(await page.locator("main").textContent()).toContain(seeded.receiver.url)
    })
  })

  it("who released this money?", async () => {
    const { operate } = seeded.stock
    const made = await operate("/operator/v1/operators", {
      method: "POST",
      body: { name: "Thandi Nkosi", role: "treasury" }
    })
    const { token } = made.json.data
    const id = await makeHeldDeposit(seeded.stock)
    const released = await seeded.stock.api.ask(`/operator/v1/deposits/${id}/release`, {
      method: "POST",
      key: token,
      body: { note: "The sender is known." }
    })
    expect(released.status).toBe(200)
    await asked("who-released-it", operatorToken, async (page, hand) => {
      await hand.click(page.getByRole("link", { name: "Audit", exact: true }))
      await hand.choose(page.getByLabel("Action"), "releaseDeposit")
      const row = page.getByRole("row").filter({ has: page.locator(`a[href$="${id}"]`) })
      await expect.poll(() => row.textContent()).toContain("Thandi Nkosi")
      expect(await row.textContent()).toContain("The sender is known.")
      await publishPicture(page, "audit")
    })
  })
})
