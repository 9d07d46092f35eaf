/** Amounts and dates of cells, by a mapping (STATEMENT-8). */
import { toDate, toYear } from "../date.ts"
import { type Units, parseDecimal } from "../decimal.ts"
import { UnreadableStatement } from "../statement.ts"
import { toPlace, quote } from "../text.ts"
import type { CsvColumn, CsvMapping } from "./mapping.ts"
import type { CsvRow } from "./rows.ts"
import { listSigns } from "./signs.ts"

export const toColumnName = (column: CsvColumn): string =>
  typeof column === "number" ? `column ${column}` : `column ${quote(column)}`

export const refuseCell = ({ number }: CsvRow, column: CsvColumn, text: string | undefined, taken: string) =>
  new UnreadableStatement(`${toPlace(number)}, ${toColumnName(column)}`, quote(text), taken)

/** Removes the separators of thousands, if they stand between groups of three digits (or of two, as in India). */
const removeGrouping = (
  text: string,
  decimal: CsvMapping["decimal"],
  thousands: CsvMapping["thousands"]
): string | undefined => {
  const point = text.indexOf(decimal)
  const [whole, rest] = point < 0 ? [text, ""] : [text.slice(0, point), `.${text.slice(point + 1)}`]
  if (/^\d+$/.test(whole)) return whole + rest
  if (whole === "" && rest.length > 1) return `0${rest}`
  if (thousands === null || thousands === undefined) return undefined
  const groups = whole.split(thousands)
  const isGrouped = groups.every((group, at) =>
    (at === 0 ? /^\d{1,3}$/ : at === groups.length - 1 ? /^\d{3}$/ : /^\d{2,3}$/).test(group)
  )
  return isGrouped ? groups.join("") + rest : undefined
}

/** Parses an amount without a sign. The typographic apostrophe equals the plain one; spaces may part thousands where nothing else does. */
const parseUnits = (text: string, { decimal, thousands }: CsvMapping): Units | undefined => {
  const isApostrophe = thousands === "'" || thousands === "\u2019"
  const between = isApostrophe ? "'" : (thousands ?? (text.includes(" ") ? " " : null))
  const plain = removeGrouping(isApostrophe ? text.replaceAll("\u2019", "'") : text, decimal, between)
  return plain === undefined ? undefined : parseDecimal(plain)
}

/** An amount as a cell has it: below zero with a minus sign, in parentheses, or with `DR` behind it. */
export interface CellAmount {
  readonly units: Units
  /** What `CR` or `DR` behind the amount says. */
  readonly mark: "credit" | "debit" | undefined
}

const signs: Readonly<Record<string, bigint>> = { "-": -1n, "\u2212": -1n, "\u2013": -1n, "+": 1n }

/**
 * Parses an amount with what banks write around it, each at most once and in any order: a sign before or behind it, or parentheses; the
 * code or sign of the currency; `CR` or `DR` behind it. Undefined for anything else: another currency's sign, a minus sign beside `CR`.
 */
export const parseCellAmount = (cell: string, mapping: CsvMapping, currency: string): CellAmount | undefined => {
  let text = cell
  let sign: bigint | undefined
  let mark: CellAmount["mark"]
  let isNamed = false
  const take = (): boolean => {
    text = text.replace(/\s+/g, " ").trim()
    const lower = text.toLowerCase()
    const named = isNamed
      ? undefined
      : listSigns(currency).find((each) => lower.startsWith(each) || lower.endsWith(each))
    const [marked, word] = (mark === undefined && /(cr|dr)\.?$/.exec(lower)) || []
    // `XDR` is a currency, and the `R` of `CR` is none.
    if (marked !== undefined && !(named !== undefined && lower.endsWith(named) && named.length > marked.length)) {
      mark = word === "cr" ? "credit" : "debit"
      text = text.slice(0, -marked.length)
      return true
    }
    if (named !== undefined) {
      isNamed = true
      text = lower.startsWith(named) ? text.slice(named.length) : text.slice(0, -named.length)
      return true
    }
    if (sign !== undefined) return false
    const [first, last] = [signs[text.at(0) ?? ""], signs[text.at(-1) ?? ""]]
    const isEnclosed = /^\(.*\)$/.test(text)
    sign = isEnclosed ? -1n : (first ?? last)
    if (sign === undefined) return false
    text = text.slice(isEnclosed || first !== undefined ? 1 : 0, isEnclosed || first === undefined ? -1 : undefined)
    return true
  }
  while (take()) continue
  const units = parseUnits(text, mapping)
  if (units === undefined || (mark === "credit" && sign === -1n)) return undefined
  return { units: sign === -1n || mark === "debit" ? -units : units, mark }
}

const parts: Readonly<Record<CsvMapping["dates"], readonly [year: number, month: number, day: number]>> = {
  ymd: [0, 1, 2],
  dmy: [2, 1, 0],
  mdy: [2, 0, 1]
}

const months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
const month =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)"
const named = new RegExp(
  `^(?:(\\d{1,4})[-/.\\s]*${month}[-/.\\s]*(\\d{1,4})|${month}[-/.\\s]*(\\d{1,2}),?[-/.\\s]+(\\d{2,4}))(?:[T\\s].*)?$`,
  "i"
)

/**
 * Replaces the name of a month by its number: `01-Feb-2026` becomes `01-2-2026`, and `Feb 1, 2026` becomes `2-1-2026`. Undefined where the
 * month does not stand at its place in the order of the mapping: the day would be taken for it.
 */
const replaceMonthName = (text: string, place: number): string | undefined => {
  const [, before, name, after, first, day, year] = named.exec(text) ?? []
  const numberOf = (of: string): number => months.indexOf(of.slice(0, 3).toLowerCase()) + 1
  if (name !== undefined) return place === 1 ? `${before}-${numberOf(name)}-${after}` : undefined
  if (first === undefined) return text
  return place === 0 ? `${numberOf(first)}-${day}-${year}` : undefined
}

/** Parses the day of a cell, in the order of the mapping. A time behind it is not read. Undefined for anything else. */
export const parseDate = (cell: string, { dates }: CsvMapping): string | undefined => {
  const [year, month, day] = parts[dates]
  const [text = ""] = replaceMonthName(cell.trim(), month)?.split(/[T\s]+/) ?? []
  const digits = /^\d{8}$/.test(text)
    ? dates === "ymd"
      ? [text.slice(0, 4), text.slice(4, 6), text.slice(6)]
      : [text.slice(0, 2), text.slice(2, 4), text.slice(4)]
    : (/^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})\.?$/.exec(text)?.filter((_, at) => at === 1 || at >= 3) ?? [])
  const [y = "", m = "", d = ""] = [digits[year], digits[month], digits[day]]
  if (!/^(?:\d{4}|\d{2})$/.test(y) || !/^\d{1,2}$/.test(m) || !/^\d{1,2}$/.test(d)) return undefined
  return toDate(y.length === 2 ? toYear(Number(y)) : Number(y), Number(m), Number(d))
}
