/** The console in French, and from right to left, in Chromium. */
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { french } from "../../src/console/language/fr.ts"
import { audit, desktop, follow, signIn } from "../support/console/pages.ts"
import { type Seeded, seedConsole } from "../support/console/seeded.ts"
import { describeInBrowser } from "../support/http/browser.ts"
import { operatorToken } from "../support/http/server.ts"
import { inTurn } from "../support/repository/turns.ts"
import { covers } from "../support/repository/covers.ts"

const widths = [360, 1440] as const

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

/** Which page it is, whatever it shows. */
const pageOf = (path: string): string => path.replace(/\w+_[0-9a-z]{26}/, "")

const setFolds = (page: Page, isOpen: boolean): Promise<void> =>
  page.evaluate(`for (const fold of document.querySelectorAll("main details")) fold.open = ${isOpen}`)

/** How far the page reaches beyond its screen, on whichever side it is scrolled to. */
const overflowOf = (page: Page): Promise<number> =>
  page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")

describeInBrowser("the console in French", () => {
  let served: Seeded
  beforeAll(async () => {
    served = await seedConsole()
  })
  afterAll(() => served?.close())

  /** Shows each page in French at both widths: no English of ours, accessible, and as wide as its screen; from the right too. */
  const tour = (token: string, paths: ReadonlyArray<string>): Promise<void> =>
    served.visit({ ...desktop, locale: "fr-FR" }, async (page) => {
      await signIn(page, token)
      expect(await page.locator("html").getAttribute("lang")).toBe("fr")
      const found: Array<readonly [path: string, texts: ReadonlyArray<string>]> = []
      for (const path of inTurn("the pages in French", paths, pageOf)) {
        await follow(page, `/console${path}`)
        expect([path, await page.locator(".failure").allTextContents()]).toEqual([path, []])
        await setFolds(page, true)
        found.push([path, englishOf(await piecesOf(page))])
        await setFolds(page, false)
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 })
          for (const direction of ["rtl", "ltr"]) {
            await page.evaluate(`document.documentElement.dir = "${direction}"`)
            // A screen takes its new size a moment later.
            const shown = async () => [path, width, direction, await overflowOf(page)]
            await expect.poll(shown).toEqual([path, width, direction, 0])
          }
          // Half of the pages at each width: what a width has of its own, all of them share.
          if (found.length % 2 === widths.indexOf(width)) await audit(page)
        }
      }
      expect(found.filter(([, texts]) => texts.length > 0)).toEqual([])
    })

  covers("CONSOLE-27", "CONSOLE-28")
  it("has no English of ours on the operator's pages, and they fit their screen", () =>
    tour(operatorToken, [
      "/",
      "/movements",
      "/customers",
      "/statistics",
      `/resources/${served.stock.offramp}`,
      "/approvals",
      "/exceptions",
      "/deposits",
      "/verifications?status=in_progress",
      "/access-requests",
      "/stuck?waits=any_time",
      "/reconciliation",
      "/breaks",
      "/adjusting-entries",
      "/limits",
      "/approval-rules",
      "/fee-schedules",
      "/merchants",
      `/merchants/${served.stock.api.merchant_id}`,
      "/providers",
      "/providers/simulated",
      "/routing?currency=NGN&amount=1000",
      "/webhooks",
      `/webhooks/${served.endpoint}`,
      "/brakes",
      "/rates",
      "/ledger",
      "/operators",
      "/audit",
      "/me",
      "/search?q=Ada"
    ]))

  covers("CONSOLE-27", "CONSOLE-28")
  it("has no English of ours on the merchant's pages, and they fit their screen", () =>
    tour(served.stock.api.key, [
      "/",
      "/movements",
      `/movements/${served.stock.offramp}`,
      "/customers",
      `/customers/${served.stock.customer}`,
      "/beneficiaries",
      `/beneficiaries/${served.stock.fiat}`,
      "/wallets",
      `/wallets/${served.stock.wallet}`,
      "/pay",
      "/batches",
      "/approvals",
      "/approval-rules",
      "/limits",
      "/currencies",
      "/webhooks",
      `/webhooks/${served.endpoint}`,
      "/events",
      `/events/${served.stock.event}`,
      "/keys",
      "/sandbox"
    ]))

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
