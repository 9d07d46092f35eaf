/** The documentation in Chromium. */
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { audit, auditLooks, desktop, follow, visit } from "../support/console/pages.ts"
import { describeInBrowser, launchBrowser } from "../support/http/browser.ts"
import { type Api, startApi } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

covers("SERVICE-13")
describeInBrowser("the documentation in Chromium", () => {
  let api: Api
  let browser: Browser
  beforeAll(async () => {
    api = await startApi()
    browser = await launchBrowser()
  })
  afterAll(() => api?.close())

  const pages: ReadonlyArray<readonly [path: string, title: string, picture: string]> = [
    ["/docs", "Corridor API", "first"],
    ["/docs/guides/quickstart", "Quickstart", "quickstart"],
    ["/docs/guides/embed", "Embedding", "embed"],
    ["/docs/guides/testing", "Testing", "testing"],
    ["/docs/concepts/movements", "Movements", "movements"],
    ["/docs/operations/createOfframpQuote", "Price an offramp", "operation"],
    ["/docs/operations/listTransactions", "List transactions", "list"],
    ["/docs/events/offramp.success", "offramp.success", "event"],
    ["/docs/operations/nothing", "No such page", "missing"]
  ]
  it("is accessible and complains about nothing, in light and dark, at two widths", () =>
    visit(browser, api.base, desktop, async (page) => {
      await page.goto("/docs")
      for (const [path, title, name] of pages) {
        await page.locator(".shell h1").waitFor()
        await follow(page, path)
        await expect.poll(() => page.locator("h1").textContent()).toBe(title)
        await auditLooks(page, `docs/${name}`)
      }
      await page.goto("/docs/errors/conflict")
      await auditLooks(page, "docs/error")
    }))

  it("is searched and opened by keyboard alone", async () => {
    await visit(browser, api.base, desktop, async (page) => {
      await page.goto("/docs")
      await page.locator(".shell h1").waitFor()
      await page.keyboard.press("/")
      await page.keyboard.type("price offramp")
      expect(await page.getByRole("option").first().textContent()).toContain("Price an offramp")
      await audit(page)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { level: 1, name: "Price an offramp" }).waitFor()
      expect(new URL(page.url()).pathname).toBe("/docs/operations/createOfframpQuote")
      await page.goBack()
      await page.getByRole("heading", { level: 1, name: "Corridor API" }).waitFor()
      await page.keyboard.press("/")
      await page.keyboard.type("merchant_reference")
      expect(await page.getByRole("option").count()).toBeGreaterThan(0)
      await page.keyboard.press("Escape")
      expect(await page.getByRole("option").first().isVisible()).toBe(false)
      await page.keyboard.type("zzz")
      await page.getByText("Nothing has all of these words.").waitFor()
    })
  })

  covers("DOCS-1", "DOCS-4")
  it("leads from a question to the section that answers it, on another page and on the same", async () => {
    await visit(browser, api.base, desktop, async (page) => {
      await page.goto("/docs")
      await page.locator(".shell h1").waitFor()
      for (const [asked, hash, part] of [
        ["retry schedule", "#retry-schedule", "Retry-After"],
        ["when you have missed something", "#when-you-have-missed-something", "replay"]
      ] as const) {
        await page.keyboard.press("/")
        await page.keyboard.type(asked)
        expect(await page.getByRole("option").first().locator(".excerpt").textContent()).toContain(part)
        await page.keyboard.press("Enter")
        await page.getByRole("heading", { level: 1, name: "Webhooks" }).waitFor()
        expect(new URL(page.url()).pathname + new URL(page.url()).hash).toBe(`/docs/guides/webhooks${hash}`)
        await expect
          .poll(() =>
            page.locator(hash).evaluate((heading) => {
              const { bottom, top } = heading.getBoundingClientRect()
              return top >= 0 && bottom <= (globalThis as unknown as { innerHeight: number }).innerHeight
            })
          )
          .toBe(true)
        await page.locator("h1").focus()
      }
    })
  })

  covers("DOCS-4")
  it("has contents and copy buttons on a long page, with what they copy", async () => {
    await visit(browser, api.base, { ...desktop, permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
      await page.goto("/docs/guides/webhooks")
      const contents = page.getByRole("navigation", { name: "On this page" })
      await contents.getByRole("link", { name: "The receiver" }).click()
      expect(new URL(page.url()).hash).toBe("#the-receiver")
      const blocks = page.locator("article pre")
      expect(await page.getByRole("button", { name: "Copy this code" }).count()).toBe(await blocks.count())
      await page.getByRole("button", { name: "Copy this code" }).first().click()
      await expect
        .poll(() =>
          page.evaluate(() =>
            (navigator as unknown as { clipboard: { readText: () => Promise<string> } }).clipboard.readText()
          )
        )
        .toBe(await blocks.first().textContent())
      await page.getByRole("link", { name: "This page as Markdown" }).click()
      await expect.poll(() => page.url()).toMatch(/\/docs\/guides\/webhooks\.md$/)
    })
  })

  covers("SERVICE-25")
  it("has a page for each event type, which is found by its name", async () => {
    await visit(browser, api.base, desktop, async (page) => {
      await page.goto("/docs")
      await page.locator(".shell h1").waitFor()
      await page.keyboard.press("/")
      await page.keyboard.type("deposit confirmed")
      await page.getByRole("option", { name: "deposit.confirmed" }).first().click()
      await page.getByRole("heading", { level: 1, name: "deposit.confirmed" }).waitFor()
      const example = JSON.parse((await page.getByLabel("Example of the event").textContent()) ?? "") as object
      expect(example).toMatchObject({ event_type: "deposit.confirmed", event_object: { status: "success" } })
      await page.getByText("webhook-signature", { exact: true }).waitFor()
      // The members of the envelope once, with the type as a constant, and then those of the object.
      expect(await page.locator(".columns code.name", { hasText: /^event_type$/ }).count()).toBe(1)
      await page.getByText('"deposit.confirmed"', { exact: true }).waitFor()
      await page.getByText("Members of event_object", { exact: true }).click()
      await page
        .locator("code.name", { hasText: /^received_amount$/ })
        .first()
        .waitFor()
      const links = page.locator('nav a[href*="/docs/events/"]')
      expect(await links.count()).toBe(27)
      await page.reload()
      await page.getByRole("heading", { level: 1, name: "deposit.confirmed" }).waitFor()
    })
  })

  it("leads old addresses to the operation, and reloads it", async () => {
    await visit(browser, api.base, desktop, async (page) => {
      await page.goto("/docs#createTransfer")
      await page.getByRole("heading", { level: 1, name: "Pay crypto to a beneficiary" }).waitFor()
      await page.reload()
      await page.getByRole("heading", { level: 1, name: "Pay crypto to a beneficiary" }).waitFor()
    })
  })

  it("shows samples in three languages, and sends a request", async () => {
    await visit(browser, api.base, desktop, async (page) => {
      await page.goto("/docs/operations/createWallet")
      for (const [language, part] of [
        ["Python", "urllib.request"],
        ["TypeScript", "await corridor.wallets.create("],
        ["curl", "curl -sS -X POST"]
      ] as const) {
        await page.getByRole("button", { name: language }).click()
        expect(await page.getByLabel(`${language} sample`, { exact: true }).textContent()).toContain(part)
      }
      await page.getByRole("button", { name: "Try it" }).click()
      await page.getByLabel("API key").fill(api.key)
      await page.getByLabel("Body").fill('{"currency":"USDC","label":"<img src=x onerror=alert(1)>"}')
      await page.getByRole("button", { name: "Send" }).click()
      await page.getByText('"label": "<img src=x onerror=alert(1)>"').waitFor()
      await audit(page)
    })
  })
})
