/** The days that a statement can have, of any author (INGEST-3, INGEST-8). */
import { toDay } from "./books.ts"

const dayMs = 86_400_000

/** How far ahead a bank may book, and how far from all else of a statement an end is one: an open end is written as the end of time. */
export const SPAN_MAX_DAYS = 400

/** The first day of a statement. Earlier ones are a zero or a mistake of the file. */
const FIRST_DAY = "1970-01-01"

export interface Span {
  readonly first: string
  readonly last: string
}

/** The days that statements of a time zone can have at `now`: a bank may book ahead, and the end of the calendar is no booking. */
export const findPossibleDays = (time_zone: string, now: number): Span => ({
  first: FIRST_DAY,
  last: toDay(time_zone, now + SPAN_MAX_DAYS * dayMs)
})

export const isWithin = ({ first, last }: Span, day: string): boolean => day >= first && day <= last

/** Why an instant of a provider's statement is none that it can have. Undefined: it can. `at`: epoch milliseconds, or what a provider sent. */
export const instantFault = (name: string, at: number, now: number): string | undefined => {
  const { first, last } = findPossibleDays("UTC", now)
  const day = Number.isNaN(new Date(at).getTime()) ? undefined : toDay("UTC", at)
  if (at >= 0 && day !== undefined && isWithin({ first, last }, day)) return undefined
  return `${name} is ${day ?? at}; it takes a time from ${first} to ${last}`
}
