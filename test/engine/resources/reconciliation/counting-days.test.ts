/** Which day counts what is open, by what the seals of an account had open (CLOSE-3, CLOSE-5). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { Storage } from "../../../../src/engine/ports/Storage.ts"
import { readCountingDays } from "../../../../src/engine/resources/reconciliation/counting-days.ts"
import { covers } from "../../../support/repository/covers.ts"

interface Seal {
  readonly date: string
  readonly open: Readonly<Record<string, string>>
}

/** The days of an account with these seals, of which the n-th was made at n. */
const daysAfter = (...seals: ReadonlyArray<Seal>) => {
  const rows = seals.map((data, n) => ({ id: `cls_${n}`, created_at: n, data }))
  const sealed_until = seals
    .map(({ date }) => date)
    .toSorted()
    .at(-1)
  const storage = {
    get: () => Effect.succeed([{ data: { chunks: 0, closings: seals.length, sealed_until } }]),
    list: ({ offset }: { readonly offset: number }) =>
      Effect.succeed({ items: offset === 0 ? rows : [], total: rows.length })
  } as unknown as Storage["Service"]
  return Effect.runPromise(readCountingDays(storage, "xac_1"))
}

const [first, second, third] = ["2026-01-05", "2026-01-06", "2026-01-07"] as const

covers("CLOSE-3", "CLOSE-5")
it("is that of a seal that had it, and else the first after the latest sealed one", async () => {
  const {
    dayOf,
    first: next,
    isSealed
  } = await daysAfter({ date: first, open: { "a -5": first } }, { date: second, open: {} })
  assert.strictEqual(next, third)
  assert.deepEqual([isSealed(["a -5"]), isSealed(["a -6"])], [true, false])
  assert.strictEqual(dayOf({ keys: ["a -5"], day: first }), first)
  assert.strictEqual(dayOf({ keys: ["again -5", "a -5"], day: third }), first)
  assert.strictEqual(dayOf({ keys: ["a -6"], day: first }), third)
  assert.strictEqual(dayOf({ keys: ["b -5"], day: second }), third)
  assert.strictEqual(dayOf({ keys: ["b -5"], day: third }), third)
  assert.strictEqual(dayOf({ keys: ["b -5"], day: "2026-01-09" }), "2026-01-09")
})

covers("CLOSE-3", "CLOSE-5")
it("is asked for of the day that counted it when it was found", async () => {
  const { dayOf } = await daysAfter({ date: first, open: {} }, { date: third, open: {} })
  const row = { created_at: 0, data: { accounted_on: "2026-01-09" } } as never
  assert.strictEqual(dayOf({ keys: ["a -5"], day: first, row }), "2026-01-09")
  assert.strictEqual(dayOf({ keys: ["a -5"], day: first }), "2026-01-08")
})

covers("CLOSE-3")
it("is its own where no day is sealed", async () => {
  const { dayOf, first: next } = await daysAfter()
  assert.deepEqual([next, dayOf({ keys: ["a -5"], day: first })], [undefined, first])
})
