/**
 * The wallet, and what moved in it. It has USDC alone. A transfer, or a deposit, of another currency is shown as what it is to the engine: the
 * currency that was paid, and its change from USDC or to it.
 */
import { Effect } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { StatementLine, StatementPage, Statements } from "../../../engine/ports/Provider.ts"
import type { Json } from "../../../engine/ports/Storage.ts"
import { type ActivityItem, moveIn, newsIn, type WalletItem } from "./activity.ts"
import { hasReached, type ListWalk } from "../company/lists.ts"
import {
  byTime,
  hasMoved,
  hourMs,
  type KnownLine,
  type ListSource,
  makeLine,
  membersOf,
  overlapMs,
  readPlace,
  readStatement,
  startOfHour,
  startPlace,
  type StatementPlace,
  unsettledMs,
  writePlace
} from "../company/statement.ts"
import { amountIn, amountOf, unitsOf } from "./mapping.ts"
import type { BridgePayins } from "./payins.ts"
import type { BridgeParts, BridgeTransfers } from "./payouts.ts"

/** The most items of a page, and the most of them that Bridge is asked about. */
const itemsMax = 500
const askedMax = 50
/** The most pages of a list for one page of the statement; the next one goes on. */
const walkedMax = 25

const opposite = { credit: "debit", debit: "credit" } as const

/** What was paid, or came, in the currency of the payer or the recipient, and its change. */
const exchangeLines = (
  { amount, booked_at, currency, direction, id }: KnownLine,
  names: Partial<StatementLine>
): ReadonlyArray<StatementLine> => [
  makeLine({ ...{ id, booked_at, direction, amount, currency }, ...names }),
  makeLine({
    ...{ id: `${id}/changed`, booked_at, direction: opposite[direction], amount, currency },
    narration: direction === "debit" ? "changed from USDC" : "changed to USDC"
  })
]

/** What the payer of a deposit sent is waited for so long, milliseconds: for as long as what is listed late is looked for. */
const waitMs = overlapMs - 2 * hourMs

/** Something of a list, before it is read. `asks`: whether Bridge may have to be asked about it. */
interface Candidate {
  readonly key: string
  readonly at: number
  readonly asks: boolean
  readonly read: Effect.Effect<Shown | null, ProviderFault>
}

/** What is shown of an item. */
interface Shown {
  readonly lines: ReadonlyArray<StatementLine>
  readonly unreadable?: Json
}

/** The first of these, oldest first, for which a page has no room. Undefined: it has room for all. */
const findBeyond = (items: ReadonlyArray<Candidate>): Candidate | undefined => {
  let asked = 0
  return items.find(({ asks }, n) => n >= itemsMax || (asks && ++asked > askedMax))
}

// It was read from JSON.
const toJson = (item: object): Json => item as unknown as Json

/** A page as it grows. What is of one moment is of one page, and so is an hour that is shown again. */
const openPage = (candidates: ReadonlyArray<Candidate>, place: StatementPlace, now: number) => {
  const chosen: Array<Candidate> = []
  /** Up to when the page has what is new. */
  let reached = place.at
  /** What a deposit is must be read before it is known whether it can be shown; what moved in the wallet is always shown. */
  const readDeposit = Effect.fnUntraced(function* (one: Candidate) {
    if (one.key.startsWith("wallet/")) return [one]
    const shown = yield* one.read
    return shown === null ? [] : [{ ...one, read: Effect.succeed(shown) }]
  })
  const source: ListSource<Candidate, { readonly items: ReadonlyArray<Candidate>; readonly until: number }> = {
    ...{ name: "the statement of the wallet", hours: new Map() },
    list: Effect.fnUntraced(function* ({ from, to = now }) {
      const listed = candidates.filter(({ at }) => at >= from && at < to)
      const beyond = from < reached ? undefined : findBeyond([...chosen, ...listed])
      const first = chosen[0]?.at ?? listed[0]?.at ?? from
      const until = beyond === undefined ? to : Math.max(beyond.at, first + 1)
      const some = listed.filter(({ at }) => at < until)
      const items = yield* Effect.forEach(some, readDeposit, { concurrency: 4 })
      return { items: items.flat(), until }
    }),
    take: ({ items, until }, end, isLate) => {
      const beyond = isLate ? findBeyond([...chosen, ...items]) : undefined
      const to =
        beyond === undefined
          ? Math.min(until, end)
          : Math.max(startOfHour(beyond.at), startOfHour(items[0]!.at) + hourMs)
      chosen.push(...items.filter(({ at }) => at < to))
      if (!isLate) reached = to
      return to
    },
    tellUnread: () => undefined,
    isEnough: () => chosen.length >= itemsMax || chosen.filter(({ asks }) => asks).length >= askedMax
  }
  return { chosen, source }
}

/** Reads items of the two lists. */
const makeReading = ({ calls }: BridgeParts, { ofPayment }: BridgeTransfers, { arrivalOf, isOurs }: BridgePayins) => {
  /** What an item of the wallet's history moved. */
  const movedBy = Effect.fnUntraced(function* (item: WalletItem): Effect.fn.Return<Shown, ProviderFault> {
    const move = moveIn(item)
    if (move === undefined) return { lines: [], unreadable: toJson(item) }
    const { at: booked_at, direction, transfer: transfer_id, units } = move
    const id = `wallet/${item.id}`
    const moved = makeLine({ ...{ id, booked_at, direction, amount: amountOf(units), currency: "USDC" } })
    if (transfer_id === null) return { lines: [moved] }
    const named = { ...moved, provider_reference: transfer_id }
    const sent = yield* ofPayment(transfer_id)
    if (sent === undefined) return { lines: [named] }
    const transfer = yield* calls.transfer(transfer_id)
    const paid = unitsOf(amountIn(transfer, sent.currency))
    if (paid === undefined) return { lines: [named], unreadable: toJson(transfer) }
    const fiat = { id: `${id}/paid`, booked_at, direction, amount: amountOf(paid), currency: sent.currency }
    const names = { command_id: sent.command_id, provider_reference: transfer_id }
    return { lines: [named, ...exchangeLines(fiat, names)] }
  })

  /** What the payer of a deposit sent, whose USDC is in the wallet. Null: nothing is shown of the item, or not yet. */
  const arrivedBy = Effect.fnUntraced(function* (
    item: ActivityItem,
    now: number
  ): Effect.fn.Return<Shown | null, ProviderFault> {
    const news = newsIn(item)
    const unreadable = { lines: [], unreadable: toJson(item) }
    if (news === null) return null
    if (typeof news === "string") {
      const { virtual_account_id: account } = item
      return typeof account !== "string" || (yield* isOurs(account)) ? unreadable : null
    }
    if (news.port !== "confirmed" || !(yield* isOurs(news.account))) return null
    const at = Date.parse(item.created_at)
    const arrival = yield* arrivalOf(news, at)
    if (arrival === null) return now - at < waitMs ? null : unreadable
    const { currency, narration, units } = arrival
    const line = { id: `deposit/${news.deposit_id}`, booked_at: at, direction: "credit", currency } as const
    const names = { payin_id: news.deposit_id, narration }
    return { lines: exchangeLines({ ...line, amount: amountOf(BigInt(units)) }, names) }
  })

  return { movedBy, arrivedBy }
}

export const makeStatements = (parts: BridgeParts, transfers: BridgeTransfers, payins: BridgePayins): Statements => {
  const { calls } = parts
  const { arrivedBy, movedBy } = makeReading(parts, transfers, payins)
  /** What was read of the two lists for the page before, while it has more to show. */
  let kept: { readonly moves?: ListWalk<WalletItem>; readonly news?: ListWalk<ActivityItem> } = {}

  /** What Bridge lists since then, and when it was asked. A number: so many items are read, and not yet all. */
  const readCandidates = Effect.fnUntraced(function* ({ at, ...place }: StatementPlace) {
    const from = Math.min(at, place.from)
    const isUsed = kept.moves !== undefined && kept.moves.began - unsettledMs > at
    const before = isUsed ? kept : {}
    kept = {}
    const moves = yield* calls.walkHistory(from, walkedMax, before.moves)
    kept = { moves }
    if (!hasReached(moves, from)) return moves.items.size
    const news = (yield* payins.isListening) ? yield* calls.walkActivity(from, walkedMax, before.news) : undefined
    kept = { moves, ...(news && { news }) }
    if (news !== undefined && !hasReached(news, from)) return moves.items.size + news.items.size
    const began = Math.min(moves.began, news?.began ?? moves.began)
    const all: ReadonlyArray<Candidate> = [
      ...[...moves.items.values()].map((item) => ({
        ...{ key: `wallet/${item.id}`, at: Date.parse(item.created_at), read: movedBy(item) },
        asks: (moveIn(item)?.transfer ?? null) !== null
      })),
      ...[...(news?.items.values() ?? [])].map((item) => ({
        ...{ key: `activity/${item.id}`, at: Date.parse(item.created_at), read: arrivedBy(item, began) },
        asks: item.type === "payment_processed"
      }))
    ]
    return { began, candidates: all.toSorted((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1)) }
  })

  return {
    balances: Effect.map(calls.balance, (units) => [
      { currency: "USDC", network: null, available: amountOf(units), pending: amountOf(0n) }
    ]),
    lines: Effect.fnUntraced(function* (after: string | null): Effect.fn.Return<StatementPage, ProviderFault> {
      // A build before overlaps had the time alone.
      const before = readPlace(Number(after)) ?? readPlace(membersOf(after))
      const place = before ?? startPlace(0)
      const found = yield* readCandidates(place)
      // How many items are read of a list that is read on, newest first, before the next page has lines.
      if (typeof found === "number")
        return { lines: [], cursor: JSON.stringify({ ...writePlace(place), walked: found }) }
      const { began, candidates } = found
      const { chosen, source } = openPage(candidates, place, began)
      const next = yield* readStatement(place, began, source)
      // It is whole up to there: a page that ends there needs it no more, and later ones have what was listed late.
      if (next.at >= began - unsettledMs) kept = {}
      const page = yield* Effect.forEach(chosen, (one) => Effect.map(one.read, (shown) => shown!), { concurrency: 4 })
      const unreadable = page.flatMap((one) => (one.unreadable === undefined ? [] : [one.unreadable]))
      return {
        lines: page.flatMap((one) => one.lines).toSorted(byTime),
        ...(unreadable.length > 0 && { unreadable }),
        cursor:
          after === null || page.length > 0 || hasMoved(before, next, began) ? JSON.stringify(writePlace(next)) : after
      }
    })
  }
}
