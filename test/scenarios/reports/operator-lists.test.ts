/** The operator's lists over all merchants: movements, customers, ledger accounts (OPERATOR-8, OPERATOR-9, LEDGER-3). */
import { expect, it } from "vitest"
import { Effect } from "effect"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { type ListMovements, OperatorLists } from "../../../src/engine/reports/operator-lists.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const lists = <A, E, R>(ask: (s: OperatorLists["Service"]) => Effect.Effect<A, E, R>) => OperatorLists.use(ask)
const movements = (input: ListMovements) => lists((s) => s.movements(input))

/** Two merchants: a deposit each, and movements that succeed, fail and stay open. */
const atWork = Effect.gen(function* () {
  const [m, other] = [yield* merchantAtWork(), yield* merchantAtWork("500", "tier_1")]
  const paid = yield* m.transfer("10")
  const refused = yield* m.offramp("20")
  const theirs = yield* other.offramp("30")
  yield* m.settle
  yield* other.settle
  yield* m.says(paid.id, "success")
  yield* m.says(refused.id, "failed")
  // Where the clock stands still, what follows would be as old as what came before.
  yield* m.advance(1)
  const open = yield* m.transfer("5")
  const end = Effect.gen(function* () {
    yield* m.settle
    yield* m.says(open.id, "success")
    yield* other.says(theirs.id, "success")
  })
  return { m, other, paid: paid.id, refused: refused.id, theirs: theirs.id, open: open.id, end }
})

const stems = (items: ReadonlyArray<{ readonly id: string }>) => items.map(({ id }) => id.split("_")[1])
const stemsOf = (...ids: ReadonlyArray<string>) => ids.map((id) => id.split("_")[1])

onEveryStore("the operator's lists", (run) => {
  covers("OPERATOR-8")
  it("have the movements of every merchant, as their merchants see them, with merchant and provider", () =>
    run(
      Effect.gen(function* () {
        const { m, other, paid, refused, theirs, open, end } = yield* atWork
        const whole = yield* movements({ per_page: 200 })
        const mine = new Set([m.merchant_id, other.merchant_id])
        const found = whole.items.filter(({ merchant_id }) => mine.has(merchant_id))
        expect(stems(found).slice(0, 4)).toEqual(stemsOf(open, theirs, refused, paid))
        expect(found.map(({ type }) => type).slice(4)).toEqual(["deposit", "deposit"])
        for (const item of found) {
          const { failure_reason, merchant_id, merchant_name, provider, ...body } = item
          expect([merchant_name, provider]).toEqual(["Ada Ltd", "simulated"])
          expect(failure_reason).toBe(body.status === "failed" ? "failed" : null)
          const owner = merchant_id === m.merchant_id ? m : other
          expect(body).toEqual((yield* owner.transactions).find(({ id }) => id === body.id))
        }
        expect(whole.total).toBe(whole.items.length)
        yield* end
      })
    ))

  covers("OPERATOR-8")
  it("filter movements, alone and together, and page them with exact totals", () =>
    run(
      Effect.gen(function* () {
        const { m, other, paid, refused, theirs, open, end } = yield* atWork
        const of = (one: MerchantAtWork, input: ListMovements = {}) =>
          Effect.map(movements({ merchant_id: one.merchant_id, ...input }), ({ items, total }) => {
            expect(items.length).toBe(total)
            return stems(items)
          })
        expect((yield* of(m)).slice(0, 3)).toEqual(stemsOf(open, refused, paid))
        expect(yield* of(m, { kind: "transfer" })).toEqual(stemsOf(open, paid))
        expect(yield* of(m, { status: "processing" })).toEqual(stemsOf(open))
        expect(yield* of(m, { kind: "offramp", status: "failed" })).toEqual(stemsOf(refused))
        expect(yield* of(m, { provider: "simulated", kind: "offramp" })).toEqual(stemsOf(refused))
        expect(yield* of(m, { provider: "another" })).toEqual([])
        const customer_id = other.customer ?? ""
        expect((yield* of(other, { customer_id })).slice(0, 1)).toEqual(stemsOf(theirs))
        // A customer is enough to find its merchant. Of another merchant, it matches nothing.
        expect(stems((yield* movements({ customer_id, kind: "offramp" })).items)).toEqual(stemsOf(theirs))
        expect(yield* of(m, { customer_id })).toEqual([])
        expect((yield* movements({ customer_id: "cust_unknown", page: 2, per_page: 7 })).page).toBe(2)
        const { created_at } = yield* m.body(`txn_${paid.split("_")[1]}`)
        const at = Date.parse(created_at)
        expect(yield* of(m, { created_after: at, kind: "transfer" })).toEqual(stemsOf(open, paid))
        expect(yield* of(m, { created_before: at, kind: "transfer" })).toEqual(stemsOf(paid))

        const all = yield* movements({ per_page: 200 })
        const paged = []
        for (let page = 1; paged.length < all.total; page++) {
          const one = yield* movements({ page, per_page: 3 })
          expect(one.total).toBe(all.total)
          paged.push(...stems(one.items))
        }
        expect(paged).toEqual(stems(all.items))
        yield* end
      })
    ))

  covers("OPERATOR-9")
  it("have the customers of every merchant, by merchant, status and type", () =>
    run(
      Effect.gen(function* () {
        const [m, other] = [yield* merchantAtWork("0", "tier_0"), yield* merchantAtWork("0")]
        const ask = (input: object) => lists((s) => s.customers(input))
        const mine = yield* ask({ merchant_id: m.merchant_id })
        expect(mine.items.map(({ name, merchant_name }) => [name, merchant_name])).toEqual([
          ["Bisi", "Ada Ltd"],
          ["Ada Ltd", "Ada Ltd"]
        ])
        expect(mine.total).toBe(2)
        const one = yield* ask({ merchant_id: m.merchant_id, type: "individual" })
        expect(one.items.map(({ id }) => id)).toEqual([m.customer])
        expect(
          (yield* ask({ merchant_id: m.merchant_id, kyc_status: "approved" })).items.map(({ type }) => type)
        ).toEqual(["business"])
        const both = (yield* ask({ per_page: 200 })).items.map(({ merchant_id }) => merchant_id)
        expect(both).toEqual(expect.arrayContaining([m.merchant_id, other.merchant_id]))
        expect((yield* ask({ merchant_id: "mer_unknown" })).total).toBe(0)
      })
    ))

  covers("LEDGER-3")
  it("have the accounts of the ledger, which sum to the trial balance", () =>
    run(
      Effect.gen(function* () {
        const { m, end } = yield* atWork
        const ask = (input: object) => lists((s) => s.accounts({ per_page: 200, ...input }))
        const account = `available:${m.wallet.id}`
        const { items } = yield* ask({ class: "available", currency: "USDC" })
        expect(items.filter((one) => one.account === account)).toEqual([
          {
            account,
            class: "available",
            merchant_id: m.merchant_id,
            currency: "USDC",
            balance: (yield* m.balance).available
          }
        ])
        expect((yield* ask({ class: "available", currency: "NGN" })).items).toEqual([])
        const whole = yield* ask({})
        expect(whole.total).toBe(whole.items.length)
        const { classes } = yield* LedgerReports.use((s) => s.trialBalance)
        for (const one of classes) {
          const sum = whole.items
            .filter((line) => line.class === one.class && line.currency === one.currency)
            .reduce((total, { balance }) => total + BigInt(balance.replace(".", "")), 0n)
          expect([one.class, one.currency, sum]).toEqual([
            one.class,
            one.currency,
            BigInt(one.balance.replace(".", ""))
          ])
        }
        yield* end
      })
    ))
})
