/** What every request may say in its own way: members that are null, members nobody knows, and names the resource shows. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Options } from "../support/api.ts"
import { catalogue } from "../support/catalogue.ts"
import { covers } from "../support/covers.ts"
import { bad, odd, refused } from "../support/refusals.ts"
import { type Stock, stocked } from "../support/stock.ts"

type Json = { [key: string]: any }

let s: Stock
beforeAll(async () => {
  s = await stocked()
})
afterAll(() => s.api.close())

/** The body with every optional member it leaves out as null, nested ones too. */
const withNulls = (schema: Json | undefined, body: Json): Json => {
  const { properties = {}, required = [] } = schema?.["anyOf"]?.at(-1) ?? schema ?? {}
  const out: Json = { ...body }
  for (const [name, member] of Object.entries<Json>(properties)) {
    if (required.includes(name)) continue
    if (body[name] === undefined) out[name] = null
    else if (member["properties"] !== undefined) out[name] = withNulls(member, body[name])
  }
  return out
}

const also = (path: string, query: string): string => path + (path.includes("?") ? "&" : "?") + query
const ids = Object.keys(catalogue)
const writes = ids.filter((id) => !/^(?:get|list|feed)/.test(id))

describe("the last page of a list", () => {
  covers("interface/common/has-more", "decisions/2/13")
  it.each(ids.filter((id) => id.startsWith("list")))(
    "of %s says so when it is full, and the one before does not",
    async (id) => {
      const { path, ...request } = await catalogue[id]!(s)
      const page = async (query: string) => {
        const { json } = await s.api.ask(also(path, query), request)
        return [json.data.length, json.meta.has_more]
      }
      const { total } = (await s.api.ask(path, request)).json.meta
      const most = Math.min(total, 200)
      if (total <= 200) expect(await page(`per_page=${total}`)).toEqual([total, false])
      expect(await page(`per_page=1&page=${total}`)).toEqual([1, false])
      if (most > 1) expect(await page(`per_page=1&page=${total - 1}`)).toEqual([1, true])
      expect(await page(`per_page=1&page=${total + 1}`)).toEqual([0, false])
    }
  )
})

describe("null", () => {
  covers("decisions/15/19")
  it.each(writes)("is absent in every optional member of %s", async (id) => {
    const { path, ...request } = await catalogue[id]!(s)
    const operation = s.api.contract.operationOf(request.method ?? "GET", path)!.operation as Json
    const schema = operation["requestBody"]?.content["application/json"].schema
    const body = withNulls(schema, (request.body ?? {}) as Json)
    const answer = await s.api.ask(path, { ...request, body })
    expect([answer.status, answer.json.code], `${JSON.stringify(body)} ${answer.text}`).toEqual([200, "ok"])
  })

  covers("decisions/15/19")
  it("changes nothing on an update, at any depth, and is no value of metadata", async () => {
    const profile = {
      phone: "+2348012345678",
      address: { line1: "1 Marina", line2: "Flat 2", city: "Lagos", country_code: "NG" }
    }
    const made = await s.make("/v1/customers", {
      type: "individual",
      name: "Ada",
      email: "ada@example.com",
      country_code: "NG",
      merchant_reference: "a-1",
      profile: { ...profile, id_number: null }
    })
    const change = (body: object) => s.api.ask(`/v1/customers/${made.id}`, { method: "PATCH", body })
    const changed = await change({
      name: null,
      merchant_reference: null,
      metadata: null,
      profile: { phone: null, address: { ...profile.address, line2: null } }
    })
    expect(changed.json.data).toMatchObject({
      name: "Ada",
      merchant_reference: "a-1",
      profile: { phone: profile.phone, address: { line1: "1 Marina", line2: null } }
    })
    expect((await change({ metadata: { a: null } })).json.meta.errors[0]).toMatchObject({ field: "metadata.a" })
  })

  covers("decisions/15/19")
  it("is still no value of a member that is required", async () => {
    const { json } = await s.api.ask("/v1/transfers", {
      body: { wallet_id: null, beneficiary_id: s.crypto, amount: null, reference: null }
    })
    expect(json.meta.errors.map((one: Json) => `${one["field"]} ${one["code"]}`)).toEqual([
      "wallet_id invalid_type",
      "amount invalid_type"
    ])
  })
})

const strict = { prefer: "handling=strict" }
const warned = (field: string, noun: string, near?: string) => ({
  field,
  message: `\`${field}\` is not a ${noun} of this request.${near === undefined ? "" : ` Did you mean \`${near}\`?`}`
})

describe("a member that nobody knows", () => {
  covers("decisions/15/1")
  it.each(ids)("is warned about by %s, in its query and in its body, and changes nothing else", async (id) => {
    const { path, ...request } = await catalogue[id]!(s)
    const writes = (request.method ?? "GET") !== "GET"
    const body = writes ? { body: { ...(request.body as object), zzzzzzzz: 1 } } : {}
    const answer = await s.api.ask(also(path, "zzzzzzzz=1"), { ...request, ...body })
    expect([answer.status, answer.json.code], answer.text).toEqual([200, "ok"])
    const found = [warned("zzzzzzzz", "parameter"), ...(writes ? [warned("zzzzzzzz", "field")] : [])]
    expect(answer.json.meta.warnings).toEqual(found)
  })

  covers("decisions/15/1")
  it.each(ids)("is refused by %s where strict handling is asked for, and nothing happens", async (id) => {
    const { path, ...request } = await catalogue[id]!(s)
    const headers = { ...request.headers, ...strict }
    await refused(s, { ...request, path: also(path, "zzzzzzzz=1"), headers }, odd("zzzzzzzz unknown_field"))
    if ((request.method ?? "GET") === "GET") return
    const said = id === "createTransfer" ? odd : bad
    const body = { ...(request.body as object), zzzzzzzz: 1 }
    await refused(s, { ...request, path, headers, body }, said("zzzzzzzz unknown_field"))
  })

  const transfer = (more: object, options: Options = {}) =>
    s.api.ask("/v1/transfers", {
      body: { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1", ...more },
      ...options
    })

  covers("decisions/15/1")
  it("is told with the name that is near", async () => {
    const { json } = await transfer({ retry_on_failiure: true, referense: "inv-9", walletId: "x", sourceCurrency: "x" })
    expect(json.meta.warnings).toEqual([
      warned("retry_on_failiure", "field", "retry_on_failure"),
      warned("referense", "field", "reference"),
      warned("walletId", "field", "wallet_id"),
      warned("sourceCurrency", "field", "source_currency")
    ])
    const listed = await s.api.ask("/v1/transfers?perpage=1&statsu=success&after=1")
    expect(listed.json.meta.warnings).toEqual([
      warned("perpage", "parameter", "per_page"),
      warned("statsu", "parameter", "status"),
      warned("after", "parameter")
    ])
  })

  covers("decisions/15/1")
  it("is found in what is nested, by its dotted path, and never in metadata", async () => {
    const { json } = await s.api.ask("/v1/customers", {
      body: {
        type: "individual",
        name: "Ada",
        email: "ada@example.com",
        country_code: "NG",
        metadata: { referense: "1", nmae: "2" },
        profile: { phon: "x", address: { line1: "1", city: "Lagos", country_code: "NG", line_2: "x" } }
      }
    })
    expect(json.data.metadata).toEqual({ referense: "1", nmae: "2" })
    expect(json.meta.warnings).toEqual([
      warned("profile.address.line_2", "field", "profile.address.line2"),
      warned("profile.phon", "field", "profile.phone")
    ])
  })

  covers("decisions/15/1")
  it("of a quote is told by the operation that the quote is of", async () => {
    const onramp = { operation: "onramp", wallet_id: s.wallet, source_currency: "NGN", source_amount: "150000" }
    const { json } = await s.api.ask("/v1/quotes", { body: { ...onramp, beneficiary_id: s.fiat } })
    expect(json.meta.warnings).toEqual([warned("beneficiary_id", "field")])
    expect((await s.api.ask("/v1/quotes", { body: onramp })).json.meta.warnings).toBeUndefined()
  })

  covers("decisions/15/1")
  it("of a webhook endpoint may be the events that somebody meant to choose", async () => {
    const { json } = await s.api.ask("/v1/notifications/webhooks", {
      body: { url: "http://127.0.0.1:9/hook", events: ["transfer.success"] }
    })
    expect(json.meta.warnings).toEqual([warned("events", "field")])
  })

  covers("decisions/15/1")
  it("is told beside a refusal, which a repeat is given byte for byte", async () => {
    const headers = { "idempotency-key": "warned-refusal-1" }
    const first = await transfer({ amount: "999999", referense: "r" }, { headers })
    const again = await transfer({ amount: "999999", referense: "r" }, { headers })
    expect([first.status, first.json.meta.warnings]).toEqual([422, [warned("referense", "field", "reference")]])
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"])
    const missing = await s.api.ask("/v1/wallets/wal_1?labell=1")
    expect([missing.status, missing.json.meta.warnings]).toEqual([404, [warned("labell", "parameter")]])
  })

  covers("decisions/15/1")
  it("is told again by a repeat of the answer it was told with, strict or not", async () => {
    const headers = { "idempotency-key": "warned-answer-1" }
    const first = await transfer({ referense: "r" }, { headers })
    const again = await transfer({ referense: "r" }, { headers: { ...headers, ...strict } })
    expect(first.json.meta.warnings).toHaveLength(1)
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"])
  })

  covers("decisions/15/1")
  it("is named with everything else that strict handling finds, and by twenty at most", async () => {
    const { json } = await transfer({ amount: 1, referense: "r" }, { headers: strict })
    expect(json.meta.errors.map((one: Json) => `${one["field"]} ${one["code"]}`)).toEqual([
      "amount invalid_type",
      "referense unknown_field"
    ])
    expect(json.meta.warnings).toBeUndefined()
    const many = await transfer(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`zz${i}`, 1])))
    expect(many.json.meta.warnings).toHaveLength(20)
    expect(many.json.meta.warnings[19].message).toMatch(/\(And 9980 more that are not known\.\)$/)
    const long = await transfer({ ["r".repeat(500_000)]: 1, ["__proto__"]: 1 })
    expect(long.text.length).toBeLessThan(2500)
  })

  covers("decisions/15/1")
  it.each([
    ["handling=strict", 400],
    ["HANDLING = Strict", 400],
    ['respond-async, handling="strict"; foo=bar', 400],
    ['foo="a, handling=lenient", handling=strict', 400],
    ["handling=lenient", 200],
    ["handling=lenient, handling=strict", 200],
    ['foo="handling=strict"', 200],
    ["handlings=strict", 200],
    ["strict", 200]
  ])("with Prefer: %s is answered %i", async (prefer, status) => {
    expect((await s.api.ask("/v1/wallets?zzz=1", { headers: { prefer } })).status).toBe(status)
  })
})

describe("a reference", () => {
  covers("decisions/15/18")
  it.each(["INV/2026/1", "a b", "é", "№ 7 (Ⅳ)", "x".repeat(128), "𐍈".repeat(128), "💸", "=1+1", "%2F?&#"])(
    "may be %s, and finds its movement again",
    async (reference) => {
      const transfer = { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1" }
      const made = await s.make("/v1/transfers", { ...transfer, reference })
      expect(made.reference).toBe(reference)
      const found = await s.api.ask(`/v1/transfers?reference=${encodeURIComponent(reference)}`)
      expect(found.json.data.map((one: Json) => one["id"])).toEqual([made.id])
      expect((await s.quote({ reference })).reference).toBe(reference)
    }
  )
})
