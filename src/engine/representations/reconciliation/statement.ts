/** The shape of a bank statement in the operator API (INGEST-1). */
import { Schema } from "effect"
import { type BalanceOnDate, type StatementData, statementSources } from "../../../machines/reconciliation/statement.ts"
import { describe } from "../../input/schemas.ts"
import type { Row } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import { amountOf, bodyOf, countOf, createdAt, currencyCodeOf, idOf, orNull, textOf, wordOf } from "../members.ts"

export const statementFormat = wordOf(statementSources, "What it was read from.", {
  "camt.052": "an interim report",
  "camt.053": "an end-of-day statement",
  "camt.054": "a notification, without balances",
  mt942: "an interim report",
  csv: "read by a statement mapping",
  protocol: "the connector's own statement",
  chain: "final transfers of the provider's addresses, up to a block"
})

const WarningBody = Schema.Struct({
  code: textOf(
    "What was noticed. `gap`: a number of the series is missing, or the opening balance is not the closing balance before. `replaced`: it replaces an earlier statement of its number and days. `overlaps`: another file without balances has some of its lines. `balance_differs`: a block of the chain has another balance than the lines lead to.",
    "gap"
  ),
  message: textOf("The same in words.", "Number 6 follows number 4: number 5 is missing."),
  place: orNull(textOf("Where in the file. Null where it is no place in it.", "line 12"))
}).annotate({ identifier: "BankStatementWarning", description: "What was noticed in a statement and not refused." })

const dayOf = (description: string, example: string) => orNull(textOf(description, example))

export const BankStatementBody = Schema.Struct({
  id: idOf("stm", "The id of the statement."),
  external_account_id: idOf("xac", "The external account."),
  format: statementFormat,
  number: orNull(
    textOf(
      "Its number within the bank's series, or the final block (on Solana the slot) at which its closing balance was read. Null where the bank does not number it, and where a part of a chain's statement ends with a day.",
      "5"
    )
  ),
  from: dayOf("Its first day. Null where it does not say it.", "2026-01-05"),
  to: dayOf("Its last day, included. Null where it does not say it.", "2026-01-05"),
  currency: currencyCodeOf("The currency of the statement.", "EUR"),
  opening_balance: orNull(amountOf("The booked balance at its start. Null where it names none.", "25000.00")),
  closing_balance: orNull(amountOf("The booked balance at its end. Null where it names none.", "24100.00")),
  lines: countOf("How many bookings it has: `lines_own` and those of `lines_shared`.", 2),
  lines_own: countOf("How many of them are lines that it was the first to have.", 2),
  lines_shared: describe(
    Schema.Array(
      Schema.Struct({
        statement_id: idOf("stm", "The statement that had them first."),
        lines: countOf("How many.", 1)
      })
    ),
    "How many of them are lines that other statements had first.",
    []
  ),
  pending: countOf("How many entries are pending or for information. They are not lines, and no balance has them.", 0),
  warnings: describe(Schema.Array(WarningBody), "What was noticed and not refused.", []),
  created_at: createdAt
}).annotate({ identifier: "BankStatement", description: "What a bank or a chain says of an external account." })
export type BankStatementBody = typeof BankStatementBody.Type

const formatBalance = (balance: BalanceOnDate | null, currency: string): string | null =>
  balance === null ? null : displayAmount(balance.amount, currency)

/** Counts the bookings of a statement whose lines came first with another statement, by that statement. */
export const countShared = ({ shared = {} }: StatementData): BankStatementBody["lines_shared"] => {
  const counts = new Map<string, number>()
  for (const ofDay of Object.values(shared))
    for (const [id, lines] of Object.entries(ofDay)) counts.set(id, (counts.get(id) ?? 0) + lines)
  return [...counts].map(([statement_id, lines]) => ({ statement_id, lines }))
}

export const bankStatementBody = bodyOf(BankStatementBody, ({ data: s }: Row<StatementData>) => ({
  opening_balance: formatBalance(s.opening_balance, s.currency),
  closing_balance: formatBalance(s.closing_balance, s.currency),
  lines_own: s.lines - countShared(s).reduce((sum, { lines }) => sum + lines, 0),
  lines_shared: countShared(s),
  warnings: [...s.warnings, ...(s.noticed ?? [])]
}))
