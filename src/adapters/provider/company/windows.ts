/** Lists of a company that are read by time: one that is too long is read in shorter times, and one that is very long by several sweeps. */
import { Clock, Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { type ChainBooks, dataOf } from "../chain/books.ts"
import type { CompanyEntries } from "./entries.ts"

/** A time of a list, epoch milliseconds; without an end: until now. */
export interface Window {
  readonly from: number
  readonly to?: number
}

/** A list is not asked for less than this, milliseconds. */
const windowMinMs = 1000

/** A list by time. Undefined: a window has too many items. `isShortest`: it cannot be asked for less, so that more is read of it. */
export type ListWindow<A> = (window: Window, isShortest: boolean) => Effect.Effect<A | undefined, ProviderFault>

/** How a list is read. */
interface Reading<A> {
  /** What the list is called. */
  readonly name: string
  readonly list: ListWindow<A>
  /** What becomes of a window, with its end, and the width that the next one will have. */
  readonly read: (found: A, end: number, width: number) => Effect.Effect<unknown, ProviderFault>
  /** The width of the first window, milliseconds. Default: the whole list. */
  readonly width?: number | undefined
  /** Whether it is enough for now: asked after each window. Default: the whole list is read. */
  readonly isEnough?: Effect.Effect<boolean>
}

/**
 * Reads a list, oldest window first. A window that has too many items is asked for a part of it, and the next one for more. A window has what is
 * at its bounds, and so has the next one.
 *
 * Errors: also where even the shortest window has too many items.
 */
export const readWindows = Effect.fnUntraced(function* <A>(
  { from, to }: Window,
  now: number,
  { isEnough = Effect.succeed(false), list, name, read, width: first = Number.POSITIVE_INFINITY }: Reading<A>
) {
  const end = to ?? now
  let at = from
  let width = Math.max(windowMinMs, Math.min(first, end - from))
  do {
    const isLast = at + width >= end
    const until = isLast ? to : at + width
    const isShortest = width <= windowMinMs
    const found = yield* list({ from: at, ...(until !== undefined && { to: until }) }, isShortest)
    if (found !== undefined) {
      at = isLast ? end : at + width
      width *= 2
      yield* read(found, at, width)
    } else if (isShortest) return yield* new ProviderFault({ message: `${name} has too many items in a second` })
    else width = Math.max(windowMinMs, Math.floor(Math.min(width, end - at) / 4))
  } while (at < end && !(yield* isEnough))
})

/** A sweep begins no other window of a list after so long, milliseconds: the next one does. It is less than what a sweep has. */
const roundMs = 10_000

/** A round over a list: it ends with what there was when it began, and has read up to `at`. Epoch milliseconds. `width`: of its next window. */
interface Round {
  readonly began: number
  readonly at: number
  readonly width: number
}

/** How a list is read again and again. */
interface Rounds<A> {
  /** What the list is called, among those of the provider. */
  readonly name: string
  /** Where a new round begins. `before`: when the last one began; null: there was none. */
  readonly fromOf: (before: number | null, now: number) => Effect.Effect<number, ProviderFault>
  readonly list: ListWindow<A>
  /** What becomes of a window: it is read again if this fails. */
  readonly read: (found: A) => Effect.Effect<unknown, ProviderFault>
}

/**
 * Reads lists in rounds. A round that one sweep does not end is continued by the next one where it stopped, so that it ends however long the list
 * is.
 */
export const makeRounds = (books: ChainBooks, { keys }: CompanyEntries) =>
  Effect.fnUntraced(function* <A>({ fromOf, list, name, read }: Rounds<A>) {
    const now = yield* wallNow
    const started = yield* Clock.currentTimeMillis
    const key = keys.round(name)
    const last = yield* books.read<Round>(key)
    const isNew = last === undefined || last.at >= last.began
    const { at: from, began } = isNew ? { began: now, at: yield* fromOf(last?.began ?? null, now) } : last
    const note = (at: number, width: number) =>
      books.amend([key], ([row]) => {
        const kept = dataOf<Round>(row)
        // Another process may be further.
        const isBehind = kept !== undefined && (kept.began > began || (kept.began === began && kept.at >= at))
        return { entries: isBehind ? [] : [{ key, data: { began, at, width } satisfies Round }], result: undefined }
      })
    // However long nothing can be listed from here on, the first round begins here.
    if (last === undefined) yield* note(from, now - from)
    yield* readWindows(isNew ? { from } : { from, to: began }, now, {
      ...{ name, list, width: last?.width },
      read: (found, end, width) => Effect.andThen(read(found), note(end, width)),
      isEnough: Effect.map(Clock.currentTimeMillis, (at) => at - started >= roundMs)
    })
  })

export type ReadRound = ReturnType<typeof makeRounds>
