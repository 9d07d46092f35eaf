/** Days as `YYYY-MM-DD`. */

/** The day of an instant, `YYYY-MM-DD`. Without a time zone, in the browser's. */
export const dayOf = (at: number, timeZone: string | undefined): string =>
  new Intl.DateTimeFormat("en-CA", { timeZone }).format(at)

/** A day, so many days before another. */
export const daysBefore = (day: string, days: number): string =>
  new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)
