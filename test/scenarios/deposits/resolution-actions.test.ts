/** What an exception offers is what its resolution takes at that moment, and nothing else (EXCEPTION-4). */
import { assert, describe, it } from "vitest"
import { Clock, Effect } from "effect"
import type { PayinEvent, VerificationReport } from "../../../src/engine/ports/Provider.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Conflict } from "../../../src/engine/ports/errors.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { Resources } from "../../../src/engine/reports/resource.ts"
import { MoneyLimits } from "../../../src/engine/resources/controls/limit.ts"
import { Wallets } from "../../../src/engine/resources/wallets/wallet.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { payinEvent, findExceptions } from "../../support/merchants/payins.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { day, verifying } from "../../support/merchants/verification.ts"
import { covers } from "../../support/repository/covers.ts"

const actions = ["refund", "credit", "apply", "dismiss"] as const

/** Receives events, and returns the newest open exception that the first one raised. */
const raising = Effect.fnUntraced(function* (
  provider: string,
  ...events: ReadonlyArray<PayinEvent | VerificationReport>
) {
  const inbox = yield* Inbox
  for (const event of events) yield* inbox.receive(provider, event)
  const [event] = events
  const found = yield* findExceptions(event!._tag === "payin" ? event!.payin_id : event!.resource_id)
  return found[0]!
})

/** An onramp that has expired, and the naira that were paid for it in time. */
const expired = Effect.gen(function* () {
  const m = yield* merchantCollecting
  const { deposit_instruction, id } = yield* m.onramp("150000")
  const observed_at = yield* Clock.currentTimeMillis
  yield* m.advance(40 * 60)
  const paid = (payin_id: string, more: Partial<PayinEvent> = {}) =>
    payinEvent({
      event_id: `${id}.${payin_id}.${more.stage ?? "confirmed"}`,
      payin_id: `${id}.${payin_id}`,
      target: deposit_instruction!.depositReference,
      amount: "150000",
      currency: "NGN",
      observed_at,
      ...more
    })
  return { m, id, paid, observed_at }
})

/** A session whose link has lapsed, and an approval of it that came then. */
const lapsed = Effect.gen(function* () {
  const m = yield* verifying()
  const { id } = yield* m.start()
  yield* m.advance(2 * day)
  const approval: VerificationReport = {
    _tag: "verification",
    event_id: `${id}.approved`,
    merchant_id: null,
    resource_id: id,
    outcome: "approved",
    reason: null
  }
  return { m, id, approval }
})

const situations = {
  "money for nobody": Effect.gen(function* () {
    const m = yield* merchantAtWork("0")
    return yield* raising(
      "simulated",
      payinEvent({ event_id: m.wallet.id, payin_id: m.wallet.id, target: m.wallet.id })
    )
  }),
  "a report without money": Effect.gen(function* () {
    const m = yield* merchantAtWork("100")
    const { id } = yield* m.transfer("10")
    yield* m.settle
    yield* m.says(id, "failed")
    yield* m.says(id, "success")
    return (yield* m.exceptions)[0]!
  }),
  "a late payment that was made in time": Effect.flatMap(expired, ({ paid }) => raising("simulated", paid("one"))),
  "a late payment that was made late": Effect.flatMap(expired, ({ observed_at, paid }) =>
    raising("simulated", paid("one", { observed_at: observed_at + 35 * 60_000 }))
  ),
  "a late payment that was recalled": Effect.flatMap(expired, ({ paid }) =>
    raising("simulated", paid("one"), paid("one", { stage: "failed" }))
  ),
  "a late payment at another provider": Effect.flatMap(expired, ({ paid }) => raising("bankb", paid("one"))),
  "a second late payment, when the first was applied": Effect.gen(function* () {
    const { m, paid } = yield* expired
    const [first, second] = [yield* raising("simulated", paid("one")), yield* raising("simulated", paid("two"))]
    yield* (yield* Exceptions).resolve(m.operator, first.id, { action: "apply", note: "in time" })
    return second
  }),
  "a late approval": Effect.flatMap(lapsed, ({ approval }) => raising("simulated", approval)),
  "a late approval by another provider": Effect.flatMap(lapsed, ({ approval }) => raising("bankb", approval)),
  "a late approval of a session that was approved since": Effect.gen(function* () {
    const { approval, id, m } = yield* lapsed
    const raised = yield* raising("simulated", approval)
    yield* m.start()
    yield* m.says(id, "approved")
    return raised
  })
}

type Situation = Effect.Effect<{ readonly id: string }, unknown, SimulatedEngine>

const run = <A>(effect: Effect.Effect<A, unknown, SimulatedEngine>) =>
  Effect.runPromise(effect.pipe(Effect.provide(makeSimulatedEngine())))

covers("EXCEPTION-2", "HTTP-11")
it("resolves the version that a person has seen: the same one for as long as it says the same of the same money", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { m, paid } = yield* expired
      const found = yield* raising("simulated", paid("late"))
      const exceptions = yield* Exceptions
      const resolve = (if_match: string) =>
        exceptions.resolve({ ...m.operator, if_match }, found.id, { action: "refund", note: "seen" })
      const seen = (yield* exceptions.get(found.id)).version
      assert.match(seen, /^v[0-9a-f]{16}$/)
      assert.strictEqual((yield* Effect.flip(resolve("v0"))) instanceof Conflict, true)
      yield* resolve(seen)
      assert.notStrictEqual((yield* exceptions.get(found.id)).version, seen)
      yield* m.settle
    }).pipe(Effect.provide(makeSimulatedEngine()))
  ))

describe("an exception", () => {
  covers("EXCEPTION-4")
  for (const [name, begin] of Object.entries<Situation>(situations))
    it.each(actions)(`offers what its resolution takes: ${name}, %s`, (action) =>
      run(
        Effect.gen(function* () {
          const exceptions = yield* Exceptions
          const { id } = yield* begin
          const m = yield* merchantAtWork("0")
          const offered = (yield* exceptions.get(id)).actions
          const { items } = yield* exceptions.list({ per_page: 200 })
          assert.deepEqual(items.find((one) => one.id === id)?.actions, offered)
          const { resource } = yield* (yield* Resources).get(m.operator, id)
          assert.deepEqual((resource as { readonly actions: unknown }).actions, offered)
          const { currency } = yield* exceptions.get(id)
          const { id: wallet_id } = yield* (yield* Wallets).create(m.caller, { currency: currency ?? "USDC" })
          const resolved = yield* Effect.result(exceptions.resolve(m.operator, id, { action, wallet_id, note: "seen" }))
          assert.strictEqual(resolved._tag === "Success", offered.includes(action), `${resolved}`)
          if (resolved._tag === "Failure") assert.strictEqual(resolved.failure._tag, "InvalidStatus")
          else assert.deepEqual(yield* exceptions.get(id), resolved.success)
        })
      )
    )

  covers("LIMITS-2")
  it.each([
    ...actions.map((action) => ["a late payment that was made in time", action, "150000.00"] as const),
    ["a late approval", "apply", "0.00"] as const,
    ["a late approval", "dismiss", "0.00"] as const
  ])("counts to limits once, with its money, by whichever action it is resolved: %s, %s", (name, action, amount) =>
    run(
      Effect.gen(function* () {
        const exceptions = yield* Exceptions
        const limits = yield* MoneyLimits
        const { id } = yield* situations[name] as Situation
        const m = yield* merchantAtWork("0")
        const limit = { scope: "platform", operations: ["exception_credit"], window: { rolling: "PT24H" } } as const
        const most = yield* limits.create(m.operator, { ...limit, currency: "NGN", max_amount: "200000" })
        const count = yield* limits.create(m.operator, { ...limit, max_count: 2 })
        const { id: wallet_id } = yield* (yield* Wallets).create(m.caller, { currency: "NGN" })
        yield* exceptions.resolve(m.operator, id, { action, wallet_id, note: "seen" })
        assert.strictEqual((yield* limits.get(most.id)).body.used_amount, amount)
        assert.strictEqual((yield* limits.get(count.id)).body.used_count, 1)
      })
    )
  )

  it.each([
    ["a late payment that was made in time", ["refund", "credit", "apply", "dismiss"]],
    ["a late payment at another provider", ["refund", "credit", "dismiss"]],
    ["a second late payment, when the first was applied", ["refund", "credit", "dismiss"]],
    ["a late approval", ["apply", "dismiss"]],
    ["a late approval by another provider", ["dismiss"]]
  ] as const)("offers to apply what its resource takes: %s", (name, offered) =>
    run(
      Effect.gen(function* () {
        const { id } = yield* situations[name] as Situation
        assert.deepEqual((yield* (yield* Exceptions).get(id)).actions, [...offered])
      })
    )
  )
})
