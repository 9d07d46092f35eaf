/** What a person dismisses is a difference, and a decision: what is more than it is open again, and matching leaves it (BREAK-6, MATCH-7). */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { MoneyLimits } from "../../../src/engine/resources/controls/limit.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { atDesk, brief, type Desk } from "../../support/statements/day-desk.ts"

const dismissAll = (own: Desk) =>
  Effect.flatMap(own.open, (all) => Effect.forEach(all, ({ id }) => own.resolve(id, { action: "dismiss" })))

const shown = (own: Desk) => Effect.map(own.open, (all) => brief(all).toSorted())

/** What the bank says of a payment: the day, by its place, and the amounts of its lines. */
type Says = readonly [day: number, ...amounts: ReadonlyArray<string>]

interface Case {
  readonly before: Says
  readonly dismissed: ReadonlyArray<string>
  readonly after: Says
  readonly open: ReadonlyArray<string>
}

/** Each of a payment of 14,100.37. Without the dismissal the same is open. */
const cases: Readonly<Record<string, Case>> = {
  "a line of more, and then the payment itself": {
    before: [1, "14100.47"],
    dismissed: ["amount_differs high 0.10 debit of 1"],
    after: [2, "14100.37"],
    open: ["amount_differs high 14100.47 debit of 1"]
  },
  "a line of less, and then the payment itself": {
    before: [1, "14100.27"],
    dismissed: ["amount_differs high 0.10 credit of 1"],
    after: [1, "14100.37"],
    open: ["amount_differs high 14100.27 debit of 1"]
  },
  "a line of more, and then one of an earlier day": {
    before: [2, "14100.47"],
    dismissed: ["amount_differs high 0.10 debit of 1"],
    after: [1, "14100.47"],
    open: ["amount_differs high 0.10 debit of 1", "amount_differs high 14100.47 debit of 1"]
  }
}

onMemory("a dismissed difference", (run) => {
  covers("BREAK-6")
  describe.each(Object.entries(cases))("of %s", (_, { after, before, dismissed, open }) => {
    it.each([true, false])("is whole again once it is another (dismissed: %s)", (isDismissed) =>
      run(
        atDesk((own) =>
          Effect.gen(function* () {
            const { id } = yield* own.post("14100.37")
            const says = ([day, ...amounts]: Says) =>
              own.says(
                own.days[day]!,
                amounts.map((amount, n) => ({ amount, end_to_end_id: id, bank_reference: `${day}/${n}/${amount}` }))
              )
            yield* says(before)
            assert.deepEqual(yield* shown(own), dismissed)
            if (isDismissed) {
              yield* dismissAll(own)
              yield* own.match
              assert.deepEqual(yield* shown(own), [])
            }
            yield* says(after)
            assert.deepEqual(yield* shown(own), open)
            const days = yield* Effect.forEach(own.days, own.unexplained)
            assert.strictEqual(
              days.reduce((sum, one) => sum + one, 0n),
              yield* own.inBreaks
            )
          })
        )
      )
    )
  })

  covers("BREAK-6", "BREAK-1")
  it.each(["none", "stronger"] as const)(
    "of two lines of one payment is theirs, and a third is another: %s",
    (naming) =>
      run(
        atDesk((own) =>
          Effect.gen(function* () {
            const { id } = yield* own.post("20")
            const weak = { amount: "20", remittance: `PAY ${id}` }
            yield* own.says(own.days[1], [
              { ...weak, bank_reference: "A" },
              { ...weak, bank_reference: "B" }
            ])
            assert.deepEqual(yield* shown(own), ["executed_twice high 20.00 debit of 2"])
            yield* dismissAll(own)
            const third = naming === "none" ? weak : { amount: "20", end_to_end_id: id }
            yield* own.says(own.days[2], [{ ...third, bank_reference: "C" }])
            const sum = yield* own.inBreaks
            assert.strictEqual(sum % 2000n, 0n)
            assert.isBelow(Number(sum), 0)
            const { length } = (yield* own.lines).filter(({ status }) => status === "matched")
            // All but one of the three are too many, and one of them is dismissed, or all are open again.
            assert.include([`0 -2000`, `1 -4000`], `${length} ${sum}`)
          })
        )
      )
  )

  covers("BREAK-6")
  it("is so again once it is the same again", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const { id } = yield* own.post("100")
          const line = { amount: "101", end_to_end_id: id }
          yield* own.says(own.days[1], [line])
          yield* dismissAll(own)
          yield* own.says(own.days[2], [{ amount: "100", end_to_end_id: id }], { format: "mt942" })
          assert.deepEqual(yield* shown(own), ["amount_differs high 101.00 debit of 1"])
          yield* own.ends(own.days[2], [], "899", { opening_balance: { date: own.days[2], amount: "899" } })
          assert.deepEqual(yield* shown(own), [])
        })
      )
    ))

  covers("LIMITS-13")
  it("that is opened again is given back to its limits, and one after that counts again", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const limits = yield* MoneyLimits
          const { id: limit } = yield* limits.create(own.operator, {
            ...{ scope: "platform", operations: ["break_resolution"], window: { rolling: "P7D" }, action: "refuse" },
            ...{ currency: "EUR", max_amount: "1000", max_count: 9 }
          })
          yield* own.says(own.days[1], [{ amount: "10" }, { amount: "7" }])
          const [found, other] = yield* own.open
          const used = Effect.map(limits.get(limit), ({ body }) => [body.used_amount, body.used_count])
          const resolve = (action: "dismiss" | "reopen") => own.resolve(found!.id, { action })
          yield* own.resolve(other!.id, { action: "dismiss" })
          const before = yield* used
          for (let n = 0; n < 2; n++) {
            yield* resolve("dismiss")
            assert.deepEqual(yield* used, ["17.00", 2])
            yield* resolve("reopen")
            assert.deepEqual(yield* used, before)
          }
          // What no limit has counted has nothing to give back.
          yield* limits.update(own.operator, limit, { status: "disabled" })
          yield* resolve("dismiss")
          yield* resolve("reopen")
          assert.deepEqual(yield* used, before)
        })
      )
    ))

  covers("BREAK-6", "MATCH-7")
  it("of lines that a person has unmatched leaves them to people", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const { id } = yield* own.post("50")
          yield* own.says(own.days[1], [{ amount: "50", end_to_end_id: id }])
          yield* own.says(own.days[2], [{ amount: "9", end_to_end_id: id }])
          const [first] = yield* own.lines
          const [found] = yield* own.open
          yield* own.resolve(found!.id, { action: "unmatch", line_ids: [first!.id] })
          yield* dismissAll(own)
          yield* own.says(own.days[3], [])
          assert.deepEqual([(yield* own.lineOf(first!.id)).status, yield* shown(own)], ["unmatched", []])
          // What another line is changes what they differ by.
          yield* own.says(own.days[3], [{ amount: "50", end_to_end_id: id }])
          assert.deepEqual(yield* shown(own), ["amount_differs high 59.00 debit of 2"])
          const again = yield* own.resolve(found!.id, { action: "dismiss" })
          assert.strictEqual(again.amount, "59.00")
          yield* own.match
          assert.deepEqual(yield* shown(own), [])
        })
      )
    ))
})

covers("BREAK-6", "MATCH-5", "MATCH-7")
it("a dismissed line is no movement that is alike later: another line of the day is, or it is missing in time", () =>
  Effect.runPromise(
    atDesk((own) =>
      Effect.gen(function* () {
        yield* own.says(own.days[6], [{ amount: "77", bank_reference: "FIRST" }])
        yield* dismissAll(own)
        const { id } = yield* own.post("77")
        yield* own.match
        const [line] = yield* own.lines
        assert.notInclude(["matched", "explained"], line!.status)
        assert.deepEqual(yield* shown(own), [])
        yield* own.says(own.days[6], [{ amount: "77", bank_reference: "OTHER" }])
        const matched = (yield* own.lines).filter(({ status }) => status === "matched")
        assert.deepEqual(
          matched.map((one) => [one.bank_reference, one.matches.map(({ resource_id }) => resource_id)]),
          [["OTHER", [id]]]
        )
      })
    ).pipe(Effect.provide(makeSimulatedEngine()))
  ))
