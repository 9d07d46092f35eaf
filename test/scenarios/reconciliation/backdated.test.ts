/** Bookings that a bank dates back, and a correction that came in one of two formats (INGEST-4, INGEST-6, INGEST-11, CLOSE-4). */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { atDesk, type Desk } from "../../support/statements/day-desk.ts"

const between = (date: string, opening: string, closing: string, number: string) => ({
  number,
  opening_balance: { date, amount: opening },
  closing_balance: { date, amount: closing }
})

const run = (make: Parameters<typeof atDesk>[0]) =>
  Effect.runPromise(Effect.provide(atDesk(make as never), makeSimulatedEngine()) as Effect.Effect<void>)

/** What a day says: unexplained, the difference, and what is outstanding. */
const figuresOf = (own: Desk, day: string) =>
  Effect.map(own.reconciled(day), (row) => [row.unexplained, row.difference, row.outstanding])

covers("INGEST-4", "INGEST-6", "CLOSE-4")
describe("a booking of an earlier day", () => {
  for (const amount of ["10", "7"])
    it(`is a line of its own, and no balance differs: ${amount}`, () =>
      run(
        Effect.fnUntraced(function* (own: Desk) {
          const [d0, d1, d2] = own.days
          const end = String(940 - Number(amount))
          yield* own.ends(d0, [{ amount: "10" }], "990", between(d0, "1000", "990", "1"))
          yield* own.ends(d1, [{ amount: "20" }], "970", between(d1, "990", "970", "2"))
          const given = [{ amount: "30" }, { amount, booked_on: d0, value_on: d0 }]
          yield* own.ends(d2, given, end, between(d2, "970", end, "3"))
          assert.strictEqual((yield* own.shown).length, 4)
          assert.deepStrictEqual(
            (yield* own.open).map(({ kind }) => kind),
            Array.from({ length: 4 }, () => "missing_in_books")
          )
          assert.deepStrictEqual((yield* figuresOf(own, d0)).slice(1), ["-10.00", "0.00"])
          assert.deepStrictEqual((yield* figuresOf(own, d2)).slice(1), [`${Number(end) - 1000}.00`, "0.00"])
        })
      ))

  it("counts on the first open day where its own is sealed, and its day stays as it was", () =>
    run(
      Effect.fnUntraced(function* (own: Desk) {
        const [d0, d1] = own.days
        yield* own.ends(d0, [{ amount: "10" }], "990", between(d0, "1000", "990", "1"))
        yield* own.close(d0, true)
        const before = yield* figuresOf(own, d0)
        yield* own.ends(d1, [{ amount: "20" }, { amount: "10", booked_on: d0 }], "960", between(d1, "990", "960", "2"))
        assert.deepStrictEqual(yield* figuresOf(own, d0), before)
        assert.deepStrictEqual(yield* figuresOf(own, d1), ["-30.00", "-40.00", "0.00"])
        const body = yield* own.close(d1, true)
        assert.deepStrictEqual([body.opening, body.closing], ["990.00", "960.00"])
      })
    ))
})

const orders = [
  [0, 1, 2, 3],
  [1, 3, 2, 0],
  [3, 1, 0, 2],
  [2, 3, 0, 1]
] as const

covers("INGEST-4", "INGEST-6", "CLOSE-4")
describe("parts of a day without numbers, with bookings of an earlier day", () => {
  for (const order of orders)
    it(`share none, and no balance differs, whichever comes first: ${order.join(", ")}`, () =>
      run(
        Effect.fnUntraced(function* (own: Desk) {
          const [d0, d1] = own.days
          const back = { amount: "10", booked_on: d0, value_on: d0 }
          const parts = [
            { day: d0, given: [{ amount: "5" }], opening: "1000", closing: "995" },
            { day: d1, given: [back], opening: "995", closing: "985" },
            { day: d1, given: [{ amount: "20" }], opening: "985", closing: "965" },
            { day: d1, given: [back], opening: "965", closing: "955" }
          ]
          for (const { closing, day, given, opening } of order.map((n) => parts[n]!))
            yield* own.ends(day, given, closing, { ...between(day, opening, closing, "1"), number: null })
          assert.deepStrictEqual(yield* own.shown, [
            `${d0} debit 10.00 unmatched`,
            `${d0} debit 10.00 unmatched`,
            `${d0} debit 5.00 unmatched`,
            `${d1} debit 20.00 unmatched`
          ])
          assert.deepStrictEqual([...new Set((yield* own.open).map(({ kind }) => kind))], ["missing_in_books"])
          assert.deepStrictEqual((yield* figuresOf(own, d0)).slice(1), ["-5.00", "0.00"])
          assert.deepStrictEqual((yield* figuresOf(own, d1)).slice(1), ["-45.00", "0.00"])
        })
      ))
})

covers("INGEST-11")
describe("a correction in one of two formats", () => {
  it("replaces what both said before", () =>
    run(
      Effect.fnUntraced(function* (own: Desk) {
        const [d0] = own.days
        yield* own.ends(d0, [{ amount: "10" }], "990", { ...between(d0, "1000", "990", "5"), format: "mt940" })
        yield* own.ends(d0, [{ amount: "10" }], "990", between(d0, "1000", "990", "5"))
        yield* own.ends(d0, [{ amount: "15" }], "985", between(d0, "1000", "985", "5"))
        assert.deepStrictEqual(yield* own.shown, [`${d0} debit 10.00 withdrawn`, `${d0} debit 15.00 unmatched`])
        assert.deepStrictEqual(
          (yield* own.open).map(({ kind }) => kind),
          ["missing_in_books"]
        )
      })
    ))
})
