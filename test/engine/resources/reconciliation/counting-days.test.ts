/** Which day counts what is open, by what the seals of an account had open (CLOSE-3, CLOSE-5). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { Storage } from "../../../../src/engine/ports/Storage.ts"
import { countingDays } from "../../../../src/engine/resources/reconciliation/counting-days.ts"
import { covers } from "../../../support/repository/covers.ts"

interface Seal {
  readonly date: string
  readonly accepted?: boolean
  readonly open?: Readonly<Record<string, string>>
}

/** The days of an account with these seals, of which the n-th was made at n. */
const daysAfter = (...seals: ReadonlyArray<Seal>) => {
  const rows = seals.map((data, n) => ({ id: `cls_${n}`, created_at: n, data: { accepted: false, ...data } }))
  const sealed_until = seals
    .map(({ date }) => date)
    .toSorted()
    .at(-1)
  const storage = {
    get: () => Effect.succeed([{ data: { chunks: 0, closings: seals.length, sealed_until } }]),
    list: ({ offset }: { readonly offset: number }) =>
      Effect.succeed({ items: offset === 0 ? rows : [], total: rows.length })
  } as unknown as Storage["Service"]
  return Effect.runPromise(countingDays(storage, "xac_1"))
}

/** A break that was made at an instant. */
const madeAt = (created_at: number, accounted_on?: string) =>
  ({ created_at, data: accounted_on === undefined ? {} : { accounted_on } }) as never

const [first, second, third] = ["2026-01-05", "2026-01-06", "2026-01-07"] as const

covers("CLOSE-3", "CLOSE-5")
it("is that of a seal that had it, and else the first after the latest sealed one", async () => {
  const {
    dayOf,
    first: next,
    isSealed
  } = await daysAfter({ date: first, open: { "a -5": first } }, { date: second, open: {} })
  assert.strictEqual(next, third)
  assert.deepEqual([isSealed("a -5"), isSealed("a -6")], [true, false])
  assert.strictEqual(dayOf({ key: "a -5", day: first }), first)
  assert.strictEqual(dayOf({ key: "a -6", day: first }), third)
  assert.strictEqual(dayOf({ key: "b -5", day: second }), third)
  assert.strictEqual(dayOf({ key: "b -5", day: third }), third)
  assert.strictEqual(dayOf({ key: "b -5", day: "2026-01-09" }), "2026-01-09")
})

covers("CLOSE-3", "CLOSE-5")
it("stays where an earlier release has accepted it, and is asked for where it sealed nothing open", async () => {
  const accepted = await daysAfter({ date: first, accepted: true }, { date: second })
  assert.strictEqual(accepted.dayOf({ key: "a -5", day: first, row: madeAt(0) }), first)
  assert.strictEqual(accepted.dayOf({ key: "a -5", day: first, row: madeAt(1) }), third)
  assert.strictEqual(accepted.dayOf({ key: "a -5", day: first }), third)
  // Opened again after the first day was sealed: that release counted it on the second.
  assert.strictEqual(accepted.dayOf({ key: "a -5", day: first, row: madeAt(0, second) }), third)
  const { dayOf } = await daysAfter({ date: first }, { date: second, accepted: true })
  assert.strictEqual(dayOf({ key: "a -5", day: first, row: madeAt(0) }), third)
  assert.strictEqual(dayOf({ key: "a -5", day: first, row: madeAt(0, second) }), second)
})

covers("CLOSE-3")
it("is its own where no day is sealed", async () => {
  const { dayOf, first: next } = await daysAfter()
  assert.deepEqual([next, dayOf({ key: "a -5", day: first })], [undefined, first])
})
