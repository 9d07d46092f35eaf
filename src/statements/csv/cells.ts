/** Amounts and dates of cells, by a mapping. */
import { dateOf, yearOf } from "../date.ts"
import { type Units, unitsOf } from "../decimal.ts"
import { UnreadableStatement } from "../statement.ts"
import { lineAt, shown } from "../text.ts"
import type { CsvColumn, CsvMapping } from "./mapping.ts"

/** A row with the number of its line. */
export interface CsvRow {
  readonly cells: ReadonlyArray<string>
  readonly number: number
}

export const columnName = (column: CsvColumn): string =>
  typeof column === "number" ? `column ${column}` : `column ${shown(column)}`

export const refusedCell = ({ number }: CsvRow, column: CsvColumn, text: string | undefined, taken: string) =>
  new UnreadableStatement(`${lineAt(number)}, ${columnName(column)}`, shown(text), taken)

const minuses = /^[-\u2212\u2013]/
const spaces = /[\s\u00a0\u202f]/g

/** The amount without its separators of thousands, if these stand between groups of three digits (or of two, as in India). */
const ungrouped = (text: string, { decimal, thousands }: CsvMapping): string | undefined => {
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

/** An amount with its sign: `-5,00`, `5,00-`, `(5,00)` or `+5,00`. Undefined for anything else. */
export const signedAmount = (cell: string, mapping: CsvMapping): Units | undefined => {
  let text = cell.trim().replace(spaces, mapping.thousands === " " ? " " : "")
  let negative = false
  if (/^\(.*\)$/.test(text)) {
    negative = true
    text = text.slice(1, -1).trim()
  } else if (minuses.test(text)) {
    negative = true
    text = text.slice(1).trim()
  } else if (/\d-$/.test(text)) {
    negative = true
    text = text.slice(0, -1)
  } else if (text.startsWith("+")) text = text.slice(1).trim()
  const plain = ungrouped(text, mapping)
  const units = plain === undefined ? undefined : unitsOf(plain)
  return units === undefined ? undefined : negative ? -units : units
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
 * A date with its month in numbers: `01-Feb-2026` and `Feb 1, 2026` as `01-2-2026` and `2-1-2026`. Undefined where the month does not
 * stand at its place in the order of the mapping: the day would be taken for it.
 */
const inNumbers = (text: string, place: number): string | undefined => {
  const [, before, name, after, first, day, year] = named.exec(text) ?? []
  const numberOf = (of: string): number => months.indexOf(of.slice(0, 3).toLowerCase()) + 1
  if (name !== undefined) return place === 1 ? `${before}-${numberOf(name)}-${after}` : undefined
  if (first === undefined) return text
  return place === 0 ? `${numberOf(first)}-${day}-${year}` : undefined
}

/** The day of a cell, in the order of the mapping. A time behind it is not read. Undefined for anything else. */
export const dateIn = (cell: string, { dates }: CsvMapping): string | undefined => {
  const [year, month, day] = parts[dates]
  const [text = ""] = inNumbers(cell.trim(), month)?.split(/[T\s]+/) ?? []
  const digits = /^\d{8}$/.test(text)
    ? dates === "ymd"
      ? [text.slice(0, 4), text.slice(4, 6), text.slice(6)]
      : [text.slice(0, 2), text.slice(2, 4), text.slice(4)]
    : (/^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})\.?$/.exec(text)?.filter((_, at) => at === 1 || at >= 3) ?? [])
  const [y = "", m = "", d = ""] = [digits[year], digits[month], digits[day]]
  if (!/^(?:\d{4}|\d{2})$/.test(y) || !/^\d{1,2}$/.test(m) || !/^\d{1,2}$/.test(d)) return undefined
  return dateOf(y.length === 2 ? yearOf(Number(y)) : Number(y), Number(m), Number(d))
}
