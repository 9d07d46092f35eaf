import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import type { EventWrite } from "../../../../src/engine/ports/Storage.ts"
import { change, event, fresh, freshQueue, job, type Nodes, range, T0 } from "../support.ts"
import { covers } from "../../../support/repository/covers.ts"
import { until } from "../../../support/repository/poll-timeout.ts"

const page = { offset: 0, limit: 100 }
const ids = (events: ReadonlyArray<{ readonly id: string }> | undefined) => events?.map((e) => e.id)

export const events = (nodes: Nodes): void => {
  const publish = (m: string, ...written: ReadonlyArray<EventWrite>) => nodes.a.commit(change(m, { events: written }))
  const subscribe = (m: string, endpoint_id: string, ...categories: ReadonlyArray<string>) =>
    nodes.a.commit(change(m, { subscriptions: [{ endpoint_id, categories }] }))
  const deliveries = async (m: string) => (await nodes.a.jobs({ merchant_id: m, queue: "delivery", ...page })).items

  describe("fan-out", () => {
    it("makes one pending delivery for each endpoint subscribed to the event's category", async () => {
      const m = fresh("mer")
      for (const [id, ...categories] of [
        ["whe_a", "transfer"],
        ["whe_b", "wallet", "transfer"],
        ["whe_c", "wallet"]
      ])
        await subscribe(m, id!, ...categories)
      await subscribe(fresh("mer"), "whe_d", "transfer")
      const e = event()
      await nodes.a.commit(change(m, { at: T0 + 7, events: [e] }))
      expect((await deliveries(m)).toSorted((a, b) => (a.partition_key < b.partition_key ? -1 : 1))).toEqual(
        ["whe_a", "whe_b"].map((partition_key) => ({
          merchant_id: m,
          id: expect.stringMatching(/^dlv_/),
          queue: "delivery",
          partition_key,
          status: "pending",
          due_at: T0 + 7,
          attempt: 0,
          created_at: T0 + 7,
          body: { event_id: e.id, event_type: e.type },
          log: [],
          lease: null
        }))
      )
    })

    it("derives the delivery's id from its event and endpoint alone", async () => {
      const m = fresh("mer")
      const e = event({ id: "evt_01k5m3s2t9zzzzzzzzzzzzzzzz" })
      await subscribe(m, "whe_é", "transfer")
      await publish(m, e)
      const hash = createHash("sha256").update(`${e.id}/whe_é`).digest("hex")
      expect(ids(await deliveries(m))).toEqual([`dlv_01k5m3s2t9${hash.slice(0, 16)}`])
    })

    it("sends a Change's events to the endpoint that it subscribes", async () => {
      const m = fresh("mer")
      await nodes.a.commit(
        change(m, { events: [event()], subscriptions: [{ endpoint_id: "whe_a", categories: ["transfer"] }] })
      )
      expect(await deliveries(m)).toHaveLength(1)
    })

    it("does not send a Change's events to the endpoint that it unsubscribes", async () => {
      const m = fresh("mer")
      await subscribe(m, "whe_a", "transfer")
      await nodes.a.commit(change(m, { events: [event()], subscriptions: [{ endpoint_id: "whe_a", categories: [] }] }))
      expect(await deliveries(m)).toEqual([])
    })

    it("follows a changed subscription", async () => {
      const m = fresh("mer")
      await subscribe(m, "whe_a", "transfer")
      await subscribe(m, "whe_a", "wallet")
      await publish(m, event(), event({ category: "wallet", type: "wallet.created" }))
      expect((await deliveries(m)).map((d) => d.body["event_type"])).toEqual(["wallet.created"])
    })

    it("keeps deliveries made before the subscription ended", async () => {
      const m = fresh("mer")
      await subscribe(m, "whe_a", "transfer")
      await publish(m, event())
      await subscribe(m, "whe_a")
      expect(await deliveries(m)).toHaveLength(1)
    })

    it("sends an event once when a subscription repeats a category", async () => {
      const m = fresh("mer")
      await subscribe(m, "whe_a", "transfer", "transfer")
      await publish(m, event())
      expect(await deliveries(m)).toHaveLength(1)
    })

    it("keeps the order of Changes that are sent in one tick", async () => {
      const m = fresh("mer")
      const sent = [event(), event(), event()]
      await Promise.all([
        publish(m, sent[0]!),
        subscribe(m, "whe_a", "transfer"),
        publish(m, sent[1]!),
        subscribe(m, "whe_a"),
        publish(m, sent[2]!)
      ])
      expect((await deliveries(m)).map((d) => d.body["event_id"])).toEqual([sent[1]!.id])
    })

    it("makes a delivery of every event of a large Change", async () => {
      const m = fresh("mer")
      for (const i of range(3)) await subscribe(m, `whe_${i}`, "transfer")
      await publish(m, ...range(30).map((i) => event({ sequence: i + 1 })))
      const made = await deliveries(m)
      expect([made.length, new Set(made.map((d) => d.id)).size]).toEqual([90, 90])
    })
  })

  describe("events", () => {
    it("returns a frozen event, to its merchant only", async () => {
      const m = fresh("mer")
      const e = event({ body: `{ "spaced" :1.0,"z":1,"a":2 }` })
      await publish(m, e)
      expect(await nodes.a.event(m, e.id)).toEqual({ ...e, merchant_id: m })
      expect(await nodes.a.event(fresh("mer"), e.id)).toBeUndefined()
    })

    it("lets two merchants have events with equal id, object and type", async () => {
      const e = event()
      for (const m of [fresh("mer"), fresh("mer")]) expect(await publish(m, e)).toEqual({ _tag: "Committed" })
    })

    it("lists the newest first, and greater ids first at equal times", async () => {
      const m = fresh("mer")
      await publish(m, event({ id: "evt_b" }), event({ id: "evt_c", created_at: T0 + 1 }), event({ id: "evt_a" }))
      expect(ids((await nodes.a.events({ merchant_id: m, ...page })).items)).toEqual(["evt_c", "evt_b", "evt_a"])
    })

    it("filters by category, type, object and time, and pages with a total", async () => {
      const m = fresh("mer")
      await publish(
        m,
        event({ id: "evt_1", object_id: "o1", category: "transfer", type: "transfer.success" }),
        event({ id: "evt_2", object_id: "o2", category: "transfer", type: "transfer.failed", created_at: T0 + 1 }),
        event({
          id: "evt_3",
          object_id: "o1",
          category: "wallet",
          type: "wallet.created",
          sequence: 2,
          created_at: T0 + 2
        })
      )
      const of = async (over: object) => {
        const { items, total } = await nodes.a.events({ merchant_id: m, ...page, ...over })
        return [ids(items), total]
      }
      expect(await of({ category: "transfer" })).toEqual([["evt_2", "evt_1"], 2])
      expect(await of({ type: "wallet.created" })).toEqual([["evt_3"], 1])
      expect(await of({ object_id: "o1" })).toEqual([["evt_3", "evt_1"], 2])
      expect(await of({ object_id: "o1", category: "transfer" })).toEqual([["evt_1"], 1])
      expect(await of({ created_after: T0 + 1, created_before: T0 + 1 })).toEqual([["evt_2"], 1])
      expect(await of({ offset: 1, limit: 1 })).toEqual([["evt_2"], 3])
      expect(await of({ offset: 5 })).toEqual([[], 3])
    })
  })

  covers("EVENT-29")
  describe("feed", () => {
    /** What the feed comes to. A write of the server's own, such as that of its statistics, may delay it. */
    const fed = async (m: string, after: string | null, limit: number, expected: ReadonlyArray<string>) => {
      await expect.poll(async () => ids(await nodes.a.feed(m, after, limit))).toEqual(expected)
    }

    it("returns events in the order of their Changes, and in each Change's own order", async () => {
      const m = fresh("mer")
      await publish(m, event({ id: "evt_z", created_at: T0 + 9 }), event({ id: "evt_y" }))
      await publish(m, event({ id: "evt_a", created_at: T0 - 9 }))
      await fed(m, null, 10, ["evt_z", "evt_y", "evt_a"])
    })

    it("continues after an event, page by page, to the end", async () => {
      const m = fresh("mer")
      await publish(m, ...range(5).map((i) => event({ id: `evt_${i}` })))
      await fed(m, null, 2, ["evt_0", "evt_1"])
      await fed(m, "evt_1", 2, ["evt_2", "evt_3"])
      await fed(m, "evt_3", 2, ["evt_4"])
      expect(ids(await nodes.a.feed(m, "evt_4", 2))).toEqual([])
    })

    it("distinguishes an unknown position from an empty feed", async () => {
      const [m, n] = [fresh("mer"), fresh("mer")]
      await publish(n, event({ id: "evt_n" }))
      expect(await nodes.a.feed(m, null, 10)).toEqual([])
      expect(await nodes.a.feed(m, "evt_n", 10)).toBeUndefined()
    })

    it("never returns an event that sorts before one already returned, under concurrent writes", async () => {
      const m = fresh("mer")
      const [readers, writers] = [
        [nodes.a, nodes.b],
        [nodes.a, nodes.b]
      ]
      let writing = true
      const seen: Array<Array<string>> = readers.map(() => [])
      const reading = readers.map(async (s, i) => {
        const mine = seen[i]!
        while (writing || mine.length < 600) {
          const next = await s.feed(m, mine.at(-1) ?? null, 7)
          mine.push(...next!.map((e) => e.id))
          await new Promise((resolve) => setImmediate(resolve))
        }
      })
      for (const _ of range(10)) {
        await Promise.all(range(30).map((i) => writers[i % 2]!.commit(change(m, { events: [event(), event()] }))))
      }
      writing = false
      await Promise.all(reading)
      const whole = await until(
        async () => ids(await nodes.a.feed(m, null, 10_000))!,
        (all) => all.length >= 600
      )
      expect(whole).toHaveLength(600)
      for (const mine of seen) expect(mine).toEqual(whole)
    })
  })

  describe("buckets and settings", () => {
    const bucket = (merchant_id: string, now: number, per_second = 2, burst = 3) =>
      nodes.a.take({ merchant_id, per_second, burst, now })

    it("grants a burst, then returns the time until the next token", async () => {
      const m = fresh("mer")
      const waits: Array<number> = []
      for (const now of [T0, T0, T0, T0, T0 + 499, T0 + 500, T0 + 500]) waits.push(await bucket(m, now))
      expect(waits).toEqual([0, 0, 0, 500, 1, 0, 500])
    })

    it("refills up to the burst only", async () => {
      const m = fresh("mer")
      await bucket(m, T0)
      const waits: Array<number> = []
      for (const _ of range(4)) waits.push(await bucket(m, T0 + 60_000))
      expect(waits).toEqual([0, 0, 0, 500])
    })

    it("refills nothing when the clock goes back", async () => {
      const m = fresh("mer")
      for (const _ of range(3)) await bucket(m, T0)
      expect(await bucket(m, T0 - 10_000)).toBe(500)
      expect(await bucket(m, T0 + 500)).toBe(0)
    })

    it("keeps a bucket for each merchant", async () => {
      const [m, n] = [fresh("mer"), fresh("mer")]
      expect([await bucket(m, T0, 1, 1), await bucket(m, T0, 1, 1), await bucket(n, T0, 1, 1)]).toEqual([0, 1000, 0])
    })

    it("grants exactly the burst to concurrent callers on two nodes", async () => {
      const m = fresh("mer")
      const waits = await Promise.all(
        range(40).map((i) =>
          (i % 2 === 0 ? nodes.a : nodes.b).take({ merchant_id: m, per_second: 1, burst: 7, now: T0 })
        )
      )
      expect(waits.filter((w) => w === 0)).toHaveLength(7)
    })

    it("defines a setting once, and assigns it at any time", async () => {
      const key = fresh("setting")
      expect(await nodes.a.setting(key)).toBeUndefined()
      expect([await nodes.a.define(key, "1"), await nodes.a.define(key, "2"), await nodes.a.setting(key)]).toEqual([
        "1",
        "1",
        "1"
      ])
      await nodes.a.assign(key, "3")
      expect([await nodes.a.setting(key), await nodes.a.define(key, "4")]).toEqual(["3", "3"])
    })

    it("assigns a setting that was never defined", async () => {
      const key = fresh("setting")
      await nodes.a.assign(key, "x")
      expect(await nodes.a.setting(key)).toBe("x")
    })

    it("returns one value to all concurrent definitions of a setting", async () => {
      const key = fresh("setting")
      const given = await Promise.all(range(30).map((i) => (i % 2 === 0 ? nodes.a : nodes.b).define(key, `${i}`)))
      expect(new Set([...given, await nodes.a.setting(key)]).size).toBe(1)
    })

    it("answers a ping", async () => {
      expect(await nodes.a.ping()).toBeUndefined()
    })

    it("registers a watcher of hints, and releases it", async () => {
      const { Effect } = await import("effect")
      await Effect.runPromise(Effect.scoped(nodes.a.service.watch(() => {})))
      expect(await nodes.a.commit(change(fresh("mer"), { jobs: [job(freshQueue())] }))).toEqual({ _tag: "Committed" })
    })
  })
}
