/** The close of a day of an external account: its figures, sealed. It never changes (CLOSE-2). */
import { makeRecordLifecycle } from "../kernel/lifecycle.ts"

/**
 * Amounts are minor units of `currency` as decimal integer text. `seal`: the SHA-256 of the day's lines, as hex: a text
 * `<id> <direction> <amount>` for each, in the order of their ids, joined by line feeds. `accepted`: sealed although `unexplained` was
 * not zero. `open`: what else was open up to the day when it was sealed than seals of before have, by what it was about and came to, each
 * with the day that counted it, where it stays.
 */
export interface ClosingData {
  readonly external_account_id: string
  readonly date: string
  readonly currency: string
  readonly opening: string
  readonly booked: string
  readonly closing: string
  readonly statement_closing: string | null
  readonly outstanding: string
  readonly explained: string
  readonly unexplained: string
  readonly lines: number
  readonly accepted: boolean
  readonly note: string | null
  readonly sealed_by: string
  readonly seal: string
  readonly open: Readonly<Record<string, string>>
  /** The keys of the differences that the day itself counted. Absent in rows of earlier releases. */
  readonly counts?: ReadonlyArray<string>
}

export const ClosingLifecycle = makeRecordLifecycle<ClosingData>("closing")
