/**
 * Statements that are made of lists. What is new is read on, in windows of time. What was listed late is found by an overlap: of each hour of the
 * last day a cursor has a digest of what was taken, and an hour with another digest is taken again. A line has the same id each time.
 */
import { createHash } from "node:crypto"
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { StatementLine } from "../../../engine/ports/Provider.ts"
import { type ListWindow, readWindows } from "./windows.ts"

/** What a line must say. */
export type KnownLine = Pick<StatementLine, "id" | "booked_at" | "direction" | "amount" | "currency"> &
  Partial<StatementLine>

/** A line, of which nothing is known but what is said. */
export const makeLine = (line: KnownLine): StatementLine => ({
  ...{ command_id: null, payin_id: null, provider_reference: null, transaction_hash: null, narration: null },
  ...line
})

/** The order of lines on a page. */
export const byTime = (a: StatementLine, b: StatementLine): number =>
  a.booked_at - b.booked_at || (a.id < b.id ? -1 : 1)

export const hourMs = 3_600_000
/** An item may be listed so long after others that came after it, milliseconds. */
export const overlapMs = 24 * hourMs
/** What is as young as this may not all be listed yet, milliseconds. */
export const unsettledMs = 60_000
/** The width of the first window of a list, milliseconds. */
export const firstWidthMs = 24 * hourMs
/** After a round over the last day the next one waits so long for each 50 items, at least and at most so long, milliseconds. */
const restPerPageMs = 30_000
const pageItems = 50
const restMinMs = 10 * 60_000
const restMaxMs = 24 * hourMs

/** Something that is listed. `at`: when it was made, epoch milliseconds. */
export interface DatedItem {
  readonly key: string
  readonly at: number
}

/** A digest of the keys of what was made in each hour. It does not depend on their order, so that it grows with what comes. */
interface HourDigests {
  readonly [hour: string]: string
}

const hourOf = (at: number): number => Math.floor(at / hourMs)
/** When the hour began. */
export const startOfHour = (at: number): number => hourOf(at) * hourMs
const nextHour = (at: number): number => Math.ceil(at / hourMs) * hourMs

const joinDigests = (before = "", key: string): string => {
  const bytes = Buffer.from(before, "base64url")
  const digest = createHash("sha256").update(key).digest().subarray(0, 9)
  return Buffer.from(digest.map((byte, n) => byte ^ (bytes[n] ?? 0))).toString("base64url")
}

/** What was seen, with these items, from the hour of `since` on. */
const addSeen = (seen: HourDigests, items: ReadonlyArray<DatedItem>, since = 0): HourDigests => {
  const hours = new Map(Object.entries(seen).filter(([hour]) => Number(hour) >= hourOf(since)))
  for (const { at, key } of items)
    if (hourOf(at) >= hourOf(since)) hours.set(String(hourOf(at)), joinDigests(hours.get(String(hourOf(at))), key))
  return Object.fromEntries(hours)
}

/** The items of the hours that have others than were seen, of items that are all of their hours. */
const findUnseen = <Item extends DatedItem>(items: ReadonlyArray<Item>, seen: HourDigests): ReadonlyArray<Item> => {
  const found = addSeen({}, items)
  return items.filter(({ at }) => found[hourOf(at)] !== seen[hourOf(at)])
}

/** The members of a cursor. One of another form has none. */
export const membersOf = (cursor: string | null): { readonly [name: string]: unknown } => {
  try {
    const value: unknown = JSON.parse(cursor ?? "{}")
    return typeof value === "object" && value !== null ? (value as { readonly [name: string]: unknown }) : {}
  } catch {
    return {}
  }
}
export const isTime = (value: unknown): value is number => Number.isSafeInteger(value)
const isHourDigests = (value: unknown): value is HourDigests =>
  typeof value === "object" && value !== null && Object.values(value).every((digest) => typeof digest === "string")

/** A place in a list, and the width of the next window. Epoch milliseconds, and milliseconds. */
export interface ListPlace {
  readonly at: number
  readonly width: number
}

/** How far a statement was read. */
export interface StatementPlace extends ListPlace {
  /** Of which items the digests are: those that were made since then. */
  readonly from: number
  readonly seen: HourDigests
  /**
   * The round over the last day: when it began, the items that were made before `until`, up to `at`; and how many they were. `parts`: so many
   * windows are listed of the hour from `at`, which is longer than a page can list.
   */
  readonly late: ListPlace & {
    readonly began: number
    readonly until: number
    readonly items: number
    readonly parts: number
  }
}

export const startPlace = (at: number): StatementPlace => ({
  ...{ at, from: at, width: firstWidthMs, seen: {} },
  late: { began: 0, until: 0, at: 0, width: firstWidthMs, items: 0, parts: 0 }
})

/** The text of a place, as a value of JSON. */
export const writePlace = ({ at, from, late, seen, width }: StatementPlace) =>
  ({ at, from, width, seen, late: [late.began, late.until, late.at, late.width, late.items, late.parts] }) as const

/** The place of a value of JSON. Undefined: it is none. A build before overlaps had the time alone. */
export const readPlace = (value: unknown): StatementPlace | undefined => {
  if (isTime(value)) return startPlace(value)
  const { at, from, late, seen, width = firstWidthMs } = Object(value) as { readonly [name: string]: unknown }
  if (!isTime(at) || !isTime(width)) return undefined
  const [began, until, place, wide, items, parts] = Array.isArray(late) ? (late as ReadonlyArray<unknown>) : []
  const isRound = isTime(began) && isTime(until) && isTime(place) && isTime(wide) && isTime(items)
  if (!isTime(from) || !isHourDigests(seen)) return { ...startPlace(at), width }
  if (!isRound) return { ...startPlace(at), width, from, seen }
  return {
    ...{ at, from, width, seen },
    late: { began, until, at: place, width: wide, items, parts: isTime(parts) ? parts : 0 }
  }
}

/** Whether a page has more behind it, or has looked for what was listed late. */
export const hasMoved = (before: StatementPlace | undefined, { at, late }: StatementPlace, now: number): boolean =>
  at < now - unsettledMs ||
  late.at < late.until ||
  late.began !== before?.late.began ||
  late.at !== before.late.at ||
  late.parts !== before.late.parts

/** How the lists of a statement are asked for, and what becomes of their items. */
export interface ListSource<Item extends DatedItem, Found extends { readonly items: ReadonlyArray<Item> }> {
  /** What it is called in a fault. */
  readonly name: string
  readonly list: ListWindow<Found>
  /**
   * Takes items, oldest first, of a window that ends at `end`. Returns up to when it took them: less than `end`: it has no room for more.
   * `isLate`: it takes whole hours, for an hour of which some were taken would be on each page again.
   */
  readonly take: (found: Found, end: number, isLate: boolean) => number
  /** Tells what cannot be read of a window that is listed again, which may have been listed late. It has no time, and is told as often as it is listed. */
  readonly tellUnread: (found: Found) => void
  /** Whether the page has enough, or may ask no more. */
  readonly isEnough: () => boolean
  /** What is new is not asked for more often than this, milliseconds. Default: each page asks. */
  readonly rest_ms?: number
  readonly hours: ListedHours<Found>
}

/** What is listed of hours that are longer than a page can list, for the next pages. A process that has not listed it begins again. */
export type ListedHours<Found> = Map<string, { readonly place: ListPlace; readonly found: ReadonlyArray<Found> }>
/** The most hours that are kept: one for each reader. */
const hoursMax = 4

/** Lists an hour, or as much of it as a page can, after what the pages before have listed. */
const listHour = Effect.fnUntraced(function* <
  Item extends DatedItem,
  Found extends { readonly items: ReadonlyArray<Item> }
>({ hours, isEnough, list, name }: ListSource<Item, Found>, key: string, from: number, to: number) {
  const before = hours.get(key)
  const found = [...(before?.found ?? [])]
  const place = yield* readWindows({ from: before?.place.at ?? from, to }, to, {
    ...{ name, list, width: before?.place.width ?? hourMs, isEnough: Effect.sync(isEnough) },
    read: (one) => Effect.sync(() => void found.push(one))
  })
  hours.delete(key)
  const isWhole = place.at >= to
  if (!isWhole)
    for (const other of [...hours.keys()].slice(0, Math.max(0, hours.size + 1 - hoursMax))) hours.delete(other)
  if (!isWhole) hours.set(key, { place, found })
  return { found, isWhole }
})

/**
 * The items of a window, each once, oldest first. Whether the bounds of a company's list count is not certain, and these do not overlap; a list that
 * grows while its pages are read may have an item on two.
 */
const itemsIn = <Item extends DatedItem>(items: ReadonlyArray<Item>, from: number, to: number) =>
  [...new Map(items.map((item) => [item.key, item])).values()]
    .filter(({ at }) => at >= from && at < to)
    .sort((a, b) => a.at - b.at)

/** Reads a list on to `end`. Returns the place that was reached, and the items that were taken. */
export const readOn = Effect.fnUntraced(function* <
  Item extends DatedItem,
  Found extends { readonly items: ReadonlyArray<Item> }
>(place: ListPlace, end: number, { isEnough, list, name, take }: ListSource<Item, Found>) {
  const taken: Array<Item> = []
  if (place.at >= end || isEnough()) return { place, taken }
  const { at, width } = yield* readWindows({ from: place.at, to: end }, end, {
    ...{ name, list, width: place.width, growth: 4, isEnough: Effect.sync(isEnough) },
    read: (found, { from, to }) =>
      Effect.sync(() => {
        const items = itemsIn(found.items, from, to)
        const until = take({ ...found, items }, to, false)
        taken.push(...items.filter((item) => item.at < until))
        return until
      })
  })
  return { place: { at, width }, taken }
})

/** Looks for what was listed late, hour by hour. An hour that is longer than a list is read whole. */
const readLate = Effect.fnUntraced(function* <
  Item extends DatedItem,
  Found extends { readonly items: ReadonlyArray<Item> }
>(
  place: StatementPlace,
  now: number,
  source: ListSource<Item, Found>,
  restMost = restMaxMs
): Effect.fn.Return<StatementPlace, ProviderFault> {
  const { isEnough, list, name, take, tellUnread } = source
  const { from, late } = place
  const rest = Math.min(restMost, Math.max(restMinMs, Math.floor(late.items / pageItems) * restPerPageMs))
  const isNew = late.at >= late.until
  if (isEnough() || (isNew && now - late.began < rest)) return place
  const round = isNew
    ? { began: now, until: place.at, at: nextHour(from), width: overlapMs, items: 0, parts: 0 }
    : { ...late, at: Math.max(late.at, nextHour(from)) }
  /** Since when the digests are needed after the round: what is older was listed when it began, however late it was. */
  const since = Math.max(from, nextHour(round.began - overlapMs - unsettledMs))
  if (round.at >= round.until) return { ...place, from: since, late: { ...round, at: round.until } }
  let { items } = round
  let { seen } = place
  let parts = 0
  const { at, width } = yield* readWindows<Effect.Success<ReturnType<typeof listHour<Item, Found>>>>(
    { from: round.at, to: round.until },
    now,
    {
      ...{ name, width: round.width, least: hourMs, isEnough: Effect.sync(isEnough) },
      list: (window, isShortest) =>
        isShortest
          ? listHour(source, `${round.began}/${window.from}`, window.from, window.to ?? round.until)
          : Effect.map(list(window, false), (found) => found && { found: [found], isWhole: true }),
      read: ({ found, isWhole: isListed }, { from, to }) =>
        Effect.sync(() => {
          parts = isListed ? 0 : found.length
          if (!isListed) return from
          found.forEach(tellUnread)
          const listed = itemsIn(
            found.flatMap((one) => one.items),
            from,
            to
          )
          // The last hour has more since then, if what is new was read meanwhile.
          const isWhole = ({ at }: Item) => place.at === round.until || hourOf(at) < hourOf(round.until)
          const unseen = findUnseen(listed.filter(isWhole), seen)
          const until =
            unseen.length === 0 || found[0] === undefined ? to : take({ ...found[0], items: unseen }, to, true)
          const taken = unseen.filter(({ at }) => at < until)
          const others = Object.entries(seen).filter(([hour]) => !taken.some(({ at }) => String(hourOf(at)) === hour))
          seen = addSeen(Object.fromEntries(others), taken)
          items += listed.filter(({ at }) => at < until).length
          return until
        })
    }
  )
  return { ...place, from: at >= round.until ? since : from, seen, late: { ...round, at, width, items, parts } }
})

/**
 * Reads what is new, and then what was listed late, if it is time to look for it. After a time in which nobody has read it is the other way: what
 * was listed late meanwhile comes first, because the digests of its hours are about to be dropped. Hours that cannot be listed again stop nothing new.
 */
export const readStatement = Effect.fnUntraced(function* <
  Item extends DatedItem,
  Found extends { readonly items: ReadonlyArray<Item> }
>(known: StatementPlace, now: number, source: ListSource<Item, Found>) {
  const end = now - unsettledMs
  // What is older had been listed by then, however late it was.
  const oldest = nextHour(end - overlapMs - restMaxMs)
  const isLeft = ({ at, from }: StatementPlace) => from < Math.min(at, oldest)
  const before = isLeft(known) ? yield* readLate(known, now, source, 0) : known
  if (isLeft(before)) return before
  const isRested = end - before.at >= (source.rest_ms ?? 0)
  const { place, taken } = isRested ? yield* readOn(before, end, source) : { place: before, taken: [] }
  const from = Math.max(before.from, oldest)
  const { at, width } = place
  return yield* readLate({ ...before, at, width, from, seen: addSeen(before.seen, taken, from) }, now, source)
})
