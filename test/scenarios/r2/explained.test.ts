/** r2: explanations that say where money is not; recalls whose own money leaves. Each case fails on 73a38ac7. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { latestRefund } from "../../../src/engine/resources/deposits/refund-reports.ts"
import { Merchants } from "../../../src/engine/resources/access/merchant.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { openWay, ways } from "../../support/merchants/credentials.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { whole } from "../../support/merchants/timelines.ts"

let serial = 0
const sentences = (id: string) =>
  Effect.map(whole(id), ({ explanation: { money } }) =>
    money.map(({ summary }) => summary.replaceAll(/(wal|wcr)_\w+/g, "$1"))
  )

onMemory("r2 explanations", (run) => {
  it("K: of an exception that was credited to a credential, once that is forwarded", () =>
    run(
      Effect.gen(function* () {
        const way = ways[0]!
        const m = yield* openWay(way)
        yield* m.pay(["failed", "confirmed"])
        const [exception] = yield* m.exceptions
        yield* m.resolve(exception!.id, "credit")
        yield* m.settle
        const { id } = yield* m.conversion
        yield* m.says(id, "failed")
        yield* m.advance(1)
        yield* m.forward
        assert.deepEqual(yield* sentences(id), [`${way.amount} NGN was forwarded from the balance of wcr.`])
        assert.deepEqual(yield* sentences(exception!.id), [`${way.amount} NGN was forwarded from the balance of wcr.`])
      })
    ))

  it.each(["success 900", "failed"])(
    "E2: of an exception whose refund did not reach its payer as a whole: %s",
    (word) =>
      run(
        Effect.gen(function* () {
          const m = yield* merchantAtWork("0", "tier_0")
          yield* m.refunds("accept")
          const { transaction_id: id } = yield* m.deposit({ amount: "1500" })
          yield* (yield* Deposits).reject(m.operator, id!, "unclear")
          yield* m.settle
          yield* m.says(id!, "refund_failed")
          const [exception] = yield* m.exceptions
          yield* m.resolve(exception!.id, "refund")
          yield* m.settle
          const says = Effect.fnUntraced(function* (outcome: string, amount?: string) {
            const command_id = latestRefund(yield* m.rowOf(exception!.id))
            yield* (yield* Inbox).receive("simulated", {
              ...{ _tag: "refund", event_id: `x${++serial}`, merchant_id: null, resource_id: exception!.id, outcome },
              ...{ reason: null, transaction_hash: null, command_id },
              ...(amount === undefined ? {} : { amount, currency: "USDC" })
            } as never)
          })
          if (word === "failed") {
            yield* says("success")
            yield* says("failed")
          } else yield* says("success", "900")
          const held = yield* m.exceptions
          assert.lengthOf(held, 1)
          console.log(JSON.stringify([held[0]!.reason, held[0]!.amount, yield* sentences(exception!.id)]))
          assert.notDeepEqual(yield* sentences(exception!.id), ["1500.00 USDC was paid out through simulated."])
        })
      )
  )

  it.each(["open", "credited"])("E3: of a transfer that was reversed after its success: its money is %s", (where) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* m.transfer("10")
        yield* m.settle
        yield* m.says(id, "success")
        yield* m.says(id, "reversed")
        const [exception] = yield* m.exceptions
        assert.strictEqual(exception!.amount, "10.00")
        if (where === "credited") yield* m.resolve(exception!.id, "credit")
        console.log(where, JSON.stringify(yield* sentences(id)))
        assert.notDeepEqual(yield* sentences(id), ["10.00 USDC was paid out through simulated."])
      })
    )
  )

  it("I: a recall whose own money is refunded exposes it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        yield* m.refunds("accept")
        const { id } = yield* m.onramp()
        const payin_id = `payin_${id}`
        yield* m.pays(id, "150000", { payin_id })
        yield* m.settle
        yield* m.pays(id, "150000", { payin_id, stage: "failed" })
        yield* m.says(id, "temporarily_unavailable")
        const [recall] = yield* m.exceptions
        assert.strictEqual(recall!.amount, "150000.00")
        yield* m.resolve(recall!.id, "refund")
        yield* m.settle
        yield* m.says(recall!.id, "success")
        const now = yield* (yield* Exceptions).get(recall!.id)
        console.log(now.status, now.severity, JSON.stringify(now.exposure))
        assert.deepEqual([now.severity, now.exposure?.amount], ["high", "150000.00"])
      })
    ))

  it("S: a deposit that is confirmed with another amount while its merchant is suspended shows what that buys", () =>
    run(
      Effect.gen(function* () {
        const m = yield* openWay(ways[1]!)
        const payin_id = `seen_${m.merchant_id}`
        const id = yield* m.pay(["detected"], { payin_id })
        yield* Merchants.use((all) => all.update(m.operator, m.merchant_id, { status: "suspended" }))
        yield* m.pay(["confirmed"], { payin_id, amount: "200.00" })
        const waiting = yield* m.body(id)
        console.log(JSON.stringify([waiting["source_amount"], waiting["destination_amount"], waiting["status"]]))
        yield* Merchants.use((all) => all.update(m.operator, m.merchant_id, { status: "active" }))
        yield* m.settle
        const after = yield* m.body(id)
        console.log(JSON.stringify([after["source_amount"], after["destination_amount"], after["status"]]))
        assert.strictEqual(waiting["destination_amount"], after["destination_amount"])
      })
    ))
})
