/** Choices by name, in Chromium: no field of the console asks for a typed id. */
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, expect, it } from "vitest"
import { filesIn } from "../support/repository/source.ts"
import type { Locator } from "playwright-core"
import { awaitSettled, desktop, follow, signIn } from "../support/console/pages.ts"
import { type Seeded, seedConsole } from "../support/console/seeded.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

/** What the simulated bank calls a payment: no id of a resource. */
const bankName = "payin_id"

describeInBrowser("choices by name", () => {
  let served: Seeded
  beforeAll(async () => {
    served = await seedConsole()
  })
  afterAll(() => served?.close())

  /** Types the beginning of a name, and takes what is offered for an id. */
  const choose = async (within: Locator, label: string | RegExp, typed: string, id: string): Promise<void> => {
    const input = within.getByLabel(label)
    await input.pressSequentially(typed)
    const option = within.locator(`datalist option[value$="${id.slice(-6)}"]`).last()
    await option.waitFor({ state: "attached" })
    await input.fill((await option.getAttribute("value"))!)
    await input.blur()
  }

  covers("CONSOLE-22")
  it("fields whose value is an id choose among names or are ticked", () => {
    const asking = filesIn("src/console", ".tsx").flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/<(Field|input)\b([^>]*?)\bname="([^"]*_ids?|id)"/g)]
        .filter(([, , before = "", name]) => !before.includes('type="hidden"') && name !== bankName)
        .map(([, element, , name]) => `${file}: <${element} name="${name}">`)
    )
    expect(asking).toEqual([])
  })

  covers("CONSOLE-22")
  it("an operator limits a wallet and an API key, each after its merchant", () =>
    served.visit(desktop, async (page) => {
      page.setDefaultTimeout(10_000)
      const { api, operate, wallet } = served.stock
      const merchant = (await operate(`/operator/v1/merchants/${api.merchant_id}`)).json.data
      const key = (await operate(`/operator/v1/merchants/${api.merchant_id}/api-keys`)).json.data[0]
      await signIn(page, operatorToken, "/console/limits")
      for (const [scope, label, id, typed] of [
        ["wallet", "Merchant of the wallet", wallet, "USDC"],
        ["api_key", "Merchant of the api key", key.id, key.prefix.slice(0, 4)]
      ] as const) {
        await page.getByRole("button", { name: "Create limit" }).click()
        const dialog = page.locator("dialog[open]")
        await dialog.getByLabel("Whose acts count together").selectOption(scope)
        await choose(dialog, label, merchant.name.slice(0, 4), merchant.id)
        await choose(dialog, /^One of them/, typed, id)
        await dialog.getByLabel(/^At most so many/).fill("1000")
        await dialog.getByRole("button", { name: "Create limit" }).click()
        await dialog.waitFor({ state: "hidden" })
        const [limit] = (await operate("/operator/v1/limits?per_page=1")).json.data
        expect([limit.scope, limit.scope_id]).toEqual([scope, id])
      }
    }))

  covers("CONSOLE-22")
  it("an unmatched payment is credited to a wallet of a merchant's, and a resource is looked for by its reference", () =>
    served.visit(desktop, async (page) => {
      page.setDefaultTimeout(10_000)
      const { api, make, offramp, operate } = served.stock
      const { id: wallet } = await make("/v1/wallets", { currency: "USDT", label: "unclaimed" })
      const merchant = (await operate(`/operator/v1/merchants/${api.merchant_id}`)).json.data
      await signIn(page, operatorToken, "/console/exceptions")
      const row = page.getByRole("row").filter({ hasText: served.unmatched.slice(-6) })
      await row.getByRole("button", { name: "Resolve" }).click()
      const dialog = page.locator("dialog[open]")
      await dialog.getByLabel("Action").selectOption("credit")
      await choose(dialog, "Merchant of the wallet", merchant.name.slice(0, 4), merchant.id)
      await choose(dialog, /^Wallet/, "", wallet)
      await dialog.getByLabel(/^Note/).fill("The payer said so")
      await dialog.getByRole("button", { name: "Resolve" }).click()
      await row.waitFor({ state: "detached" })
      const resolved = (await operate("/operator/v1/exceptions?status=resolved&per_page=200")).json.data
      expect(JSON.stringify(resolved.find(({ id }: { id: string }) => id === served.unmatched))).toContain(wallet)

      await page.context().clearCookies()
      await signIn(page, api.key, "/console/events")
      await choose(page.locator("main"), "Resource", "stock-offramp", offramp)
      await page.waitForURL(`**/console/events?event_object_id=${offramp}`)
      await awaitSettled(page)
      expect(await page.locator("tbody tr").count()).toBeGreaterThan(1)
      expect(new Set(await page.locator("tbody code:has-text('offramp.')").allInnerTexts()).size).toBeGreaterThan(1)
      await follow(page, "/console/sandbox")
      await page.getByRole("button", { name: "Report another outcome" }).click()
      await choose(page.locator("dialog[open]"), "Resource", "stock-offramp", offramp)
      expect(await page.locator("dialog[open] input[name=resource_id]").inputValue()).toBe(offramp)
    }))
})
