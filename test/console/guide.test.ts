/**
 * The guide of the console, followed step by step: each button, field and link that it names is there. `CORRIDOR_PICTURES=1` makes its
 * pictures.
 */
import { appendFileSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { countActs, docs, guide, isQuestion, type Reader, takeStep, tasks } from "../support/console/guide.ts"
import { signIn } from "../support/console/pages.ts"
import { type Seeded, seedConsole } from "../support/console/seeded.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"
import { sideOf } from "../support/repository/turns.ts"

const isPictured = process.env["CORRIDOR_PICTURES"] === "1"
/** On a phone or on a wide screen: a few commits have both. */
const width = sideOf("the width of the guide") === 1 ? 390 : 1440
/** How many acts and seconds each task took. */
const report = join(import.meta.dirname, "../../artifacts/console/guide.txt")

const pictures = [...guide.matchAll(/!\[[^\]]+\]\((images\/console\/[\w-]+\.webp)\)/g)].map(([, path]) => path!)

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

  const csv = "Date;Text;Money out;Money in\n05.01.2026;Rent;1234.50;\n06.01.2026;Sale;;99.00\n"
  const reader = (): Reader => ({
    choices: { account, recipient: served.stock.fiat, wallet: served.stock.wallet },
    file: { name: "january.csv", mimeType: "text/csv", buffer: Buffer.from(csv) },
    ...(isPictured ? { takePicture } : {})
  })

  covers("CONSOLE-26")
  it.each(tasks.filter((task) => !isQuestion(task)))("leads through its task: $title", (task) =>
    served.visit({ viewport: { width: isPictured ? 1000 : width, height: 640 } }, async (page) => {
      page.setDefaultTimeout(10_000)
      const { lines, title, who } = task
      await signIn(page, { operator: operatorToken, merchant: served.stock.api.key, treasurer, support: "" }[who])
      expect(lines.length).toBeGreaterThan(1)
      const began = performance.now()
      for (const line of lines) await takeStep(page, reader(), line)
      const seconds = ((performance.now() - began) / 1000).toFixed(1)
      appendFileSync(report, `${title}, ${width}: ${countActs(task)} acts, ${seconds} s\n`)
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
