/** Guarded counters: what concurrent Changes may add to a sum that has a maximum (LIMITS-3). */
import { describe, expect, it } from "vitest"
import type { CounterWrite } from "../../../../src/engine/ports/Storage.ts"
import { change, countByTag, event, fresh, fund, type Nodes, posting, range, ruleOf } from "../support.ts"
import { covers } from "../../../support/repository/covers.ts"

const counted = (key: string, add: number, over: Partial<CounterWrite> = {}): CounterWrite => ({
  key,
  bucket: 10,
  from: 10,
  add: `${add}`,
  max: "100",
  ...over
})

export const counters = (nodes: Nodes): void => {
  describe("counters", () => {
    const add = (m: string, ...counters: ReadonlyArray<CounterWrite>) => nodes.a.commit(change(m, { counters }))
    const amounts = async (m: string, key: string) =>
      (await nodes.b.counters(m, [key])).flatMap((one) => one.amounts.map((of) => [of.bucket, of.amount]))

    it("adds up to the maximum, and not one more", async () => {
      const [m, key] = [fresh("mer"), fresh("lim")]
      expect(await amounts(m, key)).toEqual([])
      expect(await add(m, counted(key, 60))).toEqual({ _tag: "Committed" })
      expect(await add(m, counted(key, 41))).toEqual({ _tag: "LimitReached", key })
      expect(await add(m, counted(key, 40))).toEqual({ _tag: "Committed" })
      expect(await add(m, counted(key, 1))).toEqual({ _tag: "LimitReached", key })
      expect(await amounts(m, key)).toEqual([[10, "100"]])
    })

    it("counts all that one Change adds to a counter, and writes nothing of a Change that is too much", async () => {
      const [m, key, other] = [fresh("mer"), fresh("lim"), fresh("lin")]
      expect(await add(m, counted(other, 5), counted(key, 50), counted(key, 51))).toEqual({ _tag: "LimitReached", key })
      expect(await amounts(m, other)).toEqual([])
      expect(await add(m, counted(key, 50), counted(other, 5), counted(key, 50))).toEqual({ _tag: "Committed" })
      expect(await amounts(m, key)).toEqual([[10, "100"]])
      expect(await amounts(m, other)).toEqual([[10, "5"]])
    })

    it("counts the buckets from the oldest that is named, the later ones too, and takes the maximum of each Change", async () => {
      const [m, key] = [fresh("mer"), fresh("lim")]
      await add(m, counted(key, 70, { bucket: 9, from: 1 }))
      expect(await add(m, counted(key, 31, { from: 9 }))).toEqual({ _tag: "LimitReached", key })
      expect(await add(m, counted(key, 100, { from: 10 }))).toEqual({ _tag: "Committed" })
      expect(await add(m, counted(key, 1, { bucket: 9, from: 9 }))).toEqual({ _tag: "LimitReached", key })
      expect(await add(m, counted(key, 1, { bucket: 9, from: 9, max: "171" }))).toEqual({ _tag: "Committed" })
      expect(await add(m, counted(key, 999, { max: null }))).toEqual({ _tag: "Committed" })
      expect(await amounts(m, key)).toEqual([
        [9, "71"],
        [10, "1099"]
      ])
    })

    it("counts a bucket alone where none is named", async () => {
      const [m, key] = [fresh("mer"), fresh("lim")]
      await add(m, counted(key, 100, { bucket: 11, from: null }))
      await add(m, counted(key, 100, { bucket: 9, from: null }))
      expect(await add(m, counted(key, 100, { from: null }))).toEqual({ _tag: "Committed" })
      expect(await add(m, counted(key, 1, { from: null }))).toEqual({ _tag: "LimitReached", key })
    })

    it("gives back what a bucket has and no more, whatever the maximum, and nothing to a bucket that has gone", async () => {
      const [m, key] = [fresh("mer"), fresh("lim")]
      await add(m, counted(key, 100))
      expect(await add(m, counted(key, -30, { max: "1" }), counted(key, -5, { bucket: 3 }))).toEqual({
        _tag: "Committed"
      })
      expect(await amounts(m, key)).toEqual([[10, "70"]])
      await add(m, counted(key, -71))
      expect(await amounts(m, key)).toEqual([[10, "0"]])
      expect(await add(m, counted(key, 100))).toEqual({ _tag: "Committed" })
    })

    it("keeps the newest 64 buckets", async () => {
      const [m, key] = [fresh("mer"), fresh("lim")]
      for (const bucket of range(66)) await add(m, counted(key, 1, { bucket, from: bucket }))
      const kept = await amounts(m, key)
      expect([kept.length, kept[0], kept.at(-1)]).toEqual([64, [2, "1"], [65, "1"]])
    })

    it("dies of a defect where the maximum would be passed too, and counts nothing of it", async () => {
      const [m, key] = [fresh("mer"), fresh("lim")]
      const first = event()
      await nodes.a.commit(change(m, { events: [first] }))
      const over = change(m, { events: [event({ id: first.id })], counters: [counted(key, 101)] })
      await ruleOf(nodes.a.commit(over))
      expect(await amounts(m, key)).toEqual([])
    })

    covers("LIMITS-3")
    it("50 callers on two nodes take exactly what fits, and what is refused for another reason takes nothing", async () => {
      const [m, key, wallet] = [fresh("mer"), fresh("lim"), fresh("available:wal")]
      await fund(nodes.a, m, wallet, 30)
      const paid = await Promise.all(
        range(50).map((n) =>
          (n % 2 === 0 ? nodes.a : nodes.b).commit(
            change(m, {
              counters: [counted(key, 1, { max: "20" })],
              postings: n % 5 === 0 ? [posting(fresh("available:empty"), "world", 1)] : [posting(wallet, "world", 1)]
            })
          )
        )
      )
      expect(countByTag(paid)).toEqual({ Committed: 20, LimitReached: 20, InsufficientFunds: 10 })
      expect(await amounts(m, key)).toEqual([[10, "20"]])
    })

    it("Changes that take several counters in different orders all end", async () => {
      const [m, one, two] = [fresh("mer"), fresh("lim"), fresh("lim")]
      const both = [counted(one, 1, { max: "15" }), counted(two, 1, { max: "25" })]
      const ended = await Promise.all(
        range(40).map((n) =>
          (n % 2 === 0 ? nodes.a : nodes.b).commit(change(m, { counters: n % 4 < 2 ? both : both.toReversed() }))
        )
      )
      expect(countByTag(ended)).toEqual({ Committed: 15, LimitReached: 25 })
    })
  })
}
