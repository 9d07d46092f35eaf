/** What each cell of the console shows, in Chromium, of answers that are made up: tones, amounts and currencies, counts, links, filters. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { desktop, awaitSettled, signIn } from "../support/console/pages.ts"
import { type Served, serveConsole } from "../support/console/served.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

/** Statuses by how they look, written apart from the table of the console. */
const tones = {
  good: ["success", "confirmed", "active", "approved", "resolved", "delivered", "released"],
  wait: ["created", "pending", "processing", "awaiting_deposit", "received", "in_progress", "queued"],
  warn: ["temporary_failure", "held", "open", "waiting", "unknown", "frozen", "degraded"],
  bad: ["failed", "rejected", "returned", "revoked", "disabled", "unavailable", "suspended", "exhausted"],
  off: ["expired", "cancelled", "closed", "inactive", "deleted", "a_word_of_tomorrow"]
}

const movement = (n: number, more: object = {}) => ({
  id: `txn_${n}`,
  type: "offramp",
  source_id: `ofr_${n}`,
  source_type: "offramp",
  customer_id: "cust_1",
  status: "success",
  reference: `ref-${n}`,
  created_at: "2026-01-31T09:30:00.000Z",
  source_amount: "1234567.50",
  source_currency: "USDC",
  destination_amount: "15.00",
  destination_currency: "NGN",
  quoted_received_amount: "14.00",
  received_amount: null,
  beneficiary_id: "ben_1",
  recipient: "Chidi Okafor",
  merchant_id: "mer_1",
  merchant_name: "Lagos Trading",
  provider: "bank",
  ...more
})

describeInBrowser("the cells of the console", () => {
  let served: Served
  beforeAll(async () => {
    served = await serveConsole()
  })
  afterAll(() => served?.close())

  /** Opens a page whose answers are made up, by the path below /operator/v1. Returns what was asked, and reads the text of rows. */
  const shown = <A>(
    path: string,
    answers: Readonly<Record<string, unknown>>,
    use: (page: Page, asked: ReadonlyArray<string>) => Promise<A>
  ): Promise<A> =>
    served.visit(desktop, async (page) => {
      const asked: Array<string> = []
      await page.route("**/console/api/operator/v1/**", (route) => {
        const url = new URL(route.request().url())
        const below = url.pathname.slice(url.pathname.indexOf("/operator/v1/") + "/operator/v1".length)
        const name = `${below}${url.search}`
        asked.push(name)
        const key = [name, below].find((one) => Object.hasOwn(answers, one))
        if (key === undefined) return route.continue()
        const data = answers[key]
        const total = answers[`total of ${below}`] ?? (Array.isArray(data) ? data.length : undefined)
        return route.fulfill({
          json: {
            status: true,
            code: "ok",
            message: "",
            data,
            meta: {
              request_id: "req_1",
              page: 1,
              per_page: 100,
              total,
              has_more: Array.isArray(data) && data.length < Number(total)
            }
          }
        })
      })
      await signIn(page, operatorToken, `/console${path}`)
      await awaitSettled(page)
      return await use(page, asked)
    })

  const cellsOf = async (page: Page, region?: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
    const scope = region === undefined ? page.locator("main") : page.getByRole("region", { name: region, exact: true })
    const rows = await scope.locator("tbody tr").all()
    return Promise.all(rows.map((row) => row.locator("td").allInnerTexts()))
  }

  covers("CONSOLE-4")
  it("gives each status its tone and its sign", async () => {
    const all = Object.entries(tones).flatMap(([tone, names]) => names.map((status) => ({ status, tone })))
    const rows = all.map(({ status }, n) => movement(n, { status }))
    const found = await shown("/movements", { "/movements": rows }, (page) =>
      page
        .locator("tbody .pill")
        .evaluateAll((pills) => pills.map(({ className, textContent }) => [className, textContent]))
    )
    const signs: Readonly<Record<string, string>> = { good: "✓", wait: "◔", warn: "!", bad: "✕", off: "–" }
    const words = (status: string): string => {
      const text = status.replaceAll("_", " ")
      return text.charAt(0).toUpperCase() + text.slice(1)
    }
    expect(found).toEqual(all.map(({ status, tone }) => [`pill ${tone}`, `${signs[tone]} ${words(status)}`]))
  })

  it("shows amounts grouped, with their sign, their decimals and their own currency, and where a row leads", async () => {
    const rows = [
      movement(1),
      movement(2, {
        source_amount: "-999.123456",
        quoted_received_amount: null,
        beneficiary_id: null,
        recipient: null
      }),
      movement(3, { received_amount: "14.50", type: "deposit" }),
      movement(4, { source_amount: "1000", merchant_name: null, provider: null, reference: null })
    ]
    await shown("/movements", { "/movements": rows }, async (page) => {
      const cells = await cellsOf(page)
      // What the recipient receives, not the destination's amount with the network fee in it.
      expect(cells.map((row) => row.slice(3, 6))).toEqual([
        ["Chidi Okafor", "1,234,567.50 USDC", "14.00 NGN"],
        ["—", "−999.123456 USDC", "—"],
        ["Chidi Okafor", "1,234,567.50 USDC", "14.50 NGN"],
        ["Chidi Okafor", "1,000 USDC", "14.00 NGN"]
      ])
      expect(cells[0]![1]).toMatch(/ref-1$/)
      expect(cells[0]!.slice(6)).toEqual(["Lagos Trading\nbank"])
      expect(cells[3]!.slice(6)).toEqual(["mer_1"])
      const links = await page
        .locator("tbody a")
        .evaluateAll((all) => all.map((one) => (one as unknown as { readonly pathname: string }).pathname))
      expect(links.slice(0, 3)).toEqual([
        "/console/resources/ofr_1",
        "/console/resources/ben_1",
        "/console/merchants/mer_1"
      ])
      expect(links).toContain("/console/resources/txn_3")
    })
  })

  it("sends each filter under its own name, and the whole last day", () =>
    shown(
      "/movements?kind=offramp&status=failed&merchant_id=mer_9&provider=bank&beneficiary_id=ben_9&from=2026-01-30&until=2026-01-31",
      { "/movements": [movement(1)] },
      async (_, asked) => {
        const list = asked.find((name) => name.startsWith("/movements?"))!
        const query = Object.fromEntries(new URLSearchParams(list.slice(list.indexOf("?"))))
        expect(query).toMatchObject({
          kind: "offramp",
          status: "failed",
          merchant_id: "mer_9",
          provider: "bank",
          beneficiary_id: "ben_9"
        })
        const [from, until] = [query["created_after"], query["created_before"]].map((at) => Date.parse(at!))
        expect(until! - from!).toBe(2 * 86_400_000 - 1)
      }
    ))

  covers("CONSOLE-5")
  it("shows debits, credits and the difference of each currency, and the entries of an account by their side", async () => {
    const balance = {
      currencies: [
        { currency: "USDC", debits: "10.00", credits: "20.00", difference: "-10.00" },
        { currency: "NGN", debits: "5.00", credits: "5.00", difference: "0.00" }
      ],
      classes: [
        { class: "clearing", currency: "USDC", balance: "7.00" },
        { class: "suspense", currency: "NGN", balance: "3.00" },
        { class: "fees", currency: "NGN", balance: "1.00" },
        { class: "clearing", currency: "NGN", balance: "0.00" }
      ]
    }
    await shown("/ledger", { "/ledger/trial-balance": balance, "/ledger/accounts": [] }, async (page) => {
      expect(await cellsOf(page, "Debits and credits of each currency")).toEqual([
        ["USDC", "10.00 USDC", "20.00 USDC", "✕ Off by −10.00 USDC"],
        ["NGN", "5.00 NGN", "5.00 NGN", "✓ Balanced"]
      ])
      expect(await cellsOf(page, "Balances by class of account and currency")).toEqual([
        ["Clearing", "7.00 USDC", "0"],
        ["Suspense", "0", "3.00 NGN"],
        ["Fees", "0", "1.00 NGN"]
      ])
    })
    const entry = (n: number, debit: string, credit: string) => ({
      merchant_id: "mer_1",
      resource_id: `tfr_${n}`,
      version: 1,
      debit,
      credit,
      amount: "4.00",
      currency: "USDC",
      at: "2026-01-31T09:30:00.000Z"
    })
    const entries = [entry(1, "world:bank", "fees"), entry(2, "fees", "world:bank")]
    await shown("/ledger/accounts/fees", { "/ledger/accounts/fees/entries": entries }, async (page) => {
      expect((await cellsOf(page)).map((cells) => cells.slice(3))).toEqual([
        ["world:bank", "fees", "4.00 USDC"],
        ["fees", "world:bank", "−4.00 USDC"]
      ])
    })
    await shown("", { "/ledger/trial-balance": balance }, async (page) => {
      expect(await cellsOf(page, "Balances of clearing and suspense")).toEqual([
        ["Clearing", "7.00 USDC"],
        ["Suspense", "3.00 NGN"]
      ])
      expect(await page.getByText("does not balance").allInnerTexts()).toEqual([
        "The ledger of USDC does not balance: −10.00 USDC"
      ])
    })
  })

  it("counts what needs attention: none, one and many look as they should", async () => {
    const one = { "/stuck": [{}], "/breaks": [{}, {}], "/deposits": [], "/verifications": [{}, {}] }
    await shown("", one, async (page) => {
      const counts = await page
        .locator("a.count")
        .evaluateAll((all) =>
          all.map((link) => [
            link.querySelector(".count-label")?.textContent,
            link.querySelector(".count-number")?.textContent,
            link.classList.contains("some")
          ])
        )
      expect(counts).toEqual(
        expect.arrayContaining([
          ["Stuck", "1", true],
          ["Open breaks", "2", true],
          ["Held deposits", "0", false],
          ["Verifications", "2", true]
        ])
      )
    })
  })

  it("says of the movements that a break is matched with that there are more than it offers", async () => {
    const open = {
      id: "brk_1",
      external_account_id: "xac_1",
      kind: "missing_in_books",
      severity: "low",
      status: "open",
      amount: "30.00",
      direction: "debit",
      currency: "NGN",
      exposure: null,
      lines: [],
      resources: [],
      candidates: [],
      since: "2026-01-31T00:00:00.000Z",
      actions: ["match"],
      action: null,
      note: null
    }
    const answers = {
      "/breaks": [open],
      "/external-accounts": [{ id: "xac_1", provider: "bank", currency: "NGN", identifiers: [] }],
      "/statement-lines": [],
      "/movements": [movement(1), movement(2, { status: "processing" }), movement(3, { destination_currency: "KES" })]
    }
    const offered = (more: object) =>
      shown("/breaks", { ...answers, ...more }, async (page) => {
        await page.getByRole("button", { name: "Match", exact: true }).click()
        const dialog = page.locator("dialog[open]")
        await dialog.getByText("Movements of these days without a line").waitFor()
        expect(await dialog.getByRole("checkbox").count()).toBe(1)
        return dialog.getByText("Not every movement and line").count()
      })
    expect(await offered({})).toBe(0)
    expect(await offered({ "total of /movements": 4 })).toBe(1)
    expect(await offered({ "total of /statement-lines": 1 })).toBe(1)
  })

  it("asks for open breaks most urgent first, names the account, and shows the first of many movements", async () => {
    const line = { matches: [], counterparty: { name: "Payroll" }, remittance: null, bank_reference: null }
    const open = {
      id: "brk_1",
      external_account_id: "xac_2",
      kind: "missing_in_books",
      severity: "low",
      status: "open",
      amount: "30.00",
      direction: "debit",
      currency: "NGN",
      exposure: null,
      lines: ["stl_1"],
      resources: [],
      candidates: [...Array(20).keys()].map((n) => ({ resource_id: `ofr_${n}`, amount: "1.50", rule: "alike" })),
      since: "2026-01-31T00:00:00.000Z",
      actions: [],
      action: null,
      note: null
    }
    const account = (n: number, value: string) => ({
      id: `xac_${n}`,
      provider: "bank",
      currency: "NGN",
      identifiers: [{ scheme: "account_number", value, network: null }]
    })
    const answers = {
      "/breaks": [open],
      "/external-accounts": [account(1, "0690000031"), account(2, "DE89370400440532013000")],
      "/statement-lines": [{ ...line, id: "stl_1", end_to_end_id: null, transaction_hash: null }]
    }
    await shown("/breaks", answers, async (page, asked) => {
      const [cells] = await cellsOf(page)
      expect(cells![1]).toContain("bank NGN …013000")
      expect(cells![4]).toMatch(/ofr_2[\s\S]*17 more$/)
      expect(await page.locator("tbody tr details").innerText()).toBe("17 more")
      const lists = asked.filter((name) => name.startsWith("/breaks?"))
      expect(lists.some((name) => name.includes("order=urgent"))).toBe(true)
      await page.locator("tbody tr summary").click()
      expect((await cellsOf(page))[0]![4]).toContain("ofr_19")
    })
    await shown("/breaks?status=resolved", answers, async (_, asked) => {
      const lists = asked.filter((name) => name.startsWith("/breaks?"))
      expect(lists.some((name) => name.includes("order="))).toBe(false)
    })
  })

  it("shows the risk of exceptions, and asks for those that the filters name", async () => {
    const exception = (n: number, more: object) => ({
      id: `exc_${n}`,
      merchant_id: "mer_1",
      resource_id: "tfr_1",
      resource_kind: "transfer",
      status: "open",
      reason: "contradicts_state",
      provider: "bank",
      provider_event: {},
      recorded: null,
      severity: "low",
      exposure: null,
      amount: null,
      currency: null,
      actions: [],
      action: null,
      note: null,
      resolved_at: null,
      created_at: "2026-01-31T09:30:00.000Z",
      ...more
    })
    const rows = [
      exception(1, { severity: "high", exposure: { amount: "50.00", currency: "USDC" } }),
      exception(2, { amount: "7.00", currency: "NGN" }),
      exception(3, { action: "refund" }),
      exception(4, {
        status: "resolved",
        action: "dismiss",
        note: "agreed",
        amount: "9.00",
        currency: "NGN",
        resolved_at: "2026-01-31T10:30:00.000Z"
      })
    ]
    await shown("/exceptions?severity=low&merchant_id=mer_9", { "/exceptions": rows }, async (page, asked) => {
      expect(
        (await cellsOf(page)).map((cells) => cells.slice(3, 5).map((text) => text.replaceAll(/\s+/g, " ")))
      ).toEqual([
        ["No money", "✕ High severity 50.00 USDC"],
        ["7.00 NGN", "—"],
        ["No money", "—"],
        ["Was 9.00 NGN", "—"]
      ])
      // One of low severity may have money in suspense: nothing says that none is at stake.
      expect(await page.content()).not.toMatch(/no money at risk|their money waits/i)
      const last = (await cellsOf(page)).map((cells) => cells[5]!.replaceAll(/\s+/g, " "))
      expect(last[2]).toBe("◔ Refund in progress")
      expect(last[3]).toMatch(/^✓ Resolved Dismiss .* agreed$/)
      const lists = asked.filter((name) => name.startsWith("/exceptions?"))
      for (const name of lists) expect(name).toMatch(/status=open.*merchant_id=mer_9/)
      expect(lists.some((name) => name.includes("severity=low"))).toBe(true)
    })
    await shown("/exceptions?status=all&severity=high", { "/exceptions": rows }, async (_, asked) => {
      const lists = asked.filter((name) => name.startsWith("/exceptions?"))
      expect(lists.length).toBeGreaterThan(0)
      for (const name of lists) expect(name).not.toContain("status=")
    })
  })

  it("says how often a stuck resource was tried, and how a provider tells of events", async () => {
    const stuck = (n: number, attempts: number) => ({
      id: `tfr_${n}`,
      kind: "transfer",
      merchant_id: "mer_1",
      status: "processing",
      state: "unknown",
      since: "2026-01-31T09:30:00.000Z",
      reason: "outcome_unknown",
      attempts,
      last_answer: null,
      next_attempt_at: null
    })
    await shown("/stuck", { "/stuck": [stuck(1, 0), stuck(2, 1), stuck(3, 2)] }, async (page) => {
      const answers = (await cellsOf(page)).map((cells) =>
        cells.find((text) => text.startsWith("None\n") || text === "None")
      )
      expect(answers).toEqual(["None", "None\n1 attempt", "None\n2 attempts"])
    })
    const provider = (name: string, more: object, events: object) => ({
      name,
      simulated: false,
      health: "healthy",
      paused: false,
      priority: 0,
      offers: [],
      ...more,
      events: { callbacks: false, readable: false, cursor: null, last_fault: null, ...events }
    })
    const providers = [
      provider("both", { health: "failing" }, { callbacks: true, readable: true }),
      provider("called", { paused: true }, { callbacks: true }),
      provider("read", { simulated: true }, { readable: true }),
      provider("silent", {}, {})
    ]
    await shown("/providers", { "/providers": providers }, async (page) => {
      expect((await cellsOf(page)).map((cells) => [cells[0], cells[1], cells[4], cells[5]])).toEqual([
        ["both", "✕ Failing", "Callbacks, Read on a schedule", "Connected"],
        ["called", "! Paused", "Callbacks", "Connected"],
        ["read", "✓ Healthy", "Read on a schedule", "– Simulated"],
        ["silent", "✓ Healthy", "None", "Connected"]
      ])
    })
  })
})
