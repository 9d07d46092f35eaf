/** How the console reads in Chromium: it polls gently, stops while it is hidden, and begins again after a sign-in. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { audit, auditLooks, desktop, awaitSettled, signIn } from "../support/console/pages.ts"
import { type Served, serveConsole } from "../support/console/served.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

describeInBrowser("how the console reads", () => {
  let served: Served
  beforeAll(async () => {
    served = await serveConsole()
  })
  afterAll(() => served?.close())

  /** The times at which the page asks the API, in milliseconds. */
  const requestsOf = (page: Page): Array<number> => {
    const times: Array<number> = []
    page.on("request", (request) => void (request.url().includes("/console/api/") && times.push(performance.now())))
    return times
  }
  const setVisible = (page: Page, isVisible: boolean): Promise<unknown> =>
    page.evaluate(`
      Object.defineProperty(document, "visibilityState", { configurable: true, get: () => "${isVisible ? "visible" : "hidden"}" })
      document.dispatchEvent(new Event("visibilitychange"))`)

  covers("CONSOLE-3")
  it("polls at most once a second, not at all while it is hidden, and again when it is shown", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console")
      const times = requestsOf(page)
      await page.clock.install()
      const passed = async (seconds: number): Promise<number> => {
        const before = times.length
        for (let n = 0; n < seconds; n++) await page.clock.runFor(1000)
        return times.length - before
      }
      await page.reload()
      await awaitSettled(page)
      const shown = await passed(30)
      expect(shown).toBeGreaterThan(5)
      expect(shown).toBeLessThanOrEqual(30)
      await setVisible(page, false)
      expect(await passed(30)).toBe(0)
      await setVisible(page, true)
      expect(await passed(3)).toBeGreaterThan(0)
    }))

  covers("CONSOLE-3")
  it("shows the sign-in page when the session ends, keeps the address, and continues there", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/movements?kind=transfer")
      await page.context().clearCookies()
      await page.getByLabel("Status", { exact: true }).selectOption("processing")
      await page.getByText("Your session has ended. Sign in to continue on this page.").waitFor()
      await audit(page)
      await page.getByLabel("Operator token or API key").fill(operatorToken)
      await page.keyboard.press("Enter")
      await awaitSettled(page)
      expect(new URL(page.url()).search).toBe("?kind=transfer&status=processing")
      expect(await page.getByLabel("Status", { exact: true }).inputValue()).toBe("processing")
    }))

  covers("CONSOLE-3")
  it("says that what it shows is not up to date, and recovers by itself", () =>
    served.visit(desktop, async (page) => {
      await page.clock.install()
      await signIn(page, operatorToken, `/console/resources/${served.stock.transfer}`)
      const warnings = async (): Promise<ReadonlyArray<string>> => {
        await page.clock.runFor(1000)
        return page.getByText("Not up to date").allTextContents()
      }
      await page.route("**/console/api/**", (route) => route.abort())
      await expect.poll(warnings).toEqual([expect.stringContaining("Not up to date: The server did not answer.")])
      await audit(page)
      await page.unroute("**/console/api/**")
      await expect.poll(warnings).toEqual([])
    }))

  it("shows a merchant its own movement without what belongs to the platform, and nothing of another merchant", async () => {
    const { api, keys, offramp } = served.stock
    await served.visit(desktop, async (page) => {
      await signIn(page, api.key, `/console/movements/${offramp}`)
      await expect.poll(() => page.locator("h1").textContent()).toMatch(/^Offramp, 100.00 USDC/)
      await page.locator(".entry.transition").first().waitFor()
      const text = await page.locator("main").textContent()
      expect(text).not.toMatch(/simulated|clearing|submitting/)
      await auditLooks(page, "merchant-movement")
    })
    await served.visit(desktop, async (page) => {
      await signIn(page, keys.other, `/console/movements/${offramp}`)
      await page.getByRole("alert").waitFor()
      expect(await page.locator("main").textContent()).not.toContain("USDC")
      await page.goto(`/console/resources/${offramp}`)
      await page.getByRole("heading", { name: "No such page" }).waitFor()
      const direct = await page.evaluate(
        `fetch("/console/api/operator/v1/resources/${offramp}").then((response) => response.status)`
      )
      expect([401, 403]).toContain(direct)
    })
  })
})
