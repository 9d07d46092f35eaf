/** The day's reconciliation beside the close and the walk over statements (CLOSE-1, CLOSE-4, CLOSE-5). */
import { Clock, Effect } from "effect"
import { assert, describe, it } from "vitest"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { atDesk } from "../../support/statements/day-desk.ts"
import { covers } from "../../support/repository/covers.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

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

  covers("CLOSE-4")
  it("has nothing outstanding that is in no books: the statement of a sealed day is corrected by a line that nobody knows", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [before, day] = own.days
          yield* own.ends(day, [], "1000")
          yield* own.close(day)
          yield* own.ends(day, [{ amount: "30" }], "970")
          assert.deepInclude(yield* own.reconciled(day), { outstanding: "0.00", unexplained: "0.00" })
          assert.deepInclude(yield* own.reconciled(own.next(day)), { outstanding: "0.00", unexplained: "-30.00" })
          assert.strictEqual((yield* own.close(before)).outstanding, "0.00")
        })
      )
    ))

  covers("CLOSE-4")
  it.each(["no statement with a balance", "one of a day before"])(
    "has nothing outstanding that is a line which came after its seal, and of a day with %s",
    (how) =>
      run(
        atDesk((own) =>
          Effect.gen(function* () {
            const day = own.days[6]
            if (how.startsWith("one")) yield* own.ends(own.days[0], [], "1000")
            const entry = yield* own.post("30")
            assert.strictEqual((yield* own.close(day)).outstanding, "-30.00")
            yield* own.says(day, [{ amount: "30", end_to_end_id: entry.id }])
            for (const date of [day, own.next(day)])
              assert.strictEqual((yield* own.reconciled(date)).outstanding, "0.00", date)
          })
        )
      )
  )
})

const dayIn = (timeZone: string, at: number): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" }).format(at)

covers("CLOSE-4")
it.each(["Pacific/Auckland", "Pacific/Kiritimati", "America/Adak", "Asia/Kathmandu"])(
  "what is outstanding at the end of a day in %s has what was posted by then, and no line yet",
  (time_zone) =>
    Effect.runPromise(
      Effect.provide(
        atDesk((own) =>
          Effect.gen(function* () {
            const [accounts, sandbox] = [yield* ExternalAccounts, yield* SandboxOperations]
            yield* accounts.update(yield* call(PLATFORM_MERCHANT), own.id, { time_zone, note: "moved" } as never)
            const posted: Array<{ readonly day: string; readonly id: string }> = []
            for (let n = 0; n < 10; n++) {
              posted.push({
                day: dayIn(time_zone, yield* Clock.currentTimeMillis),
                id: (yield* own.post("10")).id
              })
              yield* sandbox.advance({ seconds: 5 * 3600 })
            }
            const days = [...new Set(posted.map(({ day }) => day))]
            const outstanding = Effect.fnUntraced(function* () {
              const all = []
              for (const day of days) all.push((yield* own.reconciled(day)).outstanding)
              return all
            })
            const until = (day: string) => posted.filter((one) => one.day <= day).length
            assert.deepEqual(
              yield* outstanding(),
              days.map((day) => `${-10 * until(day)}.00`)
            )
            for (const day of days)
              yield* own.says(
                day,
                posted.filter((one) => one.day === day).map(({ id }) => ({ amount: "10", end_to_end_id: id }))
              )
            assert.deepEqual(
              yield* outstanding(),
              days.map(() => "0.00")
            )
          })
        ),
        makeSimulatedEngine()
      ) as Effect.Effect<void>
    )
)
