/** What is derived follows what it is derived from: other accounts' lines, withdrawn lines, and the settings of the account. */
import { Clock, Effect } from "effect"
import { assert, describe, it } from "vitest"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { AdjustingEntries } from "../../../src/engine/resources/reconciliation/adjusting-entry.ts"
import { Breaks } from "../../../src/engine/resources/reconciliation/break.ts"
import {
  type CreateExternalAccount,
  ExternalAccounts,
  type UpdateExternalAccount
} from "../../../src/engine/resources/reconciliation/external-account.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import { Reconciliations } from "../../../src/engine/work/reconciliation/Reconciliations.ts"
import type { BankStatement, BankStatementLine } from "../../../src/statements/statement.ts"
import type { SimulatedEngine } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { merchantAtWork } from "../../support/merchants/merchant-at-work.ts"
import { covers } from "../../support/repository/covers.ts"
import { fileOf, line, readable, statement } from "../../support/statements/readable.ts"

const DAY = 86_400

/** Runs in an engine of its own. */
const run = <A, E>(effect: Effect.Effect<A, E, SimulatedEngine>): Promise<A> =>
  Effect.runPromise(effect.pipe(Effect.provide(readable), Effect.provide(makeSimulatedEngine())))

const today = Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString().slice(0, 10))

/** An account of the simulated provider in USDC, and what its bank says. */
const accountNumbered = Effect.fnUntraced(function* (value: string, more: Partial<CreateExternalAccount> = {}) {
  const [accounts, statements, lines, breaks, all] = [
    yield* ExternalAccounts,
    yield* BankStatements,
    yield* StatementLines,
    yield* Breaks,
    yield* Reconciliations
  ]
  const operator = yield* call(PLATFORM_MERCHANT)
  const identifier = { scheme: "account_number", value } as const
  const { id } = yield* accounts.create(operator, {
    provider: "simulated",
    currency: "USDC",
    kind: "bank",
    identifiers: [identifier],
    opening: { date: "2023-01-01", balance: "0" },
    time_zone: "UTC",
    ...more
  })
  let files = 0
  const fileWith = Effect.fnUntraced(function* (
    given: ReadonlyArray<Partial<BankStatementLine>>,
    different: Partial<BankStatement> = {}
  ) {
    const day = different.from ?? (yield* today)
    return fileOf(
      statement({
        account: { identifiers: [identifier], currency: "USDC", bank: null },
        currency: "USDC",
        message_id: `${value} ${++files}`,
        number: `${files}`,
        from: day,
        to: day,
        lines: given.map((one) =>
          line({ booked_on: day, value_on: day, currency: "USDC", direction: "debit", ...one })
        ),
        ...different
      })
    )
  })
  const lineOf = (line_id: string) =>
    Effect.map(lines.get(line_id), ({ matches, status }) => [
      status,
      matches.map(({ resource_id, rule }) => `${resource_id} by ${rule}`).toSorted()
    ])
  return {
    id,
    fileWith,
    match: all.match(id),
    patch: (input: UpdateExternalAccount) => accounts.update(operator, id, input),
    take: (file: Uint8Array, input: object = {}) => statements.take(operator, { file, ...input }),
    warnings: (statement_id: string) =>
      Effect.map(statements.get(statement_id), ({ warnings }) => warnings.map(({ code }) => code)),
    says: Effect.fnUntraced(function* (
      given: ReadonlyArray<Partial<BankStatementLine>>,
      different?: Partial<BankStatement>
    ) {
      const [made] = yield* statements.take(operator, { file: yield* fileWith(given, different) })
      yield* all.match(id)
      const { items } = yield* lines.list({ statement_id: made!.id, per_page: 200 })
      return { id: made!.id, lines: items.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map((one) => one.id) }
    }),
    lineOf,
    /** The open breaks of the account, but for what funded the merchant. */
    breaks: Effect.map(breaks.list({ external_account_id: id, status: "open", per_page: 200 }), ({ items }) =>
      items
        .filter(({ direction, kind }) => kind !== "missing_on_statement" || direction === "debit")
        .map(({ amount, kind, severity }) => `${kind} ${severity} ${amount}`)
        .toSorted()
    )
  }
})

const merchant = merchantAtWork("100000")

const paid = Effect.fnUntraced(function* (
  m: Effect.Success<typeof merchant>,
  amount: string,
  more: object = {},
  outcome: object = {}
) {
  const { id } = yield* m.transfer(amount, more)
  yield* m.settle
  yield* m.says(id, "success", outcome)
  return id
})

describe("a line that names a movement", () => {
  const accounts = Effect.gen(function* () {
    const m = yield* merchant
    return { m, a: yield* accountNumbered("1"), b: yield* accountNumbered("2") }
  })

  covers("MATCH-5")
  it.each(["A first", "B first"])("takes it from one of another account that is only alike: %s", (order) =>
    run(
      Effect.gen(function* () {
        const { a, b, m } = yield* accounts
        const id = yield* paid(m, "77.77")
        const alike = () => a.says([{ amount: "77.77" }])
        const named = () => b.says([{ amount: "77.77", end_to_end_id: `${id}.payout` }])
        const first = order === "A first" ? yield* alike() : undefined
        const {
          lines: [theirs]
        } = yield* named()
        const {
          lines: [own]
        } = first ?? (yield* alike())
        yield* a.match
        assert.deepEqual(yield* b.lineOf(theirs!), ["matched", [`${id} by command_id`]])
        assert.deepEqual(yield* a.lineOf(own!), ["unmatched", []])
        assert.deepEqual(yield* a.breaks, ["missing_in_books low 77.77"])
        assert.deepEqual(yield* b.breaks, [])
      })
    )
  )

  covers("MATCH-5", "MATCH-6")
  it.each(["A first", "B first"])("twice on one account, leaves it to no line that is alike on another: %s", (order) =>
    run(
      Effect.gen(function* () {
        const { a, b, m } = yield* accounts
        const id = yield* paid(m, "77.77")
        const alike = () => a.says([{ amount: "77.77" }])
        const named = { amount: "77.77", end_to_end_id: `${id}.payout` }
        const first = order === "A first" ? yield* alike() : undefined
        yield* b.says([named, { ...named, bank_reference: "SECOND" }])
        const {
          lines: [own]
        } = first ?? (yield* alike())
        yield* m.advance(DAY)
        assert.deepEqual(yield* a.lineOf(own!), ["unmatched", []])
        assert.deepEqual(yield* a.breaks, ["missing_in_books low 77.77"])
        assert.deepEqual(yield* b.breaks, ["executed_twice high 77.77"])
      })
    )
  )

  covers("MATCH-5", "BREAK-3")
  it.each(["A first", "B first"])(
    "with another amount, leaves it to no line that is alike on another account, and it is not missing: %s",
    (order) =>
      run(
        Effect.gen(function* () {
          const { a, b, m } = yield* accounts
          const id = yield* paid(m, "77.77")
          const alike = () => a.says([{ amount: "77.77" }])
          const first = order === "A first" ? yield* alike() : undefined
          yield* b.says([{ amount: "70.00", end_to_end_id: `${id}.payout` }])
          const {
            lines: [own]
          } = first ?? (yield* alike())
          yield* m.advance(8 * DAY)
          assert.deepEqual(yield* a.lineOf(own!), ["unmatched", []])
          assert.deepEqual(yield* a.breaks, ["missing_in_books low 77.77"])
          assert.deepEqual(yield* b.breaks, ["amount_differs high 7.77"])
        })
      )
  )
})

covers("BREAK-3", "INGEST-11")
it("a movement that only a withdrawn line named is missing", () =>
  run(
    Effect.gen(function* () {
      const m = yield* merchant
      const a = yield* accountNumbered("1")
      const id = yield* paid(m, "77.77")
      const day = yield* today
      const {
        lines: [own]
      } = yield* a.says([{ amount: "70.00", end_to_end_id: `${id}.payout` }], { format: "camt.052" })
      assert.deepEqual(yield* a.breaks, ["amount_differs high 7.77"])
      yield* m.advance(8 * DAY)
      assert.deepEqual(yield* a.breaks, ["amount_differs high 7.77"])
      const balance = { date: day, amount: "0" }
      yield* a.says([], { from: day, to: day, opening_balance: balance, closing_balance: balance })
      assert.deepEqual(yield* a.lineOf(own!), ["withdrawn", []])
      yield* m.advance(8 * DAY)
      assert.deepEqual(yield* a.breaks, ["missing_on_statement low 77.77"])
    })
  ))

describe("what the clock looks for", () => {
  covers("BREAK-3", "EXTERNAL-1")
  it("begins with an earlier opening that the account is given", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const first = yield* today
        yield* paid(m, "77.77")
        yield* m.advance(8 * DAY)
        const a = yield* accountNumbered("1", { opening: { date: yield* today, balance: "0" } })
        yield* m.advance(8 * DAY)
        assert.deepEqual(yield* a.breaks, [])
        yield* a.patch({ opening: { date: first, balance: "0" }, note: "earlier" })
        yield* m.advance(60)
        assert.deepEqual(yield* a.breaks, ["missing_on_statement low 77.77"])
      })
    ))

  covers("BREAK-3", "EXTERNAL-1")
  it("ends with what was before a later opening that the account is given", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const a = yield* accountNumbered("1")
        yield* paid(m, "77.77")
        yield* m.advance(8 * DAY)
        assert.deepEqual(yield* a.breaks, ["missing_on_statement low 77.77"])
        const opening = { date: yield* today, balance: "0" }
        yield* a.patch({ opening, note: "later" })
        yield* m.advance(60)
        assert.deepEqual(yield* a.breaks, [])
        yield* a.patch({ opening: { ...opening, date: "2023-01-01" }, note: "earlier" })
        yield* m.advance(60)
        assert.deepEqual(yield* a.breaks, ["missing_on_statement low 77.77"])
      })
    ))

  covers("BREAK-3")
  it("is what was not due, too, once the account is also the first for payouts", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const now = yield* Clock.currentTimeMillis
        const days = (12 - new Date(now).getUTCDay()) % 7
        yield* m.advance(days * DAY)
        assert.strictEqual(new Date(yield* Clock.currentTimeMillis).getUTCDay(), 5)
        const out = yield* accountNumbered("1", { uses: ["payouts"] })
        const both = yield* accountNumbered("2", { uses: ["payins"] })
        yield* paid(m, "77.77")
        // On Monday, after a look: it is due on Tuesday.
        yield* m.advance(3 * DAY)
        yield* m.deposit({ amount: "1" })
        yield* m.advance(DAY / 2)
        yield* out.patch({ status: "closed", note: "moved" })
        yield* both.patch({ uses: ["payouts", "payins"], note: "moved" })
        yield* m.advance(2 * DAY)
        assert.deepEqual(yield* both.breaks, ["missing_on_statement low 77.77"])
      })
    ))
})

describe("likeness", () => {
  covers("MATCH-5")
  it.each([{ unrelated: [] }, { unrelated: [{ amount: "7.13", remittance: "unrelated" }] }])(
    "counts what was moved, not what was asked for, beside $unrelated",
    ({ unrelated }) =>
      run(
        Effect.gen(function* () {
          const m = yield* merchant
          const a = yield* accountNumbered("1")
          const ids = [yield* paid(m, "100.00", {}, { amount: "99.50" }), yield* paid(m, "99.50")]
          const {
            lines: [own]
          } = yield* a.says([{ amount: "99.50" }, ...unrelated])
          assert.deepEqual(yield* a.lineOf(own!), ["proposed", ids.map((id) => `${id} by alike`).toSorted()])
        })
      )
  )

  covers("MATCH-5")
  it("counts a movement of the day however long before it was made", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const a = yield* accountNumbered("1")
        const old = yield* m.transfer("77.77")
        yield* m.settle
        yield* m.advance(40 * DAY)
        yield* m.says(old.id, "success")
        const id = yield* paid(m, "77.77")
        const {
          lines: [own]
        } = yield* a.says([{ amount: "77.77" }])
        assert.deepEqual(yield* a.lineOf(own!), ["proposed", [old.id, id].map((one) => `${one} by alike`).toSorted()])
      })
    ))

  covers("MATCH-4", "MATCH-5")
  it.each([{ unrelated: [] }, { unrelated: [{ amount: "7.13", remittance: "unrelated" }] }])(
    "decides after the batch of the day, beside $unrelated",
    ({ unrelated }) =>
      run(
        Effect.gen(function* () {
          const m = yield* merchant
          const a = yield* accountNumbered("1")
          const ids = [yield* paid(m, "10.00"), yield* paid(m, "20.50")]
          const entries = yield* AdjustingEntries
          yield* entries.create(yield* call(PLATFORM_MERCHANT), {
            from: "costs:simulated",
            to: "world:simulated",
            amount: "30.50",
            currency: "USDC",
            note: "a fee"
          })
          const {
            lines: [own]
          } = yield* a.says([{ amount: "30.50" }, ...unrelated])
          assert.deepEqual(yield* a.lineOf(own!), ["matched", ids.map((id) => `${id} by batch_day`).toSorted()])
        })
      )
  )
})

describe("a reference in a line's text", () => {
  covers("MATCH-3")
  it.each(["wallet", "merchant", "failed transfer"])("is found beside the id of a %s", (kind) =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const a = yield* accountNumbered("1")
        const failed = yield* m.transfer("5.00")
        yield* m.settle
        yield* m.says(failed.id, "failed")
        const id = yield* paid(m, "77.77", { reference: "INV-2026-9" })
        const other = { wallet: m.wallet.id, merchant: m.merchant_id, "failed transfer": failed.id }[kind]
        const {
          lines: [own]
        } = yield* a.says([{ amount: "77.77", remittance: `INV-2026-9 of ${other}` }])
        assert.deepEqual(yield* a.lineOf(own!), ["matched", [`${id} by reference`]])
      })
    )
  )
})

covers("INGEST-1", "INGEST-2", "EXTERNAL-3")
it("bytes that were taken for one account are taken for another that has its number now", () =>
  run(
    Effect.gen(function* () {
      const a = yield* accountNumbered("1")
      const file = yield* a.fileWith([{ amount: "77.77" }])
      const [first] = yield* a.take(file)
      yield* a.patch({ status: "closed", note: "moved" })
      const b = yield* accountNumbered("1")
      const [second] = yield* b.take(file, { external_account_id: b.id })
      assert.deepEqual([first!.external_account_id, second!.external_account_id], [a.id, b.id])
      const [again] = yield* b.take(file, { external_account_id: b.id })
      assert.strictEqual(again!.id, second!.id)
      const [before] = yield* a.take(file, { external_account_id: a.id })
      assert.strictEqual(before!.id, first!.id)
    })
  ))

describe("a changed account", () => {
  covers("INGEST-6", "EXTERNAL-1")
  it("has no warning of a gap that its opening explains", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const a = yield* accountNumbered("1", { opening: { date: "2026-01-05", balance: "0" } })
        const at = (day: string, amount: string) => {
          const balance = { date: day, amount }
          return { from: day, to: day, opening_balance: balance, closing_balance: balance }
        }
        yield* a.says([], at("2026-01-05", "0"))
        const { id } = yield* a.says([], at("2026-01-07", "50"))
        assert.deepEqual([yield* a.warnings(id), yield* a.breaks], [["gap"], ["gap low 50.00"]])
        yield* a.patch({ opening: { date: "2026-01-07", balance: "50" }, note: "later" })
        yield* m.advance(60)
        assert.deepEqual([yield* a.warnings(id), yield* a.breaks], [[], []])
      })
    ))

  covers("MATCH-5", "EXTERNAL-1")
  it("has the matches by likeness of its time zone", () =>
    run(
      Effect.gen(function* () {
        const m = yield* merchant
        const a = yield* accountNumbered("1")
        const now = yield* Clock.currentTimeMillis
        // 23:00 UTC.
        yield* m.advance((DAY - ((now / 1000) % DAY) + 23 * 3600) % DAY)
        const id = yield* paid(m, "77.77")
        const {
          lines: [own]
        } = yield* a.says([{ amount: "77.77" }])
        yield* m.advance(3 * DAY)
        assert.deepEqual(yield* a.lineOf(own!), ["matched", [`${id} by alike`]])
        yield* a.patch({ time_zone: "Asia/Kolkata", note: "theirs" })
        yield* m.advance(60)
        assert.deepEqual(yield* a.lineOf(own!), ["proposed", [`${id} by near`]])
        yield* a.patch({ time_zone: "UTC", note: "ours" })
        yield* m.advance(60)
        assert.deepEqual(yield* a.lineOf(own!), ["matched", [`${id} by alike`]])
      })
    ))
})
