/** A payer's day in Chromium: one payout by name, a wallet's statement to keep, and a template for many. */
import { readFileSync } from "node:fs"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { Beneficiary, CheckedBatch, Offramp, Wallet } from "../../src/client/index.ts"
import { awaitSettled, desktop, signIn } from "../support/console/pages.ts"
import { type Seeded, seedConsole } from "../support/console/seeded.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { covers } from "../support/repository/covers.ts"

describeInBrowser("a payer's pages", () => {
  let served: Seeded
  beforeAll(async () => {
    served = await seedConsole()
  })
  afterAll(() => served?.close())

  const pick = async (page: Page, label: string, id: string): Promise<void> => {
    const option = page.locator(`main datalist option[value$="${id.slice(-6)}"]`).first()
    await option.waitFor({ state: "attached" })
    await page.getByLabel(label, { exact: true }).fill((await option.getAttribute("value"))!)
    await page.getByLabel(label, { exact: true }).blur()
  }

  covers("CONSOLE-23")
  it("one payout is quoted and checked before it is paid, to a bank account and to an address", () =>
    served.visit(desktop, async (page) => {
      page.setDefaultTimeout(10_000)
      const { api, crypto, fiat, wallet } = served.stock
      const own = async (path: string): Promise<ReadonlyArray<Offramp>> => (await api.ask(path)).json.data
      await signIn(page, api.key, `/console/beneficiaries/${fiat}`)
      await page.locator("main").getByRole("link", { name: "Pay", exact: true }).click()
      await page.waitForURL(`**/console/pay?beneficiary_id=${fiat}`)
      await pick(page, "Wallet", wallet)
      await page.getByLabel("Amount", { exact: true }).fill("45000")
      await page.getByLabel(/^Reference/).fill("INV-1")
      await page.getByRole("button", { name: "Check" }).click()
      const facts = page.locator(".facts")
      await facts.getByText("45,000.00 NGN").waitFor()
      await page.getByText("The event offramp.created").waitFor()
      const made = async () => (await own("/v1/offramps?per_page=200")).filter(({ reference }) => reference === "INV-1")
      expect(await made()).toEqual([])
      // Another amount is another payout: what was checked goes.
      await page.getByLabel("Amount", { exact: true }).fill("0.001")
      await expect.poll(() => facts.count()).toBe(0)
      await page.getByRole("button", { name: "Check" }).click()
      await page.locator(".field-error").waitFor()
      expect(await page.getByRole("button", { name: "Pay", exact: true }).count()).toBe(0)
      await page.getByLabel("Amount", { exact: true }).fill("45000")
      await page.getByRole("button", { name: "Check" }).click()
      await page.getByRole("button", { name: "Pay", exact: true }).click()
      const dialog = page.locator("dialog[open]")
      await dialog.getByText("A payment cannot be taken back.").waitFor()
      await dialog.getByRole("button", { name: "Pay", exact: true }).click()
      await page.waitForURL(/\/console\/movements\/ofr_/)
      const [paid] = await made()
      expect([paid!.quoted_received_amount, paid!.beneficiary.id]).toEqual(["45000.00", fiat])

      await page.goto(`/console/pay?beneficiary_id=${crypto}&wallet_id=${wallet}`)
      await awaitSettled(page)
      await page.getByLabel("Amount", { exact: true }).fill("3.00")
      await page.getByRole("button", { name: "Check" }).click()
      await page.getByText("The event transfer.processing").waitFor()
      await page.getByRole("button", { name: "Pay", exact: true }).click()
      await dialog.getByRole("button", { name: "Pay", exact: true }).click()
      await page.waitForURL(/\/console\/movements\/tfr_/)
      expect((await own("/v1/transfers?per_page=1"))[0]).toMatchObject({ amount: "3.00", beneficiary: { id: crypto } })
    }))

  covers("CONSOLE-23")
  it("what is typed before the recipient is read is sent, and a recipient that cannot be read is said", () =>
    served.visit(desktop, async (page) => {
      page.setDefaultTimeout(10_000)
      const { api, fiat, wallet } = served.stock
      await signIn(page, api.key, "/console/beneficiaries")
      const path = `**/v1/beneficiaries/${fiat}`
      let goOn = (): void => {}
      const held = new Promise<void>((resolve) => (goOn = resolve))
      await page.route(path, async (route) => {
        await held
        await route.continue()
      })
      const asked = page.waitForRequest(path)
      await page.goto(`/console/pay?beneficiary_id=${fiat}&wallet_id=${wallet}`)
      await asked
      await page.getByLabel("Amount", { exact: true }).fill("45000")
      const check = page.locator("form button[type=submit]")
      expect(await check.getAttribute("aria-disabled")).toBe("true")
      goOn()
      await page.getByLabel("The amount is what").waitFor()
      expect(await page.getByLabel("Amount", { exact: true }).inputValue()).toBe("45000")
      await check.click()
      await page.locator(".facts").getByText("45,000.00 NGN").waitFor()

      await page.unroute(path)
      await page.route(path, (route) => route.abort())
      await page.reload()
      await page.locator("form [role=alert]").waitFor()
      expect(await check.getAttribute("aria-disabled")).not.toBe("true")
    }))

  covers("CONSOLE-23")
  it("a wallet's page has its statement, which is kept as a file", () =>
    served.visit(desktop, async (page) => {
      page.setDefaultTimeout(10_000)
      const { api, wallet } = served.stock
      await signIn(page, api.key, "/console/wallets")
      await page.locator(`a[href$="/wallets/${wallet}"]`).click()
      await page.getByRole("heading", { name: "Statement" }).waitFor()
      await awaitSettled(page)
      const to = new Date().toISOString().slice(0, 10)
      await page.getByLabel("From").fill(to)
      await page.getByLabel("From").blur()
      await page.getByRole("heading", { name: `${to} to ${to}, in UTC` }).waitFor()
      await awaitSettled(page)
      const { data } = (await api.ask(`/v1/wallets/${wallet}/statement?from=${to}&to=${to}`)).json
      expect(data.lines.length).toBeGreaterThan(0)
      expect(await page.locator("main tbody tr").count()).toBe(data.lines.length)
      const link = page.getByRole("link", { name: "As CSV" })
      const [download] = await Promise.all([page.waitForEvent("download"), link.click()])
      expect(download.suggestedFilename()).toBe(`${wallet}-${to}-${to}.csv`)
      const file = await (await page.request.get((await link.getAttribute("href"))!)).text()
      expect(file).toContain(data.lines.at(-1).resource_id)
    }))

  covers("CONSOLE-10")
  it("a template has each active recipient with a wallet that can pay it, and is checked when it is filled in", () =>
    served.visit(desktop, async (page) => {
      page.setDefaultTimeout(10_000)
      const { api } = served.stock
      const active: ReadonlyArray<Beneficiary> = (await api.ask("/v1/beneficiaries?status=active&per_page=200")).json
        .data
      await signIn(page, api.key, "/console/batches")
      await page.getByRole("button", { name: "Check a file" }).click()
      const dialog = page.locator("dialog[open]")
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        dialog.getByRole("link", { name: "Template as CSV" }).click()
      ])
      expect(download.suggestedFilename()).toBe("payouts.csv")
      const [header = "", ...rows] = readFileSync(await download.path(), "utf8").split("\r\n")
      const wallets: ReadonlyArray<Wallet> = (await api.ask("/v1/wallets?per_page=200")).json.data
      const isPayable = ({ currency, details, type }: Beneficiary): boolean =>
        type === "fiat" || wallets.some((one) => `${one.currency} ${one.network}` === `${currency} ${details.network}`)
      const payable = active.filter(isPayable).map(({ id }) => id)
      expect(payable.length).toBeGreaterThan(2)
      expect(new Set(rows.map((row) => row.split(",")[2]))).toEqual(new Set(payable))
      const filled = rows.map((row) => row.replace(/,,,,/, row.startsWith("transfer") ? ",2.00,,," : ",,15000.00,,"))
      await dialog.locator("input[type=file]").setInputFiles({
        name: "payouts.csv",
        mimeType: "text/csv",
        buffer: Buffer.from([header, ...filled].join("\r\n"))
      })
      await dialog.getByLabel("Reference of the batch").fill("template-1")
      await dialog.getByRole("button", { name: "Check a file" }).click()
      await page.waitForURL(/\/console\/batches\/bat_/)
      const { counts, errors }: CheckedBatch = (await api.ask(`/v1/batches/${page.url().split("/").at(-1)}`)).json.data
      expect(counts).toMatchObject({ rows: rows.length })
      expect(counts.valid).toBeGreaterThan(1)
      // Nothing is wrong with any row but that its wallet holds too little.
      expect(errors.filter(({ message }) => !message.includes("below the amount"))).toEqual([])
    }))
})
