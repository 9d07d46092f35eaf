/**
 * The recall of a pay-in is a fact of it: in whatever order it is told, money that is still here stays here, and what is at risk is what has
 * left (ONRAMP-9, OUTCOME-9, REFUND-8).
 */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Inbox } from "../../../src/engine/work/providers/Inbox.ts"
import { booksBalance, onEveryStore, onMemory } from "../../support/engines/every-store.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onrampsOf } from "../../support/merchants/ramps.ts"
import { permuted } from "../../support/properties/permuted.ts"
import { covers } from "../../support/repository/covers.ts"

type Merchant = Pick<MerchantAtWork, "advance" | "exceptions" | "refunds" | "resolve" | "rowOf" | "settle">

interface Case extends Merchant {
  readonly id: string
  /** What its payer paid, as exceptions show it. */
  readonly whole: string
  readonly currency: string
  readonly recall: Effect.Effect<unknown, any, any>
}

/** An onramp of 150,000 naira that its provider has. */
const onramp: Effect.Effect<Case, any, any> = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  const ramps = yield* onrampsOf(m)
  yield* m.refunds("accept")
  const { id } = yield* ramps.onramp()
  const payin_id = `payin_${id}`
  yield* ramps.pays(id, "150000", { payin_id })
  yield* m.settle
  const recall = ramps.pays(id, "150000", { payin_id, stage: "failed" })
  return { ...m, id, whole: "150000.00", currency: "NGN", recall }
})

/** A rejected deposit of 1,500 US dollars whose refund is under way. */
const deposit: Effect.Effect<Case, any, any> = Effect.gen(function* () {
  const m = yield* merchantAtWork("0", "tier_0")
  yield* m.refunds("accept")
  const payin_id = `payin_${m.merchant_id}`
  const { transaction_id } = yield* m.deposit({ amount: "1500", payin_id })
  yield* (yield* Deposits).reject(m.operator, transaction_id!, "sanctioned")
  yield* m.settle
  const recall = m.deposit({ amount: "1500", payin_id, stage: "failed" })
  return { ...m, id: transaction_id!, whole: "1500.00", currency: "USDC", recall }
})

/** An underpaid onramp, whose refund is under way. */
const underpaid: Effect.Effect<Case, any, any> = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  const ramps = yield* onrampsOf(m)
  yield* m.refunds("accept")
  const { id } = yield* ramps.onramp()
  const payin_id = `payin_${id}`
  yield* ramps.pays(id, "90", { payin_id })
  yield* m.settle
  const recall = ramps.pays(id, "90", { payin_id, stage: "failed" })
  return { ...m, id, whole: "90.00", currency: "NGN", recall }
})

/** Money in another currency than its address takes, whose refund is under way. */
const foreign: Effect.Effect<Case, any, any> = Effect.gen(function* () {
  const m = yield* merchantAtWork("0")
  yield* m.refunds("accept")
  const payin_id = `payin_${m.merchant_id}`
  yield* m.deposit({ amount: "700", payin_id, currency: "USDT" })
  const [{ id } = { id: "" }] = yield* m.exceptions
  yield* m.resolve(id, "refund")
  yield* m.settle
  const recall = m.deposit({ amount: "700", payin_id, currency: "USDT", stage: "failed" })
  return { ...m, id, whole: "700.00", currency: "USDT", recall }
})

let serial = 0

/** A report: `recalled`, `refund: OUTCOME AMOUNT` of its refund, or `OUTCOME AMOUNT` of its payment. */
const reports = Effect.fnUntraced(function* ({ currency, id, recall }: Case, told: string) {
  if (told === "recalled") return yield* recall
  const isRefund = told.startsWith("refund: ")
  const [outcome, amount] = told.replace("refund: ", "").split(" ")
  const event = {
    event_id: `${id} ${++serial}`,
    merchant_id: null,
    resource_id: id,
    outcome,
    reason: null,
    transaction_hash: null,
    ...(amount === undefined ? {} : { amount, currency })
  }
  yield* (yield* Inbox).receive("simulated", { ...event, _tag: isRefund ? "refund" : "movement" } as never)
})

/** Where a case ends: its status and its reason, its open exceptions, and what it has changed in the books. */
const endOf = Effect.fnUntraced(function* (begin: Effect.Effect<Case, any, any>, order: ReadonlyArray<string>) {
  const before = yield* booksBalance
  const one = yield* begin
  for (const told of order) {
    yield* reports(one, told)
    yield* one.settle
  }
  yield* one.advance(3600)
  const { data, status } = yield* one.rowOf(one.id)
  const all = yield* one.exceptions
  const books = [...(yield* booksBalance)].flatMap(([name, balance]) => {
    const moved = BigInt(balance) - BigInt(before.get(name) ?? "0")
    return moved === 0n ? [] : [`${name} ${moved}`]
  })
  return {
    status: [status, (data as { readonly failure_reason?: string | null }).failure_reason ?? null],
    exceptions: all
      .map(({ amount, exposure, reason, severity }) => `${reason} ${severity} ${amount} ${exposure?.amount ?? null}`)
      .sort(),
    books: books.sort()
  }
})

const cents = (amount: string | null | undefined): bigint => BigInt((amount ?? "0").replace(".", ""))

/** Reports of which every order ends the same, and what of the pay-in has left then. */
const sets: ReadonlyArray<readonly [string, Effect.Effect<Case, any, any>, ReadonlyArray<string>, string]> = [
  ["onramp", onramp, ["recalled", "temporarily_unavailable"], "0"],
  ["onramp", onramp, ["recalled", "refund_failed"], "0"],
  ["onramp", onramp, ["recalled", "success"], "150000.00"],
  ["onramp", onramp, ["recalled", "returned"], "150000.00"],
  ["onramp", onramp, ["recalled", "returned 49250"], "50000.00"],
  ["deposit", deposit, ["recalled", "refund: success"], "1500.00"],
  ["deposit", deposit, ["recalled", "refund: failed"], "0"],
  ["deposit", deposit, ["recalled", "refund: success 900"], "900.00"],
  ["underpaid", underpaid, ["recalled", "refund: success"], "90.00"],
  ["underpaid", underpaid, ["recalled", "refund: failed"], "0"],
  ["underpaid", underpaid, ["recalled", "refund: success 60"], "60.00"],
  ["foreign", foreign, ["recalled", "refund: success"], "700.00"],
  ["foreign", foreign, ["recalled", "refund: failed"], "0"],
  ["foreign", foreign, ["recalled", "refund: success 500"], "500.00"]
]

/** What an end puts at risk of the pay-in, and what it keeps of it, in hundredths. */
const weighed = (exceptions: ReadonlyArray<string>) => {
  const risk = exceptions.find((one) => one.startsWith("recalled "))!.split(" ")
  return { risk: cents(risk[3] === "null" ? null : risk[3]), severity: risk[1] }
}

onMemory("the recall of a pay-in", (run) => {
  covers("ONRAMP-9", "OUTCOME-9", "EXCEPTION-5", "REFUND-8")
  it.each(sets)("ends the same in every order, and exposes what has left: %s, %#: %s", (_, begin, told, left) =>
    run(
      Effect.gen(function* () {
        const ends = []
        for (const order of permuted(told)) ends.push([order, yield* endOf(begin, order)] as const)
        for (const [order, end] of ends) {
          assert.deepEqual(end, ends[0]![1], `${order} against ${ends[0]![0]}`)
          const { risk, severity } = weighed(end.exceptions)
          assert.deepEqual([risk, severity], [cents(left), risk === 0n ? "low" : "high"], `${order}`)
        }
      })
    )
  )

  it.each(["failed", "cancelled", "failed compliance", "temporarily_unavailable"])(
    "is known when the provider of its onramp says %s after it: nothing is submitted, and nothing refunded",
    (word) =>
      run(
        Effect.gen(function* () {
          const one = yield* onramp
          yield* reports(one, "recalled")
          const [outcome, reason = null] = word.split(" ")
          yield* (yield* Inbox).receive("simulated", {
            _tag: "movement",
            event_id: `${one.id} ${++serial}`,
            merchant_id: null,
            resource_id: one.id,
            outcome: outcome as "failed",
            reason,
            transaction_hash: null
          })
          yield* one.advance(90_000)
          const { data, status } = yield* one.rowOf(one.id)
          assert.strictEqual(status, "failed")
          assert.isFalse("outcomes" in (data as object) && JSON.stringify(data).includes(".refund"))
          const kept = (yield* one.exceptions).map(({ amount }) => cents(amount)).reduce((sum, each) => sum + each, 0n)
          assert.strictEqual(kept, cents(one.whole))
          assert.deepEqual(
            (yield* one.exceptions).map(({ severity, exposure }) => [severity, exposure]).filter(([s]) => s === "high"),
            []
          )
        })
      )
  )
})
