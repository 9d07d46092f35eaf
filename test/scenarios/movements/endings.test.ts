/** What each ending leaves behind, for every movement: its event's extras, its postings, and the words that contradict it. */
import { assert, describe, it } from "vitest"
import { Effect } from "effect"
import { movementOutcomes } from "../../../src/engine/ports/Provider.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { booksBalance } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"

const run = <A, E>(effect: Effect.Effect<A, E, any>) =>
  Effect.runPromise(effect.pipe(Effect.provide(makeSimulatedEngine())) as Effect.Effect<A, E>)

const kinds = ["transfer", "offramp", "conversion", "onramp"] as const

/** A submitted movement of the kind. */
const submitted = Effect.fnUntraced(function* (kind: (typeof kinds)[number]) {
  const m = yield* merchantConverting()
  const ramps = yield* onrampsOf(m)
  if (kind === "onramp") {
    const { id } = yield* ramps.onramp()
    yield* ramps.pays(id, "150000")
    yield* m.settle
    return { m, id }
  }
  const make = { transfer: m.transfer("10"), offramp: m.offramp("10"), conversion: m.conversion("10") }
  const { id } = yield* make[kind] as Effect.Effect<{ readonly id: string }, unknown>
  yield* m.settle
  return { m, id }
})

describe.each(kinds)("%s: the event of its end", (kind) => {
  it.each([
    ["success", "success"],
    ["failed", "failed"],
    ["cancelled", "failed"],
    ["returned", kind === "transfer" ? "failed" : "returned"]
  ] as const)("%s says when that was", (outcome, status) =>
    run(
      Effect.gen(function* () {
        const { m, id } = yield* submitted(kind)
        yield* m.advance(60)
        yield* m.says(id, outcome)
        yield* m.settle
        const row = yield* m.rowOf(id)
        assert.strictEqual(row.status, status)
        const object = yield* m.object(id, `${kind}.${status}`)
        assert.strictEqual(Date.parse(object["terminal_at"]), row.updated_at, "terminal_at")
        assert.strictEqual(object["status"], status)
      })
    )
  )
})

/** How many exceptions a word raises for a movement that has ended: every one that contradicts it (EXCEPTION-1). */
const raises: Readonly<Record<"transfer" | "offramp", Readonly<Record<string, ReadonlyArray<string>>>>> = {
  transfer: {
    success: ["failed", "cancelled", "reversed", "returned", "temporarily_unavailable", "refund_failed"],
    // A return of a transfer is a reversal (TRANSFER-9).
    failed: ["success", "temporarily_unavailable", "refund_failed"]
  },
  offramp: {
    success: ["failed", "cancelled", "temporarily_unavailable", "refund_failed"],
    failed: ["success", "reversed", "returned", "temporarily_unavailable", "refund_failed"],
    returned: [...movementOutcomes]
  }
}

describe.each(Object.entries(raises))("%s: a word after its end", (kind, states) => {
  it.each(Object.entries(states))(
    "of %s is for the operator where it contradicts it, once, and moves no money",
    (ended, contradicting) =>
      run(
        Effect.gen(function* () {
          for (const outcome of movementOutcomes) {
            const { m, id } = yield* submitted(kind as "transfer" | "offramp")
            yield* m.says(id, ended as "success")
            const before = { row: yield* m.rowOf(id), balance: yield* m.balance }
            yield* m.says(id, outcome)
            const raised = (yield* m.exceptions).length
            assert.strictEqual(raised, contradicting.includes(outcome) ? 1 : 0, `${outcome} after ${ended}`)
            const moves =
              kind === "offramp" && ended === "success" && (outcome === "returned" || outcome === "reversed")
            if (!moves) assert.deepEqual({ row: yield* m.rowOf(id), balance: yield* m.balance }, before, outcome)
          }
        })
      )
  )
})

it("an offramp to a target that is returned after its success leaves nothing on any account of the platform", () =>
  run(
    Effect.gen(function* () {
      const m = yield* merchantAtWork()
      const quotes = yield* Quotes
      const beneficiary_id = yield* m.bank()
      const quote = yield* quotes.offramp(m.caller, {
        wallet_id: m.wallet.id,
        beneficiary_id,
        target_amount: "2000.01"
      })
      const before = yield* booksBalance
      const { id } = yield* m.execute(quote.id)
      yield* m.settle
      yield* m.says(id, "success")
      assert.notStrictEqual((yield* booksBalance).get("rounding/NGN") ?? "0", "0")
      yield* m.says(id, "returned")
      const after = yield* booksBalance
      for (const [name, balance] of after) assert.strictEqual(balance, before.get(name) ?? "0", name)
    })
  ))
