/** The close of a day, its seal, and the books against the statements (CLOSE-1 to CLOSE-4). */
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { UnitOfWork } from "../../../src/engine/commit/UnitOfWork.ts"
import { toDay } from "../../../src/engine/resources/reconciliation/books.ts"
import { AdjustingEntries } from "../../../src/engine/resources/reconciliation/adjusting-entry.ts"
import { Closings } from "../../../src/engine/resources/reconciliation/closing.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { findBeginnings } from "../../../src/engine/resources/reconciliation/account-days.ts"
import { sumMovedBefore, readWorldBefore } from "../../../src/engine/resources/reconciliation/position.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { findLastSealedDay } from "../../../src/engine/resources/reconciliation/statement-roster.ts"
import { ChunkLines } from "../../../src/engine/resources/reconciliation/statement-plan.ts"
import { StatementLineKind, StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import type { StatementLineEvent } from "../../../src/machines/reconciliation/statement-line.ts"
import type { BankStatement } from "../../../src/statements/statement.ts"
import { onMemory, onServers } from "../../support/engines/every-store.ts"
import { call } from "../../support/engines/simulated-engine.ts"
import { wallClock } from "../../support/engines/wall-clock.ts"
import { covers } from "../../support/repository/covers.ts"
import { fileOf, line, readable, statement } from "../../support/statements/readable.ts"

let numbers = 0

/** An account of KES, whose `world` no other test moves, or of EUR. */
const desk = (currency = "EUR") =>
  Effect.gen(function* () {
    const [accounts, closings, statements, lines] = [
      yield* ExternalAccounts,
      yield* Closings,
      yield* BankStatements,
      yield* StatementLines
    ]
    const [storage, unitOfWork, caller] = [yield* Storage, yield* UnitOfWork, yield* call(PLATFORM_MERCHANT)]
    const value = `77-${++numbers}`
    const { id } = yield* accounts.create(caller, {
      provider: "simulated",
      currency,
      kind: "bank",
      identifiers: [{ scheme: "account_number", value }],
      opening: { date: "2026-01-01", balance: "100" },
      time_zone: "Africa/Nairobi"
    })
    let replayed = 0
    const watched = { ...caller, existing: () => void replayed++ }
    /** Steps every line of the account that is in a state. */
    const every = (status: "unmatched" | "explained" | "matched", event: StatementLineEvent) =>
      Effect.gen(function* () {
        for (const { id: line_id } of (yield* lines.list({ external_account_id: id, status })).items) {
          const key = `${line_id} ${event.type} ${++numbers}`
          yield* unitOfWork.apply(
            PLATFORM_MERCHANT,
            { deduplicationKey: key },
            Effect.gen(function* () {
              const key = { merchant_id: PLATFORM_MERCHANT, kind: StatementLineKind.kind, id: line_id }
              const [row] = yield* storage.get([key])
              const next = yield* unitOfWork.stepOrDie(StatementLineKind, row as never, event, Date.now())
              return { changes: [next.changes], result: undefined }
            })
          )
        }
      })
    return {
      id,
      every,
      lines: (query: object) => Effect.map(lines.list({ external_account_id: id, ...query }), ({ items }) => items),
      replays: () => replayed,
      closings,
      reconciled: (date: string) =>
        Effect.map(closings.reconciliation({ date, per_page: 200 }), ({ items }) =>
          items.find(({ external_account_id }) => external_account_id === id)
        ),
      close: (date: string, more: { accept?: boolean; note?: string; unexplained?: string } = {}) =>
        closings.create(watched, { external_account_id: id, date, ...more }),
      take: (different: Partial<BankStatement>) =>
        statements.take(caller, {
          file: fileOf(
            statement({
              account: { identifiers: [{ scheme: "account_number", value }], currency, bank: null },
              currency,
              ...different
            })
          )
        })
    }
  })

const reading = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, Layer.mergeAll(readable, Layer.succeed(ChunkLines, 2)))

const explained: StatementLineEvent = {
  type: "explained",
  matches: [{ resource_id: "adj_1", amount: "1", rule: "explained" }]
}

onServers("the close of a day", (run) => {
  covers("CLOSE-1", "CLOSE-2")
  it("has the figures of its lines and its statement, and is sealed when nothing is unexplained", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { close, closings, every, id, replays, take } = yield* desk()
          yield* take({
            lines: [
              line({ booked_on: "2026-01-04", amount: "5" }),
              line({ amount: "10" }),
              line({ amount: "2.5", direction: "debit" })
            ],
            closing_balance: { date: "2026-01-05", amount: "112.5" }
          })
          const refused = yield* Effect.flip(close("2026-01-05"))
          assert.strictEqual(refused._tag, "InvalidStatus")
          assert.include(refused.message, "7.50 EUR")
          yield* every("unmatched", explained)
          const results = yield* Effect.all([close("2026-01-05"), close("2026-01-05"), close("2026-01-05")], {
            concurrency: 3
          })
          const [made] = results
          assert.deepEqual(
            results.map((one) => one.id),
            [made.id, made.id, made.id]
          )
          assert.strictEqual(replays(), 2)
          assert.deepInclude(made, {
            external_account_id: id,
            date: "2026-01-05",
            currency: "EUR",
            opening: "105.00",
            booked: "7.50",
            closing: "112.50",
            statement_closing: "112.50",
            explained: "7.50",
            unexplained: "0.00",
            lines: 2,
            accepted: false,
            note: null,
            sealed_by: "application"
          })
          assert.match(made.seal, /^[0-9a-f]{64}$/)
          assert.deepEqual(yield* close("2026-01-05", { accept: true, note: "again" }), made)
          assert.deepEqual(yield* closings.get(made.id), { body: made, version: "1" })
          const sealed = { external_account_id: id, date: "2026-01-05" }
          assert.deepEqual((yield* closings.list(sealed)).items, [made])
          assert.deepEqual((yield* closings.list({ ...sealed, currency: "EUR", sealed_by: "application" })).items, [
            made
          ])
          assert.deepEqual((yield* closings.list({ ...sealed, sealed_by: "Ada" })).items, [])
          assert.deepEqual((yield* closings.list({ ...sealed, accepted: false })).items, [made])
          assert.deepEqual((yield* closings.list({ ...sealed, accepted: true })).items, [])
          assert.deepInclude(yield* closings.list({ ...sealed, currency: "NGN" }), { items: [], total: 0 })
        })
      )
    ))

  covers("CLOSE-1")
  it("accepts what was seen as unexplained, and nothing else", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { close, reconciled, take } = yield* desk()
          yield* take({ lines: [line({ amount: "1" })], closing_balance: { date: "2026-01-05", amount: "99" } })
          const accepted = { accept: true, note: "A fee of 2 is looked for" }
          for (const unexplained of ["1.00", "0", "-1.01"]) {
            const refused = yield* Effect.flip(close("2026-01-05", { ...accepted, unexplained }))
            assert.strictEqual(refused._tag, "InvalidStatus")
            assert.include(
              refused.message,
              `2026-01-05 has -1.00 EUR unexplained by now, and unexplained is ${unexplained}`
            )
          }
          const seen = (yield* reconciled("2026-01-05"))!.unexplained
          assert.deepInclude(yield* close("2026-01-05", { ...accepted, unexplained: seen }), { accepted: true })
          // What is sealed stays, whatever is said of it.
          assert.deepInclude(yield* close("2026-01-05", { ...accepted, unexplained: "0" }), { unexplained: "-1.00" })
        })
      )
    ))

  covers("CLOSE-2", "CLOSE-3")
  it("stays as it is: what comes later counts on the first open day, and what was accepted is not asked for again", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { close, every, lines, take } = yield* desk()
          yield* take({ lines: [line({ amount: "1" })], closing_balance: { date: "2026-01-05", amount: "99" } })
          assert.deepInclude(yield* close("2026-01-05", { accept: true, note: "A fee of 2 is looked for" }), {
            closing: "101.00",
            statement_closing: "99.00",
            // The line of 1 that came, and the 2 that the balance has less.
            unexplained: "-1.00",
            accepted: true,
            note: "A fee of 2 is looked for"
          })
          yield* take({ lines: [], from: "2026-01-06", to: "2026-01-06" })
          assert.deepInclude(yield* close("2026-01-06"), { opening: "99.00", closing: "99.00", lines: 0 })
          // The bank's balance of 5 January has the fee, which comes late. What it booked on 6 January is in no balance.
          yield* take({
            number: "late",
            lines: [
              line({ amount: "2", direction: "debit", bank_reference: "L-1" }),
              line({ amount: "7", booked_on: "2026-01-06" })
            ]
          })
          assert.deepInclude((yield* lines({ amount: "2", currency: "EUR" }))[0], {
            booked_on: "2026-01-05",
            accounted_on: "2026-01-07"
          })
          assert.deepInclude(yield* close("2026-01-05"), { lines: 1, closing: "101.00" })
          yield* every("unmatched", explained)
          yield* take({
            lines: [line({ booked_on: "2026-01-08", amount: "1", bank_reference: "N-1" })],
            from: "2026-01-07",
            to: "2026-01-08",
            closing_balance: { date: "2026-01-08", amount: "107" }
          })
          assert.deepInclude(yield* close("2026-01-07"), { opening: "101.00", booked: "5.00", closing: "106.00" })
          yield* every("unmatched", explained)
          assert.deepInclude(yield* close("2026-01-08"), { opening: "106.00", closing: "107.00", unexplained: "0.00" })
        })
      )
    ))

  covers("CLOSE-3")
  it("before others are closed leaves no day before it open: what comes later counts after it, and the days follow on one another", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { close, every, lines, take } = yield* desk()
          yield* take({
            from: "2026-01-04",
            to: "2026-01-06",
            lines: [
              line({ booked_on: "2026-01-04", amount: "1", bank_reference: "O-1" }),
              line({ booked_on: "2026-01-05", amount: "2", bank_reference: "O-2" }),
              line({ booked_on: "2026-01-06", amount: "4", bank_reference: "O-3" })
            ],
            closing_balance: { date: "2026-01-06", amount: "107" }
          })
          yield* every("unmatched", explained)
          assert.deepInclude(yield* close("2026-01-06"), { opening: "103.00", closing: "107.00" })
          yield* take({ number: "late", lines: [line({ amount: "8", bank_reference: "O-4" })] })
          yield* every("unmatched", explained)
          assert.deepInclude((yield* lines({ amount: "8", currency: "EUR" }))[0], {
            booked_on: "2026-01-05",
            accounted_on: "2026-01-07"
          })
          assert.deepInclude(yield* close("2026-01-05"), { opening: "101.00", booked: "2.00", closing: "103.00" })
          assert.deepInclude(yield* close("2026-01-04"), { opening: "100.00", booked: "1.00", closing: "101.00" })
          // No statement has it that states the balance of the sealed day.
          const refused = yield* Effect.flip(close("2026-01-07"))
          assert.include(refused.message, "2026-01-07 has open breaks: -8.00 EUR is unexplained")
          assert.deepInclude(yield* close("2026-01-07", { accept: true, note: "It is in no balance" }), {
            opening: "107.00",
            booked: "8.00",
            closing: "115.00"
          })
        })
      )
    ))

  covers("CLOSE-1", "CLOSE-2")
  it("keeps its seal where the account begins later by now, and the first day begins with the account's opening", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { close, every, id, take } = yield* desk()
          yield* take({ closing_balance: { date: "2026-01-05", amount: "110" } })
          yield* every("unmatched", explained)
          const sealed = yield* close("2026-01-05")
          const accounts = yield* ExternalAccounts
          const opening = { date: "2026-01-10", balance: "5000" }
          yield* accounts.update(yield* call(PLATFORM_MERCHANT), id, { opening })
          assert.deepEqual(yield* close("2026-01-05"), sealed)
          assert.strictEqual((yield* Effect.flip(close("2026-01-06")))._tag, "InvalidInput")
          yield* take({
            from: "2026-01-10",
            to: "2026-01-10",
            lines: [line({ booked_on: "2026-01-10", amount: "7" })],
            opening_balance: { date: "2026-01-10", amount: "5000" },
            closing_balance: { date: "2026-01-10", amount: "5007" }
          })
          yield* every("unmatched", explained)
          assert.deepInclude(yield* close("2026-01-10"), {
            opening: "5000.00",
            closing: "5007.00",
            unexplained: "0.00"
          })
        })
      )
    ))

  covers("CLOSE-3", "CLOSE-4")
  it("does not add a line that was booked before the account began, which its opening balance has", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { close, every, reconciled, take } = yield* desk("GHS")
          const before = line({ booked_on: "2025-12-31", value_on: "2025-12-31", currency: "GHS", amount: "40" })
          const own = (day: string, balance: string, amount: string) =>
            take({
              from: day,
              to: day,
              number: day,
              lines: [line({ booked_on: day, value_on: day, currency: "GHS", amount })],
              closing_balance: { date: day, amount: balance }
            })
          yield* own("2026-01-05", "110", "10")
          const known = yield* reconciled("2026-01-06")
          yield* take({ from: "2025-12-31", to: "2025-12-31", number: "0", lines: [before] })
          // Somebody must say what it is, but it is of no day here, and nothing is outstanding.
          assert.deepEqual(yield* reconciled("2026-01-06"), known!)
          assert.strictEqual(known!.outstanding, "0.00")
          yield* every("unmatched", explained)
          yield* close("2026-01-05")
          const late = line({ booked_on: "2025-12-30", value_on: "2025-12-30", currency: "GHS", amount: "30" })
          yield* take({ from: "2025-12-30", to: "2025-12-30", number: "-1", lines: [late] })
          yield* own("2026-01-06", "115", "5")
          yield* every("unmatched", explained)
          assert.deepInclude(yield* close("2026-01-06"), { closing: "115.00", unexplained: "0.00" })
        })
      )
    ))

  covers("CLOSE-4")
  it("stands in the day's reconciliation beside the books, whose difference is outstanding or in open lines", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { close, closings, every, id, reconciled, take } = yield* desk("KES")
          const entries = yield* AdjustingEntries
          assert.deepInclude(yield* reconciled("2026-01-05"), {
            ledger: "100.00",
            statement: "100.00",
            difference: "0.00",
            outstanding: "0.00",
            unexplained: "0.00",
            oldest_break: null,
            last_statement: null,
            sealed: false
          })
          // The books have 30 in, which no statement has; a statement has 4 out, which the books do not have.
          const entry = yield* entries.create(yield* call(PLATFORM_MERCHANT), {
            from: "world:simulated",
            to: "suspense",
            amount: "30",
            currency: "KES",
            note: "a pay-in"
          })
          const today = toDay("Africa/Nairobi", Date.parse(entry.created_at))
          yield* take({
            number: "2",
            from: today,
            to: today,
            lines: [line({ booked_on: today, currency: "KES", amount: "4", direction: "debit" })],
            closing_balance: { date: today, amount: "96" }
          })
          // The first statement of the day comes late, and is not its last word.
          yield* take({
            number: "1",
            from: today,
            to: today,
            lines: [],
            closing_balance: { date: today, amount: "100" }
          })
          assert.deepInclude(yield* reconciled("2026-01-05"), { ledger: "100.00", difference: "0.00" })
          const rows = (query: object) => Effect.map(closings.reconciliation(query), ({ items }) => items)
          assert.deepEqual(
            (yield* rows({ external_account_id: id, provider: "simulated", currency: "KES" })).map(
              (row) => row.external_account_id
            ),
            [id]
          )
          const isListed = (sealed: boolean, date: string) =>
            Effect.map(rows({ external_account_id: id, sealed, date }), (found) => found.length === 1)
          assert.deepEqual([yield* isListed(false, today), yield* isListed(true, today)], [true, false])
          for (const query of [{ external_account_id: "xac_0" }, { provider: "none" }, { currency: "XXX" }])
            assert.deepEqual(yield* rows(query), [])
          assert.deepInclude(yield* reconciled(today), {
            ledger: "130.00",
            statement: "96.00",
            difference: "-34.00",
            outstanding: "30.00",
            unexplained: "-4.00",
            last_statement: today
          })
          yield* every("unmatched", explained)
          const tomorrow = wallClock(() => Date.parse(entry.created_at) + 86_400_000)
          assert.deepInclude(yield* Effect.provide(close(today), tomorrow), {
            outstanding: "34.00",
            unexplained: "0.00"
          })
          assert.deepInclude(yield* reconciled(today), { unexplained: "0.00", sealed: true })
          assert.deepEqual([yield* isListed(false, today), yield* isListed(true, today)], [false, true])
          assert.isTrue(yield* isListed(false, "2026-01-05"))
        })
      )
    ))
})

onMemory("a day inside a statement of several days", (run) => {
  covers("CLOSE-4")
  it("has nothing outstanding that a line of it accounts for, although the balance is that of a later day", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { close, every, reconciled, take } = yield* desk("KES")
          const entries = yield* AdjustingEntries
          yield* take({
            from: "2026-01-05",
            to: "2026-01-05",
            lines: [],
            closing_balance: { date: "2026-01-05", amount: "100" }
          })
          const paid = yield* entries.create(yield* call(PLATFORM_MERCHANT), {
            ...{ from: "suspense", to: "world:simulated", currency: "KES", note: "a payout" },
            amount: "30"
          })
          const at = Date.parse(paid.created_at)
          const [today, tomorrow] = [toDay("Africa/Nairobi", at), toDay("Africa/Nairobi", at + 86_400_000)]
          assert.deepInclude(yield* reconciled(today), { ledger: "70.00", outstanding: "-30.00", unexplained: "0.00" })
          yield* take({
            from: "2026-01-06",
            to: tomorrow,
            lines: [line({ booked_on: today, currency: "KES", amount: "30", direction: "debit" })],
            closing_balance: { date: tomorrow, amount: "70" }
          })
          assert.deepInclude(yield* reconciled(today), { outstanding: "-30.00", unexplained: "-30.00" })
          yield* every("unmatched", explained)
          assert.deepInclude(yield* reconciled(today), { outstanding: "0.00", unexplained: "0.00" })
          assert.deepInclude(yield* close(today), { closing: "70.00", outstanding: "0.00" })
          assert.deepInclude(yield* reconciled(tomorrow), { statement: "70.00", outstanding: "0.00" })
        })
      )
    ))

  covers("CLOSE-4")
  it("does not add a line that came after its seal to a balance that has it", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { close, every, reconciled, take } = yield* desk("GHS")
          const entries = yield* AdjustingEntries
          const payout = { from: "suspense", to: "world:simulated", currency: "GHS", note: "a payout" }
          const paid = yield* entries.create(yield* call(PLATFORM_MERCHANT), { ...payout, amount: "35" })
          const at = Date.parse(paid.created_at)
          const [today, tomorrow] = [toDay("Africa/Nairobi", at), toDay("Africa/Nairobi", at + 86_400_000)]
          const says = (amount: string, balance: string) =>
            take({
              from: today,
              to: today,
              lines: [line({ booked_on: today, currency: "GHS", amount, direction: "debit", bank_reference: amount })],
              closing_balance: { date: today, amount: balance }
            })
          yield* says("30", "70")
          yield* every("unmatched", explained)
          yield* close(today)
          yield* says("5", "65")
          yield* every("unmatched", explained)
          assert.deepInclude(yield* reconciled(tomorrow), { ledger: "65.00", statement: "65.00", outstanding: "0.00" })
        })
      )
    ))
})

onMemory("an account whose statements name no balance", (run) => {
  covers("CLOSE-4")
  it("has its opening balance and its lines: what lines account for is not outstanding", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { close, every, reconciled, take } = yield* desk("KES")
          const entries = yield* AdjustingEntries
          const before = (yield* reconciled("2026-01-05"))!
          const caller = yield* call(PLATFORM_MERCHANT)
          const money = { from: "suspense", to: "world:simulated", currency: "KES", note: "a payout" }
          const paid = yield* entries.create(caller, { ...money, amount: "30" })
          const today = toDay("Africa/Nairobi", Date.parse(paid.created_at))
          yield* take({
            from: "2026-01-05",
            to: "2026-01-05",
            lines: [line({ currency: "KES", amount: "4" }), line({ currency: "KES", amount: "6", direction: "debit" })]
          })
          const { outstanding } = (yield* reconciled(today))!
          yield* take({
            from: today,
            to: today,
            lines: [line({ booked_on: today, currency: "KES", amount: "30", direction: "debit" })]
          })
          assert.deepInclude(yield* reconciled("2026-01-04"), { statement: "100.00", last_statement: null })
          assert.deepInclude(yield* reconciled("2026-01-05"), {
            statement: "98.00",
            outstanding: before.outstanding,
            unexplained: "-2.00",
            last_statement: "2026-01-05"
          })
          assert.deepInclude(yield* reconciled(today), {
            statement: "68.00",
            outstanding,
            unexplained: "-30.00",
            last_statement: today
          })
          yield* every("unmatched", explained)
          assert.strictEqual(
            BigInt((yield* reconciled(today))!.outstanding.replace(".", "")) - BigInt(outstanding.replace(".", "")),
            3_200n
          )
          // A sealed day is where the lines since are added to.
          yield* close("2026-01-05")
          assert.deepInclude(yield* reconciled(today), { statement: "68.00" })
        })
      )
    ))
})

onMemory("a day that is not closed", (run) => {
  covers("CLOSE-1")
  it.each([
    ["of another form", { date: "5 January" }, "date"],
    ["before the account's first", { date: "2025-12-31" }, "date"],
    ["after today", { date: "2999-01-01" }, "date"],
    ["accepted without a note", { date: "2026-01-05", accept: true }, "note"]
  ] as const)("is one %s", (_, { date, ...more }, field) =>
    run(
      Effect.gen(function* () {
        const { close } = yield* desk()
        const error = yield* Effect.flip(close(date, more))
        assert.strictEqual(error._tag === "InvalidInput" && error.errors[0]!.field, field)
      })
    )
  )

  covers("CLOSE-1")
  it("is one until today where the account is, also without a statement", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { close } = yield* desk()
          // Nairobi is three hours ahead of UTC.
          const midnight = Date.UTC(2026, 0, 5, 21)
          const at = (now: number) =>
            Effect.provide(
              close("2026-01-06"),
              wallClock(() => now)
            )
          const refused = yield* Effect.flip(at(midnight - 1))
          assert.strictEqual(refused._tag === "InvalidInput" && refused.errors[0]!.field, "date")
          assert.include(refused.message, "to today, 2026-01-05 in Africa/Nairobi")
          assert.deepInclude(yield* at(midnight), { accepted: false, statement_closing: null, unexplained: "0.00" })
        })
      )
    ))

  covers("CLOSE-1")
  it("is in the opening of the next one, however many lines it has", () =>
    run(
      Effect.provide(
        Effect.gen(function* () {
          const { close, take } = yield* desk()
          yield* close("2026-01-04")
          yield* take({ lines: Array.from({ length: 1_001 }, () => line({ amount: "0.01" })) })
          assert.deepInclude(yield* close("2026-01-06"), { opening: "110.01", lines: 0 })
        }),
        readable
      )
    ))
})

covers("CLOSE-4")
it("the books before a day are what was posted before it, also while more is posted", async () => {
  const postings: Array<{ credit: string; debit: string; amount: string; currency: string; at: number }> = []
  const post = (at: number) =>
    void postings.push({ debit: "suspense", credit: "world:bank", amount: "1", currency: "EUR", at })
  for (let at = 0; at < 3_500; at++) post(at)
  let reads = 0
  const storage = {
    platformBalances: () =>
      Effect.sync(() => [{ account: "world:bank", currency: "EUR", balance: String(postings.length) }]),
    entries: (_: string, offset: number, limit: number) =>
      Effect.sync(() => {
        const total = postings.length
        const items = postings.toReversed().slice(offset, offset + limit)
        // Every second read is followed by a posting.
        if (++reads % 2 === 0) post(10_000)
        return { items, total }
      })
  }
  const before = readWorldBefore(storage as never, { provider: "bank", currency: "EUR" }, 500)
  assert.strictEqual(await Effect.runPromise(before), 500n)
})

covers("CLOSE-4")
it("the books before a day are what was posted before it, also where a posting of later stands before one of earlier", async () => {
  // The clocks of two nodes differ by seconds. A thousand postings are read at once, and the first of them ends the look.
  const times = [...Array.from({ length: 5 }, () => 499), 501, 499, ...Array.from({ length: 999 }, () => 502)]
  const postings = times.map((at) => ({ debit: "suspense", credit: "world:bank", amount: "1", currency: "EUR", at }))
  const balance = String(postings.length)
  const storage = {
    platformBalances: () => Effect.succeed([{ account: "world:bank", currency: "EUR", balance }]),
    entries: (_: string, offset: number, limit: number) =>
      Effect.succeed({ items: postings.toReversed().slice(offset, offset + limit), total: postings.length })
  }
  const before = readWorldBefore(storage as never, { provider: "bank", currency: "EUR" }, 500)
  assert.strictEqual(await Effect.runPromise(before), 6n)
})

covers("CLOSE-4")
it("what moved before the first account of a use began is in its opening balance", async () => {
  const uses = { both: ["payouts", "payins"], out: ["payouts"], in: ["payins"] } as const
  const accountOf = (use: keyof typeof uses, date: string) => ({
    data: { uses: uses[use], opening: { date, balance: "0" }, time_zone: "UTC" }
  })
  const at = (day: number): number => Date.UTC(2026, 0, day)
  const days = [1, 2, 3, 4, 5, 6, 7, 8]
  const out = days.map((day) => ({ debit: "suspense", credit: "world:bank", amount: "1", day }))
  const back = days.map((day) => ({ debit: "world:bank", credit: "suspense", amount: "100", day }))
  const postings = [...out, ...back]
    .toSorted((a, b) => a.day - b.day)
    .map((one, n) => ({ ...one, at: at(one.day), currency: "EUR", merchant_id: "m", resource_id: `r${n}`, version: 1 }))
  const storage = {
    entries: (_: string, offset: number, limit: number) =>
      Effect.succeed({ items: postings.toReversed().slice(offset, offset + limit), total: postings.length })
  }
  const moved = (...accounts: ReadonlyArray<ReturnType<typeof accountOf>>) =>
    Effect.runPromise(
      sumMovedBefore(storage as never, { provider: "bank", currency: "EUR" }, findBeginnings(accounts as never))
    ).then((found) => found.moved)
  const before = (first: { readonly payouts: number; readonly payins: number }): bigint =>
    BigInt(first.payouts - 1) - 100n * BigInt(first.payins - 1)
  const [third, fifth] = ["2026-01-03", "2026-01-05"] as const
  assert.strictEqual(await moved(accountOf("both", third)), before({ payouts: 3, payins: 3 }))
  assert.strictEqual(await moved(accountOf("both", fifth), accountOf("both", third)), before({ payouts: 3, payins: 3 }))
  assert.strictEqual(await moved(accountOf("out", third), accountOf("in", fifth)), before({ payouts: 3, payins: 5 }))
  // Where no account has a use, the first of all has what goes through none.
  assert.strictEqual(await moved(accountOf("in", fifth)), before({ payouts: 5, payins: 5 }))
})

covers("CLOSE-3")
it("the latest sealed day of an account that earlier releases closed is that of its closes", async () => {
  const closed = (date: string, at: number) => ({ id: `cls_${at}`, created_at: at, data: { date } })
  const storage = {
    get: () => Effect.succeed([{ data: { chunks: 3, closings: 2 } }]),
    list: () => Effect.succeed({ items: [closed("2026-01-05", 2), closed("2026-01-07", 1)], total: 2 })
  }
  const found = findLastSealedDay({ storage: storage as never }, "xac_1")
  assert.strictEqual(await Effect.runPromise(found), "2026-01-07")
})
