/** The walk over a list, against a model of one: items of one millisecond that cease to match between two requests. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import { createOperatorClient } from "../../src/client/index.ts"
import { readPages, type ReadQuery } from "../../src/engine/input/list-pages.ts"
import { openApi } from "../../src/http/openapi.ts"
import { resolveRef } from "../../src/http/docs/example.ts"
import { covers } from "../support/repository/covers.ts"

interface Item {
  readonly id: string
  readonly created_at: string
}

const item = (millisecond: number, order: number): Item => ({
  id: `item_${String(order).padStart(3, "0")}`,
  created_at: new Date(millisecond).toISOString()
})

/** Newest first, as lists are. */
const ordered = (items: Iterable<Item>): ReadonlyArray<Item> =>
  [...items].toSorted((a, b) => (a.created_at + a.id < b.created_at + b.id ? 1 : -1))

covers("CLIENT-4")
it("returns what matches all the time once, whatever ceases to match", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 14 }),
      fc.integer({ min: 1, max: 4 }),
      // What happens before each request: the items at these places of what is left cease to match, and one may be created.
      fc.array(fc.tuple(fc.array(fc.nat(13), { maxLength: 3 }), fc.boolean()), { maxLength: 40 }),
      async (times, per_page, changes) => {
        const initial = times.map((time, order) => item(time, order))
        let matching = ordered(initial)
        let requests = 0
        const read = async ({ page, per_page: size, created_before }: ReadQuery) => {
          const [ended, isCreated] = (requests > 0 && changes[requests]) || [[], false]
          requests++
          expect(requests).toBeLessThan(200)
          const left = matching.filter((_, at) => !ended.includes(at))
          matching = ordered(isCreated ? [...left, item(3, 100 + requests)] : left)
          const found = matching.filter(
            ({ created_at }) => created_before === undefined || created_at <= String(created_before)
          )
          const [from, count] = [((Number(page ?? 1) - 1) * Number(size)) as number, Number(size)]
          const items = found.slice(from, from + count)
          return {
            items,
            page: Number(page ?? 1),
            per_page: count,
            total: found.length,
            has_more: from + count < found.length
          }
        }
        const found: Array<string> = []
        for await (const { items } of readPages<Item>({ per_page }, true, read))
          found.push(...items.map(({ id }) => id))
        const isNew = (id: string) => id >= "item_100"
        expect(new Set(found).size).toBe(found.length)
        const steady = matching.filter(({ id }) => !isNew(id)).map(({ id }) => id)
        expect(steady.filter((id) => !found.includes(id))).toEqual([])
      }
    ),
    { numRuns: 500, seed: 7 }
  ))

it("reads a list whose oldest is first by its pages, although it takes a time", async () => {
  const items = Array.from({ length: 450 }, (_, n) => ({
    id: `item_${n}`,
    created_at: new Date(1e12 + n).toISOString()
  }))
  const read = async ({ created_before, page, per_page }: ReadQuery) => {
    const before = items.filter(
      ({ created_at }) => created_before === undefined || created_at <= String(created_before)
    )
    const [number, size] = [Number(page ?? 1), Number(per_page)]
    const shown = before.slice((number - 1) * size, number * size)
    return { items: shown, page: number, per_page: size, total: before.length, has_more: number * size < before.length }
  }
  const found: Array<string> = []
  for await (const page of readPages<(typeof items)[number]>({}, true, read))
    found.push(...page.items.map(({ id }) => id))
  expect(found).toEqual(items.map(({ id }) => id))
})

covers("CLIENT-4")
it("can go on from a time in every list that takes one: each of its items has a time", () => {
  const document = openApi({ base_url: "https://a.example", docs_url: "https://a.example/docs", environment: "test" })
  interface Get {
    readonly parameters: ReadonlyArray<object>
    readonly responses: {
      readonly "200": { readonly content: { readonly "application/json": { readonly schema: object } } }
    }
  }
  const lists = Object.entries(document["paths"] as Record<string, { readonly get?: Get }>).flatMap(
    ([path, { get }]) =>
      get?.parameters.some((one) => resolveRef(one, document)["name"] === "created_before") ? [{ path, get }] : []
  )
  expect(lists.length).toBeGreaterThan(20)
  const times = ["created_at", "event_created_at", "at"]
  const without = lists.filter(({ get }) => {
    const body = resolveRef(get.responses["200"].content["application/json"].schema, document)
    const { items } = resolveRef(body["properties"].data, document)
    if (items === undefined) return false
    const { properties } = resolveRef(items, document)
    return !times.some((time) => time in properties)
  })
  expect(without.map(({ path }) => path)).toEqual([])
})

covers("CLIENT-4")
it("returns each item of a list once that is not in the order of its times", async () => {
  const breaks = [
    { id: "brk_1", severity: "high", created_at: "2026-01-01T00:00:00.000Z" },
    { id: "brk_3", severity: "high", created_at: "2026-01-03T00:00:00.000Z" },
    { id: "brk_2", severity: "low", created_at: "2026-01-02T00:00:00.000Z" },
    { id: "brk_4", severity: "low", created_at: "2026-01-04T00:00:00.000Z" }
  ]
  const operator = createOperatorClient({
    baseUrl: "http://127.0.0.1:1",
    token: "op_token",
    fetch: async (url) => {
      const asked = new URL(url).searchParams
      const before = asked.get("created_before") ?? "9"
      const [page, per_page] = [Number(asked.get("page") ?? 1), Number(asked.get("per_page"))]
      const found = breaks.filter(({ created_at }) => created_at <= before)
      const meta = {
        request_id: "req_1",
        page,
        per_page,
        total: found.length,
        has_more: page * per_page < found.length
      }
      const data = found.slice((page - 1) * per_page, page * per_page)
      return new Response(JSON.stringify({ status: true, code: "ok", message: "OK", data, meta }))
    }
  })
  const found: Array<string> = []
  for await (const { id } of operator.breaks.list({ order: "urgent", per_page: 1 })) found.push(id)
  expect(found).toEqual(["brk_1", "brk_3", "brk_2", "brk_4"])
})
