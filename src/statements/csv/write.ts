/** Writes CSV (RFC 4180): rows of text, with the cells escaped that a spreadsheet would run (STATEMENT-10). */
import { stringify } from "csv-stringify/sync"

// Cells that a spreadsheet would run: escaped in a file that goes out, and taken back from one that comes in.

/**
 * Where a spreadsheet would run what follows: at the start of a cell, and of what it takes for the next one. A spreadsheet that separates
 * cells by semicolons or tabs splits those of a file with commas, in quotes too.
 */
const runs = /(?<=^|[;\t\r\n])(?='*[=+\-@\t\r\n])/g
const escaped = /(?<=^|[;\t\r\n])'(?='*[=+\-@\t\r\n])/g
/** A negative number is not run as a formula. */
const number = /^-\d+(?:\.\d+)?$/

/** Puts `'` wherever a spreadsheet would run the text of a cell. Law: `unescapeFormula(escapeFormula(cell)) = cell`. */
export const escapeFormula = (cell: string): string => (number.test(cell) ? cell : cell.replace(runs, "'"))

/** Removes what {@link escapeFormula} has put into a cell. */
export const unescapeFormula = (cell: string): string => cell.replace(escaped, "")

type Cells = ReadonlyArray<string | null>

/** Writes rows as lines of a CSV file, in their order. A null cell is empty. */
export const writeCsvRows = (rows: ReadonlyArray<Cells>): string =>
  stringify(
    rows.map((row) => row.map((cell) => escapeFormula(cell ?? ""))),
    // Without this, it quotes only the line break that ends its rows.
    { record_delimiter: "\r\n", quoted_match: /[\r\n]/ }
  )

/** Writes a CSV file: a header row with the columns, and the rows in their order. */
export const writeCsv = (columns: ReadonlyArray<string>, rows: ReadonlyArray<Cells>): string =>
  writeCsvRows([columns, ...rows])
