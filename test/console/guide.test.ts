/**
 * The guide of the console, followed step by step: each button, field and link that it names is there. `CORRIDOR_PICTURES=1` makes its
 * pictures.
 */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Locator, Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { awaitSettled, signIn } from "../support/console/pages.ts"
import { type Seeded, seedConsole } from "../support/console/seeded.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"
import { sideOf } from "../support/repository/turns.ts"

const docs = join(import.meta.dirname, "../../docs")
const guide = readFileSync(join(docs, "console-guide.md"), "utf8")
const isPictured = process.env["CORRIDOR_PICTURES"] === "1"
/** On a phone or on a wide screen: a few commits have both. */
const width = sideOf("the width of the guide") === 1 ? 390 : 1440
/** How many acts and seconds each task took. */
const report = join(import.meta.dirname, "../../artifacts/console/guide.txt")

interface Task {
  readonly title: string
  readonly who: "operator" | "merchant" | "treasurer"
  /** Steps and pictures, in their order. */
  readonly lines: ReadonlyArray<string>
}

const tasks: ReadonlyArray<Task> = guide
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    title: text.split("\n")[0]!,
    who:
      /^\*As a (merchant|treasurer)\*/m.exec(text)?.[1] === "treasurer"
        ? "treasurer"
        : /^\*As a merchant/m.test(text)
          ? "merchant"
          : "operator",
    lines: text.split("\n").flatMap((line) => /^\s*(?:\d+\. (.*)|(!\[.*))$/.exec(line)?.slice(1).find(Boolean) ?? [])
  }))
const pictures = [...guide.matchAll(/!\[[^\]]+\]\((images\/console\/[\w-]+\.webp)\)/g)].map(([, path]) => path!)

/** The open dialog, else the page. */
const within = (page: Page): Locator => page.locator("dialog[open], body:not(:has(dialog[open])) main")

/** On a phone the navigation is folded. */
const openMenu = async (page: Page): Promise<void> => {
  const menu = page.getByRole("button", { name: "Menu" })
  if (await menu.isVisible()) await menu.click()
}

const takePicture = async (page: Page, path: string): Promise<void> => {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 60 })
  mkdirSync(dirname(join(docs, path)), { recursive: true })
  writeFileSync(join(docs, path), Buffer.from(data, "base64"))
}

describeInBrowser("the guide of the console", () => {
  let served: Seeded
  let account: string
  let treasurer: string
  beforeAll(async () => {
    mkdirSync(dirname(report), { recursive: true })
    served = await seedConsole()
    const { stock } = served
    const described = { description: "payouts service" }
    await stock.make(`/v1/notifications/webhooks/${served.endpoint}`, described, { method: "PATCH" })
    const { json } = await stock.operate("/operator/v1/external-accounts", {
      method: "POST",
      body: {
        provider: "simulated",
        currency: "NGN",
        kind: "bank",
        identifiers: [{ scheme: "account_number", value: "0012345678" }],
        opening: { date: "2026-01-01", balance: "0" },
        time_zone: "Africa/Lagos"
      }
    })
    account = json.data.id
    // What another person made waits for the treasurer.
    const operated = async (path: string, body: object, method = "POST") =>
      (await stock.operate(path, { method, body })).json.data
    const person = { name: "Bisi", email: "bisi@example.com", role: "treasury" }
    treasurer = (await operated("/operator/v1/operators", person)).token
    await operated("/operator/v1/approval-rules", { operations: ["brake_release"] })
    const [brake] = (await stock.operate("/operator/v1/brakes?status=active")).json.data
    await operated(`/operator/v1/brakes/${brake.id}/release`, { note: "The bank is back" })
  })
  afterAll(() => served?.close())

  /** What the guide leaves to its reader: which one of several. */
  const choiceOf = (what: string): string => {
    const { fiat, wallet } = served.stock
    const choices: Readonly<Record<string, string>> = { account, recipient: fiat, wallet }
    expect(Object.keys(choices)).toContain(what)
    return choices[what]!
  }
  const csv = "Date;Text;Money out;Money in\n05.01.2026;Rent;1234.50;\n06.01.2026;Sale;;99.00\n"

  /** Each sentence that a step can be. Another one is a step that nobody can follow. */
  const sentences: ReadonlyArray<readonly [RegExp, (page: Page, ...parts: ReadonlyArray<string>) => Promise<void>]> = [
    [
      /^Search for `(.+)`\.$/,
      async (page, text) => {
        await page.keyboard.press("/")
        await page.keyboard.type(text!)
        await page.keyboard.press("Enter")
        await page.waitForURL(/\/console\/(?:search|resources|movements)/)
      }
    ],
    [
      /^Open \*\*(.+)\*\*\.$/,
      async (page, name) => {
        await openMenu(page)
        // What waits is counted in the link.
        const named = new RegExp(`^${name}\\s*\\d*$`)
        await page.getByRole("navigation").getByRole("link", { name: named }).first().click()
      }
    ],
    [
      /^Follow the link in \*\*(.+)\*\*\.$/,
      (page, title) => page.locator(`td[data-title="${title}"] a`).first().click()
    ],
    [/^Follow \*\*(.+)\*\*\.$/, async (page, name) => within(page).getByRole("link", { name: name! }).first().click()],
    [
      /^(?:Press|Confirm with) \*\*(.+)\*\*\.$/,
      async (page, name) => within(page).getByRole("button", { name: name!, exact: true }).first().click()
    ],
    [
      /^Fill \*\*(.+)\*\* with `(.+)`\.$/,
      async (page, label, text) =>
        within(page)
          .getByLabel(new RegExp(`^${label}`))
          .first()
          .fill(text!)
    ],
    [
      /^Choose \*(.+)\* in \*\*(.+)\*\*\.$/,
      async (page, option, label) => {
        const named = new RegExp(`^${label}`)
        // What concerns the whole console stands beside the page.
        const isBeside = /^(?:Language|Theme|Times)$/.test(label!)
        if (isBeside) await openMenu(page)
        const found = (isBeside ? page.getByRole("navigation") : within(page)).getByLabel(named)
        await found.first().selectOption({ label: option! })
      }
    ],
    [
      /^Choose the (\w+) in \*\*(.+)\*\*\.$/,
      async (page, what, label) => {
        const field = within(page).getByLabel(label!, { exact: true }).first()
        if ((await field.evaluate((element) => (element as unknown as { tagName: string }).tagName)) === "SELECT")
          await field.selectOption(choiceOf(what!))
        else await field.fill(choiceOf(what!))
      }
    ],
    [
      /^Give \*\*(.+)\*\* the bank's file\.$/,
      async (page, label) =>
        within(page)
          .getByLabel(label!)
          .setInputFiles({ name: "january.csv", mimeType: "text/csv", buffer: Buffer.from(csv) })
    ],
    [
      /^See \*\*(.+)\*\*\.$/,
      async (page, text) => {
        const found = within(page).getByText(text!).filter({ visible: true }).first()
        await found.waitFor()
        await found.evaluate((element) =>
          (element as unknown as { scrollIntoView: (how: object) => void }).scrollIntoView({ block: "center" })
        )
      }
    ]
  ]

  const take = async (page: Page, line: string): Promise<void> => {
    const [, picture] = /^!\[.*\]\((.+)\)$/.exec(line) ?? []
    if (picture !== undefined) return isPictured ? takePicture(page, picture) : undefined
    const found = sentences.flatMap(([form, act]) => {
      const parts = form.exec(line)
      return parts === null ? [] : [() => act(page, ...parts.slice(1))]
    })
    expect([line, found.length]).toEqual([line, 1])
    await found[0]!()
    // A confirmed act is done: its dialog closes, or shows its result.
    if (line.startsWith("Confirm")) await expect.poll(() => page.locator("dialog[open] form .does").count()).toBe(0)
    await awaitSettled(page)
  }

  covers("CONSOLE-26")
  it.each(tasks)("leads through its task: $title", ({ lines, title, who }) =>
    served.visit({ viewport: { width: isPictured ? 1000 : width, height: 640 } }, async (page) => {
      page.setDefaultTimeout(10_000)
      await signIn(page, { operator: operatorToken, merchant: served.stock.api.key, treasurer }[who])
      expect(lines.length).toBeGreaterThan(1)
      const began = performance.now()
      for (const line of lines) await take(page, line)
      const acts = lines.filter((line) => !/^(?:See|!)/.test(line)).length
      appendFileSync(report, `${title}, ${width}: ${acts} acts, ${((performance.now() - began) / 1000).toFixed(1)} s\n`)
      expect(await page.locator(".failure").allTextContents()).toEqual([])
    })
  )
})

describe("the pictures of the guide", () => {
  it("are there, at most twelve, each of at most 40 kB, and no other", () => {
    expect(pictures.length).toBeLessThanOrEqual(12)
    expect(pictures.filter((path) => !existsSync(join(docs, path)))).toEqual([])
    for (const path of pictures)
      expect([path, statSync(join(docs, path)).size]).toEqual([
        path,
        expect.toSatisfy((size: number) => size > 1_000 && size <= 40_960)
      ])
    expect(
      readdirSync(join(docs, "images/console"))
        .map((name) => `images/console/${name}`)
        .toSorted()
    ).toEqual(pictures.toSorted())
  })
})
