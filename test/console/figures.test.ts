/** The console's figures in Chromium: volume and success over time, and which merchants fail where. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { audit, auditLooks, desktop, picture, settled, signIn } from "../support/console/pages.ts"
import { type Served, serveConsole } from "../support/console/served.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"

describeInBrowser("the console's figures", () => {
  let served: Served
  beforeAll(async () => {
    served = await serveConsole()
    const { make, quote, settle } = served.stock
    for (const outcome of ["success", "success", "failed"]) {
      const { id: quote_id } = await quote({ source_amount: "25" })
      const { id: resource_id } = await make("/v1/offramps", { quote_id })
      await settle()
      await make("/sandbox/outcomes", { resource_id, outcome })
    }
    await settle()
  })
  afterAll(() => served?.close())

  it("draws movements and success over time, with the numbers beside them, and keeps what is chosen in the URL", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console")
      await page.getByRole("img", { name: "Movements and share of success over the last 24 hours" }).waitFor()
      // Figures follow their movements within seconds, and the page reads them again.
      const isDrawn = () =>
        page.locator(".chart rect.good").evaluateAll((all) => all.some((one) => one.getBoundingClientRect().height > 5))
      await expect.poll(isDrawn).toBe(true)
      await page.getByText("The numbers").click()
      await page.getByRole("region", { name: "Movements over time" }).waitFor()
      await auditLooks(page, "overview-figures")
      await page.getByRole("combobox", { name: "What is shown" }).selectOption("USDC")
      await page.getByRole("combobox", { name: "Time", exact: true }).selectOption("7d")
      await page.waitForURL("**/console?volume=USDC&range=7d")
      await page.getByRole("img", { name: "Volume in USDC and share of success over the last 7 days" }).waitFor()
      await page.reload()
      await settled(page)
      expect(await page.getByRole("combobox", { name: "What is shown" }).inputValue()).toBe("USDC")
      const corridors = page.getByRole("region", { name: "Time to success by corridor" })
      expect(await corridors.getByRole("row", { name: /USDC → NGN/ }).textContent()).toMatch(/66\.6 %|66\.7 %/)
    }))

  it("answers which merchants fail on a currency since an hour, and why", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/statistics")
      await page.getByLabel("Currency").fill("ngn")
      await page.getByLabel("Currency").press("Enter")
      await page.waitForURL("**/console/statistics?currency=ngn")
      await settled(page)
      const rows = page.locator("tbody tr")
      expect(await rows.count()).toBe(1)
      const cells = await rows.first().locator("td").allTextContents()
      const { name } = (await served.stock.operate(`/operator/v1/merchants/${served.stock.api.merchant_id}`)).json.data
      expect(cells.slice(0, 3)).toEqual([name, "USDC → NGN", "1"])
      await page.getByLabel("Failure reason").check()
      await page.waitForURL("**by=merchant%2Ccorridor%2Cfailure_reason")
      await settled(page)
      expect(await rows.count()).toBeGreaterThan(1)
      await audit(page)
      await picture(page, "statistics")
      await page.getByLabel("From").fill("2020-01-01T00:00")
      await page.getByRole("alert").waitFor()
      await audit(page)
    }))
})
