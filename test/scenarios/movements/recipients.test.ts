/** The payouts to one recipient, in every list that has them, on every store (TRANSACTION-1, TRANSACTION-10). */
import assert from "node:assert/strict"
import { Effect } from "effect"
import { expect, it } from "vitest"
import { OperatorLists } from "../../../src/engine/reports/operator-lists.ts"
import { Transactions } from "../../../src/engine/reports/transaction.ts"
import { Beneficiaries } from "../../../src/engine/resources/parties/beneficiary.ts"
import { Offramps } from "../../../src/engine/resources/movements/offramp.ts"
import { Quotes } from "../../../src/engine/resources/movements/quote.ts"
import { Transfers } from "../../../src/engine/resources/movements/transfer.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const stems = (ids: ReadonlyArray<string>) => ids.map((id) => id.split("_")[1])

/** What each list has of a recipient's payouts, as stems of ids, newest first. */
const payoutsTo = Effect.fnUntraced(function* (m: MerchantAtWork, beneficiary_id: string, more: object = {}) {
  const query = { beneficiary_id, ...more }
  const lists = {
    transfers: yield* Transfers.use((s) => s.list(m.caller, query)),
    offramps: yield* Offramps.use((s) => s.list(m.caller, query)),
    transactions: yield* Transactions.use((s) => s.list(m.caller, query)),
    operators: yield* OperatorLists.use((s) => s.movements(query))
  }
  return Object.fromEntries(
    Object.entries(lists).map(([name, { items, total }]) => {
      assert.strictEqual(total, items.length, name)
      return [name, stems(items.map(({ id }) => id))]
    })
  )
})

const atWork = Effect.gen(function* () {
  const [m, other] = [yield* merchantAtWork(), yield* merchantAtWork()]
  const [chain, bank] = [yield* m.crypto(), yield* m.bank()]
  const offramp = Effect.gen(function* () {
    const quotes = yield* Quotes
    const quote = yield* quotes.offramp(m.caller, {
      wallet_id: m.wallet.id,
      beneficiary_id: bank,
      source_amount: "20"
    })
    return (yield* m.execute(quote.id)).id
  })
  const first = (yield* m.transfer("3", { beneficiary_id: chain })).id
  yield* m.advance(5)
  const second = (yield* m.transfer("4", { beneficiary_id: chain })).id
  const paid = yield* offramp
  yield* m.transfer("5")
  yield* other.transfer("6")
  const end = Effect.gen(function* () {
    for (const one of [m, other]) {
      yield* one.settle
      for (const { source_id, status, type } of yield* one.transactions)
        if (type !== "deposit" && status !== "success") yield* one.says(source_id, "success")
    }
  })
  return { m, other, chain, bank, first, second, paid, end }
})

onEveryStore("the payouts to one recipient", (run) => {
  covers("TRANSACTION-10")
  it("are listed by its id, with other filters, and to nobody else", () =>
    run(
      Effect.gen(function* () {
        const { m, other, chain, bank, first, second, paid, end } = yield* atWork
        const transfers = stems([second, first])
        expect(yield* payoutsTo(m, chain)).toEqual({
          transfers,
          offramps: [],
          transactions: transfers,
          operators: transfers
        })
        expect(yield* payoutsTo(m, bank)).toEqual({
          transfers: [],
          offramps: stems([paid]),
          transactions: stems([paid]),
          operators: stems([paid])
        })
        yield* m.settle
        yield* m.says(first, "success")
        expect((yield* payoutsTo(m, chain, { status: "success" }))["transactions"]).toEqual(stems([first]))
        expect((yield* payoutsTo(m, chain, { wallet_id: "wal_unknown" }))["transfers"]).toEqual([])

        // Of another merchant, and of nobody.
        const lists = yield* OperatorLists
        expect((yield* Transactions.use((s) => s.list(other.caller, { beneficiary_id: chain }))).total).toBe(0)
        expect((yield* lists.movements({ beneficiary_id: chain, merchant_id: other.merchant_id })).total).toBe(0)
        expect(yield* payoutsTo(m, "ben_unknown")).toEqual({
          transfers: [],
          offramps: [],
          transactions: [],
          operators: []
        })
        expect((yield* lists.movements({ beneficiary_id: chain, customer_id: "cust_unknown" })).total).toBe(0)
        yield* end
      })
    ))

  covers("TRANSACTION-1")
  it("say whom they pay, by the name that it had then", () =>
    run(
      Effect.gen(function* () {
        const { m, chain, first, end } = yield* atWork
        yield* Beneficiaries.use((s) => s.update(m.caller, chain, { name: "Chidi Okafor" }))
        const later = (yield* m.transfer("7", { beneficiary_id: chain })).id
        const transactions = yield* m.transactions
        const payeeOf = (id: string) => {
          const { beneficiary_id, recipient } = transactions.find(({ source_id }) => source_id === id)!
          return [beneficiary_id, recipient]
        }
        expect([payeeOf(first), payeeOf(later)]).toEqual([
          [chain, "Chidi"],
          [chain, "Chidi Okafor"]
        ])
        const deposits = transactions.filter(({ type }) => type === "deposit")
        expect(deposits.map(({ beneficiary_id, recipient }) => [beneficiary_id, recipient])).toEqual([[null, null]])
        yield* end
      })
    ))
})
