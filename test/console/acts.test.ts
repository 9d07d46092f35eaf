/** What operators do on a resource's page in Chromium: each act with its dialog, by role. */
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { audit, desktop, follow, picture, signIn } from "../support/console/pages.ts"
import { type Served, serveConsole } from "../support/console/served.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { makeHeldDeposit, openException, requestAccess } from "../support/http/successful-requests.ts"
import { covers } from "../support/repository/covers.ts"

describeInBrowser("the acts of operators in the console", () => {
  let served: Served
  beforeAll(async () => {
    served = await serveConsole()
  })
  afterAll(() => served?.close())

  const open = async (page: Page, id: string, label: string): Promise<Locator> => {
    await follow(page, `/console/resources/${id}`)
    await page.locator(".page-head").getByRole("button", { name: label, exact: true }).click()
    const dialog = page.getByRole("dialog")
    await dialog.waitFor()
    return dialog
  }
  const act = async (page: Page, id: string, label: string, note: string): Promise<void> => {
    const dialog = await open(page, id, label)
    await dialog.getByRole("textbox", { name: /^Note/ }).fill(note)
    await dialog.getByRole("button", { name: label, exact: true }).click()
    await dialog.waitFor({ state: "hidden" })
  }
  const noted = (page: Page, note: string): Promise<void> => page.locator(".note", { hasText: note }).waitFor()
  const reached = (page: Page, state: string): Promise<void> => page.locator(`[data-state=${state}].current`).waitFor()

  covers("CONSOLE-5")
  it("releases a held deposit: the dialog says what happens, keeps the focus, closes with Escape, and notes why", () =>
    served.visit(desktop, async (page) => {
      const id = await makeHeldDeposit(served.stock)
      await signIn(page, operatorToken)
      const dialog = await open(page, id, "Release")
      expect(await dialog.textContent()).toContain("credited to the customer's wallet")
      await audit(page)
      await picture(page, "dialog", false)
      for (let n = 0; n < 6; n++) {
        await page.keyboard.press("Tab")
        // Outside of the dialog the browser's own controls may be reached, never the page's.
        const place = await page.evaluate(
          "document.activeElement.closest('dialog') !== null || document.activeElement === document.body"
        )
        expect(place).toBe(true)
      }
      await page.keyboard.press("Escape")
      await dialog.waitFor({ state: "hidden" })
      expect(await page.locator(":focus").textContent()).toBe("Release")
      await reached(page, "held")
      await act(page, id, "Release", "the payer is known")
      await reached(page, "confirmed")
      await noted(page, "the payer is known")
      expect(await page.getByRole("button", { name: "Release" }).count()).toBe(0)
    }))

  it("rejects a held deposit only with a reason", () =>
    served.visit(desktop, async (page) => {
      const id = await makeHeldDeposit(served.stock)
      await signIn(page, operatorToken)
      const dialog = await open(page, id, "Reject")
      await dialog.getByRole("button", { name: "Reject", exact: true }).click()
      expect(await dialog.isVisible()).toBe(true)
      await dialog.getByLabel("Reason, which the merchant sees").fill("unknown payer")
      await dialog.getByRole("button", { name: "Reject", exact: true }).click()
      await dialog.waitFor({ state: "hidden" })
      await served.stock.settle()
      await expect
        .poll(async () => (await served.stock.operate(`/operator/v1/resources/${id}`)).json.data.state)
        .not.toBe("held")
    }))

  it("resolves an exception with a note", () =>
    served.visit(desktop, async (page) => {
      const id = await openException(served.stock)
      await signIn(page, operatorToken)
      const dialog = await open(page, id, "Resolve")
      await dialog.getByLabel("Action").selectOption("dismiss")
      await dialog.getByText("The exception is closed. No money moves.").waitFor()
      await dialog.getByRole("button", { name: "Resolve", exact: true }).click()
      expect(await dialog.isVisible()).toBe(true)
      await dialog.getByRole("textbox", { name: "Note" }).fill("sent by mistake")
      await dialog.getByRole("button", { name: "Resolve", exact: true }).click()
      await dialog.waitFor({ state: "hidden" })
      const { json } = await served.stock.operate(`/operator/v1/resources/${id}`)
      expect(json.data.resource).toMatchObject({ status: "resolved", action: "dismiss", note: "sent by mistake" })
      await page.locator(".page-head .pill", { hasText: "Resolved" }).waitFor()
    }))

  it("freezes and unfreezes an address, and approves and revokes access", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken)
      await act(page, served.stock.address, "Freeze", "under investigation")
      await reached(page, "frozen")
      await act(page, served.stock.address, "Unfreeze", "cleared")
      await reached(page, "active")
      const id = await requestAccess(served.stock)
      await act(page, id, "Approve", "the merchant's licence is documented")
      await reached(page, "approved")
      await act(page, id, "Revoke access", "licence ended")
      await reached(page, "revoked")
    }))

  it("reviews a verification, and releases a brake", () =>
    served.visit(desktop, async (page) => {
      const { make, operate } = served.stock
      const brake = (await operate("/operator/v1/brakes", { body: { scope: "all", note: "drill" } })).json.data
      await signIn(page, operatorToken)
      await act(page, brake.id, "Release", "drill ended")
      await reached(page, "released")
      const customer = await make("/v1/customers", {
        type: "individual",
        name: "Ada Obi",
        email: "review@example.com",
        country_code: "NG"
      })
      const { id } = await make(`/v1/customers/${customer.id}/verifications`, {})
      await make(`/sandbox/verifications/${id}`, { outcome: "opened" })
      await act(page, id, "Approve", "documents seen")
      await reached(page, "approved")
    }))

  covers("CONSOLE-5")
  it("shows a refusal in the dialog, with its code and request id", () =>
    served.visit(desktop, async (page) => {
      const id = await makeHeldDeposit(served.stock)
      await signIn(page, operatorToken)
      const dialog = await open(page, id, "Release")
      await served.stock.operate(`/operator/v1/deposits/${id}/release`, { body: { note: "seen" } })
      await dialog.getByRole("textbox", { name: /^Note/ }).fill("seen")
      await dialog.getByRole("button", { name: "Release", exact: true }).click()
      const refusal = dialog.getByRole("alert")
      await refusal.waitFor()
      expect(await refusal.textContent()).toMatch(/Only held deposits can be released.*request req_/s)
      await audit(page)
      await dialog.getByRole("button", { name: "Cancel" }).click()
    }))

  covers("CONSOLE-5")
  it("sends the same key again after an answer was lost, and a new one for another act", () =>
    served.visit(desktop, async (page) => {
      const id = await makeHeldDeposit(served.stock)
      const keys: Array<string | undefined> = []
      let isLost = true
      await signIn(page, operatorToken)
      await page.route("**/release", async (route) => {
        keys.push(route.request().headers()["idempotency-key"])
        if (!isLost) return route.continue()
        isLost = false
        await route.abort()
      })
      const dialog = await open(page, id, "Release")
      await dialog.getByRole("textbox", { name: /^Note/ }).fill("seen")
      await dialog.getByRole("button", { name: "Release", exact: true }).click()
      await dialog.getByText("Sending it again from here does it once").waitFor()
      await dialog.getByRole("button", { name: "Send again" }).click()
      await dialog.waitFor({ state: "hidden" })
      await reached(page, "confirmed")
      expect(keys.length).toBe(2)
      expect(keys[0]).toMatch(/^console-[0-9a-f]{32}$/)
      expect(keys[1]).toBe(keys[0])
    }))

  it("sends what was chosen also after a refusal: a choice does not go back to the first one", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken)
      await follow(page, "/console/operators")
      await page.getByRole("button", { name: "Create operator" }).first().click()
      const dialog = page.getByRole("dialog")
      await dialog.getByLabel("Name").fill("Tolu")
      await dialog.getByLabel("Email").fill("tolu")
      const role = dialog.getByLabel("Role")
      await role.selectOption("treasury")
      const create = () => dialog.getByRole("button", { name: "Create operator", exact: true }).click()
      await create()
      await dialog.locator("[aria-invalid=true]").first().waitFor()
      expect(await role.inputValue()).toBe("treasury")
      await dialog.getByLabel("Email").fill("tolu@example.com")
      await create()
      await dialog.getByText("corridor_op").or(dialog.locator("code")).first().waitFor()
      const { data } = (await served.stock.operate("/operator/v1/operators?per_page=200")).json
      expect(data.find((one: { readonly name: string }) => one.name === "Tolu").role).toBe("treasury")
    }))

  covers("CONSOLE-5")
  it("offers each role what it may do, and no more", async () => {
    const { json } = await served.stock.operate("/operator/v1/operators?per_page=1")
    expect(json.code).toBe("ok")
    const held = await makeHeldDeposit(served.stock)
    const pending = await requestAccess(served.stock)
    const seen: Record<string, ReadonlyArray<string>> = {}
    for (const role of ["viewer", "support", "treasury", "admin"]) {
      const { token } = (await served.stock.operate("/operator/v1/operators", { body: { name: role, role } })).json.data
      await served.visit(desktop, async (page) => {
        await signIn(page, token)
        const labels: Array<string> = []
        for (const id of [held, pending, served.stock.address]) {
          await follow(page, `/console/resources/${id}`)
          labels.push(...(await page.locator(".page-head button:not(.copy)").allTextContents()))
        }
        seen[role] = labels
      })
    }
    const supporting = ["Approve", "Reject", "Freeze"]
    expect(seen).toEqual({
      viewer: [],
      support: supporting,
      treasury: ["Release", "Reject", ...supporting],
      admin: ["Release", "Reject", ...supporting]
    })
  })
})
