/** Sums of measures: random histories, compared with a scan of every row. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { Measure, MeasureQuery, RowWrite } from "../../../../src/engine/ports/Storage.ts"
import { change, fresh, type Nodes, range, row, T0 } from "../support.ts"

const HOUR = 3_600_000
const FIRST = Math.floor(T0 / HOUR)

/** A row's life: when it was created, and what it is measured as at each of its versions (null: not at all). */
const life = fc.record({
  merchant: fc.nat(2),
  kind: fc.nat(1),
  hour: fc.nat(80),
  hidden: fc.boolean(),
  measures: fc.array(
    fc.option(
      fc.record({
        amount: fc.bigInt(0n, 10n ** 20n),
        seconds: fc.constantFrom(-1, 0, 5, 60, 3600),
        tags: fc.tuple(fc.constantFrom("open", "done"), fc.constantFrom("A-B", "A-C", ""), fc.constantFrom("X", "Y"))
      }),
      { freq: 6 }
    ),
    { minLength: 1, maxLength: 4 }
  )
})
type Life = typeof life extends fc.Arbitrary<infer A> ? A : never
type Known = Life["measures"][number]

const keyOf = (known: Known): ReadonlyArray<string> =>
  known === null ? ["other=x"] : ["other=x", `measured=${known.amount}|${known.seconds}|${known.tags.join("|")}`]

const text = (found: ReadonlyArray<Measure>) => found.map((one) => JSON.stringify(one)).toSorted()

/** The sums, from every row as it is now. */
const scanned = (
  rows: ReadonlyArray<{ readonly life: Life; readonly merchant_id: string; readonly kind: string }>,
  q: MeasureQuery
): ReadonlyArray<Measure> => {
  const sums = new Map<string, { n: number; amount: bigint }>()
  for (const { kind, life: one, merchant_id } of rows) {
    const last = one.measures.at(-1) ?? null
    const hour = FIRST + one.hour
    const isIn =
      hour >= q.from && hour < q.to && q.kinds.includes(kind) && (q.merchant_id ?? merchant_id) === merchant_id
    if (last === null || one.hidden || !isIn) continue
    const day = Math.floor(hour / 24) * 24
    const place = JSON.stringify({
      merchant_id: q.by_merchant ? merchant_id : "",
      kind: q.by_kind ? kind : "",
      hour: q.step === null ? null : q.step === "hour" ? hour : day,
      tags: last.tags.map((tag, i) => (q.tags.includes(i) ? tag : "")),
      seconds: last.seconds
    })
    const sum = sums.get(place) ?? { n: 0, amount: 0n }
    sums.set(place, { n: sum.n + 1, amount: sum.amount + last.amount })
  }
  return [...sums].map(([place, { n, amount }]) => ({ ...JSON.parse(place), n, amount: `${amount}` }))
}

export const measures = (nodes: Nodes): void => {
  describe("measures", () => {
    it("are the sums over every row as it is, however they are asked for", async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(life, { maxLength: 25 }), async (lives) => {
          const merchants = range(3).map(() => fresh("mer"))
          const kinds = range(2).map(() => fresh("kind"))
          const rows = lives.map((one) => ({
            life: one,
            merchant_id: merchants[one.merchant]!,
            kind: kinds[one.kind]!
          }))
          const written = rows.map(async ({ kind, life: one, merchant_id }) => {
            const created_at = (FIRST + one.hour) * HOUR + 1
            const base: RowWrite = row(merchant_id, { kind, created_at, hidden: one.hidden })
            for (const [i, known] of one.measures.entries()) {
              const next = { ...base, version: i + 1, index_keys: keyOf(known) }
              await nodes.a.commit(change(merchant_id, { rows: [next] }))
            }
          })
          await Promise.all(written)
          const query = {
            kinds,
            from: FIRST,
            to: FIRST + 81,
            step: null,
            by_merchant: false,
            by_kind: false,
            tags: [],
            width: 3
          }
          const queries: ReadonlyArray<MeasureQuery> = [
            query,
            { ...query, step: "hour", tags: [0, 1, 2] },
            { ...query, step: "day", tags: [1] },
            { ...query, step: "day", by_merchant: true },
            { ...query, by_merchant: true, by_kind: true, tags: [0, 2] },
            { ...query, merchant_id: merchants[1]!, step: "day", tags: [0] },
            { ...query, kinds: [kinds[1]!], from: FIRST + 3, to: FIRST + 60 },
            { ...query, from: FIRST + 5, to: FIRST + 9, step: "day", merchant_id: merchants[0]!, by_merchant: true },
            { ...query, from: FIRST + 40, to: FIRST + 80, step: "hour" }
          ]
          for (const q of queries)
            expect([q, text(merged(await nodes.b.measures(q)))]).toEqual([q, text(scanned(rows, q))])
        }),
        { numRuns: 12 }
      )
    })

    it("follow rows that are indexed again", async () => {
      const [m, kind] = [fresh("mer"), fresh("kind")]
      const one = row(m, { kind, index_keys: [] })
      await nodes.a.commit(change(m, { rows: [one] }))
      const ask = async () => {
        const tags = [0, 1, 2]
        const q = {
          kinds: [kind],
          from: FIRST,
          to: FIRST + 1,
          step: null,
          by_merchant: false,
          by_kind: false,
          tags,
          width: 3
        }
        return (await nodes.b.measures(q)).map(({ amount, n, seconds, tags: found }) => [n, amount, seconds, ...found])
      }
      expect(await ask()).toEqual([])
      const again = (...index_keys: ReadonlyArray<string>) =>
        nodes.a.reindex([{ merchant_id: m, kind, id: one.id, version: 1, index_keys }])
      await again("measured=5|-1|open|A-B|X")
      await again("measured=5|-1|open|A-B|X")
      expect(await ask()).toEqual([[1, "5", -1, "open", "A-B", "X"]])
      await again("measured=6|7|done|A-B|X")
      expect(await ask()).toEqual([[1, "6", 7, "done", "A-B", "X"]])
      // Each key of a row counts, and goes by itself.
      const fees = ["measured=6|7|done|A-B|X", "measured=1|-1|fee|A-B|X", "measured=2|-1|fee|A-B|Y"]
      await again(...fees)
      expect((await ask()).toSorted()).toEqual([
        [1, "1", -1, "fee", "A-B", "X"],
        [1, "2", -1, "fee", "A-B", "Y"],
        [1, "6", 7, "done", "A-B", "X"]
      ])
      await nodes.a.commit(change(m, { rows: [{ ...one, version: 2, index_keys: fees.slice(0, 2) }] }))
      expect((await ask()).toSorted()).toEqual([
        [1, "1", -1, "fee", "A-B", "X"],
        [1, "6", 7, "done", "A-B", "X"]
      ])
      await nodes.a.commit(change(m, { rows: [{ ...one, version: 3, index_keys: [] }] }))
      expect(await ask()).toEqual([])
    })
  })
}

/** Cells answer separately. */
const merged = (found: ReadonlyArray<Measure>): ReadonlyArray<Measure> => {
  const sums = new Map<string, Measure>()
  for (const { amount, n, ...place } of found) {
    const key = JSON.stringify(place)
    const sum = sums.get(key)
    sums.set(key, { ...place, n: (sum?.n ?? 0) + n, amount: `${BigInt(sum?.amount ?? 0) + BigInt(amount)}` })
  }
  return [...sums.values()]
}
