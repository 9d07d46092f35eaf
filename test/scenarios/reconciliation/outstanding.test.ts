/** The day's reconciliation beside the close and the walk over statements (CLOSE-1, CLOSE-4, CLOSE-5). */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { atDesk } from "../../support/statements/day-desk.ts"
import { covers } from "../../support/repository/covers.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

/** On a store of its own: accounts of one currency share their ledger. */
const run = <A, E>(scenario: Effect.Effect<A, E, SimulatedEngine>): Promise<A> =>
  Effect.runPromise(Effect.provide(scenario, makeSimulatedEngine()))

describe("the reconciliation of a day", () => {
  covers("CLOSE-4")
  it("has nothing outstanding that a line of a sealed day is, although its statement does not have the line any more", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const day = own.days[6]
          const entry = yield* own.post("100")
          yield* own.ends(day, [{ amount: "100", end_to_end_id: entry.id }], "900")
          yield* own.close(day)
          assert.strictEqual((yield* own.reconciled(day)).outstanding, "0.00")
          yield* own.ends(day, [], "1000")
          assert.deepEqual(yield* own.shown, [`${day} debit 100.00 matched`])
          for (const date of [day, own.next(day)])
            assert.strictEqual((yield* own.reconciled(date)).outstanding, "0.00", date)
        })
      )
    ))

  covers("CLOSE-4")
  it("has nothing outstanding where a statement begins otherwise than the day, whose closing is that of another", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [first, second] = own.days
          const entry = yield* own.post("30")
          yield* own.ends(first, [{ amount: "30", end_to_end_id: entry.id }], "970")
          const balances = (amount: string) => ({
            number: null,
            opening_balance: { date: second, amount },
            closing_balance: { date: second, amount }
          })
          yield* own.says(second, [], balances("970"))
          assert.deepInclude(yield* own.reconciled(own.days[6]), { outstanding: "0.00", difference: "0.00" })
          yield* own.says(second, [], { ...balances("1000"), format: "mt940" })
          const row = yield* own.reconciled(own.days[6])
          assert.deepInclude(row, { ledger: "970.00", statement: "970.00", difference: "0.00", outstanding: "0.00" })
        })
      )
    ))

  covers("CLOSE-4")
  it("says what its close does, also of a day that is no more the first open one", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [first, second, third] = own.days
          const entry = yield* own.post("100")
          yield* own.says(first, [{ amount: "100", end_to_end_id: entry.id }])
          yield* own.close(first)
          yield* own.reverse(entry.id)
          yield* own.match
          assert.strictEqual(yield* own.unexplained(second), -10_000n)
          yield* own.close(third)
          const refused = (yield* Effect.flip(own.close(second))) as { readonly message: string }
          assert.include(refused.message, "-100.00 EUR")
          assert.strictEqual(yield* own.unexplained(second), -10_000n)
        })
      )
    ))
})
