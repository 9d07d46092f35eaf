/** Browser and accessibility tests of the hosted page: without scripts, by keyboard, in the accessibility tree (KYC-11). */
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { audit } from "../../support/console/pages.ts"
import { type Api, startApi } from "../../support/http/server.ts"
import { describeInBrowser, launchBrowser } from "../../support/http/browser.ts"
import { covers } from "../../support/repository/covers.ts"
import { type Hosted, hosting } from "../../support/http/hosted-page.ts"

describeInBrowser("the hosted page in Chromium", () => {
  let api: Api
  let hosted: Hosted
  let browser: Browser
  beforeAll(async () => {
    api = await startApi({ rate_per_second: 0 })
    hosted = hosting(api)
    browser = await launchBrowser()
  })
  afterAll(() => api?.close())

  /** A page of its own, and what its policy made the browser refuse. */
  const visit = async <A>(
    options: BrowserContextOptions,
    use: (page: Page, complaints: ReadonlyArray<string>) => Promise<A>
  ): Promise<A> => {
    const context = await browser.newContext({ baseURL: api.base, ...options })
    const complaints: Array<string> = []
    try {
      const page = await context.newPage()
      page.on(
        "console",
        (message) => void (/Content.Security.Policy/i.test(message.text()) && complaints.push(message.text()))
      )
      return await use(page, complaints)
    } finally {
      await context.close()
    }
  }

  const fill = async (page: Page, number: string): Promise<void> => {
    await page.getByLabel("Full name").fill("Ada Obi")
    await page.getByLabel("Date of birth").fill("01/31/1990")
    await page.getByLabel("Identity document").selectOption({ label: "Passport" })
    await page.getByLabel("Document number").fill(number)
  }

  covers("KYC-11")
  it("is filled in and sent without scripts, and leads back to the merchant's site", () =>
    visit({ javaScriptEnabled: false }, async (page, complaints) => {
      const { link, session } = await hosted.begin("https://shop.example/back?order=7#top")
      await page.goto(link)
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Confirm your identity")
      await fill(page, "A7654321")
      const [left] = await Promise.all([
        page.waitForRequest("https://shop.example/**"),
        page.getByRole("button", { name: "Send for verification" }).click()
      ])
      expect([left.method(), left.url()]).toEqual(["GET", "https://shop.example/back?order=7"])
      expect([left.redirectedFrom()?.method(), left.redirectedFrom()?.url()]).toEqual(["POST", api.base + link])
      expect(left.headers()["referer"]).toBeUndefined()
      expect((await session()).status).toBe("approved")
      expect(complaints).toEqual([])
    }))

  it("tells what is wrong where it is wrong, keeps the rest, and takes the correction", () =>
    visit({ javaScriptEnabled: false }, async (page, complaints) => {
      const { link, session } = await hosted.begin()
      await page.goto(link)
      await fill(page, "A7654321")
      await page.getByLabel("Date of birth").fill("31/01/1990")
      await page.getByRole("button").click()
      expect(await page.title()).toMatch(/^Error: /)
      const birthday = page.getByRole("textbox", { name: "Date of birth" })
      expect(await birthday.inputValue()).toBe("31/01/1990")
      expect(await birthday.getAttribute("aria-invalid")).toBe("true")
      expect(await page.locator("#date_of_birth:focus").count()).toBe(1)
      expect(await page.getByLabel("Full name").inputValue()).toBe("Ada Obi")
      expect(await page.getByLabel("Identity document").inputValue()).toBe("passport")
      expect(await page.getByLabel("Document number").inputValue()).toBe("")
      await page.getByRole("alert").getByRole("link").click()
      expect(await page.locator("#date_of_birth:focus").count()).toBe(1)
      await birthday.fill("01/31/1990")
      await page.getByLabel("Document number").fill("A0000")
      await page.getByRole("button").click()
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Thank you")
      expect((await session()).status).toBe("rejected")
      expect(complaints).toEqual([])
    }))

  it("is walked through with the keyboard, in the order it is read", () =>
    visit({}, async (page) => {
      const { link, session } = await hosted.begin("https://shop.example/")
      await page.goto(link)
      const walked: Array<string> = []
      for (const typed of ["Ada Obi", "01311990", "Passport", "A7654321"]) {
        await page.keyboard.press("Tab")
        walked.push((await page.locator(":focus").getAttribute("id")) ?? "")
        await page.keyboard.type(typed === "01311990" ? "01/31/1990" : typed)
      }
      await page.keyboard.press("Tab")
      walked.push((await page.locator(":focus").textContent()) ?? "")
      expect(walked).toEqual(["name", "date_of_birth", "document_type", "document_number", "Send for verification"])
      await Promise.all([page.waitForRequest("https://shop.example/"), page.keyboard.press("Enter")])
      expect((await session()).status).toBe("approved")
    }))

  /** Pages by what they show, each as a browser comes to it. */
  const pages: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    "the form": async (page) => page.goto((await hosted.begin("https://shop.example/")).link),
    "the form with faults": async (page) => {
      await page.goto((await hosted.begin()).link)
      await page.getByRole("button").click()
    },
    "the thanks": async (page) => {
      const { link } = await hosted.begin("https://shop.example/")
      await hosted.send(link, {
        name: "Ada",
        date_of_birth: "01/31/1990",
        document_type: "passport",
        document_number: "1"
      })
      await page.goto(link)
    },
    "a lapsed link": async (page) => {
      const { link } = await hosted.begin()
      await hosted.advance(24 * 60 * 60)
      await page.goto(link)
    },
    "no link": (page) => page.goto(`/verify/${"x".repeat(43)}`)
  }

  it.each(Object.keys(pages))("%s has nothing that an audit of accessibility finds, and fits a small screen", (name) =>
    visit({ viewport: { width: 320, height: 640 } }, async (page) => {
      await pages[name]!(page)
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme })
        await audit(page)
      }
    })
  )
})
