/** Files of bank statements: taken whole or refused whole, once, and all or nothing after a crash (INGEST-1 to INGEST-6). */
import { Effect, Layer } from "effect"
import { assert, it } from "vitest"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { DryRun, type DryRunRecord } from "../../../src/engine/ports/dry-run.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import { BankStatements, type TakeStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { ChunkLines } from "../../../src/engine/resources/reconciliation/statement-plan.ts"
import { type ListStatementLines, StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import type { BankStatementBody } from "../../../src/engine/representations/reconciliation/statement.ts"
import { SandboxOperations } from "../../../src/engine/sandbox/sandbox.ts"
import type { BankStatement, BankStatementLine } from "../../../src/statements/statement.ts"
import { onMemory, onServers } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { fileOf, line, readable, statement } from "../../support/statements/readable.ts"

/** An account of its own for each test, because a store is shared by all tests of a file. */
let numbers = 0
const desk = Effect.gen(function* () {
  const accounts = yield* ExternalAccounts
  const statements = yield* BankStatements
  const lines = yield* StatementLines
  const caller = yield* call(PLATFORM_MERCHANT)
  const number = `00-${++numbers}`
  const { id } = yield* accounts.create(caller, {
    provider: "simulated",
    currency: "EUR",
    kind: "bank",
    identifiers: [{ scheme: "account_number", value: number }],
    opening: { date: "2026-01-01", balance: "0" },
    time_zone: "Europe/Berlin"
  })
  const own = (different: Partial<BankStatement> = {}): BankStatement =>
    statement({
      account: { identifiers: [{ scheme: "account_number", value: number }], currency: "EUR", bank: null },
      ...different
    })
  let replayed = false
  const watched = { ...caller, existing: () => void (replayed = true) }
  const list = (query: ListStatementLines = {}) => lines.list({ external_account_id: id, per_page: 200, ...query })
  return {
    id,
    own,
    list,
    listed: (query?: ListStatementLines) => Effect.map(list(query), ({ items }) => items),
    statements,
    wasReplayed: () => replayed,
    take: (...of: ReadonlyArray<BankStatement>) => statements.take(watched, { file: fileOf(...of) }),
    takeFile: (input: TakeStatements) => statements.take(watched, input)
  }
})

/** Chunks of two lines, so that a file of a few lines has several. */
const reading = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.provide(effect, Layer.mergeAll(readable, Layer.succeed(ChunkLines, 2)))

/** Lines that differ in their amounts: 1.00, 2.00 and so on. */
const many = (count: number, reference: (n: number) => string | null = () => null) =>
  Array.from({ length: count }, (_, n) => line({ amount: `${n + 1}`, bank_reference: reference(n + 1) }))

onServers("a file of statements", (run) => {
  covers("INGEST-1")
  it("is taken with its lines, found by its account, and the same bytes again are the same statements", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { id, listed, own, statements, take, wasReplayed } = yield* desk
          const file = own({
            number: "5",
            opening_balance: { date: "2026-01-05", amount: "-2.5" },
            closing_balance: { date: "2026-01-05", amount: "6.25" },
            lines: [line({ amount: "10.00", remittance: "Invoice 77" }), line({ amount: "1.25", direction: "debit" })],
            pending: [line({ booked_on: null })]
          })
          const [made, ...others] = yield* take(file)
          assert.deepEqual(others, [])
          assert.match(made!.id, /^stm_[0-9a-z]{26}$/)
          assert.deepInclude(made, {
            external_account_id: id,
            format: "camt.053",
            number: "5",
            from: "2026-01-05",
            to: "2026-01-05",
            currency: "EUR",
            opening_balance: "-2.50",
            closing_balance: "6.25",
            lines: 2,
            pending: 1,
            warnings: []
          })
          assert.isFalse(wasReplayed())
          assert.deepEqual(yield* take(file), [made])
          assert.isTrue(wasReplayed())
          assert.deepEqual(yield* statements.get(made!.id), made as BankStatementBody)
          assert.deepEqual((yield* statements.list({ external_account_id: id })).items, [made as BankStatementBody])
          const lines = yield* listed()
          assert.deepEqual(
            lines.map(({ amount, direction, remittance, status }) => [amount, direction, remittance, status]),
            [
              ["1.25", "debit", null, "unmatched"],
              ["10.00", "credit", "Invoice 77", "unmatched"]
            ]
          )
          assert.deepInclude(lines[0], { statement_id: made!.id, accounted_on: "2026-01-05", matches: [] })
        })
      )
    ))

  covers("INGEST-4")
  it("has the payments of a batch under one bank reference once, however many a report had before it", () =>
    run(
      Effect.gen(function* () {
        const { list, own, take } = yield* desk
        const lines = many(130, () => "BATCH-1")
        yield* take(own({ format: "camt.052", number: "1", lines }))
        yield* take(own({ number: "2", lines }))
        assert.strictEqual((yield* list({ per_page: 1 })).total, 130)
      }).pipe(Effect.provide(Layer.mergeAll(readable, Layer.succeed(ChunkLines, 40))))
    ))

  covers("INGEST-4")
  it("has a line of a report before it under the same bank reference once, and two identical bookings twice", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { listed, own, take } = yield* desk
          const twice = [line({ bank_reference: "B-1" }), line({ bank_reference: "B-1" })]
          yield* take(own({ format: "camt.052", number: "1", lines: twice.slice(1) }))
          yield* take(own({ format: "camt.054", lines: [line({ bank_reference: "B-2", amount: "20" })] }))
          const [whole] = yield* take(
            own({ number: "9", lines: [...twice, line({ bank_reference: "B-2", amount: "20" }), line(), line()] })
          )
          assert.strictEqual(whole!.lines, 5)
          const references = Effect.map(listed(), (lines) => lines.map(({ bank_reference }) => bank_reference).sort())
          assert.deepEqual(yield* references, ["B-1", "B-1", "B-2", null, null])
          // Another amount, direction or day is another booking.
          yield* take(
            own({
              number: "10",
              lines: [
                line({ bank_reference: "B-1", amount: "11" }),
                line({ bank_reference: "B-1", direction: "debit" }),
                line({ bank_reference: "B-1", booked_on: "2026-01-06", value_on: "2026-01-06" }),
                line({ bank_reference: "B-2", amount: "20", booked_on: "2026-01-06" })
              ]
            })
          )
          assert.strictEqual((yield* listed()).length, 9)
        })
      )
    ))

  covers("INGEST-4")
  it("has a batch once that one statement has in detail and another as its total, whichever comes first", () =>
    run(
      Effect.gen(function* () {
        const { list, own, statements, take } = yield* desk
        const total = Effect.map(list({ per_page: 1 }), (page) => page.total)
        const parts = (bank_reference: string) =>
          many(90, () => bank_reference).map((one, part) => ({
            ...one,
            entry: { reference: bank_reference, direction: "credit" as const, amount: "4095", part }
          }))
        const whole = (bank_reference: string, different: Partial<BankStatementLine> = {}) =>
          line({ bank_reference, amount: "4095", ...different })
        yield* take(own({ format: "camt.054", lines: parts("IN-DETAIL") }))
        yield* take(own({ format: "mt940", number: "1", lines: [whole("IN-DETAIL")] }))
        assert.strictEqual(yield* total, 90)
        const [report] = yield* take(own({ format: "camt.052", lines: [whole("AS-TOTAL")] }))
        assert.strictEqual(yield* total, 91)
        const [detailed] = yield* take(own({ number: "1", lines: parts("AS-TOTAL") }))
        assert.strictEqual(yield* total, 180)
        assert.deepInclude(detailed, { lines: 90, lines_own: 90, lines_shared: [] })
        assert.deepInclude(yield* statements.get(report!.id), {
          lines_own: 0,
          lines_shared: [{ statement_id: detailed!.id, lines: 1 }]
        })
        // Another sum, direction or day is another booking, and so is a second total. Equal sums under one reference are not a batch.
        yield* take(
          own({
            number: "3",
            lines: [
              whole("IN-DETAIL"),
              whole("IN-DETAIL"),
              whole("IN-DETAIL", { amount: "4095.01" }),
              whole("IN-DETAIL", { direction: "debit" }),
              whole("IN-DETAIL", { booked_on: "2026-01-06", value_on: "2026-01-06" })
            ]
          })
        )
        assert.strictEqual(yield* total, 184)
      }).pipe(Effect.provide(Layer.mergeAll(readable, Layer.succeed(ChunkLines, 40))))
    ))

  covers("INGEST-4")
  it("has a batch once whose payments have references of their own, whichever comes first", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { list, own, take } = yield* desk
          const total = Effect.map(list({ per_page: 1 }), (page) => page.total)
          /** A booking of 6.00 in parts, one of which goes the other way. */
          const parts = (reference: string, different: Partial<BankStatementLine> = {}) =>
            (["debit", "credit", "credit", "credit"] as const).map((direction, part) =>
              line({
                direction,
                amount: ["3", "2", "2", "5"][part]!,
                bank_reference: part === 3 ? reference : `${reference}-${part}`,
                entry: { reference, direction: "credit", amount: "6", part },
                ...different
              })
            )
          const whole = (bank_reference: string, different: Partial<BankStatementLine> = {}) =>
            line({ bank_reference, amount: "6", ...different })
          yield* take(own({ format: "camt.054", lines: parts("IN-DETAIL") }))
          yield* take(own({ format: "camt.053", message_id: "1", lines: parts("IN-DETAIL") }))
          yield* take(own({ format: "mt940", message_id: "1", lines: [whole("IN-DETAIL")] }))
          assert.strictEqual(yield* total, 4)
          yield* take(own({ format: "camt.052", lines: [whole("AS-TOTAL")] }))
          yield* take(own({ message_id: "2", lines: parts("AS-TOTAL") }))
          assert.strictEqual(yield* total, 8)
          const alone = parts("ALONE").slice(0, 1)
          yield* take(
            own({
              format: "camt.054",
              message_id: "3",
              lines: alone.map((one) => ({ ...one, amount: "6", direction: "credit" }))
            })
          )
          yield* take(own({ message_id: "3", lines: [whole("ALONE")] }))
          assert.strictEqual(yield* total, 9)
          // Another amount, direction or day is another booking, and so is a second one.
          yield* take(
            own({
              message_id: "4",
              lines: [
                whole("IN-DETAIL"),
                whole("IN-DETAIL"),
                whole("IN-DETAIL", { amount: "6.01" }),
                whole("IN-DETAIL", { direction: "debit" }),
                whole("IN-DETAIL", { booked_on: "2026-01-06", value_on: "2026-01-06" })
              ]
            })
          )
          assert.strictEqual(yield* total, 13)
          yield* take(
            own({
              message_id: "5",
              lines: [
                ...parts("AS-TOTAL"),
                ...parts("AS-TOTAL").map((one) => ({ ...one, bank_reference: `${one.bank_reference}-2` }))
              ]
            })
          )
          assert.strictEqual(yield* total, 17)
        })
      )
    ))

  covers("INGEST-4")
  it("keeps to it when two files with the same line come at once", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { listed, own, take } = yield* desk
          const lines = many(40, (n) => `R-${n}`)
          yield* Effect.all(
            ["1", "2", "3"].map((message_id) => take(own({ message_id, lines }))),
            { concurrency: 3 }
          )
          assert.strictEqual((yield* listed()).length, 40)
        })
      )
    ))

  covers("INGEST-5", "DRYRUN-1")
  it("is only looked at in a dry run, however long it is", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { id, list, own, statements, take } = yield* desk
          for (const count of [3, 31]) {
            const file = own({ lines: many(count, (n) => `D-${n}`) })
            const record: DryRunRecord = { changes: [], written: [], not_asked: [], limits: [] }
            const counts = Effect.all([statements.list({ external_account_id: id }), list()])
            const before = (yield* counts).map(({ total }) => total)
            const [tried] = yield* Effect.provideService(take(file), DryRun, record)
            assert.strictEqual(tried!.lines, count)
            assert.isAbove(record.changes.length, 0)
            assert.deepEqual(
              (yield* counts).map(({ total }) => total),
              before
            )
            const [made] = yield* take(file)
            assert.deepEqual({ ...tried!, id: "", created_at: "" }, { ...made!, id: "", created_at: "" })
          }
        })
      )
    ))

  covers("INGEST-5")
  it("of many lines is taken in chunks, and none is missing", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { list, own, take } = yield* desk
          const count = 31
          const [made] = yield* take(own({ lines: many(count, (n) => (n % 2 === 0 ? `M-${n}` : null)) }))
          assert.strictEqual(made!.lines, count)
          assert.strictEqual((yield* list()).total, count)
          for (const amount of ["1", "30", "31.00"])
            assert.strictEqual((yield* list({ amount, currency: "EUR" })).total, 1)
        })
      )
    ))
})

/** What a process did that ended at its n-th commit, before or after it. */
const ending = (storage: Storage["Service"], nth: number, moment: "before" | "after") => {
  let commits = 0
  const died = Effect.die(new Error("the process ended"))
  return Storage.of({
    ...storage,
    commit: (change) => {
      commits++
      if (commits < nth) return storage.commit(change)
      return commits === nth && moment === "after" ? Effect.andThen(storage.commit(change), died) : died
    }
  })
}

onServers("a process that ends while it takes a file", (run) => {
  covers("INGEST-5")
  it.each(["before", "after"] as const)(
    "%s any of its commits leaves nothing to be seen, or all of it by itself, and a repeat continues",
    (moment) =>
      run(
        reading(
          Effect.gen(function* () {
            const storage = yield* Storage
            const sandbox = yield* SandboxOperations
            // A long file, whose chunks are stored before it is taken, and a short one.
            for (const count of [11, 3])
              for (let nth = 1, isOver = false; !isOver; nth++) {
                const { id, list, own, statements, take } = yield* desk
                const file = own({ lines: many(count, (n) => (n % 3 === 0 ? `C-${n}` : null)) })
                const attempt = Effect.flatMap(
                  Effect.all([BankStatements, call(PLATFORM_MERCHANT)]),
                  ([service, caller]) => service.take(caller, { file: fileOf(file) })
                )
                const engine = makeSimulatedEngine({ storage: Layer.succeed(Storage, ending(storage, nth, moment)) })
                const exit = yield* Effect.promise(() =>
                  Effect.runPromiseExit(reading(Effect.provide(attempt, engine)))
                )
                isOver = exit._tag === "Success"
                const seen = (yield* statements.list({ external_account_id: id })).total
                if (seen === 0) assert.strictEqual((yield* list()).total, 0)
                else if (nth % 2 === 0) {
                  yield* sandbox.advance({ seconds: 61 })
                  assert.strictEqual((yield* list()).total, count)
                }
                const [made] = yield* take(file)
                assert.strictEqual(made!.lines, count)
                assert.strictEqual((yield* statements.list({ external_account_id: id })).total, 1)
                const amounts = (yield* list()).items.map(({ amount }) => Number(amount)).sort((a, b) => a - b)
                assert.deepEqual(
                  amounts,
                  many(count).map(({ amount }) => Number(amount))
                )
              }
          })
        )
      )
  )
})

onMemory("what is refused of a file", (run) => {
  covers("INGEST-2", "INGEST-3")
  it("is refused whole with the place, what was found and what is taken", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { id, list, own, statements, take, takeFile } = yield* desk
          const other = yield* desk
          const refusal = <A, E>(effect: Effect.Effect<A, E>) => Effect.flip(effect)
          const cases: ReadonlyArray<
            readonly [Effect.Effect<unknown, unknown>, place: string, found: RegExp, taken: RegExp]
          > = [
            [takeFile({ file: new Uint8Array([1, 2]) }), "line 1", /no statement/, /JSON/],
            [take(), "the file", /no statement/, /at least one/],
            [
              take(own(), own({ currency: "NGN", lines: [], place: "line 7" })),
              "line 7",
              /in NGN/,
              /active external account/
            ],
            [take(statement()), "line 1", /…3000 in EUR/, /active external account/],
            [
              take(statement({ account: { identifiers: [], currency: null, bank: null } })),
              "line 1",
              /without a number/,
              /external_account_id/
            ],
            [
              takeFile({ file: fileOf(own()), external_account_id: other.id }),
              "line 1",
              /in EUR/,
              /an identifier of xac_/
            ],
            [
              takeFile({ file: fileOf(own({ currency: "NGN" })), external_account_id: id }),
              "line 1",
              /currency NGN/,
              /EUR/
            ],
            [
              take(own({ lines: [line(), line({ currency: "USD", place: "line 9" })] })),
              "line 9",
              /currency USD/,
              /EUR/
            ],
            [take(own({ lines: [line({ booked_on: null, place: "line 9" })] })), "line 9", /no booking date/, /date/],
            ...["9999-12-31", "2099-01-01", "1969-12-31", "0001-01-01"].flatMap((date) => [
              [
                take(own({ lines: [line({ booked_on: date, place: "line 9" })] })),
                "line 9",
                new RegExp(`booking date ${date}`),
                /a date from 1970-01-01 to 20\d\d-/
              ] as const,
              [
                take(own({ lines: [line({ value_on: date, place: "line 9" })] })),
                "line 9",
                new RegExp(`value date ${date}`),
                /a date from 1970-01-01 to 20\d\d-/
              ] as const,
              [
                take(own({ made_at: `${date}T11:00:00.000Z`, place: "line 8" })),
                "line 8",
                new RegExp(`creation date ${date}`),
                /a date from 1970-01-01 to 20\d\d-/
              ] as const,
              ...(["opening_balance", "closing_balance"] as const).map(
                (name) =>
                  [
                    take(own({ [name]: { date, amount: "0" }, place: "line 8" })),
                    "line 8",
                    new RegExp(`date of the ${name.replace("_", " ")} ${date}`),
                    /a date from 1970-01-01 to 20\d\d-/
                  ] as const
              )
            ]),
            [
              take(own({ lines: [line({ amount: "1.001", place: "line 9" })] })),
              "line 9",
              /1\.001/,
              /2 decimals in EUR/
            ],
            [
              take(own({ closing_balance: { date: "2026-01-05", amount: "0.001" }, place: "line 8" })),
              "line 8",
              /0\.001/,
              /2 decimals/
            ]
          ]
          for (const [attempt, place, found, taken] of cases) {
            const error = (yield* refusal(attempt)) as { readonly _tag: string; readonly errors: ReadonlyArray<object> }
            assert.strictEqual(error._tag, "InvalidInput")
            const [fault] = error.errors as ReadonlyArray<
              Readonly<Record<"place" | "found" | "taken" | "message", string>>
            >
            assert.strictEqual(fault!.place, place)
            assert.match(fault!.found, found)
            assert.match(fault!.taken, taken)
            assert.include(fault!.message, place)
          }
          assert.strictEqual((yield* refusal(takeFile({ file: new Uint8Array() })))._tag, "BadRequest")
          assert.strictEqual((yield* list()).total, 0)
          assert.strictEqual((yield* statements.list({ external_account_id: id })).total, 0)
          // Banks write a number with strokes, spaces or small letters.
          const [written = ""] = own().account.identifiers.map(({ value }) => value)
          const spaced = { scheme: "bban", value: `${written.slice(0, 2)}/${written.slice(2)} ` } as const
          assert.lengthOf(yield* take(own({ account: { identifiers: [spaced], currency: null, bank: null } })), 1)
          // A given account takes a file that names none.
          const unnamed = statement({ account: { identifiers: [], currency: null, bank: null } })
          const [made] = yield* takeFile({ file: fileOf(unnamed), external_account_id: id })
          assert.strictEqual(made!.external_account_id, id)
        })
      )
    ))

  covers("INGEST-6")
  it("is not what is noticed: a missing number and a balance that does not follow are warnings", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { own, take } = yield* desk
          const day = (date: string, number: string | null, opening: string, closing: string, different = {}) =>
            own({
              number,
              from: date,
              to: date,
              opening_balance: { date, amount: opening },
              closing_balance: { date, amount: closing },
              lines: [],
              ...different
            })
          const noticed = (...of: ReadonlyArray<BankStatement>) =>
            Effect.map(take(...of), (made) => made.map(({ warnings }) => warnings.map(({ message }) => message)))
          assert.deepEqual(yield* noticed(day("2026-01-05", "5", "0", "10")), [[]])
          assert.deepEqual(yield* noticed(day("2026-01-06", "6", "10", "20"), day("2026-01-07", "8", "20", "20")), [
            [],
            ["Number 8 follows number 6: number 7 is missing."]
          ])
          assert.deepEqual(yield* noticed(day("2026-01-08", "12/1", "20.01", "5")), [
            [
              "Number 12/1 follows number 8: numbers 9 to 11 are missing.",
              "The opening balance of 2026-01-08 is not the closing balance of the statement before, of 2026-01-07."
            ]
          ])
          // An interim report says a part, a year begins a series again, and a late statement follows the one before it.
          assert.deepEqual(yield* noticed(day("2026-01-09", "99", "7", "8", { format: "camt.052" })), [[]])
          assert.deepEqual(yield* noticed(day("2026-01-10", "1", "5", "6")), [[]])
          assert.match(
            (yield* noticed(day("2026-01-06", "6", "10", "20", { message_id: "again" })))[0]![0]!,
            /^It replaces stm_/
          )
          assert.deepEqual(yield* noticed(day("2026-01-12", null, "6", "8")), [[]])
          const { warnings } = (yield* take(day("2026-01-11", "3", "6", "6")))[0]!
          assert.deepEqual(
            warnings.map(({ code, place }) => [code, place]),
            [["gap", null]]
          )
          // A day may have several statements: each follows the one before it, also where that comes late.
          for (const [number, opening, closing] of [
            ["1", "8", "9"],
            ["2", "9", "10"],
            ["3", "10", "11"]
          ] as const)
            assert.deepEqual(yield* noticed(day("2026-02-02", number, opening, closing)), [[]])
          assert.deepEqual(yield* noticed(day("2026-02-03", "5", "12", "13")), [
            [
              "Number 5 follows number 3: number 4 is missing.",
              "The opening balance of 2026-02-03 is not the closing balance of the statement before, of 2026-02-02."
            ]
          ])
          assert.deepEqual(yield* noticed(day("2026-02-02", "4", "11", "12")), [[]])
          assert.match(
            (yield* noticed(day("2026-02-02", "2", "9", "10", { message_id: "again" })))[0]![0]!,
            /^It replaces stm_/
          )
          assert.deepEqual(yield* noticed(day("2026-02-04", "6", "13", "14")), [[]])
        })
      )
    ))
})

onServers("the lines of statements", (run) => {
  covers("LINE-1", "LINE-2")
  it("are listed by account, statement, status, day, direction, amount, reference and text", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { listed, list, own, take } = yield* desk
          const [first] = yield* take(
            own({
              lines: [
                line({ amount: "1", bank_reference: "Ref 1", counterparty: { name: "Ada Óbi", account: "NG-1" } }),
                line({
                  ...{ amount: "2", end_to_end_id: "E-2", direction: "debit", value_on: "2026-01-07" },
                  code: "NCHG"
                }),
                line({ amount: "3", uetr: "97ed4827-7b6f-4491-a06f-b548d5a7512d", remittance: "Invoice 77" })
              ]
            })
          )
          yield* take(
            own({ number: "2", lines: [line({ amount: "4.5", transaction_hash: "0xAB", booked_on: "2026-01-06" })] })
          )
          const amounts = (query: ListStatementLines) =>
            Effect.map(listed(query), (lines) => lines.map(({ amount }) => amount))
          const found: ReadonlyArray<readonly [ListStatementLines, ReadonlyArray<string>]> = [
            [{}, ["4.50", "3.00", "2.00", "1.00"]],
            [{ statement_id: first!.id }, ["3.00", "2.00", "1.00"]],
            [{ statement_id: "stm_0" }, []],
            [{ external_account_id: "xac_0" }, []],
            [{ status: "unmatched", direction: "debit" }, ["2.00"]],
            [{ status: "matched" }, []],
            [{ booked_on: "2026-01-06" }, ["4.50"]],
            [{ accounted_on: "2026-01-05" }, ["3.00", "2.00", "1.00"]],
            [{ booked_after: "2026-01-06" }, ["4.50"]],
            [{ booked_before: "2026-01-05" }, ["3.00", "2.00", "1.00"]],
            [{ booked_after: "2026-01-05", booked_before: "2026-01-06" }, ["4.50", "3.00", "2.00", "1.00"]],
            [{ value_on: "2026-01-07" }, ["2.00"]],
            [{ amount: "4.5", currency: "EUR" }, ["4.50"]],
            [{ amount: "4.500", currency: "EUR" }, ["4.50"]],
            [{ amount: "4.5", currency: "NGN" }, []],
            [{ amount: "03.0" }, ["3.00"]],
            [{ reference: "ref 1" }, ["1.00"]],
            [{ reference: "E-2" }, ["2.00"]],
            [{ reference: "97ED4827-7b6f-4491-a06f-b548d5a7512d" }, ["3.00"]],
            [{ reference: "0xab" }, ["4.50"]],
            [{ reference: "Ref" }, []],
            [{ bank_reference: "ref 1" }, ["1.00"]],
            [{ bank_reference: "E-2" }, []],
            [{ end_to_end_id: "E-2" }, ["2.00"]],
            [{ uetr: "97ed4827-7b6f-4491-a06f-b548d5a7512d" }, ["3.00"]],
            [{ transaction_hash: "0xAB" }, ["4.50"]],
            [{ transaction_hash: "ref 1" }, []],
            [{ code: "nchg" }, ["2.00"]],
            [{ reversal: true }, []],
            [{ reversal: false, amount: "3" }, ["3.00"]],
            [{ resource_id: "ofr_0" }, []],
            [{ remittance: "invoice" }, ["3.00"]],
            [{ remittance: "obi" }, []],
            [{ text: "obi" }, ["1.00"]],
            [{ text: "ng-1" }, ["1.00"]],
            [{ text: "INVOICE" }, ["3.00"]],
            [{ text: "invoice", booked_on: "2026-01-06" }, []]
          ]
          for (const [query, expected] of found)
            assert.deepEqual(yield* amounts(query), expected, JSON.stringify(query))
          const page = yield* list({ booked_before: "2026-01-05", per_page: 2, page: 2 })
          assert.deepInclude(page, { page: 2, per_page: 2, total: 3 })
          assert.deepEqual(
            page.items.map(({ amount }) => amount),
            ["1.00"]
          )
        })
      )
    ))

  covers("LINE-2")
  it("refuse an amount of another form", () =>
    run(
      Effect.gen(function* () {
        const error = yield* Effect.flip((yield* StatementLines).list({ amount: "1,5" }))
        assert.strictEqual(error._tag === "InvalidInput" && error.errors[0]!.field, "amount")
      })
    ))
})

onMemory("a file of which each line is noticed", (run) => {
  covers("STATEMENT-15")
  it("leaves 500 warnings of a statement, of which the last counts the others", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { own, take } = yield* desk
          const noticed = (count: number) =>
            Array.from({ length: count }, (_, n) => ({
              code: "sum_of_transactions" as const,
              message: `Entry ${n + 1}.`,
              place: `line ${n + 1}`
            }))
          const [[few], [many]] = [
            yield* take(own({ number: "1", warnings: noticed(500) })),
            yield* take(own({ number: "2", warnings: noticed(100_000) }))
          ]
          assert.deepEqual(few!.warnings, noticed(500))
          assert.lengthOf(many!.warnings, 500)
          assert.deepEqual(many!.warnings.slice(0, 499), noticed(499))
          assert.strictEqual(many!.warnings[499]!.message, "Entry 500. 99500 more warnings follow, which are not kept.")
        })
      )
    ))

  covers("STATEMENT-15")
  it("leaves what is said once, of the whole statement, although it is said behind the others", () =>
    run(
      reading(
        Effect.gen(function* () {
          const { own, take } = yield* desk
          const noticed = (code: "sum_of_transactions" | "no_balances" | "line_count", message: string) => ({
            code,
            message,
            place: "line 1"
          })
          const entries = Array.from({ length: 501 }, (_, n) => noticed("sum_of_transactions", `Entry ${n + 1}.`))
          const whole = [noticed("no_balances", "Nothing holds its lines."), noticed("line_count", "One is missing.")]
          const [taken] = yield* take(own({ number: "1", warnings: [...entries, ...whole] }))
          const last = "Entry 498. 3 more warnings follow, which are not kept."
          assert.deepEqual(taken!.warnings, [...whole, ...entries.slice(0, 497), noticed("sum_of_transactions", last)])
        })
      )
    ))
})
