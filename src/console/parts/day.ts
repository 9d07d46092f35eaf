/** Days as `YYYY-MM-DD`. */

/** The day of an instant, `YYYY-MM-DD`, in a time zone or else in the browser's. */
export const dayOf = (at: number, timeZone: string | undefined): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone }).format(at)

/** The day that is so many days before another. */
export const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)
