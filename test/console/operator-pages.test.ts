/** The operator's pages in Chromium: each is accessible, shows what there is, and shows what strangers enter as text. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { desktop, follow, awaitSettled, signIn } from "../support/console/pages.ts"
import { hostile, type Seeded, seedConsole } from "../support/console/seeded.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

describeInBrowser("the operator's pages", () => {
  let served: Seeded
  beforeAll(async () => {
    served = await seedConsole()
  })
  afterAll(() => served?.close())

  it("show what strangers enter as text", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken)
      for (const path of ["/access-requests", "/verifications?status=in_progress", "/brakes", "/exceptions"]) {
        await follow(page, `/console${path}`)
        for (const fold of await page.locator("main details").all())
          await fold.evaluate((element) => ((element as unknown as { open: boolean }).open = true))
        const text = ((await page.locator("main").textContent()) ?? "").replaceAll('\\"', '"')
        expect([path, text]).toEqual([path, expect.stringContaining(hostile)])
        expect([path, await page.locator("main img, main script").count()]).toEqual([path, 0])
      }
    }))

  covers("OPERATOR-11")
  it("merchants by their names, with the id in the hover", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken)
      const queues = ["deposits", "exceptions", "verifications?status=in_progress", "stuck?waits=any_time"]
      for (const path of [
        ...queues,
        "access-requests",
        "ledger",
        `ledger/accounts/available%3A${served.stock.wallet}`
      ]) {
        await follow(page, `/console/${path}`)
        const links = await page
          .locator('main tbody a[href*="/merchants/mer_"]')
          .evaluateAll((found: any) =>
            found.map(({ textContent, title }: any) => `${textContent} ${title.slice(0, 4)}`)
          )
        expect([path, [...new Set(links)].sort()]).toEqual([path, expect.arrayContaining(["Corridor mer_"])])
        expect([path, links.filter((text: string) => text.startsWith("mer_"))]).toEqual([path, []])
      }
    }))

  it("filters in the URL: shared, reloaded, and left with the back button", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/stuck")
      await page.getByText("Nothing is stuck").waitFor()
      await page.getByLabel("No progress for").selectOption("any_time")
      await page.waitForURL("**/console/stuck?waits=any_time")
      await page.locator("tbody tr").first().waitFor()
      // What an operator decides is in another queue.
      expect(await page.getByText("Awaiting operator").count()).toBe(0)
      const all = await page.locator("tbody tr").count()
      await page.getByLabel("Kind").selectOption("transfer")
      await page.waitForURL("**/console/stuck?waits=any_time&kind=transfer")
      await expect.poll(() => page.locator("tbody tr").count()).toBeLessThan(all)
      const rows = await page.locator("tbody tr").count()
      expect(rows).toBeGreaterThanOrEqual(1)
      await page.reload()
      await awaitSettled(page)
      await expect.poll(() => page.locator("tbody tr").count()).toBe(rows)
      expect(await page.getByLabel("Kind").inputValue()).toBe("transfer")
      await page.goBack()
      await page.waitForURL("**/console/stuck?waits=any_time")
      await expect.poll(() => page.locator("tbody tr").count()).toBe(all)
    }))

  it("the ledger leads from a class to an account to its entries, which add up", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/ledger")
      await page.getByRole("link", { name: "Suspense", exact: true }).click()
      await page.waitForURL("**/console/ledger?class=suspense")
      await awaitSettled(page)
      await page.getByRole("link", { name: "suspense", exact: true }).first().click()
      await page.waitForURL("**/console/ledger/accounts/suspense")
      await awaitSettled(page)
      const amounts = await page.locator("tbody .money").allTextContents()
      expect(amounts.toSorted()).toEqual(["1.00 USDC", "75.50 USDT"])
    }))

  it("a merchant's keys are created, shown once, and revoked by an operator, with a note", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, `/console/merchants/${served.stock.other_merchant_id}`)
      await page.getByRole("button", { name: "Create key" }).click()
      const dialog = page.locator("dialog[open]")
      await dialog.getByLabel("Label").fill("from the console")
      await dialog.getByLabel(/^Note/).fill("asked by phone")
      await dialog.getByRole("button", { name: "Create key" }).click()
      expect(await dialog.locator(".secret code").textContent()).toMatch(/^sk_/)
      await dialog.getByRole("button", { name: "Close" }).click()
      const row = page.locator("tbody tr", { hasText: "from the console" })
      await row.getByRole("button", { name: "Revoke" }).click()
      await dialog.getByRole("button", { name: "Revoke" }).click()
      await expect.poll(() => row.count()).toBe(0)
    }))

  it("routing says who would serve a request, and that nobody would", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/routing?currency=NGN")
      await page.getByRole("heading", { name: "Who serves this payout now" }).waitFor()
      expect(await page.locator("tbody").first().textContent()).toContain("simulated")
      await page.getByLabel("Currency", { exact: true }).fill("XXX")
      await page.getByLabel("Currency", { exact: true }).press("Enter")
      await page.waitForURL("**currency=XXX")
    }))

  it("a provider's page says what it serves, and that an unknown one is not configured", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/providers")
      await page.getByRole("link", { name: "simulated" }).click()
      await page.getByRole("heading", { name: "What it serves" }).waitFor()
      await page.goto("/console/providers/nobody")
      await page.getByText("This provider is not configured").waitFor()
    }))
})
