/** r2: what was paid out of a recall's money stays counted when the recall is opened again (LIMITS-4). Fails on 73a38ac7. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { MoneyLimits } from "../../../src/engine/resources/controls/limit.ts"
import { latestRefund } from "../../../src/engine/resources/deposits/refund-reports.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { withMethods } from "../../support/engines/provider-methods.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"

let serial = 0

onMemory("r2 limits", (run) => {
  it("H", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const limits = yield* MoneyLimits
        const { id: limit } = yield* limits.create(m.operator, {
          scope: "merchant",
          id: m.merchant_id,
          operations: ["exception_credit"],
          window: { rolling: "P7D" },
          currency: "NGN",
          max_amount: "1000000"
        } as never)
        const used = Effect.map(limits.get(limit), ({ body }) => body.used_amount)
        const { id } = yield* m.onramp()
        const payin_id = `payin_${id}`
        yield* m.pays(id, "150000", { payin_id })
        yield* m.pays(id, "150000", { payin_id, stage: "failed" })
        const [recall] = yield* m.exceptions
        assert.strictEqual(recall!.amount, "150000.00")
        const says = Effect.fnUntraced(function* (resource: string, amount: string) {
          const command_id = latestRefund(yield* m.rowOf(resource))
          yield* (yield* Inbox).receive("simulated", {
            _tag: "refund",
            event_id: `l${++serial}`,
            merchant_id: null,
            resource_id: resource,
            outcome: "success",
            reason: null,
            transaction_hash: null,
            command_id,
            amount,
            currency: "NGN"
          } as never)
        })
        yield* m.resolve(recall!.id, "refund")
        yield* m.settle
        assert.strictEqual(yield* used, "150000.00")
        yield* says(recall!.id, "100000")
        assert.strictEqual(yield* used, "150000.00")
        const [part] = yield* m.exceptions
        assert.deepInclude(part!, { reason: "partial_refund", amount: "50000.00" })
        yield* m.resolve(part!.id, "refund")
        yield* m.settle
        const now = yield* (yield* Exceptions).get(recall!.id)
        console.log(JSON.stringify([now.status, now.action, now.amount, now.exposure, yield* used]))
        // 150,000 and 50,000 were decided; the first paid 100,000 of it. It never counts less than what was paid.
        assert.isAtLeast(Number(yield* used), 150000)
        const { data } = yield* m.rowOf(recall!.id)
        assert.strictEqual((data as { action: string | null }).action, "refund")
      }),
      {
        around: (provider) =>
          withMethods(provider, {
            refund: () => Effect.succeed({ _tag: "accepted" } as never),
            lookupRefund: () => Effect.succeed({ _tag: "pending" } as never)
          })
      }
    ))
})
