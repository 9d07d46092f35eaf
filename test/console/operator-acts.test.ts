/** What operators do in the queues and on the platform's pages, in Chromium; and what a viewer cannot do. */
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { entries } from "../../src/engine/operations.ts"
import { desktop, follow, signIn } from "../support/console/pages.ts"
import { type Seeded, seedConsole } from "../support/console/seeded.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"

const rowOf = (page: Page, text: string): Locator => page.locator("tbody tr", { hasText: text })
const short = (id: string): string => `${id.slice(0, 9)}…${id.slice(-6)}`

const dialogOf = async (within: Page | Locator, name: string): Promise<Locator> => {
  await within.getByRole("button", { name, exact: true }).first().click()
  const page = "goto" in within ? within : within.page()
  const dialog = page.locator("dialog[open]")
  await dialog.waitFor()
  return dialog
}

const sent = async (dialog: Locator, name: string): Promise<void> => {
  await dialog.getByRole("button", { name, exact: true }).click()
  await dialog.waitFor({ state: "hidden" })
}

describeInBrowser("what operators do in the console", () => {
  let served: Seeded
  beforeAll(async () => {
    served = await seedConsole()
  })
  afterAll(() => served?.close())
  const operated = async (path: string): Promise<any> => (await served.stock.operate(path)).json.data

  it("resolves exceptions: what each allows, errors at the field, nothing lost, once for a double click", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/exceptions")
      const credit = await dialogOf(rowOf(page, served.unmatched), "Resolve")
      const offered = await credit.getByLabel("Action").locator("option").allTextContents()
      expect(offered.toSorted()).toEqual(["Credit", "Dismiss", "Refund"])
      await credit.getByLabel("Action").selectOption("credit")
      await credit.getByLabel(/^Wallet/).fill(served.stock.wallet)
      await credit.getByLabel(/^Note/).fill("seen on the statement")
      await credit.getByRole("button", { name: "Resolve", exact: true }).click()
      await credit.getByRole("alert").waitFor()
      expect(await credit.getByRole("alert").textContent()).toContain("The request was refused")
      expect(await credit.getByLabel(/^Note/).inputValue()).toBe("seen on the statement")
      await credit.getByLabel(/^Wallet/).fill(served.stock.tether)
      await credit.getByRole("button", { name: "Resolve", exact: true }).dblclick()
      await credit.waitFor({ state: "hidden" })
      await expect.poll(() => rowOf(page, served.unmatched).count()).toBe(0)
      expect(
        (await served.stock.make(`/v1/wallets/${served.stock.tether}`, undefined, { method: "GET" })).balance.available
      ).toBe("75.50")
      await page.getByLabel("Status", { exact: true }).selectOption("resolved")
      await page.waitForURL("**status=resolved")
      await rowOf(page, served.unmatched).waitFor()
      expect(await rowOf(page, served.unmatched).textContent()).toContain("seen on the statement")
    }))

  it("rejects a held deposit with a reason, and approves and revokes access", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/deposits")
      const reject = await dialogOf(rowOf(page, short(served.deposit)), "Reject")
      await reject.getByLabel(/^Reason/).fill("unknown payer")
      await sent(reject, "Reject")
      await expect.poll(() => rowOf(page, short(served.deposit)).count()).toBe(0)
      await follow(page, "/console/access-requests?status=pending")
      const approve = await dialogOf(page, "Approve")
      await sent(approve, "Approve")
      await page.getByText("No request matches").waitFor()
      await follow(page, "/console/access-requests?status=approved")
      await sent(await dialogOf(page, "Revoke access"), "Revoke access")
      await page.getByText("No request matches").waitFor()
      expect((await operated("/operator/v1/access-requests?status=revoked")).map((one: any) => one.id)).toEqual([
        served.request
      ])
    }))

  it("refuses a brake on nobody without losing what was typed, pauses one corridor, and releases it", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/brakes")
      const dialog = await dialogOf(page, "Pause submissions")
      await dialog.getByLabel("What is paused").selectOption("merchant")
      await dialog.getByLabel("Merchant").fill("mer_00000000000000000000000000")
      await dialog.getByLabel(/^Note/).fill("kept")
      await dialog.getByRole("button", { name: "Pause submissions" }).click()
      await dialog.getByRole("alert").waitFor()
      expect(await dialog.getByLabel(/^Note/).inputValue()).toBe("kept")
      await dialog.getByLabel("What is paused").selectOption("corridor")
      await dialog.getByLabel("From currency").fill("USDC")
      await dialog.getByLabel("To currency").fill("GHS")
      await sent(dialog, "Pause submissions")
      const row = rowOf(page, "USDC → GHS")
      await row.waitFor()
      await sent(await dialogOf(row, "Release"), "Release")
      await row.getByText("Released").waitFor()
    }))

  it("creates a merchant, whose key is shown once, and suspends and activates it", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/merchants")
      const dialog = await dialogOf(page, "Create merchant")
      await dialog.getByLabel("Name").fill("Console <b>Ltd")
      await dialog.getByLabel("Country").fill("zz")
      await dialog.getByRole("button", { name: "Create merchant" }).click()
      await dialog.getByRole("alert").waitFor()
      expect(await dialog.getByLabel("Name").inputValue()).toBe("Console <b>Ltd")
      await dialog.getByLabel("Country").fill("ke")
      await dialog.getByRole("button", { name: "Create merchant" }).click()
      expect(await dialog.locator(".secret code").textContent()).toMatch(/^sk_/)
      await dialog.getByRole("button", { name: "Close" }).click()
      const row = rowOf(page, "Console <b>Ltd")
      await sent(await dialogOf(row, "Suspend"), "Suspend")
      await row.locator(".pill", { hasText: "Suspended" }).waitFor()
      await sent(await dialogOf(row, "Activate"), "Activate")
      await row.locator(".pill", { hasText: "Active" }).waitFor()
      expect(await page.locator("main td b").count()).toBe(0)
    }))

  it("creates an operator, whose token signs in until it is replaced or revoked", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/operators")
      const create = await dialogOf(page, "Create operator")
      await create.getByLabel("Name").fill("Efe")
      await create.getByLabel("Role").selectOption("support")
      await create.getByRole("button", { name: "Create operator" }).click()
      const token = (await create.locator(".secret code").textContent()) ?? ""
      expect(token).toMatch(/^op_/)
      await create.getByRole("button", { name: "Close" }).click()
      const me = () => served.stock.api.ask("/operator/v1/me", { key: token })
      expect((await me()).json.data).toMatchObject({ name: "Efe", role: "support" })
      const row = rowOf(page, "Efe")
      const change = await dialogOf(row, "Change")
      await change.getByLabel("Role").selectOption("treasury")
      await sent(change, "Change")
      await row.getByRole("cell", { name: "Treasury", exact: true }).waitFor()
      const renewed = await dialogOf(row, "New token")
      await renewed.getByRole("button", { name: "New token" }).click()
      expect(await renewed.locator(".secret code").textContent()).not.toBe(token)
      await renewed.getByRole("button", { name: "Close" }).click()
      await sent(await dialogOf(row, "Revoke"), "Revoke")
      await row.locator(".pill", { hasText: "Revoked" }).waitFor()
      expect((await me()).status).toBe(401)
    }))

  it("a viewer sees no button that changes something, and the server refuses every act sent by hand", () =>
    served.visit(desktop, async (page) => {
      const { json } = await served.stock.operate("/operator/v1/operators", {
        method: "POST",
        body: { name: "Vera", role: "viewer" }
      })
      await signIn(page, json.data.token, "/console")
      const pages = [
        "/exceptions?status=all",
        "/deposits",
        "/verifications?status=in_progress",
        "/access-requests",
        "/stuck"
      ]
      for (const path of [...pages, "/merchants", "/brakes", "/operators", "/providers/simulated", "/ledger", "/me"]) {
        await follow(page, `/console${path}`)
        const names = await page.locator("main button:not(.copy)").allTextContents()
        expect([path, names.filter((name) => name !== "Clear filters")]).toEqual([path, []])
      }
      const acts = entries
        .map(({ operation }) => operation)
        .filter(({ area, method }) => area === "operator" && method !== "GET")
        .map(({ method, path }) => [method, path.replaceAll(/:\w+/g, "x")])
      expect(acts.length).toBeGreaterThan(15)
      const answers = await page.evaluate(
        `(async () => {
          const answer = await (await fetch("/console/session")).json()
          const headers = { "x-csrf-token": (answer.data ?? answer).csrf_token, "content-type": "application/json" }
          const found = []
          for (const [method, path] of ${JSON.stringify(acts)})
            found.push([method, path, (await fetch("/console/api" + path, { method, headers, body: "{}" })).status])
          return found
        })()`
      )
      expect(answers).toEqual(acts.map(([method, path]) => [method, path, 403]))
    }))
})
