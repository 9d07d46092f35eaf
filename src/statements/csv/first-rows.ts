/** The first rows of a CSV, for a person who says what its columns are. */
import { checkKind } from "../other-files.ts"
import { decodeText } from "../text.ts"
import type { CsvMapping } from "./mapping.ts"
import { type CsvRow, isBlankRow, readCsvRows, readSeparatorLine } from "./rows.ts"

export interface FirstRows {
  readonly separator: CsvMapping["separator"]
  readonly rows: ReadonlyArray<CsvRow>
}

const separators: ReadonlyArray<CsvMapping["separator"]> = [",", ";", "\t", "|"]

const readFilledRows = (text: string, separator: string, limit: number): ReadonlyArray<CsvRow> => {
  const rows: Array<CsvRow> = []
  for (const row of readCsvRows(text, separator)) {
    if (row !== undefined && !isBlankRow(row)) rows.push(row)
    if (rows.length === limit) break
  }
  return rows
}

/** Finds the median number of cells of rows. */
const findUsualWidth = (rows: ReadonlyArray<CsvRow>): number => {
  const widths = rows.map(({ cells }) => cells.length).toSorted((a, b) => a - b)
  return widths[Math.floor(widths.length / 2)] ?? 0
}

/**
 * Reads at most `limit` rows that have text, in the encoding of the byte order mark, else in the given one. Without a separator, it is that
 * of a line `sep=`, else the one by which most rows have most cells. Errors: `UnreadableStatement` for bytes that are no text, and for rows
 * that are no CSV.
 */
export const readFirstRows = (
  bytes: Uint8Array,
  limit: number,
  { encoding, separator }: Partial<Pick<CsvMapping, "encoding" | "separator">> = {}
): FirstRows => {
  checkKind(bytes)
  const text = decodeText(bytes, encoding)
  const named = separators.find((one) => one === readSeparatorLine(text).separator)
  const chosen =
    separator ?? named ?? separators.toSorted((a, b) => countWidth(text, b, limit) - countWidth(text, a, limit))[0]!
  return { separator: chosen, rows: readFilledRows(text, chosen, limit) }
}

const countWidth = (text: string, separator: string, limit: number): number => {
  try {
    return findUsualWidth(readFilledRows(text, separator, limit))
  } catch {
    return 0
  }
}
