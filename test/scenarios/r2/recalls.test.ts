/** r2: interactions of recalls. Each case fails on 73a38ac7. */
import { Clock, Effect } from "effect"
import { assert, it } from "vitest"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { latestRefund } from "../../../src/engine/resources/deposits/refund-reports.ts"
import { AdjustingEntries } from "../../../src/engine/resources/reconciliation/adjusting-entry.ts"
import { Timelines } from "../../../src/engine/reports/timeline/timeline.ts"
import type { PayinEvent } from "../../../src/engine/ports/Provider.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { payinEvent } from "../../support/merchants/payins.ts"

let serial = 0

/** A pay-in as the provider tells it, confirmed, which becomes an exception. */
const reported = Effect.fnUntraced(function* (target: string, amount: string, more: Partial<PayinEvent> = {}) {
  const now = yield* Clock.currentTimeMillis
  const id = `r2.${++serial}.${target}`
  const inbox = yield* Inbox
  yield* inbox.receive(
    "simulated",
    payinEvent({ event_id: `${id}.e`, payin_id: `${id}.p`, target, amount, observed_at: now, ...more })
  )
  const { items } = yield* (yield* Exceptions).list({ status: "open", per_page: 200 })
  return items.find(({ provider_event }) => (provider_event as PayinEvent | null)?.event_id === `${id}.e`)!
})

onMemory("r2", (run) => {
  it("A: an entry for a recall's exposure is reversed after the onramp's money was kept", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const entries = yield* AdjustingEntries
        const { id } = yield* m.onramp()
        const payin_id = `payin_${id}`
        yield* m.pays(id, "150000", { payin_id })
        yield* m.settle
        yield* m.pays(id, "150000", { payin_id, stage: "failed" })
        const [recall] = yield* m.exceptions
        const money = { amount: "150000.00", currency: "NGN", note: "n" }
        const entry = yield* entries.create(m.operator, {
          from: "losses",
          to: "world:simulated",
          exception_id: recall!.id,
          ...money
        })
        yield* m.says(id, "temporarily_unavailable")
        assert.deepInclude((yield* m.exceptions)[0]!, { id: recall!.id, amount: "150000.00", exposure: null })
        const reversal = yield* Effect.result(entries.reverse(m.operator, entry.id, { note: "nothing was lost" }))
        assert.strictEqual(reversal._tag, "Success", JSON.stringify(reversal))
      })
    ))

  it("A2: an entry for a recall's exposure is reversed after the recall was opened again and dismissed", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0", "tier_0")
        const entries = yield* AdjustingEntries
        yield* m.refunds("accept")
        const payin_id = `payin_${m.merchant_id}`
        const { transaction_id: id } = yield* m.deposit({ amount: "1500", payin_id })
        yield* (yield* Deposits).reject(m.operator, id!, "sanctioned")
        yield* m.settle
        const row = yield* m.rowOf(id!)
        const word = {
          _tag: "refund",
          merchant_id: null,
          resource_id: id!,
          outcome: "success",
          reason: null,
          transaction_hash: null,
          command_id: latestRefund(row),
          amount: "900",
          currency: "USDC"
        }
        yield* (yield* Inbox).receive("simulated", { ...word, event_id: `e${++serial}` } as never)
        yield* m.deposit({ amount: "1500", payin_id, stage: "failed" })
        const recall = (yield* m.exceptions).find(({ reason }) => reason === "recalled")!
        assert.strictEqual(recall.exposure?.amount, "900.00")
        const entry = yield* entries.create(m.operator, {
          from: "losses",
          to: "world:simulated",
          exception_id: recall.id,
          amount: "900",
          currency: "USDC",
          note: "n"
        })
        const part = (yield* m.exceptions).find(({ reason }) => reason === "partial_refund")!
        yield* m.resolve(part.id, "credit")
        const again = (yield* m.exceptions).find(({ id }) => id === recall.id)!
        assert.strictEqual(again.exposure?.amount, "1500.00")
        yield* m.resolve(recall.id, "dismiss")
        const reversal = yield* Effect.result(entries.reverse(m.operator, entry.id, { note: "booked twice" }))
        assert.strictEqual(reversal._tag, "Success", JSON.stringify(reversal))
      })
    ))

  it("B: a return of a revived onramp whose money a recall keeps is of high severity", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantCollecting
        const { deposit_instruction, id } = yield* m.onramp("150000")
        const observed_at = yield* Clock.currentTimeMillis
        yield* m.advance(40 * 60)
        const late = yield* reported(deposit_instruction!.depositReference, "150000", { currency: "NGN", observed_at })
        yield* (yield* Exceptions).resolve(m.operator, late.id, { action: "apply", note: "n" })
        yield* m.settle
        const word = late.provider_event as PayinEvent
        yield* inbox.receive("simulated", { ...word, event_id: `${word.event_id}.1`, stage: "failed" })
        yield* m.says(id, "temporarily_unavailable")
        assert.deepInclude(yield* m.collected(id), { status: "returned" })
        yield* m.says(id, "returned")
        const told = (yield* m.exceptions).find(({ reason }) => reason === "contradicts_state")
        assert.deepInclude(told!, { severity: "high" })
      })
    ))

  it("C: a recall under the id of another event is as urgent as under its own", () =>
    run(
      Effect.gen(function* () {
        const inbox = yield* Inbox
        const m = yield* merchantAtWork("0")
        const payin_id = `payin_${m.merchant_id}`
        yield* m.deposit({ amount: "700", payin_id, currency: "USDT" })
        const [{ id, provider_event } = { id: "", provider_event: null }] = yield* m.exceptions
        yield* m.resolve(id, "refund")
        yield* m.settle
        const word = provider_event as PayinEvent
        yield* inbox.receive("simulated", { ...word, stage: "failed" })
        const told = (yield* m.exceptions).find(({ reason }) => reason === "event_id_reused")
        assert.deepInclude(told!, { severity: "high", exposure: { amount: "700.00", currency: "USDT" } })
      })
    ))

  it("D: the explanation of a refund that was kept back does not blame the provider", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        yield* m.pays(id, "100", { payin_id: `little-${id}` })
        yield* m.pays(id, "100", { payin_id: `little-${id}`, stage: "failed" })
        yield* m.settle
        const { explanation } = yield* (yield* Timelines).whole(id)
        const held = (yield* m.exceptions).find(({ reason }) => reason === "refund_failed")!
        const why = (yield* (yield* Timelines).whole(held.id)).explanation
        console.log(JSON.stringify([explanation, why], null, 1))
        assert.notMatch(why.message ?? "", /provider could not/)
      })
    ))

  it("E: the explanation of a deposit that was refunded in part says where the rest is", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0", "tier_0")
        yield* m.refunds("accept")
        const payin_id = `payin_${m.merchant_id}`
        const { transaction_id: id } = yield* m.deposit({ amount: "1500", payin_id })
        yield* (yield* Deposits).reject(m.operator, id!, "sanctioned")
        yield* m.settle
        const row = yield* m.rowOf(id!)
        const word = {
          _tag: "refund",
          merchant_id: null,
          resource_id: id!,
          outcome: "success",
          reason: null,
          transaction_hash: null,
          command_id: latestRefund(row),
          amount: "900",
          currency: "USDC"
        }
        yield* (yield* Inbox).receive("simulated", { ...word, event_id: `e${++serial}` } as never)
        const { explanation } = yield* (yield* Timelines).whole(id!)
        console.log(JSON.stringify(explanation, null, 1))
        assert.include(JSON.stringify(explanation.money), "suspense")
      })
    ))

  for (const answer of ["pending", "silent"] as const) {
    let lookups = 0
    it(`F: a return that cannot be true after a success is asked about until there is an answer: ${answer}`, () =>
      run(
        Effect.gen(function* () {
          const m = yield* merchantAtWork()
          const { id } = yield* m.offramp("100")
          yield* m.settle
          yield* m.says(id, "success")
          lookups = 0
          yield* m.says(id, "returned", { amount: "1.234567", currency: "USDC" })
          yield* m.advance(90_000)
          console.log("lookups", lookups, (yield* m.rowOf(id)).status)
          assert.isAbove(lookups, 1)
        }),
        {
          around: (provider) =>
            withMethods(provider, {
              lookup: () =>
                Effect.suspend(() => {
                  lookups++
                  if (answer === "silent" && lookups === 1)
                    return Effect.fail({ _tag: "ProviderFault", message: "no" } as never)
                  return Effect.succeed({ _tag: "pending" } as never)
                })
            })
        }
      ))
  }
})
