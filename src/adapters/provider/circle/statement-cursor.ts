/** How far a statement was read, as text of a bounded length: the whole state of the reading, so that any process goes on with it. */
import {
  firstWidthMs,
  isTime,
  type ListPlace,
  membersOf,
  readPlace,
  startPlace,
  type StatementPlace,
  writePlace
} from "../company/statement.ts"
import { failedDays, returnsMs } from "../company/sweep.ts"
import type { StatementItem } from "./statement-items.ts"

/** Before this no account has a payment, epoch milliseconds. */
export const beginning = Date.UTC(2018, 0)
/** What failed is looked at for so long, milliseconds: Circle may pay it afterwards. */
export const failedMs = failedDays * 24 * 3_600_000
/** The most items that a cursor remembers: those that are not final, and those that failed or cannot be read. */
export const openMax = 100
export const failedMax = 50

/** An item that is asked for by its id. `until`: how long it is, epoch milliseconds; null: until it is final. */
export interface WatchedItem {
  readonly key: string
  readonly until: number | null
}

/**
 * The round over the payouts for those that came back. Rounds have told the returns that began before `since`; the one that is under way
 * tells those that began before `until` (null: none is under way), and has read the list up to `at`. `pages`: how long the list was.
 */
export interface ReturnsRound extends ListPlace {
  readonly since: number
  readonly until: number | null
  readonly pages: number
}

/**
 * Every item that was made before `place` is on the statement, is watched, or moved nothing. `asked_at`: when the watched items were last begun to
 * be asked about; `left`: so many of them, from the first one, have not been since.
 */
export interface StatementCursor {
  readonly place: StatementPlace
  readonly watched: ReadonlyArray<WatchedItem>
  readonly asked_at: number
  readonly left: number
  readonly returns: ReturnsRound
}

const watchedKey = /^(?:(?:transfer|deposit)\/[\w-]{1,80}|payout\/[\w-]{1,80}(?:\/return)?)$/

/** How many of the watched items are not final. */
export const countOpen = (watched: ReadonlyArray<WatchedItem>): number =>
  watched.filter(({ until }) => until === null).length

/** The watched items of a cursor's text: those that are not final as their keys, the others with their time. */
const readWatches = (open: ReadonlyArray<unknown>): ReadonlyArray<WatchedItem> =>
  open.flatMap((one) => {
    const [key, until = null] = Array.isArray(one) ? (one as ReadonlyArray<unknown>) : [one]
    return typeof key === "string" && watchedKey.test(key) && (until === null || isTime(until)) ? [{ key, until }] : []
  })

/** The cursor of a text. One of another form begins anew. One of a release before rounds tells the returns of the last weeks again. */
export const readCursor = (text: string | null): StatementCursor => {
  const { asked_at, left, open, returns, ...members } = membersOf(text)
  const isCursor = isTime(members["at"]) && Array.isArray(open)
  const place = (isCursor ? readPlace(members) : undefined) ?? startPlace(beginning)
  const timeOf = (value: unknown) => (isCursor && isTime(value) ? value : 0)
  const [since, until, at, width, pages] = isCursor && Array.isArray(returns) ? (returns as ReadonlyArray<unknown>) : []
  const isRound = [since, at, width, pages].every(isTime) && (until === null || isTime(until))
  const watched = isCursor ? readWatches(open) : []
  const first = { since: Math.max(beginning, place.at - returnsMs), until: null, at: beginning }
  return {
    ...{ place, watched, asked_at: timeOf(asked_at), left: Math.min(timeOf(left), watched.length) },
    returns: (isRound
      ? { since, until, at, width, pages }
      : { ...first, width: firstWidthMs, pages: 0 }) as ReturnsRound
  }
}

/** The text of a cursor. */
export const writeCursor = ({ asked_at, left, place, returns, watched }: StatementCursor): string =>
  JSON.stringify({
    ...{ ...writePlace(place), asked_at, left },
    open: watched.map(({ key, until }) => (until === null ? key : [key, until])),
    returns: [returns.since, returns.until, returns.at, returns.width, returns.pages]
  })

/**
 * Takes the items of a window that ends at `to`, oldest first: as many as leave no more open than a cursor remembers.
 *
 * `at`: up to which they were taken; less than `to` if there was no room. `dropped`: the keys of those that failed or are unread, for
 * which there was none. What is watched already is told when it is asked about.
 */
export const takeItems = (
  watched: ReadonlyArray<WatchedItem>,
  { items, unread }: { readonly items: ReadonlyArray<StatementItem>; readonly unread: ReadonlyArray<string> },
  to: number,
  now: number
) => {
  const known = new Set(watched.map(({ key }) => key))
  const fresh = items.filter(({ key }) => !known.has(key))
  const openCount = countOpen(watched)
  const open = fresh.filter(({ state }) => state === "open")
  const at = open[Math.max(0, openMax - openCount)]?.at ?? to
  const taken = fresh.filter((item) => item.at < at)
  const failed = taken.flatMap((item) =>
    item.state === "failed" && item.at + failedMs > now ? [{ key: item.key, until: item.at + failedMs }] : []
  )
  const others = [...failed, ...unread.flatMap((key) => (known.has(key) ? [] : [{ key, until: now + failedMs }]))]
  const room = Math.max(0, failedMax - (watched.length - openCount))
  return {
    at,
    lines: taken.flatMap(({ lines }) => lines),
    watched: [
      ...watched,
      ...open.flatMap((item) => (item.at < at ? [{ key: item.key, until: null }] : [])),
      ...others.slice(0, room)
    ],
    dropped: others.slice(room).map(({ key }) => key)
  }
}

/** What becomes of a watched item that was asked about. `item`: undefined: it cannot be read. Undefined: it is watched no more. */
export const keepWatching = (
  { key, until }: WatchedItem,
  item: StatementItem | undefined,
  now: number
): WatchedItem | undefined => {
  if (item?.state === "final") return undefined
  if (item?.state === "open") return { key, until: null }
  if (item === undefined && until === null) return { key, until }
  return until !== null && until <= now ? undefined : { key, until: until ?? now + failedMs }
}
