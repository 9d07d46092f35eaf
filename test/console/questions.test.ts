/**
 * Ten questions of support, each answered by an operator who knows only the guide: its steps, on a phone and on a wide screen, and what the
 * page then says.
 */
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { countActs, isQuestion, takeStep, tasks } from "../support/console/guide.ts"
import { follow, picture, publishPicture, signIn } from "../support/console/pages.ts"
import { type Seeded, seedConsole } from "../support/console/seeded.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { createKey, operatorToken } from "../support/http/server.ts"
import { makeHeldDeposit } from "../support/http/successful-requests.ts"
import { covers } from "../support/repository/covers.ts"

const report = join(import.meta.dirname, "../../artifacts/console/questions.txt")
const widths = [1440, 390] as const

/** The most that a question may take: what a person does, and the seconds of the console. */
const [actsMax, secondsMax] = [5, 10]

describeInBrowser("questions of support", () => {
  let seeded: Seeded
  let support: string
  const made: {
    held: string
    released: string
    payout: string
    batch: string
    recipient: string
    merchant: string
    total: {
      readonly sent: ReadonlyArray<Sum>
      readonly received: ReadonlyArray<Sum>
      readonly fees: ReadonlyArray<Sum>
    }
  } = {} as never
  interface Sum {
    readonly amount: string
    readonly currency: string
  }
  const read = async (path: string): Promise<any> => (await seeded.stock.api.ask(path)).json.data

  beforeAll(async () => {
    mkdirSync(dirname(report), { recursive: true })
    writeFileSync(report, "")
    seeded = await seedConsole()
    const { api, crypto, fiat, make, operate, quote, settle, wallet } = seeded.stock
    const operated = async (path: string, body: object, key = operatorToken): Promise<any> => {
      const { json, status, text } = await api.ask(`/operator/v1${path}`, { method: "POST", key, body })
      expect([path, status, text]).toEqual([path, 200, text])
      return json.data
    }
    support = (await operated("/operators", { name: "Sipho Dlamini", role: "support" })).token
    made.recipient = (await read(`/v1/beneficiaries/${fiat}`)).name
    const offramp = async (source_amount: string, reference: string, outcome?: string): Promise<string> => {
      const { id: quote_id } = await quote({ source_amount })
      const { id } = await make("/v1/offramps", { quote_id, reference })
      await settle()
      if (outcome !== undefined) await make("/sandbox/outcomes", { resource_id: id, outcome })
      await settle()
      return id
    }
    await offramp("25", "paid", "success")
    await offramp("55", "not-paid", "failed")
    made.payout = await offramp("10", "invoice-1042")
    // A transfer that succeeded and is then said to have been reversed.
    const { id } = await make("/v1/transfers", {
      wallet_id: wallet,
      beneficiary_id: crypto,
      amount: "1",
      reference: "invoice-1043"
    })
    await settle()
    for (const outcome of ["success", "reversed"]) await make("/sandbox/outcomes", { resource_id: id, outcome })
    made.released = await makeHeldDeposit(seeded.stock)
    made.held = await makeHeldDeposit(seeded.stock)
    const { token } = await operated("/operators", { name: "Thandi Nkosi", role: "treasury" })
    await operated(`/deposits/${made.released}/release`, { note: "The sender is known." }, token)
    // A payout of another key and a batch, which wait for approval.
    await make("/v1/approval-rules", { operations: ["payout"], above: { amount: "90", currency: "USDC" } })
    const { secret } = await createKey(api, "admin")
    const rows = [{ operation: "offramp", wallet_id: wallet, beneficiary_id: fiat, source_amount: "95.00" }]
    made.batch = (await api.ask("/v1/batches", { key: secret, body: { reference: "salaries", rows } })).json.data.id
    await make("/v1/transfers", { wallet_id: wallet, beneficiary_id: crypto, amount: "91" }, { key: secret })
    const midnight = new Date(new Date().setUTCHours(0, 0, 0, 0)).toISOString()
    made.total = (
      await read(`/v1/transactions/totals?type=offramp&status=success&currency=NGN&created_after=${midnight}`)
    ).rows[0]
    const { json } = await operate(`/operator/v1/resources/${made.payout}`)
    made.merchant = json.data.merchant_id
    // A receiver that is gone switches its endpoint off: what was on its way has failed. It is back, and answers with errors.
    seeded.receiver.answer = 410
    await make("/sandbox/deposits", { wallet_id: wallet, amount: "12.50" })
    await settle()
    await make(`/v1/notifications/webhooks/${seeded.endpoint}`, { active: true }, { method: "PATCH" })
    seeded.receiver.answer = 500
  })
  afterAll(() => seeded?.close())

  const row = (page: Page, text: string): Locator => page.getByRole("row").filter({ hasText: text }).first()

  /** By the question: what the page says, after the steps of the guide. */
  const answers: Readonly<Record<string, (page: Page) => Promise<void>>> = {
    "Why has a payout not arrived?": async (page) => {
      const waits = page.getByRole("region", { name: "What it waits for" })
      expect(await waits.textContent()).toMatch(/provider|bank/i)
      expect(await page.locator(".lead").textContent()).toContain(`to ${made.recipient}`)
      expect(page.url()).toContain(made.payout)
      await publishPicture(page, "movement")
    },

    "Who is paid, and how much arrives?": async (page) => {
      const id = page.url().split("/").at(-1)!
      await page.getByRole("heading", { name: (await read(`/v1/beneficiaries/${id}`)).name }).waitFor()
      await page.getByRole("region", { name: "Movements, newest first" }).waitFor()
      const { meta } = (await seeded.stock.api.ask(`/v1/transactions?beneficiary_id=${id}`)).json
      expect(await page.locator("td[data-title=Recipient]").count()).toBe(meta.total)
      await follow(page, `/console/movements?beneficiary_id=${seeded.stock.fiat}`)
      const paid = row(page, "invoice-1042")
      expect(await paid.locator("td[data-title=Recipient]").innerText()).toBe(made.recipient)
      const { quoted_received_amount: amount } = await read(`/v1/offramps/${made.payout}`)
      const receives = await paid.locator("td[data-title='Recipient receives']").innerText()
      expect(receives.replaceAll(",", "")).toBe(`${amount} NGN`)
      await follow(page, `/console/batches/${made.batch}`)
      expect(await page.locator("main tbody").first().innerText()).toContain(made.recipient)
      // What waits is its merchant's to approve.
      await page.context().clearCookies()
      await signIn(page, seeded.stock.api.key, "/console/approvals")
      const { name } = await read(`/v1/beneficiaries/${seeded.stock.crypto}`)
      await page.locator("main").getByText(`to ${name}`).first().waitFor()
    },

    "How much did a merchant pay out today?": async (page) => {
      const paid = page
        .getByRole("region", { name: "Volumes of today" })
        .getByRole("row")
        .filter({ hasText: "Offramp" })
      const figureOf = async (title: string) =>
        (await paid.locator(`td[data-title="${title}"]`).innerText()).replaceAll(",", "")
      const figures = [
        ["Taken", made.total.sent],
        ["Received", made.total.received],
        ["Fees", made.total.fees]
      ] as const
      for (const [title, sums] of figures) {
        expect(sums.length).toBeGreaterThan(0)
        for (const { amount, currency } of sums)
          await expect.poll(() => figureOf(title)).toContain(`${amount} ${currency}`)
      }
      const file = page.getByRole("link", { name: "Download totals.csv" })
      const csv = await (await page.request.get((await file.getAttribute("href"))!)).text()
      expect(csv).toContain(made.total.received[0]!.amount)
      await publishPicture(page, "overview")
    },

    "Whose payouts fail?": async (page) => {
      const first = page.locator("main tbody tr").first()
      await expect.poll(() => first.textContent()).toMatch(/^(?!mer_).+USDC → NGN/)
      expect(Number(await first.locator("td[data-title=Failed]").textContent())).toBeGreaterThan(0)
    },

    "Why is a deposit held?": async (page) => {
      const held = page.getByRole("row").filter({ has: page.locator(`a[href$="${made.held}"]`) })
      expect(await held.textContent()).toMatch(/frozen/i)
      expect(await held.textContent()).toMatch(/Release, Reject: needs the role treasury/i)
      expect(await held.getByRole("button", { name: "Release" }).count()).toBe(0)
    },

    "Who released this money?": async (page) => {
      const entry = page.getByRole("row").filter({ has: page.locator(`a[href$="${made.released}"]`) })
      await expect.poll(() => entry.textContent()).toContain("Thandi Nkosi")
      expect(await entry.textContent()).toContain("The sender is known.")
      await publishPicture(page, "audit")
    },

    "Did an event arrive?": async (page) => {
      await page.getByText(/\d+ events? will be sent again\.|is on its way\./).waitFor()
      await page.locator("dialog[open]").getByRole("button", { name: "Close" }).click()
      const delivery = page
        .getByRole("row")
        .filter({ hasText: "deposit.confirmed" })
        .filter({ hasText: /HTTP (?:410|500)/ })
        .first()
      await delivery.locator("summary").click()
      expect(await delivery.textContent()).toMatch(/HTTP (?:410|500)/)
      expect(await page.locator("main").textContent()).toContain(seeded.receiver.url)
    },

    "Where is the money of this hash?": async (page) => {
      const text = await page.locator("main").innerText()
      expect(text).toMatch(/Watch: a deposit is seen when its block is final/)
      expect(text).toMatch(/ask its support with the hash/)
    },

    "Is the status of a payout the truth?": async (page) => {
      const trouble = page.getByRole("region", { name: "Needs a decision" })
      expect(await trouble.innerText()).toContain("1 open exception")
      expect(await trouble.innerText()).toMatch(/needs the role treasury/i)
      // It is the first that the page says.
      const [first, second] = [trouble, page.getByRole("heading", { name: "Timeline" })].map((one) => one.boundingBox())
      expect((await first)!.y).toBeLessThan((await second)!.y)
    },

    "What waits, and for whom?": async (page) => {
      const { json } = await seeded.stock.operate(
        "/operator/v1/stuck?older_than_seconds=0&without_queues=true&per_page=20"
      )
      expect(json.data.length).toBeGreaterThan(0)
      await expect.poll(() => page.locator("main tbody tr").count()).toBe(json.data.length)
      const waits = row(page, made.payout.slice(-6))
      expect(await waits.locator("td[data-title=Why]").innerText()).toMatch(/provider|bank/i)
    }
  }

  covers("CONSOLE-30")
  it("are ten, and the guide has each", () => {
    expect(Object.keys(answers).toSorted()).toEqual(
      tasks
        .filter(isQuestion)
        .map(({ title }) => title)
        .toSorted()
    )
    expect(Object.keys(answers).length).toBe(10)
  })

  covers("CONSOLE-30")
  it.each(tasks.filter(isQuestion).flatMap((task) => widths.map((width) => ({ ...task, width }))))(
    "$title ($width)",
    (task) =>
      seeded.visit({ viewport: { width: task.width, height: 844 } }, async (page) => {
        page.setDefaultTimeout(10_000)
        await page.addInitScript(`localStorage.setItem("corridor.zone", "utc")`)
        await signIn(page, { support, operator: operatorToken }[task.who as "support"])
        const began = performance.now()
        for (const line of task.lines) await takeStep(page, { choices: { merchant: made.merchant } }, line)
        const [acts, seconds] = [countActs(task), (performance.now() - began) / 1000]
        appendFileSync(report, `${task.title} ${task.width}: ${acts} acts, ${seconds.toFixed(1)} s\n`)
        await answers[task.title]!(page)
        expect(acts).toBeLessThanOrEqual(actsMax)
        expect(seconds).toBeLessThan(secondsMax)
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0)
        await picture(page, `questions/${task.title.replaceAll(/\W+/g, "-").toLowerCase()}${task.width}`, false)
      })
  )
})
