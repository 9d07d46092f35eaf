/** Cells that a spreadsheet would run: escaped in a file that goes out, and taken back from one that comes in. */

/**
 * Where a spreadsheet would run what follows: at the start of a cell, and of what it takes for the next one. A spreadsheet that separates
 * cells by semicolons or tabs splits those of a file with commas, in quotes too.
 */
const runs = /(?<=^|[;\t\r\n])(?='*[=+\-@\t\r\n])/g
const escaped = /(?<=^|[;\t\r\n])'(?='*[=+\-@\t\r\n])/g
/** A negative number does nothing. */
const number = /^-\d+(?:\.\d+)?$/

/** The cell with `'` wherever a spreadsheet would run it. Law: `unescapeFormula(escapeFormula(cell)) = cell`. */
export const escapeFormula = (cell: string): string => (number.test(cell) ? cell : cell.replace(runs, "'"))

/** The cell as it was before {@link escapeFormula}. */
export const unescapeFormula = (cell: string): string => cell.replace(escaped, "")
