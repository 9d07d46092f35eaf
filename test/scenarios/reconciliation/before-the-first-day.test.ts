/** What was before an account's first day is in its opening balance: no line of then is a difference (CLOSE-4). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { atDesk, brief } from "../../support/statements/day-desk.ts"

covers("CLOSE-2", "CLOSE-4", "CLOSE-5")
it.each(["before it is closed", "after it is closed"])(
  "a line before the first day is in no break, and in no entry: %s",
  (when) =>
    Effect.runPromise(
      atDesk((own) =>
        Effect.gen(function* () {
          const [first, second] = own.days
          const earlier = new Date(Date.parse(first) - 2 * 86_400_000).toISOString().slice(0, 10)
          const isLate = when === "after it is closed"
          if (isLate) {
            yield* own.ends(first, [], "1000")
            yield* own.close(first)
          }
          yield* own.says(earlier, [
            { amount: "100", booked_on: earlier, value_on: earlier, remittance: "FEE" },
            { amount: "0.10", booked_on: earlier, value_on: earlier, remittance: "FEE TOO" }
          ])
          assert.deepEqual(brief(yield* own.all), [])
          const lines = yield* own.lines
          assert.deepEqual(
            lines.map(({ status }) => status),
            ["unmatched", "unmatched"]
          )
          for (const day of [first, second]) {
            const { difference, ledger, outstanding, unexplained } = yield* own.reconciled(day)
            assert.deepEqual([ledger, difference, outstanding, unexplained], ["1000.00", "0.00", "0.00", "0.00"])
          }
          const refused = yield* Effect.flip(own.post("100", { line_id: lines[0]!.id }))
          assert.strictEqual((refused as { readonly _tag: string })._tag, "InvalidInput")
          assert.strictEqual((yield* own.reconciled(second)).ledger, "1000.00")
          // A day since then can be closed without a word about it.
          yield* own.close(isLate ? second : first)
        })
      ).pipe(Effect.provide(makeSimulatedEngine()))
    )
)
