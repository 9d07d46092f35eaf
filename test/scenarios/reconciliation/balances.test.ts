/** Balances that differ: what an entry must move for them, and what becomes of them when the account's opening is mended (BREAK-4, INGEST-9). */
import { Effect, Result } from "effect"
import { assert, it } from "vitest"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { Closings } from "../../../src/engine/resources/reconciliation/closing.ts"
import { Reconciliations } from "../../../src/engine/work/reconciliation/Reconciliations.ts"
import { onMemory, onServers } from "../../support/engines/every-store.ts"
import { covers } from "../../support/repository/covers.ts"
import { deskIn } from "../../support/statements/desk.ts"
import { readable } from "../../support/statements/readable.ts"

let numbers = 0

/** An account that opens with 10, and a first statement that opens with another balance. */
const opened = Effect.fnUntraced(function* (balance: string) {
  const desk = yield* deskIn("NGN")
  const identifier = { scheme: "account_number", value: `99-${++numbers}` } as const
  const accounts = yield* ExternalAccounts
  const { id } = yield* accounts.create(desk.operator, {
    provider: "simulated",
    currency: "NGN",
    kind: "bank",
    identifiers: [identifier],
    opening: { date: "2026-01-05", balance: "10" },
    time_zone: "UTC"
  })
  yield* desk.saysAll([
    {
      ...{ from: "2026-01-05", to: "2026-01-05", currency: "NGN", number: "1" },
      account: { identifiers: [identifier], currency: "NGN", bank: null },
      opening_balance: { date: "2026-01-05", amount: balance },
      closing_balance: { date: "2026-01-05", amount: balance }
    }
  ])
  const match = (yield* Reconciliations).match(id)
  yield* match
  const found = desk.breaks({ external_account_id: id, kind: "balance_differs" })
  const closings = yield* Closings
  const unexplained = Effect.map(
    closings.reconciliation({ external_account_id: id, date: "2026-01-05" }),
    ({ items }) => items[0]!.unexplained
  )
  const shown = Effect.map(found, (all) =>
    all.map(({ action, amount, direction, status }) => `${status} ${action} ${amount} ${direction}`).toSorted()
  )
  const openWith = (balance: string) => accounts.update(desk.operator, id, { opening: { date: "2026-01-05", balance } })
  /** Gives the account another opening balance, and matches. */
  const mend = (balance: string) => Effect.andThen(openWith(balance), match)
  return { ...desk, match, found, shown, unexplained, mend, openWith }
})

onServers("a balance that differs", (run) => {
  covers("BREAK-4", "ADJUST-5")
  it.each([
    ["7", "3.00 debit", "losses", "world:simulated"],
    ["12", "2.00 credit", "world:simulated", "fees"]
  ] as const)("is explained by an entry that moves as it does: an opening of %s", (balance, shown, from, to) =>
    run(
      Effect.gen(function* () {
        const own = yield* opened(balance)
        const [open] = yield* own.found
        assert.strictEqual(`${open!.amount} ${open!.direction}`, shown)
        const wrong = yield* Effect.result(own.resolve(open!.id, { action: "explain", from: to, to: from }))
        assert.isTrue(Result.isFailure(wrong))
        assert.strictEqual((wrong as { failure: { _tag: string } }).failure._tag, "InvalidInput")
        assert.deepInclude(yield* own.breakOf(open!.id), { status: "open" })
        const { adjusting_entry_id } = yield* own.resolve(open!.id, { action: "explain", from, to })
        assert.deepInclude(yield* own.entryOf(adjusting_entry_id!), { from, to })
      }).pipe(Effect.provide(readable))
    )
  )
})

onMemory("a balance that differs", (run) => {
  covers("BREAK-1")
  it("is what differs now, once the account's opening is mended, and ends when nothing does", () =>
    run(
      Effect.gen(function* () {
        const own = yield* opened("7")
        const shown = Effect.map(own.found, (all) =>
          all.map(({ action, amount, direction, status }) => [status, action, `${amount} ${direction}`])
        )
        assert.deepEqual(yield* shown, [["open", null, "3.00 debit"]])
        yield* own.mend("5")
        assert.deepEqual(yield* shown, [["open", null, "2.00 credit"]])
        yield* own.mend("7")
        assert.deepEqual(yield* shown, [["resolved", "cleared", "2.00 credit"]])
        yield* own.mend("10")
        assert.deepEqual((yield* shown).toSorted(), [
          ["open", null, "3.00 debit"],
          ["resolved", "cleared", "2.00 credit"]
        ])
      }).pipe(Effect.provide(readable))
    ))

  covers("BREAK-4", "CLOSE-5")
  it("is what an entry has explained too much or too little, once it is another", () =>
    run(
      Effect.gen(function* () {
        const own = yield* opened("7")
        const { shown, unexplained } = own
        const [open] = yield* own.found
        yield* own.resolve(open!.id, { action: "explain", from: "losses", to: "world:simulated" })
        const explained = "resolved explain 3.00 debit"
        yield* own.match
        assert.deepEqual([yield* shown, yield* unexplained], [[explained], "0.00"])
        yield* own.mend("11")
        assert.deepEqual([yield* shown, yield* unexplained], [["open null 1.00 debit", explained], "-1.00"])
        yield* own.mend("13")
        assert.deepEqual([yield* shown, yield* unexplained], [["open null 3.00 debit", explained], "-3.00"])
        yield* own.mend("7")
        assert.deepEqual([yield* shown, yield* unexplained], [["open null 3.00 credit", explained], "3.00"])
        yield* own.resolve(open!.id, { action: "reopen" })
        yield* own.match
        assert.deepEqual(
          [yield* shown, yield* unexplained],
          [["resolved cleared 3.00 credit", "resolved cleared 3.00 debit"], "0.00"]
        )
      }).pipe(Effect.provide(readable))
    ))

  covers("BREAK-1", "BREAK-6")
  it.each(["dismiss", "explain"] as const)("is one open break, whichever is opened again after: %s", (action) =>
    run(
      Effect.gen(function* () {
        const own = yield* opened("7")
        const open = Effect.map(own.shown, (all) => all.filter((one) => one.startsWith("open")))
        const [first] = yield* own.found
        const moves = action === "explain" ? { from: "losses", to: "world:simulated" } : {}
        yield* own.resolve(first!.id, { action, ...moves })
        yield* own.mend("11")
        assert.deepEqual(yield* open, [action === "dismiss" ? "open null 4.00 debit" : "open null 1.00 debit"])
        yield* own.resolve(first!.id, { action: "reopen" })
        // Of what an entry explained, the next run says what is left.
        assert.deepEqual(yield* open, [action === "dismiss" ? "open null 4.00 debit" : "open null 3.00 debit"])
        for (const _ of [1, 2]) {
          yield* own.match
          assert.deepEqual([yield* open, yield* own.unexplained], [["open null 4.00 debit"], "-4.00"])
        }
      }).pipe(Effect.provide(readable))
    )
  )

  covers("BREAK-3")
  it("is as a person has dismissed it whenever it is that again", () =>
    run(
      Effect.gen(function* () {
        const own = yield* opened("7")
        const [first] = yield* own.found
        yield* own.resolve(first!.id, { action: "dismiss" })
        for (const balance of ["11", "10"]) yield* own.mend(balance)
        assert.deepEqual(
          [yield* own.shown, yield* own.unexplained],
          [["resolved cleared 4.00 debit", "resolved dismiss 3.00 debit"], "0.00"]
        )
      }).pipe(Effect.provide(readable))
    ))

  covers("BREAK-6")
  it("is not opened again once nothing differs", () =>
    run(
      Effect.gen(function* () {
        const own = yield* opened("7")
        const [first] = yield* own.found
        yield* own.resolve(first!.id, { action: "dismiss" })
        yield* own.openWith("7")
        const refused = yield* Effect.result(own.resolve(first!.id, { action: "reopen" }))
        assert.strictEqual((refused as { failure?: { _tag: string } }).failure?._tag, "InvalidStatus")
      }).pipe(Effect.provide(readable))
    ))

  covers("BREAK-3", "BREAK-6")
  it("that a person has dismissed is whole again once it is another", () =>
    run(
      Effect.gen(function* () {
        const own = yield* opened("7")
        const [open] = yield* own.found
        yield* own.resolve(open!.id, { action: "dismiss" })
        yield* own.match
        assert.deepEqual([yield* own.shown, yield* own.unexplained], [["resolved dismiss 3.00 debit"], "0.00"])
        yield* own.openWith("11")
        yield* own.match
        assert.deepEqual(
          [yield* own.shown, yield* own.unexplained],
          [["open null 4.00 debit", "resolved dismiss 3.00 debit"], "-4.00"]
        )
      }).pipe(Effect.provide(readable))
    ))
})
