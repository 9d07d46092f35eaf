/** A sceptical customer's reads: what was given comes back, versions and lists keep their word, and so do deliveries. */
import { createServer, type IncomingHttpHeaders } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { HttpWebhookSink } from "../../../src/adapters/webhook/http.ts"
import { catalogue } from "../../support/http/successful-requests.ts"
import { solana, type Stock, startStocked } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
const received: Array<{ readonly headers: IncomingHttpHeaders; readonly body: string }> = []
const receiver = createServer((request, response) => {
  let body = ""
  request.on("data", (chunk) => {
    body += chunk
  })
  request.on("end", () => {
    received.push({ headers: request.headers, body })
    response.writeHead(204).end()
  })
})

beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  s = await startStocked({
    sink: HttpWebhookSink.layer({ environment: "test", timeout_ms: 2000, user_agent: "Corridor/test" })
  })
})
afterAll(async () => {
  receiver.closeAllConnections()
  receiver.close()
  await s.api.close()
})

const data = async (path: string): Promise<any> => {
  const { json, status, text } = await s.api.ask(path)
  expect(status, text).toBe(200)
  return json.data
}
const transfer = () => s.make("/v1/transfers", { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" })

describe("metadata and texts", () => {
  covers("FIELD-3", "FIELD-4")
  it("are returned unchanged", async () => {
    const metadata = JSON.parse(
      `{"__proto__":"a","constructor":"b","10":"c","2":"d","é😀":" \\n","a.b":"","k${"x".repeat(63)}":"${"y".repeat(500)}"}`
    )
    const { id } = await s.make("/v1/wallets", { currency: "USDC", label: " <b>😀</b> ", metadata })
    const kept = (await s.api.ask(`/v1/wallets/${id}`)).json.data
    expect(JSON.stringify(Object.entries(kept.metadata).sort())).toBe(JSON.stringify(Object.entries(metadata).sort()))
    expect(kept.label).toBe(" <b>😀</b> ")
  })

  covers("FIELD-9")
  it("are replaced as a whole by a PATCH, and a profile is merged", async () => {
    const body = { type: "individual", name: "Ada", email: "ada@example.com", country_code: "NG", metadata: { a: "1" } }
    const { id } = await s.make("/v1/customers", {
      ...body,
      profile: { phone: "+2348012345678", id_number: "A1234567" }
    })
    const change = { metadata: { b: "2" }, profile: { date_of_birth: "01/31/1990" } }
    const { json } = await s.api.ask(`/v1/customers/${id}`, { method: "PATCH", body: change })
    expect(json.data).toMatchObject({
      metadata: { b: "2" },
      profile: { phone: "+2348012345678", date_of_birth: "01/31/1990", id_number: "****4567" }
    })
    expect(json.data.metadata).toEqual({ b: "2" })
    expect((await data(`/v1/customers/${id}`)).updated_at).toBe(json.data.updated_at)
  })
})

describe("versions", () => {
  // Reports, and what is no resource of its own, have no version.
  const unversioned =
    /^get(?:Me$|ActingOperator|TrialBalance|History|Provider|Sandbox|Resource|Stat|AllStat|WalletStatement)|(?:Timeline|Totals|Summary|Health)$/
  const reads = Object.entries(catalogue).filter(([id]) => id.startsWith("get") && !unversioned.test(id))
  it.each(reads)("%s returns a strong ETag, which is stable until a change", async (_, call) => {
    const { path, ...request } = await call(s)
    const [first, again] = [await s.api.ask(path, request), await s.api.ask(path, request)]
    expect(first.headers.get("etag")).toMatch(/^"[^"]+"$/)
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"))
  })

  covers("HTTP-12", "HTTP-11")
  it("change with the balance of a wallet, and a change on an old version is rejected", async () => {
    const path = `/v1/wallets/${s.wallet}`
    const before = (await s.api.ask(path)).headers.get("etag")!
    await transfer()
    const after = (await s.api.ask(path)).headers.get("etag")!
    expect(after).not.toBe(before)
    const patch = (match: string) =>
      s.api.ask(path, { method: "PATCH", body: { label: "x" }, headers: { "if-match": match } })
    expect((await patch(before)).json.code).toBe("conflict")
    expect((await patch(after)).status).toBe(200)
    expect((await patch("*")).status).toBe(200)
  })
})

describe("lists", () => {
  covers("LIST-2", "LIST-3")
  it("are ordered newest first, then by id, and end at the total", async () => {
    await Promise.all(Array.from({ length: 12 }, () => s.make("/v1/wallets", { currency: "USDT" })))
    const whole = await data("/v1/wallets?currency=USDT&per_page=200")
    const sorted = [...whole].sort((a, b) =>
      a.created_at === b.created_at ? (a.id < b.id ? 1 : -1) : a.created_at < b.created_at ? 1 : -1
    )
    expect(whole.map((one: any) => one.id)).toEqual(sorted.map((one) => one.id))
    const seen: Array<string> = []
    for (let page = 1; ; page++) {
      const { json } = await s.api.ask(`/v1/wallets?currency=USDT&per_page=4&page=${page}`)
      seen.push(...json.data.map((one: any) => one.id))
      expect(json.meta).toMatchObject({ page, per_page: 4, total: whole.length, has_more: page * 4 < whole.length })
      if (!json.meta.has_more) break
    }
    expect(seen).toEqual(whole.map((one: any) => one.id))
  })

  covers("LIST-4")
  it.each([
    "/v1/wallets",
    "/v1/customers",
    "/v1/beneficiaries",
    "/v1/transfers",
    "/v1/offramps",
    "/v1/transactions",
    "/v1/api-keys",
    "/v1/notifications/webhooks"
  ])("of %s include the instant and the day of a creation in their bounds", async (path) => {
    const all = await data(`${path}?per_page=200`)
    const { id, created_at } = all[0]
    const day = created_at.slice(0, 10)
    const later = new Date(Date.parse(created_at) + 1).toISOString()
    const earlier = new Date(Date.parse(created_at) - 1).toISOString()
    const has = async (query: string) => (await data(`${path}?per_page=200&${query}`)).some((one: any) => one.id === id)
    for (const inside of [
      `created_after=${created_at}`,
      `created_before=${created_at}`,
      `created_after=${day}`,
      `created_before=${day}`,
      `created_after=${created_at}&created_before=${created_at}`
    ]) {
      expect([inside, await has(inside)]).toEqual([inside, true])
    }
    const turned = `created_after=${later}&created_before=${earlier}`
    for (const outside of [`created_after=${later}`, `created_before=${earlier}`, turned]) {
      expect([outside, await has(outside)]).toEqual([outside, false])
    }
  })

  covers("LIST-5")
  it.each([
    "/v1/wallets?currency",
    "/v1/wallets?customer_id",
    "/v1/beneficiaries?currency",
    "/v1/transfers?reference",
    "/v1/transfers?wallet_id",
    "/v1/offramps?customer_id",
    "/v1/transactions?source_currency",
    "/v1/currencies?code",
    "/v1/notifications/events?event_object_id"
  ])("filtered at %s by values without a match are empty pages", async (path) => {
    for (const value of ["", "nothing", "%00", "%25", "'%3B--", "%F0%9F%92%B8", "%FF", "x".repeat(3000)]) {
      expect([value, await data(`${path}=${value}`)]).toEqual([value, []])
    }
  })

  covers("LIST-5", "CURRENCY-2")
  it("of reference data are ordered by code, and page like the others", async () => {
    for (const path of ["/v1/currencies", "/v1/countries", "/v1/providers"]) {
      const { json } = await s.api.ask(`${path}?per_page=200`)
      const codes = json.data.map((one: any) => one.code)
      expect(codes).toEqual([...codes].sort())
      const second = await s.api.ask(`${path}?per_page=2&page=2`)
      expect(second.json.data.map((one: any) => one.code)).toEqual(codes.slice(2, 4))
      expect(second.json.meta).toMatchObject({ page: 2, per_page: 2, total: codes.length, has_more: codes.length > 4 })
    }
  })

  covers("CURRENCY-6", "ENVELOPE-12")
  it("of currencies with a customer_id name the restrictions of the customer and their documentation", async () => {
    const rows = await data(`/v1/currencies?customer_id=${s.customer}&per_page=200`)
    const [restricted] = rows.filter((row: any) => row.customer_restrictions !== undefined)
    expect(restricted).toMatchObject({ type: "fiat", can_deposit: false })
    const { docs_url } = restricted.customer_restrictions[0].next_steps
    expect(docs_url).toMatch(/^http:\/\/corridor\.test\/docs\//)
    const page = await fetch(docs_url.replace("http://corridor.test", s.api.base))
    expect([page.status, page.headers.get("content-type")]).toEqual([200, expect.stringContaining("text/html")])
    expect(rows.filter((row: any) => row.type === "crypto" && row.customer_restrictions !== undefined)).toEqual([])
    for (const row of await data("/v1/currencies?per_page=200")) expect(row.customer_restrictions).toBeUndefined()
    const own = await data(`/v1/currencies?customer_id=${s.default_customer}&per_page=200`)
    for (const row of own) expect(row.customer_restrictions).toBeUndefined()
  })
})

describe("deliveries", () => {
  covers(
    "SIGNATURE-1",
    "EVENT-1",
    "EVENT-2",
    "EVENT-3",
    "EVENT-4",
    "EVENT-5",
    "EVENT-6",
    "EVENT-7",
    "SIGNATURE-7",
    "DELIVERY-1",
    "EVENT-28"
  )
  it("have the body of GET event and a Standard Webhooks signature, each with its own id", async () => {
    const { port } = receiver.address() as AddressInfo
    const hooks = "/v1/notifications/webhooks"
    const made = await s.make(hooks, { url: `http://127.0.0.1:${port}/hook`, categories: ["transfer"] })
    expect(made).toMatchObject({
      active: false,
      categories: ["transfer"],
      signing_secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/)
    })
    await transfer()
    await s.settle()
    expect(received).toEqual([])
    await s.api.ask(`${hooks}/${made.id}`, { method: "PATCH", body: { active: true } })
    const { id } = await transfer()
    await s.make("/sandbox/deposits", { wallet_id: s.wallet, amount: "5" })
    await s.settle()
    await s.make("/sandbox/outcomes", { resource_id: id, outcome: "success" })
    await s.settle()
    expect(received.map(({ body }) => JSON.parse(body).event_type)).toEqual(["transfer.processing", "transfer.success"])
    for (const { body, headers } of received) {
      const event = new Webhook(made.signing_secret).verify(body, headers as Record<string, string>) as any
      expect(headers["webhook-id"]).toBe(`msg_${event.event_id}`)
      expect(headers).toMatchObject({ "content-type": "application/json", "user-agent": "Corridor/test" })
      expect(await data(`/v1/notifications/events/${event.event_id}`)).toEqual(event)
    }
    const log = await data(`${hooks}/${made.id}/deliveries?status=delivered`)
    expect(log.map((one: any) => [one.event_type, one.attempts.length, one.next_attempt_at])).toEqual([
      ["transfer.success", 1, null],
      ["transfer.processing", 1, null]
    ])
    const rotated = await s.make(`${hooks}/${made.id}/rotate-secret`, {})
    const first = JSON.parse(received[0]!.body)
    expect(await s.make(`${hooks}/${made.id}/replay`, { event_id: first.event_id })).toEqual({
      id: made.id,
      replayed: 1
    })
    await s.settle()
    const again = received[2]!
    expect(again.body).toBe(received[0]!.body)
    expect(again.headers["webhook-id"]).toBe(received[0]!.headers["webhook-id"])
    for (const secret of [made.signing_secret, rotated.signing_secret]) {
      expect(() => new Webhook(secret).verify(again.body, again.headers as Record<string, string>)).not.toThrow()
    }
  })
})

describe("the feed", () => {
  covers("EVENT-29")
  it("returns every event once, oldest first, with any page size", async () => {
    const whole: Array<string> = []
    for (let after = ""; ; ) {
      const page = await data(`/v1/notifications/events/feed?limit=7${after}`)
      if (page.length === 0) break
      whole.push(...page.map((one: any) => one.event_id))
      after = `&after=${whole.at(-1)}`
    }
    const { json } = await s.api.ask("/v1/notifications/events?per_page=200")
    expect(new Set(whole).size).toBe(whole.length)
    expect(json.meta.total).toBe(whole.length)
    expect([...whole].sort()).toEqual(json.data.map((one: any) => one.event_id).sort())
  })
})

describe("crypto beneficiaries", () => {
  covers("BENEFICIARY-6")
  it("stay pending until a deferred screening completes", async () => {
    expect((await data(`/v1/beneficiaries/${s.crypto_pending}`)).status).toBe("pending")
    await s.make(`/sandbox/beneficiaries/${s.crypto_pending}`, { outcome: "screened" })
    expect((await data(`/v1/beneficiaries/${s.crypto_pending}`)).status).toBe("active")
    expect((await data(`/v1/beneficiaries/${s.crypto}`)).details).toEqual({
      network: "solana",
      address: solana,
      memo: null
    })
  })
})
