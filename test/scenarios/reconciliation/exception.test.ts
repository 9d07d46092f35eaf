/** Statements of money that came into suspense: it is on them as it came, whatever an operator makes of it (BREAK-3). */
import { Clock, Effect } from "effect"
import { assert, it } from "vitest"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { payinEvent, findExceptions } from "../../support/merchants/payins.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"
import { deskIn } from "../../support/statements/desk.ts"
import { readable } from "../../support/statements/readable.ts"

let serial = 0

/** Money that came into suspense, and the decision that makes it another resource's. Each has an amount and a hash of its own. */
const suspended = Effect.fnUntraced(function* (decision: "credit" | "credit elsewhere" | "apply") {
  const m = yield* merchantCollecting
  const { advance, operator } = m
  const exceptions = yield* Exceptions
  const nth = `suspended${++serial}`
  const amount = decision === "apply" ? `${150_000 + serial}` : `${700 + serial}.41`
  const onramp = decision === "apply" ? yield* m.onramp(amount) : undefined
  const [target, currency] =
    onramp === undefined ? ["nobody", "USDC" as const] : [onramp.deposit_instruction!.depositReference, "NGN" as const]
  const observed_at = yield* Clock.currentTimeMillis
  if (decision === "apply") yield* advance(40 * 60)
  const desk = yield* deskIn(currency)
  const transaction_hash = `0x${nth}`
  const about = {
    event_id: nth,
    payin_id: nth,
    narration: target,
    transaction_hash,
    observed_at,
    target,
    amount,
    currency
  }
  yield* Inbox.use((inbox) => inbox.receive("simulated", payinEvent(about)))
  const [exception] = yield* findExceptions(nth)
  const owner = decision === "credit elsewhere" ? yield* merchantAtWork("0") : m
  return {
    advance,
    desk,
    exception: exception!,
    line: { amount, direction: "credit", transaction_hash } as const,
    reference: target,
    /** Decides. Returns what the money is now. */
    decide: Effect.gen(function* () {
      const wallet = decision === "apply" ? {} : { wallet_id: owner.wallet.id }
      const action = decision === "apply" ? ("apply" as const) : ("credit" as const)
      const { credited } = yield* exceptions.resolve(operator, exception!.id, { action, note: "seen", ...wallet })
      yield* m.settle
      if (onramp !== undefined) yield* m.says(onramp.id, "success")
      return onramp?.id ?? credited!.transaction_id
    })
  }
})

/** What is open about resources and lines. */
const openAbout = Effect.fnUntraced(function* (
  desk: Effect.Success<ReturnType<typeof deskIn>>,
  names: ReadonlyArray<string>
) {
  const found = yield* Effect.forEach(names, (name) => desk.about(name))
  return found.flat().map(({ amount, direction, kind }) => `${kind} ${direction} ${amount}`)
})

const decisions = ["credit", "credit elsewhere", "apply"] as const
const everOverdue = 10 * 86_400

onMemory("money in suspense that became another resource's", (run) => {
  covers("BREAK-3", "MATCH-2")
  it.each(decisions.flatMap((decision) => [[decision, "before"] as const, [decision, "after"] as const]))(
    "is the line of its pay-in: %s, with the line %s it",
    (decision, when) =>
      run(
        Effect.gen(function* () {
          const { advance, decide, desk, exception, line } = yield* suspended(decision)
          const early = when === "before" ? yield* desk.says([line]) : []
          const became = yield* decide
          const late = when === "after" ? yield* desk.says([line]) : []
          yield* advance(everOverdue)
          const [found] = yield* Effect.forEach([...early, ...late], ({ id }) => desk.lineOf(id))
          assert.deepEqual(
            found!.matches.map(({ resource_id, rule }) => [resource_id, rule]),
            [[exception.id, "transaction_hash"]]
          )
          assert.deepEqual(yield* openAbout(desk, [exception.id, became, found!.id]), [])
        }).pipe(Effect.provide(readable))
      )
  )

  covers("BREAK-3", "BREAK-4")
  it.each(decisions.flatMap((decision) => [[decision, "before"] as const, [decision, "after"] as const]))(
    "is missing once where no line has it, and ends with one entry: %s, with the entry %s it",
    (decision, when) =>
      run(
        Effect.gen(function* () {
          const { advance, decide, desk, exception } = yield* suspended(decision)
          yield* advance(everOverdue)
          const [missing, ...others] = yield* desk.about(exception.id)
          assert.deepEqual(others, [])
          const explained = desk.resolve(missing!.id, {
            action: "explain",
            from: "receivable:simulated",
            to: "world:simulated"
          })
          if (when === "before") yield* explained
          const became = yield* decide
          yield* advance(everOverdue)
          if (when === "after") yield* explained
          yield* advance(everOverdue)
          assert.deepEqual(yield* openAbout(desk, [exception.id, became]), [])
        }).pipe(Effect.provide(readable))
      )
  )

  covers("MATCH-3")
  it("is the line that has its narration too", () =>
    run(
      Effect.gen(function* () {
        const { advance, decide, desk, exception, line, reference } = yield* suspended("apply")
        const became = yield* decide
        const [named] = yield* desk.says([{ ...line, transaction_hash: null, remittance: `/ROC/${reference}` }])
        yield* advance(everOverdue)
        assert.deepEqual(
          named!.matches.map(({ resource_id, rule }) => [resource_id, rule]),
          [[exception.id, "reference"]]
        )
        assert.deepEqual(yield* openAbout(desk, [exception.id, became, named!.id]), [])
      }).pipe(Effect.provide(readable))
    ))
})
