/** Lists of a company that are read by time: one that is too long is read in shorter times, and one that is very long by several sweeps. */
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import type { EntryWrite } from "../books.ts"
import { type ChainBooks, readData } from "../chain/books.ts"
import type { CompanyEntries } from "./entries.ts"

/** A time of a list, epoch milliseconds; without an end: until now. */
export interface Window {
  readonly from: number
  readonly to?: number
}

const toIso = (at: number | undefined) => (at === undefined ? undefined : new Date(at).toISOString())
/** The members of a query for a time. */
export const queryOf = ({ from, to }: Partial<Window>) => ({ from: toIso(from), to: toIso(to) })

/** A list is not asked for less than this, nor for more, milliseconds. */
const windowMinMs = 1000
const windowMaxMs = 100 * 365 * 24 * 3_600_000

/** A list by time. Undefined: a window has too many items. `isShortest`: it cannot be asked for less, so that more is read of it. */
export type ListWindow<A> = (window: Window, isShortest: boolean) => Effect.Effect<A | undefined, ProviderFault>

/** How a list is read. */
interface Reading<A> {
  /** What the list is called. */
  readonly name: string
  readonly list: ListWindow<A>
  /** What becomes of a window, with its bounds, and the width that the next one will have. A number: it was taken up to there, and no more is read. */
  readonly read: (found: A, window: Required<Window>, width: number) => Effect.Effect<number | void, ProviderFault>
  /** The width of the first window, milliseconds. Default: the whole list. */
  readonly width?: number | undefined
  /** The least width, of which each other one is a multiple, milliseconds. Default: a second. */
  readonly least?: number
  /** How many times as wide the next window is. Default: twice. */
  readonly growth?: number
  /** Whether it is enough for now: asked after each window. Default: the whole list is read. */
  readonly isEnough?: Effect.Effect<boolean>
}

/**
 * Reads a list, oldest window first. A window that has too many items is asked for a part of it, and the next one for more. A window has what is
 * at its bounds, and so has the next one. Returns where the reading ended, and the width that the next window will have.
 *
 * Errors: also where even the shortest window has too many items.
 */
export const readWindows = Effect.fnUntraced(function* <A>(
  { from, to }: Window,
  now: number,
  {
    growth = 2,
    isEnough = Effect.succeed(false),
    least = windowMinMs,
    list,
    name,
    read,
    width: first = windowMaxMs
  }: Reading<A>
) {
  const end = to ?? now
  let at = from
  let width = Math.max(least, first)
  do {
    const isLast = at + width >= end
    const until = isLast ? to : at + width
    const isShortest = width <= least
    const found = yield* list({ from: at, ...(until !== undefined && { to: until }) }, isShortest)
    if (found !== undefined) {
      const window = { from: at, to: isLast ? end : at + width }
      const next = Math.min(width * growth, windowMaxMs)
      const taken = yield* read(found, window, next)
      // It is the same again until there is room for more.
      if (typeof taken === "number" && taken < window.to) return { at: taken, width }
      width = next
      at = window.to
    } else if (isShortest)
      return yield* new ProviderFault({
        message: `${name} cannot go on after ${new Date(at).toISOString()}: it has more than can be read at once`
      })
    else width = Math.max(least, least * Math.floor(Math.min(width, end - at) / 4 / least))
  } while (at < end && !(yield* isEnough))
  return { at, width }
})

/** All items of a list by time. */
export const collectWindows = Effect.fnUntraced(function* <A>(
  name: string,
  list: ListWindow<ReadonlyArray<A>>,
  window: Window
) {
  const all: Array<A> = []
  yield* readWindows(window, yield* wallNow, {
    ...{ name, list },
    read: (items) => Effect.sync(() => void all.push(...items))
  })
  return all
})

/** A sweep begins no other window of a list after so long, milliseconds: the next one does. It is less than what a sweep has. */
const roundMs = 10_000
/** How long a long round waits for each full page that the last one had, and the most of it, milliseconds. */
const restPerPageMs = 30_000
const pageItems = 50
const restMaxMs = 24 * 3_600_000
/** The most of it after a round with a fault: what could not be read is asked for again, milliseconds. */
const restAfterFaultMs = 5 * 60_000

/**
 * A round over a list: it ends with what there was when it began, and has read up to `at`. Epoch milliseconds. `width`: of its next window; absent: the whole list.
 * `long_at`, `items`: when the last long round began, and how many items it had. Absent: it was this one. `fault`: the first since then.
 */
interface Round {
  readonly began: number
  readonly at: number
  readonly width?: number
  readonly long_at?: number
  readonly items?: number
  readonly fault?: string
}

/** How a list is read again and again. */
export interface Rounds<A> {
  /** What the list is called, among those of the provider. */
  readonly name: string
  /** Up to when a build before rounds had read it. Null: it had not. */
  readonly read_to?: Effect.Effect<number | null, ProviderFault>
  /** False: nothing is read before the rounds have begun. Default: the first reading begins them. */
  readonly isBegun?: boolean
  /** A long round begins so long before the last one did, milliseconds: an item may change, or be listed, so late. */
  readonly long_ms: number
  /** The rounds between begin so long before the last round did. Absent: there are none, and nothing is read while a long one rests. */
  readonly short_ms?: number
  readonly list: ListWindow<ReadonlyArray<A>>
  /** What becomes of a window. A fault that it returns is told at the end; by one with which it fails, the window is read again. */
  readonly read: (items: ReadonlyArray<A>) => Effect.Effect<ProviderFault | undefined, ProviderFault>
}

/**
 * Reads lists in rounds. A round that one sweep does not end is continued by the next one where it stopped, so that it ends however long the list
 * is. Returns the first fault since the last long round began; undefined: there was none.
 *
 * Laws: a long list is listed again only after a rest that follows from its length: at most two pages of 50 items a minute, and at least once a day.
 * What could not be read is a fault of every sweep until a long round, at most five minutes later, has read it (COMPANY-9).
 */
const makeReadRound = (books: ChainBooks, { keys }: CompanyEntries) =>
  Effect.fnUntraced(function* <A>(rounds: Rounds<A>) {
    const { isBegun = true, list, long_ms, name, read, read_to = Effect.succeed(null), short_ms } = rounds
    const now = yield* wallNow
    const started = yield* Clock.currentTimeMillis
    const key = keys.round(name)
    const last = yield* books.read<Round>(key)
    if (!isBegun && last === undefined && (yield* read_to) === null) return undefined
    const { items: had = 0, long_at: longAt = last?.began } = last ?? {}
    const isNew = last === undefined || last.at >= last.began
    const restMs = Math.min(
      last?.fault === undefined ? restMaxMs : restAfterFaultMs,
      Math.floor(had / pageItems) * restPerPageMs
    )
    const isLong = isNew ? longAt === undefined || now - longAt >= restMs : longAt === last.began
    let fault = last?.fault === undefined || (isNew && isLong) ? undefined : new ProviderFault({ message: last.fault })
    if (isNew && !isLong && short_ms === undefined) return fault
    const before = isLong ? longAt : last?.began
    const from = isNew ? (before ?? (yield* read_to) ?? now) - (isLong ? long_ms : short_ms!) : last.at
    const began = isNew ? now : last.began
    let items = isNew && isLong ? 0 : had
    const note = (at: number, width: number) =>
      books.amend([key], ([row]) => {
        const kept = readData<Round>(row)
        // Another process may be further.
        const isBehind = kept !== undefined && (kept.began > began || (kept.began === began && kept.at >= at))
        const data: Round = {
          ...{ began, at, width, long_at: isLong ? began : longAt!, items },
          ...(fault !== undefined && { fault: fault.message })
        }
        return { entries: isBehind ? [] : [{ key, data }], result: undefined }
      })
    // However long nothing can be listed from here on, the first round begins here.
    if (last === undefined) yield* note(from, now - from)
    yield* readWindows(isNew ? { from } : { from, to: began }, now, {
      ...{ name, list, width: last?.width },
      read: Effect.fnUntraced(function* (found, { to: end }, width) {
        const unread = yield* read(found)
        fault ??= unread
        if (isLong) items += found.length
        yield* note(end, width)
      }),
      isEnough: Effect.map(Clock.currentTimeMillis, (at) => at - started >= roundMs)
    })
    return fault
  })

export const makeRounds = (books: ChainBooks, entries: CompanyEntries) => ({
  read: makeReadRound(books, entries),
  /** The row by which the rounds over a list begin, with what is made from now on, epoch milliseconds. The next round may begin at the same moment. */
  begin: (name: string, now: number): EntryWrite => ({
    key: entries.keys.round(name),
    data: { began: now - 1, at: now - 1 } satisfies Round
  }),
  /** Whether the rounds over a list have begun. */
  hasBegun: (name: string) => Effect.map(books.read(entries.keys.round(name)), (round) => round !== undefined)
})

export type CompanyRounds = ReturnType<typeof makeRounds>
