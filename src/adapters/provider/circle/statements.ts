/**
 * Balances, and what moved as a statement. Circle has no ledger: the statement is a fold of its lists. A page of it takes what is new, oldest
 * first; then it asks about what was not final, by its id; then it looks, in rounds, which payouts came back, for only the payout says so.
 * Each part stops where the requests of a page are used up, and the next page goes on there.
 */
import { Effect, Result } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { StatementLine, StatementPage, Statements } from "../../../engine/ports/Provider.ts"
import type { Json } from "../../../engine/ports/Storage.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import {
  type ListedHours,
  type ListSource,
  readOn,
  readStatement,
  startOfHour,
  unsettledMs
} from "../company/statement.ts"
import type { ListedItem, Readable } from "../company/lists.ts"
import { returnsMs } from "../company/sweep.ts"
import type { ListWindow } from "../company/windows.ts"
import { listedAtOnce, listRequestsMax, longListRequestsMax } from "./calls.ts"
import { formatPaymentAmount, type PaymentKind, usdIn } from "./mapping.ts"
import type { CircleParts } from "./payouts.ts"
import {
  beginning,
  countOpen,
  keepWatching,
  openMax,
  readCursor,
  type StatementCursor,
  takeItems,
  type WatchedItem,
  writeCursor
} from "./statement-cursor.ts"
import { depositItem, payoutItem, returnItem, type StatementItem, transferItem } from "./statement-items.ts"

/** Lists are not asked for what is new, nor Circle about what is watched, more often than this, milliseconds. */
const newMs = 60_000
const askedMs = 4 * 60_000
/** The most requests of one page, but for a second with more items than a list is asked for at once. */
export const requestsMax = 60
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

/** What a page says beside its lines: each is an exception for the operator. */
const warnOf = (id: string, reason: string): Json => ({ type: "statement", id, reason })
const warnUnread = (key: string): Json =>
  warnOf(key, `Circle has the ${key}, which cannot be read: the statement has no line of it until it can be.`)
const warnOfLine = (key: string): Json =>
  warnOf(key, `The ${key} failed or cannot be read. It is not looked at again, because too many others are.`)
const warnLetGo = (key: string): Json =>
  warnOf(
    key,
    `The ${key} is not final after five weeks. It is not looked at again, because too many others are not final: the statement has no line of it.`
  )
const warnFull = (what: string, at: number): Json => {
  const since = new Date(at).toISOString()
  return warnOf(
    `${what}/${since}`,
    `${openMax} payments at Circle are not final. The statement looks at these, and has nothing that was made since ${since}: it goes on with the ${what} since then as they become final.`
  )
}

/** The requests for lists of so many items each, at most. */
const requestsFor = (sizes: ReadonlyArray<number>, isShortest: boolean): number =>
  sizes.reduce((sum, size) => sum + (size === 0 ? 1 : isShortest ? longListRequestsMax : listRequestsMax), 0)
const sizeOf = ({ items, unreadable }: Readable<unknown>): number => items.length + unreadable.length
const pagesOf = (sizes: ReadonlyArray<number>): number =>
  sizes.reduce((sum, size) => sum + 1 + Math.ceil(size / listedAtOnce), 0)

/** A page as it grows, of what a cursor watches. */
const openPage = (cursor: StatementCursor, now: number, hours: ListedHours<Found>) => {
  const lines: Array<StatementLine> = []
  const warnings: Array<Json> = []
  let watched = cursor.watched
  let requests = requestsMax
  let pages = 0
  return {
    /** How lists are read for it: `what` they have, in a warning, and how many are asked for each window. */
    sourceOf: (what: string, lists: number, list: ListWindow<Found>): ListSource<StatementItem, Found> => ({
      ...{ name: "the statement", hours },
      list: (window, isShortest) =>
        Effect.map(list(window, isShortest), (found) => {
          requests -= found?.requests ?? lists * listRequestsMax
          pages += found?.pages ?? 0
          return found
        }),
      take: ({ items, unread }, end, isLate) => {
        const takeTo = (to: number) => {
          const own = { items: items.filter(({ at }) => at < to), unread: isLate ? [] : unread }
          return takeItems(watched, own, to, now)
        }
        const most = takeTo(end)
        const taken = isLate && most.at < end ? takeTo(startOfHour(most.at)) : most
        lines.push(...taken.lines)
        warnings.push(...(isLate ? [] : unread.map(warnUnread)), ...taken.dropped.map(warnOfLine))
        watched = taken.watched
        if (taken.at < end) warnings.push(warnFull(what, taken.at))
        return taken.at
      },
      tellUnread: ({ unread }) => {
        const fresh = unread.filter((key) => !watched.some((one) => one.key === key))
        const taken = takeItems(watched, { items: [], unread: fresh }, now, now)
        warnings.push(...fresh.map(warnUnread), ...taken.dropped.map(warnOfLine))
        watched = taken.watched
      },
      isEnough: () => lines.length > 0 || requests < lists * listRequestsMax
    }),
    /** What was asked about. `kept`: what is watched of it still. */
    addAsked: (asked: number, seen: ReadonlyArray<AskedItem>) => {
      // Those that stay come last, so that each has its turn.
      watched = [...watched.slice(asked), ...seen.flatMap(({ kept }) => kept ?? [])]
      lines.push(...seen.flatMap((one) => one.lines))
      lines.sort((a, b) => a.booked_at - b.booked_at)
      warnings.push(...seen.flatMap((one) => one.warnings))
      requests -= asked
    },
    /** What the page has. `pages`: of the lists that were read for it. */
    get read() {
      return { lines, warnings, watched, requests, pages }
    }
  }
}
type Page = ReturnType<typeof openPage>

/** How Circle is asked for the items of a statement. */
const makeItemReads = ({ books, calls, entries }: CircleParts) => {
  /** The commands of payments, by Circle's ids. */
  const commandsOf = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const keyOf = (id: string) => entries.keys.payment("payout", id)
    const rows = yield* books.get(ids.map(keyOf))
    const byKey = new Map(rows.map(({ data, id }) => [id, (data as { readonly command_id: string }).command_id]))
    return (id: string): string | null => byKey.get(keyOf(id).id) ?? null
  })

  /** What was made in a window. Undefined: a list is too long. */
  const listNew: ListWindow<Found> = Effect.fnUntraced(function* (window, isShortest) {
    const transfers = yield* calls.readable("transfer")(window, isShortest)
    const payouts = transfers && (yield* calls.readable("payout")(window, isShortest))
    const deposits = payouts && (yield* calls.readable("deposit")(window, isShortest))
    if (transfers === undefined || payouts === undefined || deposits === undefined) return undefined
    const commandOf = yield* commandsOf([...transfers.items, ...payouts.items].map(({ id }) => id))
    const all = [
      ...transfers.items.map((one) => transferItem(one, commandOf(one.id))),
      ...payouts.items.map((one) => payoutItem(one, commandOf(one.id))),
      ...deposits.items.map(depositItem)
    ]
    const unread = (kind: string, { unreadable }: Readable<unknown, ListedItem>) =>
      unreadable.map(({ id }) => `${kind}/${id}`)
    const sizes = [transfers, payouts, deposits].map(sizeOf)
    return {
      ...{ requests: requestsFor(sizes, isShortest), pages: pagesOf(sizes) },
      items: all,
      unread: [
        ...all.flatMap(({ at, key }) => (Number.isNaN(at) ? [key] : [])),
        ...unread("transfer", transfers),
        ...unread("payout", payouts),
        ...unread("deposit", deposits)
      ]
    }
  })

  /** The returns of the payouts of a window that began from `since` to before `until`. Undefined: the list is too long. */
  const listReturns = (since: number, until: number): ListWindow<Found> =>
    Effect.fnUntraced(function* ({ from, to = until }, isShortest) {
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
        items: found.flatMap(({ item }) => (item === undefined ? [] : [item])),
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

/** What became of a watched item that was asked about. */
interface AskedItem {
  readonly kept: WatchedItem | undefined
  readonly lines: ReadonlyArray<StatementLine>
  readonly warnings: ReadonlyArray<Json>
}

/** The parts of a page, which go on with it in this order. Each returns the cursor behind it. */
const makePageParts = ({ askItem, listNew, listReturns }: ItemReads) => {
  const readNew = Effect.fnUntraced(function* (cursor: StatementCursor, page: Page, now: number) {
    const source = { ...page.sourceOf("payments", 3, listNew), rest_ms: newMs }
    const place = yield* readStatement(cursor.place, now, source)
    return { ...cursor, place }
  })

  const readReturns = Effect.fnUntraced(function* (cursor: StatementCursor, page: Page, now: number) {
    const { returns } = cursor
    const end = now - unsettledMs
    const rest = Math.min(restMaxMs, Math.max(restMinMs, returns.pages * restPerPageMs))
    if (returns.until === null && end - returns.since < rest) return cursor
    const { pages, since, until, ...from } =
      returns.until === null
        ? { ...returns, until: end, at: Math.max(beginning, returns.since - returnsMs), pages: 0 }
        : { ...returns, until: returns.until }
    const before = page.read.pages
    const source = page.sourceOf("returns of payouts", 1, listReturns(since, until))
    const { place } = yield* readOn(from, until, source)
    const round = { ...place, pages: pages + page.read.pages - before }
    const next = round.at < until ? { ...round, since, until } : { ...round, since: until, until: null }
    return { ...cursor, returns: next }
  })

  /**
   * Asks about the watched items that come next in this round. One about which Circle does not answer is asked about in the next round.
   * Errors: Circle answers about none of them.
   */
  const askWatched = Effect.fnUntraced(function* (cursor: StatementCursor, page: Page, now: number) {
    const { requests, watched } = page.read
    const isNew = cursor.left === 0
    if (isNew && now - cursor.asked_at < askedMs) return cursor
    const left = isNew ? watched.length : cursor.left
    const asked = watched.slice(0, Math.min(left, requests))
    if (asked.length === 0) return cursor
    const ends = yield* Effect.forEach(asked, ({ key }) => Effect.result(askItem(key)), { concurrency: 4 })
    const faults = ends.flatMap((end) => (Result.isFailure(end) ? [end.failure] : []))
    if (faults.length === asked.length) return yield* faults[0]!
    let room = openMax - countOpen(watched)
    const seen = asked.map((item, n): AskedItem => {
      const end = ends[n]!
      if (Result.isFailure(end)) return { kept: item, lines: [], warnings: [] }
      const found = end.success !== undefined && Number.isNaN(end.success.at) ? undefined : end.success
      if (room <= 0 && found?.state === "open" && found.at + returnsMs <= now) {
        room++
        return { kept: undefined, lines: [], warnings: [warnLetGo(item.key)] }
      }
      const warnings = found === undefined ? [warnUnread(item.key)] : []
      return { kept: keepWatching(item, found, now), lines: found?.lines ?? [], warnings }
    })
    page.addAsked(asked.length, seen)
    return { ...cursor, left: left - asked.length, asked_at: isNew ? now : cursor.asked_at }
  })

  return [readNew, askWatched, readReturns]
}

export const makeStatements = (parts: CircleParts): Statements => {
  const { calls } = parts
  const pageParts = makePageParts(makeItemReads(parts))
  const hours: ListedHours<Found> = new Map()
  return {
    balances: Effect.map(calls.balances, ({ available, unsettled }) => {
      const sum = (all: typeof available) => formatPaymentAmount(all.reduce((units, one) => units + usdIn(one), 0n))
      // What Circle calls USD is USDC: it is one balance, and is counted once.
      return [{ currency: "USDC", network: null, available: sum(available), pending: sum(unsettled) }]
    }),
    lines: Effect.fnUntraced(function* (after: string | null): Effect.fn.Return<StatementPage, ProviderFault> {
      const now = yield* wallNow
      let cursor = readCursor(after)
      const page = openPage(cursor, now, hours)
      for (const readPart of pageParts) if (page.read.lines.length === 0) cursor = yield* readPart(cursor, page, now)
      const { lines, warnings, watched } = page.read
      return {
        lines,
        ...(warnings.length > 0 && { unreadable: warnings }),
        cursor: writeCursor({ ...cursor, watched })
      }
    })
  }
}
