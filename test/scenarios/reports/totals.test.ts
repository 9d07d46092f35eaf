/** Movements by currency, amount and failure reason, and what they come to, on every store (TRANSACTION-11, TRANSACTION-12). */
import assert from "node:assert/strict"
import { Effect, Layer } from "effect"
import { expect, it } from "vitest"
import { Storage } from "../../../src/engine/ports/Storage.ts"
import { MovementTotals } from "../../../src/engine/reports/movement-totals.ts"
import { OperatorLists } from "../../../src/engine/reports/operator-lists.ts"
import { Transactions } from "../../../src/engine/reports/transaction.ts"
import type { TotalBody } from "../../../src/engine/representations/movements/totals.ts"
import { Reindexing } from "../../../src/engine/work/upkeep/Reindexing.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
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
})
