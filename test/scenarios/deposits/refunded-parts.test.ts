/** Refunds that come in several parts (OUTCOME-8), and successes of refunds that were not known. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { findExceptions } from "../../support/merchants/payins.ts"
import { covers } from "../../support/repository/covers.ts"
import { open, part, type Reported, refunding, watchBalances } from "../../support/merchants/returned.ts"

onServers("a refund in parts", (run) => {
  covers("OUTCOME-8", "OUTCOME-7")

  it("is out of suspense when it has reached the payer, part by part, once", () =>
    run(
      Effect.gen(function* () {
        const { m, id, reports } = yield* refunding()
        const changed = yield* watchBalances(["suspense", "NGN"])
        yield* reports({ parts: [part("a", "20")] })
        assert.strictEqual((yield* m.rowOf(id)).status, "returned")
        assert.deepEqual(yield* open(m), [["partial_refund", "high", "30.00", "30.00"]])
        for (const _ of [1, 2]) {
          yield* reports({ parts: [part("a", "20"), part("b", "25")] })
          assert.deepEqual(yield* open(m), [["partial_refund", "high", "5.00", "5.00"]])
          assert.deepEqual(yield* changed, [500n])
        }
        yield* reports({ parts: [part("a", "20"), part("b", "25"), part("c", "5")] })
        assert.deepEqual(yield* open(m), [])
        assert.deepEqual(yield* changed, [0n])
      })
    ))

  it.each([
    ["at once", [{ parts: [part("a", "49.50")], complete: true }]],
    ["later", [{ parts: [part("a", "49")] }, { parts: [part("a", "49"), part("b", "0.5")], complete: true }]],
    ["last", [{ parts: [part("a", "49.5")] }, { parts: [part("a", "49.5")], complete: true }]]
  ] as ReadonlyArray<readonly [string, ReadonlyArray<Reported>]>)(
    "that is complete, %s: what is missing is the provider's fee",
    (_, told) =>
      run(
        Effect.gen(function* () {
          const { m, reports } = yield* refunding()
          const changed = yield* watchBalances(["suspense", "NGN"])
          for (const one of told) yield* reports(one)
          assert.deepEqual(yield* open(m), [["partial_refund", "low", "0.50", null]])
          assert.deepEqual(yield* changed, [50n])
          yield* m.resolve((yield* m.exceptions)[0]!.id, "dismiss")
          assert.deepEqual(yield* changed, [0n])
        })
      )
  )

  it.each([
    ["with another amount", [part("a", "15"), part("b", "25")], "another_amount", "5.00"],
    ["that cannot be true", [part("a", "20"), part("b", "0.001")], "another_amount", "50.00"],
    ["and another amount than their sum", [part("a", "20"), part("b", "5")], "another_amount", "50.00", "24"]
  ] as const)("books nothing of a report with a part %s", (_, parts, reason, exposure, amount?: string) =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        const changed = yield* watchBalances(["suspense", "NGN"])
        yield* reports({ parts: [part("a", "20")] })
        yield* reports({ parts, ...(amount && { amount }) })
        assert.deepEqual(yield* open(m), [
          [reason, "high", null, exposure],
          ["partial_refund", "high", "30.00", "30.00"]
        ])
        assert.deepEqual(yield* changed, [3_000n])
      })
    )
  )

  it("with more parts than was sent is out of suspense, and exposes what is above", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        const changed = yield* watchBalances(["suspense", "NGN"])
        const parts = [part("a", "20"), part("b", "31"), part("c", "2")]
        for (const n of [1, 2, 2, 3, 3]) yield* reports({ parts: parts.slice(0, n) })
        assert.deepEqual(yield* open(m), [
          ["over_refund", "high", null, "2.00"],
          ["over_refund", "high", null, "1.00"]
        ])
        assert.deepEqual(yield* changed, [0n])
      })
    ))

  it("books no part that comes after its refund has bounced, and exposes what was sent", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        yield* reports({ parts: [part("a", "20")] })
        yield* reports({}, "failed")
        const changed = yield* watchBalances(["suspense", "NGN"])
        yield* reports({ parts: [part("a", "20"), part("b", "30")] })
        assert.deepEqual(yield* changed, [0n])
        assert.deepEqual((yield* open(m))[0], ["contradicts_state", "high", null, "50.00"])
        yield* reports({ parts: [part("a", "20")] })
        assert.strictEqual((yield* open(m)).length, 3)
      })
    ))

  it("exposes a part that comes when the rest was paid otherwise", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        yield* reports({ parts: [part("a", "20")] })
        yield* m.resolve((yield* m.exceptions)[0]!.id, "refund")
        for (const _ of [1, 2]) yield* reports({ parts: [part("a", "20"), part("b", "25")] })
        assert.deepEqual(yield* open(m), [
          ["contradicts_state", "high", null, "25.00"],
          ["partial_refund", "high", "30.00", "30.00"]
        ])
      })
    ))

  it.each([
    ["all at once", ["30"]],
    ["before and after", ["25", "5"]]
  ] as const)("books what came under a refund that its provider then rejects: %s", (_, amounts) =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        const changed = yield* watchBalances(["suspense", "NGN"])
        const parts = [part("a", "20"), ...amounts.map((amount, index) => part(`${index}`, amount))]
        yield* reports({ parts: parts.slice(0, 1), fee: "30" })
        const { id } = (yield* m.exceptions)[0]!
        yield* m.resolve(id, "refund")
        yield* reports({ parts: parts.slice(0, 2) })
        // It has sent the money of this pay-in back before.
        yield* m.settle
        if (parts.length > 2) assert.deepEqual((yield* open(m)).at(-1), ["partial_refund", "low", "5.00", null])
        for (const _ of [1, 2]) yield* reports({ parts })
        assert.deepEqual(yield* open(m), [["contradicts_state", "high", null, `${amounts[0]}.00`]])
        assert.deepEqual(yield* changed, [0n])
      })
    )
  )

  it("moves nothing when the rest is no longer in suspense", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        const changed = yield* watchBalances(["suspense", "NGN"])
        yield* reports({ parts: [part("a", "20")] })
        yield* m.resolve((yield* m.exceptions)[0]!.id, "dismiss")
        yield* reports({ parts: [part("a", "20"), part("b", "25")] })
        assert.deepEqual(yield* open(m), [["contradicts_state", "high", null, "25.00"]])
        assert.deepEqual(yield* changed, [0n])
      })
    ))

  it("that bounces brings back all that the payer had got", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        const changed = yield* watchBalances(["suspense", "NGN"])
        yield* reports({ parts: [part("a", "20")] })
        yield* reports({ parts: [part("a", "20"), part("b", "25")] })
        yield* reports({}, "failed")
        assert.deepEqual(yield* open(m), [
          ["refund_bounced", "low", "45.00", null],
          ["partial_refund", "high", "5.00", "5.00"]
        ])
        assert.deepEqual(yield* changed, [5_000n])
      })
    ))
})

onServers("a success of a refund that its provider does not have", (run) => {
  covers("EXCEPTION-5")

  it("is high, with what is stated, or else all of it; a failure is low", () =>
    run(
      Effect.gen(function* () {
        const { m, reports } = yield* refunding()
        yield* reports({}, "success", "another")
        yield* reports({ amount: "20" }, "success", "another")
        yield* reports({ parts: [part("a", "5"), part("b", "10")] }, "success", "another")
        yield* reports({}, "failed", "another")
        assert.deepEqual(yield* open(m), [
          ["another_provider", "low", null, null],
          ["another_provider", "high", null, "15.00"],
          ["another_provider", "high", null, "20.00"],
          ["another_provider", "high", null, "50.00"]
        ])
        assert.strictEqual(yield* reports({}), "applied")
      })
    ))

  it.each(["dep_", "xyz_"])("is high where the books do not know the resource (%s)", (prefix) =>
    run(
      Effect.gen(function* () {
        const { id, reports } = yield* refunding()
        yield* reports({})
        const unknown = `${prefix}${id.slice(4, -6)}zzzzzz`
        const event = { _tag: "refund", merchant_id: null, resource_id: unknown, reason: null } as const
        const inbox = yield* Inbox
        yield* inbox.receive("simulated", { ...event, event_id: `${unknown} 1`, outcome: "success" })
        const stated = { amount: "7", currency: "NGN" }
        yield* inbox.receive("simulated", { ...event, event_id: `${unknown} 2`, outcome: "success", ...stated })
        yield* inbox.receive("simulated", { ...event, event_id: `${unknown} 3`, outcome: "failed", ...stated })
        assert.deepEqual(
          (yield* findExceptions(unknown)).map(({ exposure, reason, severity }) => [
            reason,
            severity,
            exposure?.amount
          ]),
          [
            ["unknown_resource", "high", undefined],
            ["unknown_resource", "high", "7.00"],
            ["unknown_resource", "low", undefined]
          ]
        )
      })
    )
  )

  it("is as urgent under the id of another event", () =>
    run(
      Effect.gen(function* () {
        const { m, id } = yield* refunding()
        const about = {
          _tag: "refund",
          event_id: `${id} one`,
          merchant_id: null,
          resource_id: id,
          reason: null
        } as const
        const inbox = yield* Inbox
        yield* inbox.receive("simulated", { ...about, outcome: "success", parts: [part("a", "20")] })
        yield* inbox.receive("simulated", { ...about, outcome: "success", parts: [part("a", "25")] })
        yield* inbox.receive("simulated", { ...about, outcome: "success", parts: [part("a", "20"), part("b", "5")] })
        yield* inbox.receive("simulated", { ...about, outcome: "failed" })
        yield* inbox.receive("another", { ...about, outcome: "failed" })
        yield* inbox.receive("another", { ...about, outcome: "success" })
        assert.deepEqual(yield* open(m), [
          ["event_id_reused", "high", null, "50.00"],
          ["another_provider", "low", null, null],
          ["event_id_reused", "high", null, "20.00"],
          ["event_id_reused", "high", null, null],
          ["event_id_reused", "high", null, "5.00"],
          ["partial_refund", "high", "30.00", "30.00"]
        ])
      })
    ))
})
