/** Reads CSV (RFC 4180) with a header row, whatever its separator of comma, semicolon or tab: what people send back edited. */
import { CsvError, parse } from "csv-parse/sync"
import { unescapeFormula } from "../formulas.ts"

/** A file by its columns. `line`: where the row begins, from 1. A cell that a row does not have is absent. */
export interface CsvTable {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<{
    readonly line: number
    readonly cells: Readonly<Record<string, string>>
  }>
}

/** The separator that the header has most of. */
const separatorOf = (text: string): string => {
  const [header = ""] = text.split(/\r?\n/, 1)
  return [",", ";", "\t"].toSorted((a, b) => header.split(b).length - header.split(a).length)[0]!
}

const breaksIn = (record: ReadonlyArray<string>): number =>
  record.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0)

/**
 * The table of a text, or why it is none: a column that is there twice, and a row with more cells than the header, because a separator
 * that is not quoted moves what stands behind it. The escape of cells that a spreadsheet would run is taken off.
 */
export const readTable = (text: string): CsvTable | string => {
  try {
    const found = parse(text, {
      bom: true,
      delimiter: separatorOf(text),
      info: true,
      relax_column_count: true,
      skip_empty_lines: true
    }) as unknown as ReadonlyArray<{
      readonly record: ReadonlyArray<string>
      readonly info: { readonly lines: number }
    }>
    const [header, ...rows] = found
    if (header === undefined) return "it is empty"
    const columns = header.record.map((name) => name.trim())
    const twice = columns.find((name, at) => columns.indexOf(name) < at)
    if (twice !== undefined) return `the column ${JSON.stringify(twice)} is there twice`
    const lineOf = ({ info, record }: (typeof rows)[number]): number => info.lines - breaksIn(record)
    const wide = rows.find(({ record }) => record.length > columns.length)
    if (wide !== undefined)
      return `line ${lineOf(wide)} has ${wide.record.length} cells, and the header ${columns.length}`
    return {
      columns,
      rows: rows.map((row) => ({
        line: lineOf(row),
        cells: Object.fromEntries(
          columns.flatMap((name, n) => (row.record[n] === undefined ? [] : [[name, unescapeFormula(row.record[n])]]))
        )
      }))
    }
  } catch (fault) {
    if (fault instanceof CsvError) return fault.message
    throw fault
  }
}
