/**
 * The wallet, and what moved in it. It has USDC alone. A transfer, or a deposit, of another currency is shown as what it is to the engine: the
 * currency that was paid, and its change from USDC or to it.
 */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { StatementLine, StatementPage, Statements } from "../../../engine/ports/Provider.ts"
import type { Json } from "../../../engine/ports/Storage.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { type ActivityItem, moveIn, newsIn, type WalletItem } from "./activity.ts"
import { statementPageSize } from "./calls.ts"
import { amountIn, amountOf, unitsOf } from "./mapping.ts"
import type { BridgePayins } from "./payins.ts"
import type { BridgeParts, BridgeTransfers } from "./transfers.ts"

/** The most requests of one page: the lists, and the transfer of each of their items. */
const requestsMax = 120

/**
 * A walk over the lists, which are newest first: over the history of the wallet, then over the activity, from what was there at `to` back to
 * `from`. `last`: the item that was read last; null: the list is not begun. Epoch milliseconds.
 */
interface Walk {
  readonly from: number
  readonly to: number
  readonly list: "history" | "activity"
  readonly last: string | null
}

/** The walk that a cursor is in, or undefined: it says up to when all was read, or nothing. */
const walkIn = (cursor: string | null): Walk | undefined => {
  try {
    const { from, last, list, to } = JSON.parse(cursor ?? "") as Walk
    const isWalk = Number.isSafeInteger(from) && Number.isSafeInteger(to) && (list === "history" || list === "activity")
    return isWalk && (last === null || /^[\w-]{1,80}$/.test(last)) ? { from, last, list, to } : undefined
  } catch {
    return undefined
  }
}

/** What is as young as this may not all be listed yet, milliseconds. */
const unsettledMs = 60_000

type Line = Pick<StatementLine, "id" | "booked_at" | "direction" | "amount" | "currency"> & Partial<StatementLine>
const lineOf = (line: Line): StatementLine => ({
  ...{ command_id: null, payin_id: null, provider_reference: null, transaction_hash: null, narration: null },
  ...line
})

const opposite = { credit: "debit", debit: "credit" } as const

/** What was paid, or came, in the currency of the payer or the recipient, and its change. */
const changedLines = (
  { amount, booked_at, currency, direction, id }: Line,
  names: Partial<StatementLine>
): ReadonlyArray<StatementLine> => [
  lineOf({ ...{ id, booked_at, direction, amount, currency }, ...names }),
  lineOf({
    ...{ id: `${id}/changed`, booked_at, direction: opposite[direction], amount, currency },
    narration: direction === "debit" ? "changed from USDC" : "changed to USDC"
  })
]

export const makeStatements = (
  { calls, config }: BridgeParts,
  { ofTransfer }: BridgeTransfers,
  { deposit }: BridgePayins
): Statements => {
  /** What an item of the wallet's history moved. Undefined: it cannot be read. */
  const movedBy = Effect.fnUntraced(function* (item: WalletItem) {
    const move = moveIn(item)
    if (move === undefined) return undefined
    const { at: booked_at, direction, transfer: transfer_id, units } = move
    const id = `wallet/${item.id}`
    const moved = lineOf({ ...{ id, booked_at, direction, amount: amountOf(units), currency: "USDC" } })
    if (transfer_id === null) return [moved]
    const sent = yield* ofTransfer(transfer_id)
    if (sent === undefined) return [{ ...moved, provider_reference: transfer_id }]
    const transfer = yield* calls.transfer(transfer_id)
    const paid = unitsOf(amountIn(transfer, sent.currency))
    if (paid === undefined)
      return yield* new ProviderFault({ message: `the transfer ${transfer_id} has no amount that can be read` })
    const fiat = { id: `${id}/paid`, booked_at, direction, amount: amountOf(paid), currency: sent.currency }
    const names = { command_id: sent.command_id, provider_reference: transfer_id }
    return [{ ...moved, provider_reference: transfer_id }, ...changedLines(fiat, names)]
  })

  /** The lines of a deposit whose USDC is in the wallet: what the payer sent. */
  const arrivedBy = Effect.fnUntraced(function* (item: ActivityItem) {
    const news = newsIn(item)
    if (news === null || typeof news === "string" || news.port !== "confirmed") return []
    const arrival = (yield* deposit(news.deposit_id))?.arrival ?? null
    if (arrival === null) return []
    const { currency, narration, units } = arrival
    const booked_at = Date.parse(item.created_at)
    const line = { id: `deposit/${news.deposit_id}`, booked_at, direction: "credit", currency } as const
    return changedLines({ ...line, amount: amountOf(BigInt(units)) }, { payin_id: news.deposit_id, narration })
  })

  /** The next page of the list of a walk, with what its items moved and the walk behind it; undefined: the walk is at its end. */
  const walkOn = Effect.fnUntraced(function* ({ from, last, list, to }: Walk) {
    const isHistory = list === "history"
    const items: ReadonlyArray<WalletItem | ActivityItem> = yield* isHistory
      ? calls.historyPage(last)
      : calls.activityPage(last)
    if (items.some(({ id }) => id === last))
      return yield* new ProviderFault({ message: "Bridge lists an item twice, so its list may not be whole" })
    const lines: Array<StatementLine> = []
    const unreadable: Array<Json> = []
    let requests = 1
    for (const item of items) {
      const at = Date.parse(item.created_at)
      if (at < from || at >= to) continue
      if (isHistory) requests += 1
      const moved = yield* isHistory ? movedBy(item) : arrivedBy(item)
      // It was read from JSON.
      if (moved === undefined) unreadable.push(item as unknown as Json)
      else lines.push(...moved)
    }
    const isRead = items.every(({ created_at }) => Date.parse(created_at) < from)
    const next: Walk | undefined = !isRead
      ? { from, to, list, last: items.at(-1)!.id }
      : isHistory && config.payins.length > 0
        ? { from, to, list: "activity", last: null }
        : undefined
    return { lines, unreadable, requests, next }
  })

  return {
    balances: Effect.map(calls.balance, (units) => [
      { currency: "USDC", network: null, available: amountOf(units), pending: amountOf(0n) }
    ]),
    lines: Effect.fnUntraced(function* (after: string | null): Effect.fn.Return<StatementPage, ProviderFault> {
      const now = (yield* wallNow) - unsettledMs
      const from = after !== null && /^\d{1,15}$/.test(after) ? Number(after) : 0
      const begun = walkIn(after)
      if (begun === undefined && now <= from) return { lines: [], cursor: after }
      const lines: Array<StatementLine> = []
      const unreadable: Array<Json> = []
      let walk: Walk | undefined = begun ?? { from, to: now, list: "history", last: null }
      const { to } = walk
      let requests = requestsMax
      while (walk !== undefined && requests > statementPageSize) {
        const page: Effect.Success<ReturnType<typeof walkOn>> = yield* walkOn(walk)
        lines.push(...page.lines)
        unreadable.push(...page.unreadable)
        requests -= page.requests
        walk = page.next
      }
      lines.sort((a, b) => a.booked_at - b.booked_at || (a.id < b.id ? -1 : 1))
      const isMoved = after === null || begun !== undefined || lines.length + unreadable.length > 0
      const cursor = walk !== undefined ? JSON.stringify(walk) : isMoved ? String(to) : after
      return { lines, ...(unreadable.length > 0 && { unreadable }), cursor }
    })
  }
}
