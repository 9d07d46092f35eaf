/** The merchant's pages in Chromium: each is accessible, shows what there is, and shows what strangers enter as text. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { desktop, follow, awaitSettled, signIn } from "../support/console/pages.ts"
import { hostile, type Seeded, seedConsole } from "../support/console/seeded.ts"
import { describeInBrowser } from "../support/http/browser.ts"

describeInBrowser("the merchant's pages", () => {
  let served: Seeded
  beforeAll(async () => {
    served = await seedConsole()
  })
  afterAll(() => served?.close())

  it("show what strangers enter as text", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, served.stock.api.key)
      for (const path of ["/", "/customers", "/beneficiaries", "/currencies", "/webhooks", "/keys"]) {
        await follow(page, `/console${path}`)
        const text = (await page.locator("main").textContent()) ?? ""
        expect([path, text]).toEqual([path, expect.stringContaining(hostile)])
        expect([path, await page.locator("main img, main script").count()]).toEqual([path, 0])
        expect([path, await page.title()]).not.toEqual([path, "run"])
      }
    }))

  it("shows the receiver's answer, whatever it is, as text beside what was sent", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, served.stock.api.key, `/console/webhooks/${served.endpoint}?event_type=deposit.confirmed`)
      await page.getByText("1 attempt, last HTTP 500").click()
      const attempt = page.locator(".attempts")
      await attempt.getByText("Attempt 1").waitFor()
      expect(await attempt.getByRole("region", { name: "Answer to attempt 1" }).textContent()).toBe(hostile)
      const request = await attempt.getByRole("region", { name: "Request of attempt 1" }).textContent()
      expect(request).toContain(`POST ${served.receiver.url}`)
      expect(request).toMatch(/webhook-id: msg_evt_\w+/)
      expect(request).not.toMatch(/v1,[\w+/]{8}/)
      const body = await attempt.getByRole("region", { name: "Request body" }).textContent()
      expect(JSON.parse(body ?? "")).toMatchObject({ event_type: "deposit.confirmed" })
      expect(JSON.parse(body ?? "")).toEqual(JSON.parse(served.receiver.received[0]!.body))
      expect(await page.locator("main img, main script").count()).toBe(0)
    }))

  it("a page that is not there, and one of another merchant, says so", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, served.stock.keys.other, `/console/webhooks/${served.endpoint}`)
      expect(await page.locator(".failure").first().textContent()).toContain("not_found")
      await page.goto(`/console/customers/${served.stock.customer}`)
      await awaitSettled(page)
      expect(await page.locator(".failure").first().textContent()).toContain("not_found")
      await page.goto("/console/webhooks")
      await page.getByText("There is no endpoint yet").waitFor()
      await page.goto("/console/exceptions")
      await page.getByRole("heading", { name: "No such page" }).waitFor()
    }))
})
