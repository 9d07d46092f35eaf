/** The console's figures in Chromium: volume and success over time, and which merchants fail where. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { audit, auditLooks, desktop, awaitSettled, signIn } from "../support/console/pages.ts"
import { type Served, serveConsole } from "../support/console/served.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

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
      await awaitSettled(page)
      expect(await page.getByRole("combobox", { name: "What is shown" }).inputValue()).toBe("USDC")
      const corridors = page.getByRole("region", { name: "Time to success by corridor" })
      expect(await corridors.getByRole("row", { name: /USDC → NGN/ }).textContent()).toMatch(/66\.[67]\s%/)
    }))

  it("answers which merchants fail on a currency since an hour, and why", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/statistics")
      await page.getByLabel("Currency").fill("ngn")
      await page.getByLabel("Currency").press("Enter")
      await page.waitForURL("**/console/statistics?currency=ngn")
      await awaitSettled(page)
      const rows = page.locator("tbody tr")
      await expect.poll(() => rows.count()).toBe(1)
      const cells = await rows.first().locator("td").allTextContents()
      const { name } = (await served.stock.operate(`/operator/v1/merchants/${served.stock.api.merchant_id}`)).json.data
      expect(cells.slice(0, 3)).toEqual([name, "USDC → NGN", "1"])
      await page.getByLabel("Failure reason").check()
      await page.waitForURL("**by=merchant%2Ccorridor%2Cfailure_reason")
      await awaitSettled(page)
      await expect.poll(() => rows.count()).toBeGreaterThan(1)
      await auditLooks(page, "statistics")
      await page.getByLabel("From").fill("2020-01-01T00:00")
      await page.getByRole("alert").waitFor()
      await audit(page)
    }))

  covers("CONSOLE-19")
  it("take a time in the zone that the person chose", () =>
    served.visit({ ...desktop, timezoneId: "Africa/Nairobi" }, async (page) => {
      const asked: Array<string | null> = []
      page.on("request", (request) => {
        const url = new URL(request.url())
        if (url.pathname.endsWith("/operator/v1/stats")) asked.push(url.searchParams.get("from"))
      })
      await signIn(page, operatorToken, "/console/statistics?from=2026-01-31T09:30")
      await expect.poll(() => asked.at(-1)).toBe("2026-01-31T06:30:00.000Z")
      await page.getByLabel("Times").selectOption("utc")
      await page.reload()
      await expect.poll(() => asked.at(-1)).toBe("2026-01-31T09:30:00.000Z")
    }))

  covers("CONSOLE-16", "CONSOLE-17", "CSV-3")
  it("open the movements whose fees they sum, and go out as the file of what is shown", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/statistics?by=corridor&currency=NGN")
      await awaitSettled(page)
      const file = async (name: string) => {
        const href = await page.getByRole("link", { name: `Download ${name}` }).getAttribute("href")
        return (await page.request.get(new URL(href!, page.url()).href)).text()
      }
      const [header, ...lines] = (await file("statistics.csv")).trim().split("\r\n")
      expect([header!.split(",").includes("corridor"), lines.length]).toEqual([
        true,
        await page.locator("tbody tr").count()
      ])
      expect(lines.every((line) => line.includes("USDC-NGN"))).toBe(true)
      await page.locator("tbody tr").first().locator("td").last().getByRole("link").click()
      await page.waitForURL("**/console/movements?**status=success**")
      await awaitSettled(page)
      expect(new URL(page.url()).searchParams.get("currency")).toBe("NGN")
      expect(await page.locator("main tbody tr").count()).toBe(2)
      const fees = page.getByRole("group", { name: "Totals of what is listed" }).getByRole("link", { name: /^fees/ })
      expect(await fees.getAttribute("href")).toContain("status=success")
      await signIn(page, operatorToken, "/console/ledger")
      await awaitSettled(page)
      expect(await file("trial-balance.csv")).toMatch(/^class,currency,balance,debits,credits,difference\r\n/)
      await auditLooks(page, "ledger")
    }))
})
