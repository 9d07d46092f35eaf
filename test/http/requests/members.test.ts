/** What every request may say in its own way: members that are null, members nobody knows, and names the resource shows. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Options } from "../../support/http/server.ts"
import { catalogue, fileMaxOf } from "../../support/http/successful-requests.ts"
import { covers } from "../../support/repository/covers.ts"
import { bad, odd, expectRefusal, says } from "../../support/http/refusals.ts"
import { type Stock, startStocked } from "../../support/http/stocked-server.ts"

type Json = { [key: string]: any }

let s: Stock
beforeAll(async () => {
  s = await startStocked()
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
  covers("LIST-3", "LIST-5")
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
  covers("FIELD-7")
  it.each(writes.filter((id) => fileMaxOf(id) === undefined))(
    "means absent for every optional member of %s",
    async (id) => {
      const { path, ...request } = await catalogue[id]!(s)
      const operation = s.api.contract.operationOf(request.method ?? "GET", path)!.operation as Json
      const schema = operation["requestBody"]?.content["application/json"].schema
      const body = withNulls(schema, (request.body ?? {}) as Json)
      const answer = await s.api.ask(path, { ...request, body })
      expect([answer.status, answer.json.code], `${JSON.stringify(body)} ${answer.text}`).toEqual([200, "ok"])
    }
  )

  covers("FIELD-7")
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

  covers("FIELD-7")
  it("is invalid for a required member", async () => {
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

describe("an unknown member", () => {
  covers("HTTP-9")
  it.each(ids)("has a warning from %s, in the query and in the body, and no other effect", async (id) => {
    const { path, ...request } = await catalogue[id]!(s)
    // A file has no members: they are in the query.
    const writes = (request.method ?? "GET") !== "GET" && fileMaxOf(id) === undefined
    const body = writes ? { body: { ...(request.body as object), zzzzzzzz: 1 } } : {}
    const answer = await s.api.ask(also(path, "zzzzzzzz=1"), { ...request, ...body })
    expect([answer.status, answer.json.code], answer.text).toEqual([200, "ok"])
    const found = [warned("zzzzzzzz", "parameter"), ...(writes ? [warned("zzzzzzzz", "field")] : [])]
    expect(answer.json.meta.warnings).toEqual(found)
  })

  covers("HTTP-9")
  it.each(ids)("is rejected by %s with strict handling, without an effect", async (id) => {
    const { path, ...request } = await catalogue[id]!(s)
    const headers = { ...request.headers, ...strict }
    await expectRefusal(s, { ...request, path: also(path, "zzzzzzzz=1"), headers }, odd("zzzzzzzz unknown_field"))
    if ((request.method ?? "GET") === "GET" || fileMaxOf(id) !== undefined) return
    const expected = id === "createTransfer" ? odd : bad
    const body = { ...(request.body as object), zzzzzzzz: 1 }
    await expectRefusal(s, { ...request, path, headers, body }, expected("zzzzzzzz unknown_field"))
  })

  const transfer = (more: object, options: Options = {}) =>
    s.api.ask("/v1/transfers", {
      body: { wallet_id: s.wallet, beneficiary_id: s.crypto, amount: "1", ...more },
      ...options
    })

  covers("HTTP-9")
  it("has a warning with the nearest known name", async () => {
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

  covers("HTTP-9")
  it("is found in nested objects, with its dotted path, but not in metadata", async () => {
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

  covers("HTTP-9")
  it("is found in the objects of a list, and in the recipient of a row", async () => {
    const row = { operation: "transfer", wallet_id: s.wallet, amount: "1" }
    const details = { network: "base", address: "0x52908400098527886E0F7030069857D2E4169EE7", adress: "x" }
    const beneficiary = { type: "crypto", name: "Ada", nmae: "x", currency: "USDC", details }
    const rows = [
      { ...row, beneficiary_id: s.crypto, referense: "inv-9", metadata: { referense: "1" } },
      { ...row, beneficiary }
    ]
    const body = { reference: "misspelt-1", rows }
    const found = [
      ["rows.0.referense", "rows.0.reference"],
      ["rows.1.beneficiary.details.adress", "rows.1.beneficiary.details.address"],
      ["rows.1.beneficiary.nmae", "rows.1.beneficiary.name"]
    ] as const
    const { json } = await s.api.ask("/v1/batches", { body })
    expect(json.meta.warnings).toEqual(found.map(([field, near]) => warned(field, "field", near)))
    const strictly = await s.api.ask("/v1/batches", { body, headers: strict })
    expect([strictly.status, strictly.json.meta.errors.map(({ field }: Json) => field)]).toEqual([
      400,
      found.map(([field]) => field)
    ])
  })

  covers("FIELD-7", "HTTP-9")
  it("in a tier of a fee schedule has a warning, and null is absent there", async () => {
    const tiers = [{ above: "1000.00", bps: 10, fixed: null, fixd: "0.50" }]
    const made = await s.operate("/operator/v1/fee-schedules", { body: { operation: "offramp", bps: 40, tiers } })
    expect(made.json.meta.warnings).toEqual([warned("tiers.0.fixd", "field", "tiers.0.fixed")])
    expect(made.json.data.tiers).toEqual([{ above: "1000.00", fixed: "0", bps: 10 }])
  })

  covers("HTTP-9")
  it("of a quote is checked for the operation of the quote", async () => {
    const onramp = { operation: "onramp", wallet_id: s.wallet, source_currency: "NGN", source_amount: "150000" }
    const { json } = await s.api.ask("/v1/quotes", { body: { ...onramp, beneficiary_id: s.fiat } })
    expect(json.meta.warnings).toEqual([warned("beneficiary_id", "field")])
    expect((await s.api.ask("/v1/quotes", { body: onramp })).json.meta.warnings).toBeUndefined()
  })

  covers("HTTP-9")
  it("of a webhook endpoint named events suggests categories", async () => {
    const { json } = await s.api.ask("/v1/notifications/webhooks", {
      body: { url: "http://127.0.0.1:9/hook", events: ["transfer.success"] }
    })
    expect(json.meta.warnings).toEqual([warned("events", "field")])
  })

  covers("HTTP-9")
  it("has a warning beside a refusal, which a repeat returns byte for byte", async () => {
    const headers = { "idempotency-key": "warned-refusal-1" }
    const first = await transfer({ amount: "50000", referense: "r" }, { headers })
    const again = await transfer({ amount: "50000", referense: "r" }, { headers })
    expect([first.status, first.json.meta.warnings]).toEqual([422, [warned("referense", "field", "reference")]])
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"])
    const missing = await s.api.ask("/v1/wallets/wal_1?labell=1")
    expect([missing.status, missing.json.meta.warnings]).toEqual([404, [warned("labell", "parameter")]])
  })

  covers("HTTP-9")
  it("has the warning of the first response in a repeat, strict or not", async () => {
    const headers = { "idempotency-key": "warned-answer-1" }
    const first = await transfer({ referense: "r" }, { headers })
    const again = await transfer({ referense: "r" }, { headers: { ...headers, ...strict } })
    expect(first.json.meta.warnings).toHaveLength(1)
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([200, first.text, "true"])
  })

  covers("HTTP-9")
  it("is listed with all other faults of strict handling, at most twenty", async () => {
    const { json } = await transfer({ amount: 1, referense: "r" }, { headers: strict })
    expect(json.meta.errors.map((one: Json) => `${one["field"]} ${one["code"]}`)).toEqual([
      "amount invalid_type",
      "referense unknown_field"
    ])
    expect(json.meta.warnings).toBeUndefined()
    const many = await transfer(Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`zz${i}`, 1])))
    expect(many.json.meta.warnings).toHaveLength(20)
    expect(many.json.meta.warnings[19].message).toMatch(/\(And 9980 more unknown names\.\)$/)
    const long = await transfer({ ["r".repeat(500_000)]: 1, ["__proto__"]: 1 })
    expect(long.text.length).toBeLessThan(2500)
  })

  covers("HTTP-9")
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
  ])("with Prefer: %s has the status %i", async (prefer, status) => {
    expect((await s.api.ask("/v1/wallets?zzz=1", { headers: { prefer } })).status).toBe(status)
  })
})

describe("the alternative names of members", () => {
  const ask = (path: string, body: object) => s.api.ask(path, { body })
  const amount = { source_amount: "150000" }
  const kinds = [
    [
      "/v1/offramps/quotes",
      "wallet_id",
      "source_wallet_id",
      "wallet_id",
      () => ({ beneficiary_id: s.fiat, source_amount: "10" })
    ],
    [
      "/v1/onramps/quotes",
      "destination_wallet_id",
      "wallet_id",
      "wallet_id",
      () => ({ source_currency: "NGN", ...amount })
    ],
    [
      "/v1/conversions/quotes",
      "wallet_id",
      "source_wallet_id",
      "source_wallet_id",
      () => ({ destination_wallet_id: s.tether, source_amount: "10" })
    ]
  ] as const
  const cases = kinds.flatMap(([path, ...rest]) => [
    [path, {}, ...rest] as const,
    ["/v1/quotes", { operation: path.split("/")[2]!.slice(0, -1) }, ...rest] as const
  ])

  covers("FIELD-8")
  it.each(cases)("are accepted by %s %j, the wallet's as %s or %s", async (path, more, shown, other, read, rest) => {
    for (const name of [shown, other]) {
      const { status, json } = await ask(path, { ...more, ...rest(), [name]: s.wallet })
      expect([status, json.meta.warnings], JSON.stringify(json)).toEqual([200, undefined])
      expect(
        json.data[
          path === "/v1/onramps/quotes" || json.data.operation === "onramp" ? "destination_wallet_id" : "wallet_id"
        ]
      ).toBe(s.wallet)
      // Both of one value, or one of them null, as a resource that is sent back has it.
      for (const also of [s.wallet, null])
        expect((await ask(path, { ...more, ...rest(), [shown]: also, [other]: s.wallet })).status).toBe(200)
    }
    const both = { ...more, ...rest(), [shown]: s.wallet, [other]: s.empty }
    await expectRefusal(s, { path, method: "POST", body: both }, odd(`${read === shown ? other : shown} invalid_value`))
    await expectRefusal(
      s,
      { path, method: "POST", body: { ...more, ...rest(), [shown]: "ben_1" } },
      odd(`${shown} invalid_format`)
    )
    const { json } = await ask(path, { ...more, ...rest(), [shown]: "wal_1" })
    expect(json.code).toBe("not_found")
    const none = await ask(path, { ...more, ...rest() })
    expect([none.json.code, none.json.meta.errors[0].code]).toEqual(["bad_request", "required"])
  })

  covers("FIELD-8")
  it("are in the document, with a common description", async () => {
    const of = (path: string) =>
      s.api.contract.operationOf("POST", path)!.operation["requestBody"].content["application/json"].schema
    const { properties, required } = of("/v1/offramps/quotes")
    const description =
      "The crypto wallet to debit. `wallet_id` and `source_wallet_id` are names of one member; one of them is required."
    expect([properties.wallet_id.description, properties.source_wallet_id.description]).toEqual([
      description,
      description
    ])
    expect(required).toEqual(["beneficiary_id"])
    expect(
      of("/v1/quotes").anyOf.map((one: Json) => Object.keys(one["properties"]).includes("source_wallet_id"))
    ).toEqual([false, true, true])
  })

  covers("FIELD-8")
  it("of a deposit address are its wallet's currency, or refused", async () => {
    const path = `/v1/wallets/${s.wallet}/deposit-addresses`
    const made = await s.make(path, { network: "base", currency: "USDC" })
    expect(made.currency).toBe("USDC")
    await expectRefusal(
      s,
      { path, method: "POST", body: { network: "base", currency: "USDT" } },
      odd("currency invalid_value")
    )
  })
})

describe("a replay to an inactive endpoint", () => {
  covers("WEBHOOK-10")
  it.each([
    ["nothing", { raw: "" }],
    ["an empty object", { body: {} }],
    ["no JSON", { raw: "{" }],
    ["a list", { body: [] }],
    ["another content type", { raw: "a=b", headers: { "content-type": "text/plain" } }],
    ["both an event and a time", { body: { event_id: "evt_1", since: "2026-01-31" } }],
    ["an event of no form", { body: { event_id: 7 } }],
    ["a member nobody knows", { body: { event: "evt_1" }, headers: strict }],
    ["an event that exists", { body: { event_id: "known" } }]
  ])("is 409, with %s in its body", async (_, options: Options) => {
    const path = `/v1/notifications/webhooks/${s.inactive}/replay`
    const body = JSON.stringify(options.body)?.replace("known", s.event)
    await expectRefusal(
      s,
      { path, method: "POST", ...options, ...(body === undefined ? {} : { body: JSON.parse(body) }) },
      says("invalid_status")
    )
  })

  covers("WEBHOOK-10")
  it("reports the body if the endpoint is active, and 404 if it does not exist", async () => {
    const at = (id: string) => `/v1/notifications/webhooks/${id}/replay`
    await expectRefusal(s, { path: at(s.active), method: "POST", body: {} }, bad("event_id required"))
    await expectRefusal(s, { path: at("whe_none"), method: "POST", raw: "{" }, says("not_found"))
    await expectRefusal(s, { path: at("wal_1"), method: "POST", raw: "{" }, odd("id invalid_format"))
  })
})

describe("a reference", () => {
  covers("REFERENCE-2")
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
