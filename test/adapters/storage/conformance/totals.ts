import { describe, expect, it } from "vitest"
import type { ListQuery, RowWrite } from "../../../../src/engine/ports/Storage.ts"
import { change, event, fresh, type Nodes, posting, range, row, T0 } from "../support.ts"

const HOUR = 3_600_000
const paging = { offset: 0, limit: 10 }

/** Stored totals, which must equal a count of the rows. */
export const totals = (nodes: Nodes): void => {
  const write = async (r: RowWrite): Promise<void> => {
    expect(await nodes.a.commit(change(r.merchant_id, { rows: [r] }))).toEqual({ _tag: "Committed" })
  }
  const total = async (query: Omit<ListQuery, "offset" | "limit">): Promise<number> =>
    (await nodes.b.list({ ...query, ...paging })).total

  describe("totals", () => {
    it("follow a row's index keys as they change", async () => {
      const m = fresh("mer")
      const r = row(m, { index_keys: ["status=processing", "wallet_id=w", "source_currency=NGN"] })
      const of = (...index_keys: ReadonlyArray<string>) => total({ merchant_id: m, kinds: ["transfer"], index_keys })
      const seen = async () => [
        await of(),
        await of("status=processing"),
        await of("status=success"),
        await of("wallet_id=w"),
        await of("wallet_id=w", "status=success"),
        await of("source_currency=NGN", "status=success")
      ]
      await write(r)
      const first = await seen()
      await write({ ...r, version: 2, index_keys: ["status=success", "wallet_id=w", "source_currency=NGN"] })
      expect([first, await seen()]).toEqual([
        [1, 1, 0, 1, 0, 0],
        [1, 0, 1, 1, 1, 1]
      ])
    })

    it("are exact under an id that few rows share, which has no counter", async () => {
      const m = fresh("mer")
      const rows = ["resource_id=r", "payin_id=p", "resource_id=r2"].flatMap((id) =>
        range(3).map((n) => row(m, { index_keys: [id, `status=${n}`], created_at: T0 + n * HOUR, hidden: n === 2 }))
      )
      for (const r of rows) await write(r)
      const of = (query: Partial<ListQuery>, ...index_keys: ReadonlyArray<string>) =>
        total({ merchant_id: m, kinds: ["transfer"], index_keys, ...query })
      const seen = async () => [
        await of({}, "resource_id=r"),
        await of({}, "payin_id=p"),
        await of({}, "payin_id=r"),
        await of({}, "resource_id=r", "status=1"),
        await of({ created_after: T0 + 1 }, "resource_id=r"),
        (
          await nodes.b.list({
            merchant_id: m,
            kinds: ["transfer"],
            index_keys: ["resource_id=r"],
            offset: 1,
            limit: 1
          })
        ).items[0]?.id
      ]
      const first = await seen()
      await write({ ...rows[0]!, version: 2, index_keys: ["resource_id=r2"] })
      await write({ ...rows[2]!, version: 2, hidden: false })
      expect([first, await seen()]).toEqual([
        [2, 2, 0, 1, 1, rows[0]!.id],
        [2, 2, 0, 1, 2, rows[1]!.id]
      ])
    })

    it.each([
      "exact_id=reference:ft-1",
      "exact_id=match:ofr_1",
      "reference=a_id=b",
      "search_id=named:ofr_1",
      "measured=1|-1|open"
    ])("are exact under %s alone, which has no counter", async (indexKey) => {
      const m = fresh("mer")
      const rows = range(3).map((n) => row(m, { index_keys: [indexKey, `status=${n}`], created_at: T0 + n * HOUR }))
      for (const r of rows) await write(r)
      await write(row(m, { index_keys: [`${indexKey}2`] }))
      const query = { merchant_id: m, kinds: ["transfer"], index_keys: [indexKey] }
      const found = await nodes.b.list({ ...query, offset: 1, limit: 1 })
      expect([found.total, found.items.map(({ id }) => id)]).toEqual([3, [rows[1]!.id]])
      expect(await total({ ...query, index_keys: [indexKey, "status=1"] })).toBe(1)
    })

    it("exclude a hidden row, and include it again", async () => {
      const m = fresh("mer")
      const r = row(m, { index_keys: ["status=active", "wallet_id=w"] })
      const seen = async () =>
        Promise.all(
          [[], ["status=active"], ["wallet_id=w"]].map((index_keys) =>
            total({ merchant_id: m, kinds: ["transfer"], index_keys })
          )
        )
      await write(r)
      await write({ ...r, version: 2, hidden: true })
      const hidden = await seen()
      await write({ ...r, version: 3, hidden: false })
      expect([hidden, await seen()]).toEqual([
        [0, 0, 0],
        [1, 1, 1]
      ])
    })

    it("count a row at its first creation time, whatever later versions say", async () => {
      const m = fresh("mer")
      const r = row(m, { index_keys: ["status=a"] })
      await write(r)
      await write({ ...r, version: 2, created_at: T0 + 5 * HOUR, updated_at: T0 + 5 * HOUR })
      const [found] = await nodes.a.get([r])
      expect(found!.created_at).toBe(T0)
      expect(await total({ merchant_id: m, kinds: ["transfer"], index_keys: ["status=a"], created_before: T0 })).toBe(1)
    })

    it("count the parts of an hour that a date bound cuts", async () => {
      const m = fresh("mer")
      const start = Math.floor(T0 / HOUR) * HOUR
      // Three hours with 12 rows each, five minutes apart.
      for (const i of range(36)) {
        await write(row(m, { created_at: start + i * 300_000, index_keys: [i % 3 === 0 ? "status=x" : "status=y"] }))
      }
      const between = (after: number | undefined, before: number | undefined, index_keys: ReadonlyArray<string>) =>
        total({
          merchant_id: m,
          kinds: ["transfer"],
          index_keys,
          ...(after === undefined ? {} : { created_after: start + after }),
          ...(before === undefined ? {} : { created_before: start + before })
        })
      expect([
        await between(0, 3 * HOUR - 1, []),
        await between(HOUR, undefined, []),
        await between(600_000, undefined, []),
        await between(600_001, HOUR + 299_999, []),
        await between(600_001, HOUR + 299_999, ["status=x"]),
        await between(HOUR, HOUR, ["status=x"]),
        await between(2 * HOUR, HOUR, [])
      ]).toEqual([36, 24, 34, 10, 4, 1, 0])
    })

    it("are on every page of a list over several hours, kinds and index keys", async () => {
      const m = fresh("mer")
      const written = range(60).map((i) =>
        row(m, {
          kind: i % 4 === 0 ? "offramp" : "transfer",
          created_at: T0 + i * 700_000,
          index_keys: [i % 5 === 0 ? "status=failed" : "status=success", `wallet_id=w${i % 2}`, `type=${i % 4 === 0}`]
        })
      )
      for (const r of written) await write(r)
      const filters: ReadonlyArray<ReadonlyArray<string>> = [
        [],
        ["status=failed"],
        ["wallet_id=w1"],
        ["type=false", "status=success"],
        ["wallet_id=w0", "status=failed"]
      ]
      for (const index_keys of filters) {
        const expected = written.filter((r) => index_keys.every((f) => r.index_keys.includes(f))).toReversed()
        for (const offset of [0, 7, 29, 55]) {
          const found = await nodes.b.list({
            merchant_id: m,
            kinds: ["transfer", "offramp"],
            index_keys,
            offset,
            limit: 7
          })
          expect([found.total, found.items.map((r) => r.id)]).toEqual([
            expected.length,
            expected.slice(offset, offset + 7).map((r) => r.id)
          ])
        }
      }
    })

    it("are exact while rows are written and changed", async () => {
      const m = fresh("mer")
      const rows = range(120).map((i) =>
        row(m, { created_at: T0 + i * 60_000, index_keys: ["status=a", "wallet_id=w"] })
      )
      let writing = true
      const looked: Array<readonly [number, number]> = []
      const looking = (async () => {
        while (writing) {
          const { items, total: counted } = await nodes.b.list({
            merchant_id: m,
            kinds: ["transfer"],
            index_keys: [],
            offset: 0,
            limit: 1_000
          })
          looked.push([counted, items.length])
        }
      })()
      await Promise.all(
        rows.map(async (r) => {
          await write(r)
          await write({ ...r, version: 2, index_keys: ["status=b", "wallet_id=w"] })
        })
      )
      writing = false
      await looking
      expect(looked.filter(([counted, given]) => counted !== given)).toEqual([])
      expect(looked.length).toBeGreaterThan(0)
      const of = (index_keys: ReadonlyArray<string>) => total({ merchant_id: m, kinds: ["transfer"], index_keys })
      expect([await of(["status=a"]), await of(["status=b"]), await of(["wallet_id=w"])]).toEqual([0, 120, 120])
    })

    it("cover all merchants when none is given", async () => {
      const kind = fresh("kind")
      for (const i of range(6)) {
        await write(row(fresh("mer"), { kind, created_at: T0 + i * HOUR, index_keys: [`status=${i % 2}`] }))
      }
      expect([
        await total({ kinds: [kind], index_keys: [] }),
        await total({ kinds: [kind], index_keys: ["status=1"] }),
        await total({ kinds: [kind], index_keys: ["status=1"], created_after: T0 + 2 * HOUR })
      ]).toEqual([6, 3, 2])
    })

    it("count events by category and type, within dates", async () => {
      const m = fresh("mer")
      for (const i of range(12)) {
        await nodes.a.commit(
          change(m, {
            events: [event({ created_at: T0 + i * 1_200_000, type: `t.${i % 3}`, category: i % 2 === 0 ? "a" : "b" })]
          })
        )
      }
      const of = async (filter: object) => (await nodes.b.events({ merchant_id: m, ...filter, ...paging })).total
      expect([
        await of({}),
        await of({ category: "a" }),
        await of({ type: "t.1" }),
        await of({ category: "a", type: "t.1" }),
        await of({ created_after: T0 + 1, created_before: T0 + 6_000_000 }),
        await of({ created_after: T0 + 1, created_before: T0 + 6_000_000, category: "a" })
      ]).toEqual([12, 6, 4, 2, 5, 2])
    })

    it("count a wallet's entries on both sides, and no other wallet's", async () => {
      const [m, w] = [fresh("mer"), fresh("wal")]
      const of = async (account: string) => (await nodes.b.entries(account, 0, 2)).total
      const times = 40
      for (const _ of range(times)) {
        await nodes.a.commit(
          change(m, {
            postings: [
              posting("world", `available:${w}`, 5),
              posting(`available:${w}`, `reserved:${w}`, 2),
              posting(`reserved:${w}`, "fees", 1),
              posting(`available:${w}`, `available:${w}x`, 1)
            ]
          })
        )
      }
      const totals = [await of(`available:${w}`), await of(`reserved:${w}`), await of(`available:${w}x`)]
      expect(totals).toEqual([3 * times, 2 * times, times])
    })
  })
}
