/** The page of a resource in Chromium: an offramp followed live, every kind, acts, and what strangers may enter. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import {
  audit,
  auditLooks,
  desktop,
  follow,
  openLifecycle,
  picture,
  settled,
  signIn
} from "../support/console/pages.ts"
import { type Served, serveConsole } from "../support/console/served.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

const hostile = `<img src=x onerror="document.title='run'">`

describeInBrowser("the page of a resource", () => {
  let served: Served
  let wallet: string
  let payee: string
  beforeAll(async () => {
    served = await serveConsole()
    wallet = served.stock.wallet
    payee = served.stock.fiat
  })
  afterAll(() => served?.close())

  const status = (page: Page): Promise<string | null> => page.locator(".page-head .pill").textContent()
  const current = (page: Page): Promise<ReadonlyArray<string | null>> =>
    page.locator("[data-state].current").evaluateAll((nodes) => nodes.map((node) => node.getAttribute("data-state")))
  const newOfframp = async (more: object = {}): Promise<string> => {
    const { make, quote } = served.stock
    const { id } = await quote({ wallet_id: wallet, beneficiary_id: payee, source_amount: "10" })
    return (await make("/v1/offramps", { quote_id: id, ...more })).id
  }

  covers("CONSOLE-6")
  it("follows an offramp from its request to its end, without a reload", () =>
    served.visit(desktop, async (page) => {
      const { make, settle } = served.stock
      const id = await newOfframp({ reference: "live-1" })
      await signIn(page, operatorToken, `/console/resources/${id}`)
      await page.evaluate("window.stays = true")
      await expect.poll(() => page.locator("h1").textContent()).toMatch(/^Offramp, 10.00 USDC to [\d,.]+ NGN$/)
      expect(await status(page)).toContain("Created")
      expect(await current(page)).toEqual(["created"])
      await openLifecycle(page)
      await settle()
      await page.locator(`[data-state=submitting].current`).waitFor()
      await page.getByRole("region", { name: "What it waits for" }).waitFor()
      await picture(page, "offramp-in-progress")
      await make("/sandbox/outcomes", { resource_id: id, outcome: "success" })
      await settle()
      await page.locator(`[data-state=success].current`).waitFor()
      await expect.poll(() => status(page)).toContain("Success")
      expect(await page.locator(`[data-edge="created>submitting"].taken text`).textContent()).toBe("2")
      expect(await page.locator(`[data-edge="submitting>success"].taken`).count()).toBe(1)
      expect(await page.getByRole("region", { name: "What it waits for" }).count()).toBe(0)
      expect(await page.getByRole("status").textContent()).toBe("The status is now Success.")
      expect(await page.evaluate("window.stays")).toBe(true)
      await picture(page, "offramp-ended")
      await picture(page, "offramp-ended-view", false)
      const clearing = page.getByRole("region", { name: "Change of each account" }).getByRole("row")
      expect((await clearing.allTextContents()).filter((row) => row.includes("clearing:"))).toSatisfy(
        (rows: ReadonlyArray<string>) => rows.length > 0 && rows.every((row) => row.includes("passed through"))
      )
    }))

  covers("TIMELINE-7")
  it("says first why an offramp failed, in the provider's words, where its money is, and what to do", () =>
    served.visit(desktop, async (page) => {
      const { make, settle } = served.stock
      const id = await newOfframp()
      await settle()
      await make("/sandbox/outcomes", { resource_id: id, outcome: "failed", reason: "account <b>closed</b>" })
      await settle()
      await signIn(page, operatorToken, `/console/resources/${id}`)
      const explanation = page.getByRole("region", { name: "Explanation" })
      await explanation.waitFor()
      expect(await explanation.getByRole("paragraph").allTextContents()).toEqual([
        "The provider could not complete the payout. The full source amount was returned to the wallet.",
        "The provider's words: account <b>closed</b>",
        `10.00 USDC went back to the available balance of ${wallet}.`,
        "Next step: Check the details of the recipient, then start a new one."
      ])
      await audit(page)
    }))

  covers("CONSOLE-6")
  it("shows the drawing of a machine that could not be fetched before", () =>
    served.visit(desktop, async (page) => {
      const drawings = "**/machines*/offramp.*.svg"
      let asked = 0
      await page.route(drawings, (route) => {
        asked++
        return asked === 1 ? route.abort() : route.continue()
      })
      await signIn(page, operatorToken, `/console/resources/${served.stock.offramp}`)
      await page.locator("summary", { hasText: /^Lifecycle/ }).click()
      await page.getByText("There is no drawing of version").waitFor()
      await follow(page, "/console/")
      await follow(page, `/console/resources/${served.stock.offramp}`)
      await openLifecycle(page)
      expect(asked).toBe(2)
    }))

  it("is accessible for a movement in light, dark and at phone width", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, `/console/resources/${served.stock.offramp}`)
      await openLifecycle(page)
      await auditLooks(page, "resource")
    }))

  it("shows every kind of resource, and says what it does not know", () =>
    served.visit(desktop, async (page) => {
      const { stock } = served
      const ids = {
        offramp: stock.offramp,
        transfer: stock.transfer,
        wallet: stock.wallet,
        beneficiary: stock.fiat,
        quote: stock.executed,
        customer: stock.customer,
        verification: stock.verification,
        deposit_address: stock.address,
        sender: stock.sender,
        webhook_endpoint: stock.active,
        merchant: stock.other_merchant_id
      }
      await signIn(page, operatorToken)
      for (const [kind, id] of Object.entries(ids)) {
        await follow(page, `/console/resources/${id}`)
        await openLifecycle(page)
        expect([kind, await page.locator(".entry.transition").count()]).not.toEqual([kind, 0])
        await audit(page)
      }
      await follow(page, "/console/resources/ofr_00000000000000000000000000")
      await page.getByRole("heading", { name: "No such resource" }).waitFor()
      await audit(page)
    }))

  it.each([
    ["Zainab Bello", { account_number: "0123450009" }, "none"],
    ["Zainab Musa", {}, "full"],
    ["Ife Adeyemi", { account_name: "Ife Adeyemi" }, "full"]
  ])("shows how far the holder of an account has the name of a beneficiary: %s, %o: %s", async (name, more, match) => {
    const { api, bank, make } = served.stock
    const account = { country_code: "NG", network: "bank", account_number: "0123456789", provider_id: bank, ...more }
    const { id } = await make("/v1/beneficiaries", { type: "fiat", name, currency: "NGN", details: account })
    const shown = new RegExp(`name match ${match}`, "i")
    await served.visit(desktop, async (page) => {
      await signIn(page, api.key, "/console/beneficiaries")
      await page.getByRole("row").filter({ hasText: name }).getByText(shown).waitFor()
    })
    await served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, `/console/resources/${id}`)
      await page.getByText(shown).first().waitFor()
    })
  })

  covers("CONSOLE-7")
  it("shows what strangers enter as text", () =>
    served.visit(desktop, async (page) => {
      const { make, settle } = served.stock
      const customer = await make("/v1/customers", {
        type: "individual",
        name: hostile,
        email: "mallory@example.com",
        country_code: "NG",
        metadata: { [hostile]: hostile }
      })
      const id = await newOfframp({ reference: hostile, narration: "<b>rent</b>", metadata: { note: hostile } })
      await settle()
      await signIn(page, operatorToken, `/console/resources/${id}`)
      expect(await page.getByText(hostile).count()).toBeGreaterThanOrEqual(2)
      await page.goto(`/console/resources/${customer.id}`)
      await settled(page)
      await expect.poll(() => page.locator("h1").textContent()).toBe(`Customer, ${hostile}`)
      await page.goto(`/console/customers/${customer.id}`)
      await settled(page)
      await expect.poll(() => page.locator("h1").textContent()).toBe(hostile)
      expect(await page.locator("main img, main script, main b").count()).toBe(0)
      expect(await page.title()).toContain("onerror")
    }))
})
