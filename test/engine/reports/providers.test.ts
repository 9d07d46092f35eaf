/** What the operator sees of the configured providers. */
import { Effect } from "effect"
import { assert, describe, it } from "vitest"
import { ProviderHealth } from "../../../src/engine/calls/Routes.ts"
import { ProviderFault } from "../../../src/engine/ports/errors.ts"
import type { Provider, StatementLine } from "../../../src/engine/ports/Provider.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { ProviderReports } from "../../../src/engine/reports/providers.ts"
import { Brakes, type CreateBrake } from "../../../src/engine/resources/movements/brake.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const line = (n: number): StatementLine => ({
  id: `line_${n}`,
  booked_at: n * 1000,
  direction: "debit",
  amount: `${n}.03`,
  currency: "NGN",
  command_id: `ofr_${n}.payout`,
  payin_id: null,
  provider_reference: null,
  transaction_hash: null,
  narration: null
})

const seen = <A, E>(effect: Effect.Effect<A, E, any>, around?: (inner: Provider["Service"]) => Provider["Service"]) =>
  Effect.runPromise(
    Effect.provide(effect, makeSimulatedEngine(around === undefined ? {} : { around })) as Effect.Effect<A, E>
  )

describe("the operator's list of providers", () => {
  it("says what each serves, and whether it answers", () =>
    seen(
      Effect.gen(function* () {
        const reports = yield* ProviderReports
        const health = yield* ProviderHealth
        const before = yield* reports.list({})
        assert.strictEqual(before.total, 1)
        assert.deepInclude(before.items[0], { name: "simulated", simulated: true, health: "healthy", paused: false })
        assert.include(
          before.items[0]!.offers.map(({ operation }) => operation),
          "payout"
        )
        for (let n = 0; n < 10; n++) yield* health.observe("simulated", false)
        assert.strictEqual((yield* reports.list({})).items[0]!.health, "failing")
        assert.deepEqual((yield* reports.list({ page: 2, per_page: 1 })).items, [])
      })
    ))

  it("says that a provider is paused by a brake on it or on everything, not by one on another, and until it is released", () =>
    seen(
      Effect.gen(function* () {
        const reports = yield* ProviderReports
        const brakes = yield* Brakes
        const operator = yield* call(PLATFORM_MERCHANT)
        const paused = Effect.map(reports.list({}), ({ items }) => items.map((one) => one.paused))
        const during = Effect.fnUntraced(function* (input: CreateBrake) {
          const { id } = yield* brakes.create(operator, input)
          const found = yield* paused
          yield* brakes.release(operator, id, { note: "over" })
          return [...found, ...(yield* paused)]
        })
        const note = "maintenance"
        assert.deepEqual(yield* during({ scope: "all", note }), [true, false])
        assert.deepEqual(yield* during({ scope: "provider", provider: "simulated", note }), [true, false])
        const m = yield* merchantAtWork("0")
        assert.deepEqual(yield* during({ scope: "merchant", merchant_id: m.merchant_id, note }), [false, false])
      })
    ))

  it("says how it hears of events: by callbacks, by reading, or not at all", async () => {
    const decode = () => Effect.succeed([])
    const after = () => Effect.succeed({ events: [], cursor: null })
    const waysOf = (events: object | undefined) =>
      seen(
        Effect.map(
          Effect.flatMap(ProviderReports, (reports) => reports.list({})),
          ({ items }) => [items[0]!.events.callbacks, items[0]!.events.readable]
        ),
        ({ events: _, ...inner }) =>
          (events === undefined ? inner : { ...inner, events }) as unknown as Provider["Service"]
      )
    assert.deepEqual(await waysOf({ decode }), [true, false])
    assert.deepEqual(await waysOf({ after }), [false, true])
    assert.deepEqual(await waysOf({ decode, after }), [true, true])
    assert.deepEqual(await waysOf(undefined), [false, false])
  })

  covers("ROUTE-10")
  it("says who would serve a request, in what order and why, and who does not", () =>
    seen(
      Effect.gen(function* () {
        const reports = yield* ProviderReports
        const health = yield* ProviderHealth
        const asked = { operation: "payout", currency: "NGN", amount: "1000" } as const
        const simulated = {
          provider: "simulated",
          priority: 0,
          cost: "15.000000000000000000",
          health: "healthy"
        } as const
        assert.deepEqual((yield* reports.routes(asked)).items, [simulated])
        assert.deepEqual((yield* reports.routes({ ...asked, amount: "5" })).items, [])
        assert.deepEqual((yield* reports.routes({ ...asked, operation: "conversion" })).items, [])
        for (let n = 0; n < 10; n++) yield* health.observe("simulated", false)
        assert.deepEqual((yield* reports.routes(asked)).items, [{ ...simulated, health: "failing" }])
        const [listed] = (yield* reports.list({})).items
        assert.deepInclude(listed, { priority: 0 })
        assert.deepInclude(listed!.offers[0], { minimum: "10", cost: { fixed: "10", share: "0.005" } })
      }),
      (inner) => ({
        ...inner,
        manifest: {
          offers: [{ operation: "payout", currency: "NGN", minimum: "10", cost: { fixed: "10", share: "0.005" } }]
        }
      })
    ))

  it("shows balances and statement lines as the provider has them, and reads on after a cursor", () =>
    seen(
      Effect.gen(function* () {
        const reports = yield* ProviderReports
        yield* merchantAtWork("0")
        const { balances } = yield* reports.balances("simulated")
        assert.deepEqual(balances, [{ currency: "NGN", network: null, available: "100.03", pending: "0" }])
        const first = yield* reports.statement("simulated", {})
        const second = yield* reports.statement("simulated", { after: first.cursor })
        assert.deepEqual(
          [...first.lines, ...second.lines].map(({ amount, booked_at, id }) => [id, amount, booked_at]),
          [
            ["line_1", "1.03", "1970-01-01T00:00:01.000Z"],
            ["line_2", "2.03", "1970-01-01T00:00:02.000Z"]
          ]
        )
      }),
      (inner) => ({
        ...inner,
        statements: {
          balances: Effect.succeed([{ currency: "NGN", network: null, available: "100.03", pending: "0" }]),
          lines: (after) =>
            Effect.succeed(after === null ? { lines: [line(1)], cursor: "1" } : { lines: [line(2)], cursor: "2" })
        }
      })
    ))

  it("refuses an unknown provider, one that reports nothing, and one that does not respond, each by its code", () =>
    seen(
      Effect.gen(function* () {
        const reports = yield* ProviderReports
        const codes = yield* Effect.forEach(["nobody", "simulated"], (name) => Effect.flip(reports.balances(name)))
        assert.deepEqual(
          codes.map(({ _tag }) => _tag),
          ["NotFound", "InvalidInput"]
        )
      }),
      ({ statements: _, ...inner }) => inner
    ).then(() =>
      seen(
        Effect.gen(function* () {
          const reports = yield* ProviderReports
          const away = yield* Effect.flip(reports.statement("simulated", {}))
          assert.strictEqual(away._tag, "ExternalServiceUnavailable")
        }),
        (inner) => {
          const fault = Effect.fail(new ProviderFault({ message: "no answer" }))
          return { ...inner, statements: { balances: fault, lines: () => fault } }
        }
      )
    ))
})
