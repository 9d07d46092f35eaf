/** What exceptions show in suspense is what the ledger has there, whatever is reported, decided, booked and reversed (EXCEPTION-2, ADJUST-3). */
import { Effect } from "effect"
import fc from "fast-check"
import { assert, it } from "vitest"
import { type ExceptionData, findMoney } from "../../src/machines/deposits/exception.ts"
import { type Row, Storage } from "../../src/engine/ports/Storage.ts"
import { Exceptions } from "../../src/engine/resources/deposits/exceptions.ts"
import { AdjustingEntries } from "../../src/engine/resources/reconciliation/adjusting-entry.ts"
import { Inbox } from "../../src/engine/work/providers/Inbox.ts"
import { makeSimulatedEngine } from "../support/engines/simulated-engine.ts"
import { merchantConverting, onrampsOf } from "../support/merchants/ramps.ts"
import { triesOf } from "../support/properties/tries.ts"
import { covers } from "../support/repository/covers.ts"

const which = fc.nat(9)

/** `which` chooses among what there is to act on. What nothing is there for, or is refused, happens not. */
const acts = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constant("resolves" as const), which, action: which, away: fc.boolean() })
  },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("books" as const), which }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("reverses" as const), which }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant("pays" as const),
      payin: fc.constantFrom("p0", "p0", "p1"),
      amount: fc.constantFrom("150000", "1"),
      stage: fc.constantFrom("confirmed" as const, "failed" as const)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("says" as const),
      outcome: fc.constantFrom(
        "success" as const,
        "failed" as const,
        "returned" as const,
        "reversed" as const,
        "refund_failed" as const
      ),
      amount: fc.constantFrom(undefined, "100000")
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant("tells" as const),
      which,
      outcome: fc.constantFrom("success" as const, "failed" as const)
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("refunds" as const),
      as: fc.constantFrom("settle" as const, "accept" as const)
    })
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("passes" as const), seconds: fc.constantFrom(0, 100, 2000) }) }
)
type Act = typeof acts extends fc.Arbitrary<infer A> ? A : never

/** `isRecalled`: the pay-in of the onramp fails before anything was made of it. */
interface History {
  readonly isRecalled: boolean
  readonly acts: ReadonlyArray<Act>
}

const live = ({ acts, isRecalled }: History) =>
  Effect.gen(function* () {
    const c = yield* merchantConverting("0")
    const m = { ...c, ...(yield* onrampsOf(c)) }
    const away = yield* merchantConverting("0")
    const entries = yield* AdjustingEntries
    const exceptions = yield* Exceptions
    const inbox = yield* Inbox
    const storage = yield* Storage
    const { id } = yield* m.onramp()
    const posted: Array<string> = []
    const readAll = Effect.map(
      storage.list({ merchant_id: m.merchant_id, kinds: ["exception"], index_keys: [], offset: 0, limit: 200 }),
      ({ items }) => items as ReadonlyArray<Row<ExceptionData>>
    )
    const pay = (payin_id: string, amount: string, stage: "confirmed" | "failed") =>
      Effect.exit(m.pays(id, amount, { payin_id, stage }))
    if (isRecalled) yield* m.behaves("hold")
    yield* pay("p0", "150000", "confirmed")
    if (isRecalled) yield* pay("p0", "150000", "failed")
    yield* m.behaves("accept")

    const perform = Effect.fnUntraced(function* (act: Act, event_id: string) {
      const open = yield* m.exceptions
      const chosen = "which" in act ? open[act.which % open.length] : undefined
      switch (act.does) {
        case "resolves": {
          const action = chosen?.actions[act.action % chosen.actions.length]
          if (chosen === undefined || action === undefined) return
          const { naira, wallet } = act.away ? away : m
          const credit = action === "credit" ? { wallet_id: chosen.currency === "NGN" ? naira.id : wallet.id } : {}
          yield* Effect.exit(exceptions.resolve(m.operator, chosen.id, { action, note: "n", ...credit }))
          return
        }
        case "books": {
          const inSuspense = chosen?.amount ?? null
          const due = inSuspense === null ? chosen?.exposure : { amount: inSuspense, currency: chosen!.currency! }
          if (chosen === undefined || !due) return
          const ways =
            inSuspense === null ? { from: "losses", to: "world:simulated" } : { from: "suspense", to: "losses" }
          const entry = yield* Effect.result(
            entries.create(m.operator, { ...ways, ...due, note: "n", exception_id: chosen.id })
          )
          if (entry._tag === "Success") posted.push(entry.success.id)
          return
        }
        case "reverses": {
          const entry = posted[act.which % posted.length]
          if (entry !== undefined) yield* Effect.exit(entries.reverse(m.operator, entry, { note: "r" }))
          return
        }
        case "pays":
          yield* pay(act.payin, act.amount, act.stage)
          return
        case "says":
          yield* Effect.exit(m.says(id, act.outcome, act.amount === undefined ? {} : { amount: act.amount }))
          return
        case "tells": {
          const refunds = [
            id,
            ...(yield* readAll).filter(({ data }) => data.refunds !== undefined).map((row) => row.id)
          ]
          const resource_id = refunds[act.which % refunds.length]!
          const { outcome } = act
          yield* inbox.receive("simulated", {
            _tag: "refund",
            event_id,
            merchant_id: null,
            resource_id,
            outcome,
            reason: null
          })
          return
        }
        case "refunds":
          yield* m.refunds(act.as)
          return
        case "passes":
          yield* m.advance(act.seconds)
      }
    })

    for (const [step, act] of acts.entries()) {
      yield* perform(act, `told-${step}`)
      const shown = new Map<string, bigint>()
      for (const { data, state } of yield* readAll) {
        const money = state === "resolved" ? null : findMoney(data)
        if (money !== null) shown.set(money.currency, (shown.get(money.currency) ?? 0n) + BigInt(money.amount))
      }
      const { classes } = yield* storage.trialBalance
      for (const one of classes)
        if (one.class === "suspense")
          assert.strictEqual(shown.get(one.currency) ?? 0n, BigInt(one.balance), `${one.currency} after act ${step}`)
    }
  })

covers("EXCEPTION-2", "ADJUST-3")
it("what exceptions have in suspense is there, once, after every act", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({ isRecalled: fc.boolean(), acts: fc.array(acts, { minLength: 3, maxLength: 16 }) }),
      (history) => Effect.runPromise(Effect.provide(live(history), makeSimulatedEngine()))
    ),
    { numRuns: triesOf(120) }
  )
})
