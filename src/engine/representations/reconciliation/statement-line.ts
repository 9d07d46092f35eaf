/** The shape of a line of a bank statement in the operator API (LINE-1). */
import { Schema } from "effect"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { describe } from "../../input/schemas.ts"
import type { Row } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import { amountOf, anyIdOf, bodyOf, currencyCodeOf, flagOf, idOf, orNull, textOf, times, wordOf } from "../members.ts"

export const statementLineStatuses = ["matched", "proposed", "unmatched", "explained", "withdrawn"] as const
export const lineDirections = ["credit", "debit"] as const

const MatchBody = Schema.Struct({
  resource_id: anyIdOf("What accounts for the line, or may: a movement, a pay-in or an adjusting entry.", "ofr"),
  amount: amountOf("How much of the line, in its currency.", "147753.75"),
  rule: textOf("What decided it.", "command")
}).annotate({ identifier: "LineMatch", description: "What accounts for a line, or may." })

const CounterpartyBody = Schema.Struct({
  name: orNull(textOf("The name. Null where the bank does not say it.", "Ada Obi")),
  account: orNull(textOf("The IBAN or another number. Null where the bank does not say it.", "DE89370400440532013000"))
}).annotate({ identifier: "LineCounterparty", description: "Who paid or was paid, as the bank says it." })

export const BankStatementLineBody = Schema.Struct({
  id: idOf("stl", "The id of the line."),
  external_account_id: idOf("xac", "The external account."),
  statement_id: idOf("stm", "The first statement that has it."),
  booked_on: textOf("The day on which the bank booked it.", "2026-01-05"),
  value_on: orNull(textOf("The day from which it bears interest. Null where the bank does not say it.", "2026-01-05")),
  accounted_on: textOf(
    "The day whose close counts it: `booked_on`, or the day after the latest sealed one if that was not before it when the line came.",
    "2026-01-05"
  ),
  direction: wordOf(lineDirections, "As the bank booked it.", { credit: "to us", debit: "from us" }),
  amount: amountOf("The amount, exactly as booked, without a sign.", "147753.75"),
  currency: currencyCodeOf("The currency of the line.", "NGN"),
  bank_reference: orNull(textOf("The bank's own reference. Null without one.", "FT26031XK92")),
  end_to_end_id: orNull(textOf("The payer's reference, which banks pass on. Null without one.", "INV-1042")),
  uetr: orNull(textOf("The UETR of a SWIFT payment. Null without one.", "97ed4827-7b6f-4491-a06f-b548d5a7512d")),
  transaction_hash: orNull(
    textOf("The hash of the payment on its network. Null without one.", `0x${"9f2b".repeat(16)}`)
  ),
  counterparty: CounterpartyBody,
  remittance: orNull(textOf("The text of the payment. Null without one.", "Invoice 77")),
  code: orNull(textOf("The bank's own word for the kind of booking. Null without one.", "PMNT/ICDT/ESCT")),
  reversal: flagOf("Whether it takes an earlier booking back. It turns no direction.", false),
  status: wordOf(statementLineStatuses, "How it is accounted for.", {
    matched: "`matches` account for it",
    proposed: "`matches` are candidates, and a person decides",
    unmatched: "nothing accounts for it",
    explained: "an adjusting entry accounts for it",
    withdrawn:
      "an interim report or an earlier statement said it, and the statement of its day does not have it: no balance counts it"
  }),
  matches: describe(Schema.Array(MatchBody), "What accounts for it, or may.", []),
  ...times
}).annotate({ identifier: "BankStatementLine", description: "A line of a bank statement: one booking." })
export type BankStatementLineBody = typeof BankStatementLineBody.Type

export const bankStatementLineBody = bodyOf(BankStatementLineBody, ({ status, data: l }: Row<StatementLineData>) => ({
  amount: displayAmount(l.amount, l.currency),
  status: (status === "merged" ? "withdrawn" : status) as BankStatementLineBody["status"],
  matches: l.matches.map(({ amount, resource_id, rule }) => ({
    resource_id,
    amount: displayAmount(amount, l.currency),
    rule
  }))
}))
