/** The hosted page of a verification, over plain HTTP as a browser without scripts would use it (KYC-11, KYC-12). */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, operatorToken, startApi } from "../../support/http/server.ts"
import { covers } from "../../support/repository/covers.ts"
import { type Hosted, hosting } from "../../support/http/hosted-page.ts"

let api: Api
let hosted: Hosted
beforeAll(async () => {
  api = await startApi({ rate_per_second: 0 })
  hosted = hosting(api)
})
afterAll(() => api.close())

const good = { name: "Ada Obi", date_of_birth: "01/31/1990", document_type: "passport", document_number: "A7654321" }

describe("the hosted page", () => {
  covers("KYC-11", "KYC-12")
  it("shows who asks, for which tier and what for, and puts the session in progress", async () => {
    const { link, customer, session } = await hosted.begin()
    const { status, text, headers } = await hosted.open(link)
    expect([status, headers.get("content-type")]).toEqual([200, "text/html; charset=utf-8"])
    expect(text).toContain("Corridor")
    expect(text).toContain("Level 1")
    expect(text).toContain("Deposits of up to USD 50,000 in all")
    for (const name of Object.keys(good)) expect(text).toMatch(new RegExp(`<label for="${name}">[^<]+</label>`))
    expect((await session()).status).toBe("in_progress")
    expect((await customer()).kyc_status).toBe("in_progress")
  })

  covers("TIER-3")
  it.each([
    ["5000.00", { calendar: "month", time_zone: "Africa/Lagos" }, "USD 5,000 a month in Africa/Lagos"],
    ["0.50", { rolling: "P1D" }, "USD 0.50 in any 24 hours"],
    ["1000.99", "total", "USD 1,000.99 in all"],
    ["1234567.05", { rolling: "P14D" }, "USD 1,234,567.05 in any 14 days"],
    ["7.00", { rolling: "PT1H" }, "USD 7 in any 60 minutes"]
  ])("says what the level opens: %s in %j is %s", async (max_amount, window, said) => {
    const limit = { scope: "customer", tier: "tier_1", operations: ["deposit"], currency: "USD", max_amount, window }
    const made = await api.ask("/operator/v1/limits", { body: { ...limit, note: "of a test" }, key: operatorToken })
    expect(made.text).toContain('"status":true')
    const { link } = await hosted.begin()
    expect((await hosted.open(link)).text).toContain(`<dd>Deposits of up to ${said}</dd>`)
    const path = `/operator/v1/limits/${made.json.data.id}`
    await api.ask(path, { method: "PATCH", body: { status: "disabled", note: "of a test" }, key: operatorToken })
  })

  it("is not opened by a request for its head", async () => {
    const { link, session } = await hosted.begin()
    const { status, text } = await hosted.at(link, { method: "HEAD" })
    expect([status, text]).toEqual([200, ""])
    expect((await session()).status).toBe("pending")
    await hosted.open(link)
    expect((await session()).status).toBe("in_progress")
  })

  it("is a document of its own, that loads, frames and runs nothing and is not kept or named elsewhere", async () => {
    const { link } = await hosted.begin("https://shop.example:8443/back")
    const { text, headers } = await hosted.open(link)
    const policy = headers.get("content-security-policy")!
    expect(policy.split("; ")).toEqual([
      "default-src 'none'",
      "style-src 'self'",
      "img-src 'self' data:",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "form-action 'self' https://shop.example:8443"
    ])
    expect(headers.get("cache-control")).toBe("no-store")
    expect(headers.get("referrer-policy")).toBe("no-referrer")
    expect(headers.get("x-robots-tag")).toBe("noindex")
    expect(text).toMatch(/^<!doctype html><html lang="en">/)
    expect(text).not.toMatch(/<script|\sstyle=|\son\w+=|https?:\/\//)
    const sheet = /<link rel="stylesheet" href="([^"]+)">/.exec(text)![1]!
    expect((await hosted.at(new URL(sheet, `http://127.0.0.1${link}`).pathname)).headers.get("content-type")).toContain(
      "text/css"
    )
  })

  it.each([
    ["https://shop.example/?a=1&b=<2>#c", "https://shop.example/?a=1&b=<2>#c", "https://shop.example"],
    ["https://xn--bcher-kva.example/é", "https://xn--bcher-kva.example/%C3%A9", "https://xn--bcher-kva.example"],
    ["https://a;script-src.example/", "https://a;script-src.example/", undefined]
  ])("sends the customer back to %s as it was given", async (redirect_url, location, origin) => {
    const { link, session } = await hosted.begin(redirect_url)
    const { headers } = await hosted.open(link)
    expect(headers.get("content-security-policy")!.split("form-action ")[1]).toBe(
      ["'self'", ...(origin === undefined ? [] : [origin])].join(" ")
    )
    const sent = await hosted.send(link, good)
    expect([sent.status, sent.headers.get("location")]).toEqual([303, location])
    expect(await session()).toMatchObject({ status: "approved", redirect_url })
  })

  it("thanks a customer who has nowhere to go back to, and again whoever sends or opens it once more", async () => {
    const { link, session } = await hosted.begin()
    const csrf = await hosted.csrf(link)
    const sent = await hosted.send(link, good, csrf)
    expect([sent.status, sent.text]).toEqual([200, expect.stringContaining("Thank you")])
    const { updated_at } = await session()
    for (const again of [
      await hosted.send(link, { ...good, document_number: "0000" }, csrf),
      await hosted.open(link)
    ]) {
      expect([again.status, again.text]).toEqual([200, expect.stringContaining("nothing more to do")])
    }
    expect(await session()).toMatchObject({ status: "approved", updated_at })
    expect(await hosted.exceptions()).toEqual([])
  })

  it("is reached by the same link from a repeat of the keyed request that began it, though the link is kept encrypted", async () => {
    const { path } = await hosted.begin()
    const headers = { "idempotency-key": "verify-once-1" }
    const [first, again] = [await api.ask(path, { body: {}, headers }), await api.ask(path, { body: {}, headers })]
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"])
    expect((await hosted.open(new URL(again.json.data.hosted_url).pathname)).status).toBe(200)
  })

  it("hears a form that is sent twice at once a single time", async () => {
    const { link, session } = await hosted.begin("https://shop.example/")
    const csrf = await hosted.csrf(link)
    const both = await Promise.all([hosted.send(link, good, csrf), hosted.send(link, good, csrf)])
    expect(both.map(({ status }) => status)).toEqual([303, 303])
    expect((await session()).status).toBe("approved")
    expect(await hosted.exceptions()).toEqual([])
  })

  covers("CUSTOMER-7")
  it("makes what was stated the customer's profile, its number masked everywhere and kept nowhere in the clear", async () => {
    const { link, customer, id } = await hosted.begin()
    const stated = { date_of_birth: "1/31/1990", document_type: "residence_permit", document_number: "  DL-99-8877  " }
    await hosted.send(link, { ...good, ...stated })
    const { profile, tier, kyc_status } = await customer()
    expect([kyc_status, tier]).toEqual(["approved", "tier_1"])
    expect(profile).toMatchObject({ date_of_birth: "01/31/1990", id_type: "residence_permit", id_number: "******8877" })
    const { json } = await api.ask(`/v1/notifications/events?event_object_id=${id}`)
    expect(json.data[0].event_object.profile.id_number).toBe("******8877")
    const rows = await hosted.rows(id)
    expect(rows).not.toContain("DL-99")
    expect(rows).not.toContain("sealed")
  })

  it("declines a document whose number ends in 0000, and keeps nothing of what was stated", async () => {
    const { link, customer, session, id } = await hosted.begin("https://shop.example/back")
    const sent = await hosted.send(link, { ...good, document_number: "A0000" })
    expect([sent.status, sent.headers.get("location")]).toEqual([303, "https://shop.example/back"])
    expect(await session()).toMatchObject({ status: "rejected", failure_reason: "declined", hosted_url: null })
    expect(await customer()).toMatchObject({
      kyc_status: "rejected",
      tier: "tier_0",
      profile: { id_number: null, date_of_birth: null }
    })
    expect(await hosted.rows(id)).not.toContain("1990")
  })
})

describe("a form that is not as asked for", () => {
  const faults: ReadonlyArray<readonly [string, Partial<Record<keyof typeof good, string>>, ReadonlyArray<string>]> = [
    ["empty", { name: "", date_of_birth: "", document_type: "", document_number: "" }, Object.keys(good)],
    ["blank", { name: "  ", document_number: "\t" }, ["name", "document_number"]],
    ["born in no month", { date_of_birth: "13/01/1990" }, ["date_of_birth"]],
    ["born on no day", { date_of_birth: "02/30/1990" }, ["date_of_birth"]],
    ["born in another order", { date_of_birth: "1990-01-31" }, ["date_of_birth"]],
    ["yet to be born", { date_of_birth: "01/31/2199" }, ["date_of_birth"]],
    ["of another document", { document_type: "library_card" }, ["document_type"]],
    ["with too long a name", { name: "x".repeat(256) }, ["name"]],
    ["with too long a number", { document_number: "9".repeat(65) }, ["document_number"]]
  ]
  it.each(faults)(
    "%s comes back with what is wrong beside each field, and nothing typed is lost but the number",
    async (_, change, names) => {
      const { link, session } = await hosted.begin()
      const sent = { ...good, ...change }
      const { status, text } = await hosted.send(link, sent)
      expect(status).toBe(400)
      for (const name of Object.keys(good)) {
        const control = new RegExp(`<(?:input|select)[^>]*\\sid="${name}"[^>]*>`).exec(text)![0]
        const isWrong = names.includes(name)
        expect([name, control.includes('aria-invalid="true"')]).toEqual([name, isWrong])
        expect([name, control.includes("autofocus")]).toEqual([name, name === names[0]])
        if (!isWrong) continue
        const expected = new RegExp(`<span class="fault" id="${name}-error">([^<]+)</span>`).exec(text)![1]!
        expect(control).toContain(`${name}-error`)
        expect(text).toContain(`<a href="#${name}">${expected}</a>`)
        expect(expected).toMatch(/^[A-Z]/)
      }
      expect(text).toMatch(/<title>Error: /)
      for (const name of ["name", "date_of_birth"] as const)
        if (sent[name].trim() !== "") expect(text).toContain(`value="${sent[name]}"`)
      if (names[0] !== "document_type" && sent.document_type !== "")
        expect(text).toContain(`<option value="passport" selected>`)
      if (sent.document_number.trim() !== "") expect(text).not.toContain(sent.document_number)
      expect((await session()).status).toBe("in_progress")
      expect((await hosted.send(link, good)).status).toBe(200)
      expect((await session()).status).toBe("approved")
    }
  )

  it("is shown as text, whatever was typed", async () => {
    const { link } = await hosted.begin()
    const { text } = await hosted.send(link, { ...good, name: `"><script>alert(1)</script>`, date_of_birth: "'" })
    expect(text).not.toContain("<script>")
    expect(text).toContain("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;")
  })

  it("is not heard without the page's own mark, with another link's, or as anything but a form", async () => {
    const { link, session } = await hosted.begin()
    const other = await hosted.begin()
    for (const csrf of ["", "x", await hosted.csrf(other.link)]) {
      const { status, text } = await hosted.send(link, good, csrf)
      expect([status, text]).toEqual([403, expect.stringContaining('value="Ada Obi"')])
    }
    const mark = await hosted.csrf(link)
    const json = {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...good, csrf: mark })
    }
    expect((await hosted.at(link, json)).status).toBe(400)
    const huge = {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: `csrf=${mark}&name=${"x".repeat(1_048_576)}`
    }
    expect((await hosted.at(link, huge)).status).toBe(400)
    expect((await session()).status).toBe("in_progress")
  })
})

describe("a link", () => {
  it.each(["/verify/x", `/verify/${"a".repeat(43)}`, "/verify/%00", `/verify/${"a".repeat(44)}`])(
    "%s that never was is a page that says so",
    async (path) => {
      for (const init of [
        {},
        { method: "POST", headers: { "content-type": "application/x-www-form-urlencoded" }, body: "name=x" }
      ]) {
        const { status, text, headers } = await hosted.at(path, init)
        expect([status, headers.get("content-type")]).toEqual([404, "text/html; charset=utf-8"])
        expect(text).toContain("There is no such link")
      }
    }
  )

  it("that has lapsed is a page that says so, to whoever opens it or sends its form", async () => {
    const { link, session, renew } = await hosted.begin()
    const csrf = await hosted.csrf(link)
    await hosted.advance(24 * 60 * 60)
    for (const answer of [await hosted.open(link), await hosted.send(link, good, csrf)]) {
      expect([answer.status, answer.text]).toEqual([410, expect.stringContaining("This link has expired")])
    }
    expect((await session()).status).toBe("expired")
    const next = await renew()
    expect((await hosted.open(link)).status).toBe(410)
    expect((await hosted.send(link, good, csrf)).status).toBe(410)
    expect((await session()).status).toBe("pending")
    expect((await hosted.send(next, good)).status).toBe(200)
    expect((await session()).status).toBe("approved")
    expect((await hosted.open(link)).status).toBe(200)
  })

  covers("KYC-14")
  it("has its page in the live environment, too", async () => {
    const live = await startApi({ environment: "live" })
    try {
      const answer = await live.ask(`/verify/${"a".repeat(43)}`, { key: null })
      expect(answer.status).toBe(404)
      expect(answer.text).toContain("There is no such link")
    } finally {
      await live.close()
    }
  })
})
