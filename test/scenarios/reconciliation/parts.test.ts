/** Statements of money that came back in parts: each part is a line, whatever its exception became (BREAK-3, OUTCOME-8). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { onMemory } from "../../support/engines/every-store.ts"
import { payOut, part } from "../../support/merchants/returned.ts"
import { covers } from "../../support/repository/covers.ts"
import { matchingDesk } from "../../support/statements/desk.ts"
import { readable } from "../../support/statements/readable.ts"

/** What is open about these resources, and about these lines. */
const openAbout = Effect.fnUntraced(function* (
  desk: Effect.Success<typeof matchingDesk>,
  names: ReadonlyArray<string>
) {
  const open = yield* desk.breaks({ status: "open" })
  return open
    .filter(({ lines, resources }) => [...lines, ...resources].some((id) => names.includes(id)))
    .map(({ amount, direction, kind }) => `${kind} ${direction} ${amount}`)
})

/** A transfer of 10 that its bank gives back in parts of 5 and of 3, of which an operator credits all. */
const scenario = Effect.fnUntraced(function* (
  when: "before" | "between" | "after",
  amounts: readonly [string, ...Array<string>]
) {
  const desk = yield* matchingDesk
  const { id, m, reports } = yield* payOut("transfer", ["success"])
  yield* desk.says([{ amount: "10", end_to_end_id: `${id}.payout` }])
  const stated = amounts.map((amount, n) => part(`${n}`, amount))
  yield* reports("reversed", { parts: stated.slice(0, 1) })
  const [exception] = yield* m.exceptions
  const lines: Array<string> = []
  const says = (some: ReadonlyArray<string>) =>
    Effect.forEach(some, (amount) =>
      Effect.map(desk.says([{ amount, direction: "credit", remittance: exception!.id }]), ([line]) =>
        lines.push(line!.id)
      )
    )
  if (when !== "after") yield* says(amounts.slice(0, 1))
  if (amounts.length > 1) yield* reports("reversed", { parts: stated })
  if (when === "before") yield* says(amounts.slice(1))
  const { credited } = yield* m.resolve(exception!.id, "credit")
  assert.deepEqual(Object.keys(credited!).sort(), ["merchant_id", "transaction_id", "wallet_id"])
  if (when === "after") yield* says(amounts)
  if (when === "between") yield* says(amounts.slice(1))
  for (let day = 0; day < 10; day++) yield* m.advance(86_400)
  return { desk, lines, m, exception: exception!, deposit_id: credited!.transaction_id, id }
})

onMemory("money that came back, of which an operator has credited all", (run) => {
  covers("BREAK-3")
  it.each([
    ["before", ["5", "3"]],
    ["between", ["5", "3"]],
    ["after", ["5", "3"]],
    ["before", ["6"]]
  ] as const)("is on the statements whose lines come %s the credit (%j)", (when, amounts) =>
    run(
      Effect.gen(function* () {
        const { deposit_id, desk, exception, id, lines } = yield* scenario(when, [...amounts])
        assert.deepEqual(yield* openAbout(desk, [deposit_id, exception.id, id, ...lines]), [])
        const found = yield* Effect.forEach(lines, (line) => desk.lineOf(line))
        assert.deepEqual(
          found.flatMap(({ matches }) => matches.map(({ resource_id }) => resource_id)),
          lines.map(() => exception.id)
        )
      }).pipe(Effect.provide(readable))
    )
  )

  it("is missing again where a person takes its line from it", () =>
    run(
      Effect.gen(function* () {
        const { deposit_id, desk, exception, lines, m } = yield* scenario("before", ["7"])
        yield* desk.says([{ amount: "4321.99", remittance: "unknown" }])
        const [unknown] = yield* desk.breaks({ status: "open", amount: "4321.99" })
        yield* desk.resolve(unknown!.id, { action: "unmatch", line_ids: lines })
        for (let day = 0; day < 10; day++) yield* m.advance(86_400)
        assert.deepEqual(yield* openAbout(desk, [exception.id]), ["missing_on_statement credit 7.00"])
        assert.deepEqual(yield* openAbout(desk, [deposit_id]), [])
      }).pipe(Effect.provide(readable))
    ))
})

const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

onMemory("a line of one part of a return", (run) => {
  covers("MATCH-5")
  it.each([
    ["5.11", "3.22", "5.11"],
    ["5.12", "3.23", "3.23"]
  ])(
    "of %s and %s has the part of %s as its candidate, near in time, and is that part for a person",
    (one, other, amount) =>
      run(
        Effect.gen(function* () {
          const desk = yield* matchingDesk
          const { reports } = yield* payOut("transfer", ["success"])
          yield* reports("reversed", { parts: [part("a", one)] })
          yield* reports("reversed", { parts: [part("a", one), part("b", other)] })
          const day = dayAfter(desk.today, 1)
          const at = { booked_on: day, value_on: day }
          const [line] = yield* desk.says([{ amount, direction: "credit", ...at }], { from: day, to: day })
          const [found] = yield* desk.about(line!.id)
          const [candidate, ...more] = found!.candidates
          assert.deepEqual([candidate!.amount, candidate!.rule, more], [amount, "near", []])
          yield* desk.resolve(found!.id, { action: "match", resource_ids: [candidate!.resource_id] })
          const { matches, status } = yield* desk.lineOf(line!.id)
          assert.deepEqual([status, ...matches.map((each) => each.amount)], ["matched", amount])
        }).pipe(Effect.provide(readable))
      )
  )

  covers("BREAK-1", "BREAK-4")
  it.each([0, 1])("ends the break of that part, and not that of another of its amount: %d", (nth) =>
    run(
      Effect.gen(function* () {
        const desk = yield* matchingDesk
        const { m, reports } = yield* payOut("transfer", ["success"])
        const amount = `4.3${nth}`
        yield* reports("reversed", { parts: [part("a", amount)] })
        yield* reports("reversed", { parts: [part("a", amount), part("b", amount)] })
        yield* m.advance(7 * 86_400)
        const missing = Effect.map(desk.breaks({ status: "open", kind: "missing_on_statement" }), (all) =>
          all.filter((one) => Number(one.amount) === Number(amount))
        )
        const day = dayAfter(desk.today, 6)
        const at = { booked_on: day, value_on: day }
        const [line] = yield* desk.says([{ amount, direction: "credit", ...at }], { from: day, to: day })
        const before = yield* missing
        assert.strictEqual(before.length, 2)
        yield* desk.resolve(before[nth]!.id, { action: "match", line_ids: [line!.id] })
        yield* desk.match
        assert.deepEqual(
          (yield* missing).map(({ id }) => id),
          [before[1 - nth]!.id]
        )
      }).pipe(Effect.provide(readable))
    )
  )

  covers("BREAK-4")
  it("is no part that moved the other way, and the refusal says which way each sum did", () =>
    run(
      Effect.gen(function* () {
        const desk = yield* matchingDesk
        const { id } = yield* payOut("transfer", ["success"])
        const [line] = yield* desk.says([{ amount: "10", direction: "credit", remittance: "refund" }])
        const [found] = yield* desk.about(line!.id)
        const { message } = yield* Effect.flip(desk.resolve(found!.id, { action: "match", resource_ids: [id] }))
        assert.match(message, /are 10\.00 USDC into the account, .* is 10\.00 USDC out of the account/)
      }).pipe(Effect.provide(readable))
    ))
})
