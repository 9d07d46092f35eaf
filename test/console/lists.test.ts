/** The console's lists of movements and customers, its search, and a customer's page, in Chromium. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { desktop, awaitSettled, signIn } from "../support/console/pages.ts"
import { type Served, serveConsole } from "../support/console/served.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

/** What a stranger may enter. It is shown, and never runs. */
const hostile = `<img src=x onerror="document.title='run'"><script>document.title="run"</script>`

describeInBrowser("the console's lists", () => {
  let served: Served
  beforeAll(async () => {
    served = await serveConsole()
    const { make } = served.stock
    await make("/v1/customers", { type: "individual", name: hostile, email: "eve@example.com", country_code: "NG" })
    for (let n = 0; n < 25; n++)
      await make("/v1/transfers", {
        wallet_id: served.stock.wallet,
        beneficiary_id: served.stock.crypto,
        amount: `${n + 1}.5`,
        reference: n === 0 ? hostile : `many-${n}`
      })
    await served.stock.settle()
  })
  afterAll(() => served?.close())

  covers("CONSOLE-4")
  it("pages on the server, keeps filters and page in the URL, and goes back", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/movements")
      await expect.poll(() => page.locator("tbody tr").count()).toBe(20)
      await page.getByLabel("Kind", { exact: true }).selectOption("transfer")
      await page.waitForURL("**/console/movements?kind=transfer")
      await page.getByRole("link", { name: "Next" }).click()
      await page.waitForURL("**/console/movements?kind=transfer&page=2")
      await awaitSettled(page)
      const second = await page.locator("tbody tr").allTextContents()
      expect(second.length).toBe(6)
      expect(second.every((row) => row.includes("Transfer"))).toBe(true)
      await page.reload()
      await awaitSettled(page)
      expect(await page.locator("tbody tr").allTextContents()).toEqual(second)
      expect(await page.getByLabel("Kind", { exact: true }).inputValue()).toBe("transfer")
      await page.goBack()
      await awaitSettled(page)
      expect(new URL(page.url()).search).toBe("?kind=transfer")
      await page.getByRole("button", { name: "Clear filters" }).click()
      await page.waitForURL("**/console/movements")
      await page.getByLabel("From").fill("2099-01-01")
      await page.getByLabel("From").press("Tab")
      await page.getByText("No movement matches").waitFor()
    }))

  it("says of an empty list what that means, and of filters that match nothing only that", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/brakes")
      await page.getByText("No pause was ever set").waitFor()
      expect(await page.getByText("Everything is submitted as it comes.").count()).toBe(1)
      await page.getByLabel("Status", { exact: true }).selectOption("released")
      await page.getByText("No pause matches").waitFor()
      expect(await page.locator("main").innerText()).toContain("Change or clear the filters.")
      expect(await page.getByText("Everything is submitted as it comes.").count()).toBe(0)
    }))

  covers("CONSOLE-7")
  it("shows what strangers enter as text", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/customers")
      await page.getByRole("link", { name: hostile }).waitFor()
      await page.getByRole("link", { name: hostile }).click()
      await awaitSettled(page)
      await page.goto("/console/movements?page=2")
      await awaitSettled(page)
      expect(await page.getByText(hostile).count()).toBeGreaterThan(0)
      await page.goto(`/console/search?q=${encodeURIComponent(hostile)}`)
      await awaitSettled(page)
      expect(await page.title()).not.toBe("run")
      expect(await page.locator("img, main script").count()).toBe(0)
    }))
})
