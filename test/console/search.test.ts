/** The console's search in Chromium: from the field in the header to the page of what was found. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { auditLooks, desktop, awaitSettled, follow, signIn } from "../support/console/pages.ts"
import { type Served, serveConsole } from "../support/console/served.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

const hostile = `<img src=x onerror="document.title='run'">`

describeInBrowser("the console's search", () => {
  let served: Served
  beforeAll(async () => {
    served = await serveConsole()
    await served.stock.make("/v1/customers", {
      type: "individual",
      name: `${hostile} Zainab`,
      email: "zainab@example.com",
      country_code: "NG"
    })
    for (let n = 0; n < 22; n++)
      await served.stock.make("/v1/customers", {
        type: "individual",
        name: `Chidinma ${n}`,
        email: `chidinma${n}@example.com`,
        country_code: "NG"
      })
    await served.stock.settle()
  })
  afterAll(() => served?.close())

  covers("CONSOLE-11")
  it("leads to what is named exactly, by its id or its reference, and back to where the person was", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/movements")
      for (const named of ["stock-offramp", served.stock.offramp]) {
        await page.keyboard.press("/")
        await page.keyboard.type(named)
        await page.keyboard.press("Enter")
        await page.waitForURL(`**/console/resources/${served.stock.offramp}`)
        await awaitSettled(page)
        await page.goBack()
        await page.waitForURL("**/console/movements")
        // A page that has come takes the focus to its heading.
        await awaitSettled(page)
        await expect.poll(() => page.locator(":focus").textContent()).toBe("Movements")
      }
    }))

  it("finds a customer by its email, and leads to it by keyboard alone", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken)
      await page.keyboard.press("/")
      await page.keyboard.type("chidinma7@example.com")
      await page.keyboard.press("Enter")
      await page.waitForURL("**/console/search?q=chidinma7%40example.com")
      await awaitSettled(page)
      await expect.poll(() => page.locator("tbody tr").count()).toBe(1)
      expect(await page.locator("tbody tr").textContent()).toMatch(/Chidinma 7.*Customer.*Email/s)
      // From the heading, through the filters, to the first result.
      for (let n = 0; n < 8; n++) {
        await page.keyboard.press("Tab")
        if ((await page.locator(":focus").textContent()) === "Chidinma 7") break
      }
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: "Chidinma 7", level: 1 }).waitFor()
    }))

  it.each(["chidinma9@example.com", "Chidinma 9"])("finds a customer by %s", (q) =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, `/console/search?q=${encodeURIComponent(q)}`)
      await page.getByRole("link", { name: "Chidinma 9", exact: true }).click()
      await page.getByRole("heading", { name: "Chidinma 9", level: 1 }).waitFor()
    })
  )

  covers("CONSOLE-4")
  it("pages and filters results in the URL, and says what can be searched", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/search?q=chidinma")
      await expect.poll(() => page.locator("tbody tr").count()).toBe(20)
      await auditLooks(page, "search")
      await page.getByRole("link", { name: "Next" }).click()
      await page.waitForURL("**/console/search?q=chidinma&page=2")
      await awaitSettled(page)
      await expect.poll(() => page.locator("tbody tr").count()).toBe(2)
      await page.getByLabel("Kind", { exact: true }).selectOption("offramp")
      await page.getByText("Nothing matches").waitFor()
      await auditLooks(page, "search-without-results")
      await page.goBack()
      await awaitSettled(page)
      await expect.poll(() => page.locator("tbody tr").count()).toBe(2)
    }))

  covers("CONSOLE-7")
  it("shows what strangers enter as text", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, `/console/search?q=zainab@example.com`)
      await page.getByRole("link", { name: hostile }).waitFor()
      await page.goto(`/console/search?q=${encodeURIComponent(hostile)}`)
      await awaitSettled(page)
      await expect.poll(() => page.locator("h1").textContent()).toBe(`Results for “${hostile}”`)
      expect(await page.locator("main img").count()).toBe(0)
      expect(await page.title()).not.toBe("run")
    }))

  const hash = `0x${"ab12".repeat(16)}`

  covers("CONSOLE-24")
  it("of a hash that nobody knows says what to do next, and up to where each chain was read", () =>
    served.visit(desktop, async (page) => {
      const at = new Date(Date.now() - 7_200_000).toISOString()
      await page.route(/\/console\/api\/operator\/v1\/providers/, async (route) => {
        const response = await route.fetch()
        const body: any = await response.json()
        const [simulated] = body.data
        const events = { ...simulated.events, last_block: { number: "24902211", at }, read_at: at }
        const offers = [{ ...simulated.offers[0], operation: "payin", network: "base" }]
        await route.fulfill({
          response,
          json: { ...body, data: [...body.data, { ...simulated, name: "base", offers, events }] }
        })
      })
      await signIn(page, operatorToken, `/console/search?q=${hash}`)
      await page.getByText("Nothing here has this hash or address").waitFor()
      await page.getByText("corridor rescan --provider NAME --from BLOCK").waitFor()
      const row = page.getByRole("row").filter({ hasText: "24902211" })
      expect(await row.innerText()).toMatch(/base[\s\S]*24902211\s+of 2 hours ago\s+2 hours ago/)
      expect(await page.locator("main").innerText()).toContain("This page looks again every 15 seconds")
      await auditLooks(page, "search-unknown")
    }))

  covers("CONSOLE-24")
  it("of an id or a hash that nobody knows tells a merchant whom to ask, its newest deposit from a chain, and nothing of providers", () =>
    served.visit(desktop, async (page) => {
      const { data } = (await served.stock.api.ask("/v1/transactions?type=deposit")).json
      const seen = data.find((one: { readonly transaction_hash: string | null }) => one.transaction_hash !== null)
      await signIn(page, served.stock.api.key, `/console/search?q=${hash}`)
      await page.getByText("ask your operator with the hash, the network and the amount").waitFor()
      const newest = page.locator(".next li", { hasText: "Your newest deposit from a chain was seen" })
      expect(await newest.locator("time").getAttribute("datetime")).toBe(seen.created_at)
      expect(await page.getByText("rescan").count()).toBe(0)
      await follow(page, "/console/search?q=ofr_01j9z3k4m5n6p7q8r9s0t1v2w3")
      await page.getByText("Nothing here has this id").waitFor()
      await page.getByText("Your operator can look over all accounts").waitFor()
      await follow(page, "/console/search?q=nobody")
      await page.getByText("Nothing matches").waitFor()
    }))
})
