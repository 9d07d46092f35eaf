/** The desk at which statements are matched: one bank account that mirrors `world:simulated` in a currency, its lines and its breaks. */
import { Clock, Effect } from "effect"
import { LedgerReports } from "../../../src/engine/reports/ledger.ts"
import { PLATFORM_MERCHANT } from "../../../src/engine/ports/Storage.ts"
import { Breaks, type ListBreaks } from "../../../src/engine/resources/reconciliation/break.ts"
import { AdjustingEntries } from "../../../src/engine/resources/reconciliation/adjusting-entry.ts"
import { ExternalAccounts } from "../../../src/engine/resources/reconciliation/external-account.ts"
import type { ResolveBreak } from "../../../src/engine/resources/reconciliation/resolution.ts"
import { BankStatements } from "../../../src/engine/resources/reconciliation/statement.ts"
import { StatementLines } from "../../../src/engine/resources/reconciliation/statement-line.ts"
import { BreakFiles } from "../../../src/engine/work/reconciliation/break-files.ts"
import { Reconciliations } from "../../../src/engine/work/reconciliation/Reconciliations.ts"
import type { BankStatement, BankStatementLine } from "../../../src/statements/statement.ts"
import { call } from "../engines/simulated-engine.ts"
import { fileOf, line, statement } from "./readable.ts"

/** The first account of the store is made once; `statements` counts, so that no two files have the same bytes. */
let statements = 0

/** The statements of a day of an account are parts of it, which follow on one another by their numbers. */
const parts = new Map<string, number>()

export const deskIn = Effect.fnUntraced(function* (currency: "USDC" | "NGN") {
  const identifier = { scheme: "account_number", value: "77-1" } as const
  const accounts = yield* ExternalAccounts
  const takers = yield* BankStatements
  const lines = yield* StatementLines
  const breaks = yield* Breaks
  const entries = yield* AdjustingEntries
  const files = yield* BreakFiles
  const ledger = yield* LedgerReports
  const reconciliations = yield* Reconciliations
  const operator = yield* call(PLATFORM_MERCHANT)
  const [known] = (yield* accounts.list(operator, { provider: "simulated", currency })).items
  const { id } =
    known ??
    (yield* accounts.create(operator, {
      provider: "simulated",
      currency,
      kind: "bank",
      identifiers: [identifier],
      opening: { date: "2023-01-01", balance: "0" },
      time_zone: "UTC"
    }))
  const today = new Date(yield* Clock.currentTimeMillis).toISOString().slice(0, 10)
  const match = reconciliations.match(id)
  const lineOf = (line_id: string) => lines.get(line_id)
  return {
    id,
    today,
    operator,
    match,
    lineOf,
    entries,
    files,
    /** Takes a statement with these debits and credits of today, matches, and returns its lines in their order. */
    says: Effect.fnUntraced(function* (
      given: ReadonlyArray<Partial<BankStatementLine>>,
      different: Partial<BankStatement> = {}
    ) {
      const part = (parts.get(id) ?? 0) + 1
      parts.set(id, part)
      const own = statement({
        account: { identifiers: [identifier], currency, bank: null },
        currency,
        message_id: `message ${++statements}`,
        number: `1/${part}`,
        from: today,
        to: today,
        lines: given.map((one) => line({ booked_on: today, value_on: today, currency, direction: "debit", ...one })),
        ...different
      })
      const [made] = yield* takers.take(operator, { file: fileOf(own) })
      yield* match
      const { items } = yield* lines.list({ statement_id: made!.id, per_page: 200 })
      return items.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    }),
    /** Takes a file of these statements, which have no lines, and matches. */
    saysAll: Effect.fnUntraced(function* (given: ReadonlyArray<Partial<BankStatement>>) {
      const account = { identifiers: [identifier], currency, bank: null }
      const message_id = `message ${++statements}`
      const all = given.map((one) => statement({ account, currency, message_id, lines: [], ...one }))
      yield* takers.take(operator, { file: fileOf(...all) })
      yield* match
    }),
    breaks: (query: ListBreaks = {}) => Effect.map(breaks.list({ per_page: 200, ...query }), ({ items }) => items),
    /** The breaks that name a line or a resource. */
    about: (name: string, status: "open" | "resolved" = "open") =>
      Effect.map(breaks.list({ status, per_page: 200 }), ({ items }) =>
        items.filter((one) => [...one.lines, ...one.resources].includes(name))
      ),
    breakOf: (break_id: string) => Effect.map(breaks.get(break_id), ({ body }) => body),
    entryOf: (entry_id: string) => Effect.map(entries.get(entry_id), ({ body }) => body),
    resolve: (break_id: string, input: Omit<ResolveBreak, "note"> & { readonly note?: string }) =>
      reconciliations.resolve(operator, break_id, { note: "seen", ...input }),
    world: Effect.map(
      ledger.trialBalance,
      ({ classes }) => classes.find((one) => one.class === "world" && one.currency === currency)?.balance ?? "0"
    )
  }
})

export const matchingDesk = deskIn("USDC")
