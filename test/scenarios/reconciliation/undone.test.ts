/** What a person undoes makes lines and movements free: what likeness had matched beside them is as uncertain as before (MATCH-7, BREAK-6). */
import { Clock, Effect } from "effect"
import { assert, describe, it } from "vitest"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { atDesk, type Desk } from "../../support/statements/day-desk.ts"

const sleep = (own: Desk, nights: number) =>
  Effect.repeat(
    Effect.gen(function* () {
      yield* (yield* ServiceClock).moveTo((yield* Clock.currentTimeMillis) + 86_400_000)
      yield* own.whenDue
      yield* own.match
    }),
    { times: nights - 1 }
  )

const picture = (own: Desk) =>
  Effect.gen(function* () {
    const lines = (yield* own.lines).map(({ status }) => status).toSorted()
    const open = (yield* own.all).map(({ amount, kind }) => `${kind} ${amount}`).toSorted()
    return { lines, open }
  })

const credit = { from: "world:simulated", to: "costs:simulated" } as const
const debit = { from: "costs:simulated", to: "world:simulated" } as const

/** How a person accounts for one of two movements that a line may be. It returns how that is undone. */
const ways = {
  "an explanation, by its break": (own: Desk) =>
    Effect.gen(function* () {
      const [missing] = (yield* own.all).filter(({ kind }) => kind === "missing_on_statement")
      yield* own.resolve(missing!.id, { action: "explain", ...debit })
      return own.resolve(missing!.id, { action: "reopen" })
    }),
  "an explanation, by its entry": (own: Desk) =>
    Effect.gen(function* () {
      const [missing] = (yield* own.all).filter(({ kind }) => kind === "missing_on_statement")
      const { adjusting_entry_id } = yield* own.resolve(missing!.id, { action: "explain", ...debit })
      return own.reverse(adjusting_entry_id!)
    }),
  "a match with a line of another day": (own: Desk, ids: ReadonlyArray<string>) =>
    Effect.gen(function* () {
      const [line] = (yield* own.lines).filter(({ booked_on }) => booked_on === own.days[5])
      const [other] = (yield* own.open).filter(({ lines }) => lines.includes(line!.id))
      yield* own.resolve(other!.id, { action: "match", resource_ids: [ids[0]!] })
      return own.resolve(other!.id, { action: "reopen" })
    })
}

/** Each at an engine of its own: the clocks of these run ahead. */
const run = <E>(scenario: Effect.Effect<void, E, SimulatedEngine>) =>
  Effect.runPromise(Effect.provide(scenario, makeSimulatedEngine()))

describe("what likeness has matched", () => {
  covers("MATCH-7", "BREAK-6")
  describe.each(Object.entries(ways))("while %s stood", (name, account) => {
    it.each([1, 3])("is uncertain again without it, after %s nights", (nights) =>
      run(
        atDesk((own) =>
          Effect.gen(function* () {
            const ids = [(yield* own.post("10.01", credit)).id, (yield* own.post("10.01", credit)).id]
            yield* own.says(own.days[5], name.startsWith("a match") ? [{ amount: "10.01", direction: "credit" }] : [])
            yield* own.says(own.days[6], [{ amount: "10.01", direction: "credit" }])
            yield* sleep(own, 4)
            const before = yield* picture(own)
            assert.include(before.lines, "proposed")
            const undo = yield* account(own, ids)
            yield* own.match
            assert.include((yield* picture(own)).lines, "matched")
            yield* sleep(own, nights)
            yield* undo
            yield* own.match
            assert.deepEqual((yield* picture(own)).lines, before.lines)
            yield* own.whenDue
            assert.deepEqual(yield* picture(own), before)
            yield* sleep(own, 2)
            assert.deepEqual(yield* picture(own), before)
          })
        )
      )
    )
  })

  covers("MATCH-7", "BREAK-6")
  it("of three lines of which two were dismissed is uncertain again once these are open", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const { open } = own
          yield* own.says(own.days[6], [{ amount: "10.01" }, { amount: "10.01" }, { amount: "10.01" }])
          const [first] = yield* open
          yield* own.resolve(first!.id, { action: "dismiss" })
          yield* own.match
          yield* own.post("10.01")
          yield* own.match
          const [second] = (yield* open).filter(({ id }) => id !== first!.id)
          yield* own.resolve(second!.id, { action: "dismiss" })
          yield* own.match
          yield* sleep(own, 2)
          assert.deepEqual((yield* picture(own)).lines, ["matched", "unmatched", "unmatched"])
          for (const { id } of [first!, second!]) {
            yield* own.resolve(id, { action: "reopen" })
            yield* own.match
          }
          assert.deepEqual((yield* picture(own)).lines, ["proposed", "proposed", "proposed"])
        })
      )
    ))
})
