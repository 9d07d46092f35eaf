/** The windows of limits: in words, which bucket of a counter an act adds to, which count with it, and when there is room again (LIMITS-6). */
import { DateTime } from "effect"
import { parseDuration } from "../input/members.ts"
import { BoundedMap } from "../ports/bounded-map.ts"
import type { LimitWindow } from "../../machines/controls/limit.ts"
import type { StoredCounter } from "../ports/Storage.ts"

const units = [
  ["days", 86_400_000],
  ["hours", 3_600_000],
  ["minutes", 60_000],
  ["seconds", 1000]
] as const

/** Describes a duration in the largest unit of which it is several, so that a day is 24 hours and not a day of a calendar. */
const describeDuration = (text: string): string => {
  const ms = parseDuration(text)!
  const [name, unit] = units.find(([, unit]) => ms % unit === 0 && ms > unit) ?? (["milliseconds", 1] as const)
  return `${ms / unit} ${name}`
}

/** Describes a window in words that follow an amount. */
export const describeWindow = (window: LimitWindow): string =>
  window === "movement"
    ? ""
    : window === "total"
      ? " in all"
      : "rolling" in window
        ? ` in any ${describeDuration(window.rolling)}`
        : ` a ${window.calendar} in ${window.time_zone}`

/** A rolling window has this many buckets. A counter keeps a few more. */
const rollingParts = 60

/** The buckets that count together with `bucket`: only it (`from` null), or all since `from`. */
export interface CountedWindow {
  readonly bucket: number
  readonly from: number | null
  /** When the window ends as a whole, epoch milliseconds. Null where its buckets leave one by one, or never. */
  readonly ends_at: number | null
  /** When a bucket no longer counts, epoch milliseconds. Null: never. */
  readonly leavesAt: (bucket: number) => number | null
}

/** The calendar windows that were asked for last. A movement asks for the same as the one before it. */
const known = new BoundedMap<string, { readonly from: number; readonly until: number }>(256)

const next = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } } as const

const findCalendarWindow = (part: "day" | "week" | "month", zone: string, at: number) => {
  const key = `${part}/${zone}`
  const found = known.get(key)
  if (found !== undefined && found.from <= at && at < found.until) return found
  const here = DateTime.makeZonedUnsafe(at, { timeZone: zone })
  const start = DateTime.startOf(here, part, { weekStartsOn: 1 })
  const end = DateTime.startOf(DateTime.add(start, next[part]), part, { weekStartsOn: 1 })
  const window = { from: DateTime.toEpochMillis(start), until: DateTime.toEpochMillis(end) }
  known.set(key, window)
  return window
}

/** Finds the window that an act at `at`, epoch milliseconds, counts in. Undefined for a window that counts nothing. */
export const findWindow = (window: LimitWindow, at: number): CountedWindow | undefined => {
  if (window === "movement") return undefined
  if (window === "total") return { bucket: 0, from: null, ends_at: null, leavesAt: () => null }
  if ("calendar" in window) {
    const { from, until } = findCalendarWindow(window.calendar, window.time_zone, at)
    return { bucket: from, from: null, ends_at: until, leavesAt: () => until }
  }
  const length = parseDuration(window.rolling)!
  const part = Math.ceil(length / rollingParts)
  return {
    bucket: Math.floor(at / part),
    from: Math.floor((at - length) / part),
    ends_at: null,
    // The first instant whose window begins after the bucket.
    leavesAt: (bucket) => (bucket + 1) * part + length
  }
}

const isCounted = ({ bucket, from }: CountedWindow, one: number): boolean =>
  from === null ? one === bucket : one >= from

/** Sums the amounts that count in a window. */
export const sumWindow = (window: CountedWindow, stored: StoredCounter | undefined): bigint =>
  (stored?.amounts ?? []).reduce(
    (sum, { amount, bucket }) => (isCounted(window, bucket) ? sum + BigInt(amount) : sum),
    0n
  )

/**
 * Finds when an act that adds `add` is within `max` again, if nothing else is counted: epoch milliseconds. Null: never. For an act that
 * fits now: when the oldest counted amount leaves the window.
 */
export const findReset = (
  window: CountedWindow,
  stored: StoredCounter | undefined,
  add: bigint,
  max: bigint
): number | null => {
  if (add > max) return null
  if (window.ends_at !== null) return window.ends_at
  let used = sumWindow(window, stored)
  let left: number | null = null
  for (const { amount, bucket } of stored?.amounts ?? []) {
    if (!isCounted(window, bucket) || amount === "0" || (left !== null && used + add <= max)) continue
    used -= BigInt(amount)
    left = window.leavesAt(bucket)
  }
  return left
}
