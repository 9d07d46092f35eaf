/** Reads CSV (RFC 4180) with a header row, whatever its separator of comma, semicolon or tab: what people send back edited. */
import { CsvError, parse } from "csv-parse/sync"
import { unescapeFormula } from "../formulas.ts"

/** A file by its columns. `line`: where the row begins, from 1. `width`: how many cells it has. A cell that it does not have is absent. */
export interface CsvTable {
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<{
    readonly line: number
    readonly width: number
    readonly cells: Readonly<Record<string, string>>
  }>
}

/** The separator that the header has most of. */
const separatorOf = (text: string): string => {
  const [header = ""] = text.split(/\r?\n/, 1)
  return [",", ";", "\t"].toSorted((a, b) => header.split(b).length - header.split(a).length)[0]!
}

/** The table of a text, or why it is none. The escape of cells that a spreadsheet would run is taken off. */
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
    return {
      columns,
      rows: rows.map(({ info, record }) => ({
        line: info.lines,
        width: record.length,
        cells: Object.fromEntries(
          columns.flatMap((name, n) => (record[n] === undefined ? [] : [[name, unescapeFormula(record[n])]]))
        )
      }))
    }
  } catch (fault) {
    if (fault instanceof CsvError) return fault.message
    throw fault
  }
}
