/** The shapes of a day's close and of a day's reconciliation in the operator API (CLOSE-1, CLOSE-4). */
import { Schema } from "effect"
import type { ClosingData } from "../../../machines/reconciliation/closing.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { displayAmount, displayAmountOrNull } from "../../reference/currencies.ts"
import {
  amountOf,
  bodyOf,
  countOf,
  createdAt,
  currencyCodeOf,
  flagOf,
  idOf,
  orNull,
  textOf,
  timeOf
} from "../members.ts"

export const ClosingBody = Schema.Struct({
  id: idOf("cls", "The id of the close."),
  external_account_id: idOf("xac", "The external account."),
  date: textOf("The day, in the time zone of the account.", "2026-01-05"),
  currency: currencyCodeOf("The currency of the account.", "EUR"),
  opening: amountOf(
    "What was in the account when the day began: the closing of the day before. What comes late of an accepted statement's balance is taken off, as its lines are in `booked`.",
    "25000.00"
  ),
  booked: amountOf("What the lines of the day sum to: credits less debits.", "-900.00"),
  closing: amountOf("`opening` and `booked` together.", "24100.00"),
  statement_closing: orNull(
    amountOf("The closing balance of the day's statement. Null where no statement names one.", "24100.00")
  ),
  outstanding: amountOf(
    "What the books of the provider have in this currency at the end of the day, and its statements do not have yet: money in less money out.",
    "0.00"
  ),
  explained: amountOf(
    "The sum of the lines of the day that adjusting entries account for: credits less debits.",
    "-12.50"
  ),
  unexplained: amountOf(
    "The sum of the open breaks of the day: of its lines, and of what its statements state otherwise. Credits less debits. What a person has dismissed is explained.",
    "0.00"
  ),
  lines: countOf("How many lines the day has.", 12),
  accepted: flagOf("Whether it was sealed although `unexplained` is not zero.", false),
  note: orNull(textOf("Why it was sealed. Null without a note.", "The bank mends its fee tomorrow")),
  sealed_by: textOf("Who sealed it.", "Ada Obi"),
  sealed_at: timeOf("When it was sealed."),
  seal: textOf("The SHA-256 of the day's lines, as hex. `corridor verify` checks it.", "9f2b".repeat(16)),
  created_at: createdAt
}).annotate({ identifier: "Closing", description: "The close of a day of an external account." })
export type ClosingBody = typeof ClosingBody.Type

export const closingBody = bodyOf(ClosingBody, ({ created_at, data: c }: Row<ClosingData>) => {
  const format = (amount: string): string => displayAmount(amount, c.currency)
  return {
    opening: format(c.opening),
    booked: format(c.booked),
    closing: format(c.closing),
    statement_closing: displayAmountOrNull(c.statement_closing, c.currency),
    outstanding: format(c.outstanding),
    explained: format(c.explained),
    unexplained: format(c.unexplained),
    sealed_at: iso(created_at)
  }
})

export const ReconciledAccountBody = Schema.Struct({
  external_account_id: idOf("xac", "The external account."),
  provider: textOf("The provider whose `world` account it mirrors.", "simulated"),
  currency: currencyCodeOf("The currency of the account.", "EUR"),
  date: textOf("The day, in the time zone of the account.", "2026-01-05"),
  ledger: amountOf(
    "What the books say is in all accounts of the provider in this currency at the end of the day: their opening balances, less what `world` moved since they began.",
    "24100.00"
  ),
  statement: amountOf(
    "The latest closing balance of a statement of this account up to the day; without one, that of the latest sealed day, or its opening balance, and its lines since.",
    "24100.00"
  ),
  difference: amountOf("The statements of all these accounts less `ledger`.", "0.00"),
  outstanding: amountOf(
    "What the books have since the accounts began and no statement has yet: money in less money out.",
    "0.00"
  ),
  unexplained: amountOf(
    "The sum of the open breaks of this account that the day counts, as its close would have it: of a sealed day, what its seal has.",
    "0.00"
  ),
  oldest_break: orNull(timeOf("When the oldest open break of the account began. Null if none is open.")),
  last_statement: orNull(textOf("The last day of the latest statement up to the day. Null without one.", "2026-01-05")),
  sealed: flagOf("Whether the day is sealed.", false)
}).annotate({
  identifier: "ReconciledAccount",
  description: "An external account on a day: the books against its statements."
})
export type ReconciledAccountBody = typeof ReconciledAccountBody.Type
