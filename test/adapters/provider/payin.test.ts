import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { addressFault } from "../../../src/engine/input/addresses.ts"
import { type PayinInput, Sandbox } from "../../../src/engine/ports/Sandbox.ts"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { summaryOf } from "./scheduled-events.ts"
import { auto, manual, payin, refund, refunding, wait, words } from "./bank.ts"

describe("the simulated provider, receiving money,", () => {
  const arrive = (over: Partial<PayinInput> = {}) =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox
      const scheduled = yield* sandbox.payin(payin(over))
      yield* scheduled.done
      return scheduled.event
    })

  manual(
    "reports each stage of one pay-in as it is told, under an event id of its own",
    Effect.gen(function* () {
      const from_address = "payer"
      const first = yield* arrive({ stage: "detected", from_address })
      const other = { amount: "999.00", target: "elsewhere", currency: "USDT", network: "base" }
      const second = yield* arrive({ ...other, stage: "detected" })
      const third = yield* arrive()
      assert.deepStrictEqual([first, second, third].map(summaryOf), [
        "detected 100.00",
        "detected 999.00",
        "confirmed 100.00"
      ])
      assert.deepInclude(second, other)
      assert.strictEqual(third.target, first.target)
      // The payer is not told again.
      assert.deepStrictEqual(
        [first, second, third].map((event) => event.from_address),
        [from_address, from_address, from_address]
      )
      assert.deepStrictEqual(new Set([first, second, third].map(({ observed_at }) => observed_at)).size, 1)
      assert.strictEqual(new Set([first, second, third].map(({ event_id }) => event_id)).size, 3)
      assert.deepStrictEqual(yield* words, [])
    })
  )

  manual(
    "refunds what was confirmed first, whatever it is told afterwards",
    Effect.gen(function* () {
      const refunded = (id: string, amount: string) => refund(refunding({ id: `txn_${id}.refund`, amount }))
      yield* arrive({ stage: "detected", amount: "900.00" })
      yield* arrive()
      yield* arrive({ amount: "900.00" })
      assert.strictEqual(yield* refunded("1", "100.01"), "rejected")
      yield* arrive({ amount: "1.00", stage: "detected" })
      assert.strictEqual(yield* refunded("2", "60.00"), "settled")
      yield* arrive({ amount: "100.00" })
      assert.strictEqual(yield* refunded("3", "40.01"), "rejected")
      assert.strictEqual(yield* refunded("4", "40.00"), "settled")
    })
  )

  manual(
    "keeps equal payin_ids of two merchants apart",
    Effect.gen(function* () {
      const one = yield* arrive()
      const other = yield* arrive({ merchant_id: "mer_2", amount: "7.00" })
      assert.strictEqual(summaryOf(other), "confirmed 7.00")
      assert.notStrictEqual(one.event_id, other.event_id)
    })
  )

  manual(
    "generates a missing id, and a payer on a chain",
    Effect.gen(function* () {
      const event = yield* arrive({ payin_id: null, network: "base", currency: "USDC" })
      assert.match(event.payin_id, /^payin_/)
      assert.isNull(addressFault("base", event.from_address!))
      assert.match(event.transaction_hash!, /^0x/)
      assert.isNull((yield* arrive()).transaction_hash)
    })
  )

  manual(
    "stores only four digits of the payer's account number",
    Effect.gen(function* () {
      const storage = yield* Storage
      const event = yield* arrive({ sender: { name: "A Payer", account_number: "9876543210" } })
      assert.deepStrictEqual(event.sender, { name: "A Payer", account_number: "3210" })
      const row = yield* storage.find("simulated_payin", "p1")
      assert.notInclude(JSON.stringify(row), "9876543210")
    })
  )

  manual(
    "refunds it once, and never more than came in",
    Effect.gen(function* () {
      yield* arrive()
      assert.strictEqual(yield* refund(refunding({ amount: "60.00" })), "settled")
      assert.strictEqual(yield* refund(refunding({ amount: "60.00" })), "settled")
      assert.strictEqual(yield* refund(refunding({ id: "txn_1.other", amount: "40.01" })), "rejected")
      assert.strictEqual(yield* refund(refunding({ id: "txn_1.third", amount: "40.00" })), "settled")
      assert.strictEqual(yield* refund(refunding({ id: "txn_1.fourth", amount: "0.01" })), "rejected")
      assert.strictEqual(yield* refund(refunding({ id: "txn_1.other", amount: "40.01" })), "rejected")
      assert.deepStrictEqual(yield* wait("1 day"), [])
    })
  )

  manual(
    "accepts one of ten concurrent refunds of the full amount",
    Effect.gen(function* () {
      yield* arrive()
      const answers = yield* Effect.all(
        Array.from({ length: 10 }, (_, n) => refund(refunding({ id: `txn_${n}.refund` }))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.toSorted(), [...Array.from({ length: 9 }, () => "rejected"), "settled"])
    })
  )

  auto(
    "applies the magic endings of payers",
    Effect.gen(function* () {
      const from = (ending: string) => arrive({ payin_id: ending, sender: { account_number: `123456${ending}` } })
      const back = (ending: string) => refund(refunding({ id: `txn_${ending}.refund`, payin_id: ending }))
      for (const ending of ["0002", "0003", "0004", "0005", "0007"]) yield* from(ending)
      assert.strictEqual(yield* back("0002"), "rejected")
      assert.strictEqual(yield* back("0007"), "rejected")
      const answers = yield* Effect.all([back("0003"), back("0003"), back("0003")])
      assert.deepStrictEqual(answers, ["unavailable", "unavailable", "accepted"])
      assert.deepStrictEqual(yield* Effect.all([back("0004"), back("0004")]), ["ProviderFault", "accepted"])
      assert.deepStrictEqual(yield* Effect.all([back("0005"), back("0005")]), ["ProviderFault", "accepted"])
    })
  )
})
