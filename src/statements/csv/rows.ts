/** The rows of a CSV (RFC 4180) with the numbers of their lines: of bank statements, and of files that people send back edited. */
import { CsvError, parse } from "csv-parse/sync"
import { checkRecord, recordMax } from "../bounds.ts"
import { unescapeFormula } from "./write.ts"
import { UnreadableStatement } from "../statement.ts"
import { toPlace, quote } from "../text.ts"

/** A row with the number of its first line, from 1. */
export interface CsvRow {
  readonly cells: ReadonlyArray<string>
  readonly number: number
}

const stepCharacters = 512 * 1024

const countBreaks = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0

const parseRecords = (text: string, separator: string): ReadonlyArray<ReadonlyArray<string>> =>
  parse(text, {
    delimiter: separator,
    relax_column_count: true,
    record_delimiter: ["\r\n", "\n", "\r"]
  })

/** Finds the line of a fault of the parser, which counts CR LF within quotes as two lines. */
const findFaultLine = (text: string, separator: string): number => {
  try {
    parseRecords(text.replaceAll("\r\n", "\n"), separator)
  } catch (fault) {
    return Number((fault as { readonly lines?: unknown }).lines ?? 1)
  }
  return 1
}

const parseRows = (text: string, separator: string, before: number): ReadonlyArray<CsvRow> => {
  try {
    let next = before + 1
    return parseRecords(text, separator).map((record) => {
      const number = next
      next += 1 + record.reduce((sum, cell) => sum + countBreaks(cell), 0)
      return { cells: record.map(unescapeFormula), number }
    })
  } catch (fault) {
    if (!(fault instanceof CsvError)) throw fault
    throw new UnreadableStatement(
      toPlace(before + findFaultLine(text, separator)),
      `a row that is no CSV (${fault.message})`,
      "cells in double quotes where they have quotes"
    )
  }
}

/** Splits a text into pieces that each end with a row. Errors: `UnreadableStatement` for a row that is too long. */
function* splitPieces(text: string, separator: string, before: number): Generator<string> {
  let from = 0
  let isQuoted = false
  for (let at = 0, end = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34) isQuoted = !isQuoted
    else if (!isQuoted && (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10))) {
      end = at + 1
      if (end - from >= stepCharacters) {
        yield text.slice(from, end)
        from = end
      }
    }
    if (at - end > recordMax) {
      // The parser names a quote that makes it so long.
      parseRows(text.slice(from, at), separator, before + countBreaks(text.slice(0, from)))
      checkRecord("a row", at - end, toPlace(before + countBreaks(text.slice(0, end)) + 1))
    }
  }
  if (from < text.length) yield text.slice(from)
}

/** Reads a first line that names the separator for a spreadsheet (`sep=;`). Returns the separator, if any, and the text after that line. */
export const readSeparatorLine = (text: string): { readonly separator: string | undefined; readonly rest: string } => {
  const [line = "", separator] = /^\ufeff?"?sep=(.)"?(?:\r\n|\n|\r|$)/i.exec(text) ?? []
  return { separator, rest: text.slice(line.length) }
}

export const isBlankRow = ({ cells }: CsvRow): boolean => cells.every((cell) => cell.trim() === "")

/**
 * Reads the rows of a text, the empty ones too, and yields `undefined` between pieces of some milliseconds. A line `sep=` is no row.
 * Errors: `UnreadableStatement` for quotes that are not closed, for a row that is too long, and for a line `sep=` with another separator.
 */
export function* readCsvRows(text: string, separator: string): Generator<CsvRow | undefined> {
  const named = readSeparatorLine(text)
  if (named.separator !== undefined && named.separator !== separator)
    throw new UnreadableStatement(toPlace(1), `the separator ${quote(named.separator)}`, quote(separator))
  let before = named.separator === undefined ? 0 : 1
  for (const piece of splitPieces(named.rest, separator, before)) {
    yield* parseRows(piece, separator, before)
    before += countBreaks(piece)
    yield undefined
  }
}

const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/**
 * Refuses a row with more cells than the header, because a separator without quotes shifts the cells behind it, and one with fewer: it is
 * cut off. `least`: the columns up to the last that has a name; `width`: all.
 */
export const checkWidth = ({ cells, number }: CsvRow, least: number, width: number): void => {
  if (cells.length < least)
    throw new UnreadableStatement(
      toPlace(number),
      `a row of ${pluralize(cells.length, "cell")}`,
      pluralize(least, "column")
    )
  const more = cells.slice(width).find((cell) => cell.trim() !== "")
  if (more !== undefined)
    throw new UnreadableStatement(
      toPlace(number),
      `a cell ${quote(more)} behind the last column`,
      `${pluralize(width, "column")}, as in the header`
    )
}
