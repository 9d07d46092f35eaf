/** Reads a CSV with a header row, whatever its separator of comma, semicolon or tab: what people send back edited (STATEMENT-17). */
import { UnreadableStatement } from "../statement.ts"
import { checkKind } from "../other-files.ts"
import { toPlace, quote, decodeText } from "../text.ts"
import { checkWidth, type CsvRow, isBlankRow, readCsvRows, readSeparatorLine } from "./rows.ts"

/**
 * A file by its columns. `line`: where the row begins, from 1. Cells at the end of a row that it does not have are absent: a spreadsheet
 * leaves out the separators of empty ones.
 */
export interface CsvTable {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<{
    readonly line: number
    readonly cells: Readonly<Record<string, string>>
  }>
}

/**
 * Decodes a file that is sent back edited: in the encoding of its byte order mark, else in the given one, else in UTF-8. Unlike a bank's
 * file, it is never guessed, because names in it are paid. Errors: `UnreadableStatement` for an archive and the like, for bytes of another
 * encoding, and for an unknown one.
 */
export const decodeTable = (bytes: Uint8Array, charset = "utf-8"): string => {
  checkKind(bytes)
  return decodeText(bytes, charset)
}

/** Finds the separator that occurs most in the header. */
const findSeparator = (text: string): string => {
  const header = text.split(/\r\n|\n|\r/).find((line) => /[^\s,;"]/.test(line)) ?? ""
  return [",", ";", "\t"].toSorted((a, b) => header.split(b).length - header.split(a).length)[0]!
}

/**
 * Reads the table of a text. It leaves out empty rows, a line `sep=`, a byte order mark and empty columns behind the last one, and removes
 * the escape of cells that a spreadsheet would run. Errors: `UnreadableStatement` for a text that is empty or no CSV, for a column that
 * occurs twice, for a row with more cells than the header, and for a last row with fewer and no line break behind it: it is cut off.
 */
export const readTable = (given: string): CsvTable => {
  const text = given.replace(/^\ufeff/, "")
  const { rest, separator = findSeparator(rest) } = readSeparatorLine(text)
  const rows = [...readCsvRows(text, separator)].filter((row): row is CsvRow => row !== undefined && !isBlankRow(row))
  const header = rows.shift()
  if (header === undefined) throw new UnreadableStatement(toPlace(1), "an empty file", "a header row")
  const names = header.cells.map((name) => name.trim())
  const columns = names.slice(0, names.findLastIndex((name) => name !== "") + 1)
  const twice = columns.find((name, at) => columns.indexOf(name) < at)
  if (twice !== undefined)
    throw new UnreadableStatement(
      toPlace(header.number),
      `a header in which the column ${quote(twice)} is there twice`,
      "each column once"
    )
  const isEnded = /[\r\n]$/.test(text)
  return {
    columns,
    rows: rows.map((row, n) => {
      const isCutOff = !isEnded && n === rows.length - 1
      checkWidth(row, isCutOff ? columns.length : 0, columns.length)
      const cells = columns.flatMap((name, at) => (row.cells[at] === undefined ? [] : [[name, row.cells[at]] as const]))
      return { line: row.number, cells: Object.fromEntries(cells) }
    })
  }
}
