/** Movements by currency, amount and failure reason, and what they come to, on every store (TRANSACTION-11, TRANSACTION-12). */
import assert from "node:assert/strict"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { MovementTotals } from "../../../src/engine/reports/movement-totals.ts"
import { findFaults } from "../../../src/engine/input/validation.ts"
import { ListMovements, OperatorLists } from "../../../src/engine/reports/operator-lists.ts"
import { Searches } from "../../../src/engine/reports/search.ts"
import { Statistics } from "../../../src/engine/reports/statistics.ts"
import { ListTransactions, Transactions } from "../../../src/engine/reports/transaction.ts"
import type { TotalBody } from "../../../src/engine/representations/movements/totals.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Reindexing } from "../../../src/engine/work/upkeep/Reindexing.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { openWay, ways } from "../../support/merchants/credentials.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { onrampsOf } from "../../support/merchants/ramps.ts"
import { covers } from "../../support/repository/covers.ts"

const stems = (ids: ReadonlyArray<string>) => ids.map((id) => id.split("_")[1])

/** A merchant that was paid 1,000 USDC, has paid a transfer of 10 and an offramp of 20, and whose offramp of 30 failed. */
const atWork = Effect.gen(function* () {
  const m = yield* merchantAtWork()
  const transfer = (yield* m.transfer("10")).id
  const paid = (yield* m.offramp("20")).id
  const failed = (yield* m.offramp("30")).id
  yield* m.settle
  yield* m.says(transfer, "success")
  yield* m.says(paid, "success")
  yield* m.says(failed, "failed")
  return { m, transfer, paid, failed }
})

/** What both lists have with these filters, each with an exact total, as stems of ids. */
const listed = Effect.fnUntraced(function* (m: MerchantAtWork, filters: object) {
  const own = yield* Transactions.use((s) => s.list(m.caller, filters))
  const all = yield* OperatorLists.use((s) => s.movements({ merchant_id: m.merchant_id, ...filters }))
  for (const { items, total } of [own, all]) assert.strictEqual(total, items.length)
  const found = stems(own.items.map(({ id }) => id))
  assert.deepStrictEqual(stems(all.items.map(({ id }) => id)), found)
  return found.toSorted()
})

const sorted = (...ids: ReadonlyArray<string>) => stems(ids).toSorted()

const sumOf = (rows: ReadonlyArray<TotalBody>, name: "sent" | "received" | "fees", currency: string) =>
  rows
    .flatMap((row) => row[name])
    .filter((one) => one.currency === currency)
    .reduce((sum, { amount }) => sum + Math.round(Number(amount) * 100), 0)

onEveryStore("movements by what they come to", (run) => {
  covers("TRANSACTION-11")
  it("are listed by a currency of either side, by an amount in it, and by why they failed", () =>
    run(
      Effect.gen(function* () {
        const { m, transfer, paid, failed } = yield* atWork
        const ngn = yield* listed(m, { currency: "NGN" })
        expect(ngn).toEqual(sorted(paid, failed))
        expect((yield* listed(m, { currency: "USDC" })).length).toBe(4)
        expect(yield* listed(m, { currency: "KES" })).toEqual([])
        expect(yield* listed(m, { failure_reason: "failed" })).toEqual(sorted(failed))
        expect(yield* listed(m, { failure_reason: "quote_expired" })).toEqual([])
        expect(yield* listed(m, { currency: "USDC", min_amount: "10", max_amount: "20.00" })).toEqual(
          sorted(transfer, paid)
        )
        expect(yield* listed(m, { currency: "USDC", max_amount: "9.999999" })).toEqual([])
        expect(
          yield* listed(m, { currency: "USDC", min_amount: "30.000001" }).pipe(Effect.map(({ length }) => length))
        ).toBe(1)
        // What a recipient receives is in the other currency.
        const { received_amount } = (yield* m.transactions).find(({ source_id }) => source_id === paid)!
        expect(yield* listed(m, { currency: "NGN", max_amount: received_amount! })).toEqual(sorted(paid))
      })
    ))

  covers("TRANSACTION-11")
  it("page through a range of amounts with an exact total, newest first", () =>
    run(
      Effect.gen(function* () {
        const { m, transfer, paid, failed } = yield* atWork
        const page = (number: number) =>
          Transactions.use((s) => s.list(m.caller, { currency: "USDC", max_amount: "30", page: number, per_page: 2 }))
        const [first, second] = [yield* page(1), yield* page(2)]
        expect([first.total, second.total]).toEqual([3, 3])
        const whole = (yield* m.transactions).filter(({ type }) => type !== "deposit").map(({ id }) => id)
        expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(whole)
        expect(stems(whole).toSorted()).toEqual(sorted(transfer, paid, failed))
      })
    ))

  covers("TRANSACTION-11", "TRANSACTION-12")
  it("are refused a bound without a currency, a range that begins above its end, and an unknown part", () =>
    run(
      Effect.gen(function* () {
        const { m } = yield* atWork
        const refused = (filters: object) =>
          Effect.map(Effect.flip(Transactions.use((s) => s.list(m.caller, filters))), (e) => [
            e._tag,
            "errors" in e && e.errors?.[0]?.field
          ])
        expect(yield* refused({ max_amount: "5" })).toEqual(["InvalidInput", "max_amount"])
        expect(yield* refused({ currency: "USDC", min_amount: "6", max_amount: "5" })).toEqual([
          "InvalidInput",
          "min_amount"
        ])
        for (const by of ["provider", "type,type", "day"]) {
          const error = yield* Effect.flip(MovementTotals.use((s) => s.own(m.caller, { by })))
          expect(error._tag).toBe("InvalidInput")
        }
      })
    ))

  covers("TRANSACTION-12")
  it("are counted as their list has them, and the rows of every part add up", () =>
    run(
      Effect.gen(function* () {
        const { m } = yield* atWork
        for (const filters of [
          {},
          { currency: "NGN" },
          { currency: "USDC", min_amount: "20" },
          { status: "failed" as const }
        ]) {
          const { total } = yield* Transactions.use((s) => s.list(m.caller, filters))
          const own = yield* MovementTotals.use((s) => s.own(m.caller, filters))
          const all = yield* MovementTotals.use((s) => s.all({ merchant_id: m.merchant_id, ...filters }))
          expect(own).toEqual(all)
          const [whole] = own.rows
          expect(whole!.count).toBe(total)
          for (const by of [
            "type",
            "status",
            "recipient",
            "failure_reason",
            "provider",
            "merchant",
            "type,recipient,merchant"
          ]) {
            const { rows } = yield* MovementTotals.use((s) => s.all({ merchant_id: m.merchant_id, by, ...filters }))
            for (const name of ["count", "succeeded", "failed", "open"] as const)
              expect(rows.reduce((sum, row) => sum + row[name], 0)).toBe(whole![name])
            for (const name of ["sent", "received", "fees"] as const)
              for (const currency of ["USDC", "NGN"])
                expect(sumOf(rows, name, currency)).toBe(sumOf([whole!], name, currency))
          }
        }
        const payouts = yield* MovementTotals.use((s) => s.own(m.caller, { type: "offramp", by: "failure_reason" }))
        const one = (yield* m.transactions).find(({ status, type }) => type === "offramp" && status === "success")!
        expect(payouts.rows.map(({ count, failure_reason, sent }) => [failure_reason, count, sent])).toEqual(
          expect.arrayContaining([
            [null, 1, [{ currency: "USDC", amount: "20.00" }]],
            ["failed", 1, []]
          ])
        )
        const done = payouts.rows.find(({ failure_reason }) => failure_reason === null)!
        expect(done.received).toEqual([{ currency: "NGN", amount: one.received_amount }])
        expect(done.fees).toEqual(
          one.fee.line_items
            .map(({ amount, currency }) => ({ currency, amount }))
            .toSorted((a, b) => (a.currency < b.currency ? -1 : 1))
        )
        const { rows } = yield* MovementTotals.use((s) => s.all({ merchant_id: m.merchant_id, by: "merchant" }))
        expect(rows.map(({ merchant_name }) => merchant_name)).toEqual(["Ada Ltd"])
      })
    ))

  covers("TRANSACTION-11")
  it("of earlier releases are found once they have been indexed again", () =>
    run(
      Effect.gen(function* () {
        const { m, paid, failed } = yield* atWork
        const storage = yield* Storage
        const rows = yield* storage.get(
          [paid, failed].map((id) => ({ merchant_id: m.merchant_id, kind: "offramp", id }))
        )
        yield* storage.reindex(
          rows.map(({ id, index_keys, kind, merchant_id, version }) => ({
            ...{ id, kind, merchant_id, version },
            index_keys: index_keys.filter((key) => !/^(?:currency|failure_reason)=/.test(key))
          }))
        )
        // The release before this one had indexed all of its rows.
        yield* storage.assign("index_keys", "0")
        expect(yield* listed(m, { currency: "NGN" })).toEqual([])
        yield* Effect.gen(function* () {
          const { next } = yield* Reindexing
          while (yield* next);
        }).pipe(Effect.provide(Layer.fresh(Reindexing.layer)))
        expect(yield* listed(m, { currency: "NGN" })).toEqual(sorted(paid, failed))
        expect(yield* listed(m, { failure_reason: "failed" })).toEqual(sorted(failed))
      })
    ))

  covers("TRANSACTION-11", "TRANSACTION-12", "SEARCH-2")
  it("come to what was paid, where an onramp was paid with another amount than was quoted", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const ramps = yield* onrampsOf(m)
        const { id } = yield* ramps.onramp()
        yield* ramps.pays(id, "300000", { payin_id: `payin_${id}` })
        yield* m.settle
        yield* m.says(id, "success")
        expect(yield* listed(m, { currency: "NGN", min_amount: "200000" })).toEqual(sorted(id))
        expect(yield* listed(m, { currency: "NGN", max_amount: "200000" })).toEqual([])
        const [shown] = yield* m.transactions
        const [total] = (yield* MovementTotals.use((s) => s.own(m.caller, {}))).rows
        expect(total!.sent).toEqual([{ currency: "NGN", amount: "300000.00" }])
        expect(total!.received).toEqual([{ currency: "USDC", amount: shown!.received_amount }])
        expect(shown!.source_amount).toBe("150000.00")
        for (const q of ["300000 NGN", "150000 NGN", `${shown!.received_amount} USDC`]) {
          const { items } = yield* Searches.use((s) => s.own(m.caller, { q }))
          expect(items.map((one) => [one.id, one.amount])).toEqual([[id, "300000.00"]])
        }
      })
    ))

  covers("TRANSACTION-12", "STATS-2")
  it("are counted and summed as statistics do, whatever they are and however they ended", () =>
    run(
      Effect.gen(function* () {
        const agree = Effect.fnUntraced(function* (m: MerchantAtWork) {
          const totals = yield* MovementTotals.use((s) => s.own(m.caller, { by: "type" }))
          const statistics = yield* Statistics.use((s) => s.own(m.merchant_id, { by: "operation" }))
          const order = (a: { readonly of: string }, b: { readonly of: string }) => (a.of < b.of ? -1 : 1)
          const counted = totals.rows
            .map(({ count, failed, fees, open, sent, succeeded, type = "" }) => ({
              ...{ of: type, count, succeeded, failed, open, volume: sent },
              revenue: fees.filter(({ amount }) => Number(amount) > 0)
            }))
            .toSorted(order)
          expect(counted).toEqual(
            statistics.rows
              .map(({ count, failed, open, operation: of = "", revenue, succeeded, volume }) => ({
                ...{ of, count, succeeded, failed, open, volume, revenue }
              }))
              .toSorted(order)
          )
          return counted
        })
        const m = yield* merchantAtWork()
        const ramps = yield* onrampsOf(m)
        const [more, less, unpaid] = [yield* ramps.onramp(), yield* ramps.onramp(), yield* ramps.onramp()]
        yield* ramps.pays(more.id, "300000", { payin_id: `payin_${more.id}` })
        yield* ramps.pays(less.id, "90", { payin_id: `payin_${less.id}` })
        const [returned, failed] = [yield* m.offramp("20"), yield* m.offramp("30")]
        const paid = (yield* m.transfer("10")).id
        yield* m.settle
        yield* m.says(paid, "success")
        yield* m.says(more.id, "success")
        yield* m.says(returned.id, "success")
        yield* m.says(failed.id, "failed")
        yield* agree(m)
        // The refund of what was returned is money that comes back, and no movement.
        yield* m.says(returned.id, "returned")
        const after = yield* agree(m)
        expect(after.find(({ of }) => of === "deposit")).toMatchObject({ count: 1, succeeded: 1 })
        expect(after.find(({ of }) => of === "onramp")).toMatchObject({ count: 3, succeeded: 1 })
        expect(unpaid.status).toBe("awaiting_deposit")
        yield* m.settle
        expect((yield* agree(m)).find(({ of }) => of === "onramp")).toMatchObject({ failed: 1, open: 1 })
        // A deposit in another currency has ended when it has arrived. What is forwarded of it is no other movement.
        const way = yield* openWay(ways[0]!)
        yield* way.pay(["detected"], { payin_id: `payin_open_${way.merchant_id}` })
        expect(yield* agree(way)).toMatchObject([{ of: "deposit", open: 1 }])
        yield* way.pay(["confirmed"], { payin_id: `payin_open_${way.merchant_id}` })
        yield* agree(way)
        yield* way.finish
        const converted = yield* agree(way)
        expect(converted.find(({ of }) => of === "deposit")).toMatchObject({ count: 1, succeeded: 1, open: 0 })
        // It is received once, by its conversion.
        const [whole] = (yield* MovementTotals.use((s) => s.own(way.caller, {}))).rows
        expect(whole!.received).toEqual([{ currency: "USDC", amount: ways[0]!.becomes }])
        yield* way.pay(["confirmed"])
        yield* way.settle
        const [, second] = yield* way.conversions
        yield* way.says(second!.id, "failed")
        yield* way.advance(1)
        yield* way.forward
        expect((yield* agree(way)).find(({ of }) => of === "deposit")).toMatchObject({ count: 2, succeeded: 2 })
      })
    ))

  covers("TRANSACTION-11", "TRANSACTION-12")
  it("are listed by each failure reason of their totals, also by what an operator wrote", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0", "tier_0")
        const { transaction_id } = yield* m.deposit({ amount: "1500", payin_id: `payin_${m.merchant_id}` })
        const reason = "The sender is not the customer. ".repeat(8).slice(0, 255)
        yield* Deposits.use((s) => s.reject(m.operator, transaction_id!, reason))
        yield* m.settle
        const { rows } = yield* MovementTotals.use((s) => s.own(m.caller, { by: "failure_reason" }))
        expect(rows.map(({ failed, failure_reason }) => [failure_reason, failed])).toEqual([[reason, 1]])
        for (const fields of [ListTransactions, ListMovements])
          expect(findFaults(fields, { failure_reason: reason })).toEqual([])
        expect(yield* listed(m, { failure_reason: reason })).toEqual(sorted(transaction_id!))
      })
    ))
})
