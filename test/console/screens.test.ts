/** Every page of the console in Chromium, with hostile rows and with none: accessible, complete, and as text what strangers enter. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Crowded, seedCrowded } from "../support/console/crowded.ts"
import { everyMerchantPage, everyOperatorPage, type PageShown } from "../support/console/every-page.ts"
import { audit, desktop, expectFit, follow, signIn, visit } from "../support/console/pages.ts"
import { tour } from "../support/console/tour.ts"
import { describeInBrowser, launchBrowser } from "../support/http/browser.ts"
import { type Api, operatorToken, startApi } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"
import { layoutOf } from "../support/console/layout.ts"
import { read } from "../support/repository/source.ts"
import { inTurn } from "../support/repository/turns.ts"

/** The routes of operators and of merchants, as `routes.tsx` declares them. */
const [operatorRoutes, merchantRoutes] = read("src/console/routes.tsx")
  .split("export const merchantPages")
  .map((text) => [...text.matchAll(/path: "([^"]+)"/g)].map(([, path]) => path!)) as [Array<string>, Array<string>]

/** The routes that none of the pages has. */
const without = (routes: ReadonlyArray<string>, pages: ReadonlyArray<PageShown>): ReadonlyArray<string> =>
  routes.filter((route) => {
    const form = new RegExp(`^${route.replaceAll(/:\w+/g, "[^/]+")}$`)
    return !pages.some(([path]) => form.test(path.split("?")[0]!))
  })

/** The layouts that are compared. `CORRIDOR_LAYOUTS=1` writes what stands there now. */
const layouts = join(import.meta.dirname, "layouts.json")

describeInBrowser("the pages with hostile rows", () => {
  let served: Crowded
  beforeAll(async () => {
    served = await seedCrowded()
  })
  afterAll(() => served?.close())

  covers("CONSOLE-28")
  it("are all pages that there are", () => {
    expect(operatorRoutes.length).toBeGreaterThan(30)
    expect(merchantRoutes.length).toBeGreaterThan(20)
    expect(without(operatorRoutes, everyOperatorPage(served))).toEqual([])
    expect(without(merchantRoutes, everyMerchantPage(served))).toEqual([])
  })

  covers("CONSOLE-7")
  it("are accessible and complete for operators, in light and dark, at two widths", () =>
    tour(
      served,
      operatorToken,
      inTurn("the pages of operators", everyOperatorPage(served), ([, heading]) => String(heading))
    ))

  covers("CONSOLE-7")
  it("are accessible and complete for merchants, in light and dark, at two widths", () =>
    tour(
      served,
      served.stock.api.key,
      inTurn("the pages of merchants", everyMerchantPage(served), ([, heading]) => String(heading))
    ))

  covers("CONSOLE-29")
  it("are laid out as they were, on a phone and on a wide screen: twelve of them", async () => {
    const { account, batch, day, endpoint, stock, tried } = served
    const found: Record<string, ReadonlyArray<string>> = {}
    for (const [who, token, paths] of [
      [
        "operator",
        operatorToken,
        {
          Overview: "/",
          Movements: "/movements",
          Payout: `/resources/${tried}`,
          Exceptions: "/exceptions",
          Approvals: "/approvals?status=all",
          Reconciliation: "/reconciliation",
          Day: `/reconciliation/${account}?date=${day}`,
          Statistics: "/statistics"
        }
      ],
      [
        "merchant",
        stock.api.key,
        {
          Pay: `/pay?beneficiary_id=${stock.fiat}`,
          Wallet: `/wallets/${stock.wallet}`,
          Batch: `/batches/${batch}`,
          Endpoint: `/webhooks/${endpoint}`
        }
      ]
    ] as const)
      await served.visit(desktop, async (page) => {
        await signIn(page, token)
        for (const [name, path] of Object.entries(paths)) {
          await follow(page, `/console${path}`)
          for (const width of [390, 1440]) found[`${who}: ${name}, ${width}`] = await layoutOf(page, width)
        }
      })
    if (process.env["CORRIDOR_LAYOUTS"] === "1") writeFileSync(layouts, `${JSON.stringify(found, null, 2)}\n`)
    expect(found).toEqual(JSON.parse(readFileSync(layouts, "utf8")))
  })
})

describeInBrowser("the pages of an empty store", () => {
  let api: Api
  beforeAll(async () => {
    api = await startApi({ rate_per_second: 0 })
  })
  afterAll(() => api?.close())

  covers("CONSOLE-28")
  it.each([
    ["operators", operatorRoutes],
    ["merchants", merchantRoutes]
  ] as const)("fit their screen, and are accessible: of %s", async (who, routes) =>
    visit(await launchBrowser(), api.base, desktop, async (page) => {
      await signIn(page, who === "operators" ? operatorToken : api.key)
      const paths = routes.filter((route) => !route.includes(":"))
      const audited = inTurn(`the empty pages of ${who}`, paths, (path) => path)
      for (const path of paths) {
        await follow(page, `/console${path}`)
        expect([path, await page.locator(".failure").allTextContents()]).toEqual([path, []])
        if (audited.includes(path)) await audit(page)
        await expectFit(page, path)
      }
    })
  )
})
