/** The shape of an adjusting entry in the operator API (ADJUST-1). */
import { Schema } from "effect"
import type { AdjustingEntryData } from "../../../machines/reconciliation/adjusting-entry.ts"
import type { Row } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import { amountOf, bodyOf, currencyCodeOf, idOf, orNull, textOf, times, wordOf } from "../members.ts"

export const adjustingEntryStatuses = ["posted", "reversed"] as const

export const AdjustingEntryBody = Schema.Struct({
  id: idOf("adj", "The id of the entry."),
  merchant_id: textOf(
    "The merchant whose books it is in: that of its exception, else the platform.",
    "mer_01j9z3k4m5n6p7q8r9s0t1v2w3"
  ),
  from: textOf("The account that is debited.", "suspense"),
  to: textOf("The account that is credited.", "fees"),
  amount: amountOf("The amount, in `currency`.", "25.00"),
  currency: currencyCodeOf("The currency of the amount."),
  note: textOf("Why it was made.", "The provider confirmed that nobody claims it"),
  exception_id: orNull(idOf("exc", "The exception that ends with it. Null for others.")),
  break_id: orNull(idOf("brk", "The break that ends with it. Null for others.")),
  line_id: orNull(idOf("stl", "The line of a statement that it explains. Null for others.")),
  reverses: orNull(idOf("adj", "The entry that it reverses. Null for others.")),
  reversed_by: orNull(idOf("adj", "The entry that reverses it. Null as long as none does.")),
  status: wordOf(adjustingEntryStatuses, "Whether another entry has reversed it.", {
    posted: "none has",
    reversed: "`reversed_by` has"
  }),
  ...times
}).annotate({ identifier: "AdjustingEntry", description: "A posting between accounts of the platform." })
export type AdjustingEntryBody = typeof AdjustingEntryBody.Type

export const adjustingEntryBody = bodyOf(AdjustingEntryBody, ({ merchant_id, data: e }: Row<AdjustingEntryData>) => ({
  merchant_id,
  amount: displayAmount(e.amount, e.currency)
}))
