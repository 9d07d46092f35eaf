/**
 * Balances, and what moved as a statement. Circle has no ledger: the statement is a fold of its lists. A page of it takes what is new, oldest
 * first; then it asks about what was not final, by its id; then it looks, in rounds, which payouts came back, for only the payout says so.
 * Each part stops where the requests of a page are used up, and the next page goes on there.
 */
import { Effect, Result } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { StatementLine, StatementPage, Statements } from "../../../engine/ports/Provider.ts"
import type { Json } from "../../../engine/ports/Storage.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { type ListedPart, listedAtOnce, listRequestsMax, longListRequestsMax } from "./calls.ts"
import { formatPaymentAmount, type PaymentKind, usdIn } from "./mapping.ts"
import type { CircleParts } from "./payouts.ts"
import {
  beginning,
  keepWatching,
  type ListPlace,
  openMax,
  readCursor,
  returnsMs,
  type StatementCursor,
  takeItems,
  writeCursor
} from "./statement-cursor.ts"
import { depositItem, payoutItem, returnItem, type StatementItem, transferItem } from "./statement-items.ts"

/** Payments as young as this may not all be listed yet. */
const unsettledMs = 60_000
/** Lists are not asked for what is new, nor Circle about what is watched, more often than this, milliseconds. */
const newMs = 60_000
const askedMs = 4 * 60_000
/** The most requests of one page, but for a second with more items than a list is asked for at once. */
export const requestsMax = 60
/** A list is not asked for less than this, milliseconds. */
const widthMinMs = 1000
/** After a round over the payouts the next one waits for so long for each page that the list had, at least and at most so long. */
const restPerPageMs = 60_000
const restMinMs = 3_600_000
const restMaxMs = 24 * 3_600_000

/**
 * What a window of a list has: items, oldest first, and the keys of those that cannot be read. `requests`: at most so many were made for it.
 * `pages`: of the lists that are there.
 */
interface Found {
  readonly items: ReadonlyArray<StatementItem>
  readonly unread: ReadonlyArray<string>
  readonly pages: number
  readonly requests: number
}

/** A page as it grows. `requests`: how many are left. */
interface Reading {
  readonly cursor: StatementCursor
  readonly lines: ReadonlyArray<StatementLine>
  readonly warnings: ReadonlyArray<Json>
  readonly requests: number
}

/** How windows of lists are read on. `what`: what they have, in a warning; `lists`: how many are asked for each window. */
interface ListReading {
  readonly what: string
  readonly lists: number
  readonly place: ListPlace
  readonly end: number
  readonly now: number
  /** Undefined: a list is too long. */
  readonly list: (from: number, to: number, isShortest: boolean) => Effect.Effect<Found | undefined, ProviderFault>
}

/** What a page says beside its lines: each is an exception for the operator. */
const warnOf = (id: string, reason: string): Json => ({ type: "statement", id, reason })
const warnUnread = (key: string): Json =>
  warnOf(key, `Circle has the ${key}, which cannot be read: the statement has no line of it until it can be.`)
const warnDropped = (key: string): Json =>
  warnOf(key, `The ${key} failed or cannot be read. It is not looked at again, because too many others are.`)
const warnFull = (what: string, at: number): Json => {
  const since = new Date(at).toISOString()
  return warnOf(
    `${what}/${since}`,
    `${openMax} payments at Circle are not final. The statement looks at these, and goes on with the ${what} since ${since} as they become final.`
  )
}

/** The requests for lists of so many items each, at most. */
const requestsFor = (sizes: ReadonlyArray<number>, isShortest: boolean): number =>
  sizes.reduce((sum, size) => sum + (size === 0 ? 1 : isShortest ? longListRequestsMax : listRequestsMax), 0)
const sizeOf = ({ items, unread }: ListedPart<unknown>): number => items.length + unread.length
const pagesOf = (sizes: ReadonlyArray<number>): number =>
  sizes.reduce((sum, size) => sum + 1 + Math.ceil(size / listedAtOnce), 0)

/**
 * Reads windows of lists until one has lines, the requests are used up, or a cursor has no room for what is open. Returns the page with them, the
 * place behind them, and how many pages the lists had.
 *
 * Errors: also where even the shortest window is too long.
 */
const readList = Effect.fnUntraced(function* (
  { cursor, lines: before, requests: most, warnings: said }: Reading,
  { end, list, lists, now, place, what }: ListReading
) {
  let { at, width } = place
  let { watched } = cursor
  let requests = most
  let pages = 0
  const lines = [...before]
  const warnings = [...said]
  while (at < end && lines.length === 0 && requests >= lists * listRequestsMax) {
    const isShortest = width <= widthMinMs
    const to = Math.min(at + width, end)
    const found = yield* list(at, to, isShortest)
    if (found === undefined) {
      if (isShortest)
        return yield* new ProviderFault({
          message: `the statement cannot go on after ${new Date(at).toISOString()}: Circle lists more than can be read at once`
        })
      requests -= lists * listRequestsMax
      width = Math.max(widthMinMs, Math.floor((to - at) / 8))
      continue
    }
    const taken = takeItems(watched, found, to, now)
    lines.push(...taken.lines)
    warnings.push(...found.unread.map(warnUnread), ...taken.dropped.map(warnDropped))
    watched = taken.watched
    requests -= found.requests
    pages += found.pages
    at = taken.at
    if (at < to) {
      warnings.push(warnFull(what, at))
      break
    }
    if (to < end) width *= found.items.length === 0 ? 4 : 2
  }
  return { reading: { lines, warnings, requests, cursor: { ...cursor, watched } }, place: { at, width }, pages }
})

/** How Circle is asked for the items of a statement. */
const makeItemReads = ({ books, calls, entries }: CircleParts) => {
  /** The commands of payments, by Circle's ids. */
  const commandsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const keyOf = (id: string) => entries.keys.payment("payout", id)
    const rows = yield* books.get(ids.map(keyOf))
    const byKey = new Map(rows.map(({ data, id }) => [id, (data as { readonly command_id: string }).command_id]))
    return (id: string): string | null => byKey.get(keyOf(id).id) ?? null
  })

  /** What was made from `from` to before `to`. Undefined: a list is too long. */
  const listNew = Effect.fnUntraced(function* (from: number, to: number, isShortest: boolean) {
    const transfers = yield* calls.readable("transfer")({ from, to }, isShortest)
    const payouts = transfers && (yield* calls.readable("payout")({ from, to }, isShortest))
    const deposits = payouts && (yield* calls.readable("deposit")({ from, to }, isShortest))
    if (transfers === undefined || payouts === undefined || deposits === undefined) return undefined
    const commandOf = yield* commandsOf([...transfers.items, ...payouts.items].map(({ id }) => id))
    const all = [
      ...transfers.items.map((one) => transferItem(one, commandOf(one.id))),
      ...payouts.items.map((one) => payoutItem(one, commandOf(one.id))),
      ...deposits.items.map(depositItem)
    ]
    const unread = (kind: string, ids: ReadonlyArray<string>) => ids.map((id) => `${kind}/${id}`)
    const sizes = [transfers, payouts, deposits].map(sizeOf)
    return {
      ...{ requests: requestsFor(sizes, isShortest), pages: pagesOf(sizes) },
      items: all.filter(({ at }) => at >= from && at < to).sort((a, b) => a.at - b.at),
      unread: [
        ...all.flatMap(({ at, key }) => (Number.isNaN(at) ? [key] : [])),
        ...unread("transfer", transfers.unread),
        ...unread("payout", payouts.unread),
        ...unread("deposit", deposits.unread)
      ]
    }
  })

  /** The returns that a round tells, of the payouts that were made from `from` to before `to`. Undefined: the list is too long. */
  const listReturns = Effect.fnUntraced(function* (
    { since, until }: { readonly since: number; readonly until: number },
    from: number,
    to: number,
    isShortest: boolean
  ) {
    const payouts = yield* calls.readable("payout")({ from, to }, isShortest)
    if (payouts === undefined) return undefined
    const commandOf = yield* commandsOf(payouts.items.map(({ id }) => id))
    const found = payouts.items.flatMap((payout) => {
      const at = Date.parse(payout.createDate)
      const back = at >= from && at < to ? returnItem(payout, commandOf(payout.id)) : null
      if (back === null || back.began_at < since || back.began_at >= until) return []
      return [{ key: `payout/${payout.id}/return`, item: back.item }]
    })
    return {
      items: found.flatMap(({ item }) => (item === undefined ? [] : [item])).sort((a, b) => a.at - b.at),
      unread: found.flatMap(({ item, key }) => (item === undefined ? [key] : [])),
      ...{ requests: requestsFor([sizeOf(payouts)], isShortest), pages: pagesOf([sizeOf(payouts)]) }
    }
  })

  /** A watched item as it is now. Undefined: it cannot be read. */
  const askItem = Effect.fnUntraced(function* (key: string) {
    const [kind, id, isReturn] = key.split("/") as [PaymentKind | "deposit", string, string | undefined]
    if (kind === "deposit") {
      const deposit = yield* calls.statementItem(kind, id)
      return deposit && depositItem(deposit)
    }
    const commandOf = yield* commandsOf([id])
    if (kind === "transfer") {
      const transfer = yield* calls.statementItem(kind, id)
      return transfer && transferItem(transfer, commandOf(id))
    }
    const payout = yield* calls.statementItem(kind, id)
    if (payout === undefined) return undefined
    return isReturn === undefined ? payoutItem(payout, commandOf(id)) : returnItem(payout, commandOf(id))?.item
  })

  return { listNew, listReturns, askItem }
}
type ItemReads = ReturnType<typeof makeItemReads>

/** The parts of a page, which go on with it in this order. */
const makePageParts = ({ askItem, listNew, listReturns }: ItemReads) => {
  const readNew = Effect.fnUntraced(function* (reading: Reading, now: number) {
    const { at, width } = reading.cursor
    const end = now - unsettledMs
    if (end - at < newMs) return reading
    const what = { what: "payments", lists: 3, place: { at, width }, end, now, list: listNew }
    const { place, reading: read } = yield* readList(reading, what)
    return { ...read, cursor: { ...read.cursor, ...place } }
  })

  const readReturns = Effect.fnUntraced(function* (reading: Reading, now: number) {
    const { returns } = reading.cursor
    const end = now - unsettledMs
    const rest = Math.min(restMaxMs, Math.max(restMinMs, returns.pages * restPerPageMs))
    if (returns.until === null && end - returns.since < rest) return reading
    const { at, pages, since, until, width } =
      returns.until === null
        ? { ...returns, until: end, at: Math.max(beginning, returns.since - returnsMs), pages: 0 }
        : { ...returns, until: returns.until }
    const read = yield* readList(reading, {
      ...{ what: "returns of payouts", lists: 1, place: { at, width }, end: until, now },
      list: (from, to, isShortest) => listReturns({ since, until }, from, to, isShortest)
    })
    const round = { ...read.place, pages: pages + read.pages }
    const next = round.at < until ? { ...round, since, until } : { ...round, since: until, until: null }
    return { ...read.reading, cursor: { ...read.reading.cursor, returns: next } }
  })

  /**
   * Asks about the watched items that come next in this round. One about which Circle does not answer is asked about in the next round.
   * Errors: Circle answers about none of them.
   */
  const askWatched = Effect.fnUntraced(function* (reading: Reading, now: number) {
    const { cursor } = reading
    const isNew = cursor.left === 0
    if (isNew && now - cursor.asked_at < askedMs) return reading
    const left = isNew ? cursor.watched.length : cursor.left
    const asked = cursor.watched.slice(0, Math.min(left, reading.requests))
    if (asked.length === 0) return reading
    const ends = yield* Effect.forEach(asked, ({ key }) => Effect.result(askItem(key)), { concurrency: 4 })
    const faults = ends.flatMap((end) => (Result.isFailure(end) ? [end.failure] : []))
    if (faults.length === asked.length) return yield* faults[0]!
    const seen = asked.map((watched, n) => {
      const end = ends[n]!
      if (Result.isFailure(end)) return { kept: watched, lines: [], warnings: [] }
      const item = end.success !== undefined && Number.isNaN(end.success.at) ? undefined : end.success
      const warnings = item === undefined ? [warnUnread(watched.key)] : []
      return { kept: keepWatching(watched, item, now), lines: item?.lines ?? [], warnings }
    })
    // Those that stay come last, so that each has its turn.
    const watched = [...cursor.watched.slice(asked.length), ...seen.flatMap(({ kept }) => kept ?? [])]
    const lines = seen.flatMap((one) => one.lines)
    return {
      ...{ lines: [...reading.lines, ...lines.sort((a, b) => a.booked_at - b.booked_at)] },
      warnings: [...reading.warnings, ...seen.flatMap((one) => one.warnings)],
      requests: reading.requests - asked.length,
      cursor: { ...cursor, watched, left: left - asked.length, asked_at: isNew ? now : cursor.asked_at }
    }
  })

  return [readNew, askWatched, readReturns]
}

export const makeStatements = (parts: CircleParts): Statements => {
  const { calls } = parts
  const pageParts = makePageParts(makeItemReads(parts))
  return {
    balances: Effect.map(calls.balances, ({ available, unsettled }) => {
      const sum = (all: typeof available) => formatPaymentAmount(all.reduce((units, one) => units + usdIn(one), 0n))
      // What Circle calls USD is USDC: it is one balance, and is counted once.
      return [{ currency: "USDC", network: null, available: sum(available), pending: sum(unsettled) }]
    }),
    lines: Effect.fnUntraced(function* (after: string | null): Effect.fn.Return<StatementPage, ProviderFault> {
      const now = yield* wallNow
      let reading: Reading = { cursor: readCursor(after), lines: [], warnings: [], requests: requestsMax }
      for (const readPart of pageParts) if (reading.lines.length === 0) reading = yield* readPart(reading, now)
      const { cursor, lines, warnings } = reading
      return { lines, ...(warnings.length > 0 && { unreadable: warnings }), cursor: writeCursor(cursor) }
    })
  }
}
