/** A walk through pages: each is accessible, complete, and shows what strangers entered as text. */
import type { BrowserContextOptions } from "playwright-core"
import { expect } from "vitest"
import { audit, desktop, phone, picture, settled, signIn } from "./pages.ts"
import type { Served } from "./served.ts"

type Look = readonly [theme: string, width: string, options: BrowserContextOptions]
export const looks: ReadonlyArray<Look> = [
  ["light", "1280", { ...desktop, colorScheme: "light" }],
  ["dark", "390", { ...phone, colorScheme: "dark" }]
]

/** `pages`: the path below `/console`, and the heading. */
export const tour = (
  served: Served,
  [theme, width, options]: Look,
  token: string,
  pages: ReadonlyArray<readonly [path: string, heading: string | RegExp]>
): Promise<void> =>
  served.visit(options, async (page) => {
    await signIn(page, token, "/console")
    for (const [path, heading] of pages) {
      await page.goto(`/console${path}`)
      await settled(page)
      const found = (await page.locator("h1").textContent()) ?? ""
      expect([path, found]).toEqual([path, typeof heading === "string" ? heading : expect.stringMatching(heading)])
      expect([path, await page.locator(".failure").allTextContents()]).toEqual([path, []])
      expect([path, await page.locator("main img, main script").count()]).toEqual([path, 0])
      // The title follows the heading.
      await expect.poll(async () => [path, await page.title()]).toEqual([path, `${found} · Corridor`])
      await audit(page)
      await picture(page, `${path.slice(1).replaceAll(/[^a-z-]+.*$/g, "") || "home"}-${theme}-${width}`)
    }
  })
