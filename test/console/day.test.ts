/** A day of support, a treasurer and a payer with the console alone, in Chromium: what filters, figures, files and cards mean. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { desktop, follow, openLifecycle, awaitSettled, signIn } from "../support/console/pages.ts"
import { type Seeded, seedConsole } from "../support/console/seeded.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { createKey, operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

const phone = { viewport: { width: 390, height: 844 } }

/** The numbers of the totals above a list, by their words. */
const totalsOf = async (page: Page): Promise<ReadonlyArray<string>> =>
  (await page.getByRole("group", { name: "Totals of what is listed" }).locator(":scope > span").allInnerTexts()).map(
    (text) => text.replaceAll(/\s+/g, " ").trim()
  )

describeInBrowser("a day with the console", () => {
  let served: Seeded
  let name: string
  beforeAll(async () => {
    served = await seedConsole()
    const { api, fiat, make, quote, settle } = served.stock
    name = (await api.ask(`/v1/beneficiaries/${fiat}`)).json.data.name
    for (const [amount, outcome] of [
      ["25", "success"],
      ["40", "success"],
      ["55", "failed"]
    ] as const) {
      const { id: quote_id } = await quote({ source_amount: amount })
      const { id: resource_id } = await make("/v1/offramps", { quote_id })
      await settle()
      await make("/sandbox/outcomes", { resource_id, outcome })
    }
    await settle()
  })
  afterAll(() => served?.close())

  covers("CONSOLE-15")
  it("movements are found by a recipient's name, an amount and a reason, and are counted", () =>
    served.visit(desktop, async (page) => {
      const { api, fiat } = served.stock
      await signIn(page, operatorToken, "/console/movements")
      const recipient = page.getByLabel("Recipient", { exact: true })
      await recipient.pressSequentially(name.slice(0, 4))
      const option = page.locator(`#filter-beneficiary_id-list option[value*="${fiat.slice(-6)}"]`)
      await option.waitFor({ state: "attached" })
      const text = (await option.getAttribute("value"))!
      expect(text).toContain(name)
      await recipient.fill(text)
      await page.waitForURL(`**/console/movements?beneficiary_id=${fiat}`)
      await awaitSettled(page)
      const own = (query: string) => api.ask(`/v1/transactions?beneficiary_id=${fiat}${query}`)
      const { data } = (await own("&per_page=200")).json
      const of = (status: string) => data.filter((one: { status: string }) => one.status === status)
      await expect.poll(() => totalsOf(page)).toContain(`${of("success").length} success`)
      const totals = await totalsOf(page)
      expect(totals).toContain(`${of("failed").length} failed`)
      expect(totals.find((one) => one.startsWith("taken"))).toMatch(/^taken [\d,.]+ USDC$/)
      expect(totals.find((one) => one.startsWith("received"))).toMatch(/^received [\d,.]+ NGN$/)
      // A number opens what it counts.
      await page.getByRole("link", { name: / failed$/ }).click()
      await page.waitForURL("**status=failed")
      await awaitSettled(page)
      expect(await page.locator("tbody tr").count()).toBe(of("failed").length)

      await follow(page, `/console/movements?currency=USDC&min_amount=40&max_amount=54.99`)
      expect(await page.locator("tbody tr").count()).toBe(
        (await api.ask("/v1/transactions?currency=USDC&min_amount=40&max_amount=54.99")).json.meta.total
      )
      expect(await page.getByLabel("At least").inputValue()).toBe("40")
      await follow(page, "/console/movements?failure_reason=failed")
      expect(await page.locator("tbody .pill").allInnerTexts()).toEqual(["✕ Failed"])
    }))

  covers("CONSOLE-15")
  it("statistics by recipient say who was paid what, and open it", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/statistics?by=recipient,failure_reason")
      const row = page.getByRole("row").filter({ hasText: name }).filter({ hasText: "Failed" })
      await row.getByRole("link").nth(1).click()
      await page.waitForURL(/movements\?.*beneficiary_id=ben_.*failure_reason=failed.*status=failed/)
      await awaitSettled(page)
      expect(await page.locator("tbody tr").count()).toBe(1)
    }))

  covers("CONSOLE-16")
  it("what was paid out today stands on the first page, in both currencies with fees, and opens its rows", () =>
    served.visit(desktop, async (page) => {
      const { api } = served.stock
      const midnight = new Date(new Date().setUTCHours(0, 0, 0, 0)).toISOString()
      const [total] = (await api.ask(`/v1/transactions/totals?type=offramp&status=success&created_after=${midnight}`))
        .json.data.rows
      for (const [token, path] of [
        [operatorToken, "kind"],
        [api.key, "type"]
      ] as const) {
        await page.context().clearCookies()
        await page.addInitScript(`localStorage.setItem("corridor.zone", "utc")`)
        await signIn(page, token)
        const row = page
          .getByRole("region", { name: "Volumes of today" })
          .getByRole("row")
          .filter({ hasText: "Offramp" })
        await row.waitFor()
        const cell = (title: string) => row.locator(`td[data-title="${title}"]`).innerText()
        expect((await cell("Taken")).replaceAll(",", "")).toContain(`${total.sent[0].amount} USDC`)
        expect((await cell("Received")).replaceAll(",", "")).toContain(`${total.received[0].amount} NGN`)
        for (const { amount, currency } of total.fees)
          expect((await cell("Fees")).replaceAll(",", "")).toContain(`${amount} ${currency}`)
        await row.getByRole("link", { name: `${total.count} success` }).click()
        await page.waitForURL(new RegExp(`movements\\?${path}=offramp&status=success&from=.*&until=.*`))
        await awaitSettled(page)
        expect(await page.locator("tbody tr").count()).toBe(total.count)
        await page.goBack()
        await page.getByRole("combobox", { name: "When" }).selectOption("last_month")
        await page.getByText("Nothing moved").waitFor()
      }
    }))

  covers("CONSOLE-17")
  it("a list goes out as CSV with its filters, for operators and merchants", () =>
    served.visit(desktop, async (page) => {
      const { api } = served.stock
      for (const [token, list] of [
        [operatorToken, "/operator/v1/movements"],
        [api.key, "/v1/transactions"]
      ] as const) {
        await page.context().clearCookies()
        await signIn(page, token, "/console/movements?status=failed")
        const link = page.getByRole("link", { name: /^Download movements\.csv$/ })
        const [download] = await Promise.all([page.waitForEvent("download"), link.click()])
        expect(download.suggestedFilename()).toBe("movements.csv")
        const file = await page.request.get((await link.getAttribute("href"))!)
        const lines = (await file.text()).trimEnd().split("\r\n")
        const asked = await api.ask(`${list}?status=failed`, token === operatorToken ? { key: operatorToken } : {})
        expect(lines.length - 1).toBe(asked.json.meta.total)
        expect(lines[0]).toMatch(/^id,type,/)
      }
    }))

  covers("CONSOLE-11")
  it("a merchant's search leads to what it names exactly, and has nothing of others", () =>
    served.visit(desktop, async (page) => {
      const { api, offramp, other_merchant_id } = served.stock
      await signIn(page, api.key, "/console/customers")
      await page.keyboard.press("/")
      await page.keyboard.type("stock-offramp")
      await page.keyboard.press("Enter")
      await page.waitForURL(`**/console/movements/${offramp}`)
      await awaitSettled(page)
      await follow(page, `/console/search?q=${other_merchant_id}`)
      await page.getByText("Nothing here has this id").waitFor()
      expect(await page.getByLabel("Merchant", { exact: true }).count()).toBe(0)
    }))

  covers("CONSOLE-18")
  it("an exception is booked where it is shown, and its entry is reversed on the page of entries", () =>
    served.visit(desktop, async (page) => {
      const { operate } = served.stock
      const exception = () => operate(`/operator/v1/exceptions?status=open`).then(({ json }) => json.data)
      const open = (await exception()).find(({ id }: { id: string }) => id === served.unmatched)
      await signIn(page, operatorToken, "/console/exceptions")
      const row = page.getByRole("row").filter({ hasText: served.unmatched.slice(-6) })
      await row.getByRole("button", { name: "Book it" }).click()
      const dialog = page.locator("dialog[open]")
      expect(await dialog.getByLabel("Amount").inputValue()).toBe(open.amount)
      expect(await dialog.getByLabel("Account to debit").inputValue()).toBe("suspense")
      await dialog.getByLabel("Account to credit").fill("fees")
      await dialog.getByLabel(/^Note/).fill("Nobody claims it")
      await dialog.getByRole("button", { name: "Book it" }).click()
      await row.waitFor({ state: "detached" })
      await follow(page, "/console/adjusting-entries")
      const entry = page.getByRole("row").filter({ hasText: "Nobody claims it" })
      expect(await entry.locator("td[data-title=Debit]").innerText()).toBe("suspense")
      expect(await entry.locator("td[data-title=Credit]").innerText()).toBe("fees")
      // Whose books it is in: the merchant's of its exception.
      expect(await entry.locator("td[data-title=Merchant]").innerText()).toBe("Corridor")
      await entry.getByRole("button", { name: "Reverse" }).click()
      await dialog.getByLabel(/^Note/).fill("Claimed after all")
      await dialog.getByRole("button", { name: "Reverse" }).click()
      await entry.getByText("Reversed").waitFor()
      expect((await exception()).map(({ id }: { id: string }) => id)).toContain(served.unmatched)
    }))

  covers("CONSOLE-19")
  it("a time in a sentence is that of the columns, in the zone that the person chose", () =>
    served.visit({ ...desktop, timezoneId: "Africa/Nairobi" }, async (page) => {
      const { api, offramp } = served.stock
      const sentence = "The bank was asked on 2026-01-31 at 22:30 UTC and has not answered."
      const { json } = await api.ask(`/v1/offramps/${offramp}/timeline`)
      const waits_for = {
        reason: "outcome_unknown",
        sentence,
        since: "2026-01-31T22:30:00.000Z",
        until: null,
        next_attempt_at: null,
        attempts: 1
      }
      await page.route("**/timeline", (route) =>
        route.fulfill({ json: { ...json, data: { ...json.data, waits_for } } })
      )
      await signIn(page, api.key, `/console/movements/${offramp}`)
      const title = page.getByRole("region", { name: "What it waits for" }).locator(".notice-title")
      expect(await title.innerText()).toBe("The bank was asked at 01 Feb 2026, 01:30 and has not answered.")
      await page.getByLabel("Times").selectOption("utc")
      await expect.poll(() => title.innerText()).toBe("The bank was asked at 31 Jan 2026, 22:30 and has not answered.")
    }))

  covers("CONSOLE-20")
  it("a rule that names a role that nobody has says so, until a key has it", () =>
    served.visit(desktop, async (page) => {
      const { api, make } = served.stock
      const rule = await make("/v1/approval-rules", {
        operations: ["conversion"],
        roles: ["approver"],
        expires_after: "P3D"
      })
      const admin = await createKey(api, "admin")
      await signIn(page, admin.secret, "/console/approval-rules")
      const row = page.getByRole("row").filter({ hasText: rule.id.slice(-6) })
      await row.getByText("Nobody has the role approver.").waitFor()
      expect(await row.locator("td").nth(2).innerText()).toBe("3 days")
      await row.getByRole("link", { name: "Create a key with it" }).click()
      await page.getByRole("button", { name: "Create key" }).click()
      const dialog = page.locator("dialog[open]")
      await dialog.getByLabel("Role").selectOption("approver")
      await dialog.getByLabel(/^Person/).fill("chidi@example.com")
      await dialog.getByRole("button", { name: "Create key" }).click()
      await dialog.getByRole("button", { name: "Close" }).click()
      await page.getByRole("row").filter({ hasText: "Approver" }).getByText("chidi@example.com").waitFor()
      await follow(page, "/console/approval-rules")
      await row.waitFor()
      await awaitSettled(page)
      expect(await row.getByText("Nobody has the role").count()).toBe(0)
    }))

  covers("CONSOLE-21")
  it("queues are cards with their acts on a phone, and nothing is wider than the screen", () =>
    served.visit(phone, async (page) => {
      await signIn(page, operatorToken)
      for (const path of [
        "deposits",
        "verifications",
        "access-requests",
        "stuck?waits=any_time",
        "exceptions",
        "approvals"
      ]) {
        await follow(page, `/console/${path}`)
        const rows = page.locator("main tbody tr")
        if ((await rows.count()) === 0) continue
        // Each cell is below the one before, under its title.
        const [first, second] = [
          await rows.first().locator("td").nth(0).boundingBox(),
          await rows.first().locator("td").nth(1).boundingBox()
        ]
        expect(second!.y, path).toBeGreaterThanOrEqual(first!.y + first!.height - 1)
        expect(await page.evaluate("document.documentElement.scrollWidth"), path).toBeLessThanOrEqual(390)
      }
      await follow(page, "/console/deposits")
      const release = page.getByRole("button", { name: "Release" }).first()
      const box = await release.boundingBox()
      expect(box!.x + box!.width).toBeLessThanOrEqual(390)
    }))

  covers("CONSOLE-21")
  it("a lifecycle is drawn when it is opened, and forty failed attempts are a few lines", () =>
    served.visit(phone, async (page) => {
      const { offramp, operate } = served.stock
      const { json } = await operate(`/operator/v1/resources/${offramp}/timeline`)
      const [first] = json.data.entries.filter(({ type }: { type: string }) => type === "transition")
      const attempts = Array.from({ length: 40 }, (_, n) => [
        {
          ...first,
          at: new Date(Date.UTC(2026, 0, 31, 9, n)).toISOString(),
          summary: `Asked the bank, attempt ${n + 1}`,
          to: "waiting"
        },
        {
          ...first,
          at: new Date(Date.UTC(2026, 0, 31, 9, n, 1)).toISOString(),
          summary: `The bank answered at 09:${n}`,
          to: "submitting"
        }
      ]).flat()
      await page.route("**/timeline", (route) =>
        route.fulfill({ json: { ...json, data: { ...json.data, entries: [...json.data.entries, ...attempts] } } })
      )
      await signIn(page, operatorToken, `/console/resources/${offramp}`)
      expect(await page.getByRole("region", { name: "Drawing of the lifecycle" }).count()).toBe(0)
      // How it began, how it stands, and how much is between.
      const entries = json.data.entries.length + attempts.length
      const between = page.getByText(`${entries - 5} entries between`)
      await between.waitFor()
      const seen = page.locator(".entry:not(.folded)").filter({ hasText: "Asked the bank, attempt" })
      expect(await seen.filter({ visible: true }).allInnerTexts()).toEqual([expect.stringContaining("attempt 40")])
      expect(await page.locator(".timeline > .entry:not(.folded)").filter({ visible: true }).count()).toBe(5)
      expect(await page.evaluate("document.documentElement.scrollHeight")).toBeLessThanOrEqual(
        2 * phone.viewport.height
      )
      await openLifecycle(page)
      expect(await page.getByRole("region", { name: "Drawing of the lifecycle" }).count()).toBe(1)
      await between.click()
      // The first and the last of those that repeat others, and then all.
      expect(await seen.filter({ visible: true }).count()).toBe(3)
      for (const folded of await page.getByText(/\d+ entr(?:y|ies) like those around/).all()) await folded.click()
      expect(await seen.filter({ visible: true }).count()).toBe(40)
      for (const name of ["Money", "Details", "Related"]) {
        const card = page.locator("details.card").filter({ has: page.getByRole("heading", { name, exact: true }) })
        expect(await card.locator("dl, table, ul").first().isVisible()).toBe(false)
        await card.locator("> summary").click()
        await card.locator("dl, table, ul").first().waitFor()
      }
    }))
})
