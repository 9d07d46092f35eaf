/** Lists and the feed, over a server to which others add while they are read. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Corridor, createClient } from "../../src/client/index.ts"
import { type Api, startApi } from "../support/http/server.ts"
import { covers } from "../support/repository/covers.ts"

let api: Api
let corridor: Corridor
let requests: Array<string> = []
beforeAll(async () => {
  api = await startApi({ rate_per_second: 0 })
  corridor = createClient({
    baseUrl: api.base,
    apiKey: api.key,
    fetch: (url, init) => {
      if (init.method === "GET") requests.push(url.slice(api.base.length))
      return fetch(url, init)
    }
  })
})
afterAll(() => api.close())

const person = (name: string) => ({
  type: "individual" as const,
  name,
  email: "a@example.com",
  country_code: "NG"
})

/** Creates customers one after another; the result has the newest first. */
const made = async (count: number): Promise<ReadonlyArray<string>> => {
  const ids: Array<string> = []
  for (let at = 0; at < count; at++) ids.unshift((await corridor.customers.create(person(`Ada ${at}`))).id)
  return ids
}

describe("a list", () => {
  covers("CLIENT-4")
  it("is one page if awaited, and all items if iterated", async () => {
    const ids = await made(7)
    const query = { type: "individual", per_page: 3 } as const
    requests = []
    const list = corridor.customers.list(query)
    expect(requests).toEqual([])
    const first = await list
    expect(first).toMatchObject({ page: 1, per_page: 3, total: 7, has_more: true })
    expect(first.items.map(({ id }) => id)).toEqual(ids.slice(0, 3))
    const second = await corridor.customers.list({ ...query, page: 2 }).page()
    expect(second.items.map(({ id }) => id)).toEqual(ids.slice(3, 6))
    expect(requests).toHaveLength(2)

    const all: Array<string> = []
    for await (const { id } of list) all.push(id)
    expect(all).toEqual(ids)
    const from: Array<string> = []
    for await (const { items } of corridor.customers.list({ ...query, page: 2 }).pages())
      from.push(...items.map(({ id }) => id))
    expect(from).toEqual(ids.slice(3))
    requests = []
    const whole: Array<string> = []
    for await (const { id } of corridor.customers.list({ type: "individual" })) whole.push(id)
    expect([whole, requests]).toEqual([ids, ["/v1/customers?per_page=200&type=individual"]])
  })

  covers("CLIENT-4")
  it.each([1, 2, 3, 5])("returns each item once while %i are created before each page", async (perPage) => {
    const before = new Set<string>()
    for await (const { id } of corridor.customers.list({ type: "individual" })) before.add(id)
    const found: Array<string> = []
    for await (const { items } of corridor.customers.list({ type: "individual", per_page: 3 }).pages()) {
      found.push(...items.map(({ id }) => id))
      await made(perPage)
    }
    expect(found).toHaveLength(before.size)
    expect(new Set(found)).toEqual(before)
  })

  covers("CLIENT-4")
  it.each([1, 2, 3])(
    "leaves nothing out while others cease to match, and none of one millisecond, by %i",
    async (per_page) => {
      const wallet = await corridor.wallets.create({ currency: "USDC" })
      const input = { type: "crypto" as const, name: "Treasury", currency: "USDC" }
      const details = { network: "solana", address: "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV" } as const
      const { id: beneficiary_id } = await corridor.beneficiaries.create({ ...input, details })
      await corridor.sandbox.deposit({ wallet_id: wallet.id, amount: "100.00" })
      const pay = async () =>
        (await corridor.transfers.create({ wallet_id: wallet.id, beneficiary_id, amount: "1" })).id
      const ids = await Promise.all(Array.from({ length: 9 }, pay))
      await corridor.sandbox.settle()
      const found: Array<string> = []
      const query = { wallet_id: wallet.id, status: "processing", per_page } as const
      for await (const { id } of corridor.transfers.list(query)) {
        found.push(id)
        // Each is paid as soon as it was read: then it does not match any more.
        await corridor.sandbox.outcome({ resource_id: id, outcome: "success" })
      }
      expect(found.toSorted()).toEqual(ids.toSorted())
      expect((await corridor.transfers.list(query)).total).toBe(0)
      const all: Array<string> = []
      for await (const { id } of corridor.transfers.list({ wallet_id: wallet.id, per_page })) all.push(id)
      expect(all.toSorted()).toEqual(ids.toSorted())
    }
  )

  it("keeps its own created_before, and ends where there is nothing", async () => {
    const newest = (await corridor.customers.list({ type: "individual", per_page: 1 })).items[0]!
    await made(2)
    const found: Array<string> = []
    for await (const { id } of corridor.customers.list({ created_before: newest.created_at, per_page: 2 }))
      found.push(id)
    expect(found).toContain(newest.id)
    expect(new Set(found).size).toBe(found.length)
    for await (const one of corridor.onramps.list()) expect(one).toBeUndefined()
  })

  it("that takes no date is iterated too", async () => {
    const codes: Array<string> = []
    for await (const { code } of corridor.countries.list({ per_page: 3 })) codes.push(code)
    expect(codes.length).toBeGreaterThan(6)
    expect(new Set(codes).size).toBe(codes.length)
  })

  it("rejects with the error of the page that cannot be read", async () => {
    await expect(corridor.transfers.list({ page: 0 })).rejects.toMatchObject({ code: "invalid_input" })
    const walk = async () => {
      for await (const one of corridor.transfers.list({ page: 0 })) expect(one).toBeUndefined()
    }
    await expect(walk()).rejects.toMatchObject({ code: "invalid_input" })
  })
})

covers("CLIENT-4")
it("the feed is one part if awaited, and goes on until there are no more events if iterated", async () => {
  const wallet = await corridor.wallets.create({ currency: "USDC" })
  for (let at = 0; at < 3; at++) await corridor.sandbox.deposit({ wallet_id: wallet.id, amount: "1.00" })
  const first = await corridor.events.feed({ limit: 2 })
  expect(first).toHaveLength(2)
  const ids: Array<string> = []
  for await (const { event_id } of corridor.events.feed({ limit: 2 })) ids.push(event_id)
  expect(ids.length).toBeGreaterThanOrEqual(3)
  expect(new Set(ids).size).toBe(ids.length)
  const rest: Array<string> = []
  for await (const { event_id } of corridor.events.feed({ limit: 2, after: ids[0]! })) rest.push(event_id)
  expect(rest).toEqual(ids.slice(1))
})
