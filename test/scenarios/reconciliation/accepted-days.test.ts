/** What the day after an accepted one begins with, whatever comes late (CLOSE-1, CLOSE-2). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { atDesk, type Desk } from "../../support/statements/day-desk.ts"

const run = <A, E>(scenario: Effect.Effect<A, E, SimulatedEngine>): Promise<A> =>
  Effect.runPromise(Effect.provide(scenario, makeSimulatedEngine()))

const credit = (amount: string) => ({ amount, direction: "credit" }) as const

/** The second day begins with 20 more than is known, is accepted, and is corrected by `lines`. */
const corrected = (own: Desk, lines: ReadonlyArray<ReturnType<typeof credit>>, closing: string) =>
  Effect.gen(function* () {
    const [, day] = own.days
    const opening_balance = { date: day, amount: "1020" }
    yield* own.ends(day, [], "1020", { number: "2", opening_balance })
    assert.strictEqual((yield* own.close(day, true)).statement_closing, "1020.00")
    yield* own.ends(day, lines, closing, { number: "2", opening_balance })
  })

const figures = ({ booked, closing, opening, statement_closing }: Effect.Success<ReturnType<Desk["close"]>>) => [
  opening,
  booked,
  closing,
  statement_closing
]

covers("CLOSE-1", "CLOSE-2")
it.each([
  ["the gap stays", false, ["1020.00", "30.00", "1050.00", "1050.00"]],
  ["the missing statement comes, whose line the accepted balance has", true, ["1000.00", "50.00", "1050.00", "1050.00"]]
] as const)("begins with what was accepted of it and still differs, beside a correction: %s", (_, isThere, due) =>
  run(
    atDesk((own) =>
      Effect.gen(function* () {
        const [first, , third, fourth] = own.days
        yield* corrected(own, [credit("30")], "1050")
        if (isThere) yield* own.ends(first, [credit("20")], "1020")
        yield* own.ends(third, [], "1050", { number: "3", opening_balance: { date: third, amount: "1050" } })
        assert.deepEqual(figures(yield* own.close(third, true)), [...due])
        assert.strictEqual((yield* own.close(fourth, true)).opening, "1050.00")
      })
    )
  )
)

covers("CLOSE-1", "CLOSE-2")
it("begins with its closing, and not with a balance that its statement has only by now: that differs on the next one", () =>
  run(
    atDesk((own) =>
      Effect.gen(function* () {
        const [first, , third, fourth] = own.days
        yield* own.ends(first, [], "1000")
        yield* corrected(own, [], "1060")
        assert.strictEqual(yield* own.unexplained(third), 4_000n)
        assert.deepEqual(figures(yield* own.close(third, true)), ["1020.00", "0.00", "1020.00", null])
        assert.strictEqual((yield* own.close(fourth, true)).opening, "1060.00")
      })
    )
  ))

covers("CLOSE-2", "CLOSE-3")
it.each([false, true])(
  "counts a late line once, whether its own day before the latest sealed one is closed too: %s",
  (isClosed) =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [, day, sealed, next] = own.days
          yield* own.close(sealed)
          yield* own.ends(day, [credit("20")], "1020")
          if (isClosed) assert.deepEqual(figures(yield* own.close(day)), ["1000.00", "0.00", "1000.00", "1020.00"])
          yield* own.ends(next, [], "1020", { number: "2", opening_balance: { date: next, amount: "1020" } })
          assert.deepEqual(figures(yield* own.close(next, true)), ["1000.00", "20.00", "1020.00", "1020.00"])
        })
      )
    )
)

covers("CLOSE-1", "CLOSE-3")
it("begins before the latest sealed day without the line of a day before that is counted after it", () =>
  run(
    atDesk((own) =>
      Effect.gen(function* () {
        const [first, second, sealed, next] = own.days
        yield* own.close(sealed)
        yield* own.ends(first, [credit("20")], "1020")
        assert.deepEqual(figures(yield* own.close(second, true)).slice(0, 3), ["1000.00", "0.00", "1000.00"])
        assert.deepEqual(figures(yield* own.close(next, true)).slice(0, 3), ["1000.00", "20.00", "1020.00"])
      })
    )
  ))
