/** What an explanation says of money: all of it, and nothing that is not so (TIMELINE-7). */
import { Effect } from "effect"
import { assert, expect, it } from "vitest"
import { classOf } from "../../../src/machines/kernel/ledger.ts"
import { moneySentences } from "../../../src/engine/reports/timeline/explanation.ts"
import { Timelines } from "../../../src/engine/reports/timeline/timeline.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { findLatestRefund } from "../../../src/engine/resources/deposits/refund-reports.ts"
import { AdjustingEntries } from "../../../src/engine/resources/reconciliation/adjusting-entry.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { onMemory } from "../../support/engines/every-store.ts"
import { openWay, ways } from "../../support/merchants/credentials.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { whole } from "../../support/merchants/timelines.ts"
import { covers } from "../../support/repository/covers.ts"

let serial = 0
const sentences = (id: string) =>
  Effect.map(whole(id), ({ explanation: { money } }) =>
    money.map(({ summary }) => summary.replaceAll(/(wal|wcr)_\w+/g, "$1"))
  )

/** How the exception of a short settlement ends, and what is said then of the 10 that were not paid. A credit is said by the 90 alone. */
const ends = {
  open: "10.00 USDC is in suspense.",
  dismiss: "10.00 USDC left the books through simulated, without a payment.",
  adjust: "10.00 USDC left the books through simulated, without a payment."
} as const

onMemory("an explanation of money", (run) => {
  covers("TIMELINE-7")
  it.each(["open", "dismiss", "credit", "adjust"] as const)(
    "of a transfer that was settled short says what was paid, and what became of the rest: %s",
    (end) =>
      run(
        Effect.gen(function* () {
          const m = yield* merchantAtWork()
          const { id } = yield* m.transfer("100")
          yield* m.settle
          yield* m.says(id, "success", { amount: "90", currency: "USDC" })
          const [short] = yield* m.exceptions
          if (end === "adjust")
            yield* (yield* AdjustingEntries).create(m.operator, {
              ...{ from: "suspense", to: "world:simulated", exception_id: short!.id },
              ...{ amount: "10", currency: "USDC", note: "a fee" }
            })
          else if (end !== "open") yield* m.resolve(short!.id, end)
          const texts = yield* sentences(id)
          assert.include(texts, "90.00 USDC was paid out through simulated.")
          assert.sameMembers(texts, [
            "90.00 USDC was paid out through simulated.",
            ...(end === "credit" ? [] : [ends[end]])
          ])
        })
      )
  )

  it.each(["open", "dismiss"] as const)("of an offramp that was settled short says what was paid: %s", (end) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const { id } = yield* m.offramp("100")
        yield* m.settle
        yield* m.says(id, "success", { amount: "100000", currency: "NGN" })
        const [short] = yield* m.exceptions
        if (end === "dismiss") yield* m.resolve(short!.id, "dismiss")
        const { explanation } = yield* whole(id)
        const naira = explanation.money.filter(({ currency }) => currency === "NGN")
        assert.deepEqual(
          naira.map(({ amount, account }) => [classOf(account), amount]),
          [
            ["world", "100000.00"],
            [end === "open" ? "suspense" : "world", short!.amount]
          ]
        )
        assert.match(naira[0]!.summary, /was paid out/)
        assert.match(naira[1]!.summary, end === "open" ? /is in suspense/ : /without a payment/)
      })
    )
  )

  it("of an exception that was credited to a credential says that it was forwarded", () =>
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
    "of an exception whose refund did not reach its payer as a whole says where the rest is: %s",
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
            const command_id = findLatestRefund(yield* m.rowOf(exception!.id))
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
          assert.lengthOf(yield* m.exceptions, 1)
          assert.deepEqual(
            yield* sentences(exception!.id),
            word === "failed"
              ? ["1500.00 USDC is in suspense."]
              : ["900.00 USDC was paid out through simulated.", "600.00 USDC is in suspense."]
          )
        })
      )
  )

  it.each(["open", "credited"])(
    "of a transfer that was reversed after its success says where its money is: %s",
    (where) =>
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
          const back = "10.00 USDC went back to the available balance of wal."
          assert.deepEqual(yield* sentences(id), [where === "credited" ? back : "10.00 USDC is in suspense."])
        })
      )
  )

  covers("TIMELINE-7", "REFUND-8")
  it("of a refund that was kept back does not blame the provider", () =>
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
        for (const { message } of [explanation, why])
          assert.strictEqual(message, "The refund was not made: the pay-in had failed by then.")
      })
    ))

  covers("TIMELINE-7", "OUTCOME-7")
  it("of a deposit that was refunded in part says where the rest is", () =>
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
          command_id: findLatestRefund(row),
          amount: "900",
          currency: "USDC"
        }
        yield* (yield* Inbox).receive("simulated", { ...word, event_id: `e${++serial}` } as never)
        const { explanation } = yield* (yield* Timelines).whole(id!)
        assert.deepEqual(
          explanation.money.map(({ summary }) => summary),
          ["600.00 USDC is in suspense."]
        )
      })
    ))
})

covers("TIMELINE-7")
it("says of each class of accounts and each way that money took one sentence, with the money and the account", () => {
  const pairs = Object.entries(moneySentences).flatMap(([name, ways]) =>
    Object.values(ways).map((text) => [name, text] as const)
  )
  for (const [name, text] of pairs) {
    expect(text).toMatch(/^\$ .*\.$/)
    expect(text.split("@").length).toBe(name === "losses" ? 1 : 2)
  }
  const texts = pairs.filter(([, text]) => text !== "$ is in @.").map(([, text]) => text)
  // A balance and a credential are told alike of what went back.
  expect(texts.length - new Set(texts).size).toBe(1)
})
