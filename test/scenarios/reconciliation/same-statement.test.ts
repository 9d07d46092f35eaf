/** What a person decided about balances, once a statement says again that they differ (BREAK-6, CLOSE-2, CLOSE-5). */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import type { BankStatement } from "../../../src/statements/statement.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { atDesk, brief, type Desk } from "../../support/statements/day-desk.ts"

const run = <A, E>(scenario: Effect.Effect<A, E, SimulatedEngine>): Promise<A> =>
  Effect.runPromise(Effect.provide(scenario, makeSimulatedEngine()))

/** Ways to say that the second day begins with 20 more than the first one ended with. */
const says = {
  camt: {},
  mt940: { format: "mt940" },
  "mt940 without number": { format: "mt940", number: null },
  corrected: { lines: true }
} as const
type Way = keyof typeof says

const say = (own: Desk, way: Way) => {
  const { lines = false, ...different } = says[way] as Partial<BankStatement> & { readonly lines?: boolean }
  const [, day] = own.days
  const balances = { number: "2", opening_balance: { date: day, amount: "1020" } }
  const given = lines ? [{ amount: "30", direction: "credit" as const }] : []
  return own.ends(day, given, lines ? "1050" : "1020", { ...balances, ...different })
}

const decide = (own: Desk, action: "dismiss" | "explain") =>
  Effect.gen(function* () {
    const gap = (yield* own.all).find(({ kind }) => kind === "gap")
    const moves = action === "explain" ? { from: "world:simulated", to: "suspense" } : {}
    yield* own.resolve(gap!.id, { action, ...moves })
    return gap!.id
  })

const gaps = (own: Desk) => Effect.map(own.all, (all) => brief(all.filter(({ lines }) => lines.length === 0)))

describe.each(["dismiss", "explain"] as const)("a difference of balances that a person decides about: %s", (action) => {
  const orders = Object.keys(says).flatMap((first) =>
    ["camt", ...Object.keys(says).filter((each) => each !== first)].map((second) => [first, second] as const)
  ) as ReadonlyArray<readonly [Way, Way]>
  covers("BREAK-6", "MATCH-7")
  it.each(orders)("stays decided whichever statement says it: %s, and then %s", (first, second) =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          yield* own.ends(own.days[0], [], "1000")
          yield* say(own, first)
          yield* decide(own, action)
          yield* say(own, second)
          assert.deepEqual(yield* gaps(own), [])
        })
      )
    )
  )

  covers("BREAK-6")
  it("is one open break again, of the statement that says it by now", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [first, day] = own.days
          yield* own.ends(first, [], "1000")
          yield* say(own, "camt")
          const id = yield* decide(own, action)
          yield* say(own, "camt")
          yield* own.resolve(id, { action: "reopen" })
          yield* own.match
          const [gap, ...others] = yield* own.all
          assert.deepEqual(
            [gap?.id, gap?.statement_id, others.length],
            [id, gap?.statements.at(-1), action === "dismiss" ? 0 : others.length]
          )
          assert.strictEqual(yield* own.unexplained(day), 2_000n)
        })
      )
    ))
})

covers("BREAK-6")
it("what an entry explained is explained where the statement begins otherwise by now: only the rest differs", () =>
  run(
    atDesk((own) =>
      Effect.gen(function* () {
        const [first, day] = own.days
        yield* own.ends(first, [], "1000")
        yield* say(own, "camt")
        yield* decide(own, "explain")
        yield* own.ends(day, [], "1025", { number: "2", opening_balance: { date: day, amount: "1025" } })
        assert.deepEqual(yield* gaps(own), ["gap low 5.00 credit of 0"])
      })
    )
  ))

covers("CLOSE-2", "CLOSE-5")
it.each(Object.keys(says) as ReadonlyArray<Way>)(
  "what was accepted with its day is not asked for again on the next one, because a statement says it again: %s",
  (way) =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [first, day] = own.days
          yield* own.ends(first, [], "1000")
          yield* say(own, "camt")
          assert.strictEqual((yield* own.close(day, true)).unexplained, "20.00")
          yield* say(own, way)
          const late = says[way] === says.corrected ? 3_000n : 0n
          assert.strictEqual(yield* own.unexplained(own.next(day)), late)
        })
      )
    )
)
