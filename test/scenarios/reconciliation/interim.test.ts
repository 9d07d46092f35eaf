/** An interim report of a format that has both is one: the statement of its day decides about it (INGEST-11). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { atDesk } from "../../support/statements/day-desk.ts"

covers("INGEST-11", "STATEMENT-7")
it.each([
  ["bai2", true, "withdrawn"],
  ["mt942", undefined, "withdrawn"],
  ["bai2", undefined, "unmatched"]
] as const)(
  "what a report has alone is withdrawn once the final one is there: %s, interim: %s",
  (format, interim, status) =>
    Effect.runPromise(
      atDesk((own) =>
        Effect.gen(function* () {
          const [, day] = own.days
          const report = { format, number: null, ...(interim === undefined ? {} : { interim }) } as const
          yield* own.says(day, [{ amount: "77", direction: "credit", bank_reference: "SOON" }], report)
          yield* own.ends(day, [], "1000", { format: interim === undefined ? "mt940" : "bai2", number: null })
          const lines = yield* own.lines
          assert.deepEqual(
            lines.map((one) => one.status),
            [status]
          )
        })
      ).pipe(Effect.provide(makeSimulatedEngine()))
    )
)
