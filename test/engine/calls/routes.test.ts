/** Which offers serve a request at their bounds, and which routes are paused. */
import { Clock, Effect } from "effect"
import { assert, describe, it } from "vitest"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import type { Offer, PayoutRecipient, Provider } from "../../../src/engine/ports/Provider.ts"
import { findLowestCost, type RouteRequest } from "../../../src/engine/ports/Routing.ts"
import { ServiceClock } from "../../../src/engine/ports/ServiceClock.ts"
import { Routes } from "../../../src/engine/calls/Routes.ts"
import { ProviderReports } from "../../../src/engine/reports/providers.ts"
import { type CreateBrake, Brakes } from "../../../src/engine/resources/movements/brake.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const payout = (amount: string | null): RouteRequest => ({
  operation: "payout",
  merchant_id: "mer_1",
  currency: "NGN",
  country_code: null,
  network: null,
  amount
})

const offering = (bounds: Partial<Offer>): Provider["Service"] => ({
  name: "bank",
  manifest: { offers: [{ operation: "payout", currency: "NGN", ...bounds }] },
  payouts: {} as NonNullable<Provider["Service"]["payouts"]>
})

describe("an offer", () => {
  covers("ROUTE-1")
  it.each<readonly [Partial<Offer>, string | null, boolean]>([
    [{ minimum: "10" }, "10", true],
    [{ minimum: "10" }, "10.00", true],
    [{ minimum: "10" }, "10.000000000000000001", true],
    [{ minimum: "10" }, "9.999999999999999999", false],
    [{ maximum: "1000.50" }, "1000.50", true],
    [{ maximum: "1000.50" }, "1000.5", true],
    [{ maximum: "1000.50" }, "1000.499999999999999999", true],
    [{ maximum: "1000.50" }, "1000.500000000000000001", false],
    [{ minimum: "25", maximum: "25" }, "25", true],
    [{ minimum: "25", maximum: "25" }, "24.99", false],
    [{ minimum: "25", maximum: "25" }, "25.01", false],
    [{ minimum: "25", maximum: "30" }, null, true],
    [{}, "0.01", true]
  ])("with the bounds %j takes the amount %s: %s", (bounds, amount, takes) => {
    assert.strictEqual(findLowestCost(offering(bounds), payout(amount)) !== undefined, takes)
  })
})

describe("a provider that does not say whether it can pay a recipient", () => {
  covers("ROUTE-12")
  it("counts as one that can, and is asked again after ten seconds", () => {
    let asked = 0
    const serves = () => Effect.suspend(() => Effect.fail(new ProviderFault({ message: `away ${++asked}` })))
    const around = (inner: Provider["Service"]) => ({ ...inner, payouts: { ...inner.payouts!, serves } })
    return Effect.gen(function* () {
      const { requireOrderTo } = yield* Routes
      const clock = yield* ServiceClock
      const ask = requireOrderTo("beneficiary_id", payout("10"), {} as PayoutRecipient)
      assert.deepEqual(yield* ask, ["simulated"])
      const began = yield* Clock.currentTimeMillis
      for (const [ms, times] of [
        [0, 1],
        [9_000, 1],
        [10_001, 2]
      ] as const) {
        yield* clock.moveTo(began + ms)
        assert.deepEqual(yield* ask, ["simulated"])
        assert.strictEqual(asked, times, `after ${ms} ms`)
      }
    }).pipe(Effect.provide(makeSimulatedEngine({ around })), Effect.runPromise)
  })
})

describe("a route", () => {
  covers("BRAKE-1", "ROUTE-10")
  it.each<readonly [CreateBrake, string | undefined, string | undefined, "paused" | "healthy"]>([
    [{ scope: "corridor", source_currency: "USDT", destination_currency: "KES" }, "USDT", "KES", "paused"],
    [{ scope: "corridor", source_currency: "USDT", destination_currency: "KES" }, "KES", "USDT", "healthy"],
    [{ scope: "corridor", source_currency: "USDT", destination_currency: "KES" }, "USDT", "NGN", "healthy"],
    [{ scope: "corridor", source_currency: "USDT", destination_currency: "KES" }, "USDC", "KES", "healthy"],
    [{ scope: "corridor", source_currency: "USDT", destination_currency: "KES" }, "USDT", undefined, "healthy"],
    [{ scope: "corridor", source_currency: "USDT", destination_currency: "KES" }, "KES", undefined, "healthy"],
    [{ scope: "corridor", source_currency: "USDT" }, "USDT", "NGN", "paused"],
    [{ scope: "corridor", source_currency: "USDT" }, "USDC", "USDT", "healthy"],
    [{ scope: "corridor", destination_currency: "KES" }, "USDC", "KES", "paused"],
    [{ scope: "corridor", destination_currency: "KES" }, "KES", "USDC", "healthy"],
    [{ scope: "corridor", source_currency: "KES", destination_currency: "KES" }, "KES", undefined, "healthy"],
    [{ scope: "provider", provider: "simulated" }, "KES", "USDC", "paused"],
    [{ scope: "all" }, undefined, undefined, "paused"]
  ])("under the brake %j, from %s to %s, is %s", (brake, currency, destination_currency, health) =>
    Effect.gen(function* () {
      yield* merchantAtWork()
      const reports = yield* ProviderReports
      yield* (yield* Brakes).create(yield* call("mer_platform"), brake)
      const { items } = yield* reports.routes({
        operation: "payout",
        ...(currency === undefined ? {} : { currency }),
        ...(destination_currency === undefined ? {} : { destination_currency })
      })
      assert.deepEqual(
        items.map((one) => one.health),
        [health]
      )
    }).pipe(Effect.provide(makeSimulatedEngine()), Effect.runPromise)
  )

  it("of one currency, as that of a transfer, is paused by the brake from it to itself", () =>
    Effect.gen(function* () {
      yield* merchantAtWork()
      const { candidates } = yield* Routes
      const brake = { scope: "corridor", source_currency: "USDC", destination_currency: "USDC" } as const
      yield* (yield* Brakes).create(yield* call("mer_platform"), brake)
      const healthOf = (currency: string) =>
        Effect.map(candidates({ ...payout(null), currency }), ([first]) => first?.health)
      assert.deepEqual([yield* healthOf("USDC"), yield* healthOf("USDT")], ["paused", "healthy"])
    }).pipe(Effect.provide(makeSimulatedEngine()), Effect.runPromise))

  it("of a merchant is paused by the brake of that merchant alone", () =>
    Effect.gen(function* () {
      const { caller } = yield* merchantAtWork()
      const other = yield* merchantAtWork()
      const reports = yield* ProviderReports
      yield* (yield* Brakes).create(yield* call("mer_platform"), { scope: "merchant", merchant_id: caller.merchant_id })
      const healthOf = (merchant_id: string) =>
        Effect.map(reports.routes({ operation: "payout", merchant_id }), ({ items }) => items[0]?.health)
      assert.deepEqual(
        [yield* healthOf(caller.merchant_id), yield* healthOf(other.caller.merchant_id)],
        ["paused", "healthy"]
      )
    }).pipe(Effect.provide(makeSimulatedEngine()), Effect.runPromise))
})
