/** What every request may say in its own way: members that are null, members nobody knows, and names the resource shows. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { catalogue } from "../support/catalogue.ts"
import { covers } from "../support/covers.ts"
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

const writes = Object.keys(catalogue).filter((id) => !/^(?:get|list|feed)/.test(id))

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
