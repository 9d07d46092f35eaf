/** Payers' money that does not become an onramp, and words that contradict it (EXCEPTION-1, ONRAMP-6 to ONRAMP-8). */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { eventLine } from "../../support/merchants/merchant-at-work.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import type { SandboxDeposit } from "../../../src/engine/sandbox/inputs.ts"
import { booksBalance, onMemory } from "../../support/engines/every-store.ts"
import { covers } from "../../support/repository/covers.ts"

type Merchant = Effect.Success<typeof merchantCollecting>

const story = (m: Merchant, id: string) => Effect.map(m.published(id), (events) => events.map(eventLine))

const empty = { available: "0.00", reserved: "0.00", held: "0.00" }
const asked = "1 onramp.awaiting_deposit null>awaiting_deposit"
const funded = [asked, "2 onramp.funds_received =awaiting_deposit", "3 onramp.processing awaiting_deposit>processing"]
const ends = (status: string) => [...funded, `4 onramp.${status} processing>${status}`]

/** An onramp of 150,000 naira that was funded with that and submitted. */
const submitted = Effect.fnUntraced(function* (m: Merchant, amount = "150000", more: Partial<SandboxDeposit> = {}) {
  const { id } = yield* m.onramp()
  yield* m.pays(id, amount, more)
  yield* m.settle
  return id
})

/** What stands in suspense, over all merchants. */
const suspense = Effect.map(booksBalance, (classes) => BigInt(classes.get("suspense/NGN") ?? "0"))

onMemory("onramps that go back", (run) => {
  covers("TYPE-6", "ONRAMP-8")
  it.each([
    ["too little to buy anything after the fees", "100"],
    ["more than may be paid out", "2000000000"]
  ])("sends %s back to its payer by itself", (_, amount) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        yield* m.pays(id, amount)
        assert.deepInclude(yield* m.collected(id), { status: "processing", failure_reason: null })
        yield* m.settle
        assert.deepInclude(yield* m.collected(id), {
          status: "returned",
          failure_reason: "returned",
          received_amount: null
        })
        assert.deepEqual(yield* story(m, id), ends("returned"))
        assert.deepEqual(yield* m.balance, empty)
        assert.deepInclude(yield* m.object(id, "onramp.returned"), {
          actual_source_amount: null,
          actual_destination_amount: null
        })
        assert.strictEqual(yield* m.executions(id), 0)
        assert.deepEqual(yield* m.exceptions, [])
      })
    )
  )

  covers("ONRAMP-7", "TYPE-6")
  it.each([
    ["failed", "compliance_refused", "returned", "returned"],
    ["failed", undefined, "failed", "failed"],
    ["failed", "the bank's own word", "failed", "failed"],
    ["cancelled", undefined, "failed", "cancelled"],
    ["returned", undefined, "returned", "returned"],
    ["reversed", undefined, "returned", "returned"]
  ] as const)(
    "%s (%s) by the provider after funding: the payer has the money back, and it is %s for %s",
    (outcome, reason, status, expected) =>
      run(
        Effect.gen(function* () {
          const m = yield* merchantCollecting
          const id = yield* submitted(m)
          yield* m.says(id, outcome, reason === undefined ? {} : { reason })
          yield* m.settle
          const body = yield* m.collected(id)
          assert.deepInclude(body, { status, failure_reason: expected, received_amount: null })
          assert.match(body.failure_reason_message ?? "", /^[A-Z].*\.$/)
          assert.notMatch(body.failure_reason_message ?? "", /wallet/)
          assert.deepEqual(yield* story(m, id), ends(status))
          assert.deepEqual(yield* m.balance, empty)
          assert.deepEqual(yield* m.exceptions, [])
        })
      )
  )

  it("is refused before it was submitted, too", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        yield* m.behaves("hold")
        const id = yield* submitted(m)
        yield* m.says(id, "failed", { reason: "compliance" })
        yield* m.behaves("accept")
        yield* m.advance(60)
        assert.strictEqual((yield* m.collected(id)).status, "returned")
        assert.strictEqual(yield* m.executions(id), 0)
      })
    ))

  covers("ONRAMP-7", "FAILURE-3")
  it("fails for refund_failed when the money cannot go back, and leaves it to the operator", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const id = yield* submitted(m)
        yield* m.says(id, "refund_failed")
        assert.deepInclude(yield* m.collected(id), { status: "failed", failure_reason: "refund_failed" })
        assert.deepEqual(yield* story(m, id), ends("failed"))
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception!, {
          resource_id: id,
          reason: "refund_failed",
          amount: "150000.00",
          currency: "NGN"
        })
        assert.strictEqual((yield* Effect.flip(m.resolve(exception!.id, "credit")))._tag, "InvalidInput")
        yield* m.resolve(exception!.id, "refund")
        yield* m.settle
        assert.deepEqual(yield* m.exceptions, [])
        assert.deepEqual(yield* m.balance, empty)
      })
    ))

  covers("ONRAMP-6")
  it("keeps what comes after its end in suspense, for the operator to send back", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        yield* m.advance(31 * 60)
        const { transaction_id } = yield* m.pays(id, "150000", { payin_id: `late-${id}` })
        assert.isNull(transaction_id)
        yield* m.pays(id, "150000", { payin_id: `late-${id}` })
        assert.deepInclude(yield* m.collected(id), { status: "failed", failure_reason: "quote_expired" })
        const [exception, ...others] = yield* m.exceptions
        assert.deepEqual(others, [])
        assert.deepInclude(exception!, {
          resource_id: id,
          resource_kind: "onramp",
          reason: "late_funding",
          amount: "150000.00",
          currency: "NGN"
        })
        assert.strictEqual((yield* Effect.flip(m.resolve(exception!.id, "credit")))._tag, "InvalidInput")
        yield* m.resolve(exception!.id, "refund")
        yield* m.settle
        assert.deepEqual(yield* m.exceptions, [])
        assert.deepEqual(yield* m.balance, empty)
        assert.deepEqual(yield* story(m, id), [asked, "2 onramp.failed awaiting_deposit>failed"])
      })
    ))

  it("keeps a second payment in suspense while the first is on its way", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const id = yield* submitted(m)
        yield* m.pays(id, "5000")
        yield* m.says(id, "success")
        assert.strictEqual((yield* m.balance).available, "98.90")
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception!, {
          resource_id: id,
          reason: "already_funded",
          amount: "5000.00",
          currency: "NGN"
        })
      })
    ))

  it("does not take another currency than its own", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        yield* m.pays(id, "100", { currency: "GHS" })
        assert.strictEqual((yield* m.collected(id)).status, "awaiting_deposit")
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception!, { reason: "wrong_currency", amount: "100.00", currency: "GHS" })
        yield* m.resolve(exception!.id, "refund")
        yield* m.settle
        assert.deepEqual(yield* m.exceptions, [])
      })
    ))

  covers("ONRAMP-9")
  it("leaves an onramp waiting whose payment failed before it was confirmed", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        yield* m.pays(id, "150000", { payin_id: `bounced-${id}`, stage: "failed" })
        yield* m.pays(id, "150000", { payin_id: `bounced-too-${id}`, stage: "detected" })
        yield* m.pays(id, "150000", { payin_id: `bounced-too-${id}`, stage: "failed" })
        assert.strictEqual((yield* m.collected(id)).status, "awaiting_deposit")
        assert.deepEqual(yield* m.exceptions, [])
        yield* m.pays(id, "150000", { payin_id: `good-${id}` })
        yield* m.settle
        yield* m.says(id, "success")
        assert.strictEqual((yield* m.balance).available, "98.90")
      })
    ))

  it.each([
    ["and was detected before", ["detected", "failed"]],
    ["and was never heard of before", ["failed"]]
  ] as const)("is not funded by money that was told to have failed %s: that is kept, and taken back", (_, stages) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        const before = yield* suspense
        const payin_id = `reversed-${id}`
        for (const stage of [...stages, "failed", "confirmed", "confirmed", "detected"] as const) {
          const { transaction_id } = yield* m.pays(id, "150000", { payin_id, stage })
          assert.isNull(transaction_id)
        }
        yield* m.settle
        assert.strictEqual((yield* m.collected(id)).status, "awaiting_deposit")
        assert.strictEqual(yield* m.executions(id), 0)
        const [kept, ...others] = yield* m.exceptions
        assert.deepEqual(others, [])
        assert.deepInclude(kept!, { resource_id: id, reason: "contradicts_state", amount: "150000.00", exposure: null })
        for (const _ of [1, 2]) yield* m.pays(id, "150000", { payin_id, stage: "failed" })
        assert.sameDeepMembers(
          (yield* m.exceptions).map(({ amount, reason, severity }) => [reason, severity, amount]),
          [
            ["contradicts_state", "low", "150000.00"],
            ["recalled", "low", null]
          ]
        )
        yield* m.resolve(kept!.id, "dismiss")
        assert.strictEqual(yield* suspense, before)
        yield* m.pays(id, "150000", { payin_id: `other-${id}` })
        yield* m.settle
        yield* m.says(id, "success")
        assert.strictEqual((yield* m.balance).available, "98.90")
      })
    )
  )

  it("does not pay out what was taken back before it was submitted: the money waits in suspense", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        const before = yield* suspense
        yield* m.pays(id, "150000", { payin_id: `recalled-${id}` })
        yield* m.pays(id, "150000", { payin_id: `recalled-${id}`, stage: "failed" })
        yield* m.pays(id, "150000", { payin_id: `recalled-${id}`, stage: "failed" })
        yield* m.settle
        assert.deepInclude(yield* m.collected(id), { status: "failed", failure_reason: "failed" })
        assert.deepEqual(yield* story(m, id), [...funded, "4 onramp.failed processing>failed"])
        assert.strictEqual(yield* m.executions(id), 0)
        assert.deepEqual(yield* m.balance, empty)
        const [exception, ...others] = yield* m.exceptions
        assert.deepEqual(others, [])
        assert.deepInclude(exception!, {
          resource_id: id,
          reason: "recalled",
          severity: "low",
          exposure: null,
          amount: "150000.00",
          currency: "NGN"
        })
        assert.strictEqual((yield* suspense) - before, 150000_00n)
        yield* m.resolve(exception!.id, "dismiss")
        assert.strictEqual(yield* suspense, before)
        assert.deepEqual(yield* m.exceptions, [])
      })
    ))

  it("does not pay out what was taken back while the provider turned submissions away", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        yield* m.behaves("unavailable")
        const id = yield* submitted(m, "150000", { payin_id: `waited-${m.merchant_id}` })
        assert.strictEqual((yield* m.collected(id)).status, "temporary_failure")
        yield* m.pays(id, "150000", { payin_id: `waited-${m.merchant_id}`, stage: "failed" })
        yield* m.behaves("accept")
        yield* m.advance(3600)
        assert.deepInclude(yield* m.collected(id), { status: "failed", failure_reason: "failed" })
        assert.strictEqual(yield* m.executions(id), 0)
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception!, { reason: "recalled", severity: "low", amount: "150000.00" })
      })
    ))

  covers("REFUND-8")
  it("does not send back what its payer has taken back before the refund was submitted", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        yield* m.pays(id, "100", { payin_id: `little-${id}` })
        yield* m.pays(id, "100", { payin_id: `little-${id}`, stage: "failed" })
        const [exception] = yield* m.exceptions
        assert.deepInclude(exception!, { severity: "high", exposure: { amount: "100.00", currency: "NGN" } })
        yield* m.settle
        assert.deepInclude(yield* m.collected(id), { status: "failed", failure_reason: "refund_failed" })
        assert.sameDeepMembers(
          (yield* m.exceptions).map(({ amount, exposure, reason, severity }) => [reason, severity, amount, exposure]),
          [
            ["recalled", "low", null, null],
            ["refund_failed", "low", "100.00", null]
          ]
        )
      })
    ))

  it("says how much is at risk where the payout was submitted, once, and follows it to its end", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const id = yield* submitted(m, "150000", { payin_id: `gone-${m.merchant_id}` })
        const recall = m.pays(id, "150000", { payin_id: `gone-${m.merchant_id}`, stage: "failed" })
        yield* recall
        yield* recall
        assert.strictEqual((yield* m.collected(id)).status, "processing")
        const [exception, ...others] = yield* m.exceptions
        assert.deepEqual(others, [])
        assert.deepInclude(exception!, {
          resource_id: id,
          reason: "recalled",
          severity: "high",
          exposure: { amount: "150000.00", currency: "NGN" },
          amount: null
        })
        yield* m.says(id, "success")
        yield* recall
        assert.strictEqual((yield* m.balance).available, "98.90")
        assert.lengthOf(yield* m.exceptions, 1)
      })
    ))

  it("moves nothing on a word that comes before the money, or contradicts its end", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        yield* m.says(id, "success")
        assert.strictEqual((yield* m.collected(id)).status, "awaiting_deposit")
        yield* m.pays(id, "150000")
        yield* m.settle
        yield* m.says(id, "success")
        yield* m.says(id, "returned")
        assert.strictEqual((yield* m.collected(id)).status, "success")
        const exceptions = yield* m.exceptions
        assert.deepEqual(
          exceptions.map(({ reason, amount }) => [reason, amount]),
          [
            ["contradicts_state", null],
            ["contradicts_state", null]
          ]
        )
        assert.strictEqual((yield* m.balance).available, "98.90")
      })
    ))
})

onMemory("an onramp that was refunded before its payment is recalled", (run) => {
  covers("ONRAMP-9", "EVENT-27")
  it("says what its event said", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        yield* m.pays(id, "1", { payin_id: `payin ${id}` })
        yield* m.settle
        const event = yield* m.object(id, "onramp.returned")
        assert.match(String(event["failure_reason_message"]), /was refunded/)
        for (const stage of ["failed", "confirmed"] as const) {
          yield* m.pays(id, "1", { payin_id: `payin ${id}`, stage })
          const body = yield* m.collected(id)
          assert.strictEqual(body.failure_reason_message, event["failure_reason_message"])
        }
      })
    ))
})
