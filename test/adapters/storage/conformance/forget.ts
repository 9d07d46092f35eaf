import { describe, expect, it } from "vitest"
import { deriveRedeliveryId } from "../../../../src/engine/ports/Ids.ts"
import type { ForgetQuery } from "../../../../src/engine/ports/Storage.ts"
import {
  balance,
  change,
  event,
  fresh,
  freshQueue,
  fund,
  job,
  type Nodes,
  idempotency,
  posting,
  range,
  row,
  T0
} from "../support.ts"

const DAY = 86_400_000
/** Long before all writes of the other tests, so that only this file's records are deleted. */
const OLD = 1_000_000_000_000

export const forget = (nodes: Nodes): void => {
  const gone = (sort: ForgetQuery["sort"], before: number, limit = 100) => nodes.a.forget({ sort, before, limit })
  /** Whether a key is still stored, whatever its expiry. */
  const stands = async (m: string, key: string) =>
    (await nodes.a.idempotencyRecord(m, key, OLD - 10 * DAY)) !== undefined

  describe("forgetting of keys", () => {
    it("deletes those that have expired by then, and no later or permanent ones", async () => {
      const m = fresh("mer")
      const keys = { early: OLD, now: OLD + 1, later: OLD + 2, ever: null }
      for (const [key, expires_at] of Object.entries(keys))
        await nodes.a.commit(change(m, { idempotency: idempotency(key, { expires_at }), at: OLD - DAY }))
      expect(await gone("keys", OLD + 1)).toBe(2)
      expect(await Promise.all(Object.keys(keys).map((key) => stands(m, key)))).toEqual([false, false, true, true])
      expect(await gone("keys", OLD + 2)).toBe(1)
      expect(await stands(m, "ever")).toBe(true)
    })

    it("deletes the oldest first, at most the limit, until none is left", async () => {
      const m = fresh("mer")
      await Promise.all(
        range(5).map((n) =>
          nodes.a.commit(change(m, { idempotency: idempotency(`k${n}`, { expires_at: OLD - n }), at: OLD - DAY }))
        )
      )
      expect(await gone("keys", OLD, 2)).toBe(2)
      expect(await Promise.all(range(5).map((n) => stands(m, `k${n}`)))).toEqual([true, true, true, false, false])
      expect([await gone("keys", OLD, 2), await gone("keys", OLD, 2), await gone("keys", OLD, 2)]).toEqual([2, 1, 0])
    })

    it("frees them: the next Change with the key is applied, and the first one's writes remain", async () => {
      const m = fresh("mer")
      const key = fresh("key")
      await fund(nodes.a, m, "available:w", 10)
      const spend = change(m, {
        idempotency: idempotency(key, { expires_at: OLD }),
        at: OLD - DAY,
        rows: [row(m, { id: "tfr_kept" })],
        postings: [posting("available:w", "fees", 3)],
        unique_keys: [{ scope: "reference", key: "r", owner: "tfr_kept" }]
      })
      await nodes.a.commit(spend)
      expect((await nodes.a.commit(spend))._tag).toBe("Repeated")
      await gone("keys", OLD)
      expect(await nodes.a.commit(spend)).toMatchObject({ _tag: "VersionConflict", id: "tfr_kept" })
      expect(await balance(nodes.a, m, "available:w")).toBe("7")
      expect(await nodes.a.uniqueKeyOwner(m, "reference", "r")).toBe("tfr_kept")
      expect((await nodes.a.history(m, "tfr_kept")).transitions.length).toBe(1)
    })
  })

  describe("forgetting of jobs", () => {
    it("deletes ended ones created before, and neither newer nor pending ones", async () => {
      const m = fresh("mer")
      const q = freshQueue()
      const ended = (id: string, status: string, created_at: number) =>
        job(q, { id, status, created_at, due_at: status === "pending" ? OLD : null })
      const jobs = [
        ended("delivered", "delivered", OLD - 1),
        ended("failed", "failed", OLD - 2),
        ended("waits", "pending", OLD - 3),
        ended("new", "delivered", OLD)
      ]
      await nodes.a.commit(change(m, { jobs }))
      expect(await gone("jobs", OLD)).toBe(2)
      const left = await Promise.all(jobs.map(({ id }) => nodes.a.job(m, id)))
      expect(left.map((one) => one?.id)).toEqual([undefined, undefined, "waits", "new"])
      expect(await gone("jobs", OLD)).toBe(0)
      expect(await gone("jobs", OLD + 1)).toBe(1)
    })
  })

  describe("forgetting of events", () => {
    const publish = async (m: string, ...created: ReadonlyArray<number>) => {
      const events = created.map((created_at) => event({ created_at }))
      for (const one of events) await nodes.a.commit(change(m, { events: [one] }))
      return events.map(({ id }) => id)
    }
    const feed = async (m: string, after: string | null) => (await nodes.a.feed(m, after, 10))?.map(({ id }) => id)

    it("deletes those created before, of every merchant, and leaves the rest of the feed unchanged", async () => {
      const [m, other] = [fresh("mer"), fresh("mer")]
      const [first, second, third, fourth] = await publish(m, OLD - 2, OLD - 1, OLD, OLD + 1)
      await publish(other, OLD - 3)
      expect(await gone("events", OLD)).toBe(3)
      expect(await feed(other, null)).toEqual([])
      // A write of the server's own may delay the feed.
      await expect.poll(() => feed(m, null)).toEqual([third, fourth])
      await expect.poll(() => feed(m, third!)).toEqual([fourth])
      expect([await feed(m, first!), await feed(m, second!)]).toEqual([undefined, undefined])
      expect(await nodes.a.event(m, first!)).toBeUndefined()
      const { items, total } = await nodes.a.events({ merchant_id: m, offset: 0, limit: 10 })
      expect([items.map(({ id }) => id), total]).toEqual([[fourth, third], 2])
      const [fifth] = await publish(m, OLD + 2)
      await expect.poll(() => feed(m, third!)).toEqual([fourth, fifth])
      expect(await gone("events", OLD + 10)).toBe(3)
    })

    it("deletes at most the limit over all merchants", async () => {
      for (const m of [fresh("mer"), fresh("mer")]) await publish(m, OLD - 2, OLD - 1)
      expect([await gone("events", OLD, 3), await gone("events", OLD, 3)]).toEqual([3, 1])
    })

    it("keeps the event of a pending delivery, and deletes it once the delivery has ended", async () => {
      const m = fresh("mer")
      await nodes.a.commit(change(m, { subscriptions: [{ endpoint_id: "whe_a", categories: ["transfer"] }] }))
      const [id] = await publish(m, OLD - 1)
      expect(await gone("events", OLD)).toBe(0)
      expect((await nodes.a.event(m, id!))?.id).toBe(id)
      const { items } = await nodes.a.jobs({ merchant_id: m, queue: "delivery", offset: 0, limit: 1 })
      const { merchant_id: _, lease: __, ...delivery } = items[0]!
      await nodes.a.commit(change(m, { at: T0, jobs: [{ ...delivery, status: "delivered", due_at: null }] }))
      expect(await gone("events", OLD)).toBe(1)
      expect(await nodes.a.event(m, id!)).toBeUndefined()
    })

    it("keeps the event of a pending replay, even years later, and deletes it once the replay has ended", async () => {
      const m = fresh("mer")
      const [id, other] = await publish(m, OLD - 2, OLD - 1)
      const body = { event_id: id!, event_type: "transfer.success" }
      const replay = job("delivery", { id: deriveRedeliveryId(id!, fresh("dlv")), partition_key: "whe_a", body })
      await nodes.a.commit(change(m, { at: T0, jobs: [replay] }))
      expect(await gone("events", OLD)).toBe(1)
      await expect.poll(() => feed(m, null)).toEqual([id])
      expect(await nodes.a.event(m, other!)).toBeUndefined()
      await nodes.a.commit(change(m, { at: T0, jobs: [{ ...replay, status: "delivered", due_at: null }] }))
      expect(await gone("events", OLD)).toBe(1)
    })
  })
}
