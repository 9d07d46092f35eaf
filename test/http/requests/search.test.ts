/** What a person may type into the search over HTTP: any text is searched for, or refused as invalid input (SEARCH-5). */
import fc from "fast-check"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Stock, startStocked } from "../../support/http/stocked-server.ts"
import { covers } from "../../support/repository/covers.ts"

let s: Stock
beforeAll(async () => {
  s = await startStocked()
})
afterAll(() => s.api.close())

const search = (query: string) => s.operate(`/operator/v1/search?${query}`)
const of = (q: string) => search(`q=${encodeURIComponent(q)}`)

covers("SEARCH-5")
it.each([
  "",
  "q=",
  "q=a",
  "q=%20a%20",
  "q=%20%20%20",
  `q=${"x".repeat(257)}`,
  "q=a%00b",
  "q=ab&page=0",
  "q=ab&per_page=201"
])("refuses %s as invalid input, and names the field", async (query) => {
  const { json, status } = await search(query)
  expect([status, json.code]).toEqual([400, "invalid_input"])
  expect(json.meta.errors.map(({ field }: any) => field)).toEqual([
    /page/.exec(query) === null ? "q" : query.slice(5).split("=")[0]
  ])
})

it("answers any text, and finds the same with it at any time", async () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 260 }),
    fc.string({ unit: "grapheme", maxLength: 260 }),
    fc.mixedCase(
      fc.constantFrom(s.transfer, s.customer, "Ada", "1,000.00", "' or 1=1--", "%", "__", "search_id=", "\u202egnp.exe")
    )
  )
  await fc.assert(
    fc.asyncProperty(text, async (q) => {
      fc.pre(q.isWellFormed())
      const { json, status, text: body } = await of(q)
      const isValid = [...q.trim()].length > 1 && [...q].length <= 256 && !q.includes("\u0000")
      expect([status, json.code], body).toEqual(isValid ? [200, "ok"] : [400, "invalid_input"])
      if (isValid) expect((await of(q)).json.data).toEqual(json.data)
    }),
    { numRuns: 80 }
  )
})

it("is the operator's alone", async () => {
  expect((await s.api.ask("/operator/v1/search?q=Ada")).status).toBe(401)
  expect((await of(s.transfer)).json.data).toMatchObject([{ id: s.transfer, matched: ["id"] }])
})
