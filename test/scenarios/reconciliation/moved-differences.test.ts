/** Figures that hold although what they are of has moved: to before the first day, to another statement, into the total of a batch. */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { atDesk } from "../../support/statements/day-desk.ts"

/** On a store of its own: accounts of one currency share their ledger. */
const run = <A, E>(scenario: Effect.Effect<A, E, SimulatedEngine>): Promise<A> =>
  Effect.runPromise(Effect.provide(scenario, makeSimulatedEngine()))

describe("the reconciliation of a day", () => {
  covers("CLOSE-4")
  it("has nothing outstanding of what was posted since the first day, and has its line before it", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [first, , , , , , today] = own.days
          const before = new Date(Date.parse(first) - 86_400_000).toISOString().slice(0, 10)
          const entry = yield* own.post("20")
          const open = { outstanding: "-20.00", ledger: "980.00" }
          assert.deepInclude(yield* own.reconciled(today), open)
          yield* own.says(before, [{ amount: "20", end_to_end_id: entry.id }])
          assert.deepEqual(yield* own.shown, [`${before} debit 20.00 matched`])
          assert.deepInclude(yield* own.reconciled(today), {
            outstanding: "0.00",
            ledger: "1000.00",
            difference: "0.00"
          })
          // What has its line since then is not in the opening balance.
          const other = yield* own.post("30")
          assert.deepInclude(yield* own.reconciled(today), { outstanding: "-30.00", ledger: "970.00" })
          yield* own.says(today, [{ amount: "30", end_to_end_id: other.id }])
          assert.deepInclude(yield* own.reconciled(today), {
            outstanding: "0.00",
            ledger: "970.00",
            difference: "0.00"
          })
        })
      )
    ))

  covers("CLOSE-4")
  it("has nothing outstanding where an explained difference becomes that of another statement", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [first, second, , , , , today] = own.days
          yield* own.says(first, [{ amount: "50" }], { format: "camt.054" })
          for (const day of [first, second]) yield* own.close(day, true)
          yield* own.ends(second, [], "1000")
          const [differs] = (yield* own.open).filter(({ kind }) => kind === "balance_differs")
          yield* own.resolve(differs!.id, { action: "explain", from: "world:simulated", to: "suspense" })
          assert.deepInclude(yield* own.reconciled(today), { outstanding: "0.00" })
          yield* own.ends(first, [], "1000")
          assert.deepInclude(yield* own.reconciled(today), { outstanding: "0.00" })
        })
      )
    ))

  covers("INGEST-4", "INGEST-6")
  it.each(["camt.054", "mt942"] as const)(
    "has no difference where a %s has a batch in detail, and a statement of before it is there",
    (format) =>
      run(
        atDesk((own) =>
          Effect.gen(function* () {
            const [day] = own.days
            const fee = { amount: "5", remittance: "fee" }
            // Balances are compared as texts: which statement is counted first depends on them.
            for (const [opening, noon, evening] of [["1000", "995", "955"]] as const) {
              const balances = (closing: string) => ({
                number: null,
                opening_balance: { date: day, amount: opening },
                closing_balance: { date: day, amount: closing }
              })
              yield* own.ends(day, [fee], noon, balances(noon))
              yield* own.ends(day, [fee, { amount: "40", bank_reference: "BATCH" }], evening, balances(evening))
            }
            const entry = { reference: "BATCH", direction: "debit", amount: "40" } as const
            const parts = ["10", "30"].map((amount, part) => ({ amount, entry: { ...entry, part } }))
            yield* own.says(day, parts, { format })
            assert.deepEqual(
              yield* own.shown,
              ["10.00", "30.00", "5.00"].map((amount) => `${day} debit ${amount} unmatched`)
            )
            assert.deepEqual(
              (yield* own.open).filter(({ kind }) => kind === "balance_differs"),
              []
            )
            assert.deepInclude(yield* own.reconciled(day), { outstanding: "0.00", unexplained: "-45.00" })
          })
        )
      )
  )
})

describe("a match of lines of both directions", () => {
  const amountsOf = (
    lines: ReadonlyArray<{ readonly amount: string; readonly matches: ReadonlyArray<{ readonly amount: string }> }>
  ) => lines.map(({ amount, matches }) => [amount, matches.map((one) => one.amount)]).toSorted()

  covers("LINE-1")
  it("with an entry says of each line all of it", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          const entry = yield* own.post("20")
          yield* own.says(day, [{ amount: "30" }, { amount: "10", direction: "credit" }])
          const lines = yield* own.lines
          const [first] = yield* own.open
          yield* own.resolve(first!.id, {
            action: "match",
            line_ids: lines.map(({ id }) => id),
            resource_ids: [entry.id]
          })
          assert.deepEqual(amountsOf(yield* own.lines), [
            ["10.00", ["10.00"]],
            ["30.00", ["30.00"]]
          ])
        })
      )
    ))

  covers("LINE-1")
  it("with each other gives out each amount once, where several are on either side", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const credits = ["10", "15"].map((amount) => ({ amount, direction: "credit" as const }))
          yield* own.says(own.days[0], [{ amount: "12" }, { amount: "13" }, ...credits])
          const [first] = yield* own.open
          const line_ids = (yield* own.lines).map(({ id }) => id)
          yield* own.resolve(first!.id, { action: "match", line_ids, resource_ids: [] })
          const shown = amountsOf(yield* own.lines)
          for (const [amount, shares] of shown)
            assert.strictEqual(
              (shares as ReadonlyArray<string>).reduce((sum, one) => sum + Number(one), 0),
              Number(amount)
            )
          const sides = [
            shown.filter(([one]) => one === "12.00" || one === "13.00"),
            shown.filter(([one]) => one === "10.00" || one === "15.00")
          ]
          const [outs, ins] = sides.map((side) => side.flatMap(([, shares]) => shares).toSorted())
          assert.deepEqual(outs, ins)
        })
      )
    ))

  covers("LINE-1")
  it("with each other says of each what it has of the others", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          yield* own.says(day, [{ amount: "12" }, { amount: "13" }, { amount: "25", direction: "credit" }])
          const lines = yield* own.lines
          const [first] = yield* own.open
          yield* own.resolve(first!.id, { action: "match", line_ids: lines.map(({ id }) => id), resource_ids: [] })
          assert.deepEqual(amountsOf(yield* own.lines), [
            ["12.00", ["12.00"]],
            ["13.00", ["13.00"]],
            ["25.00", ["12.00", "13.00"]]
          ])
        })
      )
    ))
})
