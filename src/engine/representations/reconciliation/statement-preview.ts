/** The shape of a preview of a CSV in the operator API (MAPPING-2). */
import { Schema } from "effect"
import type { BankStatementLine } from "../../../statements/statement.ts"
import { describe } from "../../input/schemas.ts"
import { countOf, orNull, textOf } from "../members.ts"
import { BankStatementLineBody } from "./statement-line.ts"
import { mappingMembers } from "./statement-mapping.ts"

const { amount, bank_reference, booked_on, counterparty, currency, direction, end_to_end_id, remittance, value_on } =
  BankStatementLineBody.fields

const PreviewedLineBody = Schema.Struct({
  ...{ booked_on, value_on, direction, amount, currency, bank_reference, end_to_end_id, counterparty, remittance },
  place: textOf("Where the file has it.", "line 2")
}).annotate({ identifier: "PreviewedLine", description: "A line as a statement of the file would have it." })

export const StatementPreviewBody = Schema.Struct({
  separator: describe(
    mappingMembers.separator,
    "What stands between columns: the given one, else the one by which most rows have most cells.",
    ";"
  ),
  rows: describe(
    Schema.Array(
      Schema.Struct({
        line: countOf("Where it begins, from 1.", 1),
        cells: describe(Schema.Array(Schema.String), "Its cells, each at most 200 characters.", ["Date", "Amount"])
      }).annotate({ identifier: "PreviewedRow", description: "A row of the file." })
    ),
    "The first rows that have text, at most 12."
  ),
  lines: describe(Schema.Array(PreviewedLineBody), "The first three lines by the mapping. Empty without one."),
  count: countOf("How many lines the mapping reads of what was sent.", 42),
  fault: describe(
    Schema.NullOr(
      Schema.Struct({
        place: orNull(textOf("Where the file has it. Null for a fault of the mapping.", "line 3, Amount")),
        message: textOf("What is wrong.", 'line 3, Amount: found "1.234,50", and it takes an amount of EUR.')
      }).annotate({ identifier: "PreviewFault", description: "Why a file is refused." })
    ),
    "Why what was sent is refused by the mapping. Null where it is read."
  )
}).annotate({
  identifier: "StatementPreview",
  description: "The first rows of a CSV, and what a mapping makes of them."
})
export type StatementPreviewBody = typeof StatementPreviewBody.Type

export const previewLine = ({
  amount,
  bank_reference,
  booked_on,
  counterparty: { account, name },
  currency,
  direction,
  end_to_end_id,
  place,
  remittance,
  value_on
}: BankStatementLine): StatementPreviewBody["lines"][number] => ({
  booked_on: booked_on ?? "",
  ...{ value_on, direction, amount, currency, bank_reference, end_to_end_id, remittance, place },
  counterparty: { name, account }
})
