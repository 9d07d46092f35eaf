import { describe, expect, it } from "vitest"
import type { Change, CommitResult } from "../../../../src/engine/ports/Storage.ts"
import {
  balance,
  change,
  claimOf,
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
  T0,
  countByTag
} from "../support.ts"

/** Fifty concurrent Changes over two nodes. */
export const races = (nodes: Nodes): void => {
  const at50 = (make: (i: number) => Change): Promise<ReadonlyArray<CommitResult>> =>
    Promise.all(range(50).map((i) => (i % 2 === 0 ? nodes.a : nodes.b).commit(make(i))))

  describe("races of fifty", () => {
    for (const k of [0, 1, 7, 49, 50]) {
      it(`pays exactly ${k} from an account that holds ${k}`, async () => {
        const m = fresh("mer")
        if (k > 0) await fund(nodes.a, m, "available:w", k)
        const found = await at50(() => change(m, { postings: [posting("available:w", "reserved:w", 1)] }))
        expect(countByTag(found)).toEqual({
          ...(k > 0 ? { Committed: k } : {}),
          ...(k < 50 ? { InsufficientFunds: 50 - k } : {})
        })
        expect([
          (await balance(nodes.a, m, "available:w")) ?? "0",
          (await balance(nodes.b, m, "reserved:w")) ?? "0"
        ]).toEqual(["0", `${k}`])
      })
    }

    it("counts each entry of an account once, and none of a refused Change", async () => {
      for (const _ of range(8)) {
        const m = fresh("mer")
        const [x, y] = [fresh("available:x"), fresh("reserved:y")]
        const paid = (i: number) => [
          posting("world", x, 3),
          ...(i % 2 === 0 ? [posting(x, y, 1), posting(x, x, 1)] : []),
          ...(i % 5 === 0 ? [posting(y, "world", 1_000)] : [])
        ]
        for (const wave of [1, 2]) {
          const found = await at50((i) => change(m, { postings: paid(i) }))
          expect(countByTag(found)).toEqual({ Committed: 40, InsufficientFunds: 10 })
          for (const [account, entries] of [
            [x, 80 * wave],
            [y, 20 * wave]
          ] as const) {
            const { items, total } = await nodes.a.entries(account, 0, 1000)
            expect([items.length, total]).toEqual([entries, entries])
          }
        }
      }
    })

    it("never lets two accounts that pay each other go below zero or lose a unit", async () => {
      const m = fresh("mer")
      await fund(nodes.a, m, "available:x", 5)
      await fund(nodes.a, m, "available:y", 5)
      const pay = (i: number) =>
        i % 3 === 0 ? posting("available:x", "available:y", 2) : posting("available:y", "available:x", 2)
      const found = await at50((i) => change(m, { postings: [pay(i)] }))
      const moved = (await nodes.a.entries("available:x", 0, 1000)).items.filter((p) => p.merchant_id === m)
      const sum = moved.reduce((total, p) => total + (p.credit === "available:x" ? 1n : -1n) * BigInt(p.amount), 0n)
      const [x, y] = [
        BigInt((await balance(nodes.a, m, "available:x"))!),
        BigInt((await balance(nodes.a, m, "available:y"))!)
      ]
      expect([x + y, x]).toEqual([10n, sum])
      expect(moved).toHaveLength(found.filter((v) => v._tag === "Committed").length + 1)
      expect(x >= 0n && y >= 0n).toBe(true)
    })

    it("creates one account once when fifty Changes fund it first", async () => {
      const m = fresh("mer")
      expect(countByTag(await at50(() => change(m, { postings: [posting("world", "available:w", 3)] })))).toEqual({
        Committed: 50
      })
      expect(await nodes.a.accounts(m, ["available:w"])).toEqual([
        { account: "available:w", currency: "USDC", balance: "150", version: 50 }
      ])
    })

    it("lets one take a unique key", async () => {
      const m = fresh("mer")
      const found = await at50((i) => change(m, { unique_keys: [{ scope: "quote", key: "quo_1", owner: `${i}` }] }))
      const owner = await nodes.a.uniqueKeyOwner(m, "quote", "quo_1")
      expect(countByTag(found)).toEqual({ Committed: 1, Taken: 49 })
      expect(found[Number(owner)]!._tag).toBe("Committed")
      expect(new Set(found.flatMap((v) => (v._tag === "Taken" ? [v.owner] : [])))).toEqual(new Set([owner]))
    })

    it("lets one of many merchants take a lookup key", async () => {
      const key = fresh("hash")
      const found = await at50((i) =>
        change(fresh("mer"), { lookup_keys: [{ scope: "key", key, kind: "key", id: `${i}` }] })
      )
      expect(countByTag(found)).toEqual({ Committed: 1, Taken: 49 })
    })

    it("lets one write the next version of a row", async () => {
      const m = fresh("mer")
      const r = row(m)
      await nodes.a.commit(change(m, { rows: [r] }))
      expect(countByTag(await at50((i) => change(m, { rows: [{ ...r, version: 2, status: `${i}` }] })))).toEqual({
        Committed: 1,
        VersionConflict: 49
      })
      expect((await nodes.a.history(m, r.id)).transitions).toHaveLength(2)
    })

    it("never accepts a check of a row that has changed", async () => {
      const m = fresh("mer")
      const r = row(m)
      await nodes.a.commit(change(m, { rows: [r] }))
      const { kind, id } = r
      const found = await at50((i) =>
        change(
          m,
          i === 25
            ? { rows: [{ ...r, version: 2 }] }
            : { rows: [row(m, { id: `${id}.${i}` })], checks: [{ kind, id, version: 1 }] }
        )
      )
      expect(found[25]).toEqual({ _tag: "Committed" })
      const { items } = await nodes.a.list({ merchant_id: m, kinds: [kind], index_keys: [], offset: 0, limit: 100 })
      expect(items).toHaveLength(1 + found.filter((v, i) => i !== 25 && v._tag === "Committed").length)
      expect(await nodes.a.commit(change(m, { checks: [{ kind, id, version: 1 }] }))).toMatchObject({
        _tag: "VersionConflict"
      })
    })

    it("lets one create a row", async () => {
      const m = fresh("mer")
      const r = row(m)
      expect(countByTag(await at50(() => change(m, { rows: [r] })))).toEqual({ Committed: 1, VersionConflict: 49 })
    })

    it("applies one key once, and returns its response to all others", async () => {
      const m = fresh("mer")
      await fund(nodes.a, m, "available:w", 50)
      const found = await at50((i) =>
        change(m, {
          idempotency: idempotency("k", { response: `${i}` }),
          postings: [posting("available:w", "fees", 1)]
        })
      )
      const winner = found.findIndex((v) => v._tag === "Committed")
      expect(countByTag(found)).toEqual({ Committed: 1, Repeated: 49 })
      expect(new Set(found.flatMap((v) => (v._tag === "Repeated" ? [v.record.response] : [])))).toEqual(
        new Set([`${winner}`])
      )
      expect(await balance(nodes.a, m, "available:w")).toBe("49")
    })

    it("gives an expired key to one", async () => {
      const m = fresh("mer")
      await nodes.a.commit(change(m, { idempotency: idempotency("k", { expires_at: T0 + 1 }) }))
      expect(
        countByTag(await at50(() => change(m, { at: T0 + 1, idempotency: idempotency("k", { expires_at: T0 + 9 }) })))
      ).toEqual({
        Committed: 1,
        Repeated: 49
      })
    })

    it("completes a lease once", async () => {
      const m = fresh("mer")
      const q = freshQueue()
      await nodes.a.commit(change(m, { jobs: [job(q)] }))
      const [j] = await nodes.a.claim(claimOf(q))
      expect(
        countByTag(
          await at50(() =>
            change(m, { lease: { job: j!.id, token: j!.lease! }, postings: [posting("world", "available:w", 1)] })
          )
        )
      ).toEqual({ Committed: 1, LeaseLost: 49 })
      expect(await balance(nodes.a, m, "available:w")).toBe("1")
    })

    it("publishes an event type of an object once", async () => {
      const m = fresh("mer")
      const found = await at50((i) => change(m, { events: [event({ object_id: "o", sequence: i + 1 })] }))
      expect(countByTag(found)).toEqual({ Committed: 1, Taken: 49 })
    })

    it("gives each job to one claimer", async () => {
      const m = fresh("mer")
      const q = freshQueue()
      await nodes.a.commit(change(m, { jobs: range(100).map(() => job(q)) }))
      const taken: Array<string> = []
      for (let rounds = 0; rounds < 20 && taken.length < 100; rounds++) {
        const claims = await Promise.all(
          range(10).map((i) => (i % 2 === 0 ? nodes.a : nodes.b).claim(claimOf(q, { limit: 7 })))
        )
        taken.push(...claims.flat().map((j) => j.id))
      }
      expect([taken.length, new Set(taken).size]).toEqual([100, 100])
    })

    it("returns each Change its own verdict under mixed load", async () => {
      const m = fresh("mer")
      const r = row(m)
      await nodes.a.commit(change(m, { rows: [r], unique_keys: [{ scope: "s", key: "taken", owner: "first" }] }))
      await fund(nodes.a, m, "available:w", 20)
      const kinds: ReadonlyArray<readonly [string, (i: number) => Partial<Change>]> = [
        ["Committed", () => ({ postings: [posting("available:w", "held:w", 1)] })],
        ["VersionConflict", () => ({ rows: [r] })],
        ["Taken", () => ({ unique_keys: [{ scope: "s", key: "taken", owner: "x" }] })],
        ["InsufficientFunds", () => ({ postings: [posting("available:w", "fees", 1_000)] })],
        ["LeaseLost", (i) => ({ lease: { job: `none${i}`, token: "t" } })]
      ]
      const found = await at50((i) => change(m, { idempotency: idempotency(), ...kinds[i % 5]![1](i) }))
      expect(found.map((v) => v._tag)).toEqual(range(50).map((i) => kinds[i % 5]![0]))
      expect([await balance(nodes.a, m, "available:w"), await balance(nodes.a, m, "held:w")]).toEqual(["10", "10"])
    })
  })
}
