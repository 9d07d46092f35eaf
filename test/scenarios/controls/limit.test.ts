/** MoneyLimits on money: what they refuse, that nobody passes them, and what they give back (LIMITS-1 to LIMITS-8). */
import assert from "node:assert/strict"
import { Clock, Effect, Layer } from "effect"
import { it } from "vitest"
import type { Call } from "../../../src/engine/commit/call.ts"
import type { InvalidInput } from "../../../src/engine/ports/errors.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { asOf } from "../../../src/engine/ports/Time.ts"
import { type CreateLimit, MoneyLimits, type UpdateLimit } from "../../../src/engine/resources/controls/limit.ts"
import { Transfers } from "../../../src/engine/resources/movements/transfer.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { call, simulatedEngine } from "../../support/engines/simulated-engine.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"

const day: CreateLimit["window"] = { calendar: "day", time_zone: "UTC" }

/** What the treasury does. */
const treasury = Effect.gen(function* () {
  const limits = yield* MoneyLimits
  const caller = yield* call(PLATFORM_MERCHANT)
  return {
    limits,
    /** A limit of 100 USDC a day on the payouts of a merchant. */
    limit: (m: MerchantAtWork, more: Partial<CreateLimit> = {}) =>
      limits.create(caller, {
        scope: "merchant",
        ...(more.scope === undefined ? { id: m.merchant_id } : {}),
        operations: ["payout"],
        window: day,
        ...(more.max_count === undefined || more.max_amount !== undefined
          ? { currency: "USDC", max_amount: "100" }
          : {}),
        ...more
      }),
    change: (id: string, input: UpdateLimit) => limits.update(caller, id, input),
    used: (id: string) =>
      Effect.map(limits.get(id), ({ body: { used_amount, used_count } }) => used_amount ?? used_count)
  }
})

/** The first fault of a refusal. */
const faultOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), (error) => {
    assert.strictEqual(error._tag, "InvalidInput", JSON.stringify(error))
    return (error as unknown as InvalidInput).errors[0]!
  })

/** How many of several attempts came to each end: `ok`, or what they were refused with. */
const ends = <A, E extends { readonly _tag: string }, R>(attempts: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.map(
    Effect.all(
      attempts.map((attempt) =>
        Effect.match(attempt, {
          onFailure: (error) => (error as unknown as Partial<InvalidInput>).errors?.[0]?.code ?? error._tag,
          onSuccess: () => "ok"
        })
      ),
      { concurrency: "unbounded" }
    ),
    (all) => {
      const counts: Record<string, number> = {}
      for (const one of all) counts[one] = (counts[one] ?? 0) + 1
      return counts
    }
  )

const times = <A>(count: number, make: (n: number) => A): ReadonlyArray<A> =>
  Array.from({ length: count }, (_, n) => make(n))

/** Another engine over the same store: each of every two calls goes to one of them. */
const twoNodes = Effect.gen(function* () {
  const storage = yield* Storage
  const other = yield* Layer.build(Layer.fresh(simulatedEngine({ storage: Layer.succeed(Storage, storage) })))
  return <A, E>(
    n: number,
    one: Effect.Effect<A, E, Transfers | MoneyLimits>
  ): Effect.Effect<A, E, Transfers | MoneyLimits> => (n % 2 === 0 ? one : Effect.provide(one, other))
})

const paying = (
  m: MerchantAtWork,
  amount: string,
  more: { readonly key_id?: string; readonly wallet_id?: string } = {}
) =>
  Transfers.use((s) =>
    s.create({ ...m.caller, key_id: more.key_id ?? null } satisfies Call, {
      wallet_id: more.wallet_id ?? m.wallet.id,
      beneficiary_id: m.beneficiary,
      amount
    })
  )

onServers("a limit", (run) => {
  covers("LIMITS-1", "LIMITS-2", "LIMITS-5")
  it("refuses what is over it, says what is used, and counts nothing of what is refused", () =>
    run(
      Effect.gen(function* () {
        const { change, limit, limits, used } = yield* treasury
        const m = yield* merchantAtWork()
        const { id, ...made } = yield* limit(m)
        assert.partialDeepStrictEqual(made, {
          scope: "merchant",
          scope_id: m.merchant_id,
          merchant_id: m.merchant_id,
          operations: ["payout"],
          currency: "USDC",
          max_amount: "100.00",
          max_count: null,
          window: { calendar: "day", time_zone: "UTC" },
          action: "refuse",
          status: "active",
          used_amount: "0.00",
          used_count: null,
          resets_at: made.resets_at
        })
        yield* m.transfer("60")
        yield* m.offramp("30")
        const fault = yield* faultOf(m.transfer("10.01"))
        assert.partialDeepStrictEqual(fault, {
          field: "amount",
          code: "limit_exceeded",
          limit_id: id,
          max: "100.00",
          used: "90.00"
        })
        const now = yield* Clock.currentTimeMillis
        assert.strictEqual(fault.resets_at, new Date((Math.floor(now / 86_400_000) + 1) * 86_400_000).toISOString())
        assert.deepEqual(yield* m.balance, { available: "910.00", reserved: "90.00", held: "0.00" })
        const quoted = yield* faultOf(m.offramp("11"))
        assert.deepEqual([quoted.field, quoted.used], ["quote_id", "90.00"])
        yield* m.transfer("10")
        assert.strictEqual(yield* used(id), "100.00")
        const own = yield* limits.listOwn(m.caller, {})
        assert.deepEqual(
          own.items.filter((one) => one.id === id).map((one) => [one.used_amount, one.resets_at]),
          [["100.00", fault.resets_at]]
        )
        yield* change(id, { max_amount: "100.5" })
        yield* m.transfer("0.5").pipe(Effect.flip)
        yield* change(id, { max_amount: "101" })
        yield* m.transfer("1")
        yield* change(id, { max_amount: "5" })
        assert.deepEqual((yield* faultOf(m.transfer("1"))).used, "101.00")
        yield* change(id, { status: "disabled" })
        yield* m.transfer("300")
        yield* change(id, { status: "active", max_amount: "102" })
        assert.strictEqual(yield* used(id), "101.00")
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  covers("LIMITS-3")
  it("of money is taken exactly by 50 callers on two nodes", () =>
    run(
      Effect.scoped(
        Effect.gen(function* () {
          const { limit, used } = yield* treasury
          const m = yield* merchantAtWork()
          const { id } = yield* limit(m)
          const on = yield* twoNodes
          assert.deepEqual(yield* ends(times(50, (n) => on(n, paying(m, "7")))), { ok: 14, limit_exceeded: 36 })
          assert.strictEqual(yield* used(id), "98.00")
          assert.deepEqual(yield* ends(times(50, (n) => on(n, paying(m, "1")))), { ok: 2, limit_exceeded: 48 })
          assert.strictEqual((yield* m.balance).reserved, "100.00")
          yield* m.advance(60)
        })
      ),
      { mode: "auto" }
    ))

  it("of a number, of each key, and of one customer is taken exactly by 50 callers on two nodes", () =>
    run(
      Effect.scoped(
        Effect.gen(function* () {
          const { change, limit, used } = yield* treasury
          const m = yield* merchantAtWork("1000", "tier_0")
          const on = yield* twoNodes
          const count = yield* limit(m, { max_count: 11 })
          assert.deepEqual(yield* ends(times(50, (n) => on(n, paying(m, "2")))), { ok: 11, limit_exceeded: 39 })
          assert.strictEqual(yield* used(count.id), 11)
          yield* change(count.id, { status: "disabled" })

          const keys = yield* limit(m, { scope: "api_key", max_amount: "20" })
          const [one, two] = [`key_${m.merchant_id.slice(4)}a`, `key_${m.merchant_id.slice(4)}b`]
          assert.deepEqual(yield* ends(times(50, (n) => on(n, paying(m, "3", { key_id: n % 4 < 2 ? one : two })))), {
            ok: 12,
            limit_exceeded: 38
          })
          yield* paying(m, "30")
          yield* change(keys.id, { status: "disabled" })

          const customer = yield* limit(m, { scope: "customer", id: m.customer!, max_amount: "50" })
          assert.deepEqual(yield* ends(times(50, (n) => on(n, paying(m, "5")))), { ok: 10, limit_exceeded: 40 })
          assert.strictEqual(yield* used(customer.id), "50.00")
          yield* m.advance(60)
        })
      ),
      { mode: "auto" }
    ))

  covers("LIMITS-6")
  it("of a day is taken exactly on both sides of midnight, when the clocks change", () =>
    run(
      Effect.scoped(
        Effect.gen(function* () {
          const { limit } = yield* treasury
          const m = yield* merchantAtWork()
          yield* limit(m, { max_amount: "40", window: { calendar: "day", time_zone: "Europe/Berlin" } })
          const on = yield* twoNodes
          // The day of 23 hours: from 23:00 UTC of the day before to 22:00 UTC.
          const at = (text: string) => (n: number) => on(n, asOf(Date.parse(text), paying(m, "4")))
          const begins = [
            at("2026-03-28T22:59:59.900Z"),
            at("2026-03-28T23:00:00.100Z"),
            at("2026-03-29T21:59:59.900Z"),
            at("2026-03-29T22:00:00.100Z")
          ]
          const days = yield* Effect.all(
            [begins.slice(0, 1), begins.slice(1, 3), begins.slice(3)].map((of) =>
              ends(times(50, (n) => of[n % of.length]!(n >> 1)))
            ),
            { concurrency: "unbounded" }
          )
          const exact = { ok: 10, limit_exceeded: 40 }
          assert.deepEqual(days, [exact, exact, exact])
          yield* m.advance(60)
        })
      ),
      { mode: "auto" }
    ))

  covers("LIMITS-4")
  it("gets back what failed, once, and not what is unknown or paid", () =>
    run(
      Effect.gen(function* () {
        const { limit, used } = yield* treasury
        const m = yield* merchantAtWork()
        const { id } = yield* limit(m)
        const [failed, unknown, paid, returned] = yield* Effect.all([
          m.transfer("40"),
          m.transfer("20"),
          m.transfer("10"),
          m.offramp("30")
        ])
        yield* m.settle
        yield* m.says(failed.id, "failed")
        assert.strictEqual(yield* used(id), "60.00")
        yield* m.says(failed.id, "cancelled")
        yield* m.says(failed.id, "failed")
        yield* m.says(paid.id, "success")
        yield* m.advance(3600)
        assert.deepEqual([yield* m.status(unknown.id), yield* used(id)], ["processing", "60.00"])
        yield* m.says(returned.id, "returned")
        assert.strictEqual(yield* used(id), "30.00")
        yield* m.transfer("70")
        assert.strictEqual((yield* faultOf(m.transfer("1"))).used, "100.00")
        const lost = yield* m.offramp("25").pipe(Effect.flip)
        assert.strictEqual(lost._tag, "InvalidInput")
        yield* m.settle
        for (const one of yield* m.underWay) yield* m.says(one, "success")
      })
    ))

  it("keeps what is returned after its success, and what could not be given back", () =>
    run(
      Effect.gen(function* () {
        const { limit, used } = yield* treasury
        const m = yield* merchantAtWork()
        const { id } = yield* limit(m)
        const [first, second] = [yield* m.offramp("30"), yield* m.transfer("20")]
        yield* m.settle
        yield* m.says(first.id, "success")
        yield* m.says(first.id, "returned")
        yield* m.says(second.id, "refund_failed")
        assert.deepEqual([yield* m.status(first.id), yield* m.status(second.id)], ["returned", "failed"])
        assert.strictEqual(yield* used(id), "50.00")
        for (const one of yield* m.exceptions) yield* m.resolve(one.id, "dismiss")
      })
    ))

  covers("LIMITS-8")
  it("of the platform counts all merchants where the store has one place, and is refused where it has several", () =>
    run(
      Effect.gen(function* () {
        const { change, limit } = yield* treasury
        const { places } = yield* Storage
        const [m, other] = [yield* merchantAtWork(), yield* merchantAtWork()]
        const made = limit(m, { scope: "platform", operations: ["transfer"], max_amount: "15" })
        if (places > 1) {
          assert.deepEqual((yield* faultOf(made)).field, "scope")
          return
        }
        const { id } = yield* made
        yield* m.transfer("9")
        assert.strictEqual((yield* faultOf(other.transfer("7"))).used, "9.00")
        yield* other.transfer("6")
        yield* other.offramp("20")
        yield* change(id, { status: "disabled" })
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))
})
