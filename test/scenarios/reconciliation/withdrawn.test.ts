/** Lines of interim reports that the statement of their day does not have (INGEST-10): what people have done with them is found again. */
import { Effect } from "effect"
import { assert, it } from "vitest"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { Reconciliations } from "../../../src/engine/work/reconciliation/Reconciliations.ts"
import { onServers } from "../../support/engines/every-store.ts"
import { covers } from "../../support/repository/covers.ts"
import { deskIn } from "../../support/statements/desk.ts"
import { readable } from "../../support/statements/readable.ts"

let numbers = 0

/** An account with an interim report of 5 January 2026, of one credit of 3.00. */
const reported = Effect.gen(function* () {
  const desk = yield* deskIn("NGN")
  const identifier = { scheme: "account_number", value: `98-${++numbers}` } as const
  const accounts = yield* ExternalAccounts
  const { id } = yield* accounts.create(desk.operator, {
    provider: "simulated",
    currency: "NGN",
    kind: "bank",
    identifiers: [identifier],
    opening: { date: "2026-01-05", balance: "10" },
    time_zone: "UTC"
  })
  const match = Effect.flatMap(Reconciliations, (all) => all.match(id))
  const own = {
    ...{ from: "2026-01-05", to: "2026-01-05", number: null },
    account: { identifiers: [identifier], currency: "NGN", bank: null }
  }
  const [line] = yield* desk.says([{ amount: "3", direction: "credit", booked_on: "2026-01-05" }], {
    ...own,
    format: "camt.052"
  })
  yield* match
  const balance = { date: "2026-01-05", amount: "10" }
  /** The statement of the day, which does not have it. */
  const ends = Effect.andThen(
    desk.says([], { ...own, number: "1", opening_balance: balance, closing_balance: balance }),
    match
  )
  /** The same statement once more, with the line. */
  const corrected = Effect.andThen(
    desk.says([{ amount: "3", direction: "credit", booked_on: "2026-01-05" }], {
      ...own,
      number: "1",
      opening_balance: balance,
      closing_balance: { ...balance, amount: "13" }
    }),
    match
  )
  const open = Effect.map(desk.breaks({ external_account_id: id, status: "open" }), (all) =>
    all.map(({ amount, direction, kind, resources }) => ({ kind, amount, direction, resources }))
  )
  const [found] = yield* desk.about(line!.id)
  return { ...desk, match, line: line!, found: found!, ends, corrected, open }
})

onServers("a line that is withdrawn", (run) => {
  covers("INGEST-10", "BREAK-1")
  it("ends its break where nobody has decided it", () =>
    run(
      Effect.gen(function* () {
        const own = yield* reported
        assert.strictEqual(own.found.kind, "missing_in_books")
        yield* own.ends
        assert.strictEqual((yield* own.lineOf(own.line.id)).status, "withdrawn")
        assert.deepEqual(yield* own.open, [])
        assert.deepInclude(yield* own.breakOf(own.found.id), { status: "resolved", action: "cleared" })
      }).pipe(Effect.provide(readable))
    ))

  covers("INGEST-10", "BREAK-3")
  it("leaves the entry that explained it as one that no statement has, until that is reversed", () =>
    run(
      Effect.gen(function* () {
        const own = yield* reported
        const { adjusting_entry_id } = yield* own.resolve(own.found.id, {
          action: "explain",
          from: "world:simulated",
          to: "suspense"
        })
        yield* own.ends
        assert.strictEqual((yield* own.lineOf(own.line.id)).status, "withdrawn")
        assert.deepEqual(yield* own.open, [
          { kind: "missing_on_statement", amount: "3.00", direction: "credit", resources: [adjusting_entry_id!] }
        ])
        yield* own.entries.reverse(own.operator, adjusting_entry_id!, { note: "it was none" })
        yield* own.match
        assert.deepEqual(yield* own.open, [])
      }).pipe(Effect.provide(readable))
    ))

  covers("INGEST-10", "INGEST-11")
  it.each(["stands", "is reversed"])(
    "and is on a corrected statement is explained by its entry again, if that %s",
    (entry) =>
      run(
        Effect.gen(function* () {
          const own = yield* reported
          const { adjusting_entry_id } = yield* own.resolve(own.found.id, {
            action: "explain",
            from: "world:simulated",
            to: "suspense"
          })
          yield* own.ends
          if (entry === "is reversed")
            yield* own.entries.reverse(own.operator, adjusting_entry_id!, { note: "it was none" })
          yield* own.corrected
          const { matches, status } = yield* own.lineOf(own.line.id)
          if (entry === "stands") {
            assert.deepEqual([status, matches[0]?.resource_id], ["explained", adjusting_entry_id])
            assert.deepEqual(yield* own.open, [])
          } else {
            assert.deepEqual([status, matches], ["unmatched", []])
            assert.deepEqual(yield* own.open, [
              { kind: "missing_in_books", amount: "3.00", direction: "credit", resources: [] }
            ])
          }
        }).pipe(Effect.provide(readable))
      )
  )
})
