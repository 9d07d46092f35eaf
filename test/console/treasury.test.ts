/** The treasurer's pages in Chromium: the books against the statements, breaks with their keys and files, and the day's close. */
import { readFileSync } from "node:fs"
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { audit, auditLooks, desktop, follow, phone, awaitSettled, signIn } from "../support/console/pages.ts"
import { type Served, serveConsole } from "../support/console/served.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"
import { mt940 } from "../support/statements/mt940.ts"

const rowOf = (page: Page, text: string): Locator => page.locator("tbody tr", { hasText: text })
const day = "2026-01-05"

describeInBrowser("the treasurer's pages", () => {
  let served: Served
  let accounts = 0
  beforeAll(async () => {
    served = await serveConsole()
  })
  afterAll(() => served?.close())

  const operated = async (path: string, body?: object): Promise<any> => {
    const { json, status, text } = await served.stock.operate(path, body === undefined ? {} : { method: "POST", body })
    expect([path, status, text]).toEqual([path, 200, text])
    return json.data
  }
  /** An account without lines, in a currency whose books nothing moves. */
  const account = async () => {
    const number = `55-${++accounts}`
    const { id } = await operated("/operator/v1/external-accounts", {
      provider: "simulated",
      currency: "NGN",
      kind: "bank",
      identifiers: [{ scheme: "account_number", value: number }],
      opening: { date: "2026-01-01", balance: "0" },
      time_zone: "Africa/Lagos"
    })
    return { id: id as string, number }
  }
  const openBreaks = async (id: string): Promise<ReadonlyArray<any>> =>
    operated(`/operator/v1/breaks?status=open&external_account_id=${id}`)
  /** An account with one line that the books do not have. */
  const withBreak = async (reference: string) => {
    const made = await account()
    const { status } = await served.stock.api.ask("/operator/v1/statements", {
      key: operatorToken,
      method: "POST",
      raw: mt940(made.number, reference),
      headers: { "content-type": "application/octet-stream" }
    })
    expect(status).toBe(200)
    await expect.poll(async () => (await openBreaks(made.id)).length).toBe(1)
    return { ...made, break: (await openBreaks(made.id))[0] }
  }
  const dialogOf = async (page: Page): Promise<Locator> => {
    const dialog = page.locator("dialog[open]")
    await dialog.waitFor()
    return dialog
  }
  const bytes = (text: string | Uint8Array, name: string) => ({
    name,
    mimeType: "application/octet-stream",
    buffer: Buffer.from(text)
  })

  covers("CONSOLE-8")
  it("takes a statement, and shows a refusal at its place in the file", () =>
    served.visit(desktop, async (page) => {
      const { id, number } = await account()
      const right = new TextDecoder().decode(mt940(number, "CON-1"))
      await signIn(page, operatorToken, "/console/reconciliation")
      await page.getByRole("button", { name: "Take a statement" }).click()
      const dialog = await dialogOf(page)
      const file = dialog.locator("input[type=file]")
      await file.setInputFiles(bytes(right.replace("C10,00", "C10,00,5"), "wrong.sta"))
      await dialog.getByRole("button", { name: "Take a statement" }).click()
      await dialog.getByRole("alert").waitFor()
      expect(await file.getAttribute("aria-invalid")).toBe("true")
      // Its advice is for people: they see no members of a response.
      expect(await dialog.getByRole("alert").textContent()).not.toContain("meta.errors")
      expect(await dialog.locator(".excerpt .at").textContent()).toMatch(/^5 :61:2601050105C10,00,5/)
      await file.setInputFiles(bytes(right, "right.sta"))
      await dialog.getByRole("button", { name: "Take a statement" }).click()
      await dialog.locator(".result").waitFor()
      expect(await dialog.locator(".result").textContent()).toMatch(/2026-01-05: 1 line, closing balance 10\.00 NGN/)
      await dialog.getByText("1 line to resolve").waitFor()
      // What is done says so under the keys: Enter goes on, and Escape closes it.
      await dialog.locator("button:focus", { hasText: "Close" }).waitFor()
      await page.keyboard.press("Escape")
      await dialog.waitFor({ state: "hidden" })
      await page.locator("button:focus", { hasText: "Take a statement" }).waitFor()
      // The break has what the bank says of its line at once, not with the next reading of the page.
      await rowOf(page, "CON-1").getByText("Invoice 77").waitFor({ timeout: 15_000 })
      await page.locator(`a[href*="${id}"]`, { hasText: day }).first().click()
      await page.getByRole("heading", { name: "simulated NGN" }).waitFor()
      await rowOf(page, "Invoice 77").first().waitFor()
      // What differs is above what is matched.
      const headings = await page.locator("main h2").allTextContents()
      expect(headings.indexOf("Open breaks of the account")).toBeLessThan(headings.indexOf("Lines that the day counts"))
    }))

  it("shows at two widths what is unexplained, each act of a break, and the refusal of a file", () =>
    served.visit(desktop, async (page) => {
      const { id } = await withBreak("CON-7")
      // Amounts as a bank has them.
      await page.route(/\/api\/operator\/v1\/reconciliation\?/, async (route) => {
        const response = await route.fetch()
        const { data, ...rest } = await response.json()
        const great = {
          ledger: "2366206.50",
          statement: "2413081.50",
          outstanding: "-1038142.75",
          difference: "46875.00"
        }
        await route.fulfill({ response, json: { ...rest, data: data.map((row: object) => ({ ...row, ...great })) } })
      })
      await signIn(page, operatorToken, "/console/reconciliation")
      const row = page
        .getByRole("region", { name: /^Accounts,/ })
        .locator("tbody tr", { has: page.locator(`a[href*="${id}"]`) })
      await row.getByText("breaks of other days are open").waitFor()
      await follow(page, `/console/reconciliation?date=${day}`)
      const right = async (of: Locator): Promise<number> => {
        const box = (await of.boundingBox())!
        return box.x + box.width
      }
      for (const { viewport } of [desktop, phone]) {
        await page.setViewportSize(viewport)
        expect(await right(row.getByText("10.00 NGN").first())).toBeLessThanOrEqual(viewport.width)
        const table = page.getByRole("region", { name: /^Accounts,/ })
        expect(await table.evaluate((region) => region.scrollWidth - region.clientWidth)).toBe(0)
        for (const act of await rowOf(page, "CON-7")
          .getByRole("button", { name: /^(Match|Explain|Dismiss)$/ })
          .all())
          expect(await right(act)).toBeLessThanOrEqual(viewport.width)
        await page.getByRole("button", { name: "Take a statement" }).click()
        const dialog = await dialogOf(page)
        await dialog.locator("input[type=file]").setInputFiles(bytes(`{1:${"x".repeat(400)}\n:20:A\n`, "cut.sta"))
        await dialog.getByRole("button", { name: "Take a statement" }).click()
        await dialog.locator(".field-error").waitFor()
        expect(await right(dialog.locator(".field-error"))).toBeLessThanOrEqual(await right(dialog))
        await page.keyboard.press("Escape")
      }
    }))

  it("keeps the focus: in a dialog that is refused, and on the next row when a break is resolved", () =>
    served.visit(desktop, async (page) => {
      const { id } = await withBreak("CON-8")
      await withBreak("CON-9")
      await signIn(page, operatorToken, `/console/reconciliation/${id}?date=${day}`)
      await page.getByRole("button", { name: "Close the day" }).click()
      const dialog = await dialogOf(page)
      const close = dialog.getByRole("button", { name: "Close the day" })
      // The dialog says how much is unexplained before it asks.
      await dialog.getByText("10.00 NGN is unexplained").waitFor()
      await close.click()
      await dialog.getByRole("alert").waitFor()
      expect(await close.evaluate((button) => button === button.ownerDocument.activeElement)).toBe(true)
      await dialog.getByLabel(/^Seal it although/).check()
      await close.click()
      // What the server misses is said at the field.
      await dialog.locator("[name=note][aria-invalid=true]:focus").waitFor()
      await page.keyboard.press("Escape")
      await follow(page, "/console/breaks?severity=low")
      const rows = page.locator("tbody tr")
      await rowOf(page, "CON-8").getByRole("button", { name: "Dismiss" }).click()
      const next = await dialogOf(page)
      await next.getByLabel("Note").fill("Seen")
      let sent = 0
      page.on("request", (request) => void (sent += request.method() === "POST" ? 1 : 0))
      await next.getByRole("button", { name: "Dismiss" }).dblclick()
      await rowOf(page, "CON-8").waitFor({ state: "detached" })
      await rows.and(page.locator(":focus")).waitFor()
      expect(sent).toBe(1)
      await page.keyboard.press("d")
      await dialogOf(page)
    }))

  it("reads the lines of the breaks after the breaks, so that a row keeps its text until it goes", () =>
    served.visit(desktop, async (page) => {
      const { id } = await withBreak("CON-11")
      await signIn(page, operatorToken, `/console/breaks?external_account_id=${id}`)
      await rowOf(page, "CON-11").getByRole("button", { name: "Dismiss" }).click()
      const dialog = await dialogOf(page)
      await dialog.getByLabel("Note").fill("Seen")
      const read: Array<string> = []
      page.on("request", (request) => void (request.url().includes("/statement-lines?") && read.push("lines asked")))
      page.on("response", (response) => void (response.url().includes("/breaks?") && read.push("breaks answered")))
      await dialog.getByRole("button", { name: "Dismiss" }).click()
      await rowOf(page, "CON-11").waitFor({ state: "detached" })
      await expect.poll(() => read).toContain("lines asked")
      expect(read[0]).toBe("breaks answered")
    }))

  it("fills in the accounts of what a line is said to be, and leaves the others to be typed", () =>
    served.visit(desktop, async (page) => {
      const { id } = await withBreak("CON-10")
      await signIn(page, operatorToken, `/console/breaks?external_account_id=${id}`)
      // Nothing is matched: there is no match to undo.
      expect(await rowOf(page, "Missing in books").getByRole("button", { name: "Unmatch" }).count()).toBe(0)
      expect(await page.getByLabel("Account", { exact: true }).inputValue()).toBe(id)
      await rowOf(page, "Missing in books").getByRole("button", { name: "Explain" }).click()
      const dialog = await dialogOf(page)
      const accountsOf = async () =>
        Promise.all(["debit", "credit"].map((side) => dialog.getByLabel(`Account to ${side}`).inputValue()))
      expect(await accountsOf()).toEqual(["world:simulated", ""])
      await dialog.getByLabel("What it is").selectOption({ label: "Money that came back from the provider" })
      expect(await accountsOf()).toEqual(["world:simulated", "receivable:simulated"])
      await dialog.getByLabel("What it is").selectOption({ label: "Money of an unknown payer" })
      expect(await accountsOf()).toEqual(["world:simulated", "suspense"])
      await dialog.getByLabel("Note").fill("Unknown payer")
      await dialog.getByRole("button", { name: "Explain" }).click()
      await page.getByText("Nothing differs").waitFor()
      const [entry] = await operated("/operator/v1/adjusting-entries?currency=NGN")
      expect(entry).toMatchObject({ from: "world:simulated", to: "suspense", amount: "10.00" })
    }))

  it("knows the day by the service's clock, whatever the browser's shows", () =>
    served.visit(desktop, async (page) => {
      const { id } = await account()
      const days = (ago: number): string =>
        new Intl.DateTimeFormat("en-CA", { timeZone: "Africa/Lagos" }).format(Date.now() - ago * 86_400_000)
      await page.clock.setSystemTime(Date.now() - 2 * 86_400_000)
      await signIn(page, operatorToken, `/console/reconciliation/${id}`)
      await page.getByRole("heading", { name: `${days(0)} is open` }).waitFor()
      expect(await page.getByLabel("Day", { exact: true }).inputValue()).toBe(days(0))
      await follow(page, `/console/reconciliation/${id}?date=${days(1)}`)
      await page.getByRole("button", { name: "Close the day" }).click()
      const dialog = await dialogOf(page)
      await awaitSettled(page)
      expect(
        (await dialog.locator(".late").allTextContents()).filter((text) => text.includes("has not ended"))
      ).toEqual([])
    }))

  covers("CONSOLE-8")
  it("adds an external account, with errors at their fields, and warns before a day is sealed too early or out of order", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/reconciliation")
      await page.getByRole("button", { name: "Add an account" }).click()
      const dialog = await dialogOf(page)
      await dialog.getByLabel("Provider").fill("simulated")
      await dialog.getByLabel("Currency").fill("NGN")
      await dialog.getByLabel("Statements name it by").selectOption("iban")
      await dialog.getByLabel("Number").fill("DE89370400440532013001")
      await dialog.getByLabel("First day").fill("2026-01-04")
      await dialog.getByLabel("What was in it").fill("0")
      await dialog.getByLabel("Time zone").fill("Africa/Lagos")
      const add = dialog.getByRole("button", { name: "Add an account" })
      await add.click()
      await dialog.locator("[name='identifiers.0.value'][aria-invalid=true]").waitFor()
      await dialog.getByLabel("Number").fill("DE89370400440532013000")
      await dialog.getByLabel("First day").fill("2026-02-30")
      await add.click()
      await dialog.locator("[name='opening.date'][aria-invalid=true]").waitFor()
      await dialog.getByLabel("First day").fill("2026-01-04")
      await add.click()
      await dialog.waitFor({ state: "hidden" })
      await page.getByRole("link", { name: "simulated NGN …013000" }).first().waitFor()
      const [{ id, opening, uses }] = await operated(
        "/operator/v1/external-accounts?identifiers=DE89370400440532013000&currency=NGN"
      )
      expect([opening, uses]).toEqual([{ date: "2026-01-04", balance: "0.00" }, ["payouts", "payins"]])
      const warningsOn = async (date: string): Promise<ReadonlyArray<string>> => {
        await follow(page, `/console/reconciliation/${id}?date=${date}`)
        await page.getByRole("button", { name: "Close the day" }).click()
        const close = await dialogOf(page)
        await awaitSettled(page)
        const texts = await close.locator(".late").allTextContents()
        await close.getByRole("button", { name: "Cancel" }).click()
        await close.waitFor({ state: "hidden" })
        return texts.map((text) => text.split(/[.,] /)[0]!)
      }
      const today = new Intl.DateTimeFormat("en-CA", { timeZone: "Africa/Lagos" }).format(new Date())
      expect(await warningsOn("2026-01-04")).toEqual([])
      expect(await warningsOn("2026-01-05")).toEqual(["2026-01-04"])
      expect((await warningsOn(today))[0]).toBe(`${today} has not ended in Africa/Lagos`)
      await operated("/operator/v1/closings", { external_account_id: id, date: "2026-01-04" })
      expect(await warningsOn("2026-01-05")).toEqual([])
    }))

  covers("CONSOLE-8")
  it("resolves a break by the keyboard, closes the day with its lines beside the books, and undoes nothing of it", () =>
    served.visit(desktop, async (page) => {
      const { id, break: found } = await withBreak("CON-2")
      // The day that the last statement ends is one click away, whatever day it is.
      await signIn(page, operatorToken, "/console/reconciliation")
      await page.locator(`a[href*="${id}"]`, { hasText: day }).click()
      await page.getByRole("heading", { name: `${day} is open` }).waitFor()
      const line = page.getByRole("region", { name: /^Lines of the day/ }).locator("tbody tr", { hasText: "CON-2" })
      await line.waitFor()
      expect(await line.textContent()).toContain("Unmatched")
      const unexplained = page.locator("dt", { hasText: "Unexplained" }).locator("+ dd")
      expect(await unexplained.textContent()).toBe("10.00 NGN")
      await page.locator("h1").focus()
      await page.keyboard.press("j")
      const row = page.locator("tbody tr:focus", { hasText: "Missing in books" })
      await row.waitFor()
      // The row has what the bank says of its line.
      await expect.poll(() => row.textContent()).toContain("Invoice 77")
      await page.keyboard.press("e")
      const dialog = await dialogOf(page)
      // The dialog says which line it is, and knows the bank's side. Keys of the page are text in it.
      await dialog.getByText("Invoice 77").waitFor()
      expect(await dialog.getByLabel("Account to debit").inputValue()).toBe("world:simulated")
      await dialog.getByLabel("Account to credit").pressSequentially("suspended")
      await dialog.getByLabel("Account to credit").fill("nowhere")
      await dialog.getByLabel("Note").fill("Unknown payer")
      await dialog.getByRole("button", { name: "Explain" }).click()
      await dialog.locator("[name=to][aria-invalid=true]").waitFor()
      await dialog.getByLabel("Account to credit").fill("suspense")
      await dialog.getByRole("button", { name: "Explain" }).click()
      await dialog.waitFor({ state: "hidden" })
      await page.getByText("Nothing differs").waitFor()
      await expect.poll(() => line.textContent()).toContain("Explained")
      // The day's figures follow the act, before the page reads again by itself.
      await expect.poll(() => unexplained.textContent(), { timeout: 5000 }).toBe("0")
      expect(await operated(`/operator/v1/breaks/${found.id}`)).toMatchObject({ status: "resolved", action: "explain" })
      await page.getByRole("button", { name: "Close the day" }).click()
      await (await dialogOf(page)).getByRole("button", { name: "Close the day" }).click()
      await page.getByRole("heading", { name: `${day} is closed` }).waitFor()
      // The button is gone, and the focus is not: the keys begin at the heading of the page.
      await page.locator("h1:focus").waitFor()
      const [closing] = await operated(`/operator/v1/closings?external_account_id=${id}`)
      expect(closing).toMatchObject({ date: day, closing: "10.00", explained: "10.00", unexplained: "0.00" })
      // A resolved break has what the bank says of its line, as an open one has. To undo it undoes no closed day, and says so.
      await follow(page, `/console/breaks?status=resolved&external_account_id=${id}`)
      await rowOf(page, "Unknown payer").getByText("Invoice 77").waitFor({ timeout: 15_000 })
      await rowOf(page, "Unknown payer").getByRole("button", { name: "Reopen" }).click()
      await dialog.getByText(`${day} is closed, and its figures stay`).waitFor()
    }))

  covers("CONSOLE-8")
  it("matches a batch line with payouts that are ticked, of those that no line is, and makes a second payment a receivable", () =>
    served.visit(desktop, async (page) => {
      const { make, settle, wallet } = served.stock
      const [bank] = (await served.stock.api.ask("/v1/providers?country_code=KE")).json.data
      const { id: beneficiary_id } = await make("/v1/beneficiaries", {
        type: "fiat",
        name: "Wanjiru",
        currency: "KES",
        details: { country_code: "KE", network: "bank", account_number: "0123456789", provider_id: bank.id }
      })
      const payout = async (target_amount: string, reference: string) => {
        const { id: quote_id } = await make("/v1/offramps/quotes", { wallet_id: wallet, beneficiary_id, target_amount })
        return (await make("/v1/offramps", { quote_id, reference })).id as string
      }
      const ids: Array<string> = []
      // The fourth is paid, and on no statement yet. The bank pays the fifth twice.
      for (const [nth, amount] of ["500", "600", "700", "800", "650"].entries())
        ids.push(await payout(amount, `salary-KE-${nth + 1}`))
      const pending = await payout("900", "salary-KE-6")
      // More lines and movements than a page has: a first page of each is empty.
      for (const list of ["statement-lines", "movements"])
        await page.route(new RegExp(`/api/operator/v1/${list}\\?.*per_page=200`), async (route) => {
          const url = new URL(route.request().url())
          const nth = Number(url.searchParams.get("page") ?? "1")
          url.searchParams.set("page", String(Math.max(1, nth - 1)))
          const response = await route.fetch({ url: url.href })
          const body = await response.json()
          const isFirst = nth === 1 && url.searchParams.get("status") === null
          await route.fulfill({
            response,
            json: isFirst ? { ...body, data: [], meta: { ...body.meta, has_more: true } } : body
          })
        })
      await settle()
      for (const resource_id of ids) await make("/sandbox/outcomes", { resource_id, outcome: "success" })
      const today = new Date().toISOString().slice(0, 10)
      const { id } = await operated("/operator/v1/external-accounts", {
        provider: "simulated",
        currency: "KES",
        kind: "bank",
        identifiers: [{ scheme: "account_number", value: "66-1" }],
        opening: { date: today, balance: "9000" },
        time_zone: "UTC"
      })
      const date = today.slice(2).replaceAll("-", "")
      await served.stock.api.ask("/operator/v1/statements", {
        key: operatorToken,
        method: "POST",
        raw: new TextEncoder().encode(
          [
            ":20:BULK",
            ":25:66-1",
            ":28C:1/1",
            `:60F:C${date}KES9000,`,
            `:61:${date}D1100,NTRFNONREF//KCB-1`,
            ":86:Salaries",
            `:61:${date}D700,NTRFsalary-KE-3//KCB-2`,
            ":86:salary-KE-3",
            `:61:${date}D650,NTRFsalary-KE-5//KCB-3`,
            ":86:salary-KE-5",
            `:61:${date}D650,NTRFsalary-KE-5//KCB-4`,
            ":86:salary-KE-5",
            `:62F:C${date}KES5900,`,
            "-"
          ].join("\r\n")
        ),
        headers: { "content-type": "application/octet-stream" }
      })
      await signIn(page, operatorToken, `/console/breaks?external_account_id=${id}`)
      await rowOf(page, "Missing in books").getByRole("button", { name: "Match", exact: true }).click()
      const dialog = await dialogOf(page)
      await dialog.getByRole("button", { name: "Tick all 4" }).click()
      await dialog.getByText("Ticked: 2,550.00 KES of 1,100.00 KES").waitFor()
      await dialog.getByText("1,450.00 KES too much").waitFor()
      const offered = dialog.getByRole("group", { name: "Movements of these days without a line" })
      expect(await offered.getByRole("checkbox").count()).toBe(4)
      // One of another day is found by its reference.
      const search = dialog.getByLabel("Another movement (optional)")
      await search.pressSequentially("stock-offramp")
      const option = dialog.locator("datalist option[value*='stock-offramp']")
      await option.waitFor({ state: "attached" })
      await search.fill((await option.getAttribute("value"))!)
      await expect.poll(() => offered.getByRole("checkbox").count()).toBe(5)
      await offered.getByRole("checkbox").first().uncheck()
      await offered.getByLabel(/salary-KE-4/).uncheck()
      await offered.getByLabel(/salary-KE-5/).uncheck()
      await dialog.getByText("Ticked: 1,100.00 KES of 1,100.00 KES").waitFor()
      await dialog.getByText("The sums are equal").waitFor()
      await audit(page)
      await dialog.getByLabel("Note").fill("The bank's list of the batch")
      await dialog.getByRole("button", { name: "Match", exact: true }).click()
      await rowOf(page, "Missing in books").waitFor({ state: "detached" })
      const [line] = await operated(`/operator/v1/statement-lines?external_account_id=${id}&amount=1100&currency=KES`)
      expect(line.matches.map((one: { resource_id: string }) => one.resource_id).sort()).toEqual(ids.slice(0, 2).sort())
      // What it names is there once, and its dialog makes the second payment a receivable.
      const twice = rowOf(page, "Executed twice")
      expect(await twice.locator(`a[href*="${ids[4]}"]`).count()).toBe(1)
      expect(await twice.textContent()).toContain("−650.00 KES")
      expect(await twice.locator("button.main").allTextContents()).toEqual(["Explain"])
      // Two lines are twice what the payout is: the dialog says so before the server does.
      await twice.getByRole("button", { name: "Match", exact: true }).click()
      await dialog.getByText("Ticked: 650.00 KES of 1,300.00 KES").waitFor()
      const lines = dialog.getByRole("group", { name: "Lines" }).getByRole("checkbox")
      expect(await lines.count()).toBe(2)
      await lines.last().uncheck()
      await dialog.getByText("Ticked: 650.00 KES of 650.00 KES").waitFor()
      await page.keyboard.press("Escape")
      await twice.getByRole("button", { name: "Explain" }).click()
      await dialog.getByLabel("Note").fill("The bank is asked to return it")
      await dialog.getByRole("button", { name: "Explain" }).click()
      await page.getByText("Nothing differs").waitFor()
      // The page of the day says what no statement has yet, and the sum of it.
      await follow(page, `/console/reconciliation/${id}?date=${today}`)
      const missing = page.getByRole("region", { name: "Movements that no line is" })
      await missing.locator("tbody tr", { hasText: "salary-KE-4" }).waitFor()
      expect(await missing.locator("tbody tr").count()).toBe(1)
      expect(await missing.locator("tbody tr").textContent()).toContain("−800.00 KES")
      const [entry] = await operated("/operator/v1/adjusting-entries?currency=KES")
      expect(entry).toMatchObject({ from: "receivable:simulated", to: "world:simulated", amount: "650.00" })
      await make("/sandbox/outcomes", { resource_id: pending, outcome: "failed" })
    }))

  it("does not close a day of which something is unexplained, unless that is accepted with a note", () =>
    served.visit(desktop, async (page) => {
      const { id } = await withBreak("CON-3")
      await signIn(page, operatorToken, `/console/reconciliation/${id}?date=${day}`)
      await page.getByRole("button", { name: "Close the day" }).click()
      const dialog = await dialogOf(page)
      await dialog.getByRole("button", { name: "Close the day" }).click()
      await dialog.getByRole("alert").waitFor()
      expect(await dialog.getByRole("alert").textContent()).toContain("invalid_status")
      await dialog.getByLabel(/^Seal it although/).check()
      await dialog.getByLabel(/^Note/).fill("The payer is asked")
      await dialog.getByRole("button", { name: "Close the day" }).click()
      await page.getByRole("heading", { name: `${day} is closed` }).waitFor()
      expect(await page.locator("main").textContent()).toContain("The payer is asked")
    }))

  covers("CONSOLE-8", "HTTP-11")
  it("decides about what was shown when the dialog opened, and says when it has become another", () =>
    served.visit(desktop, async (page) => {
      const { id } = await withBreak("CON-10")
      const isList = /\/api\/operator\/v1\/breaks\?/
      await page.route(isList, async (route) => {
        const response = await route.fetch()
        const { data, ...rest } = await response.json()
        await route.fulfill({
          response,
          json: { ...rest, data: data.map((one: object) => ({ ...one, version: "v0" })) }
        })
      })
      await signIn(page, operatorToken, `/console/reconciliation/${id}?date=${day}`)
      await page.getByRole("button", { name: "Dismiss" }).click()
      const dialog = await dialogOf(page)
      await dialog.getByLabel(/^Note/).fill("Seen")
      await dialog.getByRole("button", { name: "Dismiss" }).click()
      await dialog.getByText("It has become another since you opened this.").waitFor()
      expect(await openBreaks(id)).toHaveLength(1)
      await page.unroute(isList)
      await Promise.all([page.waitForResponse(isList), page.keyboard.press("Escape")])
      await page.getByRole("button", { name: "Dismiss" }).click()
      await dialog.getByLabel(/^Note/).fill("Seen")
      await dialog.getByRole("button", { name: "Dismiss" }).click()
      await expect.poll(async () => (await openBreaks(id)).length).toBe(0)
    }))

  covers("CONSOLE-8")
  it("exports breaks, takes the edited file back with the result of each row, and reopens a break", () =>
    served.visit(desktop, async (page) => {
      const [first, second] = [await withBreak("CON-4"), await withBreak("CON-5")]
      await signIn(page, operatorToken, "/console/breaks")
      await rowOf(page, "Missing in books").first().waitFor()
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Export CSV" }).click()
      ])
      expect(download.suggestedFilename()).toBe("breaks.csv")
      const text = readFileSync(await download.path(), "utf8")
      const edited = text
        .split("\r\n")
        .map((row) =>
          row.startsWith(first.break.id)
            ? row.replace(/,,,,,(v\w+)$/, ",dismiss,Seen,,,$1")
            : row.startsWith(second.break.id)
              ? row.replace(/,,,,,(v\w+)$/, ",dismis,Seen,,,$1")
              : row
        )
        .join("\r\n")
      expect(edited).not.toBe(text)
      await page.getByRole("button", { name: "Resolve from a file" }).click()
      const dialog = await dialogOf(page)
      await dialog.locator("input[type=file]").setInputFiles(bytes(edited, "edited.csv"))
      await dialog.getByRole("button", { name: "Resolve from a file" }).click()
      await dialog.locator(".result").waitFor()
      expect(await dialog.locator(".result").textContent()).toMatch(/1 resolved, 1 refused, \d+ without an action/)
      expect(await dialog.locator("tbody tr").count()).toBe(1)
      await dialog.getByRole("button", { name: "Close" }).click()
      await expect.poll(async () => (await openBreaks(first.id)).length).toBe(0)
      await follow(page, `/console/breaks?status=resolved&external_account_id=${first.id}`)
      await rowOf(page, "Seen").getByRole("button", { name: "Reopen" }).focus()
      await page.keyboard.press("o")
      const reopen = await dialogOf(page)
      await reopen.getByLabel("Note").fill("Looked again")
      await reopen.getByRole("button", { name: "Reopen" }).click()
      await reopen.waitFor({ state: "hidden" })
      await expect.poll(async () => (await openBreaks(first.id)).length).toBe(1)
    }))

  it("offer a viewer no act", async () => {
    const { id } = await withBreak("CON-6")
    const { token } = await operated("/operator/v1/operators", { name: "Vera", role: "viewer" })
    await served.visit(desktop, async (page) => {
      await signIn(page, token, "/console/reconciliation")
      for (const path of ["/reconciliation", `/reconciliation/${id}?date=${day}`, "/breaks"]) {
        await follow(page, `/console${path}`)
        await awaitSettled(page)
        const names = await page.locator("main button:not(.copy)").allTextContents()
        expect([path, names.filter((name) => name !== "Clear filters")]).toEqual([path, []])
      }
    })
  })

  covers("CONSOLE-25")
  it("maps a CSV by its first rows: what a column is, what is read of it, and the file is taken by it", () =>
    served.visit(desktop, async (page) => {
      const { id, number } = await account()
      const csv =
        "Export;;;;\nDate;Description;Money out;Money in;Ref\n05.01.2026;Rent;1.234,50;;R-1\n06.01.2026;Sale;;99,00;R-2\n"
      await signIn(page, operatorToken, "/console/reconciliation")
      await page.getByRole("button", { name: "Take a statement" }).click()
      await (await dialogOf(page)).getByRole("link", { name: "Make one by the file's first rows" }).click()
      await page.getByRole("heading", { name: "Map a CSV", level: 1 }).waitFor()
      await page.getByLabel("Account", { exact: true }).selectOption(id)
      await page.getByLabel("CSV file").setInputFiles(bytes(csv, "export.csv"))
      const rows = page.getByRole("region", { name: "The first rows of the file" })
      await rows.waitFor()
      // What the names of the columns say is chosen already.
      expect(await rows.locator("select").evaluateAll((all) => all.map((one: any) => one.value))).toEqual([
        "booked_on",
        "remittance",
        "debit",
        "credit",
        "bank_reference"
      ])
      await page.getByText(/^line 3.*05\.01\.2026/).waitFor()
      const take = page.getByRole("button", { name: "Keep the mapping and take the file" })
      expect(await take.count()).toBe(0)
      await page.getByLabel("Dates").selectOption("dmy")
      await page.getByLabel("Amounts").selectOption(",")
      await page.getByLabel("Thousands").selectOption(".")
      const read = page.getByRole("region", { name: "The first of 2 lines" })
      await read.waitFor()
      expect(await read.locator("tbody tr").allInnerTexts()).toEqual([
        expect.stringMatching(/2026-01-05\s+Out 1,234\.50 NGN\s+R-1\s+—\s+Rent/),
        expect.stringMatching(/2026-01-06\s+In 99\.00 NGN\s+R-2\s+—\s+Sale/)
      ])
      await auditLooks(page, "statement-mapping")
      await take.click()
      const dialog = await dialogOf(page)
      await dialog.getByLabel("Name of the mapping").fill(`Export of ${number}`)
      await dialog.getByRole("button", { name: "Keep the mapping and take the file" }).click()
      await dialog.getByText(/: 2 lines, closing balance/).waitFor()
      const lines = await operated(`/operator/v1/statement-lines?external_account_id=${id}`)
      expect(lines.map(({ amount, bank_reference, direction }: any) => [amount, bank_reference, direction])).toEqual([
        ["99.00", "R-2", "credit"],
        ["1234.50", "R-1", "debit"]
      ])
    }))
})
