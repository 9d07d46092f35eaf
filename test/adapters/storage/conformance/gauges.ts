/** What the gauges of the metrics are read from. */
import { describe, expect, it } from "vitest"
import type { Queue } from "../../../../src/engine/ports/Storage.ts"
import { change, event, fresh, freshQueue, job, type Nodes, posting, row, T0 } from "../support.ts"
import { covers } from "../../../support/repository/covers.ts"

export const gauges = (nodes: Nodes): void => {
  covers("METRICS-3")
  describe("gauges", () => {
    it("count what waits by kind and state, with the earliest progress, over all merchants", async () => {
      const [a, b] = [fresh("kind"), fresh("kind")]
      const live = (kind: string, state: string, at: number, status = "open") => {
        const one = row(fresh("mer"), { kind, id: fresh("x"), state, status, created_at: at, updated_at: at })
        return nodes.a.commit({ ...change(one.merchant_id, { rows: [one] }), at })
      }
      await live(a, "unknown", T0 + 7)
      await live(a, "unknown", T0 + 5)
      await live(a, "waiting", T0 + 6)
      await live(a, "unknown", T0 + 100)
      await live(a, "unknown", T0, "done")
      await live(b, "unknown", T0 + 9)
      const waits = [a, b].map((kind) => ({ kind, status: "open", until: null }))
      const found = await nodes.a.stalled({ waits, under_way: [], steps: [], before: T0 + 100, now: T0 + 200 })
      // Several entries of one kind and state add up.
      const sums = new Map<string, readonly [number, number]>()
      for (const { kind, n, since, state } of found) {
        const [count, earliest] = sums.get(`${kind} ${state}`) ?? [0, Number.POSITIVE_INFINITY]
        sums.set(`${kind} ${state}`, [count + n, Math.min(earliest, since - T0)])
      }
      expect(Object.fromEntries(sums)).toEqual({
        [`${a} unknown`]: [2, 5],
        [`${a} waiting`]: [1, 6],
        [`${b} unknown`]: [1, 9]
      })
      expect(await nodes.a.stalled({ waits: [], under_way: [], steps: [], before: T0 + 100, now: T0 })).toEqual([])
    })

    it("count due jobs up to the limit, leased or not, and say since when the oldest is due", async () => {
      const [busy, quiet] = [freshQueue(), freshQueue()]
      const m = fresh("mer")
      const due = [3, 1, 2, 50].map((ms) => job(busy, { due_at: T0 + ms }))
      const ended = job(busy, { due_at: null, status: "done" })
      await nodes.a.commit(change(m, { jobs: [...due, ended, job(quiet, { due_at: T0 + 50 })] }))
      const query = { queues: [quiet, busy], now: T0 + 10, limit: 100 }
      const none = { due: 0, due_since: null, retried_since: null }
      const some = { queue: busy, due: 3, due_since: T0 + 1, retried_since: null }
      expect(await nodes.a.backlog(query)).toEqual([{ queue: quiet, ...none }, some])
      await nodes.b.claim({
        queue: busy,
        now: T0 + 10,
        wall: T0 + 10,
        lease_ms: 60_000,
        token: fresh("lease"),
        limit: 10,
        per_partition: 10,
        busy: []
      })
      expect(await nodes.a.backlog({ ...query, queues: [busy], limit: 2 })).toEqual([{ ...some, due: 2 }])
      expect(await nodes.a.backlog({ ...query, queues: [] })).toEqual([])
    })

    it("say when the oldest delivery was made that is tried again", async () => {
      const queue = fresh("delivery") as Queue
      const m = fresh("mer")
      const retried = (created: number, over: object = {}) =>
        job(queue, { created_at: T0 + created, due_at: T0 + 1000, log: [{ at: T0 }], ...over })
      await nodes.a.commit(
        change(m, {
          events: [event()],
          jobs: [
            retried(5),
            retried(4, { partition_key: fresh("endpoint") }),
            retried(1, { status: "failed", due_at: null }),
            retried(2, { log: [] })
          ]
        })
      )
      const [found] = await nodes.a.backlog({ queues: [queue], now: T0 + 10, limit: 10 })
      expect(found).toEqual({ queue, due: 0, due_since: null, retried_since: T0 + 4 })
      // Of whatever merchant, and in whatever database: the earliest counts.
      for (const [created, due_at] of [
        [3, T0 + 9],
        [7, T0 + 8],
        [6, T0 + 7]
      ] as const)
        await nodes.a.commit(change(fresh("mer"), { jobs: [retried(created, { due_at })] }))
      const [later] = await nodes.a.backlog({ queues: [queue], now: T0 + 10, limit: 10 })
      expect(later).toEqual({ queue, due: 3, due_since: T0 + 7, retried_since: T0 + 3 })
    })

    it("sum the platform's accounts of a class over all merchants, whether or not they are rolled up", async () => {
      const name = fresh("class")
      const [m, n] = [fresh("mer"), fresh("mer")]
      const other = `${name}x:p`
      await nodes.a.commit(
        change(m, {
          postings: [
            posting(`${name}:p`, other, 3),
            posting(other, `${name}:p`, 10),
            posting(other, `${name}:q`, 4, { currency: "NGN" }),
            posting(other, name, 2)
          ]
        })
      )
      await nodes.a.commit(change(n, { postings: [posting(other, `${name}:p`, 1), posting(other, "available:w", 7)] }))
      expect(await nodes.a.platformBalances([name, fresh("class")])).toEqual([
        { account: name, currency: "USDC", balance: "2" },
        { account: `${name}:p`, currency: "USDC", balance: "8" },
        { account: `${name}:q`, currency: "NGN", balance: "4" }
      ])
      expect(await nodes.a.platformBalances(["available"])).toEqual([])
      expect(await nodes.a.platformBalances([])).toEqual([])
    })
  })
}
