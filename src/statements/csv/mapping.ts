/** How the columns of a bank's CSV are read: a mapping is data. */
import type { AccountIdentifier } from "../statement.ts"
import type { Encoding } from "../text.ts"

/** A column by its name in the header row, or by its place from 1. */
export type CsvColumn = string | number

/**
 * Where the members of a line stand. `booked_on` is required, and either `amount` (with a sign, or with `direction`) or `credit` and
 * `debit`. `balance` is the balance after the row, of all rows or of some: with it, opening and closing balance follow, and each balance is
 * checked. `remittance` may be several columns, joined with a space; a row with a text there and neither a date nor an amount continues the
 * row right before it.
 */
export interface CsvColumns {
  readonly booked_on: CsvColumn
  readonly value_on?: CsvColumn | undefined
  readonly amount?: CsvColumn | undefined
  readonly direction?: CsvColumn | undefined
  readonly credit?: CsvColumn | undefined
  readonly debit?: CsvColumn | undefined
  readonly balance?: CsvColumn | undefined
  readonly currency?: CsvColumn | undefined
  readonly account?: CsvColumn | undefined
  readonly bank_reference?: CsvColumn | undefined
  readonly end_to_end_id?: CsvColumn | undefined
  readonly uetr?: CsvColumn | undefined
  readonly transaction_hash?: CsvColumn | undefined
  readonly counterparty_name?: CsvColumn | undefined
  readonly counterparty_account?: CsvColumn | undefined
  readonly remittance?: CsvColumn | ReadonlyArray<CsvColumn> | undefined
  readonly code?: CsvColumn | undefined
}

/** Rows that are known by the text of a cell: `text` alone, without regard to spaces at its ends. */
export interface CsvRows {
  readonly column: CsvColumn
  readonly text: string
}

export const dateOrders = ["ymd", "dmy", "mdy"] as const

/** The separators of thousands that a mapping may name: either apostrophe stands for both. None: amounts have no separator but spaces. */
export const thousandsSeparators = [",", ".", " ", "'", "\u2019"] as const

/**
 * A mapping.
 *
 * `separator` is between columns, `decimal` before the decimals, `thousands` between groups of digits. `dates` is the order of day,
 * month and year, written with `-`, `/`, `.` or nothing between them, the month perhaps as its English name, perhaps with a time behind. `header` is false where no row names
 * the columns; otherwise the first row that has all names is the header, and what stands above it is a preamble. `words` are the
 * texts of `direction`. `debits` is `negative` where the column of debits has a minus sign. `ignore` names rows that are no bookings,
 * such as totals; `pending` those that are not booked yet; where it names none, a row without a date is one. `opening` and `closing` name the rows that have these balances, in the
 * column `balance` or else beside the text. Without these and without `balance` nothing holds the lines, and a warning says so.
 */
export interface CsvMapping {
  readonly columns: CsvColumns
  readonly separator: "," | ";" | "\t" | "|"
  readonly decimal: "." | ","
  readonly thousands?: (typeof thousandsSeparators)[number] | null | undefined
  readonly dates: (typeof dateOrders)[number]
  readonly encoding?: Encoding | undefined
  readonly header?: boolean | undefined
  readonly words?: { readonly credit: ReadonlyArray<string>; readonly debit: ReadonlyArray<string> } | undefined
  readonly debits?: "positive" | "negative" | undefined
  readonly ignore?: ReadonlyArray<CsvRows> | undefined
  readonly pending?: ReadonlyArray<CsvRows> | undefined
  readonly opening?: CsvRows | undefined
  readonly closing?: CsvRows | undefined
}

/** The account that a CSV is of: the file rarely says it. A row with another currency or account is refused. */
export interface CsvAccount {
  readonly identifiers: ReadonlyArray<AccountIdentifier>
  readonly currency: string
}
