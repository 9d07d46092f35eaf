import { describe, expect, it } from "vitest"
import type { Job, JobWalk, JobWrite, Queue } from "../../../../src/engine/ports/Storage.ts"
import { change, claimOf, event, fresh, freshQueue, job, type Nodes, idempotency, range, row, T0 } from "../support.ts"

const ids = (jobs: ReadonlyArray<Job>): ReadonlyArray<string> => jobs.map((j) => j.id)
const page = { offset: 0, limit: 10 }

export const jobs = (nodes: Nodes): void => {
  const write = (m: string, ...written: ReadonlyArray<JobWrite>) => nodes.a.commit(change(m, { jobs: written }))
  /** Writes jobs of one queue, due one after the other. `name` is the id and, by default, the partition key. */
  const line = async (q: Queue, ...names: ReadonlyArray<readonly [id: string, key?: string]>): Promise<string> => {
    const m = fresh("mer")
    await write(m, ...names.map(([id, key = id], i) => job(q, { id, partition_key: key, due_at: T0 + i })))
    return m
  }
  const due = { now: T0 + 1_000 }

  describe("claims of jobs", () => {
    it("returns the oldest due first, whatever the order of writing", async () => {
      const q = freshQueue()
      await write(
        fresh("mer"),
        job(q, { id: "b", due_at: T0 + 2 }),
        job(q, { id: "a", due_at: T0 + 3 }),
        job(q, { id: "c", due_at: T0 + 1 })
      )
      expect(ids(await nodes.a.claim(claimOf(q, due)))).toEqual(["c", "b", "a"])
    })

    it("returns a job as stored, with one more attempt and the token", async () => {
      const q = freshQueue()
      const m = fresh("mer")
      const j = job(q, { attempt: 3, body: { a: [1, null] }, log: [{ tried: 1 }, "x"], created_at: T0 - 7 })
      await write(m, j)
      const query = claimOf(q)
      const expected = { ...j, merchant_id: m, attempt: 4, lease: query.token }
      expect(await nodes.a.claim(query)).toEqual([expected])
      expect(await nodes.a.job(m, j.id)).toEqual(expected)
    })

    it("leaves jobs that are not due, and takes those due at this moment", async () => {
      const q = freshQueue()
      await write(fresh("mer"), job(q, { id: "now", due_at: T0 }), job(q, { id: "later", due_at: T0 + 1 }))
      expect(ids(await nodes.a.claim(claimOf(q)))).toEqual(["now"])
    })

    it("leaves jobs that are not pending, and other queues", async () => {
      const q = freshQueue()
      await write(fresh("mer"), job(q, { status: "succeeded", due_at: null }), job(freshQueue()))
      expect(await nodes.a.claim(claimOf(q))).toEqual([])
    })

    it("takes at most the limit, and the rest the next time", async () => {
      const q = freshQueue()
      await line(q, ["a"], ["b"], ["c"])
      expect(ids(await nodes.a.claim(claimOf(q, { ...due, limit: 2 })))).toEqual(["a", "b"])
      expect(ids(await nodes.a.claim(claimOf(q, { ...due, limit: 2 })))).toEqual(["c"])
    })

    it("takes none with limit 0 or with a share of 0", async () => {
      const q = freshQueue()
      await line(q, ["a"])
      expect(await nodes.a.claim(claimOf(q, { ...due, limit: 0 }))).toEqual([])
      expect(await nodes.a.claim(claimOf(q, { ...due, per_partition: 0 }))).toEqual([])
    })

    it("takes a share of each partition key, so that a long one hides no other", async () => {
      const q = freshQueue()
      await line(
        q,
        ...range(40).map((i) => [`a${i}`, "dead"] as const),
        ["b0", "live"],
        ["b1", "live"],
        ["c0", "third"]
      )
      expect(ids(await nodes.a.claim(claimOf(q, { ...due, limit: 4, per_partition: 1 })))).toEqual(["a0", "b0", "c0"])
    })

    it("fills the limit with the oldest jobs of several partition keys", async () => {
      const q = freshQueue()
      await line(q, ["a0", "a"], ["a1", "a"], ["a2", "a"], ["b0", "b"], ["b1", "b"], ["c0", "c"])
      expect(ids(await nodes.a.claim(claimOf(q, { ...due, limit: 4, per_partition: 2 })))).toEqual(
        "a0 a1 b0 b1".split(" ")
      )
    })

    it("takes no job of a busy partition key", async () => {
      const q = freshQueue()
      await line(q, ["a0", "a"], ["b0", "b"], ["c0", "c"])
      expect(ids(await nodes.a.claim(claimOf(q, { ...due, busy: ["a", "c", "unknown"] })))).toEqual(["b0"])
    })

    it("claims the jobs of every merchant, with equal ids too", async () => {
      const q = freshQueue()
      const [m, n] = [await line(q, ["same"]), await line(q, ["same"])]
      expect((await nodes.a.claim(claimOf(q, due))).map((j) => j.merchant_id).sort()).toEqual([m, n].sort())
    })

    it("never returns a job under lease", async () => {
      const q = freshQueue()
      await line(q, ["a"])
      await nodes.a.claim(claimOf(q, { ...due, wall: 50, lease_ms: 100 }))
      expect(await nodes.a.claim(claimOf(q, { now: T0 * 2, wall: 149 }))).toEqual([])
    })

    it("returns a job again when its lease has expired by the wall clock", async () => {
      const q = freshQueue()
      await line(q, ["a"])
      await nodes.a.claim(claimOf(q, { ...due, wall: 50, lease_ms: 100 }))
      expect(await nodes.a.claim(claimOf(q, { ...due, wall: 150 }))).toMatchObject([{ id: "a", attempt: 2 }])
    })

    it("skips a job written with a lease until the lease has expired", async () => {
      const q = freshQueue()
      const m = fresh("mer")
      await write(m, job(q, { id: "a", lease: { token: "writer", wall: 400, lease_ms: 100 } }))
      expect(await nodes.a.job(m, "a")).toMatchObject({ lease: "writer", attempt: 0 })
      expect(await nodes.a.claim(claimOf(q, { wall: 499 }))).toEqual([])
      expect(ids(await nodes.a.claim(claimOf(q, { wall: 500 })))).toEqual(["a"])
    })

    describe("claims of deliveries", () => {
      const freshDeliveries = (): Queue => fresh("delivery") as Queue
      const sorted = (claimed: ReadonlyArray<Job>) => ids(claimed).toSorted()
      const three = [
        ["a0", "a"],
        ["a1", "a"],
        ["a2", "a"],
        ["b0", "b"],
        ["b1", "b"],
        ["c0", "c"]
      ] as const

      it("takes the oldest of each partition key, up to its share", async () => {
        const q = freshDeliveries()
        await line(q, ...three)
        expect(sorted(await nodes.a.claim(claimOf(q, { ...due, limit: 9, per_partition: 2 })))).toEqual(
          "a0 a1 b0 b1 c0".split(" ")
        )
        expect(sorted(await nodes.a.claim(claimOf(q, { ...due, limit: 9, per_partition: 2 })))).toEqual(["a2"])
      })

      it("takes at most the limit, and eventually all", async () => {
        const q = freshDeliveries()
        await line(q, ...three)
        const taken: Array<string> = []
        for (const expected of [4, 2, 0]) {
          const claimed = await nodes.a.claim(claimOf(q, { ...due, limit: 4, per_partition: 4 }))
          expect(claimed).toHaveLength(expected)
          taken.push(...ids(claimed))
        }
        expect(taken.toSorted()).toEqual(three.map(([id]) => id))
      })

      it("takes nothing of busy partition keys, nothing that is not due, and nothing under lease", async () => {
        const q = freshDeliveries()
        await line(q, ["a0", "a"], ["b0", "b"], ["b1", "b"], ["c0", "c"])
        await write(
          fresh("mer"),
          job(q, { id: "c1", partition_key: "c", lease: { token: "writer", wall: 400, lease_ms: 100 } })
        )
        expect(sorted(await nodes.a.claim(claimOf(q, { now: T0 + 1, wall: 499, busy: ["a", "unknown"] })))).toEqual([
          "b0"
        ])
        expect(sorted(await nodes.a.claim(claimOf(q, { ...due, wall: 499 })))).toEqual(["a0", "b1", "c0"])
        expect(sorted(await nodes.a.claim(claimOf(q, { ...due, wall: 500 })))).toEqual(["c1"])
      })

      it("includes the body of the named event, unless it is missing or the job is only read", async () => {
        const q = freshDeliveries()
        const [m, n] = [fresh("mer"), fresh("mer")]
        const e = event({ body: '{"quoted":"\\u001f \\" é"}' })
        await nodes.a.commit(change(m, { events: [e] }))
        for (const [merchant, id, body] of [
          [m, "a", { event_id: e.id }],
          [n, "b", { event_id: e.id }],
          [m, "c", { event_id: "evt_none" }],
          [m, "d", { payload: "ping" }]
        ] as const)
          await write(merchant, job(q, { id, body }))
        const claimed = await nodes.a.claim(claimOf(q, due))
        expect(claimed.map(({ id, payload }) => [id, payload]).toSorted()).toEqual([
          ["a", e.body],
          ["b", undefined],
          ["c", undefined],
          ["d", undefined]
        ])
        expect(await nodes.a.job(m, "a")).not.toHaveProperty("payload")
      })

      it("includes the current version of the endpoint", async () => {
        const q = freshDeliveries()
        const m = fresh("mer")
        const endpoint = row(m, { kind: "webhook_endpoint", id: fresh("whe") })
        await nodes.a.commit(change(m, { rows: [endpoint] }))
        const of = (id: string, partition_key: string) => job(q, { id, partition_key })
        await write(m, of("a", endpoint.id), of("b", fresh("whe")))
        await write(fresh("mer"), of("c", endpoint.id))
        const versions = async (wall: number) => {
          const claimed = await nodes.a.claim(claimOf(q, { ...due, wall }))
          return claimed.map(({ id, endpoint_version }) => [id, endpoint_version]).toSorted()
        }
        const others = [
          ["b", undefined],
          ["c", undefined]
        ]
        expect(await versions(0)).toEqual([["a", 1], ...others])
        await nodes.b.commit(change(m, { rows: [{ ...endpoint, version: 2 }] }))
        expect(await versions(2000)).toEqual([["a", 2], ...others])
      })

      it("works for every text that a body may hold", async () => {
        const q = freshDeliveries()
        const bodies = ["\u0000", "\ud800", '"event_id":"x"', "\\"].map((text) => ({ text, event_id: "evt_none" }))
        const m = fresh("mer")
        await write(m, ...bodies.map((body, i) => job(q, { id: `${i}`, partition_key: `${i}`, body })))
        const claimed = await nodes.a.claim(claimOf(q, due))
        expect(claimed.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ body }) => body)).toEqual(bodies)
      })

      it("gives each job to one of two concurrent claimers", async () => {
        const q = freshDeliveries()
        await line(q, ...range(40).map((i) => [`${i}`, `key${i % 8}`] as const))
        const query = { ...due, limit: 40, per_partition: 40 }
        const both = await Promise.all([nodes.a.claim(claimOf(q, query)), nodes.b.claim(claimOf(q, query))])
        const left = await nodes.a.claim(claimOf(q, query))
        expect([...both.flat(), ...left].map((j) => j.id).toSorted()).toEqual(range(40).map(String).toSorted())
      })

      it("returns the next due time over all partition keys", async () => {
        const q = freshDeliveries()
        await line(q, ["a0", "a"], ["b0", "b"], ["b1", "b"])
        await nodes.a.claim(claimOf(q, { now: T0 + 1 }))
        expect(await nodes.a.nextDue([q])).toBe(T0 + 2)
      })
    })
  })

  describe("leases", () => {
    const claimed = async (over: Partial<JobWrite> = {}) => {
      const q = freshQueue()
      const m = fresh("mer")
      await write(m, job(q, over))
      const [j] = await nodes.a.claim(claimOf(q, { ...due, wall: 0, lease_ms: 10 }))
      return { q, m, j: j!, lease: { job: j!.id, token: j!.lease! } }
    }

    it("deletes the job that a Change completes", async () => {
      const { m, j, lease } = await claimed()
      expect(await nodes.a.commit(change(m, { lease }))).toEqual({ _tag: "Committed" })
      expect(await nodes.a.job(m, j.id)).toBeUndefined()
    })

    it("replaces a job that a Change completes and writes again, without its lease", async () => {
      const { m, q, j, lease } = await claimed()
      const again = job(q, {
        id: j.id,
        partition_key: "moved",
        due_at: T0 + 60_000,
        attempt: 1,
        body: { n: 2 },
        log: ["tried"],
        created_at: T0 + 1
      })
      await nodes.a.commit(change(m, { lease, jobs: [again] }))
      expect(await nodes.a.job(m, j.id)).toEqual({ ...again, merchant_id: m, lease: null })
    })

    it("keeps a completed job as a record that is never claimed", async () => {
      const { m, q, j, lease } = await claimed()
      await nodes.a.commit(change(m, { lease, jobs: [job(q, { id: j.id, status: "succeeded", due_at: null })] }))
      expect(await nodes.a.job(m, j.id)).toMatchObject({ status: "succeeded", due_at: null, lease: null })
      expect(await nodes.a.claim(claimOf(q, { now: T0 * 2, wall: T0 * 2 }))).toEqual([])
    })

    it("completes a job after its lease has expired, unless it was claimed again", async () => {
      const { m, lease } = await claimed()
      expect(await nodes.a.commit(change(m, { lease }))).toEqual({ _tag: "Committed" })
    })

    it("loses the lease to the next claimer", async () => {
      const { m, q, lease } = await claimed()
      const [next] = await nodes.a.claim(claimOf(q, { ...due, wall: 10 }))
      expect(await nodes.a.commit(change(m, { lease }))).toEqual({ _tag: "LeaseLost" })
      expect(await nodes.a.commit(change(m, { lease: { job: next!.id, token: next!.lease! } }))).toEqual({
        _tag: "Committed"
      })
    })

    it("loses the lease when another Change rewrites the job", async () => {
      const { m, q, j, lease } = await claimed()
      await write(m, job(q, { id: j.id, due_at: T0 + 5 }))
      expect(await nodes.a.commit(change(m, { lease }))).toEqual({ _tag: "LeaseLost" })
      expect(await nodes.a.claim(claimOf(q, { ...due, wall: 0 }))).toMatchObject([{ id: j.id, attempt: 1 }])
    })

    it("loses the lease when the job is cancelled", async () => {
      const { m, j, lease } = await claimed()
      await nodes.a.commit(change(m, { cancels: [j.id] }))
      expect(await nodes.a.commit(change(m, { lease }))).toEqual({ _tag: "LeaseLost" })
    })

    it("returns LeaseLost to a repeated completion", async () => {
      const { m, lease } = await claimed()
      const x = change(m, { lease })
      await nodes.a.commit(x)
      expect(await nodes.a.commit(x)).toEqual({ _tag: "LeaseLost" })
    })

    it("does not complete another merchant's job with the same id", async () => {
      const { m, j, lease } = await claimed()
      expect(await nodes.a.commit(change(fresh("mer"), { lease }))).toEqual({ _tag: "LeaseLost" })
      expect(await nodes.a.job(m, j.id)).toEqual(j)
    })

    it("does not complete an unclaimed job", async () => {
      const m = fresh("mer")
      await write(m, job(freshQueue(), { id: "a" }))
      expect(await nodes.a.commit(change(m, { lease: { job: "a", token: "" } }))).toEqual({ _tag: "LeaseLost" })
    })

    it("lets the writer of a job with a lease complete it", async () => {
      const m = fresh("mer")
      await write(m, job(freshQueue(), { id: "a", lease: { token: "writer", wall: 0, lease_ms: 1 } }))
      expect(await nodes.a.commit(change(m, { lease: { job: "a", token: "writer" } }))).toEqual({ _tag: "Committed" })
    })

    describe("completions that write their job again", () => {
      const again = (m: string, j: Job, token: string, over: Partial<JobWrite> = {}) => {
        const { lease: _, merchant_id: __, ...rest } = j
        return change(m, {
          lease: { job: j.id, token },
          jobs: [{ ...rest, status: "done", due_at: null, log: [{ message: 'a "b" \\ \u001f' }], ...over }]
        })
      }

      it("keep every text, and release the lease", async () => {
        const { m, j, lease } = await claimed()
        const x = again(m, j, lease.token, { partition_key: 'l"{,}\\', body: { text: "é\u001e\u0000" }, attempt: 9 })
        expect(await nodes.a.commit(x)).toEqual({ _tag: "Committed" })
        expect(await nodes.a.job(m, j.id)).toEqual({ ...x.jobs[0], merchant_id: m, lease: null })
      })

      it("return LeaseLost when repeated, and write nothing", async () => {
        const { m, j, lease } = await claimed()
        await nodes.a.commit(again(m, j, lease.token))
        expect(await nodes.a.commit(again(m, j, lease.token, { status: "other" }))).toEqual({ _tag: "LeaseLost" })
        expect(await nodes.a.job(m, j.id)).toMatchObject({ status: "done" })
      })

      it("return LeaseLost after another claim, a rewrite or a cancellation, and for another merchant", async () => {
        const next = await claimed()
        await nodes.a.claim(claimOf(next.q, { ...due, wall: 10 }))
        const anew = await claimed()
        await write(anew.m, job(anew.q, { id: anew.j.id }))
        const gone = await claimed()
        await nodes.a.commit(change(gone.m, { cancels: [gone.j.id] }))
        const other = await claimed()
        for (const { m, j, lease } of [next, anew, gone, { ...other, m: fresh("mer") }]) {
          const before = await nodes.a.job(m, j.id)
          expect(await nodes.b.commit(again(m, j, lease.token))).toEqual({ _tag: "LeaseLost" })
          expect(await nodes.a.job(m, j.id)).toEqual(before)
        }
        expect(await nodes.b.commit(again(other.m, other.j, other.lease.token))).toEqual({ _tag: "Committed" })
      })

      it("become due again at the given time", async () => {
        const { m, q, j, lease } = await claimed()
        await nodes.a.commit(again(m, j, lease.token, { status: "pending", due_at: T0 + 3 }))
        expect(await nodes.a.nextDue([q])).toBe(T0 + 3)
        expect(await nodes.a.claim(claimOf(q, { now: T0 + 3 }))).toMatchObject([{ id: j.id, attempt: j.attempt + 1 }])
      })

      it("return each its own verdict under load, after earlier Changes", async () => {
        const m = fresh("mer")
        const q = freshQueue()
        await write(m, ...range(40).map((i) => job(q, { id: `j${i}`, partition_key: `${i}` })))
        const jobs = await nodes.a.claim(claimOf(q, due))
        const found = await Promise.all(
          jobs.flatMap((j, i) => [
            ...(i % 4 === 1 ? [nodes.a.commit(change(m, { cancels: [j.id] }))] : []),
            nodes.a.commit(again(m, j, i % 4 === 2 ? "other" : j.lease!)),
            ...(i % 4 === 3 ? [nodes.a.commit(change(m, { idempotency: idempotency(), rows: [row(m)] }))] : [])
          ])
        )
        expect(found.map((v) => v._tag)).toEqual(
          jobs.flatMap(
            (_, i) => [["Committed"], ["Committed", "LeaseLost"], ["LeaseLost"], ["Committed", "Committed"]][i % 4]!
          )
        )
      })
    })

    it("keeps the job when its completion is refused", async () => {
      const { m, j, lease } = await claimed()
      await nodes.a.commit(change(m, { lease, rows: [row(m, { version: 2 })] }))
      expect(await nodes.a.job(m, j.id)).toEqual(j)
    })
  })

  describe("writes of jobs", () => {
    it("replaces an existing job, with its queue, partition key and time", async () => {
      const m = fresh("mer")
      const [q, r] = [freshQueue(), freshQueue()]
      await write(m, job(q, { id: "a" }))
      const moved = job(r, { id: "a", partition_key: "other", due_at: T0 + 1 })
      await write(m, moved)
      expect(await nodes.a.job(m, "a")).toEqual({ ...moved, merchant_id: m, lease: null })
      expect([await nodes.a.claim(claimOf(q)), ids(await nodes.a.claim(claimOf(r, due)))]).toEqual([[], ["a"]])
    })

    it("cancels jobs, and ignores unknown ones and those of other merchants", async () => {
      const [m, n] = [fresh("mer"), fresh("mer")]
      const q = freshQueue()
      await write(m, job(q, { id: "a" }), job(q, { id: "b" }))
      await write(n, job(q, { id: "a" }))
      await nodes.a.commit(change(m, { cancels: ["a", "unknown", "a"] }))
      expect([await nodes.a.job(m, "a"), (await nodes.a.job(m, "b"))?.id, (await nodes.a.job(n, "a"))?.id]).toEqual([
        undefined,
        "b",
        "a"
      ])
    })

    it("keeps a job that one Change both cancels and writes", async () => {
      const m = fresh("mer")
      const q = freshQueue()
      await write(m, job(q, { id: "a" }))
      await nodes.a.commit(change(m, { cancels: ["a"], jobs: [job(q, { id: "a", attempt: 5 })] }))
      expect(await nodes.a.job(m, "a")).toMatchObject({ attempt: 5 })
    })

    it("cancels a job that an earlier Change of the same tick writes", async () => {
      const m = fresh("mer")
      const written = write(m, job(freshQueue(), { id: "a" }))
      await Promise.all([written, nodes.a.commit(change(m, { cancels: ["a"] }))])
      expect(await nodes.a.job(m, "a")).toBeUndefined()
    })

    it("returns no job of another merchant", async () => {
      const m = fresh("mer")
      await write(m, job(freshQueue(), { id: "a" }))
      expect(await nodes.a.job(fresh("mer"), "a")).toBeUndefined()
    })
  })

  describe("the next due time", () => {
    it("is the earliest of the given queues, or none when nothing is pending", async () => {
      const [q, r, none] = [freshQueue(), freshQueue(), freshQueue()]
      await write(
        fresh("mer"),
        job(q, { due_at: T0 + 5 }),
        job(q, { due_at: T0 + 3 }),
        job(r, { due_at: T0 + 1 }),
        job(none, { status: "done", due_at: null })
      )
      expect([
        await nodes.a.nextDue([q]),
        await nodes.a.nextDue([q, r]),
        await nodes.a.nextDue([none]),
        await nodes.a.nextDue([])
      ]).toEqual([T0 + 3, T0 + 1, undefined, undefined])
    })

    it("ignores claimed jobs", async () => {
      const q = freshQueue()
      await write(fresh("mer"), job(q, { id: "a", due_at: T0 }))
      await nodes.a.claim(claimOf(q, { wall: T0, lease_ms: 50 }))
      const leased = await nodes.a.nextDue([q])
      await write(fresh("mer"), job(q, { due_at: T0 + 20 }))
      const free = await nodes.a.nextDue([q])
      await write(fresh("mer"), job(q, { due_at: T0 - 20, lease: { token: "t", wall: T0, lease_ms: 10 } }))
      expect([leased, free, await nodes.a.nextDue([q])]).toEqual([undefined, T0 + 20, T0 + 20])
    })
  })

  describe("lists of jobs", () => {
    it("returns the newest first, in pages with a total", async () => {
      const m = fresh("mer")
      const q = freshQueue()
      await write(m, ...range(4).map((i) => job(q, { id: `j${i}`, created_at: T0 + Math.floor(i / 2) })))
      expect(await nodes.a.jobs({ merchant_id: m, queue: q, offset: 1, limit: 2 })).toMatchObject({
        total: 4,
        items: [{ id: "j2" }, { id: "j1" }]
      })
      expect(await nodes.a.jobs({ merchant_id: m, queue: q, offset: 9, limit: 2 })).toEqual({ total: 4, items: [] })
    })

    it("filters by partition key, status, time and members of the body", async () => {
      const m = fresh("mer")
      const q = freshQueue()
      await write(
        m,
        job(q, { id: "a", partition_key: "l1", body: { type: "x", deep: { n: 1, m: [1, 2] } } }),
        job(q, { id: "b", partition_key: "l2", body: { type: "x", deep: { n: 1, m: [1, 2], more: 1 } } }),
        job(q, { id: "c", partition_key: "l1", status: "done", due_at: null, body: { type: "y", none: null } }),
        job(q, { id: "d", partition_key: "l2", created_at: T0 + 5, body: { type: "1" } })
      )
      const of = async (over: object) => ids((await nodes.a.jobs({ merchant_id: m, queue: q, ...page, ...over })).items)
      expect(await of({ partition_key: "l1" })).toEqual(["c", "a"])
      expect(await of({ status: "done" })).toEqual(["c"])
      expect(await of({ status: "pending" })).toEqual(["d", "b", "a"])
      expect(await of({ created_after: T0 + 1 })).toEqual(["d"])
      expect(await of({ created_before: T0, created_after: T0 })).toEqual(["c", "b", "a"])
      expect(await of({ body: { type: "x" } })).toEqual(["b", "a"])
      expect(await of({ body: { type: "x", deep: { m: [1, 2], n: 1 } } })).toEqual(["a"])
      expect(await of({ body: { none: null } })).toEqual(["c"])
      expect(await of({ body: { type: 1 } })).toEqual([])
      expect(await of({ body: {} })).toHaveLength(4)
    })

    it("walks over what failed of a partition key, and over what an obstacle blocks, by id", async () => {
      const m = fresh("mer")
      const [q, other] = [freshQueue(), freshQueue()]
      const failed = { status: "failed", due_at: null, partition_key: "e1" } as const
      await write(
        m,
        ...["f3", "f1", "f2"].map((id) => job(q, { id, ...failed })),
        job(q, { id: "f4", ...failed, partition_key: "e2" }),
        job(q, { id: "f5", ...failed, status: "succeeded" }),
        job(q, { id: "f6", partition_key: "e1" }),
        job(other, { id: "f7", ...failed }),
        ...["p3", "p1"].map((id) => job(q, { id, body: { n: 1, parked: "o1" } })),
        job(other, { id: "p2", body: { parked: "o1" } }),
        job(q, { id: "p4", body: { parked: "o2" } }),
        job(q, { id: "p5", body: { deep: { parked: "o1" } } }),
        job(q, { id: "p6", ...failed, partition_key: "e3", body: { parked: "o1" } })
      )
      await write(fresh("mer"), job(q, { id: "f0", ...failed }), job(q, { id: "p0", body: { parked: "o1" } }))
      const walk = { merchant_id: m, queues: [q], after: "", limit: 9 }
      const of = async (over: Partial<JobWalk> & Pick<JobWalk, "of">) =>
        ids(await nodes.a.jobsAfter({ ...walk, ...over }))
      const failing = { of: { failed: "e1" } }
      expect(await of(failing)).toEqual(["f1", "f2", "f3"])
      expect(await of({ ...failing, limit: 2 })).toEqual(["f1", "f2"])
      expect(await of({ ...failing, after: "f2" })).toEqual(["f3"])
      expect(await of({ ...failing, after: "f3" })).toEqual([])
      const parked = { of: { parked: "o1" }, queues: [q, other] }
      expect(await of(parked)).toEqual(["p1", "p2", "p3"])
      expect(await of({ ...parked, queues: [q] })).toEqual(["p1", "p3"])
      expect(await of({ ...parked, after: "p1", limit: 1 })).toEqual(["p2"])
      expect(await nodes.a.jobsAfter({ ...walk, of: { failed: "e2" } })).toEqual([await nodes.a.job(m, "f4")])
    })

    it("shows no jobs of another merchant or queue", async () => {
      const m = fresh("mer")
      const q = freshQueue()
      await write(m, job(q))
      expect((await nodes.a.jobs({ merchant_id: fresh("mer"), queue: q, ...page })).total).toBe(0)
      expect((await nodes.a.jobs({ merchant_id: m, queue: freshQueue(), ...page })).total).toBe(0)
    })
  })
}
