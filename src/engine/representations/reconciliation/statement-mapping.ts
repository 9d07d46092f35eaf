/** The shape of a statement mapping in the operator API (MAPPING-1). */
import { Schema } from "effect"
import type { StatementMappingData } from "../../../machines/reconciliation/statement-mapping.ts"
import { describe, Optional, Text } from "../../input/schemas.ts"
import { dateOrders, thousandsSeparators } from "../../../statements/csv/mapping.ts"
import { encodings } from "../../../statements/text.ts"
import type { Row } from "../../ports/Storage.ts"
import { iso } from "../../ports/Time.ts"
import { createdAt, flagOf, idOf, textOf, wordOf } from "../members.ts"

const Place = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))
const Column = Schema.Union([Text(200), Place])

const makeColumnSchema = (description: string, example: string | number) => Optional(Column, description, example)

/** A column is a name in the header row, or a place from 1. */
export const MappedColumnsBody = Schema.Struct({
  booked_on: describe(Column, "The booking date. Columns are names in the header row, or places from 1.", "Date"),
  value_on: makeColumnSchema("The value date.", "Value date"),
  amount: makeColumnSchema("The amount, with a sign, or with `direction`. Else `credit` and `debit`.", "Amount"),
  direction: makeColumnSchema("Which way it went, in the words of `words`.", "Cr/Dr"),
  credit: makeColumnSchema("The amount, of what came in.", "Money in"),
  debit: makeColumnSchema("The amount, of what went out.", "Money out"),
  balance: makeColumnSchema(
    "The balance after the row, of all rows or of some: opening and closing balance follow from it.",
    "Balance"
  ),
  currency: makeColumnSchema("The currency: a row in another is refused.", "Currency"),
  account: makeColumnSchema("The account: a row of another is refused.", "Account"),
  bank_reference: makeColumnSchema("The bank's reference.", "Reference"),
  end_to_end_id: makeColumnSchema("The payer's reference.", "End to end"),
  uetr: makeColumnSchema("The UETR of a SWIFT payment.", "UETR"),
  transaction_hash: makeColumnSchema("The hash of a payment on a network.", "Hash"),
  counterparty_name: makeColumnSchema("Who paid or was paid.", "Name"),
  counterparty_account: makeColumnSchema("The account of who paid or was paid.", "Account of name"),
  remittance: Optional(
    Schema.Union([Column, Schema.Array(Column)]),
    "The text of the payment: a column, or several, which are joined with a space. A row with a text alone continues the row before it.",
    "Description"
  ),
  code: makeColumnSchema("The bank's own word for the kind of booking.", "Type")
}).annotate({ identifier: "MappedColumns", description: "Where the members of a line stand." })

const Rows = Schema.Struct({
  column: describe(Column, "The column.", "Description"),
  text: describe(Text(200), "The text of its cell, alone.", "Total")
}).annotate({ identifier: "MappedRows", description: "Rows that are known by the text of a cell." })

const makeRowsSchema = (description: string) =>
  Optional(Schema.Array(Rows), description, [{ column: "Description", text: "Total" }])
const makeRowSchema = (description: string) =>
  Optional(Rows, description, { column: "Description", text: "Opening balance" })

const separators = [",", ";", "\t", "|"] as const
const decimals = [".", ","] as const

/** The members of a mapping, as they are sent and shown. */
export const mappingMembers = {
  columns: describe(MappedColumnsBody, "Where the members of a line stand.", {
    booked_on: "Date",
    amount: "Amount",
    remittance: "Description"
  }),
  separator: wordOf(separators, "What stands between columns.", {}, ";"),
  decimal: wordOf(decimals, "What stands before the decimals.", {}, ","),
  dates: wordOf(dateOrders, "The order of year, month and day.", {}, "dmy"),
  encoding: Optional(wordOf(encodings, "The encoding. Default: that of its byte order mark, else `utf-8`.")),
  thousands: Optional(
    wordOf(
      thousandsSeparators,
      "What stands between groups of digits; either apostrophe stands for both. Default: nothing, or a space.",
      {},
      "."
    )
  ),
  header: Optional(flagOf("Whether a row names the columns. Default: `true`.")),
  words: Optional(
    Schema.Struct({
      credit: describe(Schema.Array(Text(64)), "Of what came in.", ["CR"]),
      debit: describe(Schema.Array(Text(64)), "Of what went out.", ["DR"])
    }).annotate({ identifier: "MappedWords", description: "The texts of the column `direction`." }),
    "The texts of the column `direction`.",
    { credit: ["CR"], debit: ["DR"] }
  ),
  debits: Optional(
    wordOf(["positive", "negative"], "Whether the column `debit` has a minus sign. Default: `positive`.")
  ),
  ignore: makeRowsSchema("Rows that are no bookings, such as totals."),
  pending: makeRowsSchema("Rows that are not booked yet. Default: those without a date."),
  opening: makeRowSchema("The row that has the opening balance."),
  closing: makeRowSchema("The row that has the closing balance.")
}

export const StatementMappingBody = Schema.Struct({
  id: idOf("stp", "The id of the mapping."),
  name: textOf("A name for people.", "Euro account, online export"),
  external_account_id: idOf("xac", "The external account whose files it reads."),
  ...mappingMembers,
  created_at: createdAt
}).annotate({ identifier: "StatementMapping", description: "How the columns of a bank's CSV are read." })
export type StatementMappingBody = typeof StatementMappingBody.Type

export const statementMappingBody = ({ id, created_at, data }: Row<StatementMappingData>): StatementMappingBody =>
  ({
    id,
    name: data.name,
    external_account_id: data.external_account_id,
    ...data.csv,
    created_at: iso(created_at)
  }) as StatementMappingBody
