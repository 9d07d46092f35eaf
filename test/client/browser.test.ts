/** The client in Chromium: on a page of the service's own origin, and as a receiver that has no Node. */
import { build } from "esbuild"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, it } from "vitest"
import { sign } from "../../src/engine/crypto/signing.ts"
import { describeInBrowser, launchBrowser } from "../support/http/browser.ts"
import { type Api, startApi } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

describeInBrowser("the client in Chromium", () => {
  let api: Api
  let browser: Browser
  let script: string
  beforeAll(async () => {
    api = await startApi()
    browser = await launchBrowser()
    const { outputFiles } = await build({
      entryPoints: ["src/client/index.ts"],
      bundle: true,
      format: "esm",
      platform: "browser",
      write: false
    })
    script = outputFiles[0]!.text
  })
  afterAll(() => api?.close())

  covers("CLIENT-6")
  it("creates, reads, iterates, is refused, and verifies a delivery", async () => {
    const page = await browser.newPage()
    await page.route(`${api.base}/app`, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }))
    await page.route(`${api.base}/client.js`, (route) =>
      route.fulfill({ contentType: "text/javascript", body: script })
    )
    await page.goto(`${api.base}/app`)
    const secret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
    const body =
      '{"event_id":"evt_1","event_type":"ping","event_category":"ping","event_object_id":"x","event_object_status":"sent","event_sequence":1,"event_object":{}}'
    const signature = sign([secret], "msg_evt_1", 1_780_000_000, body)
    const found = await page.evaluate(
      // A text: the names in it are those of the page.
      `(async ([apiKey, body, secret, signature]) => {
        const { createClient, webhooks } = await import("/client.js")
        const corridor = createClient({ baseUrl: location.origin, apiKey })
        const wallet = await corridor.wallets.create({ currency: "USDC" })
        const read = await corridor.wallets.get(wallet.id)
        const ids = []
        for await (const { id } of corridor.wallets.list({ per_page: 1 })) ids.push(id)
        const refused = await corridor.transfers.get("tfr_01j9z3k4m5n6p7q8r9s0t1v2w3").catch((error) => error.code)
        const headers = { "webhook-id": "msg_evt_1", "webhook-timestamp": "1780000000", "webhook-signature": signature }
        const event = await webhooks.verify(body, headers, secret, { now: () => 1780000000000 })
        return [read.id === wallet.id, ids.includes(wallet.id), refused, event.event_id]
      })(${JSON.stringify([api.key, body, secret, signature])})`
    )
    expect(found).toEqual([true, true, "not_found", "evt_1"])
    await page.close()
  })

  covers("CLIENT-3")
  it("says that the outcome is unknown when the connection is lost", async () => {
    const page = await browser.newPage()
    await page.route(`${api.base}/app`, (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html>" }))
    await page.route(`${api.base}/client.js`, (route) =>
      route.fulfill({ contentType: "text/javascript", body: script })
    )
    await page.route(`${api.base}/v1/wallets`, (route) => route.abort("connectionreset"))
    await page.goto(`${api.base}/app`)
    const found = await page.evaluate(
      `(async (apiKey) => {
        const { createClient } = await import("/client.js")
        const corridor = createClient({ baseUrl: location.origin, apiKey, maxRetries: 0 })
        return corridor.wallets.create({ currency: "USDC" }).catch(({ name, outcome, reason }) => [name, outcome, reason])
      })(${JSON.stringify(api.key)})`
    )
    expect(found).toEqual(["CorridorConnectionError", "unknown", "network"])
    await page.close()
  })
})
