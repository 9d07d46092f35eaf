/** Statistics of movements, on every store (STATS-1 to STATS-5). */
import { Clock, Effect, Schema } from "effect"
import { assert, expect, it } from "vitest"
import { MovementTotals } from "../../../src/engine/reports/movement-totals.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { AllStatistics, Statistics } from "../../../src/engine/reports/statistics.ts"
import { onEveryStore } from "../../support/engines/every-store.ts"
import { openWay, ways } from "../../support/merchants/credentials.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

type Input = { readonly by?: string; readonly currency?: string; readonly from?: number; readonly to?: number }

const own = (m: MerchantAtWork, input: Input = {}) => Statistics.use((s) => s.own(m.merchant_id, input))
const rowsOf = (m: MerchantAtWork, by?: string) =>
  Effect.map(own(m, by === undefined ? {} : { by }), ({ rows }) => rows)

const none = {
  count: 0,
  succeeded: 0,
  failed: 0,
  open: 0,
  success_share: null,
  volume: [],
  revenue: [],
  seconds_to_success: null
}

onEveryStore("statistics", (run) => {
  covers("STATS-2")
  it("order the durations, whichever movement came first", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const made = yield* Effect.forEach([1, 2, 3], () => m.transfer("10"))
        const [first, second] = made
        yield* m.settle
        // The first is the slowest and the second the fastest, in the order in which they are counted.
        const third = made[2]!
        const longest = 4000
        yield* m.says(second!.id, "success")
        yield* m.advance(500)
        yield* m.says(third.id, "success")
        yield* m.advance(longest - 500)
        yield* m.says(first!.id, "success")
        const row = (yield* rowsOf(m, "operation")).find(({ operation }) => operation === "transfer")
        const { p50, p95 } = row!.seconds_to_success!
        expect(p50).toBeGreaterThanOrEqual(500)
        expect(p50).toBeLessThan(1000)
        expect(p95).toBeGreaterThanOrEqual(longest)
      })
    ))

  covers("STATS-1")
  it("by a currency on either side, have the rows of its corridors alone, told apart or not", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("1000")
        const made = [yield* m.transfer("10"), yield* m.offramp("20"), yield* m.offramp("30")]
        yield* m.settle
        for (const { id } of made) yield* m.says(id, "success")
        const all = (yield* own(m, { by: "corridor" })).rows
        for (const currency of ["USDC", "NGN", "ngn", "USD"]) {
          const wanted = all.filter(({ corridor = "" }) => corridor.split("-").includes(currency))
          expect((yield* own(m, { by: "corridor", currency })).rows, currency).toEqual(wanted)
          const [one] = (yield* own(m, { currency })).rows
          expect(one!.count).toBe(wanted.reduce((sum, { count }) => sum + count, 0))
        }
        expect((yield* own(m, { currency: "NGN" })).rows[0]).toMatchObject({ count: 2, succeeded: 2 })
      })
    ))

  covers("STATS-1", "STATS-2")
  it("count a movement once, as what it is now, with what it moved and how long it took", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        expect(yield* rowsOf(m)).toEqual([none])
        yield* m.deposit({ amount: "1000" })
        const deposited = { count: 1, succeeded: 1, volume: [{ currency: "USDC", amount: "1000.00" }] }
        expect((yield* rowsOf(m, "operation"))[0]).toMatchObject({ operation: "deposit", ...deposited })
        const transfer = yield* m.transfer("10")
        const refused = yield* m.transfer("20")
        const offramp = yield* m.offramp("30")
        const ofTransfers = Effect.map(rowsOf(m, "operation"), (rows) =>
          rows.find((row) => row.operation === "transfer")
        )
        expect(yield* ofTransfers).toEqual({ ...none, operation: "transfer", count: 2, open: 2 })
        yield* m.settle
        yield* m.advance(95)
        yield* m.says(transfer.id, "success")
        yield* m.says(refused.id, "failed")
        // The clock moves by the time that the calls take, too.
        const took = (yield* ofTransfers)?.seconds_to_success?.p50 ?? 0
        expect(took).toBeGreaterThanOrEqual(95)
        expect(took).toBeLessThan(125)
        expect(yield* ofTransfers).toEqual({
          operation: "transfer",
          count: 2,
          succeeded: 1,
          failed: 1,
          open: 0,
          success_share: "0.5000",
          volume: [{ currency: "USDC", amount: "10.00" }],
          revenue: [],
          seconds_to_success: { p50: took, p95: took }
        })
        // A payout that comes back after it succeeded is counted once, and its volume and duration are gone.
        const ofOfframps = Effect.map(rowsOf(m, "operation,failure_reason"), (rows) =>
          rows.filter((row) => row.operation === "offramp")
        )
        yield* m.says(offramp.id, "success")
        expect(yield* ofOfframps).toMatchObject([
          {
            failure_reason: null,
            count: 1,
            succeeded: 1,
            volume: [{ amount: "30.00" }],
            seconds_to_success: { p50: expect.closeTo(took, -2) }
          }
        ])
        yield* m.says(offramp.id, "returned")
        expect(yield* ofOfframps).toEqual([
          { ...none, operation: "offramp", failure_reason: "returned", count: 1, failed: 1, success_share: "0.0000" }
        ])
        // Its reversal is a deposit that the platform makes.
        expect((yield* rowsOf(m, "operation"))[0]).toMatchObject({ operation: "deposit", ...deposited })
      })
    ))

  covers("STATS-1", "STATS-2", "AUTOCONVERT-9")
  it("count a deposit that is converted as open until it has arrived, and then as succeeded", () =>
    run(
      Effect.gen(function* () {
        const way = ways[1]!
        const m = yield* openWay(way)
        const ofDeposits = Effect.map(
          Statistics.use((s) => s.own(m.merchant_id, { by: "operation" })),
          ({ rows }) => rows.find(({ operation }) => operation === "deposit")
        )
        const payin = { payin_id: `payin_stats_${m.merchant_id}` }
        yield* m.pay(["detected"], payin)
        expect(yield* ofDeposits).toEqual({ ...none, operation: "deposit", count: 1, open: 1 })
        yield* m.pay(["confirmed"], payin)
        const arrived = {
          count: 1,
          succeeded: 1,
          open: 0,
          success_share: "1.0000",
          volume: [{ currency: way.currency, amount: way.amount }]
        }
        expect(yield* ofDeposits).toMatchObject(arrived)
        // What becomes of it is its conversion's.
        yield* m.finish
        expect(yield* ofDeposits).toMatchObject(arrived)
        yield* m.pay(["detected", "failed"])
        expect(yield* ofDeposits).toMatchObject({ count: 2, succeeded: 1, failed: 1, open: 0 })
      })
    ))

  covers("FEE-6", "TRANSACTION-12")
  it("have the fees that a movement shows, also where its provider delivers less than its fee", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantCollecting
        const { id } = yield* m.onramp()
        yield* m.pays(id, "150000")
        yield* m.settle
        yield* m.says(id, "success", { amount: "0.04" })
        const { fee, received_amount, status } = yield* m.collected(id)
        assert.deepEqual([status, received_amount, fee.line_items.at(-1)?.amount], ["success", "0.00", "0.04"])
        const [totals] = (yield* MovementTotals.use((s) => s.own(m.caller, {}))).rows
        const [row] = (yield* Statistics.use((s) => s.own(m.merchant_id, {}))).rows
        assert.deepEqual(totals!.fees, row!.revenue)
        assert.includeDeepMembers([...row!.revenue], [{ currency: "USDC", amount: "0.04" }])
      })
    ))

  covers("STATS-3")
  it("name a reason as an operator wrote it, whatever it contains", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0", "tier_0")
        const deposits = yield* Deposits
        const reasons = ["unclear | no papers", "unclear _ no papers"]
        for (const reason of reasons) {
          const { transaction_id } = yield* m.deposit({ wallet_id: m.wallet.id, amount: "2000" })
          yield* deposits.reject(m.operator, transaction_id!, reason)
          yield* m.settle
        }
        const rows = yield* rowsOf(m, "failure_reason")
        expect(rows.map(({ failed, failure_reason }) => [failure_reason, failed])).toEqual(
          reasons.toSorted().map((reason) => [reason, 1])
        )
      })
    ))

  covers("STATS-3")
  it("separate rows by what is asked for, alone and together", () =>
    run(
      Effect.gen(function* () {
        const [m, other] = [yield* merchantAtWork(), yield* merchantAtWork("500")]
        const paid = yield* m.transfer("10")
        const payout = yield* m.offramp("20")
        const theirs = yield* other.transfer("5")
        yield* m.settle
        yield* other.settle
        yield* m.says(paid.id, "success")
        yield* m.says(payout.id, "failed")
        const counted = (by: string) =>
          Effect.map(rowsOf(m, by), (rows) =>
            rows.map(({ at, corridor, count, failure_reason, operation }) =>
              [at, operation, corridor, failure_reason, count].filter((cell) => cell !== undefined)
            )
          )
        expect(yield* counted("corridor")).toEqual([
          ["USDC-NGN", 1],
          ["USDC-USDC", 2]
        ])
        const hidden = yield* Effect.flip(own(m, { by: "provider" }))
        expect(hidden.message).toContain(
          `by has "provider". It takes one of hour, day and month, and any of operation,`
        )
        expect(yield* counted("failure_reason")).toEqual([
          ["failed", 1],
          [null, 2]
        ])
        expect(yield* counted("corridor,operation")).toEqual([
          ["deposit", "USDC-USDC", 1],
          ["offramp", "USDC-NGN", 1],
          ["transfer", "USDC-USDC", 1]
        ])
        const now = yield* Clock.currentTimeMillis
        const day = new Date(Math.floor(now / 86_400_000) * 86_400_000).toISOString()
        const hour = new Date(Math.floor(now / 3_600_000) * 3_600_000).toISOString()
        expect(yield* counted("day")).toEqual([[day, 3]])
        expect(yield* counted("hour, operation")).toEqual(
          ["deposit", "offramp", "transfer"].map((operation) => [hour, operation, 1])
        )
        const all = (input: Input & { readonly merchant_id?: string }) => Statistics.use((s) => s.all(input))
        const { rows } = yield* all({ by: "merchant" })
        const mine = rows.filter(({ merchant_id }) => [m.merchant_id, other.merchant_id].includes(merchant_id ?? ""))
        expect(mine.map(({ count, merchant_id }) => [merchant_id, count])).toEqual(
          [
            [m.merchant_id, 3],
            [other.merchant_id, 2]
          ].toSorted()
        )
        const served = yield* all({ by: "provider", merchant_id: m.merchant_id })
        expect(served.rows.map(({ count, provider }) => [provider, count])).toEqual([["simulated", 3]])
        const [total] = (yield* all({})).rows
        expect(total!.count).toBe(rows.reduce((sum, { count }) => sum + count, 0))
        expect((yield* all({ merchant_id: other.merchant_id })).rows).toEqual(yield* rowsOf(other))
        yield* other.says(theirs.id, "success")
      })
    ))

  covers("STATS-4")
  it("are of the movements that were created in a span of full hours", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork()
        const start = yield* Clock.currentTimeMillis
        const hour = 3_600_000
        const ids = []
        for (const _ of [1, 2, 3]) {
          ids.push((yield* m.transfer("1")).id)
          yield* m.advance(3600)
        }
        const first = Math.floor(start / hour) * hour
        const transfers = (input: Input) =>
          Effect.map(own(m, { by: "operation", ...input }), ({ from, rows, to }) => [
            (Date.parse(from) - first) / hour,
            (Date.parse(to) - first) / hour,
            rows.find(({ operation }) => operation === "transfer")?.count ?? 0
          ])
        expect(yield* transfers({ from: start, to: start + 1 })).toEqual([0, 1, 1])
        expect(yield* transfers({ from: first + hour, to: first + 2 * hour })).toEqual([1, 2, 1])
        expect(yield* transfers({ from: first + hour, to: first + 2 * hour + 1 })).toEqual([1, 3, 2])
        expect(yield* transfers({ from: first + 3 * hour, to: first + 9 * hour })).toEqual([3, 9, 0])
        expect((yield* transfers({}))[2]).toBe(3)
        yield* m.advance(23 * 3600)
        expect((yield* transfers({ by: "operation,hour" }))[2]).toBeLessThan(3)
        expect((yield* transfers({}))[2]).toBe(3)
        yield* m.advance(8 * 86_400)
        expect((yield* transfers({}))[2]).toBe(0)
        yield* m.settle
        for (const id of ids) yield* m.says(id, "success")
      })
    ))

  // A store keeps the sums over all merchants under the empty id.
  it("of a merchant are asked for by its id", () => {
    const isTaken = (merchant_id: string) => Schema.decodeUnknownResult(AllStatistics)({ merchant_id })._tag
    expect(["", "mer_1"].map(isTaken)).toEqual(["Failure", "Success"])
  })

  covers("STATS-5")
  it("refuse what they cannot answer, and name it", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchantAtWork("0")
        const now = yield* Clock.currentTimeMillis
        const day = 86_400_000
        const cases: ReadonlyArray<readonly [Input, string | ReadonlyArray<string>, RegExp]> = [
          [{ by: "week" }, "by", /has "week"\. It takes one of hour, day and month/],
          [{ by: "day,hour" }, "by", /both hour and day/],
          [{ by: "month,day" }, "by", /both day and month/],
          [{ by: "day,day" }, "by", /day twice/],
          [{ by: "operation," }, "by", /has ""/],
          [{ by: "merchant" }, "by", /has "merchant"/],
          [{ from: now, to: now }, ["from", "to"], /before/],
          [{ from: now + 60_000 }, "from", /from takes a time that has passed/],
          [{ from: now - 32 * day, by: "hour" }, "from", /31 days by hour/],
          [{ from: now - 402 * day }, "from", /400 days/]
        ]
        for (const [input, field, message] of cases) {
          const refusal = yield* Effect.flip(own(m, input))
          expect([refusal._tag, refusal.message]).toEqual(["InvalidInput", expect.stringMatching(message)])
          const { errors } = refusal as { readonly errors?: ReadonlyArray<{ readonly field: string }> }
          expect(errors?.map((one) => one.field)).toEqual([field].flat())
        }
        // The longest spans, also where they do not begin with an hour.
        const to = Math.floor(now / 3_600_000) * 3_600_000 - day + 1
        for (const [days, by] of [
          [400, "day"],
          [31, "hour"]
        ] as const) {
          expect((yield* own(m, { from: to - days * day, to, by })).rows).toEqual([])
          const { message } = yield* Effect.flip(own(m, { from: to - days * day - 1, to, by }))
          expect(message).toContain(`A report has at most ${days} days`)
        }
      })
    ))
})
