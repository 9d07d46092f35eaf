/** MoneyLimits on money: what they refuse, that nobody passes them, and what they give back (LIMITS-1 to LIMITS-8). */
import assert from "node:assert/strict"
import { Clock, Effect, Layer } from "effect"
import { it } from "vitest"
import type { Call } from "../../../src/engine/commit/call.ts"
import type { InvalidInput } from "../../../src/engine/ports/errors.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { runAsOf } from "../../../src/engine/ports/Time.ts"
import { ActiveLimits } from "../../../src/engine/calls/ActiveLimits.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { Deposits } from "../../../src/engine/resources/deposits/deposits.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { AdjustingEntries } from "../../../src/engine/resources/reconciliation/adjusting-entry.ts"
import { type CreateLimit, MoneyLimits, type UpdateLimit } from "../../../src/engine/resources/controls/limit.ts"
import { controlledWords } from "../../../src/machines/controls/approval-rule.ts"
import { limitScopes } from "../../../src/machines/controls/limit.ts"
import { Batches } from "../../../src/engine/resources/movements/batch.ts"
import { Transfers } from "../../../src/engine/resources/movements/transfer.ts"
import { onMemory, onServers } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { type MerchantAtWork, merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { merchantConverting, onrampsOf } from "../../support/merchants/ramps.ts"
import { part, refunding } from "../../support/merchants/returned.ts"
import { covers } from "../../support/repository/covers.ts"

/** Longer than any test, at whatever hour it runs. */
const week: CreateLimit["window"] = { rolling: "P7D" }

/** What the treasury does. */
const treasury = Effect.gen(function* () {
  const limits = yield* MoneyLimits
  const caller = yield* call(PLATFORM_MERCHANT)
  // The tests of a file share the store: those before this one have made limits of each.
  const { items } = yield* limits.list({ status: "active", per_page: 200 })
  yield* Effect.forEach(items, ({ id }) => limits.update(caller, id, { status: "disabled" }))
  return {
    limits,
    /** A limit of 100 USDC a week on the payouts of a merchant. */
    limit: (m: MerchantAtWork, more: Partial<CreateLimit> = {}) =>
      limits.create(caller, {
        scope: "merchant",
        ...(more.scope === undefined ? { id: m.merchant_id } : {}),
        operations: ["payout"],
        window: week,
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
  const other = yield* Layer.build(Layer.fresh(makeSimulatedEngine({ storage: Layer.succeed(Storage, storage) })))
  return <A, E>(
    n: number,
    one: Effect.Effect<A, E, Transfers | MoneyLimits | ActiveLimits>
  ): Effect.Effect<A, E, Transfers | MoneyLimits | ActiveLimits> => (n % 2 === 0 ? one : Effect.provide(one, other))
})

/** A node learns of what another has changed, which it does by itself within 5 seconds (LIMITS-8). */
const informed = Effect.map(ActiveLimits, (limits) => limits.forget())

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
          window: { rolling: "P7D" },
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
        const after = Date.parse(fault.resets_at!) - now
        assert.ok(after > 6 * 86_400_000 && after < 8 * 86_400_000, fault.resets_at!)
        assert.deepEqual(yield* m.balance, { available: "910.00", reserved: "90.00", held: "0.00" })
        const quoted = yield* faultOf(m.offramp("11"))
        assert.deepEqual([quoted.field, quoted.used], ["quote_id", "90.00"])
        yield* m.transfer("10")
        assert.strictEqual(yield* used(id), "100.00")
        const own = yield* limits.listOwn(m.caller, {})
        assert.deepEqual(
          own.items.filter((one) => one.id === id).map((one) => [one.used_amount, one.resets_at !== null]),
          [["100.00", true]]
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
          yield* on(1, informed)
          const [one, two] = [`key_${m.merchant_id.slice(4)}a`, `key_${m.merchant_id.slice(4)}b`]
          assert.deepEqual(yield* ends(times(50, (n) => on(n, paying(m, "3", { key_id: n % 4 < 2 ? one : two })))), {
            ok: 12,
            limit_exceeded: 38
          })
          yield* paying(m, "30")
          yield* change(keys.id, { status: "disabled" })

          const customer = yield* limit(m, { scope: "customer", id: m.customer!, max_amount: "50" })
          yield* on(1, informed)
          assert.deepEqual(yield* ends(times(50, (n) => on(n, paying(m, "5")))), { ok: 10, limit_exceeded: 40 })
          assert.strictEqual(yield* used(customer.id), "50.00")
          yield* m.advance(60)
        })
      ),
      { mode: "auto" }
    ))

  covers("LIMITS-1")
  it("of one of its scope covers no other", () =>
    run(
      Effect.gen(function* () {
        const { limit } = yield* treasury
        const [m, other] = [yield* merchantAtWork(), yield* merchantAtWork()]
        yield* limit(m, { max_amount: "5" })
        yield* limit(other, { scope: "wallet", id: other.wallet.id, max_amount: "7" })
        assert.strictEqual((yield* faultOf(paying(m, "6")))?.code, "limit_exceeded")
        yield* paying(other, "6")
        yield* paying(m, "5")
        assert.strictEqual((yield* faultOf(paying(other, "2")))?.code, "limit_exceeded")
        yield* m.advance(60)
      }),
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
          const at = (text: string) => (n: number) => on(n, runAsOf(Date.parse(text), paying(m, "4")))
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

  covers("LIMITS-2")
  it("counts of an onramp what was paid: more than was quoted, also over the maximum, and less", () =>
    run(
      Effect.gen(function* () {
        const { limit, used } = yield* treasury
        const m = yield* merchantAtWork("0")
        const { onramp, pays } = yield* onrampsOf(m)
        const naira = { operations: ["onramp"], currency: "NGN" } as const
        const [money, number] = [
          yield* limit(m, { ...naira, max_amount: "300000" }),
          yield* limit(m, { operations: ["onramp"], max_count: 9 })
        ]
        const [more, less, back] = [yield* onramp("100000"), yield* onramp("100000"), yield* onramp("50000")]
        assert.strictEqual(yield* used(money.id), "250000.00")
        yield* pays(less.id, "60000")
        assert.strictEqual(yield* used(money.id), "210000.00")
        yield* pays(more.id, "400000")
        assert.strictEqual(yield* used(money.id), "510000.00")
        assert.strictEqual((yield* faultOf(onramp("50000"))).used, "510000.00")
        // What buys nothing is given back.
        yield* pays(back.id, "1")
        yield* m.settle
        assert.deepEqual([yield* used(money.id), yield* used(number.id)], ["460000.00", 2])
        for (const one of [more, less]) yield* m.says(one.id, "success")
        assert.strictEqual(yield* used(money.id), "460000.00")
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
  it("of the platform counts all merchants where the store has no cells, and is refused where it has some", () =>
    run(
      Effect.gen(function* () {
        const { change, limit } = yield* treasury
        const { shards } = yield* Storage
        const [m, other] = [yield* merchantAtWork(), yield* merchantAtWork()]
        const made = limit(m, { scope: "platform", operations: ["transfer"], max_amount: "15" })
        if (shards > 1) {
          assert.deepEqual((yield* faultOf(made)).field, "scope")
          return
        }
        const { id } = yield* made
        yield* m.transfer("9")
        // What others have used is theirs.
        const { limit_id, used } = yield* faultOf(other.transfer("7"))
        assert.deepEqual([limit_id, used], [id, undefined])
        yield* other.transfer("6")
        yield* other.offramp("20")
        yield* change(id, { status: "disabled" })
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))
})

onServers("an act of an operator", (run) => {
  it("counts to the limits of its word: a release, a credit, an entry", () =>
    run(
      Effect.gen(function* () {
        const { change, limit, used } = yield* treasury
        const [deposits, exceptions, entries] = [yield* Deposits, yield* Exceptions, yield* AdjustingEntries]
        const m = yield* merchantAtWork("0", "tier_0")
        const operator: Call = {
          ...(yield* call(PLATFORM_MERCHANT)),
          operator: { id: null, name: "Ada", role: "admin" }
        }
        const releases = yield* limit(m, { operations: ["deposit_release"], max_amount: "1500" })
        const held = [yield* m.deposit({ amount: "1200" }), yield* m.deposit({ amount: "1300" })]
        yield* deposits.release(operator, held[0]!.transaction_id!, "seen")
        const over = yield* faultOf(deposits.release(operator, held[1]!.transaction_id!, "seen"))
        assert.deepEqual([over.field, over.limit_id, over.used], ["id", releases.id, "1200.00"])
        yield* change(releases.id, { max_amount: "2500" })
        yield* deposits.release(operator, held[1]!.transaction_id!, "seen")
        assert.strictEqual(yield* used(releases.id), "2500.00")

        const credits = yield* limit(m, {
          scope: "wallet",
          id: m.wallet.id,
          operations: ["exception_credit"],
          max_amount: "50"
        })
        const payout = yield* m.transfer("60")
        yield* m.settle
        yield* m.says(payout.id, "refund_failed")
        const [refund] = yield* m.exceptions
        const resolve = exceptions.resolve(operator, refund!.id, { action: "credit", note: "seen" })
        assert.strictEqual((yield* faultOf(resolve)).limit_id, credits.id)
        yield* change(credits.id, { max_amount: "60" })
        yield* resolve
        assert.strictEqual(yield* used(credits.id), "60.00")

        const { shards } = yield* Storage
        if (shards > 1) return
        const posted = yield* limit(m, { scope: "platform", operations: ["adjusting_entry"], max_amount: "20" })
        const cost = { from: "costs:simulated", to: "world:simulated", currency: "USDC", note: "fees" }
        yield* entries.create(operator, { ...cost, amount: "12" })
        assert.strictEqual((yield* faultOf(entries.create(operator, { ...cost, amount: "9" }))).used, "12.00")
        yield* change(posted.id, { status: "disabled" })
      })
    ))
})

/** What comes under the refund of an exception that the provider then rejects. */
const failures = {
  "a rejection": [],
  "parts, of which some have come": [[part("a", "20"), part("b", "25")]],
  "parts, of which all have come": [[part("a", "20"), part("b", "30")]]
} as const

onMemory("the refund of an exception", (run) => {
  covers("LIMITS-13")
  it.each(Object.entries(failures))("that fails gives back what it counted, once: %s", (_, told) =>
    run(
      Effect.gen(function* () {
        const { limit, used } = yield* treasury
        const { m, reports } = yield* refunding()
        const made = { operations: ["exception_credit"], currency: "NGN", max_amount: "100" } as const
        const { id: merchants } = yield* limit(m as never, made)
        const { id: counts } = yield* limit(m as never, { ...made, max_count: 9 })
        yield* reports({ parts: [part("a", "20")] })
        const { id } = (yield* m.exceptions)[0]!
        yield* m.resolve(id, "refund")
        assert.deepEqual([yield* used(merchants), yield* used(counts)], ["30.00", "30.00"])
        for (const parts of told) yield* reports({ parts })
        // The provider has sent the money of this pay-in back before.
        yield* m.settle
        assert.deepEqual([yield* used(merchants), yield* used(counts)], ["0.00", "0.00"])
        yield* m.says(id, "refund_failed")
        assert.deepEqual([yield* used(merchants), yield* used(counts)], ["0.00", "0.00"])
        for (const one of yield* m.exceptions) yield* m.resolve(one.id, "dismiss")
      })
    )
  )
})

onServers("a limit of a tier", (run) => {
  covers("LIMITS-9")
  it("replaces the tier's own, holds what is over it, and forgets what has left its window", () =>
    run(
      Effect.gen(function* () {
        const { change, limit } = yield* treasury
        const m = yield* merchantAtWork("0", "tier_0")
        const heldFor = (amount: string) =>
          Effect.gen(function* () {
            const { transaction_id } = yield* m.deposit({ amount })
            const { metadata } = yield* m.body(transaction_id!)
            return metadata["hold_reason"] as string | undefined
          })
        assert.strictEqual(yield* heldFor("900"), undefined)
        const { id } = yield* limit(m, {
          scope: "customer",
          tier: "tier_0",
          operations: ["deposit"],
          currency: "USD",
          max_amount: "500",
          window: { rolling: "P1D" }
        })
        assert.deepEqual([yield* heldFor("500"), yield* heldFor("0.01")], [undefined, "tier_limit"])
        yield* m.advance(86_400 + 1440)
        assert.strictEqual(yield* heldFor("400"), undefined)
        yield* change(id, { max_amount: "401" })
        assert.deepEqual([yield* heldFor("1.01"), yield* heldFor("1")], ["tier_limit", undefined])
        yield* change(id, { status: "disabled" })
        // What has been deposited in all counts again: 900 + 500 + 400 + 1.
        assert.strictEqual(yield* heldFor("1"), "tier_limit")
      })
    ))

  covers("LIMITS-1")
  it("of a wallet count what is converted out of it, and what is converted into it", () =>
    run(
      Effect.gen(function* () {
        const { limits, used } = yield* treasury
        const caller = yield* call(PLATFORM_MERCHANT)
        const m = yield* merchantConverting()
        const of = (wallet_id: string, currency: string) =>
          limits.create(caller, {
            scope: "wallet",
            id: wallet_id,
            operations: ["conversion"],
            currency,
            max_amount: currency === "USDC" ? "100" : "16000",
            window: week
          })
        const [from, to] = [yield* of(m.wallet.id, "USDC"), yield* of(m.naira.id, "NGN")]
        yield* m.conversion("10")
        const taken = [yield* used(from.id), yield* used(to.id)]
        assert.strictEqual(taken[0], "10.00")
        assert.ok(Number(taken[1]) > 10_000, String(taken[1]))
        assert.strictEqual((yield* faultOf(m.conversion("10"))).limit_id, to.id)
        assert.deepEqual([yield* used(from.id), yield* used(to.id)], taken)
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  covers("LIMITS-9")
  it("counts the parts of its own window, and not those of the one before", () =>
    run(
      Effect.gen(function* () {
        const { change, limit } = yield* treasury
        const m = yield* merchantAtWork("0", "tier_0")
        const of = { scope: "customer", tier: "tier_0", operations: ["deposit"], currency: "USD" } as const
        const heldFor = (amount: string) =>
          Effect.gen(function* () {
            const { transaction_id } = yield* m.deposit({ amount })
            const { metadata } = yield* m.body(transaction_id!)
            return metadata["hold_reason"] as string | undefined
          })
        // Each is numbered by smaller parts than the one after it.
        const windows: ReadonlyArray<CreateLimit["window"]> = [
          { calendar: "day", time_zone: "UTC" },
          { rolling: "PT1H" },
          { rolling: "P30D" }
        ]
        for (const window of windows) {
          const { id } = yield* limit(m, { ...of, max_amount: "500", window })
          assert.deepEqual(
            [yield* heldFor("500"), yield* heldFor("1")],
            [undefined, "tier_limit"],
            JSON.stringify(window)
          )
          yield* change(id, { status: "disabled" })
          yield* m.advance(2 * 86_400)
        }
        const { id } = yield* limit(m, { ...of, max_amount: "500", window: windows[2]! })
        yield* m.advance(31 * 86_400)
        assert.strictEqual(yield* heldFor("500"), undefined)
        yield* change(id, { status: "disabled" })
      })
    ))
})

onMemory("limits", (run) => {
  it("measure a movement in their own currency, at its rate or at the mid rates, rounded up", () =>
    run(
      Effect.gen(function* () {
        const { limit, used } = yield* treasury
        const m = yield* merchantAtWork()
        const naira = yield* limit(m, { currency: "NGN", max_amount: "10000000" })
        const dollars = yield* limit(m, { currency: "USD", max_amount: "1000", operations: ["offramp"] })
        const shillings = yield* limit(m, { currency: "UGX", max_amount: "1000000" })
        yield* m.offramp("10.01")
        // 10.01 * 1,492.5 = 14,939.925: what it takes, of which the gateway fee is a part.
        assert.strictEqual(yield* used(naira.id), "14939.93")
        assert.strictEqual(yield* used(dollars.id), "10.01")
        // 10.01 * 3,700 = 37,037.
        assert.strictEqual(yield* used(shillings.id), "37037")
        yield* m.transfer("1.01")
        assert.deepEqual([yield* used(dollars.id), yield* used(shillings.id)], ["10.01", "40774"])
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  it("measure the rows of a batch as its movements, fees included, at their rate", () =>
    run(
      Effect.gen(function* () {
        const { limit, used } = yield* treasury
        const batches = yield* Batches
        const m = yield* merchantAtWork()
        const naira = yield* limit(m, { currency: "NGN", max_amount: "10000000", operations: ["batch"] })
        const row = { operation: "offramp", wallet_id: m.wallet.id, beneficiary_id: yield* m.bank() }
        const rows = ["10.01", "20"].map((source_amount) => ({ ...row, source_amount }))
        const { id } = yield* batches.create(m.caller, { reference: "salaries", rows })
        yield* batches.confirm(m.caller, id)
        // 14,939.93 + 29,850.
        assert.strictEqual(yield* used(naira.id), "44789.93")
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  it("of each wallet, beneficiary or movement count each by itself", () =>
    run(
      Effect.gen(function* () {
        const { limit } = yield* treasury
        const m = yield* merchantAtWork()
        const other = yield* m.crypto("5ZWj7a1f8tWkjBESHKgrLmXshuXxqeY9SYcfbshpAqPG")
        yield* limit(m, { scope: "beneficiary", max_amount: "20" })
        yield* m.transfer("20")
        assert.strictEqual((yield* faultOf(m.transfer("1"))).used, "20.00")
        yield* m.transfer("20", { beneficiary_id: other })
        const alone = yield* limit(m, {
          scope: "wallet",
          operations: ["transfer"],
          max_amount: "5",
          window: "movement"
        })
        const fault = yield* faultOf(m.transfer("6", { beneficiary_id: yield* m.crypto() }))
        assert.deepEqual([fault.limit_id, fault.max, fault.used, fault.resets_at], [alone.id, "5.00", "0.00", null])
        yield* m.transfer("5", { beneficiary_id: yield* m.crypto() })
        yield* m.transfer("5", { beneficiary_id: yield* m.crypto() })
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  covers("LIMITS-1")
  it("are listed by merchant, tier, scope and action", () =>
    run(
      Effect.gen(function* () {
        const { limit, limits } = yield* treasury
        const m = yield* merchantAtWork()
        const own = yield* limit(m, { action: "approve" })
        const ofWallet = yield* limit(m, { scope: "wallet", id: m.wallet.id })
        const ofTier = yield* limit(m, {
          scope: "customer",
          tier: "tier_1",
          operations: ["deposit"],
          currency: "USD",
          window: "total"
        })
        const listed = (query: Parameters<typeof limits.list>[0]) =>
          Effect.map(limits.list({ status: "active", ...query }), ({ items }) => items.map(({ id }) => id))
        assert.deepEqual(yield* listed({ merchant_id: m.merchant_id }), [ofWallet.id, own.id])
        assert.deepEqual(yield* listed({ action: "approve" }), [own.id])
        assert.deepEqual(yield* listed({ tier: "tier_1" }), [ofTier.id])
        assert.deepEqual(yield* listed({ scope: "wallet", action: "refuse" }), [ofWallet.id])
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  covers("LIMITS-1")
  it("refuse what has no meaning, each with its field", () =>
    run(
      Effect.gen(function* () {
        const { limit } = yield* treasury
        const m = yield* merchantAtWork()
        const tier = {
          scope: "customer",
          tier: "tier_0",
          operations: ["deposit"],
          currency: "USD",
          window: "total"
        } as const
        const wrong: ReadonlyArray<readonly [string, Partial<CreateLimit>]> = [
          ["id", { scope: "customer", id: m.wallet.id }],
          ["id", { scope: "platform", id: m.merchant_id }],
          ["scope_id", { scope: "merchant", id: m.merchant_id, scope_id: "mer_other" }],
          ["operations", { operations: [] }],
          ["operations", { operations: ["payout", "payout"] }],
          ["operations", { operations: ["deposit"] }],
          ["operations", { ...tier, operations: ["payout"] }],
          ["tier", { ...tier, scope: "merchant" }],
          ["window", { ...tier, window: "movement" }],
          ["window", { window: "total" }],
          ["window", { window: {} }],
          ["window", { window: { rolling: "PT1H", calendar: "day", time_zone: "UTC" } }],
          ["window", { window: { calendar: "day" } }],
          ["window.time_zone", { window: { calendar: "day", time_zone: "Mars/Base" } }],
          ["currency", { ...tier, currency: "EUR", max_amount: "1" }],
          ["max_amount", { currency: "USDC", max_amount: "0" }],
          ["currency", { currency: "USDC", max_count: 3 }],
          ["max_count", { max_count: 3, window: "movement" }],
          ["max_count", { ...tier, max_amount: "1", max_count: 3 }]
        ]
        for (const [field, input] of wrong) {
          const fault = yield* faultOf(limit(m, input))
          assert.deepEqual([field, fault.code], [fault.field, "invalid_value"], JSON.stringify(input))
        }
        for (const [fieldOf, input, found] of [
          ["currency", { currency: undefined }, "currency is missing"],
          ["max_amount", { currency: undefined, max_amount: undefined }, "max_amount, max_count or both"]
        ] as const) {
          const { code, field, message } = yield* faultOf(limit(m, input as object))
          assert.deepEqual([field, code], [fieldOf, "required"])
          assert.ok(message.includes(found), message)
        }
        const half = yield* faultOf(limit(m, { window: { calendar: "day" } }))
        assert.ok(half.message.startsWith('window is {"calendar":"day"}. It takes'), half.message)
        for (const unknown of [{ id: "mer_01j9z3k4m5n6p7q8r9s0t1v2w3" }, { currency: "XXX", max_amount: "1" }])
          assert.strictEqual((yield* Effect.flip(limit(m, unknown)))._tag, "NotFound")
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  covers("LIMITS-1")
  it("take of each scope the words whose acts count there, when they are made and when they change", () =>
    run(
      Effect.gen(function* () {
        const { change, limit } = yield* treasury
        const m = yield* merchantAtWork()
        const counting: Readonly<Record<(typeof limitScopes)[number], ReadonlyArray<string>>> = {
          platform: controlledWords,
          merchant: controlledWords.filter(
            (word) => !["break_resolution", "limit", "operator", "brake_release"].includes(word)
          ),
          api_key: ["transfer", "offramp", "onramp", "conversion", "payout", "batch", "approval_rule", "api_key"],
          customer: ["transfer", "offramp", "onramp", "conversion", "payout", "exception_credit", "deposit_release"],
          wallet: ["transfer", "offramp", "onramp", "conversion", "payout", "exception_credit", "deposit_release"],
          beneficiary: ["transfer", "offramp", "payout"]
        }
        for (const scope of limitScopes)
          for (const word of controlledWords) {
            const made = yield* Effect.result(limit(m, { scope, operations: [word], status: "disabled" }))
            assert.strictEqual(made._tag === "Success", counting[scope].includes(word), `${word} of each ${scope}`)
          }
        const both = { scope: "wallet", operations: ["transfer", "batch"] } as const
        const { field, message } = yield* faultOf(limit(m, both))
        assert.deepEqual(
          [field, message],
          [
            "operations",
            "Acts of batch count to platform, merchant, api_key. A limit of the scope wallet would count none of them."
          ]
        )
        const { id } = yield* limit(m, { scope: "wallet", operations: ["transfer"], status: "disabled" })
        assert.strictEqual((yield* faultOf(change(id, { operations: both.operations }))).field, "operations")
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  covers("LIMITS-7")
  it("show a merchant its own and those of each, not another's nor the platform's", () =>
    run(
      Effect.gen(function* () {
        const { limit, limits } = yield* treasury
        const [m, other] = [yield* merchantAtWork("1000", "tier_1"), yield* merchantAtWork("1000", "tier_1")]
        const own = yield* limit(m)
        yield* limit(other)
        yield* limit(m, { scope: "platform" })
        const each = yield* limit(m, { scope: "customer" })
        const keyed = yield* limit(m, { scope: "api_key", max_count: 5 })
        yield* paying(m, "30", { key_id: "key_one" })
        const shown = (input: Parameters<typeof limits.listOwn>[1], key_id: string | null = null) =>
          Effect.map(limits.listOwn({ ...m.caller, key_id }, input), ({ items }) =>
            items.map((one) => [one.id, one.used_amount, one.used_count])
          )
        assert.deepEqual(yield* shown({}), [
          [keyed.id, null, null],
          [each.id, null, null],
          [own.id, "30.00", null]
        ])
        assert.deepEqual(yield* shown({ customer_id: m.customer! }, "key_one"), [
          [keyed.id, null, 1],
          [each.id, "30.00", null],
          [own.id, "30.00", null]
        ])
        assert.deepEqual(yield* shown({ customer_id: other.customer! }), [])
        const page = yield* limits.listOwn(m.caller, { page: 2, per_page: 2 })
        assert.deepEqual([page.items.map(({ id }) => id), page.total], [[own.id], 3])
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  covers("LIMITS-7")
  it("begin anew at no time while nothing is used, whatever their window", () =>
    run(
      Effect.gen(function* () {
        const { limit, limits } = yield* treasury
        const m = yield* merchantAtWork("1000", "tier_1")
        const day = { calendar: "day", time_zone: "UTC" } as const
        const { id } = yield* limit(m, { window: day, max_count: 5, max_amount: "100" })
        const shown = Effect.map(limits.get(id), ({ body: { used_amount, used_count, resets_at } }) => [
          used_amount,
          used_count,
          resets_at !== null
        ])
        assert.deepEqual(yield* shown, ["0.00", 0, false])
        yield* paying(m, "30")
        assert.deepEqual(yield* shown, ["30.00", 1, true])
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  covers("LIMITS-10")
  it("whose action is approve say what needs an approval, and count what was approved over their maximum", () =>
    run(
      Effect.gen(function* () {
        const { limit, used } = yield* treasury
        const { weigh } = yield* ActiveLimits
        const unitOfWork = yield* UnitOfWork
        const m = yield* merchantAtWork()
        const { id } = yield* limit(m, { action: "approve" })
        // It waits for approval, which nobody gives, and counts nothing.
        yield* m.transfer("101")
        assert.strictEqual(yield* used(id), "0.00")
        const at = yield* Clock.currentTimeMillis
        const act = { words: ["payout"], merchant_id: m.merchant_id, field: "amount", isOwn: true } as const
        const weighed = yield* weigh([{ ...act, sums: [{ taken: ["150000000", "USDC"] }] }], at)
        assert.partialDeepStrictEqual(weighed.uses, [
          { limit_id: id, action: "approve", max: "100.00", used: "0.00", would_use: "150.00", exceeded: true }
        ])
        yield* unitOfWork.write(
          m.caller,
          Effect.succeed({ changes: weighed.changes({ over: new Set() }), result: null })
        )
        assert.strictEqual(yield* used(id), "150.00")
        yield* m.advance(25 * 3600)
      }),
      { mode: "auto" }
    ))

  it("are refused by the commit where parts of one write are too much together", () =>
    run(
      Effect.gen(function* () {
        const { limit, used } = yield* treasury
        const transfers = yield* Transfers
        const unitOfWork = yield* UnitOfWork
        const m = yield* merchantAtWork()
        const { id } = yield* limit(m)
        const input = { wallet_id: m.wallet.id, beneficiary_id: m.beneficiary, amount: "40" }
        const together = (count: number) =>
          Effect.gen(function* () {
            const decisions = yield* Effect.all(times(count, () => transfers.decision(m.caller, input)))
            return yield* unitOfWork.write(
              m.caller,
              Effect.map(Effect.all(decisions), (made) => ({
                changes: made.flatMap(({ changes }) => changes),
                result: null
              }))
            )
          })
        const fault = yield* faultOf(together(3))
        assert.deepEqual([fault.limit_id, fault.used], [id, "0.00"])
        yield* together(2)
        assert.strictEqual(yield* used(id), "80.00")
        yield* m.advance(60)
      }),
      { mode: "auto" }
    ))

  it("of the platform have their share where the store has got cells since", () =>
    run(
      Effect.scoped(
        Effect.gen(function* () {
          const { limit } = yield* treasury
          const m = yield* merchantAtWork()
          yield* limit(m, { scope: "platform" })
          const storage = yield* Storage
          const grown = Layer.succeed(Storage, { ...storage, shards: 3 })
          const other = yield* Layer.build(Layer.fresh(makeSimulatedEngine({ storage: grown })))
          const on = Effect.provide(other)
          assert.strictEqual((yield* faultOf(on(paying(m, "34")))).code, "limit_exceeded")
          const act = { words: ["payout"], merchant_id: m.merchant_id, field: "amount", isOwn: true } as const
          const at = yield* Clock.currentTimeMillis
          const { uses } = yield* on(
            ActiveLimits.use((s) => s.weigh([{ ...act, sums: [{ taken: ["33330000", "USDC"] }] }], at))
          )
          assert.deepEqual([uses[0]!.exceeded, uses[0]!.max], [false, "33.333333"])
          yield* m.advance(60)
        })
      ),
      { mode: "auto" }
    ))

  covers("LIMITS-3", "LIMITS-8")
  it.each([
    ["refuse", 1],
    ["refuse", 3],
    ["approve", 3]
  ] as const)(
    "that %s are not passed by credits to another merchant's wallet, in a store of %i shards",
    (action, shards) =>
      run(
        Effect.scoped(
          Effect.gen(function* () {
            const { limit, used } = yield* treasury
            const [m, other] = [yield* merchantAtWork("1000"), yield* merchantAtWork("1000")]
            const storage = yield* Storage
            const engine = makeSimulatedEngine({ storage: Layer.succeed(Storage, { ...storage, shards }) })
            const on = Effect.provide(yield* Layer.build(Layer.fresh(engine)))
            const operations = ["exception_credit"] as const
            const { id } = yield* limit(other, { operations, max_amount: "100", action })
            const failed = Effect.fnUntraced(function* (of: MerchantAtWork) {
              const payout = yield* of.transfer("60")
              yield* of.settle
              yield* of.says(payout.id, "refund_failed")
              return (yield* of.exceptions)[0]!
            })
            const operator: Call = {
              ...(yield* call(PLATFORM_MERCHANT)),
              operator: { id: null, name: "Ada", role: "admin" }
            }
            const credit = (exception_id: string) =>
              on(
                Exceptions.use((all) =>
                  all.resolve(operator, exception_id, { action: "credit", wallet_id: other.wallet.id, note: "seen" })
                )
              )
            const [own, foreign] = [yield* failed(other), yield* failed(m)]
            yield* credit(own.id)
            assert.strictEqual(yield* used(id), "60.00")
            const { code, field } = yield* faultOf(credit(foreign.id))
            assert.deepEqual([code, field], [shards === 1 ? "limit_exceeded" : "invalid_value", "id"])
            assert.strictEqual(yield* used(id), "60.00")
            assert.strictEqual((yield* m.exceptions)[0]!.status, "open")
            yield* m.resolve(foreign.id, "credit")
          })
        )
      )
  )
})
