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
