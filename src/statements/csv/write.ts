/** Writes CSV (RFC 4180): rows of text, with the cells escaped that a spreadsheet would run (STATEMENT-10). */
import { stringify } from "csv-stringify/sync"
import { escapeFormula } from "../formulas.ts"

type Cells = ReadonlyArray<string | null>

/** Rows as lines of a file, in their order. A null cell is empty. */
export const writeCsvRows = (rows: ReadonlyArray<Cells>): string =>
  stringify(
    rows.map((row) => row.map((cell) => escapeFormula(cell ?? ""))),
    // Without this, it quotes only the line break that ends its rows.
    { record_delimiter: "\r\n", quoted_match: /[\r\n]/ }
  )

/** The file: a header row with the columns, and the rows in their order. */
export const writeCsv = (columns: ReadonlyArray<string>, rows: ReadonlyArray<Cells>): string =>
  writeCsvRows([columns, ...rows])
