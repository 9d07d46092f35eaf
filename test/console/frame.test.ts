/** The frame of the console in Chromium: signing in and out, the navigation, the keyboard. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { auditLooks, desktop, frameLooks, signIn, visit } from "../support/console/pages.ts"
import { describeInBrowser, launchBrowser } from "../support/http/browser.ts"
import { type Api, operatorToken, startApi } from "../support/http/server.ts"

describeInBrowser("the frame of the console", () => {
  let api: Api
  let browser: Browser
  beforeAll(async () => {
    api = await startApi({ rate_per_second: 0 })
    browser = await launchBrowser()
  })
  afterAll(() => api?.close())

  it("says what is wrong with a token, and leads to the page that was asked for", () =>
    visit(browser, api.base, desktop, async (page) => {
      await page.goto("/console/search?q=nobody")
      await page.getByLabel("Operator token or API key").fill("op_wrong")
      await page.keyboard.press("Enter")
      expect(await page.getByRole("alert").textContent()).toContain("not a valid operator token or API key")
      await page.getByLabel("Operator token or API key").fill(operatorToken)
      await page.keyboard.press("Enter")
      await page.locator(".shell").waitFor()
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe("/console/search?q=nobody")
    }))

  it("shows who is signed in and where, and signs out", () =>
    visit(browser, api.base, desktop, async (page) => {
      await signIn(page, operatorToken)
      expect(await page.locator(".environment").textContent()).toBe("TEST")
      expect(await page.locator(".account").textContent()).toContain("Operator · Admin")
      expect(await page.evaluate("localStorage.length + sessionStorage.length")).toBe(0)
      await page.getByRole("button", { name: "Sign out" }).click()
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      await page.reload()
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
    }))

  it("is accessible in light and dark, at two widths", () =>
    visit(browser, api.base, desktop, async (page) => {
      await page.goto("/console")
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      await auditLooks(page, "sign-in", frameLooks)
      await signIn(page, operatorToken)
      await auditLooks(page, "overview", frameLooks)
    }))

  it("focuses the search with a slash, skips to the page, and begins reading at the heading of a new page", () =>
    visit(browser, api.base, desktop, async (page) => {
      await signIn(page, operatorToken)
      await page.keyboard.press("/")
      expect(await page.locator(":focus").getAttribute("name")).toBe("q")
      await page.keyboard.type("a/b")
      expect(await page.locator(":focus").inputValue()).toBe("a/b")
      await page.keyboard.press("Enter")
      await page.waitForURL("**/console/search?q=a%2Fb")
      await page.locator("h1:focus").waitFor()
      await page.goBack()
      await page.getByRole("heading", { name: "Overview" }).waitFor()
      await page.reload()
      await page.locator(".shell").waitFor()
      await page.keyboard.press("Tab")
      expect(await page.locator(":focus").textContent()).toBe("Skip to the page")
      await page.keyboard.press("Enter")
      expect(await page.locator(":focus").getAttribute("id")).toBe("main")
    }))
})
