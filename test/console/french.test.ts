/** The console in French, and from right to left, in Chromium. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { french } from "../../src/console/language/fr.ts"
import { type Crowded, seedCrowded } from "../support/console/crowded.ts"
import { everyMerchantPage, everyOperatorPage, type PageShown } from "../support/console/every-page.ts"
import { audit, desktop, expectFit, follow, signIn } from "../support/console/pages.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")

/** What stands of an English text where its holes are filled. Texts that are the same in both languages show nothing. */
const english = Object.entries(french).flatMap(([text, translation]) => {
  if (text === translation) return []
  const forms = text.split("|").map((form) => form.replaceAll(/<\/?\w+>/g, ""))
  return forms.map((form) => ({
    text: form,
    pattern: new RegExp(
      `^${form
        .split(/\{\w+\}/)
        .map(escaped)
        .join(".*")
        .trim()}$`
    ),
    // A text that is nearly all holes is found in everything.
    isTelling: form.replaceAll(/\{\w+\}/g, "").replaceAll(/[^a-z]/gi, "").length > 3
  }))
})
const whole = new Set(english.filter(({ text }) => !text.includes("{")).map(({ text }) => text))
const filled = english.filter(({ text, isTelling }) => text.includes("{") && isTelling)
const translations = new Set(Object.values(french))

/** What merchants of the test have entered, and is a text of ours by chance. */
const entered = new Set(["Treasury"])

/**
 * Every piece of text of the page, and what stands in attributes for people who do not see it. Code is what it is, and what the server says
 * is in English, and marked as such.
 */
const piecesOf = (page: Page): Promise<ReadonlyArray<string>> =>
  page.evaluate(`(() => {
    const pieces = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (node.parentElement.closest("code, pre, kbd, script, style, [lang]:not(html)") === null) pieces.push(node.data)
    for (const element of document.querySelectorAll("[title], [aria-label], [placeholder]"))
      if (element.closest("code, pre") === null)
        for (const name of ["title", "aria-label", "placeholder"]) pieces.push(element.getAttribute(name) ?? "")
    return [document.title.replace(" · Corridor", ""), ...pieces].map((one) => one.trim()).filter((one) => one !== "")
  })()`)

const englishOf = (pieces: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(pieces)].filter(
    (piece) =>
      !translations.has(piece) &&
      !entered.has(piece) &&
      (whole.has(piece) || filled.some(({ pattern }) => pattern.test(piece)))
  )

const setFolds = (page: Page, isOpen: boolean): Promise<void> =>
  page.evaluate(`for (const fold of document.querySelectorAll("main details")) fold.open = ${isOpen}`)

describeInBrowser("the console in French", () => {
  let served: Crowded
  beforeAll(async () => {
    served = await seedCrowded()
  })
  afterAll(() => served?.close())

  /** Shows each page in French: no English of ours, and as wide as its screen. */
  const tour = (token: string, pages: ReadonlyArray<PageShown>): Promise<void> =>
    served.visit({ ...desktop, locale: "fr-FR" }, async (page) => {
      await signIn(page, token)
      expect(await page.locator("html").getAttribute("lang")).toBe("fr")
      const found: Array<readonly [path: string, texts: ReadonlyArray<string>]> = []
      for (const [path] of pages) {
        await follow(page, `/console${path}`)
        expect([path, await page.locator(".failure").allTextContents()]).toEqual([path, []])
        await expectFit(page, path)
        await setFolds(page, true)
        found.push([path, englishOf(await piecesOf(page))])
        await setFolds(page, false)
      }
      expect(found.filter(([, texts]) => texts.length > 0)).toEqual([])
    })

  covers("CONSOLE-27", "CONSOLE-28")
  it("has no English of ours on the operator's pages, and they fit their screen", () =>
    tour(operatorToken, everyOperatorPage(served)))

  covers("CONSOLE-27", "CONSOLE-28")
  it("has no English of ours on the merchant's pages, and they fit their screen", () =>
    tour(served.stock.api.key, everyMerchantPage(served)))

  covers("CONSOLE-28")
  it("is in the language of the browser until a person chooses another, which stays", () =>
    served.visit({ ...desktop, locale: "fr-FR" }, async (page) => {
      await page.setViewportSize({ width: 360, height: 800 })
      await page.goto("/console")
      await page.getByRole("heading", { name: "Se connecter" }).waitFor()
      await audit(page)
      expect(englishOf(await piecesOf(page))).toEqual([])
      await page.getByLabel("Langue").selectOption("en")
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      expect(await page.locator("html").getAttribute("lang")).toBe("en")
      expect(await page.evaluate("localStorage.getItem('corridor.language')")).toBe("en")
      await page.reload()
      await page.getByLabel("Language").selectOption("fr")
      await page.getByRole("heading", { name: "Se connecter" }).waitFor()
      // The browser's own language needs no memory.
      expect(await page.evaluate("localStorage.length")).toBe(0)
    }))

  covers("CONSOLE-28")
  it("writes amounts, counts and dates as French does", () =>
    served.visit({ ...desktop, locale: "fr-FR" }, async (page) => {
      await signIn(page, served.stock.api.key)
      await follow(page, "/console/movements")
      const amounts = (await page.locator("tbody .money").allTextContents()).join("|")
      expect(amounts).toMatch(/\d,\d\d /)
      expect(amounts).not.toMatch(/\d\.\d/)
      await follow(page, `/console/movements/${served.stock.offramp}`)
      expect(await page.locator("main").textContent()).toContain("1\u202F492,5")
      await follow(page, "/console/movements")
      expect(await page.locator("tbody time").first().textContent()).toMatch(
        /^\d\d (?:janv\.|févr\.|mars|avr\.|mai|juin|juil\.|août|sept\.|oct\.|nov\.|déc\.) \d{4}/
      )
    }))

  covers("CONSOLE-28")
  it("is in English where the French texts cannot be loaded, and says so to readers of the screen", () =>
    served.visit({ ...desktop, locale: "fr-FR" }, async (page) => {
      await page.route(/\/fr-\w+\.js$/, (route) => route.abort())
      await page.goto("/console")
      await page.getByRole("heading", { name: "Sign in" }).waitFor()
      expect(await page.locator("html").getAttribute("lang")).toBe("en")
    }))

  covers("CONSOLE-28")
  it("loads the French texts in French only", async () => {
    const loadedBy = async (locale: string): Promise<ReadonlyArray<string>> => {
      const loaded: Array<string> = []
      await served.visit({ ...desktop, locale }, async (page) => {
        page.on("request", (request) => loaded.push(new URL(request.url()).pathname))
        await signIn(page, operatorToken)
      })
      return loaded.filter((path) => /\/fr-\w+\.js$/.test(path))
    }
    expect((await loadedBy("fr-CA")).length).toBe(1)
    expect(await loadedBy("de-DE")).toEqual([])
  })
})
