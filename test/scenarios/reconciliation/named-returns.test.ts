/** Money that came back, and the bank's lines of it, which name the payment as banks do: each is what the books have, wherever they have it. */
import { Clock, Effect } from "effect"
import { assert, describe, it } from "vitest"
import { deriveStatementReference } from "../../../src/engine/input/statement-reference.ts"
import { booksBalance, onMemory } from "../../support/engines/every-store.ts"
import { first, part, payOut, second, third } from "../../support/merchants/returned.ts"
import { covers } from "../../support/repository/covers.ts"
import { deskIn } from "../../support/statements/desk.ts"
import { readable } from "../../support/statements/readable.ts"

const today = Effect.map(Clock.currentTimeMillis, (at) => new Date(at).toISOString().slice(0, 10))

/** How a bank names the payment that comes back. */
const namings = {
  "its statement reference": (id: string) => ({ end_to_end_id: deriveStatementReference(`${id}.payout`) }),
  "its id in the text": (id: string) => ({ remittance: `RETURN OF ${id}` }),
  nothing: () => ({})
}

const whole = [{}]
const parts = {
  offramp: [{ parts: [first] }, { parts: [first, second] }, { parts: [first, second, third] }],
  transfer: [{ parts: [part("a", "6")] }, { parts: [part("a", "6"), part("b", "4")] }]
}
const cases = [
  ["offramp", "returned", whole, ["14100.37"]],
  ["offramp", "returned", parts.offramp, ["10000", "4000", "100.37"]],
  ["transfer", "returned", whole, ["10"]],
  ["transfer", "reversed", whole, ["10"]],
  ["transfer", "reversed", parts.transfer, ["6", "4"]]
] as const

/** What the merchant had before: no statement here has it. */
const isPayin = (id: string): boolean => id.startsWith("txn_")

onMemory("a payment that comes back after its success", (run) => {
  describe.each(cases)("%s %s %j", (kind, word, told, amounts) => {
    covers("MATCH-2", "MATCH-3", "BREAK-3")
    const early = [false, true]
    const each = Object.keys(namings).flatMap((naming) => early.map((isEarly) => [naming, isEarly] as const))
    it.each(each)("is its lines, which name %s; before the report: %s", (naming, isEarly) =>
      run(
        Effect.provide(
          Effect.gen(function* () {
            const currency = kind === "offramp" ? "NGN" : "USDC"
            const desk = yield* deskIn(currency)
            const began = yield* Clock.currentTimeMillis
            const { id, m, reports } = yield* payOut(kind, ["success"])
            const paid = kind === "offramp" ? "14100.37" : "10"
            const paidOn = yield* today
            const at = { from: paidOn, to: paidOn }
            yield* desk.says([{ amount: paid, end_to_end_id: deriveStatementReference(`${id}.payout`) }], at)
            yield* m.advance(86_400)
            const day = yield* today
            const bank = desk.says(
              amounts.map((amount) => ({
                ...{ amount, direction: "credit" as const, booked_on: day, value_on: day },
                ...namings[naming as keyof typeof namings](id)
              })),
              { from: day, to: day }
            )
            const early = isEarly ? yield* bank : []
            for (const more of told) yield* reports(word, more)
            const lines = isEarly ? early : yield* bank
            yield* m.advance(6 * 86_400)
            yield* desk.match
            const after = yield* Effect.forEach(lines, (line) => desk.lineOf(line.id))
            assert.deepEqual(
              after.map(({ matches, status }) => [status, ...matches.map(({ amount }) => Number(amount))]),
              amounts.map((amount) => ["matched", Number(amount)])
            )
            const open = yield* desk.breaks({ status: "open" })
            assert.deepEqual(
              open.filter(({ resources, since }) => Date.parse(since) > began && !resources.some(isPayin)),
              []
            )
          }),
          readable
        )
      )
    )
  })

  covers("MATCH-2", "MATCH-6")
  it("is paid twice where the bank pays it again, whatever was decided about what came back", () =>
    run(
      Effect.provide(
        Effect.gen(function* () {
          const desk = yield* deskIn("USDC")
          const { id, m, reports } = yield* payOut("transfer", ["success"])
          const day = yield* today
          const paid = { amount: "10", end_to_end_id: deriveStatementReference(`${id}.payout`), booked_on: day }
          yield* desk.says([paid], { from: day, to: day })
          yield* reports("returned")
          const [kept] = yield* m.exceptions
          yield* m.resolve(kept!.id, "dismiss")
          const [again] = yield* desk.says([{ ...paid, bank_reference: "again" }], { from: day, to: day })
          const [found] = yield* desk.about(again!.id)
          assert.deepEqual([found!.kind, found!.severity], ["executed_twice", "high"])
        }),
        readable
      )
    ))

  covers("BREAK-3", "MATCH-6")
  it("is not missing while its line has another amount, and is no second line", () =>
    run(
      Effect.provide(
        Effect.gen(function* () {
          const desk = yield* deskIn("USDC")
          const { id, m, reports } = yield* payOut("transfer", ["success"])
          yield* m.advance(86_400)
          const day = yield* today
          const suspense = Effect.map(booksBalance, (books) => books.get("suspense/USDC"))
          yield* reports("returned")
          const before = yield* suspense
          const back = { direction: "credit", booked_on: day, value_on: day } as const
          const name = { end_to_end_id: deriveStatementReference(`${id}.payout`) }
          const [other] = yield* desk.says([{ ...back, ...name, amount: "9" }], { from: day, to: day })
          yield* m.advance(6 * 86_400)
          const found = (yield* desk.about(id)).filter(({ direction }) => direction === "debit")
          assert.deepEqual(
            found.map(({ amount, kind, lines }) => [kind, Number(amount), lines]),
            [
              ["missing_on_statement", 10, []],
              ["amount_differs", 1, [other!.id]]
            ]
          )
          const came = yield* desk.breaks({ status: "open", kind: "missing_on_statement" })
          assert.deepEqual(
            came.filter(({ direction, since }) => direction === "credit" && Date.parse(since) >= Date.parse(day)),
            []
          )
          const next = yield* today
          // Two lines are one question, as of every payment.
          const again = { ...back, ...name, booked_on: next, value_on: next, amount: "10" }
          const [right, twice] = yield* desk.says([again, again], { from: next, to: next })
          assert.deepEqual([right!.status, twice!.status], ["proposed", "proposed"])
          assert.strictEqual(yield* suspense, before)
        }),
        readable
      )
    ))
})
