/** Refunds whose events say what the payer got (OUTCOME-7). */
import { Effect, Schema } from "effect"
import { assert, it } from "vitest"
import { toPortEvent } from "../../../src/adapters/provider/http/results.ts"
import type { RefundReport } from "../../../src/engine/ports/Provider.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { eventExamples } from "../../../scripts/provider-protocol/event-examples.ts"
import { Event } from "../../../src/protocol/events.ts"
import { booksBalance, onMemory } from "../../support/engines/every-store.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

/** An onramp of which 50 naira go back to the payer, and what a connector says of it, as it is on the wire. */
const refunding = Effect.fnUntraced(function* () {
  const m = yield* merchantConverting()
  const ramps = yield* onrampsOf(m)
  yield* m.refunds("accept")
  const { id } = yield* ramps.onramp()
  yield* ramps.pays(id, "50")
  yield* m.settle
  let count = 0
  const reports = (figures: object = {}) => {
    const wire = { ...eventExamples.refund, ...figures, id: `${id}.${(count += 1)}`, resource_id: id }
    const event = toPortEvent(Schema.decodeUnknownSync(Event)(wire)) as RefundReport
    const command_id = `${id}.refund`
    return Inbox.use((inbox) => inbox.receive("simulated", { ...event, merchant_id: m.merchant_id, command_id }))
  }
  return { m, id, reports }
})

onMemory("the event of a refund", (run) => {
  covers("OUTCOME-7")

  it.each([
    ["less", { amount: "30.00" }, ["partial_refund", "high", "20.00", { amount: "20.00", currency: "NGN" }]],
    ["less by its fee", { amount: "49.50", fee: "0.50", fee_currency: "NGN" }, ["partial_refund", "low", "0.50", null]],
    ["more", { amount: "51.00" }, ["over_refund", "high", null, { amount: "1.00", currency: "NGN" }]],
    ["the whole", { amount: "50.00" }, null],
    ["no amount", { amount: null }, null]
  ] as const)("says what the payer got: %s", (_, figures, expected) =>
    run(
      Effect.gen(function* () {
        const { id, m, reports } = yield* refunding()
        assert.strictEqual(yield* reports(figures), "applied")
        assert.strictEqual((yield* m.rowOf(id)).status, "returned")
        assert.deepEqual(
          (yield* m.exceptions).map(({ amount, exposure, reason, severity }) => [reason, severity, amount, exposure]),
          expected === null ? [] : [[...expected]]
        )
        yield* booksBalance
      })
    )
  )

  it("that repeats the amount changes nothing; with another one it is an exception with both, once", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        yield* reports({ amount: "30.00" })
        yield* reports({ amount: "30.00" })
        assert.lengthOf(yield* m.exceptions, 1)
        yield* reports({ amount: "20.00" })
        const another = (yield* m.exceptions).find(({ reason }) => reason === "another_amount")
        // It may correct the first one, or be a second payment.
        assert.deepInclude(another, { severity: "high", amount: null, exposure: { amount: "20.00", currency: "NGN" } })
        assert.deepInclude(another!.recorded as object, { amount: "30.00", currency: "NGN" })
        assert.lengthOf(yield* m.exceptions, 2)
        // Without an amount, it is the whole.
        yield* reports({ amount: null })
        const [whole] = yield* m.exceptions
        assert.deepInclude(whole, { reason: "another_amount", exposure: { amount: "50.00", currency: "NGN" } })
      })
    ))
})
