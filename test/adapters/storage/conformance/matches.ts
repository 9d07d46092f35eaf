/** Search terms over all merchants, and rows that are indexed again. */
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { readAllMatches } from "../../../../src/engine/calls/reads.ts"
import type { Match, MatchQuery } from "../../../../src/engine/ports/Storage.ts"
import { change, event, fresh, idempotency, type Nodes, range, row, T0 } from "../support.ts"

const term = (text: string): string => `search_id=${text}`
const ids = (found: ReadonlyArray<Match>) => found.map(({ id }) => id).toSorted()

export const matches = (nodes: Nodes): void => {
  const query = (over: Partial<MatchQuery>): MatchQuery => ({
    keys: [],
    prefixes: [],
    kinds: ["transfer", "customer"],
    limit: 100,
    ...over
  })
  const ask = (over: Partial<MatchQuery>) => nodes.b.matches(query(over))
  const write = async (m: string, index_keys: ReadonlyArray<string>, over: object = {}) => {
    const one = row(m, { index_keys, ...over })
    await nodes.a.commit(change(m, { rows: [one] }))
    return one
  }

  describe("a search by terms", () => {
    it("finds the rows of every merchant, by whole terms and by beginnings, each with its term", async () => {
      const [m, n] = [fresh("mer"), fresh("mer")]
      const [x, y] = [fresh("ref"), fresh("name")]
      const first = await write(m, [term(x), term(`${y} obi`)])
      const second = await write(n, [term(x), term(`${y} bisi`), `other=${x}`], { kind: "customer", id: fresh("cust") })
      await write(n, [term(`${x}x`), x, `wallet_id=${x}`])
      expect(ids(await ask({ keys: [term(x)] }))).toEqual(ids([first, second] as never))
      expect((await ask({ keys: [term(x)], kinds: ["customer"] })).map(({ id }) => id)).toEqual([second.id])
      expect((await ask({ keys: [term(x)], merchant_id: m })).map(({ id }) => id)).toEqual([first.id])
      expect(ids(await ask({ prefixes: [term(y)] }))).toEqual(ids([first, second] as never))
      expect((await ask({ prefixes: [term(`${y} o`)] })).map(({ index_key }) => index_key)).toEqual([term(`${y} obi`)])
      expect((await ask({ prefixes: [term(y)], merchant_id: n })).map(({ id }) => id)).toEqual([second.id])
      expect(await ask({ prefixes: [term(y)], merchant_id: n, kinds: ["transfer"] })).toEqual([])
      const both = await ask({ keys: [term(x)], prefixes: [term(y)], merchant_id: m })
      expect(both.toSorted((a, b) => (a.index_key < b.index_key ? 1 : -1))).toEqual(
        [term(x), term(`${y} obi`)].map((index_key) => ({
          merchant_id: m,
          kind: "transfer",
          id: first.id,
          index_key,
          created_at: T0
        }))
      )
      expect(await ask({})).toEqual([])
      expect(await ask({ keys: [term("")], prefixes: [term(fresh("nothing"))] })).toEqual([])
    })

    it("finds by a beginning the rows of a kind, however many of other kinds have it", async () => {
      const m = fresh("mer")
      const x = fresh("name")
      const [wanted, others] = [fresh("kind"), fresh("kind")]
      for (let n = 0; n < 11; n++) {
        const rows = range(500).map((_, at) =>
          row(m, { kind: others, id: fresh("oth"), index_keys: [term(`${x} a${n} ${at}`)] })
        )
        await nodes.a.commit(change(m, { rows }))
      }
      const last = await write(m, [term(`${x} z`)], { kind: wanted, id: fresh("wan") })
      for (const over of [{}, { merchant_id: m }])
        expect(ids(await ask({ prefixes: [term(x)], kinds: [wanted], ...over }))).toEqual([last.id])
    })

    it("finds only the rows that were created in a time, both of its ends included", async () => {
      const m = fresh("mer")
      const x = fresh("ref")
      const at = [T0, T0 + 10, T0 + 20]
      const [early, middle, late] = [
        await write(m, [term(x)], { created_at: at[0] }),
        await write(m, [term(x)], { created_at: at[1] }),
        await write(m, [term(x)], { created_at: at[2] })
      ] as never as ReadonlyArray<Match>
      const found = async (over: Partial<MatchQuery>) => ids(await ask({ keys: [term(x)], ...over }))
      expect(await found({ created_after: T0 + 10 })).toEqual(ids([middle!, late!]))
      expect(await found({ created_before: T0 + 10 })).toEqual(ids([early!, middle!]))
      expect(await found({ created_after: T0 + 1, created_before: T0 + 19, merchant_id: m })).toEqual(ids([middle!]))
      expect(ids(await ask({ prefixes: [term(x)], created_after: T0 + 11 }))).toEqual(ids([late!]))
      expect(await found({ created_after: T0 + 21 })).toEqual([])
    })

    it("takes every character as itself", async () => {
      const m = fresh("mer")
      const odd = ["%", "_", "a%b", "'", '"', "\\", "{a,b}", "NULL", "", "😀", "é", "שלום", "\u0001", " ", "' or 1=1--"]
      const mark = fresh("odd")
      for (const one of odd) await write(m, [term(`${mark}:${one}`)])
      for (const one of odd) {
        const key = term(`${mark}:${one}`)
        expect([one, (await ask({ keys: [key] })).map(({ index_key }) => index_key)]).toEqual([one, [key]])
        const begin = (await ask({ prefixes: [key] })).map(({ index_key }) => index_key).toSorted()
        expect([one, begin]).toEqual([
          one,
          odd
            .map((other) => term(`${mark}:${other}`))
            .filter((other) => other.startsWith(key))
            .toSorted()
        ])
      }
      expect(await ask({ keys: [term("a\u0000b")], prefixes: [term("a\u0000")] })).toEqual([])
    })

    it("returns the newest, and all that are as old as the last of them", async () => {
      const m = fresh("mer")
      const key = term(fresh("amount"))
      const rows = []
      for (const i of range(9)) rows.push(await write(m, [key], { created_at: T0 + Math.floor(i / 3) * 1000 }))
      for (const over of [{ keys: [key] }, { prefixes: [key] }, { keys: [key], merchant_id: m }]) {
        const found = ids(await ask({ ...over, limit: 4 }))
        expect(found).toEqual(ids(rows.slice(3) as never))
      }
    })

    it("cuts a key and a beginning once, over all kinds and all merchants, wherever they are", async () => {
      const merchants = range(4).map(() => fresh("mer"))
      const [key, name] = [term(fresh("amount")), fresh("name")]
      const rows: Array<ReturnType<typeof row>> = []
      for (const n of range(48)) {
        const kind = ["transfer", "customer"][n % 11 === 0 ? 1 : 0]!
        const created_at = T0 + (n % 2 === 0 ? n : n - (n % 3)) * 1000
        const keys = [key, term(`${name} ${n % 5}`)]
        rows.push(await write(merchants[Math.floor(n / 7) % 4]!, keys, { kind, created_at }))
      }
      const newest = (limit: number) => {
        const last = rows.map(({ created_at }) => created_at).toSorted((a, b) => b - a)[limit - 1] ?? 0
        return ids(rows.filter(({ created_at }) => created_at >= last) as never)
      }
      for (const limit of [1, 2, 5, 10, 47, 48, 100]) {
        expect([limit, ids(await ask({ keys: [key], limit }))]).toEqual([limit, newest(limit)])
        expect([limit, ids(await ask({ prefixes: [term(name)], limit }))]).toEqual([limit, newest(limit)])
        const both = await ask({ keys: [term(`${name} 1`)], prefixes: [term(`${name} 1`)], limit })
        expect(ids(both)).toEqual([...new Set(ids(both))])
      }
      for (const size of [1, 3, 10, 100]) {
        const all = readAllMatches(nodes.b.service, { keys: [key], kinds: ["transfer", "customer"] }, size)
        expect([size, ids(await Effect.runPromise(all))]).toEqual([size, ids(rows as never)])
      }
    })

    it("does not show hidden rows, nor terms that a row has lost", async () => {
      const m = fresh("mer")
      const [x, y] = [term(fresh("x")), term(fresh("y"))]
      const one = await write(m, [x])
      await nodes.a.commit(change(m, { rows: [{ ...one, version: 2, index_keys: [y] }] }))
      expect([await ask({ keys: [x] }), (await ask({ keys: [y] })).length]).toEqual([[], 1])
      await nodes.a.commit(change(m, { rows: [{ ...one, version: 3, index_keys: [y], hidden: true }] }))
      expect(await ask({ keys: [y] })).toEqual([])
    })
  })

  describe("rows that are indexed again", () => {
    const total = async (m: string, ...index_keys: ReadonlyArray<string>) => {
      const page = await nodes.b.list({ merchant_id: m, kinds: ["transfer"], index_keys, offset: 0, limit: 10 })
      expect(page.items.length).toBe(page.total)
      return page.total
    }

    it("are found and counted by their new keys alone, and are the same rows", async () => {
      const m = fresh("mer")
      const [x, y] = [term(fresh("x")), term(fresh("y"))]
      const first = await write(m, ["status=a", "wallet_id=1", "word=old", x])
      const second = await write(m, ["status=a"])
      const before = await nodes.a.get([{ merchant_id: m, kind: "transfer", id: first.id }])
      const keys = ["status=a", "wallet_id=2", "word=new", y]
      const changes = [
        { merchant_id: m, kind: "transfer", id: first.id, version: 1, index_keys: keys },
        { merchant_id: m, kind: "transfer", id: second.id, version: 1, index_keys: ["status=a", "word=new"] }
      ]
      expect(await nodes.a.reindex(changes)).toBe(2)
      expect(await nodes.a.reindex(changes)).toBe(2)
      const totals = ["status=a", "wallet_id=1", "wallet_id=2", "word=old", "word=new"]
      expect(await Promise.all(totals.map((key) => total(m, key)))).toEqual([2, 0, 1, 0, 2])
      expect(await total(m, "wallet_id=2", "word=new")).toBe(1)
      expect([await ask({ keys: [x] }), (await ask({ keys: [y] })).map(({ id }) => id)]).toEqual([[], [first.id]])
      expect(await nodes.b.get([{ merchant_id: m, kind: "transfer", id: first.id }])).toEqual([
        { ...before[0], index_keys: keys }
      ])
      expect((await nodes.b.history(m, first.id)).transitions).toHaveLength(1)
      // The next write moves it from the new keys.
      await nodes.a.commit(change(m, { rows: [{ ...first, version: 2, index_keys: ["status=b", "word=new"] }] }))
      expect(
        await Promise.all(["status=a", "status=b", "wallet_id=2", "word=new"].map((key) => total(m, key)))
      ).toEqual([1, 1, 0, 2])
      expect(await ask({ keys: [y] })).toEqual([])
    })

    it("are left as they are when they have another version or do not exist", async () => {
      const m = fresh("mer")
      const one = await write(m, ["status=a"])
      await nodes.a.commit(change(m, { rows: [{ ...one, version: 2, index_keys: ["status=b"] }] }))
      const again = { merchant_id: m, kind: "transfer", id: one.id, version: 1, index_keys: ["status=c"] }
      expect(await nodes.a.reindex([again, { ...again, id: fresh("tfr") }, { ...again, kind: "onramp" }])).toBe(0)
      expect(await nodes.a.reindex([])).toBe(0)
      expect([await total(m, "status=b"), await total(m, "status=c")]).toEqual([1, 0])
    })

    it("that are hidden are not listed", async () => {
      const m = fresh("mer")
      const one = await write(m, ["status=a"], { hidden: true })
      const key = term(fresh("x"))
      const keys = ["status=a", "word=x", key]
      await nodes.a.reindex([{ merchant_id: m, kind: "transfer", id: one.id, version: 1, index_keys: keys }])
      expect([await total(m, "word=x"), await ask({ keys: [key] })]).toEqual([0, []])
      await nodes.a.commit(change(m, { rows: [{ ...one, version: 2, hidden: false, index_keys: keys }] }))
      expect([await total(m, "word=x"), (await ask({ keys: [key] })).length]).toEqual([1, 1])
    })

    it("while they are written end with the keys of the write, and counts stay exact", async () => {
      const m = fresh("mer")
      const rows = await Promise.all(range(20).map(() => write(m, ["word=old"])))
      const keysOf = (id: string) => ({ merchant_id: m, kind: "transfer", id, version: 1, index_keys: ["word=mid"] })
      await Promise.all([
        ...rows.map((one) => nodes.b.reindex([keysOf(one.id)])),
        ...rows
          .slice(0, 10)
          .map((one) =>
            nodes.a.commit(
              change(m, { idempotency: idempotency(), rows: [{ ...one, version: 2, index_keys: ["word=new"] }] })
            )
          )
      ])
      await nodes.a.reindex(rows.map(({ id }) => keysOf(id)))
      const counted = ["word=old", "word=mid", "word=new"].map(async (key) => {
        const query = { merchant_id: m, kinds: ["transfer"], index_keys: [key], offset: 0, limit: 30 }
        const { items, total: count } = await nodes.b.list(query)
        return [items.length, count]
      })
      expect(await Promise.all(counted)).toEqual([
        [0, 0],
        [10, 10],
        [10, 10]
      ])
    })
  })

  it("finds an event of any merchant by its id", async () => {
    const events = range(3).map(() => event())
    for (const one of events) await nodes.a.commit(change(fresh("mer"), { events: [one] }))
    for (const one of events) expect(await nodes.b.findEvent(one.id)).toMatchObject(one)
    expect(await nodes.b.findEvent(fresh("evt"))).toBeUndefined()
    expect(await nodes.b.findEvent("evt_\u0000")).toBeUndefined()
  })
}
