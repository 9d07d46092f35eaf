import { describe, expect, it } from "vitest"
import type { Row, RowWrite } from "../../../../src/engine/ports/Storage.ts"
import {
  change,
  event,
  fresh,
  freshQueue,
  job,
  kept,
  type Nodes,
  idempotency,
  posting,
  range,
  row,
  T0
} from "../support.ts"

/** Texts that quoting, encoding or array literals could corrupt. */
const texts: ReadonlyArray<string> = [
  "",
  " ",
  "NULL",
  "null",
  "{}",
  "{a,b}",
  "a,b",
  `"quoted"`,
  "it's",
  "back\\slash",
  "\\",
  '\\"',
  "tab\tnew\nline\r",
  "%_$1 $$ :x ?",
  "--; drop table resource",
  "Zoë 東京 🏦",
  "\u200bzero",
  "a\ufeffb",
  "e\u0301",
  "\u{10FFFF}",
  "\u0001",
  "\u001c",
  "\u001e",
  "one\u001ftwo",
  "a".repeat(9_000)
]

const page = { offset: 0, limit: 10 }
const ids = (rows: ReadonlyArray<Row>): ReadonlyArray<string> => rows.map((r) => r.id)

export const rows = (nodes: Nodes): void => {
  describe("rows whose ids begin alike", () => {
    it("are found for each beginning, of every merchant and kind, hidden ones too, the first by id", async () => {
      const [m, n] = [fresh("mer"), fresh("mer")]
      const mark = fresh("tfr")
      const write = (merchant_id: string, id: string, over: Partial<RowWrite> = {}) =>
        nodes.a.commit(change(merchant_id, { rows: [row(merchant_id, { id, ...over })] }))
      await write(m, `${mark}a2`)
      await write(n, `${mark}a1`, { kind: "offramp", hidden: true })
      await write(m, `${mark}a3`)
      await write(m, `${mark}b1`)
      const found = async (limit: number, ...prefixes: ReadonlyArray<string>) =>
        (await nodes.b.idsBeginning(prefixes, limit))
          .map(({ id, kind, merchant_id }) => `${merchant_id} ${kind} ${id}`)
          .toSorted((a, b) => (a.slice(-2) < b.slice(-2) ? -1 : 1))
      const all = [`${n} offramp ${mark}a1`, `${m} transfer ${mark}a2`, `${m} transfer ${mark}a3`]
      expect(await found(10, `${mark}a`)).toEqual(all)
      expect(await found(10, `${mark}b`, `${mark}a1`, `${mark}a`)).toEqual([...all, `${m} transfer ${mark}b1`])
      // Two merchants can be in two cells, each of which has its first.
      expect((await found(1, `${mark}a`)).slice(0, 1)).toEqual(all.slice(0, 1))
      expect(await found(10, `${mark}c`)).toEqual([])
      expect(await found(10)).toEqual([])
    })
  })

  const write = async (...written: ReadonlyArray<RowWrite>): Promise<void> => {
    for (const r of written)
      expect(await nodes.a.commit(change(r.merchant_id, { rows: [r] }))).toEqual({ _tag: "Committed" })
  }

  describe("rows", () => {
    it("returns every field as it was written", async () => {
      const m = fresh("mer")
      const full = row(m, {
        version: 1,
        machine: "2",
        state: "a",
        status: "b",
        customer_id: "cust_1",
        root_id: "ofr_1",
        created_at: T0 + 1,
        updated_at: T0 + 2,
        hidden: true,
        event_count: 3,
        index_keys: ["status=b", "wallet_id=w"],
        data: { list: [1, null, { deep: "x" }], yes: true, no: false, half: 0.5, none: null, empty: {} }
      })
      await write(full)
      expect(await nodes.a.get([full])).toEqual([kept(full)])
    })

    it("keeps the order of members in data", async () => {
      const m = fresh("mer")
      const r = row(m, { data: { z: 1, a: 2, "10": 3 } })
      await write(r)
      expect(JSON.stringify((await nodes.a.get([r]))[0]!.data)).toBe(JSON.stringify(r.data))
    })

    it("replaces every field with the next version", async () => {
      const m = fresh("mer")
      const r = row(m, { customer_id: "cust_1", index_keys: ["a=1"], root_id: "r" })
      const next = row(m, {
        id: r.id,
        version: 2,
        machine: "2",
        state: "x",
        status: "y",
        customer_id: null,
        root_id: null,
        updated_at: T0 + 9,
        hidden: true,
        event_count: 2,
        index_keys: [],
        data: [1]
      })
      await write(r, next)
      expect(await nodes.a.get([r])).toEqual([kept(next)])
    })

    for (const text of texts) {
      it(`keeps the text ${JSON.stringify(text).slice(0, 30)} in every field`, async () => {
        const s = nodes.a
        const m = `${fresh("mer")}${text.slice(0, 50)}`
        const q = freshQueue()
        const short = text.slice(0, 500)
        const r = row(m, {
          id: `x_${short}`,
          kind: fresh("k"),
          machine: text,
          state: text,
          status: text,
          customer_id: short,
          index_keys: [text],
          data: { [text]: text }
        })
        const e = event({ object_id: r.id, type: short, category: short, body: text })
        const j = job(q, { partition_key: short, body: { [short]: text }, log: [text] })
        const x = change(m, {
          idempotency: idempotency(`k${short}`, { fingerprint: text, response: text }),
          rows: [{ ...r, via: text, from: text }],
          postings: [posting(`world:${short}`, `available:${short}`, 1, { resource_id: r.id, currency: short })],
          unique_keys: [{ scope: short, key: short, owner: text }],
          lookup_keys: [{ scope: m, key: short, kind: short, id: short }],
          events: [e],
          jobs: [j],
          subscriptions: [{ endpoint_id: `e${short}`, categories: [short] }]
        })
        expect(await s.commit(x)).toEqual({ _tag: "Committed", deliveries: true })
        expect(await s.get([r])).toEqual([kept(r)])
        expect((await s.list({ merchant_id: m, kinds: [r.kind], index_keys: [text], ...page })).items).toEqual([
          kept(r)
        ])
        expect(await s.idempotencyRecord(m, `k${short}`, T0)).toEqual({ ...x.idempotency, at: T0 })
        expect(await s.accounts(m, [`available:${short}`])).toEqual([
          { account: `available:${short}`, currency: short, balance: "1", version: 1 }
        ])
        expect(await s.uniqueKeyOwner(m, short, short)).toBe(text)
        expect(await s.lookup(m, short)).toEqual({ merchant_id: m, scope: m, key: short, kind: short, id: short })
        expect(await s.event(m, e.id)).toEqual({ ...e, merchant_id: m })
        expect(await s.job(m, j.id)).toEqual({ ...j, merchant_id: m, lease: null })
        expect(
          (await s.jobs({ merchant_id: m, queue: "delivery", partition_key: `e${short}`, ...page })).items.map(
            (d) => d.body
          )
        ).toEqual([{ event_id: e.id, event_type: short }])
        expect(await s.history(m, r.id)).toEqual({
          transitions: [
            {
              resource_id: r.id,
              kind: r.kind,
              version: 1,
              from: text,
              to: text,
              via: text,
              cause: `k${short}`,
              event_count: r.event_count,
              at: T0
            }
          ],
          postings: [{ ...x.postings[0], merchant_id: m, at: T0 }],
          events: [{ ...e, merchant_id: m }]
        })
        await s.assign(`${m}${short}`, text)
        expect(await s.setting(`${m}${short}`)).toBe(text)
      })
    }

    it("keeps an escaped NUL inside data and bodies", async () => {
      const m = fresh("mer")
      const r = row(m, { data: { note: "a\u0000b" } })
      const j = job(freshQueue(), { body: { note: "\u0000" } })
      await nodes.a.commit(change(m, { rows: [r], jobs: [j] }))
      expect((await nodes.a.get([r]))[0]!.data).toEqual(r.data)
      expect((await nodes.a.job(m, j.id))!.body).toEqual(j.body)
    })

    it("finds nothing by a name with a NUL, without disturbing other readers", async () => {
      const s = nodes.a
      const m = fresh("mer")
      const all = range(10).map(() => row(m))
      await Promise.all(all.map((r) => s.commit(change(m, { rows: [r] }))))
      const found = await Promise.all(all.map((r, i) => s.get([i === 4 ? { ...r, id: `${r.id}\u0000` } : r])))
      expect(found.map((f) => f.length)).toEqual([1, 1, 1, 1, 0, 1, 1, 1, 1, 1])
      const nul = `x\u0000y`
      expect([
        await s.find("transfer", nul),
        await s.idempotencyRecord(m, nul, T0),
        await s.uniqueKeyOwner(m, nul, nul),
        await s.lookup(nul, nul),
        await s.event(m, nul),
        await s.job(m, nul),
        await s.feed(m, nul, 1),
        await s.setting(nul)
      ]).toEqual(range(8).map(() => undefined))
      expect(await s.accounts(m, [nul])).toEqual([])
      expect(await s.list({ merchant_id: m, kinds: ["transfer"], index_keys: [nul], ...page })).toEqual({
        items: [],
        total: 0
      })
      const queue = freshQueue()
      await s.commit(change(m, { jobs: [job(queue, { body: { note: "x" } })] }))
      const noted = async (note: string) => (await s.jobs({ merchant_id: m, queue, body: { note }, ...page })).total
      expect([await noted("x"), await noted(nul), await noted("x\\u0000")]).toEqual([1, 0, 0])
    })

    it("returns rows in the requested order, without missing ones and with repeated ones", async () => {
      const m = fresh("mer")
      const [a, b] = [row(m), row(m)]
      await write(a, b)
      const missing = { ...a, id: "tfr_missing" }
      expect(
        ids(await nodes.a.get([b, missing, a, b, { ...a, kind: "other" }, { ...a, merchant_id: "mer_other" }]))
      ).toEqual([b.id, a.id, b.id])
    })

    it("returns nothing for no keys", async () => {
      expect(await nodes.a.get([])).toEqual([])
      expect(await nodes.a.accounts(fresh("mer"), [])).toEqual([])
    })

    it("returns each of many concurrent reads its own rows", async () => {
      const m = fresh("mer")
      const all = range(40).map(() => row(m))
      await Promise.all(all.map((r) => nodes.a.commit(change(m, { rows: [r] }))))
      const found = await Promise.all(all.map((r, i) => nodes.a.get([r, all[(i + 1) % 40]!])))
      expect(found.map(ids)).toEqual(all.map((r, i) => [r.id, all[(i + 1) % 40]!.id]))
    })

    it("keeps equal ids of two merchants and of two kinds apart", async () => {
      const [m, n] = [fresh("mer"), fresh("mer")]
      const [x, y, z] = [
        row(m, { id: "tfr_same", status: "x" }),
        row(n, { id: "tfr_same", status: "y" }),
        row(m, { id: "tfr_same", kind: "other", status: "z" })
      ]
      await write(x, y, z)
      expect((await nodes.a.get([x, y, z])).map((r) => r.status)).toEqual(["x", "y", "z"])
    })

    it("finds a row by kind and id, whoever owns it", async () => {
      const r = row(fresh("mer"))
      await write(r)
      expect(await nodes.a.find(r.kind, r.id)).toEqual(kept(r))
      expect(await nodes.a.find("other", r.id)).toBeUndefined()
      expect(await nodes.a.find(r.kind, "tfr_missing")).toBeUndefined()
    })

    it("returns copies, so that callers cannot change stored rows", async () => {
      const r = row(fresh("mer"), { data: { a: [1] } })
      await write(r)
      const [first] = await nodes.a.get([r])
      ;(first!.data as { a: Array<number> }).a.push(2)
      ;(r.data as { a: Array<number> }).a.push(3)
      expect((await nodes.a.get([r]))[0]!.data).toEqual({ a: [1] })
    })
  })

  describe("lists", () => {
    it("are sorted newest first, then by greater stem, across kinds", async () => {
      const m = fresh("mer")
      const at = (created_at: number, kind: string, id: string) => row(m, { created_at, kind, id })
      const all = [
        at(T0, "a", "a_2"),
        at(T0, "b", "b_3"),
        at(T0, "a", "a_1"),
        at(T0 + 1, "b", "b_0"),
        at(T0 - 1, "a", "a_9")
      ]
      await write(...all)
      expect(ids((await nodes.a.list({ merchant_id: m, kinds: ["a", "b"], index_keys: [], ...page })).items)).toEqual([
        "b_0",
        "b_3",
        "a_2",
        "a_1",
        "a_9"
      ])
    })

    it("order equal stems of two kinds by the whole id", async () => {
      const m = fresh("mer")
      await write(row(m, { kind: "a", id: "ofr_1" }), row(m, { kind: "b", id: "txn_1" }))
      expect(ids((await nodes.a.list({ merchant_id: m, kinds: ["a", "b"], index_keys: [], ...page })).items)).toEqual([
        "txn_1",
        "ofr_1"
      ])
    })

    it("order ids by bytes, not by locale", async () => {
      const m = fresh("mer")
      await write(...["x_a", "x_B", "x_é", "x_Z", "x_\u{1F600}", "x_\uffee"].map((id) => row(m, { id })))
      expect(ids((await nodes.a.list({ merchant_id: m, kinds: ["transfer"], index_keys: [], ...page })).items)).toEqual(
        ["x_\u{1F600}", "x_\uffee", "x_é", "x_a", "x_Z", "x_B"]
      )
    })

    it("treat an id without a prefix as its own stem", async () => {
      const m = fresh("mer")
      await write(row(m, { id: "b" }), row(m, { id: "x_c" }), row(m, { id: "z_a_z" }))
      expect(ids((await nodes.a.list({ merchant_id: m, kinds: ["transfer"], index_keys: [], ...page })).items)).toEqual(
        ["x_c", "b", "z_a_z"]
      )
    })

    it("require all given index keys, of which several may have one name", async () => {
      const m = fresh("mer")
      await write(
        row(m, { id: "x_1", index_keys: ["w=1", "w=2", "s=a"] }),
        row(m, { id: "x_2", index_keys: ["w=2", "s=b"] }),
        row(m, { id: "x_3" })
      )
      const of = async (...index_keys: ReadonlyArray<string>) =>
        ids((await nodes.a.list({ merchant_id: m, kinds: ["transfer"], index_keys, ...page })).items)
      expect([await of("w=2"), await of("w=2", "s=a"), await of("w=3"), await of()]).toEqual([
        ["x_2", "x_1"],
        ["x_1"],
        [],
        ["x_3", "x_2", "x_1"]
      ])
    })

    it("follow a row's index keys as they change", async () => {
      const m = fresh("mer")
      const r = row(m, { index_keys: ["s=a"] })
      await write(r, { ...r, version: 2, index_keys: ["s=b"] })
      const of = async (indexKey: string) =>
        (await nodes.a.list({ merchant_id: m, kinds: [r.kind], index_keys: [indexKey], ...page })).total
      expect([await of("s=a"), await of("s=b")]).toEqual([0, 1])
    })

    it("include both ends of a time range", async () => {
      const m = fresh("mer")
      await write(...range(5).map((i) => row(m, { id: `x_${i}`, created_at: T0 + i })))
      const query = {
        merchant_id: m,
        kinds: ["transfer"],
        index_keys: [],
        created_after: T0 + 1,
        created_before: T0 + 3,
        ...page
      }
      expect(await nodes.a.list(query)).toMatchObject({
        total: 3,
        items: [{ id: "x_3" }, { id: "x_2" }, { id: "x_1" }]
      })
    })

    it("page without overlap, with the full total on every page, even past the last one", async () => {
      const m = fresh("mer")
      await write(...range(7).map((i) => row(m, { id: `x_${i}`, kind: i % 2 === 0 ? "a" : "b" })))
      const at = (offset: number) =>
        nodes.a.list({ merchant_id: m, kinds: ["a", "b"], index_keys: [], offset, limit: 3 })
      const pages = [await at(0), await at(3), await at(6), await at(9)]
      expect(pages.map((p) => ids(p.items))).toEqual([["x_6", "x_5", "x_4"], ["x_3", "x_2", "x_1"], ["x_0"], []])
      expect(pages.map((p) => p.total)).toEqual([7, 7, 7, 7])
    })

    it("return only the total at limit 0", async () => {
      const m = fresh("mer")
      await write(row(m))
      expect(await nodes.a.list({ merchant_id: m, kinds: ["transfer"], index_keys: [], offset: 0, limit: 0 })).toEqual({
        items: [],
        total: 1
      })
    })

    it("omit a hidden row, and list it again once it is visible", async () => {
      const m = fresh("mer")
      const r = row(m, { hidden: true })
      const total = async () => (await nodes.a.list({ merchant_id: m, kinds: [r.kind], index_keys: [], ...page })).total
      await write(r)
      const hidden = await total()
      await write({ ...r, version: 2, hidden: false })
      expect([hidden, await total()]).toEqual([0, 1])
    })

    it("are empty for no kinds, for unknown kinds and for another merchant", async () => {
      const m = fresh("mer")
      await write(row(m))
      const empty = { items: [], total: 0 }
      expect(await nodes.a.list({ merchant_id: m, kinds: [], index_keys: [], ...page })).toEqual(empty)
      expect(await nodes.a.list({ merchant_id: m, kinds: ["x"], index_keys: [], ...page })).toEqual(empty)
      expect(await nodes.a.list({ merchant_id: fresh("mer"), kinds: ["transfer"], index_keys: [], ...page })).toEqual(
        empty
      )
    })

    it("contain every merchant's rows when no merchant is given", async () => {
      const kind = fresh("kind")
      await write(row(fresh("mer"), { kind, id: "x_1" }), row(fresh("mer"), { kind, id: "x_2" }))
      expect(await nodes.a.list({ kinds: [kind], index_keys: [], ...page })).toMatchObject({
        total: 2,
        items: [{ id: "x_2" }, { id: "x_1" }]
      })
    })

    it("of descendants of several roots are sorted oldest first", async () => {
      const [m, n] = [fresh("mer"), fresh("mer")]
      await write(
        row(m, { id: "x_2", root_id: "r1", created_at: T0 + 1 }),
        row(m, { id: "x_1", root_id: "r2", kind: "other", created_at: T0 }),
        row(m, { id: "x_3", root_id: "r1", created_at: T0 + 1 }),
        row(m, { id: "x_4", root_id: "r3" }),
        row(n, { id: "x_5", root_id: "r1" }),
        row(m)
      )
      expect(ids(await nodes.a.descendants(m, ["r1", "r2", "r1"]))).toEqual(["x_1", "x_2", "x_3"])
      expect(await nodes.a.descendants(m, [])).toEqual([])
    })

    it("move a row to the descendants of its new root", async () => {
      const m = fresh("mer")
      const r = row(m, { root_id: "r1" })
      await write(r, { ...r, version: 2, root_id: "r2" })
      expect([(await nodes.a.descendants(m, ["r1"])).length, (await nodes.a.descendants(m, ["r2"])).length]).toEqual([
        0, 1
      ])
    })
  })

  describe("names", () => {
    it("returns the owner of a unique key, per merchant and scope", async () => {
      const [m, n] = [fresh("mer"), fresh("mer")]
      await nodes.a.commit(
        change(m, {
          unique_keys: [
            { scope: "s", key: "k", owner: "a" },
            { scope: "t", key: "k", owner: "b" }
          ]
        })
      )
      await nodes.a.commit(change(n, { unique_keys: [{ scope: "s", key: "k", owner: "c" }] }))
      expect([
        await nodes.a.uniqueKeyOwner(m, "s", "k"),
        await nodes.a.uniqueKeyOwner(m, "t", "k"),
        await nodes.a.uniqueKeyOwner(n, "s", "k"),
        await nodes.a.uniqueKeyOwner(n, "t", "k")
      ]).toEqual(["a", "b", "c", undefined])
    })

    it("keeps a lookup key unique over all merchants", async () => {
      const lookupKey = { scope: "address", key: fresh("0x"), kind: "wallet", id: "wal_1" }
      const m = fresh("mer")
      await nodes.a.commit(change(m, { lookup_keys: [lookupKey] }))
      expect(await nodes.a.commit(change(fresh("mer"), { lookup_keys: [{ ...lookupKey, id: "wal_2" }] }))).toEqual({
        _tag: "Taken",
        scope: "address",
        key: lookupKey.key,
        owner: "wal_1"
      })
      expect(await nodes.a.lookup("address", lookupKey.key)).toEqual({ ...lookupKey, merchant_id: m })
      expect(await nodes.a.lookup("other", lookupKey.key)).toBeUndefined()
    })
  })
}
