/** Texts of providers and of people about a movement or a deposit: they decide nothing about money (FAILURE-3, FAILURE-8). */
import { assert, it } from "vitest"
import { Effect } from "effect"
import { failureReasonOf } from "../../../src/engine/commit/index-keys.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import type { ExceptionBody } from "../../../src/engine/resources/deposits/exceptions.ts"
import { booksBalance, onMemory, type SimulatedEngine } from "../../support/engines/every-store.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { merchantCollecting, merchantConverting } from "../../support/merchants/ramps.ts"
import { whole } from "../../support/merchants/timelines.ts"
import { covers } from "../../support/repository/covers.ts"

/** What anybody may write, and every word that the engine itself has for an end. */
const texts = [
  "failed",
  "refund_failed",
  "returned",
  "quote_expired",
  "cancelled",
  "reversed",
  "temporarily_unavailable",
  "recalled",
  "compliance: sanctioned",
  "rejected",
  "constructor",
  " "
]

/** What becomes of the refund, where there is one. */
type Refund = "success" | "refund_failed"

/** A way to end for a reason that somebody else writes. */
type Way = (
  reason: string,
  refund: Refund
) => Effect.Effect<{ readonly exceptions: ReadonlyArray<ExceptionBody> }, any, SimulatedEngine>

const failed = Effect.fnUntraced(function* (m: MerchantAtWork, id: string, reason: string) {
  yield* m.settle
  yield* m.says(id, "failed", { reason })
  yield* m.settle
  return { exceptions: yield* m.exceptions }
})

const deposit = Effect.fnUntraced(function* (reason: string, refund: Refund) {
  const m = yield* merchantAtWork("0", "tier_0")
  const deposits = yield* Deposits
  yield* m.refunds("accept")
  const { transaction_id } = yield* m.deposit({ amount: "2000" })
  yield* deposits.reject(m.operator, transaction_id!, reason)
  yield* m.settle
  yield* m.says(transaction_id!, refund)
  const { explanation } = yield* whole(transaction_id!)
  return {
    exceptions: yield* m.exceptions,
    says: explanation.message,
    why: failureReasonOf(yield* m.rowOf(transaction_id!))
  }
})

const ways: Readonly<Record<string, Way>> = {
  "a deposit that an operator rejects": deposit,
  "a transfer that its provider fails": Effect.fnUntraced(function* (reason: string) {
    const m = yield* merchantAtWork("100")
    return yield* failed(m, (yield* m.transfer("100")).id, reason)
  }),
  "an offramp that its provider fails": Effect.fnUntraced(function* (reason: string) {
    const m = yield* merchantAtWork("100")
    return yield* failed(m, (yield* m.offramp("100")).id, reason)
  }),
  "a conversion that its provider fails": Effect.fnUntraced(function* (reason: string) {
    const m = yield* merchantConverting("100")
    return yield* failed(m, (yield* m.conversion("100")).id, reason)
  }),
  "an onramp that its provider fails": Effect.fnUntraced(function* (reason: string, refund: Refund) {
    const m = yield* merchantCollecting
    const { id } = yield* m.onramp()
    yield* m.pays(id, "150000")
    yield* m.settle
    yield* m.refunds("accept")
    yield* failed(m, id, reason)
    yield* m.says(id, refund)
    return { exceptions: yield* m.exceptions }
  })
}

/** What a way changes in each class of accounts, and the exceptions that it leaves. */
const measure = Effect.fnUntraced(function* (way: Way, reason: string, refund: Refund) {
  const before = yield* booksBalance
  const { exceptions } = yield* way(reason, refund)
  const books = [...(yield* booksBalance)]
    .map(([name, balance]) => [name, BigInt(balance) - BigInt(before.get(name) ?? "0")] as const)
    .filter(([, change]) => change !== 0n)
  return { books, exceptions: exceptions.map(({ amount, reason }) => `${reason} ${amount}`) }
})

onMemory("the reason", (run) => {
  covers("DEPOSIT-11", "FAILURE-3", "FAILURE-8")
  it.each(
    Object.keys(ways).flatMap((way) => [
      [way, "success"] as const,
      ...(/deposit|onramp/.test(way) ? [[way, "refund_failed"] as const] : [])
    ])
  )("of %s moves the same money, whatever it says: %s", (name, refund) =>
    run(
      Effect.gen(function* () {
        const plain = yield* measure(ways[name]!, "weather", refund)
        assert.lengthOf(plain.exceptions, refund === "success" ? 0 : 1)
        for (const text of texts) assert.deepEqual(yield* measure(ways[name]!, text, refund), plain, text)
      })
    )
  )

  it("of a rejection is explained as the operator's, in its own words", () =>
    run(
      Effect.gen(function* () {
        for (const text of ["failed", "refund_failed"])
          assert.deepInclude(yield* deposit(text, "success"), { says: `The deposit was rejected: ${text}.`, why: text })
        assert.strictEqual((yield* deposit("failed", "refund_failed")).says, "The provider could not return the money.")
      })
    ))
})
