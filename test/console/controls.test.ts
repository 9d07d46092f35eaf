/** The pages of controls in Chromium: approvals, limits, fee schedules, and a merchant's batches. */
import { readFileSync } from "node:fs"
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { desktop, follow, awaitSettled, signIn } from "../support/console/pages.ts"
import { type Served, serveConsole } from "../support/console/served.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

const rowOf = (page: Page, text: string): Locator => page.locator("tbody tr", { hasText: text })

/** Opens the dialog of a button. */
const opened = async (within: Page | Locator, name: string): Promise<Locator> => {
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

describeInBrowser("the pages of controls", () => {
  let served: Served
  let maker: string
  let approver: string
  beforeAll(async () => {
    served = await serveConsole()
    const person = async (name: string): Promise<string> => {
      const email = `${name.toLowerCase()}@example.com`
      return (await operated("/operator/v1/operators", { name, email, role: "treasury" })).token
    }
    ;[maker, approver] = [await person("Ada"), await person("Bisi")]
    await operated("/operator/v1/approval-rules", { operations: ["limit", "adjusting_entry"], approvals: 1 })
  })
  afterAll(() => served?.close())

  const operated = async (path: string, body?: object, key = operatorToken): Promise<any> => {
    const { json, status, text } = await served.stock.api.ask(path, {
      key,
      ...(body === undefined ? {} : { method: "POST", body })
    })
    expect([path, status, text]).toEqual([path, 200, text])
    return json.data
  }

  covers("CONSOLE-9")
  it("an act that waits says so, another person sees what it would do, and approves or declines it with a note", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, maker, "/console/limits")
      const dialog = await opened(page, "Create limit")
      await dialog.getByLabel("Whose acts count together").selectOption("merchant")
      await dialog.getByLabel(/^At most \(/).fill("1000")
      await dialog.getByLabel(/^Currency/).fill("USDC")
      await dialog.getByRole("button", { name: "Create limit" }).click()
      await dialog.locator(".result").waitFor()
      expect(await dialog.locator(".result").textContent()).toMatch(/^It waits for another person to approve it: apr_/)
      await dialog.getByRole("button", { name: "Close" }).click()
      const entry = { from: "costs:simulated", to: "suspense", amount: "12.50", currency: "USDC", note: "Fee" }
      await operated("/operator/v1/adjusting-entries", entry, maker)
      await page.context().clearCookies()

      await signIn(page, approver, "/console/approvals")
      const posting = rowOf(page, "Adjusting entry")
      await posting.getByText("What approving would do").click()
      await posting.locator("li", { hasText: "costs:simulated" }).waitFor()
      expect(await posting.locator("li").first().textContent()).toMatch(/12\.50 USDC from costs:simulated to suspense/)
      expect(await operated("/operator/v1/adjusting-entries")).toEqual([])
      const approve = await opened(posting, "Approve")
      await approve.getByLabel(/^Note/).fill("Checked")
      await sent(approve, "Approve")
      await expect.poll(() => posting.count()).toBe(0)
      expect((await operated("/operator/v1/adjusting-entries")).length).toBe(1)
      const decline = await opened(rowOf(page, "Limit"), "Decline")
      // Who declines says why.
      expect(await decline.getByLabel(/^Note/).getAttribute("required")).not.toBe(null)
      await decline.getByLabel(/^Note/).fill("Too low")
      await sent(decline, "Decline")
      await page.getByText("Nothing waits").waitFor()
      expect(await operated("/operator/v1/limits")).toEqual([])
      await follow(page, "/console/approvals?status=all")
      expect(await rowOf(page, "Limit").textContent()).toContain("Too low")
      expect(await rowOf(page, "Adjusting entry").textContent()).toContain("Checked")
    }))

  it("who made an act cannot approve it, and is told so", () =>
    served.visit(desktop, async (page) => {
      const entry = { from: "costs:simulated", to: "suspense", amount: "3.00", currency: "USDC", note: "Own" }
      await operated("/operator/v1/adjusting-entries", entry, maker)
      await signIn(page, maker, "/console/approvals")
      const approve = await opened(rowOf(page, "Adjusting entry"), "Approve")
      await approve.getByRole("button", { name: "Approve", exact: true }).click()
      await approve.getByRole("alert").waitFor()
      expect(await approve.getByRole("alert").textContent()).toContain("forbidden")
    }))

  covers("CONSOLE-9")
  it("several approvals are decided at once, by the keys too, each with its result, with recipient and amount", () =>
    served.visit(desktop, async (page) => {
      const { crypto, wallet } = served.stock
      const rule = await operated("/operator/v1/approval-rules", { operations: ["payout"] })
      const pay = (amount: string) =>
        served.stock.make("/v1/transfers", { wallet_id: wallet, beneficiary_id: crypto, amount })
      const ids = [(await pay("1.25")).id, (await pay("2.50")).id, (await pay("3.75")).id]
      await signIn(page, approver, "/console/approvals")
      const row = (amount: string): Locator => rowOf(page, `${amount} USDC`)
      await row("1.25").waitFor()
      const { name } = (await served.stock.api.ask(`/v1/beneficiaries/${crypto}`)).json.data
      expect(await row("1.25").textContent()).toContain(`to ${name}`)
      const all = page.getByRole("button", { name: "Approve ticked (0)" })
      expect(await all.isDisabled()).toBe(true)
      // The row of the newest is taken with j, ticked with x, and so the next.
      await page
        .locator("tbody tr")
        .first()
        .evaluate((one) => {
          const row = one as unknown as { tabIndex: number; focus: () => void }
          row.tabIndex = -1
          row.focus()
        })
      await page.keyboard.press("x")
      await page.keyboard.press("j")
      await page.keyboard.press("x")
      // Another person decides one of them meanwhile.
      const [taken] = await operated(`/operator/v1/approvals?resource_id=${ids[2]}`, undefined, approver)
      await operated(`/operator/v1/approvals/${taken.id}/decline`, { note: "Other" }, maker)
      const dialog = await opened(page, "Approve ticked (2)")
      await dialog.getByLabel(/^Note/).fill("Both checked")
      await dialog.getByRole("button", { name: "Approve", exact: true }).click()
      await dialog.getByRole("button", { name: "Close" }).waitFor()
      expect(await dialog.locator("tbody tr", { hasText: "3.75 USDC" }).textContent()).toContain(
        "Only a pending one is decided"
      )
      expect(await dialog.locator("tbody tr", { hasText: "2.50 USDC" }).textContent()).toContain("Approved")
      await dialog.getByRole("button", { name: "Close" }).click()
      await expect.poll(async () => (await row("2.50").count()) + (await row("3.75").count())).toBe(0)
      await page.getByRole("button", { name: "Approve ticked (0)" }).waitFor()
      const [second] = await operated(`/operator/v1/approvals?resource_id=${ids[1]}`, undefined, approver)
      expect(second).toMatchObject({ status: "approved", approvals: [{ note: "Both checked" }] })
      const [first] = await operated(`/operator/v1/approvals?resource_id=${ids[0]}`, undefined, approver)
      expect(first.status).toBe("pending")
      await page.context().clearCookies()

      await signIn(page, served.stock.api.key, "/console/approvals")
      await row("1.25").waitFor()
      expect(await row("1.25").textContent()).toContain("The operators decide")
      expect(await row("1.25").getByRole("checkbox").count()).toBe(0)
      await operated(`/operator/v1/approvals/${first.id}/decline`, { note: "Not this one" }, approver)
      const ended = await served.stock.operate(`/operator/v1/approval-rules/${rule.id}`, { method: "DELETE" })
      expect(ended.status, ended.text).toBe(200)
    }))

  covers("CONSOLE-9")
  it("an admin creates and ends a rule of approval, and sees once what is refused", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, operatorToken, "/console/approval-rules")
      const dialog = await opened(page, "Create rule")
      await dialog.getByLabel("Transfer", { exact: true }).check()
      await dialog.getByLabel(/^Only above/).fill("10000.001")
      await dialog.getByLabel(/^Currency of the amount/).fill("XXX")
      await dialog.getByLabel(/^Other people/).selectOption("2")
      await dialog.getByLabel("Treasury", { exact: true }).check()
      const create = dialog.getByRole("button", { name: "Create rule" })
      await create.click()
      await dialog.getByRole("alert").filter({ hasText: "There is no currency XXX." }).waitFor()
      await dialog.getByLabel(/^Currency of the amount/).fill("USDC")
      await create.click()
      await dialog.locator(".field-error").waitFor()
      const fault = (await dialog.locator(".field-error").textContent())!
      expect(fault).toContain("10000.001")
      expect((await dialog.textContent())!.split(fault)).toHaveLength(2)
      await dialog.getByLabel(/^Only above/).fill("10000")
      await sent(dialog, "Create rule")
      const row = rowOf(page, "Above 10,000.00 USDC")
      await row.waitFor()
      expect(await row.textContent()).toMatch(/Payout, Transfer.*2 other people.*Treasury.*24 hours/)
      const [made] = await operated("/operator/v1/approval-rules?status=active")
      expect(made).toMatchObject({
        operations: ["payout", "transfer"],
        above: { amount: "10000.00", currency: "USDC" },
        approvals: 2,
        roles: ["treasury"]
      })
      await sent(await opened(row, "End"), "End")
      await row.getByText("Ended").waitFor()
      await page.context().clearCookies()

      await signIn(page, served.stock.api.key, "/console/approval-rules")
      const own = await opened(page, "Create rule")
      expect(await own.getByLabel("Deposit release").count()).toBe(0)
      await own.getByLabel("Approver", { exact: true }).check()
      await sent(own, "Create rule")
      await sent(await opened(rowOf(page, "1 other person"), "End"), "End")
      await rowOf(page, "1 other person").getByText("Ended").waitFor()
    }))

  it("creates, changes and disables a limit, which the merchant sees with what is used", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, maker, "/console/limits")
      const dialog = await opened(page, "Create limit")
      await dialog.getByLabel(/^At most so many acts/).fill("20")
      await dialog.getByLabel("In", { exact: true }).selectOption("rolling")
      await dialog.getByLabel("What is over it").selectOption("approve")
      await dialog.getByRole("button", { name: "Create limit" }).click()
      await dialog.locator(".result").waitFor()
      await dialog.getByRole("button", { name: "Close" }).click()
      const [{ id }] = await operated("/operator/v1/approvals?status=pending", undefined, approver).then((all) =>
        all.filter((one: any) => one.operation === "limit")
      )
      await operated(`/operator/v1/approvals/${id}/approve`, {}, approver)
      await follow(page, "/console/limits?status=active")
      await rowOf(page, "any 24 hours").waitFor()
      const [limit] = await operated("/operator/v1/limits")
      expect(limit).toMatchObject({ max_count: 20, window: { rolling: "PT24H" }, action: "approve", scope: "merchant" })
      await page.context().clearCookies()
      await served.stock.make("/v1/transfers", {
        wallet_id: served.stock.wallet,
        beneficiary_id: served.stock.crypto,
        amount: "1"
      })
      await signIn(page, maker, `/console/limits?used_by=${served.stock.api.merchant_id}`)
      await rowOf(page, "1 of 20 acts").waitFor()
      await page.context().clearCookies()
      await signIn(page, served.stock.api.key, "/console/limits")
      await rowOf(page, "any 24 hours").waitFor()
      expect(await rowOf(page, "any 24 hours").textContent()).toContain("1 of 20 acts")
      expect(await page.locator("meter").getAttribute("aria-label")).toBe("1 of 20 acts")
      expect(await page.getByRole("button", { name: "Change" }).count()).toBe(0)
    }))

  it("creates a fee schedule and ends it", () =>
    served.visit(desktop, async (page) => {
      await signIn(page, maker, "/console/fee-schedules")
      const dialog = await opened(page, "Create fee schedule")
      await dialog.getByLabel(/^Share/).fill("40")
      await dialog.getByLabel(/^From currency/).fill("USDC")
      await dialog.getByLabel(/^To currency/).fill("NGN")
      await sent(dialog, "Create fee schedule")
      const row = rowOf(page, "USDC → NGN")
      await row.waitFor()
      expect(await row.textContent()).toContain("40 bps")
      await sent(await opened(row, "End"), "End")
      await row.getByText("Ended").waitFor()
    }))

  covers("CONSOLE-10")
  it("a merchant has a file checked, sees what is wrong by row and column, pays it, and keeps the results", () =>
    served.visit(desktop, async (page) => {
      const { crypto, wallet } = served.stock
      const csv = [
        "operation,wallet_id,beneficiary_id,amount",
        `transfer,${wallet},${crypto},2.00`,
        `transfer,${wallet},b-17,3.00`,
        `transfer,${wallet},${crypto},4.00`
      ].join("\n")
      await signIn(page, served.stock.api.key, "/console/batches")
      const dialog = await opened(page, "Check a file")
      await dialog.getByLabel("Reference of the batch").fill("payroll-1")
      const file = (text: string) => ({ name: "payroll.csv", mimeType: "text/csv", buffer: Buffer.from(text) })
      await dialog.locator("input[type=file]").setInputFiles(file(csv.replace("beneficiary_id", "beneficiry")))
      await dialog.getByRole("button", { name: "Check a file" }).click()
      await dialog.getByRole("alert").waitFor()
      expect(await dialog.getByRole("alert").textContent()).toContain("beneficiry")
      await dialog.locator("input[type=file]").setInputFiles(file(csv.replace("4.00", "4,00")))
      await dialog.getByRole("button", { name: "Check a file" }).click()
      // A cell that breaks its row refuses the file; one in quotes is wrong in its column, which is named once.
      await dialog.locator(".field-error").waitFor()
      await dialog.locator("input[type=file]").setInputFiles(file(csv.replace("4.00", '"4,00"')))
      await dialog.getByRole("button", { name: "Check a file" }).click()
      await page.getByText("3: 1 valid, 2 invalid").waitFor()
      expect(await rowOf(page, "payroll-1-3").textContent()).toMatch(/Invalid ?amount is "4,00"; it takes a decimal/)
      const mended = await opened(page, "Check the mended file")
      expect(await mended.getByLabel("Reference of the batch").inputValue()).toBe("payroll-1")
      await mended.locator("input[type=file]").setInputFiles(file(csv))
      await mended.getByRole("button", { name: "Check the mended file" }).click()
      await page.getByText("3: 2 valid, 1 invalid").waitFor()
      await page.getByRole("heading", { name: "payroll-1" }).waitFor()
      await awaitSettled(page)
      const wrong = rowOf(page, "Invalid")
      expect(await wrong.textContent()).toMatch(/^2.*beneficiary_id is "b-17"/)
      expect(await page.locator(".facts").textContent()).toContain("3: 2 valid, 1 invalid")
      await sent(await opened(page, "Pay the valid rows"), "Pay the valid rows")
      await served.stock.settle()
      await page.locator(".facts .pill", { hasText: "Completed" }).waitFor()
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("link", { name: "Results as CSV" }).click()
      ])
      expect(download.suggestedFilename()).toBe("payroll-1.csv")
      expect(readFileSync(await download.path(), "utf8").match(/tfr_\w+/g)?.length).toBe(2)
      expect(await page.getByRole("button", { name: "Pay the valid rows" }).count()).toBe(0)
      const [first, , last] = await operated(
        `/v1${new URL(page.url()).pathname.slice("/console".length)}/rows`,
        undefined,
        served.stock.api.key
      )
      await served.stock.make("/sandbox/outcomes", { resource_id: first.resource_id, outcome: "success" })
      await served.stock.make("/sandbox/outcomes", { resource_id: last.resource_id, outcome: "failed" })
      await page.reload()
      await page.locator(".facts", { hasText: /1 success 2\.00 USDC\s*1 failed 4\.00 USDC/ }).waitFor()
      await page.getByRole("link", { name: "1 failed" }).click()
      await page.getByText("1–1 of 1").waitFor()
      await rowOf(page, "payroll-1-3").waitFor()
      await page.getByRole("link", { name: "1 invalid" }).click()
      await wrong.waitFor()
      expect(await page.locator("tbody tr").count()).toBe(1)
      await signIn(page, served.stock.keys.viewer, "/console/batches")
      await rowOf(page, "2 invalid").waitFor()
      expect(await page.getByRole("button", { name: "Check a file" }).count()).toBe(0)
    }))

  it("says of a payment that waits that its money moves after the approval, and not that it moves none", () =>
    served.visit(desktop, async (page) => {
      const { api, crypto, wallet } = served.stock
      await operated(
        "/v1/approval-rules",
        { operations: ["transfer"], above: { amount: "5", currency: "USDC" } },
        api.key
      )
      const { secret } = await operated("/v1/api-keys", { role: "approver", person: "Chidi" }, api.key)
      await served.stock.make("/v1/transfers", { wallet_id: wallet, beneficiary_id: crypto, amount: "6.00" })
      const { id } = await operated(
        "/v1/batches",
        {
          reference: "waits",
          rows: ["3", "7"].map((amount) => ({
            operation: "transfer",
            wallet_id: wallet,
            beneficiary_id: crypto,
            amount
          }))
        },
        api.key
      )
      await operated(`/v1/batches/${id}/confirm`, {}, api.key)
      await served.stock.settle()
      await signIn(page, api.key, `/console/batches/${id}`)
      await page.locator(".facts", { hasText: /1 waits for approval 7\.00 USDC/ }).waitFor()
      expect(await page.locator(".facts").textContent()).toMatch(/1 (?:processing|success) 3\.00 USDC/)
      await page.getByRole("link", { name: "1 waits for approval" }).click()
      await page.getByText("1–1 of 1").waitFor()
      await rowOf(page, "waits-2").getByText("Waits for approval").waitFor()
      await page.context().clearCookies()
      await signIn(page, secret, "/console/approvals")
      const row = rowOf(page, "6.00 USDC")
      await row.getByText("What approving would do").click()
      await row.getByText("Nothing is posted at once. What is approved is paid afterwards.").waitFor()
      expect(await row.textContent()).not.toContain("no money")
    }))

  it("a batch whose confirmation waits says so after the dialog, too, and is not confirmed once more", () =>
    served.visit(desktop, async (page) => {
      const { api, crypto, fiat, wallet } = served.stock
      await operated("/v1/approval-rules", { operations: ["batch"] }, api.key)
      const { secret } = await operated("/v1/api-keys", { role: "approver", person: "Dayo" }, api.key)
      const rows = [
        { operation: "transfer", wallet_id: wallet, beneficiary_id: crypto, amount: "2.00" },
        { operation: "offramp", wallet_id: wallet, beneficiary_id: fiat, source_amount: "100.00" }
      ]
      const { id } = await operated("/v1/batches", { reference: "payroll-2", rows }, api.key)
      await signIn(page, api.key, `/console/batches/${id}`)
      const payees = [crypto, fiat].map(async (one) => (await api.ask(`/v1/beneficiaries/${one}`)).json.data.name)
      const shown = page.getByRole("region", { name: "Rows", exact: true }).locator("td[data-title=Recipient]")
      expect(await shown.allTextContents()).toEqual(await Promise.all(payees))
      const dialog = await opened(page, "Pay the valid rows")
      const pays = /Pays 2 rows, each .*Leaves the wallets102\.00 USDCRecipients receive[\d,.]+ NGN2\.00 USDCFees/
      expect(await dialog.textContent()).toMatch(pays)
      await dialog.getByRole("button", { name: "Pay the valid rows" }).click()
      await dialog.locator(".result").waitFor()
      // Behind the dialog, which stays, and not some seconds after it.
      const waiting = page.locator(".facts").getByRole("link", { name: "Waits for another person" })
      await waiting.waitFor()
      expect(await dialog.locator(".result").textContent()).toMatch(/^It waits for another person/)
      await dialog.getByRole("button", { name: "Close" }).click()
      expect(await page.getByRole("button", { name: "Pay the valid rows" }).count()).toBe(0)
      await waiting.click()
      // What leaves and what arrives are sums of their own: one is not the other in another currency.
      expect(await rowOf(page, "Batch").textContent()).not.toMatch(/as \d/)
      await page.context().clearCookies()
      await signIn(page, secret, "/console/approvals")
      expect(await page.locator(".account").textContent()).toContain("Dayo · Approver")
      await rowOf(page, "Batch").getByText("What approving would do").click()
      await rowOf(page, "Batch").getByText("Recipients receive").waitFor()
      expect(await rowOf(page, "Batch").textContent()).toMatch(pays)
      await rowOf(page, "Batch").getByRole("link", { name: "Its rows" }).click()
      await page.getByRole("heading", { name: "payroll-2" }).waitFor()
      await page.context().clearCookies()
      await signIn(page, api.key, `/console/batches/${id}`)

      const cancel = await opened(page, "Cancel the batch")
      await cancel.getByRole("button", { name: "Back", exact: true }).click()
      await sent(await opened(page, "Cancel the batch"), "Cancel the batch")
      await page.locator(".facts .pill", { hasText: "Cancelled" }).waitFor()
      expect(await page.getByRole("progressbar").count()).toBe(0)
    }))

  covers("CONSOLE-9")
  it("what waits for somebody is said on the first page and beside the way to it, and not to who made it", () =>
    served.visit(desktop, async (page) => {
      const { api, crypto, wallet } = served.stock
      const own = (await served.stock.api.ask("/v1/approval-rules?status=active")).json.data
      for (const { id } of own) await api.ask(`/v1/approval-rules/${id}`, { method: "DELETE" })
      const rule = await operated("/v1/approval-rules", { operations: ["payout"] }, api.key)
      const { secret } = await operated("/v1/api-keys", { role: "approver", person: "Efe" }, api.key)
      const before = (await operated("/v1/approvals?status=pending", undefined, secret)).length
      const counts = page.locator(".counts .count", { hasText: "waiting for you" })
      const way = page.getByRole("navigation", { name: "Console" }).getByRole("link", { name: /^Approvals/ })
      const shown = async () => [await counts.locator(".count-number").textContent(), await way.textContent()]
      const ofCount = (count: number) => [String(count), count === 0 ? "Approvals" : `Approvals${count}`]
      await signIn(page, secret, "/console")
      await counts.waitFor()
      expect(await shown()).toEqual(ofCount(before))
      const made = []
      for (const amount of ["1.10", "1.20"])
        made.push(await served.stock.make("/v1/transfers", { wallet_id: wallet, beneficiary_id: crypto, amount }))
      await page.reload()
      await page.locator(".counts .some").waitFor()
      expect(await shown()).toEqual(ofCount(before + 2))
      await counts.click()
      await rowOf(page, "1.10 USDC").waitFor()
      const [waits] = await operated(`/v1/approvals?resource_id=${made[0].id}`, undefined, secret)
      await operated(`/v1/approvals/${waits.id}/approve`, {}, secret)
      await follow(page, "/console")
      await page.reload()
      await page.locator(".counts .some").waitFor()
      expect(await shown()).toEqual(ofCount(before + 1))
      await page.context().clearCookies()

      // The key that made them decides nothing of them, and one that reads decides nothing.
      await signIn(page, api.key, "/console")
      await counts.waitFor()
      expect(await shown()).toEqual(ofCount(0))
      await page.context().clearCookies()
      await signIn(page, served.stock.keys.viewer, "/console")
      await page.getByRole("heading", { name: "Home" }).waitFor()
      await awaitSettled(page)
      expect([await counts.count(), await way.textContent()]).toEqual([0, "Approvals"])
      await served.stock.api.ask(`/v1/approval-rules/${rule.id}`, { method: "DELETE" })
    }))

  covers("CONSOLE-9")
  it("an operator who approves a merchant's batch sees what it pays, row by row, and does nothing else with it", () =>
    served.visit(desktop, async (page) => {
      const { api, crypto, wallet } = served.stock
      const rule = await operated("/operator/v1/approval-rules", { operations: ["batch"], approvals: 2 })
      const rows = ["2.25", "3.75"].map((amount) => ({
        operation: "transfer",
        wallet_id: wallet,
        beneficiary_id: crypto,
        amount
      }))
      const { id } = await operated("/v1/batches", { reference: "payroll-3", rows }, api.key)
      await operated(`/v1/batches/${id}/confirm`, {}, api.key)
      await signIn(page, approver, "/console")
      await page.locator(".counts .some", { hasText: "waiting for you" }).click()
      await rowOf(page, "Batch").getByText("What approving would do").click()
      await rowOf(page, "Batch").getByText("It would still wait: 1 approval more.").waitFor()
      await rowOf(page, "Batch").getByText("Pays 2 rows").waitFor()
      await rowOf(page, "Batch").getByRole("link", { name: "Its rows" }).click()
      await page.getByRole("heading", { name: "payroll-3" }).waitFor()
      await rowOf(page, "2.25 USDC").first().waitFor()
      await rowOf(page, "3.75 USDC").first().waitFor()
      await page.locator(".facts").getByRole("link", { name: "Waits for another person" }).waitFor()
      expect(
        await page
          .locator("main")
          .getByRole("button", { name: /Pay|Cancel|Check/ })
          .count()
      ).toBe(0)
      expect(await page.locator(".failure").count()).toBe(0)
      const ended = await served.stock.operate(`/operator/v1/approval-rules/${rule.id}`, { method: "DELETE" })
      expect(ended.status, ended.text).toBe(200)
      await operated(`/v1/batches/${id}/cancel`, {}, api.key)
    }))

  it("say what to do where their script is gone with a newer build", () =>
    served.visit(desktop, async (page) => {
      await page.route(/\/desk-\w+\.js$/, (route) => route.fulfill({ status: 404 }))
      await signIn(page, operatorToken, "/console")
      await follow(page, "/console/limits")
      await page.getByRole("heading", { name: "This page cannot be loaded" }).waitFor()
      await page.unrouteAll()
      await page.getByRole("button", { name: "Reload" }).click()
      await page.getByRole("heading", { name: "Limits" }).waitFor()
    }))
})
