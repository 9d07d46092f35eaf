/** The console below a path of another server, in Chromium. */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { afterAll, expect, it } from "vitest"
import { aesGcmCipher, aesKey } from "../../src/adapters/cipher/aes-gcm.ts"
import { movableClock } from "../../src/adapters/clock/movable.ts"
import { simulatedProvider } from "../../src/adapters/provider/simulated.ts"
import { memoryStorage } from "../../src/adapters/storage/memory.ts"
import { httpWebhooks } from "../../src/adapters/webhook/http.ts"
import { mount } from "../../src/http/index.ts"
import { Corridor } from "../../src/index.ts"
import { desktop, awaitSettled, visit } from "../support/console/pages.ts"
import { describeInBrowser, launchBrowser } from "../support/http/browser.ts"
import { covers } from "../support/repository/covers.ts"

describeInBrowser("the console below a path", () => {
  const closed: Array<() => unknown> = []
  afterAll(async () => {
    for (const close of closed.toReversed()) await close()
  })

  covers("CONSOLE-1")
  it("loads its files, calls the API and links below that path", async () => {
    let listener: RequestListener = (_, response) => void response.end()
    const server = createServer((request, response) => listener(request, response))
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    closed.push(() => (server.closeAllConnections(), server.close()))
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const corridor = await Corridor.start({
      storage: memoryStorage(),
      provider: simulatedProvider({ mode: "manual", delay_ms: 0 }),
      webhooks: httpWebhooks(),
      cipher: aesGcmCipher({ keys: [aesKey(Buffer.alloc(32, 7).toString("base64"))] }),
      clock: movableClock(),
      baseUrl: `${origin}/corridor`
    })
    closed.push(() => corridor.close())
    listener = mount(corridor, { operatorToken: "op_mounted" }).listener
    const { merchant } = await corridor.merchants.create({ name: "Kora", country_code: "NG", status: "active" })
    const browser = await launchBrowser()
    await visit(browser, origin, desktop, async (page) => {
      const foreign: Array<string> = []
      page.on("request", (request) => {
        const { origin: to, pathname } = new URL(request.url())
        if (to !== "null" && (to !== origin || !pathname.startsWith("/corridor/console"))) foreign.push(request.url())
      })
      await page.goto("/corridor/console/customers")
      await page.getByLabel("Operator token or API key").fill("op_mounted")
      await page.getByRole("button", { name: "Sign in" }).click()
      await page.locator(".shell").waitFor()
      await awaitSettled(page)
      await page.getByRole("link", { name: "Movements", exact: true }).click()
      await page.waitForURL(`${origin}/corridor/console/movements`)
      await page.goto(`/corridor/console/resources/${merchant.id}`)
      await awaitSettled(page)
      await page.locator("[data-state=active].current").waitFor()
      await page.getByRole("link", { name: "Corridor", exact: true }).click()
      await page.getByRole("heading", { name: "Overview" }).waitFor()
      expect(page.url()).toBe(`${origin}/corridor/console`)
      expect(foreign).toEqual([])
    })
  })
})
