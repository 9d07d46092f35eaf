/** What is open of a sealed day: whichever way it came to be open, one day counts it (CLOSE-3, CLOSE-5). */
import { Clock, Effect } from "effect"
import { assert, it } from "vitest"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { AdjustingEntries } from "../../../src/engine/resources/reconciliation/adjusting-entry.ts"
import { Breaks } from "../../../src/engine/resources/reconciliation/break.ts"
import { Closings } from "../../../src/engine/resources/reconciliation/closing.ts"
import {
  ExternalAccounts,
  type UpdateExternalAccount
} from "../../../src/engine/resources/reconciliation/external-account.ts"
import type { ResolveBreak } from "../../../src/engine/resources/reconciliation/resolution.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import { nextDay } from "../../../src/engine/resources/reconciliation/statement-roster.ts"
import { Reconciliations } from "../../../src/engine/work/reconciliation/Reconciliations.ts"
import type { BankStatement, BankStatementLine } from "../../../src/statements/statement.ts"
import { onMemory, onServers, type SimulatedEngine } from "../../support/engines/every-store.ts"
import { call, makeSimulatedEngine } from "../../support/engines/simulated-engine.ts"
import { covers } from "../../support/repository/covers.ts"
import { atDesk, brief } from "../../support/statements/day-desk.ts"
import { fileOf, line, readable, statement } from "../../support/statements/readable.ts"
import { overtaken } from "../../support/stores/overtaken.ts"

let numbers = 0

const minor = (decimal: string): bigint => BigInt(decimal.replace(".", ""))

/** An account of EUR that begins yesterday (`first`) with 1,000.00. */
const desk = Effect.gen(function* () {
  const [accounts, breaks, closings, entries, lines, reconciliations, takers] = [
    yield* ExternalAccounts,
    yield* Breaks,
    yield* Closings,
    yield* AdjustingEntries,
    yield* StatementLines,
    yield* Reconciliations,
    yield* BankStatements
  ]
  const operator = yield* call(PLATFORM_MERCHANT)
  const now = yield* Clock.currentTimeMillis
  const first = new Date(now - 86_400_000).toISOString().slice(0, 10)
  const second = nextDay(first)
  const identifier = { scheme: "account_number", value: `88-${++numbers}` } as const
  const { id } = yield* accounts.create(operator, {
    provider: "simulated",
    currency: "EUR",
    kind: "bank",
    identifiers: [identifier],
    opening: { date: first, balance: "1000" },
    time_zone: "UTC"
  })
  const match = Effect.andThen(reconciliations.match(id), reconciliations.match(id))
  const open = Effect.map(breaks.list({ external_account_id: id, status: "open", per_page: 200 }), ({ items }) =>
    items.filter(({ kind }) => kind !== "missing_on_statement")
  )
  const unexplained = (date: string) =>
    Effect.map(closings.reconciliation({ external_account_id: id, date }), ({ items }) => minor(items[0]!.unexplained))
  return {
    id,
    first,
    second,
    match,
    open,
    unexplained,
    lines: Effect.map(lines.list({ external_account_id: id }), ({ items }) => items.toReversed()),
    /** Takes a statement of debits of a day, and matches. */
    says: Effect.fnUntraced(function* (
      day: string,
      given: ReadonlyArray<Partial<BankStatementLine>>,
      different: Partial<BankStatement> = {}
    ) {
      const own = statement({
        account: { identifiers: [identifier], currency: "EUR", bank: null },
        message_id: `sealed ${++numbers}`,
        from: day,
        to: day,
        lines: given.map((one) => line({ booked_on: day, value_on: day, direction: "debit", ...one })),
        ...different
      })
      yield* takers.take(operator, { file: fileOf(own) })
      yield* match
    }),
    post: (amount: string, more: object = {}) =>
      entries.create(operator, {
        ...{ from: "costs:simulated", to: "world:simulated", amount, currency: "EUR", note: "an entry" },
        ...more
      }),
    reverse: (entry_id: string) => entries.reverse(operator, entry_id, { note: "booked in error" }),
    resolve: (break_id: string, input: Omit<ResolveBreak, "note">) =>
      reconciliations.resolve(operator, break_id, { note: "seen", ...input }),
    close: (date: string, accept = false) =>
      closings.create(operator, { external_account_id: id, date, ...(accept ? { accept, note: "seen" } : {}) }),
    change: (patch: UpdateExternalAccount) => accounts.update(operator, id, patch),
    /** What the open breaks come to, as `unexplained` has it. */
    inBreaks: Effect.map(open, (all) =>
      all.reduce((sum, { amount, direction }) => sum + (direction === "debit" ? -1n : 1n) * minor(amount ?? "0"), 0n)
    )
  }
})
type Desk = Effect.Success<typeof desk>

const reading = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.provide(effect, readable)

/** What is done before the first day is sealed, and returns how it is undone. */
type Way = (own: Desk) => Effect.Effect<Effect.Effect<unknown, unknown, SimulatedEngine>, unknown, SimulatedEngine>

const onlyBreak = (own: Desk) => Effect.map(own.open, ([found]) => found!)

const ways: Readonly<Record<string, Way>> = {
  "the entry that its line is matched with is reversed": (own) =>
    Effect.gen(function* () {
      const entry = yield* own.post("100")
      yield* own.says(own.first, [{ amount: "100", remittance: entry.id }])
      return own.reverse(entry.id)
    }),
  "its dismissed break is opened again": (own) =>
    Effect.gen(function* () {
      yield* own.says(own.first, [{ amount: "100", remittance: "WIRE" }])
      const found = yield* onlyBreak(own)
      yield* own.resolve(found.id, { action: "dismiss" })
      return own.resolve(found.id, { action: "reopen" })
    }),
  "what was dismissed is another difference by now": (own) =>
    Effect.gen(function* () {
      const entry = yield* own.post("80")
      yield* own.says(own.first, [{ amount: "100", remittance: entry.id }])
      const found = yield* onlyBreak(own)
      assert.strictEqual(found.kind, "amount_differs")
      yield* own.resolve(found.id, { action: "dismiss" })
      return own.reverse(entry.id)
    }),
  "a person unmatches what a person has matched": (own) =>
    Effect.gen(function* () {
      yield* own.says(own.first, [{ amount: "100", remittance: "WIRE" }])
      const found = yield* onlyBreak(own)
      const entry = yield* own.post("100")
      yield* own.resolve(found.id, { action: "match", resource_ids: [entry.id] })
      return own.resolve(found.id, { action: "unmatch" })
    }),
  "the entry that explains its line is reversed": (own) =>
    Effect.gen(function* () {
      yield* own.says(own.first, [{ amount: "100", remittance: "WIRE" }])
      const [found] = yield* own.lines
      const entry = yield* own.post("100", { line_id: found!.id })
      return own.reverse(entry.id)
    }),
  "the entry that explains its balance is reversed": (own) =>
    Effect.gen(function* () {
      yield* own.says(own.first, [], { closing_balance: { date: own.first, amount: "900" } })
      const found = yield* onlyBreak(own)
      assert.strictEqual(found.kind, "balance_differs")
      const entry = yield* own.post("100", { break_id: found.id })
      return own.reverse(entry.id)
    }),
  "the dismissed break of its balance is opened again": (own) =>
    Effect.gen(function* () {
      yield* own.says(own.first, [], { closing_balance: { date: own.first, amount: "900" } })
      const found = yield* onlyBreak(own)
      yield* own.resolve(found.id, { action: "dismiss" })
      return own.resolve(found.id, { action: "reopen" })
    })
}

/** Law: what the open breaks come to is what was accepted of the sealed days, and what the first open day counts. */
const counts = Effect.fnUntraced(function* (own: Desk) {
  yield* own.match
  const [sealed, next] = [yield* own.unexplained(own.first), yield* own.unexplained(own.second)]
  assert.strictEqual(sealed + next, yield* own.inBreaks)
  return [sealed, next] as const
})

onServers("a sealed day", (run) => {
  covers("CLOSE-1", "CLOSE-3", "CLOSE-5")
  it.each(Object.entries(ways))("is open again on the next one: %s", (_, way) =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* desk
          const undo = yield* way(own)
          assert.strictEqual((yield* own.close(own.first)).unexplained, "0.00")
          yield* undo
          assert.deepEqual(yield* counts(own), [0n, -10_000n])
          assert.strictEqual((yield* Effect.flip(own.close(own.second)))._tag, "InvalidStatus")
          // Accepted there, it is not asked for again.
          yield* own.close(own.second, true)
          assert.strictEqual(yield* own.unexplained(nextDay(own.second)), 0n)
        }) as Effect.Effect<void, never, SimulatedEngine>
      )
    )
  )
})

onMemory("what was accepted of a sealed day", (run) => {
  covers("CLOSE-2", "CLOSE-5")
  it.each(Object.entries(ways))("stays there for as long as it comes to the same: %s", (_, way) =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* desk
          yield* yield* way(own)
          yield* own.match
          yield* own.close(own.first, true)
          assert.deepEqual(yield* counts(own), [-10_000n, 0n])
          yield* own.close(own.second)
        }) as Effect.Effect<void, never, SimulatedEngine>
      )
    )
  )

  covers("CLOSE-5")
  it("counts on the next day once it comes to something else", () =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* desk
          const entry = yield* own.post("80")
          yield* own.says(own.first, [{ amount: "100", remittance: entry.id }])
          assert.strictEqual((yield* own.close(own.first, true)).unexplained, "-20.00")
          yield* own.reverse(entry.id)
          yield* own.match
          assert.strictEqual(yield* own.inBreaks, -10_000n)
          assert.strictEqual(yield* own.unexplained(own.second), -10_000n)
        })
      )
    ))

  covers("CLOSE-3", "CLOSE-5")
  it("counts where it did where days before it are still to be closed", () =>
    run(
      reading(
        Effect.gen(function* () {
          const own = yield* desk
          yield* own.says(own.first, [{ amount: "100", remittance: "WIRE" }])
          assert.strictEqual((yield* own.close(own.second)).unexplained, "0.00")
          assert.strictEqual(yield* own.unexplained(own.first), -10_000n)
          assert.strictEqual(yield* own.unexplained(nextDay(own.second)), 0n)
          assert.strictEqual((yield* Effect.flip(own.close(own.first)))._tag, "InvalidStatus")
        })
      )
    ))
})

const racing = (
  make: (first: ReturnType<typeof overtaken>["first"]) => Effect.Effect<void, unknown, SimulatedEngine>
) => {
  const { first, layer } = overtaken()
  return Effect.runPromise(Effect.provide(reading(make(first)), makeSimulatedEngine({ storage: layer })))
}

covers("CLOSE-1", "CLOSE-5")
it.each(Object.entries(ways))("a day that is closed while %s counts it, or the next one does", (_, way) =>
  racing((first) =>
    Effect.gen(function* () {
      const own = yield* desk
      const undo = yield* way(own)
      first.before = Effect.orDie(own.close(own.first, true))
      yield* undo
      const [sealed, next] = yield* counts(own)
      assert.deepEqual([sealed, next], [0n, -10_000n])
    })
  )
)

covers("CLOSE-1", "CLOSE-5")
it.each(Object.entries(ways))("a day of which %s while it is closed counts it, or the next one does", (_, way) =>
  racing((first) =>
    Effect.gen(function* () {
      const own = yield* desk
      const undo = yield* way(own)
      first.before = Effect.orDie(undo) as Effect.Effect<unknown>
      // It was decided before the undoing, which it is asked to accept.
      yield* own.close(own.first, true)
      const [sealed, next] = yield* counts(own)
      assert.strictEqual(sealed + next, -10_000n)
    })
  )
)

covers("CLOSE-1", "CLOSE-2")
it.each(["balance", "first day"] as const)(
  "a day that is closed while the account begins with another %s is as it is then",
  (name) =>
    racing((first) =>
      Effect.gen(function* () {
        const own = yield* desk
        const opening = { date: name === "balance" ? own.first : own.second, balance: "700" }
        first.before = Effect.orDie(own.change({ opening }))
        const exit = yield* Effect.exit(own.close(own.first))
        if (name === "balance") assert.deepInclude(yield* exit, { opening: "700.00" })
        else assert.strictEqual(((yield* Effect.flip(exit)) as { readonly _tag: string })._tag, "InvalidInput")
      })
    )
)

covers("INGEST-3")
it("a statement of an account that is closed meanwhile is refused", () =>
  racing((first) =>
    Effect.gen(function* () {
      const own = yield* desk
      first.before = Effect.orDie(own.change({ status: "closed" }))
      const { message } = yield* Effect.flip(own.says(own.first, [{ amount: "5", remittance: "LATE" }]))
      assert.match(message, /^External account xac_\w+ is closed\. Set its status to active first\.$/)
      yield* own.change({ status: "active" })
      assert.deepEqual(yield* own.open, [])
    })
  ))

covers("CLOSE-2", "MATCH-7")
it.each(["closed before", "closed while a run undoes it"])(
  "keeps the match of a line by likeness that another names later: %s",
  (when) =>
    racing((first) =>
      Effect.gen(function* () {
        const own = yield* desk
        const entry = yield* own.post("100")
        yield* own.says(own.second, [{ amount: "100", remittance: "WIRE" }])
        const statusOf = Effect.map(own.lines, (all) => all.map(({ status }) => status))
        assert.deepEqual(yield* statusOf, ["matched"])
        const close = own.close(own.second)
        if (when === "closed before") yield* close
        else {
          let isNext = false
          const closing: Effect.Effect<unknown> = Effect.suspend(() => {
            // The first commit takes the statement, the next ones its lines.
            first.before = closing
            return Effect.flatMap(Effect.orDie(own.lines), (all) => {
              if (all.length < 2 || isNext) return Effect.void
              isNext = true
              first.before = Effect.void
              return Effect.orDie(close)
            })
          })
          first.before = closing
        }
        yield* own.says(nextDay(own.second), [{ amount: "100", remittance: entry.id }])
        assert.deepEqual(yield* statusOf, ["matched", "unmatched"])
        assert.strictEqual(yield* own.unexplained(own.second), 0n)
        assert.strictEqual(yield* own.unexplained(nextDay(own.second)), -10_000n)
      })
    )
)

onServers("what statements state otherwise", (run) => {
  covers("CLOSE-5", "INGEST-6")
  it("of a sealed day is open, also where it comes to nothing together", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [first, second] = own.days
          const both = [
            { amount: "5", remittance: "A" },
            { amount: "5", remittance: "B", direction: "credit" as const }
          ]
          yield* own.ends(first, both, "1000")
          for (const { id } of yield* own.open) yield* own.resolve(id, { action: "dismiss" })
          yield* own.close(first)
          yield* own.ends(first, [], "1000")
          assert.deepEqual(brief(yield* own.all), ["balance_differs low 0.00 null of 0"])
          assert.strictEqual((yield* Effect.flip(own.close(second)))._tag, "InvalidStatus")
          const [found] = yield* own.all
          yield* own.resolve(found!.id, { action: "dismiss" })
          yield* own.close(second)
        })
      )
    ))

  covers("CLOSE-5", "INGEST-6")
  it("of two days is open, also where it comes to nothing together", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [first, second] = own.days
          yield* own.says(second, [{ amount: "100", direction: "credit", remittance: "B" }])
          const begins = { opening_balance: { date: first, amount: "1100" } }
          yield* own.ends(second, [], "1100", { from: first, to: second, ...begins })
          const [found] = (yield* own.open).filter(({ lines }) => lines.length > 0)
          yield* own.resolve(found!.id, { action: "dismiss" })
          assert.deepEqual(brief(yield* own.all), ["balance_differs low 0.00 null of 0"])
          assert.strictEqual((yield* Effect.flip(own.close(first)))._tag, "InvalidStatus")
        })
      )
    ))

  covers("CLOSE-5", "INGEST-6")
  it("of one day is none where a line comes that it lacked", () =>
    run(
      atDesk((own) =>
        Effect.gen(function* () {
          const [day] = own.days
          yield* own.ends(day, [], "1100", { opening_balance: { date: day, amount: "1100" } })
          assert.deepEqual(brief(yield* own.all), ["balance_differs low 100.00 credit of 0"])
          yield* own.says(day, [{ amount: "100", direction: "credit", remittance: "B" }])
          assert.deepEqual(brief(yield* own.all), ["missing_in_books low 100.00 credit of 1"])
        })
      )
    ))
})
