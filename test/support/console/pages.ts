/** The console in Chromium: signing in, and what is collected and judged on every page. */
import { mkdirSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import type { Browser, BrowserContextOptions, Page } from "playwright-core"
import { expect } from "vitest"
import { POLL_TIMEOUT_MS } from "../repository/poll-timeout.ts"
import { sideOf } from "../repository/turns.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** Screenshots of a run, outside of what is committed. `CORRIDOR_PICTURES=1` makes them, and those that the README shows. */
const artifacts = join(import.meta.dirname, "../../../artifacts/console")

/** What a browser complained about while it showed the pages. */
export interface Complaints {
  readonly csp: Array<string>
  readonly errors: Array<string>
}

/** A context of its own, and what the browser complained about; fails if it complained and nothing expected it. */
export const visit = async <A>(
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions,
  use: (page: Page, complaints: Complaints) => Promise<A>
): Promise<A> => {
  // Nothing fades: an audit reads a colour, and a click a place, that stays.
  const context = await browser.newContext({ baseURL, reducedMotion: "reduce", ...options })
  context.setDefaultTimeout(POLL_TIMEOUT_MS)
  const complaints: Complaints = { csp: [], errors: [] }
  try {
    await context.exposeBinding("reportViolation", (_, text: string) => void complaints.csp.push(text))
    await context.addInitScript(
      `document.addEventListener("securitypolicyviolation", (event) => reportViolation(event.violatedDirective + " " + event.blockedURI))`
    )
    const page = await context.newPage()
    page.on("pageerror", (error) => void complaints.errors.push(String(error)))
    page.on("console", (message) => {
      const text = message.text()
      if (/Content.Security.Policy/i.test(text)) complaints.csp.push(text)
      // Chromium reports each answer of 400 and above as an error of the page. Pages show them.
      else if (message.type() === "error" && !text.startsWith("Failed to load resource")) complaints.errors.push(text)
    })
    const result = await use(page, complaints)
    expect(complaints).toEqual({ csp: [], errors: [] })
    return result
  } finally {
    await context.close()
  }
}

/** Has a session begin, as the page of sign-in does, and shows the page that is asked for. */
export const signIn = async (page: Page, token: string, path = "/console"): Promise<void> => {
  const answer = await page.request.post("/console/session", { data: { token } })
  expect(answer.status(), await answer.text()).toBe(200)
  await page.goto(path)
  await page.locator(".shell").waitFor()
  await awaitSettled(page)
}

/** Goes to another page as a link does, without a reload, and waits until nothing on it is loading. */
export const follow = async (page: Page, path: string): Promise<void> => {
  // What a page reads begins after the frame that shows it.
  await page.evaluate(`new Promise((shown) => {
    history.pushState(null, "", ${JSON.stringify(path)})
    dispatchEvent(new PopStateEvent("popstate"))
    requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(shown)))
  })`)
  await awaitSettled(page)
}

/** Waits until nothing on the page is loading. */
export const awaitSettled = async (page: Page): Promise<void> => {
  await page.locator("h1").first().waitFor()
  await page.locator("main [aria-busy=true]").first().waitFor({ state: "detached" })
}

/** An audit of accessibility of the page, or of what it has beside the frame; one heading, and no horizontal scrolling of the page. */
export const audit = async (page: Page, within: "html" | "main" = "html"): Promise<void> => {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe)
  // Only what is judged is written down: to describe each element that passes takes as long as the rules.
  const found = (await page.evaluate(`axe.run("${within}", {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
    resultTypes: ["violations"],
    selectors: false,
    preload: false
  }).then(({ incomplete, passes, violations }) => ({
    violations: violations.map(({ id, nodes }) => [id, ...nodes.map(({ html, failureSummary }) => html + " " + failureSummary)]),
    ran: [...passes, ...incomplete].map(({ id }) => id)
  }))`)) as { readonly violations: ReadonlyArray<ReadonlyArray<string>>; readonly ran: ReadonlyArray<string> }
  expect(found.violations).toEqual([])
  // Under a dialog, or on a gradient, a contrast is not decided: the rule ran all the same.
  expect(found.ran).toContain("color-contrast")
  expect(await page.locator("h1").count()).toBe(1)
  expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0)
}

export const desktop = { viewport: { width: 1280, height: 900 } } as const
export const phone = { viewport: { width: 390, height: 844 } } as const

type Look = readonly [
  theme: "light" | "dark",
  viewport: { readonly width: number; readonly height: number },
  within?: "main"
]

const narrow = { width: 360, height: 800 }
const wide = { width: 1440, height: 900 }

/** Each theme at each width. What only the frame has is audited at the wide one. */
const looks: ReadonlyArray<Look> = (["light", "dark"] as const).flatMap(
  (theme): ReadonlyArray<Look> => [
    [theme, wide],
    [theme, narrow, "main"]
  ]
)
/** The frame has what only a phone shows. */
export const frameLooks: ReadonlyArray<Look> = [desktop, phone].flatMap(({ viewport }) => [
  ["light", viewport] as const,
  ["dark", viewport] as const
])

/** The look in which a page has its turn: a few commits show it in all four. */
const looksOf = (name: string): ReadonlyArray<Look> => {
  const [theme, width] = [sideOf(`the theme of ${name}`), sideOf(`the width of ${name}`)]
  if (isPictured || theme === undefined || width === undefined) return looks
  return [looks[2 * theme + width]!]
}

/**
 * From the right and from the left: how far the page reaches beyond its screen, on whichever side it is scrolled to, and the captions of
 * tables of which a part is outside of what is seen.
 */
const fitOf = `["rtl", "ltr"].map((direction) => {
  const { documentElement } = document
  documentElement.dir = direction
  const cut = [...document.querySelectorAll("main .scroll")].filter(({ clientWidth, scrollWidth }) => scrollWidth > clientWidth)
  return [innerWidth, direction, documentElement.scrollWidth - documentElement.clientWidth, cut.map((one) => one.ariaLabel)]
})`

/** Holds that the page is as wide as its screen, and no table wider than its place, on each of the screens, and from the right too. */
export const expectFit = async (page: Page, path: string): Promise<void> => {
  for (const width of [360, 390, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    const fits = ["rtl", "ltr"].map((direction) => [width, direction, 0, []])
    // A screen takes its new size a moment later.
    await expect.poll(async () => [path, await page.evaluate(fitOf)]).toEqual([path, fits])
  }
}

/** Audits the page in each look, and pictures it. It ends in light, at the width of a desktop. */
export const auditLooks = async (page: Page, name: string, these = looksOf(name)): Promise<void> => {
  for (const [colorScheme, viewport, within] of these) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize(viewport)
    await audit(page, within)
    await picture(page, `${name}-${colorScheme}-${viewport.width}`)
  }
  await page.emulateMedia({ colorScheme: "light" })
  await page.setViewportSize(desktop.viewport)
}

const isPictured = process.env["CORRIDOR_PICTURES"] === "1"

/** Keeps a picture of the page, in a run that makes pictures. */
export const picture = async (page: Page, name: string, fullPage = true): Promise<void> => {
  if (!isPictured) return
  const path = join(artifacts, `${name}.png`)
  mkdirSync(dirname(path), { recursive: true })
  await page.screenshot({ path, fullPage, animations: "disabled" })
}

/** Keeps a picture that the README shows. */
export const publishPicture = async (page: Page, name: string): Promise<void> => {
  await picture(page, `readme/${name}`, false)
  if (!isPictured) return
  const path = join(import.meta.dirname, "../../../docs/images", `${name}.png`)
  mkdirSync(dirname(path), { recursive: true })
  await page.screenshot({ path, animations: "disabled" })
}

/** Opens the drawing of the lifecycle, which is folded until it is asked for. */
export const openLifecycle = async (page: Page): Promise<void> => {
  await page.locator("summary", { hasText: /^Lifecycle/ }).click()
  await page.locator("svg [data-state].current").waitFor()
}
