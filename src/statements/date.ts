/** Dates of files: days of the calendar, as `YYYY-MM-DD`, and instants. */

const padNumber = (value: number, length: number): string => String(value).padStart(length, "0")

const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Formats a day of the calendar as `YYYY-MM-DD`. Undefined if there is no such day, such as 30 February. */
export const toDate = (year: number, month: number, day: number): string | undefined => {
  const length =
    month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : (lengths[month - 1] ?? 0)
  return year >= 1 && day >= 1 && day <= length
    ? `${padNumber(year, 4)}-${padNumber(month, 2)}-${padNumber(day, 2)}`
    : undefined
}

/** Completes a year of two digits: 80 to 99 are of the last century. */
export const toYear = (two: number): number => (two < 80 ? 2000 + two : 1900 + two)

/** Parses a day of the form `YYMMDD`. Undefined for anything else. */
export const parseShortDate = (text: string): string | undefined =>
  /^\d{6}$/.test(text)
    ? toDate(toYear(Number(text.slice(0, 2))), Number(text.slice(2, 4)), Number(text.slice(4, 6)))
    : undefined

/** Days, both included. */
export interface DaySpan {
  readonly from: string
  readonly to: string
}

/**
 * Finds the day of the form `MMDD` that is nearest to `to`: the entry date of a booking, near its value date. Its year may be the next or
 * the last one (`1231` beside 2 January, `0102` beside 31 December). `span`: the days that the statement is of, one of which it is, however
 * far the value date is from them. Undefined: the nearest year has no such day.
 */
export const findNearestDate = (text: string, to: string, span: DaySpan = { from: to, to }): string | undefined => {
  if (!/^\d{4}$/.test(text)) return undefined
  const [month, day] = [Number(text.slice(0, 2)), Number(text.slice(2, 4))]
  const yearOf = (date: string): number => Number(date.slice(0, 4))
  // 29 February of another year is 1 March here, which is as far away.
  const distance = (each: number): number => Math.abs(Date.UTC(each, month - 1, day) - Date.parse(to))
  const dateIn = (each: number): string | undefined => toDate(each, month, day)
  const isWithin = (date = ""): boolean => span.from <= date && date <= span.to
  const year = yearOf(to)
  const [nearest] = [year, year - 1, year + 1, yearOf(span.from), yearOf(span.to)].toSorted(
    (a, b) => Number(isWithin(dateIn(b))) - Number(isWithin(dateIn(a))) || distance(a) - distance(b)
  )
  return dateIn(nearest!)
}

const dayMs = 86_400_000

export const findPreviousDay = (day: string): string => new Date(Date.parse(day) - dayMs).toISOString().slice(0, 10)

const instantPattern =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s*(?:Z|([+-])(\d\d):?(\d\d))?)?$/

/**
 * Parses a date with a time to an instant in UTC (`2026-01-31T11:00:00.000Z`). A time without an offset counts as UTC, a date as its begin.
 * Null for anything else: it says when a file was made, and decides only which of two files is the later one.
 */
export const parseInstant = (text: string): string | null => {
  const [, year, month, date, hour = "0", minute = "0", second = "0", fraction = "", sign, hours, minutes] =
    instantPattern.exec(text.trim()) ?? []
  const day = toDate(Number(year), Number(month), Number(date))
  const time = [hour, minute, second].map(Number) as [number, number, number]
  const isEndOfDay = time.join(":") === "24:0:0"
  if (day === undefined || (!isEndOfDay && (time[0] > 23 || time[1] > 59 || time[2] > 60))) return null
  const offset = sign === undefined ? 0 : (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  const seconds = (time[0] * 60 + time[1] - offset) * 60 + time[2]
  return new Date(Date.parse(day) + seconds * 1000 + Number(fraction.slice(0, 3).padEnd(3, "0"))).toISOString()
}
