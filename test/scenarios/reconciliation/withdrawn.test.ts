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

/** An account with an interim report of 5 January 2026, of these credits, 3.00 together. */
const reporting = Effect.fnUntraced(function* (amounts: ReadonlyArray<string>) {
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
  const creditsOf = (some: ReadonlyArray<string>) =>
    some.map((amount) => ({ amount, direction: "credit", booked_on: "2026-01-05" }) as const)
  const lines = yield* desk.says(creditsOf(amounts), { ...own, format: "camt.052" })
  yield* match
  const balance = { date: "2026-01-05", amount: "10" }
  /** The statement of the day, which does not have it. */
  const ends = Effect.andThen(
    desk.says([], { ...own, number: "1", opening_balance: balance, closing_balance: balance }),
    match
  )
  /** The same statement once more, with these. */
  const correctedWith = (some: ReadonlyArray<string>) =>
    Effect.andThen(
      desk.says(creditsOf(some), {
        ...own,
        number: "1",
        opening_balance: balance,
        closing_balance: { ...balance, amount: String(some.reduce((sum, one) => sum + Number(one), 10)) }
      }),
      match
    )
  const corrected = correctedWith(amounts)
  const open = Effect.map(desk.breaks({ external_account_id: id, status: "open" }), (all) =>
    all.map(({ amount, direction, kind, resources }) => ({ kind, amount, direction, resources }))
  )
  const [found] = yield* desk.about(lines[0]!.id)
  return { ...desk, match, lines, line: lines[0]!, found: found!, ends, corrected, correctedWith, open }
})

const reported = reporting(["3"])

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

  covers("BREAK-6")
  it("leaves the entry that was made for it, which holds another line that it accounts for in part", () =>
    run(
      Effect.gen(function* () {
        const own = yield* reported
        yield* own.resolve(own.found.id, { action: "dismiss" })
        const made = { from: "world:simulated", to: "suspense", currency: "NGN", note: "theirs" } as const
        const entry = yield* own.entries.create(own.operator, { ...made, amount: "3.00", line_id: own.line.id })
        assert.deepInclude(entry, { break_id: null, line_id: own.line.id })
        yield* own.ends
        const others = yield* Effect.forEach(["2.00", "1.00"], (amount) =>
          own.entries.create(own.operator, { ...made, amount })
        )
        yield* own.correctedWith(["5", "1", "7"])
        const open = yield* own.breaks({ external_account_id: own.found.external_account_id, status: "open" })
        const breakOf = (amount: string) =>
          open.find((one) => one.kind === "missing_in_books" && one.amount === amount)!
        const held = breakOf("5.00")
        const line_ids = held.lines
        yield* own.resolve(held.id, { action: "match", line_ids, resource_ids: [entry.id, others[0]!.id] })
        assert.strictEqual((yield* own.lineOf(line_ids[0]!)).status, "matched")
        const refused = yield* Effect.flip(own.resolve(breakOf("7.00").id, { action: "unmatch", line_ids }))
        assert.strictEqual(refused._tag, "InvalidStatus")
        assert.strictEqual((yield* own.lineOf(line_ids[0]!)).status, "matched")
        // An entry that was made for no line holds none.
        const { id, lines } = breakOf("1.00")
        yield* own.resolve(id, { action: "match", resource_ids: [others[1]!.id] })
        yield* own.resolve(breakOf("7.00").id, { action: "unmatch", line_ids: lines })
        assert.strictEqual((yield* own.lineOf(lines[0]!)).status, "unmatched")
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

  covers("INGEST-10", "INGEST-11")
  it.each(["both", "one"])(
    "with another is what a person decided of the two again, if %s is on a corrected statement",
    (back) =>
      run(
        Effect.gen(function* () {
          const own = yield* reporting(["1", "2"])
          const [first, second] = own.lines
          const entry = yield* own.entries.create(own.operator, {
            ...{
              currency: "NGN",
              amount: "3",
              from: "world:simulated",
              to: "suspense",
              note: "two parts of one payment"
            }
          })
          yield* own.resolve(own.found.id, {
            action: "match",
            line_ids: [first!.id, second!.id],
            resource_ids: [entry.id]
          })
          assert.deepEqual(yield* own.open, [])
          yield* own.ends
          yield* back === "both" ? own.corrected : own.correctedWith(["1"])
          const now = yield* Effect.forEach([first!, second!], ({ id }) => own.lineOf(id))
          const decided = now.map(({ matches, status }) => [
            status,
            ...matches.map(({ amount, resource_id }) => [amount, resource_id])
          ])
          if (back === "both") {
            assert.deepEqual(decided, [
              ["matched", ["1.00", entry.id]],
              ["matched", ["2.00", entry.id]]
            ])
            assert.deepEqual(yield* own.open, [])
          } else assert.deepEqual(decided, [["unmatched"], ["withdrawn"]])
        }).pipe(Effect.provide(readable))
      )
  )
})
