/** A walk through pages: each is accessible, complete, and shows what strangers entered as text. */
import { expect } from "vitest"
import { auditLooks, desktop, follow, signIn } from "./pages.ts"
import type { Served } from "./served.ts"

/** `pages`: the path below `/console`, and the heading. */
export const tour = (
  served: Served,
  token: string,
  pages: ReadonlyArray<readonly [path: string, heading: string | RegExp]>
): Promise<void> =>
  served.visit(desktop, async (page) => {
    await signIn(page, token)
    // One run says what is wrong with every page.
    const faults: Array<string> = []
    for (const [path, heading] of pages) {
      await follow(page, `/console${path}`)
      // The page before may stand for a while.
      let found = ""
      await expect
        .poll(async () => [path, (found = (await page.locator("h1").textContent()) ?? "")])
        .toEqual([path, typeof heading === "string" ? heading : expect.stringMatching(heading)])
      expect([path, await page.locator(".failure").allTextContents()]).toEqual([path, []])
      expect([path, await page.locator("main img, main script").count()]).toEqual([path, 0])
      // The title follows the heading.
      await expect.poll(async () => [path, await page.title()]).toEqual([path, `${found} · Corridor`])
      await auditLooks(page, path.slice(1).replaceAll(/[^a-z-]+.*$/g, "") || "home").catch((fault: unknown) =>
        faults.push(`${path}: ${String((fault as { readonly actual?: unknown }).actual ?? fault)}`)
      )
    }
    expect(faults).toEqual([])
  })
