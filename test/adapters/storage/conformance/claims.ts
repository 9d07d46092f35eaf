import { nameReleasedJob } from "../../../../src/engine/ports/Ids.ts"
import { describe, expect, it } from "vitest"
import type { Queue } from "../../../../src/engine/ports/Storage.ts"
import { covers } from "../../../support/repository/covers.ts"
import { change, claimOf, fresh, freshQueue, idempotency, job, type Nodes, T0 } from "../support.ts"

export const claims = (nodes: Nodes): void => {
  const due = { now: T0 + 1_000 }
  /** Writes jobs of a merchant, due one after the other. `name` is the id, and its first letter the partition key. */
  const line = async (queue: Queue, ...names: ReadonlyArray<string>): Promise<string> => {
    const m = fresh("mer")
    const jobs = names.map((id, i) => job(queue, { id, partition_key: id.slice(0, 1), due_at: T0 + i }))
    await nodes.a.commit(change(m, { jobs }))
    return m
  }

  describe.each(["queue", "delivery"])("claims of one merchant's jobs, of a %s", (name) => {
    const freshOf = (): Queue => (name === "queue" ? freshQueue() : (fresh("delivery") as Queue))

    it("return no job of another merchant", async () => {
      const q = freshOf()
      const [m, n] = [await line(q, "a", "b"), await line(q, "c", "d")]
      const ofOne = await nodes.a.claim(claimOf(q, { ...due, merchant_id: n }))
      expect(ofOne.map((j) => `${j.merchant_id} ${j.id}`).toSorted()).toEqual([`${n} c`, `${n} d`])
      expect(await nodes.a.claim(claimOf(q, { ...due, merchant_id: fresh("mer") }))).toEqual([])
      expect((await nodes.a.claim(claimOf(q, due))).map((j) => j.merchant_id)).toEqual([m, m])
    })

    it("keep to the share of a partition key and to the limit, behind many other jobs too", async () => {
      const q = freshOf()
      await line(q, "z0", "z1", "z2", "z3")
      const m = await line(q, "a0", "a1", "b0", "b1")
      const some = { ...due, merchant_id: m, per_partition: 1 }
      const claimed = [
        ...(await nodes.a.claim(claimOf(q, { ...some, limit: 1 }))),
        ...(await nodes.a.claim(claimOf(q, { ...some, limit: 1 })))
      ]
      expect(claimed.map((j) => j.merchant_id)).toEqual([m, m])
      expect(await nodes.a.claim(claimOf(q, { ...some, busy: ["a", "b"] }))).toEqual([])
      expect(await nodes.a.claim(claimOf(q, { ...due, merchant_id: m }))).toHaveLength(2)
    })
  })

  describe.each(["queue", "delivery"])("claims that were given back, of a %s", (name) => {
    covers("SERVICE-27")
    const nameOf = (token: string, merchant_id: string, id: string) => nameReleasedJob(token, { merchant_id, id })
    const claimAs = (q: Queue, token: string, released: ReadonlyArray<string> = []) =>
      nodes.a.claim(claimOf(q, { ...due, token, released }))
    const held = async (...names: ReadonlyArray<string>) => {
      const q = fresh(name) as Queue
      const m = await line(q, ...names)
      const token = fresh("node/lease")
      expect(await claimAs(q, token)).toHaveLength(names.length)
      return { q, m, token }
    }

    it("are claimed again, each job once; the others stay claimed", async () => {
      const { m, q, token } = await held("a", "b", "c")
      const again = fresh("node/again")
      expect(await claimAs(q, again, [nameOf(token, m, "b"), nameOf(token, m, "x")])).toMatchObject([
        { id: "b", attempt: 2, lease: again }
      ])
      expect(await claimAs(q, fresh("node/third"), [nameOf(token, m, "b")])).toEqual([])
      expect((await claimAs(q, fresh("node/fourth"), [token])).map(({ id }) => id)).toEqual(["a", "c"])
      expect(await claimAs(q, fresh("node/fifth"), [token])).toEqual([])
    })

    it("are those of one merchant, where another's job of the same claim has the same id", async () => {
      const { m, q } = await held()
      const [one, other] = [await line(q, "wake"), await line(q, "wake")]
      const token = fresh("node/lease")
      expect((await claimAs(q, token)).map(({ merchant_id }) => merchant_id).toSorted()).toEqual(
        [one, other].toSorted()
      )
      expect(await claimAs(q, fresh("node/again"), [nameOf(token, m, "wake")])).toEqual([])
      const again = await claimAs(q, fresh("node/again"), [nameOf(token, other, "wake")])
      expect(again.map(({ merchant_id }) => merchant_id)).toEqual([other])
    })

    it("are not taken from a node that has claimed them since", async () => {
      const { m, q, token } = await held("a")
      const other = fresh("other/lease")
      expect(await claimAs(q, other, [token])).toHaveLength(1)
      expect(await claimAs(q, fresh("node/late"), [token, nameOf(token, m, "a")])).toEqual([])
    })

    it("cannot be completed under the old token once they are claimed again", async () => {
      const { m, q, token } = await held("a")
      const [again] = await claimAs(q, fresh("node/again"), [nameOf(token, m, "a")])
      const complete = (lease: string) =>
        nodes.a.commit(change(m, { idempotency: idempotency(), lease: { job: "a", token: lease } }))
      expect(await complete(token)).toEqual({ _tag: "LeaseLost" })
      expect(await complete(again!.lease!)).toEqual({ _tag: "Committed" })
    })
  })

  describe.each(["queue", "delivery"])("the next due time after another, of a %s", (name) => {
    it("is that of the first unclaimed job due later", async () => {
      const q = fresh(name) as Queue
      await line(q, "a", "b", "c")
      expect(await nodes.a.nextDue([q])).toBe(T0)
      expect(await nodes.a.nextDue([q], T0)).toBe(T0 + 1)
      await nodes.a.claim(claimOf(q, { now: T0 + 1 }))
      expect(await nodes.a.nextDue([q], T0)).toBe(T0 + 2)
      expect(await nodes.a.nextDue([q], T0 + 2)).toBeUndefined()
    })
  })

  describe.each(["queue", "delivery"])("what is pending, of a %s", (name) => {
    it("is the first job, claimed or not, and the first that nobody has claimed, of each queue", async () => {
      const [q, other, empty] = [fresh(name), fresh(name), fresh(name)] as [Queue, Queue, Queue]
      await line(q, "a", "b")
      await line(other, "c")
      const pending = async () => (await nodes.a.pending([q, other, empty])).toSorted((a) => (a.queue === q ? -1 : 1))
      const rest = { queue: other, due_at: T0, free_at: T0 }
      expect(await pending()).toEqual([{ queue: q, due_at: T0, free_at: T0 }, rest])
      await nodes.a.claim(claimOf(q, { now: T0 }))
      expect(await pending()).toEqual([{ queue: q, due_at: T0, free_at: T0 + 1 }, rest])
      await nodes.a.claim(claimOf(q, { now: T0 + 1 }))
      expect(await pending()).toEqual([{ queue: q, due_at: T0, free_at: null }, rest])
      expect(await nodes.a.pending([])).toEqual([])
    })
  })
}
