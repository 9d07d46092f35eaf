import { describe, expect, it } from "vitest"
import type { Job, Queue } from "../../../../src/engine/ports/Storage.ts"
import { covers } from "../../../support/repository/covers.ts"
import { change, claimOf, fresh, freshQueue, idempotency, job, type Nodes, range, type Store, T0 } from "../support.ts"

const minute = 60_000

/** How far the clock of the callers is from one step to the next. */
const stepMs = 20

export const nodeLeases = (nodes: Nodes): void => {
  const tokenOf = (node: string): string => `${node}/${fresh("lease")}`
  const claimAs = (store: Store, node: string, q: Queue, wall: number) =>
    store.claim(claimOf(q, { wall, token: tokenOf(node), lease_ms: minute }))

  /** A job of a queue that `node`, which was seen, has claimed. */
  const held = async (node: string, q: Queue, lease_ms = minute): Promise<Job> => {
    await nodes.a.commit(change(fresh("mer"), { jobs: [job(q)] }))
    await nodes.a.heartbeat({ node, wall: T0, lease_ms })
    const [claimed] = await claimAs(nodes.a, node, q, T0)
    expect(claimed?.lease).toMatch(`${node}/`)
    return claimed!
  }

  /** A node that lives from now on: it renews its lease and claims until it has a job, and returns that, and after which step. */
  const taken = async (q: Queue, { node = fresh("node"), lease_ms = 1_000, steps = 100, from = 0 } = {}) => {
    for (const n of range(steps)) {
      const wall = T0 + from + n * stepMs
      await nodes.b.heartbeat({ node, wall, lease_ms })
      const [claimed] = await claimAs(nodes.b, node, q, wall)
      if (claimed !== undefined) return { node, claimed, n }
    }
    return undefined
  }

  describe("the claims of a node", () => {
    covers("SERVICE-24")
    it.each(["queue", "delivery"])("are free once it has left, long before they expire, of a %s", async (name) => {
      const q = name === "queue" ? freshQueue() : (fresh("delivery") as Queue)
      const node = fresh("node")
      const { attempt, id } = await held(node, q)
      expect(await taken(q, { steps: 40 })).toBeUndefined()
      await nodes.a.heartbeat({ node, wall: T0, lease_ms: 0 })
      expect((await taken(q))?.claimed).toMatchObject({ id, attempt: attempt + 1 })
    })

    it("are free once it was not seen for its lease, and cannot be completed by it any more", async () => {
      const q = freshQueue()
      const { id, lease, merchant_id } = await held(fresh("node"), q, 100)
      const found = await taken(q, { from: 200 })
      expect(found?.claimed).toMatchObject({ id })
      const complete = (token: string) =>
        nodes.a.commit(change(merchant_id, { idempotency: idempotency(), lease: { job: id, token } }))
      expect(await complete(lease!)).toEqual({ _tag: "LeaseLost" })
      expect(await complete(found!.claimed.lease!)).toEqual({ _tag: "Committed" })
    })

    it("are its own again when it returns before another took them", async () => {
      const q = freshQueue()
      const node = fresh("node")
      await held(node, q, 0)
      expect(await nodes.a.heartbeat({ node, wall: T0, lease_ms: minute })).toBe(true)
      expect(await nodes.a.heartbeat({ node, wall: T0, lease_ms: minute })).toBe(false)
      expect(await taken(q, { steps: 40 })).toBeUndefined()
    })

    it("are taken only by a node that was seen without a gap for half its lease", async () => {
      const q = freshQueue()
      const node = fresh("node")
      const judge = fresh("node")
      await held(node, q, 0)
      expect(await claimAs(nodes.b, fresh("node"), q, T0)).toEqual([])
      expect(await nodes.b.claim(claimOf(q, { wall: T0 }))).toEqual([])
      await nodes.b.heartbeat({ node: judge, wall: T0, lease_ms: minute })
      expect(await claimAs(nodes.b, judge, q, T0)).toEqual([])
      // Its own lease ends when it may take: it begins anew.
      const wall = T0 + minute / 2
      await nodes.b.heartbeat({ node: judge, wall, lease_ms: 0 })
      await nodes.b.heartbeat({ node: judge, wall, lease_ms: minute })
      expect(await claimAs(nodes.b, judge, q, wall)).toEqual([])
      expect((await taken(q))!.n).toBeGreaterThan(0)
    })

    it("last as long as they were made for when the store has never seen it, and so does what names no node", async () => {
      const [unseen, intended] = [freshQueue(), freshQueue()]
      const node = fresh("node")
      await nodes.a.commit(change(fresh("mer"), { jobs: [job(unseen)] }))
      await claimAs(nodes.a, node, unseen, T0)
      await nodes.a.heartbeat({ node: fresh("node"), wall: T0, lease_ms: 0 })
      const { lease } = await held(fresh("node"), freshQueue(), 0)
      const parked = { token: `parked.${lease}`, wall: T0, lease_ms: minute }
      await nodes.a.commit(change(fresh("mer"), { jobs: [job(intended, { lease: parked })] }))
      for (const q of [unseen, intended]) expect(await taken(q, { steps: 40 })).toBeUndefined()
    })
  })
}
