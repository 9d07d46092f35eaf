/** What a row that has the money of a pay-in, or has paid it out, knows of its recall. */

export interface KnownRecall {
  /** The exception that reports that its pay-in has failed after it was confirmed. Absent: none does. */
  readonly recalled_by?: string
  /** False: the pay-in was confirmed again since. Absent: it was not, if it was recalled. */
  readonly recalled?: boolean
}

/** Whether a pay-in is recalled, and was not confirmed again since (DEPOSIT-17). */
export const isRecalled = ({ recalled, recalled_by }: KnownRecall): boolean => recalled ?? recalled_by !== undefined
