/** Accounts in time zones whose days are far from those of the clock: each day ends where it ends there (CLOSE-4). */
import { Clock, Effect } from "effect"
import { assert, it } from "vitest"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { makeSimulatedEngine, call } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { atDesk } from "../../support/statements/day-desk.ts"

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
