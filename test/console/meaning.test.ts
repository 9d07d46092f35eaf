/** What the console says of payouts, troubles and roles, in Chromium: recipients, colours, first sentences, and what is not cut. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { desktop, follow, awaitSettled, signIn } from "../support/console/pages.ts"
import { type Seeded, seedConsole } from "../support/console/seeded.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

describeInBrowser("what the console says", () => {
  let served: Seeded
  const made: { failed?: string; waits?: string } = {}
  beforeAll(async () => {
    served = await seedConsole()
    const { stock: s } = served
    const executed = async (target_amount: string, reference: string) =>
      (
        await s.make("/v1/offramps", {
          quote_id: (
            await s.make("/v1/offramps/quotes", { wallet_id: s.wallet, beneficiary_id: s.fiat, target_amount })
          ).id,
          reference
        })
      ).id as string
    made.failed = await executed("45000.00", "rent-of-a-long-and-unbroken-reference-2026-01")
    await s.settle()
    await s.make("/sandbox/outcomes", { resource_id: made.failed, outcome: "refund_failed" })
    made.waits = await executed("30000.00", "waits")
    await s.settle()
  })
  afterAll(() => served?.close())

  covers("CONSOLE-12")
  it("a payout's title and row have what its recipient receives, with its name and the fees", () =>
    served.visit(desktop, async (page) => {
      const { api, fiat } = served.stock
      const { name } = (await api.ask(`/v1/beneficiaries/${fiat}`)).json.data
      await signIn(page, api.key, `/console/movements/${made.waits}`)
      const heading = await page.locator("h1").textContent()
      expect(heading).toMatch(/^Offramp, [\d.,]+ USDC to 30,000\.00 NGN$/)
      expect(await page.locator(".lead").textContent()).toMatch(/fee [\d.,]+ USDC and 750\.00 NGN$/)

      await follow(page, `/console/movements?beneficiary_id=${fiat}`)
      const row = page.getByRole("row").filter({ hasText: "waits" })
      expect(await row.locator("td[data-title='Recipient receives']").innerText()).toBe("30,000.00 NGN")
      await row.getByRole("link", { name, exact: true }).click()
      await page.getByRole("heading", { name, level: 1 }).waitFor()
      expect(new URL(page.url()).pathname).toBe(`/console/beneficiaries/${fiat}`)
      await awaitSettled(page)
      const payouts = page.getByRole("region", { name: "Movements, newest first" }).locator("tbody tr")
      expect(await payouts.count()).toBe((await api.ask(`/v1/transactions?beneficiary_id=${fiat}`)).json.meta.total)
      expect(await page.getByLabel("Recipient", { exact: true }).count()).toBe(0)
    }))

  covers("CONSOLE-12")
  it("a customer is a name with the way to its page, in every list of either side", () =>
    served.visit(desktop, async (page) => {
      const { api } = served.stock
      const lists = [
        [operatorToken, ["deposits", "verifications?status=in_progress", "customers"]],
        [api.key, ["", "movements", "beneficiaries", "customers"]]
      ] as const
      for (const [token, paths] of lists) {
        await page.context().clearCookies()
        await signIn(page, token)
        for (const path of paths) {
          await follow(page, `/console/${path}`)
          const cells = page.locator("main tbody td")
          await cells.first().waitFor()
          expect([path, (await cells.allInnerTexts()).filter((text) => text.includes("cust_"))]).toEqual([path, []])
          const links = page.locator("main tbody a[href*='/customers/cust_']")
          if (path !== "") expect([path, await links.count()]).not.toEqual([path, 0])
        }
      }
      await follow(page, "/console/movements")
      const link = page.locator("td[data-title=Customer] a").first()
      const id = (await link.getAttribute("href"))!.split("/").at(-1)
      const { name } = (await api.ask(`/v1/customers/${id}`)).json.data
      expect(await link.innerText()).toBe(name)
      await link.click()
      await page.getByRole("heading", { name, level: 1 }).waitFor()
    }))

  covers("CONSOLE-12")
  it("the page of a beneficiary lists its payouts for operators too", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, `/console/resources/${served.stock.fiat}`)
      await page.getByRole("heading", { name: "Payouts" }).waitFor()
      await awaitSettled(page)
      expect(await page.getByRole("row").filter({ hasText: "waits" }).count()).toBe(1)
    }))

  covers("CONSOLE-13")
  it("money that could not be given back is red, comes first, and is decided there", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, `/console/resources/${made.failed}`)
      const trouble = page.getByRole("region", { name: "Needs a decision" })
      await trouble.waitFor()
      expect(await trouble.locator(".notice-title").textContent()).toMatch(/^1 open exception: decide/)
      const notices = await page
        .locator("main .notice")
        .evaluateAll((all) => all.map((one) => [one.className, one.ariaLabel]))
      expect(notices).toEqual([
        ["notice bad", "Needs a decision"],
        ["notice bad", "Explanation"]
      ])
      await trouble.getByRole("button", { name: "Resolve" }).click()
      const dialog = page.locator("dialog[open]")
      const action = dialog.locator("select[name=action]")
      const actions = await action.locator("option").allTextContents()
      expect(actions).toEqual(expect.arrayContaining(["Credit", "Dismiss"]))
      await action.selectOption("credit")
      await dialog.getByLabel(/^Note/).fill("Credited by hand")
      await dialog.getByRole("button", { name: "Resolve" }).click()
      await trouble.waitFor({ state: "detached" })
    }))

  covers("CONSOLE-13")
  it("a break about a movement comes first, with its acts for treasury and the role for others", () =>
    served.visit(desktop, async (page) => {
      const about = {
        id: "brk_1",
        external_account_id: "xac_1",
        kind: "contradicts_status",
        severity: "high",
        status: "open",
        amount: "45000.00",
        direction: "debit",
        currency: "NGN",
        exposure: null,
        lines: [],
        resources: [made.waits],
        candidates: [],
        since: "2026-01-31T00:00:00.000Z",
        actions: ["explain", "dismiss"],
        action: null,
        note: null
      }
      await page.route("**/operator/v1/breaks?**", (route) =>
        route.fulfill({
          json: {
            status: true,
            code: "ok",
            message: "",
            data: [about],
            meta: { request_id: "req_1", page: 1, per_page: 20, total: 1, has_more: false }
          }
        })
      )
      await signIn(page, operatorToken, `/console/resources/${made.waits}`)
      const trouble = page.getByRole("region", { name: "Needs a decision" })
      await trouble.getByRole("button", { name: "Explain" }).waitFor()
      expect(await trouble.locator(".notice-title").textContent()).toMatch(/^1 open break: decide/)
      expect(await trouble.getByRole("button", { name: "Dismiss" }).count()).toBe(1)

      const { token } = (
        await served.stock.operate("/operator/v1/operators", {
          method: "POST",
          body: { name: "Efe", email: "efe@example.com", role: "support" }
        })
      ).json.data
      await page.context().clearCookies()
      await signIn(page, token, `/console/resources/${made.waits}`)
      await trouble.getByText("Explain, Dismiss: needs the role treasury").waitFor()
      expect(await trouble.getByRole("button", { name: /^(?:Explain|Dismiss)$/ }).count()).toBe(0)
    }))

  it("the number of approvals that wait stands in the line of its link", () =>
    served.visit(desktop, async (page) => {
      const { crypto, make, wallet } = served.stock
      await make("/v1/approval-rules", { operations: ["transfer"], above: { amount: "7", currency: "USDC" } })
      const { secret } = await make("/v1/api-keys", { role: "approver", person: "Chidi" })
      await make("/v1/transfers", { wallet_id: wallet, beneficiary_id: crypto, amount: "7.50" })
      await signIn(page, secret)
      const link = page.locator(".side a", { hasText: /^Approvals\d/ })
      const [outer, inner] = [await link.boundingBox(), await link.locator(".badge").boundingBox()]
      expect(inner!.y).toBeGreaterThanOrEqual(outer!.y)
      expect(inner!.y + inner!.height).toBeLessThanOrEqual(outer!.y + outer!.height)
      expect(outer!.height).toBeLessThan(40)
    }))

  it("what only waits is blue", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, `/console/resources/${made.waits}`)
      const notices = page.locator("main .notice")
      await notices.first().waitFor()
      expect(await notices.evaluateAll((all) => all.map(({ className }) => className))).not.toContain("notice bad")
    }))

  covers("CONSOLE-5")
  it("a role that may not act is told which role may, in the act's place", () =>
    served.visit(desktop, async (page) => {
      const { keys } = served.stock
      await signIn(page, keys.viewer, "/console/webhooks")
      await page.getByText("Create endpoint: needs the role developer or admin").waitFor()
      expect(await page.getByRole("button", { name: "Create endpoint" }).count()).toBe(0)
    }))

  covers("CONSOLE-14")
  it("an endpoint is shown with its last answer and the share that was delivered, and failing where it fails", () =>
    served.visit(desktop, async (page) => {
      const { receiver, stock } = served
      const ping = async (answer: number) => {
        receiver.answer = answer
        await stock.make(`/v1/notifications/webhooks/${served.endpoint}/ping`, {})
        await stock.settle()
      }
      const cell = async (): Promise<string> => {
        await follow(page, "/console/movements")
        await follow(page, "/console/webhooks")
        const row = page.getByRole("row").filter({ hasText: receiver.url })
        await row.getByText("Last answer").waitFor()
        // Since when it fails is read after that it does.
        await page.waitForLoadState("networkidle")
        return row.locator("td[data-title=Status]").innerText()
      }
      await ping(200)
      await signIn(page, stock.api.key)
      expect(await cell()).toMatch(/^✓ Active\nLast answer HTTP 200 .* · \d+\.\d\s% of \d+ attempted delivered$/)
      await ping(500)
      expect(await cell()).toMatch(/^! Failing\nSince .*\nLast answer HTTP 500/)
      await stock.make("/sandbox/clock/advance", { seconds: 26 * 3600 })
      await stock.settle()
      expect(await cell()).toMatch(/^✕ Failing for a day\nSince .*\nLast answer HTTP 500/)
      await ping(200)
      expect(await cell()).toMatch(/^✓ Active/)
    }))

  covers("CONSOLE-14", "WEBHOOK-15")
  it("an endpoint that was switched off says why, and an operator has all that failed sent again, once", () =>
    served.visit(desktop, async (page) => {
      const { endpoint, receiver, stock } = served
      const { id: spare } = await stock.make("/v1/notifications/webhooks", {
        url: receiver.url,
        categories: ["deposit"]
      })
      const path = `/v1/notifications/webhooks/${spare}`
      const activate = () => stock.make(path, { active: true }, { method: "PATCH" })
      await activate()
      receiver.answer = 410
      await stock.make("/sandbox/deposits", { wallet_id: stock.wallet, amount: "3.50" })
      await stock.settle()
      await signIn(page, operatorToken, "/console/webhooks?health=inactive")
      const row = page.getByRole("row").filter({ has: page.locator(`a[href$="${spare}"]`) })
      await row.getByText("Switched off").waitFor()
      expect(await row.locator("td[data-title=Status]").innerText()).toMatch(
        /^✕ Switched off\nIts receiver answered HTTP 410: gone\. .*\nLast answer HTTP 410 .* · 0\.0\s% of 1 attempted delivered$/s
      )
      expect(await row.locator("td[data-title=Merchant]").innerText()).toContain("Corridor")
      await row.getByRole("link", { name: receiver.url }).click()
      await page.getByRole("heading", { name: "By event type" }).waitFor()
      await awaitSettled(page)
      const button = page.getByRole("button", { name: "Send all that failed again" })
      expect(await button.count()).toBe(0)
      receiver.answer = 200
      await activate()
      const failedOnly = /\/deliveries\?status=failed/
      await page.route(failedOnly, async (route) => {
        const answer = await route.fetch()
        await route.fulfill({ response: answer, json: { ...(await answer.json()), data: [] } })
      })
      await page.reload()
      await page.getByRole("heading", { name: "By event type" }).waitFor()
      await awaitSettled(page)
      expect(await button.count()).toBe(0)
      await page.unroute(failedOnly)
      // The newest deliveries have all arrived: the one that failed is older.
      await page.route(/\/health$/, async (route) => {
        const answer = await route.fetch()
        const { data, ...others } = await answer.json()
        await route.fulfill({ response: answer, json: { ...others, data: { ...data, failed: 0 } } })
      })
      await page.reload()
      await button.click()
      const dialog = page.getByRole("dialog")
      const received = receiver.received.length
      await dialog.getByLabel(/^Note/).fill("the receiver is back")
      await dialog.getByRole("button", { name: "Send all that failed again" }).click()
      await dialog.getByText(/^\d+ events? will be sent again\.$/).waitFor()
      await dialog.getByRole("button", { name: "Close" }).click()
      await stock.settle()
      expect(receiver.received.length).toBeGreaterThan(received)
      await button.click()
      await dialog.getByRole("button", { name: "Send all that failed again" }).click()
      await dialog.getByText("Everything that failed has arrived since, or is on its way.").waitFor()
      const { json } = await stock.operate(`/operator/v1/audit?action=replayFailedMerchantWebhookEvents`)
      expect(json.data.map(({ note }: { readonly note: string }) => note)).toEqual(["the receiver is back"])
      await stock.make(`/v1/notifications/webhooks/${endpoint}`, { active: true }, { method: "PATCH" })
    }))
})
