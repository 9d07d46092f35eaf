/** Adjusting entries: posted between accounts of the platform, reversed once, and the end of exceptions (ADJUST-1 to ADJUST-4). */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import {
  AdjustingEntries,
  type CreateAdjustingEntry
} from "../../../src/engine/resources/reconciliation/adjusting-entry.ts"
import { Exceptions } from "../../../src/engine/resources/deposits/exceptions.ts"
import { onMemory, onServers } from "../../support/engines/every-store.ts"
import { merchantAtWork, type MerchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { merchantCollecting } from "../../support/merchants/ramps.ts"
import { call } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"

const cost: CreateAdjustingEntry = {
  from: "costs:simulated",
  to: "world:simulated",
  amount: "12.5",
  currency: "USDC",
  note: "fee of January"
}

const treasury = Effect.gen(function* () {
  const entries = yield* AdjustingEntries
  const caller = yield* call(PLATFORM_MERCHANT)
  return {
    entries,
    create: (input: Partial<CreateAdjustingEntry> = {}) => entries.create(caller, { ...cost, ...input }),
    reverse: (id: string) => entries.reverse(caller, id, { note: "booked twice" })
  }
})

/** The balance of an account of all merchants, in minor units. */
const balanceOf = Effect.fnUntraced(function* (account: string, currency: string) {
  const storage = yield* Storage
  const balances = yield* storage.platformBalances([account.split(":")[0]!])
  return BigInt(balances.find((one) => one.account === account && one.currency === currency)?.balance ?? "0")
})

const exceptionOf = (id: string) =>
  Effect.map(
    Exceptions.use((s) => s.list({ per_page: 200 })),
    ({ items }) => items.find((one) => one.id === id)!
  )

/** Exceptions that have no money in suspense, or whose money cannot be refunded, each as the provider causes it. */
const raised: Readonly<Record<string, Effect.Effect<MerchantAtWork, any, any>>> = {
  contradicts_state: Effect.gen(function* () {
    const m = yield* merchantAtWork()
    const { id } = yield* m.transfer("10")
    yield* m.settle
    yield* m.says(id, "success")
    yield* m.says(id, "failed")
    return m
  }),
  over_settlement: Effect.gen(function* () {
    const m = yield* merchantAtWork()
    const { id } = yield* m.transfer("10")
    yield* m.settle
    yield* m.says(id, "success", { amount: "10.01" })
    return m
  }),
  recalled: Effect.gen(function* () {
    const m = yield* merchantCollecting
    const { id } = yield* m.onramp()
    yield* m.pays(id, "150000", { payin_id: `adj-${id}` })
    yield* m.settle
    yield* m.pays(id, "150000", { payin_id: `adj-${id}`, stage: "failed" })
    yield* m.settle
    yield* m.says(id, "success")
    return m as unknown as MerchantAtWork
  }),
  refund_failed: Effect.gen(function* () {
    const m = yield* merchantAtWork()
    const { id } = yield* m.transfer("10")
    yield* m.settle
    yield* m.says(id, "refund_failed")
    return m
  })
}

onServers("an adjusting entry", (run) => {
  covers("ADJUST-1", "ADJUST-2")
  it("posts once, is read and listed, and is reversed once by many who try at once", () =>
    run(
      Effect.gen(function* () {
        const { create, entries, reverse } = yield* treasury
        const reports = yield* LedgerReports
        const [costs, world] = [
          yield* balanceOf("costs:simulated", "USDC"),
          yield* balanceOf("world:simulated", "USDC")
        ]
        const entry = yield* create()
        assert.match(entry.id, /^adj_[0-9a-z]{26}$/)
        assert.deepInclude(entry, {
          merchant_id: PLATFORM_MERCHANT,
          from: "costs:simulated",
          to: "world:simulated",
          amount: "12.50",
          currency: "USDC",
          note: "fee of January",
          exception_id: null,
          reverses: null,
          reversed_by: null,
          status: "posted"
        })
        assert.strictEqual((yield* balanceOf("costs:simulated", "USDC")) - costs, -12_500_000n)
        assert.strictEqual((yield* balanceOf("world:simulated", "USDC")) - world, 12_500_000n)
        const [posting] = (yield* reports.entries("costs:simulated", {})).items
        assert.deepInclude(posting, { resource_id: entry.id, debit: "costs:simulated", amount: "12.50" })
        const tried = yield* Effect.forEach([1, 2, 3, 4], () => Effect.exit(reverse(entry.id)), { concurrency: 4 })
        const [reversal, ...others] = tried.flatMap((exit) => (exit._tag === "Success" ? [exit.value] : []))
        assert.deepEqual(others, [])
        assert.deepInclude(reversal, {
          from: "world:simulated",
          to: "costs:simulated",
          amount: "12.50",
          note: "booked twice",
          reverses: entry.id
        })
        const reversed = { ...entry, status: "reversed", reversed_by: reversal!.id } as const
        const { body } = yield* entries.get(entry.id)
        assert.deepInclude(body, { ...reversed, updated_at: body.updated_at })
        assert.strictEqual(yield* balanceOf("costs:simulated", "USDC"), costs)
        assert.strictEqual(yield* balanceOf("world:simulated", "USDC"), world)
        assert.match(
          (yield* Effect.flip(reverse(entry.id))).message,
          new RegExp(`already reversed, by ${reversal!.id}`)
        )
        assert.match((yield* Effect.flip(reverse(reversal!.id))).message, /itself a reversal/)
        const ids = (query: Parameters<typeof entries.list>[0]) =>
          Effect.map(entries.list(query), ({ items }) => items.map(({ id }) => id))
        assert.deepEqual(yield* ids({ status: "reversed", currency: "USDC" }), [entry.id])
        assert.deepEqual(yield* ids({ reverses: entry.id }), [reversal!.id])
        assert.deepEqual(yield* ids({ reversed_by: reversal!.id }), [entry.id])
        assert.deepEqual(yield* ids({ from: "costs:simulated", to: "world:simulated" }), [entry.id])
        assert.deepEqual(yield* ids({ from: "losses" }), [])
        const both = [reversal!.id, entry.id]
        for (const amount of ["12.5", "12.50", "012.500"])
          assert.deepEqual((yield* ids({ amount })).filter((id) => both.includes(id)).sort(), both.toSorted(), amount)
        assert.deepEqual(yield* ids({ amount: "12.51" }), [])
      })
    ))

  covers("ADJUST-3")
  it("ends an exception once, whoever else decides at the same time, and opens it again when it is reversed", () =>
    run(
      Effect.gen(function* () {
        const { create, entries, reverse } = yield* treasury
        const suspense = balanceOf("suspense", "USDC")
        const before = yield* suspense
        const m = (yield* raised["refund_failed"]!) as MerchantAtWork
        const { id } = (yield* m.exceptions)[0]!
        const money = { from: "suspense", to: "fees", amount: "10", exception_id: id, note: "nobody claims it" }
        const decisions: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
          create(money),
          create(money),
          create(money),
          m.resolve(id, "credit")
        ]
        const tried = yield* Effect.forEach(decisions, Effect.exit, { concurrency: 4 })
        assert.strictEqual(tried.filter(({ _tag }) => _tag === "Success").length, 1)
        assert.strictEqual(yield* suspense, before)
        assert.strictEqual((yield* Effect.flip(create(money)))._tag, "InvalidStatus")
        const resolved = yield* exceptionOf(id)
        assert.strictEqual(resolved.status, "resolved")
        const { items } = yield* entries.list({ exception_id: id })
        assert.deepEqual(
          items.map((one) => one.id),
          resolved.adjusting_entry_id === null ? [] : [resolved.adjusting_entry_id]
        )
        const other = (yield* raised["refund_failed"]!) as MerchantAtWork
        const [exception] = yield* other.exceptions
        const entry = yield* create({ ...money, exception_id: exception!.id })
        assert.strictEqual(entry.merchant_id, other.merchant_id)
        assert.deepInclude(yield* exceptionOf(exception!.id), {
          status: "resolved",
          action: "adjust",
          adjusting_entry_id: entry.id,
          note: "nobody claims it",
          actions: []
        })
        assert.deepEqual((yield* reverse(entry.id)).exception_id, exception!.id)
        assert.deepInclude(yield* exceptionOf(exception!.id), {
          status: "open",
          action: null,
          adjusting_entry_id: null,
          actions: exception!.actions,
          amount: "10.00"
        })
        assert.strictEqual((yield* suspense) - before, 10_000_000n)
        yield* other.resolve(exception!.id, "credit")
        assert.strictEqual(yield* suspense, before)
      })
    ))
})

onMemory("an exception that ends in the books", (run) => {
  covers("ADJUST-3")
  it.each([
    ["contradicts_state", { from: "losses", to: "world:simulated", amount: "10" }],
    ["over_settlement", { from: "receivable:simulated", to: "world:simulated", amount: "0.01" }],
    ["recalled", { from: "losses", to: "world:simulated", amount: "150000", currency: "NGN" }],
    ["refund_failed", { from: "suspense", to: "world:simulated", amount: "10" }]
  ] as const)("%s: is resolved with the entry", (reason, money) =>
    run(
      Effect.gen(function* () {
        const { create } = yield* treasury
        const m = (yield* raised[reason]!) as MerchantAtWork
        const exception = (yield* m.exceptions).find((one) => one.reason === reason)!
        const suspense = balanceOf("suspense", exception.currency ?? "USDC")
        const entry = yield* create({ ...money, exception_id: exception.id })
        assert.deepInclude(yield* exceptionOf(exception.id), { status: "resolved", adjusting_entry_id: entry.id })
        assert.strictEqual(yield* suspense, 0n)
      }) as Effect.Effect<void, any, any>
    )
  )

  covers("ADJUST-3")
  it.each([
    ["from", "refund_failed", { from: "losses", to: "world:simulated", amount: "10" }, /in suspense/],
    ["amount", "refund_failed", { from: "suspense", to: "fees", amount: "9.99" }, /is not 10\.00 USDC/],
    ["currency", "refund_failed", { from: "suspense", to: "fees", amount: "10", currency: "USDT" }, /is in USDC/],
    ["from", "contradicts_state", { from: "suspense", to: "fees", amount: "10" }, /no money in suspense/],
    ["to", "contradicts_state", { from: "losses", to: "suspense", amount: "10" }, /no money in suspense/],
    ["amount", "contradicts_state", { from: "losses", to: "fees", amount: "10.000001" }, /above 10\.00 USDC/]
  ] as const)("refuses an entry that does not account for it: %s of %s", (field, reason, money, found) =>
    run(
      Effect.gen(function* () {
        const { create } = yield* treasury
        const m = (yield* raised[reason]!) as MerchantAtWork
        const exception = (yield* m.exceptions).find((one) => one.reason === reason)!
        const refused: any = yield* Effect.flip(create({ ...money, exception_id: exception.id }))
        assert.strictEqual(refused._tag, "InvalidInput")
        assert.strictEqual(refused.errors[0].field, field)
        assert.match(refused.message, found)
        assert.strictEqual((yield* exceptionOf(exception.id)).status, "open")
        yield* m.resolve(exception.id, "dismiss")
      }) as Effect.Effect<void, any, any>
    )
  )

  covers("ADJUST-4")
  it.each([
    ["from", { from: "available:wal_1" }, /account of a customer.*`credit`/],
    ["to", { to: "credential:wcr_1" }, /account of a customer.*`credit`/],
    ["from", { from: "clearing:simulated" }, /It takes suspense, losses, fees, rounding, and world:<provider>/],
    ["from", { from: "world" }, /It takes suspense/],
    ["from", { from: "suspense:simulated" }, /It takes suspense/],
    ["to", { to: "world:nobody" }, /no provider "nobody"/],
    ["to", { to: "costs:simulated" }, /which is the account of from/],
    ["amount", { amount: "0.0000001" }, /at most 6 decimals/]
  ] as const)("refuses what it cannot post: %s %o", (field, input, found) =>
    run(
      Effect.gen(function* () {
        const { create } = yield* treasury
        const refused: any = yield* Effect.flip(create(input))
        assert.strictEqual(refused.errors[0].field, field)
        assert.match(refused.message, found)
      })
    )
  )

  covers("ADJUST-4", "CURRENCY-8")
  it("has no entry for an exception that nobody has, nor in a currency that there is not", () =>
    run(
      Effect.gen(function* () {
        const { create } = yield* treasury
        assert.strictEqual((yield* Effect.flip(create({ exception_id: "exc_0" })))._tag, "NotFound")
        assert.strictEqual((yield* Effect.flip(create({ currency: "ZZZ" })))._tag, "NotFound")
      })
    ))
})
