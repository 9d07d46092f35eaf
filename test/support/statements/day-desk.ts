/** A desk over several days: an account of EUR that began six days ago with 1,000.00, with its statements, breaks and closes. */
import { Clock, Effect } from "effect"
import { PLATFORM_MERCHANT, Storage } from "../../../src/engine/ports/Storage.ts"
import { AdjustingEntries } from "../../../src/engine/resources/reconciliation/adjusting-entry.ts"
import { Breaks } from "../../../src/engine/resources/reconciliation/break.ts"
import { Closings } from "../../../src/engine/resources/reconciliation/closing.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import type { ResolveBreak } from "../../../src/engine/resources/reconciliation/resolution.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import { nextDay } from "../../../src/engine/resources/reconciliation/statement-roster.ts"
import { Reconciliations } from "../../../src/engine/work/reconciliation/Reconciliations.ts"
import type { BankStatement, BankStatementLine } from "../../../src/statements/statement.ts"
import type { SimulatedEngine } from "../engines/every-store.ts"
import { call } from "../engines/simulated-engine.ts"
import { fileOf, line, readable, statement } from "../statements/readable.ts"

let numbers = 0
const minor = (decimal: string): bigint => BigInt(decimal.replace(".", ""))

/** `isFirst`: whether no other account has what names none. */
export const dayDesk = Effect.fnUntraced(function* (isFirst: boolean) {
  const [accounts, breaks, closings, entries, lines, reconciliations, takers] = [
    yield* ExternalAccounts,
    yield* Breaks,
    yield* Closings,
    yield* AdjustingEntries,
    yield* StatementLines,
    yield* Reconciliations,
    yield* BankStatements
  ]
  const storage = yield* Storage
  const operator = yield* call(PLATFORM_MERCHANT)
  const now = yield* Clock.currentTimeMillis
  const dayAt = (back: number): string => new Date(now - back * 86_400_000).toISOString().slice(0, 10)
  const days = [dayAt(6), dayAt(5), dayAt(4), dayAt(3), dayAt(2), dayAt(1), dayAt(0)] as const
  const identifier = { scheme: "account_number", value: `87-${++numbers}` } as const
  const openingOf = (balance: string) => ({
    ...({ provider: "simulated", currency: "EUR", kind: "bank", time_zone: "UTC" } as const),
    opening: { date: days[0], balance }
  })
  if (!isFirst)
    yield* accounts.create(operator, {
      ...openingOf("0"),
      identifiers: [{ scheme: "account_number", value: `86-${++numbers}` }]
    })
  const { id } = yield* accounts.create(operator, { ...openingOf("1000"), identifiers: [identifier] })
  const match = Effect.andThen(reconciliations.match(id), reconciliations.match(id))
  const all = Effect.map(breaks.list({ external_account_id: id, status: "open", per_page: 200 }), ({ items }) => items)
  const open = Effect.map(all, (items) => items.filter(({ kind }) => kind !== "missing_on_statement"))
  const reconciled = (date: string) =>
    Effect.map(closings.reconciliation({ external_account_id: id, date }), ({ items }) => items[0]!)
  const own = (day: string, given: ReadonlyArray<Partial<BankStatementLine>>, different: Partial<BankStatement>) =>
    statement({
      account: { identifiers: [identifier], currency: "EUR", bank: null },
      message_id: `m${++numbers}`,
      from: day,
      to: day,
      lines: given.map((one, n) =>
        line({ booked_on: day, value_on: day, direction: "debit", place: `line ${n + 1}`, ...one })
      ),
      ...different
    })
  return {
    id,
    operator,
    days,
    next: nextDay,
    match,
    /** Does what is due by now: the run of the clock, if what was done has asked for one. */
    whenDue: Effect.gen(function* () {
      const [state] = yield* storage.get([{ merchant_id: PLATFORM_MERCHANT, kind: "matching", id }])
      const { next_at = 0 } = (state?.data ?? {}) as { readonly next_at?: number }
      if (next_at <= (yield* Clock.currentTimeMillis))
        yield* reconciliations.run(id, { deduplicationKey: `run ${++numbers} of ${id}` })
    }),
    all,
    open,
    resolved: Effect.map(
      breaks.list({ external_account_id: id, status: "resolved", per_page: 200 }),
      ({ items }) => items
    ),
    /** What was posted at the account, as debits, by entry. */
    posted: Effect.map(
      entries.list({ currency: "EUR", per_page: 200 }),
      ({ items }) =>
        new Map(
          items.map((one) => [
            one.id,
            {
              amount: (one.to === "world:simulated" ? 1n : -1n) * minor(one.amount),
              reversed: one.status === "reversed" || one.reverses !== null
            }
          ])
        )
    ),
    reconciled,
    unexplained: (date: string) => Effect.map(reconciled(date), (row) => minor(row.unexplained)),
    lines: Effect.map(lines.list({ external_account_id: id, per_page: 200 }), ({ items }) => items.toReversed()),
    lineOf: (line_id: string) => lines.get(line_id),
    breakOf: (break_id: string) => Effect.map(breaks.get(break_id), ({ body }) => body),
    shown: Effect.map(lines.list({ external_account_id: id, per_page: 200 }), ({ items }) =>
      items.map((one) => `${one.booked_on} ${one.direction} ${one.amount} ${one.status}`).toSorted()
    ),
    says: Effect.fnUntraced(function* (
      day: string,
      given: ReadonlyArray<Partial<BankStatementLine>>,
      different: Partial<BankStatement> = {}
    ) {
      yield* takers.take(operator, { file: fileOf(own(day, given, different)) })
      yield* match
    }),
    /** A statement of a day with balances, beginning with 1,000.00 unless said otherwise. */
    ends: Effect.fnUntraced(function* (
      day: string,
      given: ReadonlyArray<Partial<BankStatementLine>>,
      closing: string,
      different: Partial<BankStatement> = {}
    ) {
      const balances = {
        opening_balance: { date: day, amount: "1000" },
        closing_balance: { date: day, amount: closing }
      }
      yield* takers.take(operator, { file: fileOf(own(day, given, { number: "1", ...balances, ...different })) })
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
    inBreaks: Effect.map(open, (all) =>
      all.reduce((sum, { amount, direction }) => sum + (direction === "debit" ? -1n : 1n) * minor(amount ?? "0"), 0n)
    )
  }
})
export type Desk = Effect.Success<ReturnType<typeof dayDesk>>

/** A scenario at a desk of its own. */
export const atDesk = <A, E>(make: (own: Desk) => Effect.Effect<A, E, SimulatedEngine>, isFirst = true) =>
  Effect.provide(Effect.flatMap(dayDesk(isFirst), make), readable)

export const brief = (all: Effect.Success<Desk["all"]>) =>
  all.map(
    ({ amount, direction, kind, lines, severity }) => `${kind} ${severity} ${amount} ${direction} of ${lines.length}`
  )
