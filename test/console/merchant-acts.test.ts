/** What a merchant does in the console, in Chromium: webhooks, keys, access, the sandbox; and what a viewer cannot do. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { desktop, follow, signIn } from "../support/console/pages.ts"
import { type Seeded, seedConsole } from "../support/console/seeded.ts"
import { describeInBrowser } from "../support/http/browser.ts"

/** Opens the dialog of a button. */
const opened = async (page: Page, name: string) => {
  await page.getByRole("button", { name, exact: true }).first().click()
  const dialog = page.locator("dialog[open]")
  await dialog.waitFor()
  return dialog
}

/** Opens a dialog, sends it as it is, and waits until it has closed. */
const acted = async (page: Page, name: string, submit = name): Promise<void> => {
  const dialog = await opened(page, name)
  await dialog.getByRole("button", { name: submit, exact: true }).click()
  await dialog.waitFor({ state: "hidden" })
}

describeInBrowser("what a merchant does in the console", () => {
  let served: Seeded
  beforeAll(async () => {
    served = await seedConsole()
  })
  afterAll(() => served?.close())
  const data = async (path: string): Promise<any> => (await served.stock.api.ask(path)).json.data

  it("makes an endpoint: a wrong URL is said at its field, nothing typed is lost, and the secret is shown once", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, served.stock.api.key, "/console/webhooks")
      const dialog = await opened(page, "Create endpoint")
      await dialog.getByLabel("URL").fill("ftp://example.com")
      await dialog.getByLabel("Description").fill("mine")
      await dialog.getByLabel("Transfer").uncheck()
      await dialog.getByRole("button", { name: "Create endpoint" }).click()
      const wrong = dialog.locator("[aria-invalid=true]")
      await wrong.waitFor()
      expect(await wrong.getAttribute("name")).toBe("url")
      await dialog.locator("[name=url]:focus").waitFor()
      expect(await dialog.locator(".field-error").textContent()).toMatch(/url/i)
      expect(await dialog.getByLabel("Description").inputValue()).toBe("mine")
      await dialog.getByLabel("URL").fill(served.receiver.url)
      await dialog.getByRole("button", { name: "Create endpoint" }).click()
      const secret = await dialog.locator(".secret code").textContent()
      expect(secret).toMatch(/^whsec_/)
      await dialog.getByRole("link", { name: "open the endpoint" }).click()
      await page.getByRole("heading", { name: "Webhook endpoint" }).waitFor()
      const id = page.url().split("/").at(-1) ?? ""
      expect(await data(`/v1/notifications/webhooks/${id}`)).toMatchObject({ description: "mine", active: false })
      await acted(page, "Activate")
      await page.getByRole("button", { name: "Deactivate" }).waitFor()
      expect((await data(`/v1/notifications/webhooks/${id}`)).categories).not.toContain("transfer")
      await acted(page, "Send a ping")
      await served.stock.settle()
      await page.getByText("1 attempt, last HTTP 200").waitFor()
      const change = await opened(page, "Change")
      await change.getByLabel("Description").fill("")
      await change.getByRole("button", { name: "Change", exact: true }).click()
      await change.waitFor({ state: "hidden" })
      expect((await data(`/v1/notifications/webhooks/${id}`)).description).toBe("")
      const rotate = await opened(page, "Rotate secret")
      await rotate.getByRole("button", { name: "Rotate secret" }).click()
      const rotated = await rotate.locator(".secret code").textContent()
      expect(rotated).toMatch(/^whsec_/)
      expect(rotated).not.toBe(secret)
      await rotate.getByRole("button", { name: "Close" }).click()
      await acted(page, "Deactivate")
      await page.getByRole("button", { name: "Activate", exact: true }).waitFor()
      const remove = await opened(page, "Delete")
      await remove.getByRole("button", { name: "Delete" }).click()
      await page.waitForURL("**/console/webhooks")
      expect((await served.stock.api.ask(`/v1/notifications/webhooks/${id}`)).status).toBe(404)
    }))

  it("sends one event again to one endpoint, and all events of a time", () =>
    served.visit(desktop, async (page) => {
      const of = `/console/webhooks/${served.endpoint}`
      await signIn(page, served.stock.api.key, `${of}?event_type=deposit.confirmed`)
      const { length } = served.receiver.received
      const event = (await page.locator("tbody a code").first().getAttribute("title")) ?? ""
      await acted(page, "Send again")
      await served.stock.settle()
      expect(served.receiver.received.slice(length).map(({ id }) => id)).toContain(`msg_${event}`)
      await follow(page, `/console/events/${event}`)
      expect(await page.locator("tbody tr").count()).toBeGreaterThanOrEqual(2)
      await follow(page, of)
      const dialog = await opened(page, "Replay by time")
      await dialog.getByLabel("Since").fill("2020-01-01T00:00")
      await dialog.getByRole("button", { name: "Replay by time" }).click()
      const text = (await dialog.locator(".result").textContent()) ?? ""
      expect(Number(/^(\d+) events are sent again/.exec(text)?.[1])).toBeGreaterThan(3)
    }))

  it("makes, rotates and revokes a key, which a double click makes once", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, served.stock.api.key, "/console/keys")
      const before = (await data("/v1/api-keys")).length
      const dialog = await opened(page, "Create key")
      await dialog.getByLabel("Role").selectOption("viewer")
      await dialog.getByLabel("Label").fill("console test")
      await dialog.getByRole("button", { name: "Create key" }).dblclick()
      expect(await dialog.locator(".secret code").textContent()).toMatch(/^sk_/)
      await dialog.getByRole("button", { name: "Close" }).click()
      const row = page.locator("tbody tr", { hasText: "console test" })
      await row.first().waitFor()
      expect((await data("/v1/api-keys")).length).toBe(before + 1)
      await row.getByRole("button", { name: "Rotate" }).click()
      const rotate = page.locator("dialog[open]")
      await rotate.getByRole("button", { name: "Rotate" }).click()
      await rotate.locator(".secret code").waitFor()
      await rotate.getByRole("button", { name: "Close" }).click()
      expect((await data("/v1/api-keys")).length).toBe(before + 2)
      for (let left = 2; left > 0; left--) {
        await row.first().getByRole("button", { name: "Revoke" }).click()
        await page.locator("dialog[open]").getByRole("button", { name: "Revoke" }).click()
        await expect.poll(() => row.count()).toBe(left - 1)
      }
      expect((await data("/v1/api-keys")).length).toBe(before)
    }))

  it("asks for access to a currency", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, served.stock.api.key, "/console/currencies")
      const row = page.locator("tbody tr", { hasText: "Needs a grant" }).filter({ hasNotText: "EUR" }).first()
      const code = (await row.locator("strong").first().textContent()) ?? ""
      await row.getByRole("button", { name: "Request access" }).click()
      const dialog = page.locator("dialog[open]")
      await dialog.getByLabel("Reason").fill("for payouts")
      await dialog.getByRole("button", { name: "Request access" }).click()
      await dialog.waitFor({ state: "hidden" })
      await page.getByText("for payouts").waitFor()
      const requests = await data("/v1/currencies/access-requests?status=pending")
      expect(requests.map((one: any) => [one.resource_code, one.reason])).toContainEqual([code, "for payouts"])
    }))

  it("simulates a pay-in and an outcome, sets the script, runs due work and moves the clock", () =>
    served.visit(desktop, async (page) => {
      const s = served.stock
      await signIn(page, s.api.key, "/console/sandbox")
      const before = await data(`/v1/wallets/${s.wallet}`)
      const payin = await opened(page, "Simulate a pay-in")
      await payin.getByLabel("Wallet", { exact: true }).selectOption(s.wallet)
      await payin.getByLabel("Amount").fill("1.2345678901234567890")
      await payin.getByRole("button", { name: "Simulate a pay-in" }).click()
      expect(await payin.locator(".field-error").textContent()).toContain("decimals")
      await payin.getByLabel("Amount").fill("7.25")
      await payin.getByRole("button", { name: "Simulate a pay-in" }).click()
      await payin.getByText("The pay-in was reported.").waitFor()
      await payin.getByRole("button", { name: "Close" }).click()
      const after = await data(`/v1/wallets/${s.wallet}`)
      expect((Number(after.balance.available) - Number(before.balance.available)).toFixed(2)).toBe("7.25")
      const row = page.locator("tbody tr", { hasText: "Transfer" }).first()
      await row.getByRole("button", { name: "Report outcome" }).click()
      const outcome = page.locator("dialog[open]")
      await outcome.getByLabel("Outcome").selectOption("failed")
      await outcome.getByLabel("Reason").fill("by hand")
      await outcome.getByRole("button", { name: "Report outcome" }).click()
      await outcome.waitFor({ state: "hidden" })
      expect(await data(`/v1/transfers/${s.transfer}`)).toMatchObject({ status: "failed" })
      const other = await opened(page, "Report another outcome")
      await other.getByLabel("Resource").fill(s.offramp)
      await other.getByRole("button", { name: "Report another outcome" }).click()
      await other.getByText("Its status is now “Success”").waitFor()
      await other.getByRole("button", { name: "Close" }).click()
      const script = await opened(page, "Change script")
      await script.getByLabel("Submissions").selectOption("hold")
      await script.getByRole("button", { name: "Change script" }).click()
      await script.waitFor({ state: "hidden" })
      await page.getByText("Hold: not submitted until this changes").first().waitFor()
      expect(await data("/sandbox/provider")).toMatchObject({ submissions: "hold" })
      const due = await opened(page, "Run now")
      await due.getByRole("button", { name: "Run now" }).click()
      await due.getByText(/jobs? ran/).waitFor()
      await due.getByRole("button", { name: "Close" }).click()
      const { now } = await data("/sandbox/clock")
      const clock = await opened(page, "Advance")
      await clock.getByLabel("By").fill("2")
      await clock.getByLabel("Unit").selectOption("hours")
      await clock.getByRole("button", { name: "Advance" }).click()
      await clock.getByText("The clock shows").waitFor()
      const later = await data("/sandbox/clock")
      expect(Date.parse(later.now) - Date.parse(now)).toBeGreaterThanOrEqual(7_200_000)
    }))

  it("keeps a choice that is made as soon as it is offered", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, served.stock.api.key, "/console/sandbox")
      await page.evaluate(`new MutationObserver((_, observer) => {
        const select = document.querySelector("dialog[open] [name=of_customer]")
        if (select === null) return
        observer.disconnect()
        select.value = "${served.stock.verified}"
        select.dispatchEvent(new Event("input", { bubbles: true }))
        select.dispatchEvent(new Event("change", { bubbles: true }))
      }).observe(document, { childList: true, subtree: true })`)
      const verdict = await opened(page, "Decide a verification")
      const own = await data(`/v1/customers/${served.stock.verified}/verifications`)
      await expect.poll(() => verdict.getByLabel("Verification").inputValue()).toBe(own[0].id)
      // An effect that undoes the choice runs after the next frame.
      await page.waitForTimeout(300)
      expect(await verdict.getByLabel("Verification").inputValue()).toBe(own[0].id)
      expect(await verdict.getByLabel("Customer").inputValue()).toBe(served.stock.verified)
    }))

  it("decides verifications and screenings, and issues addresses, among those that exist", () =>
    served.visit(desktop, async (page) => {
      const s = served.stock
      await s.make("/sandbox/provider", { submissions: "accept" })
      await signIn(page, s.api.key, "/console/sandbox")
      const verdict = await opened(page, "Decide a verification")
      await verdict.getByLabel("Customer").selectOption(s.verified)
      await verdict.getByLabel("Verification").waitFor()
      await verdict.getByRole("button", { name: "Decide a verification" }).click()
      await verdict.getByText(/Its status is now “(Approved|Pending|In progress)”/).waitFor()
      await verdict.getByRole("button", { name: "Close" }).click()
      const screening = await opened(page, "Decide a screening")
      await screening.getByLabel("Beneficiary").selectOption(s.crypto_pending)
      await screening.getByRole("button", { name: "Decide a screening" }).click()
      await screening.getByText("Its status is now “Active”").waitFor()
      await screening.getByRole("button", { name: "Close" }).click()
      const { id } = await s.make(`/v1/wallets/${s.empty}/deposit-addresses`, { network: "base" })
      const issue = await opened(page, "Issue an address")
      await issue.getByLabel("Wallet").selectOption(s.empty)
      await issue.getByLabel("Deposit address").selectOption(id)
      await issue.getByRole("button", { name: "Issue an address" }).click()
      await issue.getByText("Its status is now “Active”").waitFor()
    }))

  it("a viewer sees no button that changes something, and the server refuses what is sent by hand", () =>
    served.visit(desktop, async (page) => {
      const s = served.stock
      await signIn(page, s.keys.viewer, "/console")
      const pages = [
        "/webhooks",
        `/webhooks/${served.endpoint}`,
        "/keys",
        "/currencies",
        "/sandbox",
        `/events/${s.event}`
      ]
      for (const path of [...pages, `/customers/${s.customer}`]) {
        await follow(page, `/console${path}`)
        const names = await page.locator("main button:not(.copy)").allTextContents()
        expect([path, names.filter((name) => name !== "Clear filters")]).toEqual([path, []])
      }
      const hooks = "/v1/notifications/webhooks"
      const refused = [
        ["POST", hooks],
        ["PATCH", `${hooks}/${served.endpoint}`],
        ["DELETE", `${hooks}/${served.endpoint}`],
        ["POST", `${hooks}/${served.endpoint}/rotate-secret`],
        ["POST", `${hooks}/${served.endpoint}/replay`],
        ["POST", `${hooks}/${served.endpoint}/ping`],
        ["POST", "/v1/api-keys"],
        ["POST", "/v1/currencies/USD/access-requests"],
        ["POST", "/sandbox/deposits"],
        ["POST", "/sandbox/outcomes"],
        ["POST", "/sandbox/provider"],
        ["POST", "/sandbox/settle"],
        ["POST", "/sandbox/clock/advance"]
      ]
      const answers = await page.evaluate(
        `(async () => {
          const { data, csrf_token } = await (await fetch("/console/session")).json()
          const headers = { "x-csrf-token": csrf_token ?? data.csrf_token, "content-type": "application/json" }
          const statuses = []
          for (const [method, path] of ${JSON.stringify(refused)})
            statuses.push((await fetch("/console/api" + path, { method, headers: { ...headers, "idempotency-key": "by-hand-" + statuses.length }, body: "{}" })).status)
          return statuses
        })()`
      )
      expect(answers).toEqual(refused.map(() => 403))
    }))
})
