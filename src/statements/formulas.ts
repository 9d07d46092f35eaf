/** Cells that a spreadsheet would run: escaped in a file that goes out, and taken back from one that comes in. */

/** A spreadsheet runs what begins with one of these. A negative number does nothing. */
const runs = /^'*[=+\-@\t\r\n]/
const number = /^-\d+(?:\.\d+)?$/

/** The cell with `'` before it, where a spreadsheet would run it. Law: `unescapeFormula(escapeFormula(cell)) = cell`. */
export const escapeFormula = (cell: string): string => (runs.test(cell) && !number.test(cell) ? `'${cell}` : cell)

/** The cell as it was before {@link escapeFormula}. */
export const unescapeFormula = (cell: string): string =>
  cell.startsWith("'") && runs.test(cell) ? cell.slice(1) : cell
