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
  addSeen,
  byTime,
  findUnseen,
  isHourDigests,
  isTime,
  type KnownLine,
  makeLine,
  membersOf,
  overlapMs,
  type HourDigests,
  unsettledMs
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

/** Read up to `at`, epoch milliseconds, and which items since `from` were shown, at most those of a day. An hour of which an item could not be read is shown again, too. */
interface Cursor {
  readonly at: number
  readonly from: number
  readonly seen: HourDigests
  /** How many items are read of a list that is read on, newest first, before the next page has lines. */
  readonly walked?: number
}

const cursorIn = (text: string | null): Cursor => {
  // A build before overlaps had the time alone.
  const { at = Number(text ?? 0), from = Number(at) - overlapMs, seen = {} } = membersOf(text)
  return isTime(at) && isTime(from) && isHourDigests(seen) ? { at, from, seen } : { at: 0, from: 0, seen: {} }
}

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

/** Where a page of these ends, oldest first: before the first that it has no room for. What is of one moment is of one page. */
const endOf = (items: ReadonlyArray<Candidate>, to: number): number => {
  let asked = 0
  const beyond = items.findIndex(({ asks }, n) => n >= itemsMax || (asks && ++asked > askedMax))
  if (beyond === -1) return to
  const [at, first] = [items[beyond]!.at, items[0]!.at]
  return at > first ? at : first + 1
}

/** Reads a list on, and keeps what was read of it for the next page while there is more to show. */
const makeList = <A>(
  read: (from: number, pages: number, before?: ListWalk<A>) => Effect.Effect<ListWalk<A>, ProviderFault>
) => {
  let kept: ListWalk<A> | undefined
  return {
    since: Effect.fnUntraced(function* (from: number, at: number) {
      const before = kept !== undefined && kept.began - unsettledMs > at ? kept : undefined
      kept = undefined
      const walked = yield* read(from, walkedMax, before)
      kept = walked
      return { walked, isWhole: hasReached(walked, from) }
    }),
    forget: () => void (kept = undefined)
  }
}

// It was read from JSON.
const toJson = (item: object): Json => item as unknown as Json

/** What a page shows: what is new, and again the hours of which something is. */
const choosePage = Effect.fnUntraced(function* (
  listed: ReadonlyArray<Candidate>,
  { at, seen }: Pick<Cursor, "at" | "seen">,
  to: number
) {
  const fresh = listed.filter((one) => one.at >= at)
  const freshEnd = endOf(fresh, Math.max(to, at))
  // A deposit is read before it is known whether it can be shown; what moved in the wallet is always shown.
  const readDeposits = yield* Effect.forEach(
    listed.filter((one) => one.at < freshEnd && one.key.startsWith("activity/")),
    (one) => Effect.map(one.read, (shown) => [one.key, shown] as const),
    { concurrency: 4 }
  )
  const deposits = new Map(readDeposits)
  const shown = listed.filter(
    (one) => one.at < freshEnd && (one.key.startsWith("wallet/") || (deposits.get(one.key) ?? null) !== null)
  )
  const [before, after] = [shown.filter((one) => one.at < at), shown.filter((one) => one.at >= at)]
  const chosen = [...findUnseen(before, seen), ...after]
  const end = endOf(chosen, freshEnd)
  return { deposits, end, shown, chosen }
})

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
    to: number
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
    if (arrival === null) return to - at < overlapMs ? null : unreadable
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
  const history = makeList(calls.walkHistory)
  const activity = makeList(calls.walkActivity)

  /** What Bridge lists since then, oldest first, and up to when it is whole. A number: so many items are read, and not yet all. */
  const candidatesSince = Effect.fnUntraced(function* (from: number, at: number) {
    const { isWhole, walked: moves } = yield* history.since(from, at)
    if (!isWhole) return moves.items.size
    const happened = (yield* payins.isListening) ? yield* activity.since(from, at) : undefined
    if (happened?.isWhole === false) return moves.items.size + happened.walked.items.size
    const news = happened?.walked
    const to = Math.min(moves.began, news?.began ?? moves.began) - unsettledMs
    const all: ReadonlyArray<Candidate> = [
      ...[...moves.items.values()].map((item) => ({
        ...{ key: `wallet/${item.id}`, at: Date.parse(item.created_at), read: movedBy(item) },
        asks: (moveIn(item)?.transfer ?? null) !== null
      })),
      ...[...(news?.items.values() ?? [])].map((item) => ({
        ...{ key: `activity/${item.id}`, at: Date.parse(item.created_at), read: arrivedBy(item, to) },
        asks: item.type === "payment_processed"
      }))
    ]
    const listed = all.filter((one) => one.at >= from && one.at < to)
    return { to, listed: listed.sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1)) }
  })

  return {
    balances: Effect.map(calls.balance, (units) => [
      { currency: "USDC", network: null, available: amountOf(units), pending: amountOf(0n) }
    ]),
    lines: Effect.fnUntraced(function* (after: string | null): Effect.fn.Return<StatementPage, ProviderFault> {
      const { at, from, seen } = cursorIn(after)
      const found = yield* candidatesSince(from, at)
      if (typeof found === "number")
        return { lines: [], cursor: JSON.stringify({ at, from, seen, walked: found } satisfies Cursor) }
      const { listed, to } = found
      const { deposits, end, shown, chosen } = yield* choosePage(listed, { at, seen }, to)
      const page = yield* Effect.forEach(
        chosen.filter((one) => one.at < end),
        (one) => Effect.map(deposits.has(one.key) ? Effect.succeed(deposits.get(one.key)!) : one.read, (read) => read!),
        { concurrency: 4 }
      )
      const lines = page.flatMap((one) => one.lines)
      lines.sort(byTime)
      const unreadable = page.flatMap((one) => (one.unreadable === undefined ? [] : [one.unreadable]))
      // What was listed is whole up to `to`: a page that ends there needs it no more.
      if (end >= to) for (const list of [history, activity]) list.forget()
      const isMoved = after === null || page.length > 0 || end < to
      const since = Math.max(from, end - overlapMs)
      const next = {
        at: end,
        from: since,
        seen: addSeen(
          {},
          shown.filter((one) => one.at >= since && one.at < end)
        )
      }
      return {
        lines,
        ...(unreadable.length > 0 && { unreadable }),
        cursor: isMoved ? JSON.stringify(next satisfies Cursor) : after
      }
    })
  }
}
