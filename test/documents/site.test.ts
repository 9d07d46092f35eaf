/** The documentation site: complete, closed in itself, the same for the same sources, and usable by everybody. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join, posix } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { gzipSync } from "node:zlib"
import { type BuiltSite, buildSite } from "../../scripts/site.ts"
import { auditLooks, desktop, frameLooks, phone, visit } from "../support/console/pages.ts"
import { describeInBrowser, launchBrowser } from "../support/http/browser.ts"

const folder = mkdtempSync(join(tmpdir(), "corridor-site-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const site = join(folder, "site")

const filesOf = (place: string): ReadonlyArray<string> =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(place.length + 1))
    .toSorted()

let built: BuiltSite
beforeAll(async () => {
  built = await buildSite(site)
})
const html = (page: string): string => readFileSync(join(site, page), "utf8")

describe("the site", () => {
  it("has one title on each page, and no id twice", () => {
    expect(built.pages.length).toBeGreaterThan(60)
    for (const page of built.pages) {
      expect([page, html(page).match(/<h1\b/g)?.length]).toEqual([page, 1])
      const ids = [...html(page).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
      expect([page, ids.filter((id, at) => ids.indexOf(id) !== at)]).toEqual([page, []])
    }
  })

  it("has every file and heading that its pages and its search link to", () => {
    const files = new Set(filesOf(site))
    const ids = new Map(
      built.pages.map((page) => [page, new Set([...html(page).matchAll(/ id="([^"]*)"/g)].map(([, id]) => id))])
    )
    const check = (from: string, link: string): ReadonlyArray<string> => {
      if (/^(?:https?:|data:)/.test(link)) return []
      const [path = "", anchor = ""] = link.replaceAll("&amp;", "&").split("#")
      const file = path === "" ? from : posix.join(posix.dirname(from), path)
      if (!files.has(file)) return [`${from} links to ${link}`]
      return anchor === "" || ids.get(file)?.has(anchor) === true ? [] : [`${from} links to the heading ${link}`]
    }
    const links = built.pages.flatMap((page) =>
      [...html(page).matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, link = ""]) => check(page, link))
    )
    expect(links).toEqual([])
    const entries = JSON.parse(readFileSync(join(site, "search.json"), "utf8")) as ReadonlyArray<{ href: string }>
    expect(entries.flatMap(({ href }) => check("index.html", href))).toEqual([])
    expect(entries.length).toBeGreaterThan(400)
  })

  it("has every operation, event type and error code of the document", () => {
    const { components, paths, webhooks } = JSON.parse(readFileSync(join(site, "openapi.json"), "utf8"))
    const operations = Object.values<Record<string, { operationId: string }>>(paths).flatMap((item) =>
      Object.values(item).map(({ operationId }) => operationId)
    )
    const api = built.pages
      .filter((page) => page.startsWith("api/"))
      .map(html)
      .join("")
    const events = Object.keys(webhooks).map((name) => name.replace(".", "-"))
    const ids = [...operations, ...events, ...Object.keys(components.examples)]
    expect(ids.filter((id) => !api.includes(` id="${id}"`))).toEqual([])
    expect([operations.length > 100, events.length]).toEqual([true, 27])
  })

  it("loads nothing from elsewhere", () => {
    for (const page of built.pages) {
      const loaded = [...html(page).matchAll(/<(?:script|link|img|iframe|source)\b[^>]* (?:src|href)="([^"]*)"/g)]
      expect(loaded.map(([, url = ""]) => url).filter((url) => /^(?:https?:)?\/\//.test(url))).toEqual([])
      expect(html(page)).toContain(`content="default-src 'none'; script-src 'self'; style-src 'self';`)
      expect(html(page)).not.toMatch(/<style|<script(?! type="module" src=)| style="| on\w+="/)
    }
    expect(readFileSync(join(site, built.style), "utf8")).not.toMatch(/@import|url\((?!data:)/)
  })

  it("is the same for the same sources", async () => {
    const again = join(folder, "again")
    await buildSite(again)
    expect(filesOf(again)).toEqual(filesOf(site))
    const differing = filesOf(site).filter(
      (file) => !readFileSync(join(again, file)).equals(readFileSync(join(site, file)))
    )
    expect(differing).toEqual([])
  })

  it("has a small script and a small index", () => {
    const size = (file: string): number => gzipSync(readFileSync(join(site, file))).length
    console.log(`The site: ${size(built.script)} bytes of script, ${size("search.json")} bytes of index with gzip.`)
    expect(size(built.script)).toBeLessThanOrEqual(15_000)
    expect(size("search.json")).toBeLessThanOrEqual(195_000)
  })

  it("draws the machine that runs", async () => {
    const { Offramp } = await import("../../src/machines/movements/offramp.ts")
    for (const page of ["concepts/movements.html", "machines.html"])
      for (const state of Object.keys(Offramp.machine.states)) expect(html(page)).toContain(`data-state="${state}"`)
    expect(html("machines.html").match(/<svg /g)?.length).toBeGreaterThan(20)
  })
})

describeInBrowser("the site in Chromium", () => {
  const types: Readonly<Record<string, string>> = {
    html: "text/html",
    js: "text/javascript",
    css: "text/css",
    json: "application/json"
  }
  let server: Server
  let browser: Browser
  let base: string
  beforeAll(async () => {
    // Below a path, as on the pages of a project.
    server = createServer((request, response) => {
      const file = decodeURIComponent(new URL(request.url!, "http://site").pathname.replace(/^\/some\/project\//, ""))
      if (!filesOf(site).includes(file)) return response.writeHead(404).end()
      response.setHeader("content-type", types[file.split(".").at(-1)!] ?? "application/octet-stream")
      return response.end(readFileSync(join(site, file)))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/some/project/`
    browser = await launchBrowser()
  })
  afterAll(async () => {
    server?.closeAllConnections()
    server?.close()
  })

  it("is accessible and complains about nothing, in light and dark, at two widths", () =>
    visit(browser, base, desktop, async (page) => {
      for (const path of ["index.html", "concepts/movements.html", "guides/quickstart.html", "api/transfers.html"]) {
        await page.goto(base + path)
        await page.getByRole("combobox", { name: "Search the documentation" }).waitFor()
        expect(await page.locator("main h2").first().isVisible()).toBe(true)
        await auditLooks(page, `site/${path}`, path === "index.html" ? frameLooks : undefined)
      }
    }))

  it("is searched by keyboard alone, and leads to the heading", async () => {
    await visit(browser, base, desktop, async (page) => {
      await page.goto(`${base}decisions/index.html`)
      await page.getByRole("combobox", { name: "Search" }).waitFor()
      await page.keyboard.press("/")
      await page.keyboard.type("trial balance")
      await page.getByRole("option").first().waitFor()
      await page.keyboard.press("Escape")
      await page.keyboard.type("held deposits")
      await expect.poll(() => page.getByRole("option").first().textContent()).toContain("Held deposits")
      await page.keyboard.press("Enter")
      await expect.poll(() => page.url()).toBe(`${base}concepts/holds.html#held-deposits`)
    })
  })

  it("opens its navigation on a phone, and remembers the theme", async () => {
    await visit(browser, base, phone, async (page) => {
      await page.goto(`${base}index.html`)
      await page.getByRole("button", { name: "Menu" }).click()
      await page.getByLabel("Theme").selectOption("dark")
      await page.getByRole("navigation").getByRole("link", { name: "Holds", exact: true }).click()
      await expect.poll(() => page.locator("h1").textContent()).toBe("Holds")
      await expect.poll(() => page.locator("html").getAttribute("data-theme")).toBe("dark")
    })
  })

  it("is complete without its script", async () => {
    await visit(browser, base, { ...phone, javaScriptEnabled: false }, async (page) => {
      await page.goto(`${base}index.html`)
      await page.getByRole("navigation").getByRole("link", { name: "Holds", exact: true }).click()
      await expect.poll(() => page.locator("h1").textContent()).toBe("Holds")
    })
  })
})
