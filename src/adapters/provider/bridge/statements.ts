/**
 * The wallet, and what moved in it. It has USDC alone. A transfer, or a deposit, of another currency is shown as what it is to the engine: the
 * currency that was paid, and its change from USDC or to it.
 */
import { Effect } from "effect"
import { ProviderFault } from "../../../engine/ports/errors.ts"
import type { StatementLine, StatementPage, Statements } from "../../../engine/ports/Provider.ts"
import type { Json } from "../../../engine/ports/Storage.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { moveIn, newsIn, type WalletItem } from "./activity.ts"
import { amountIn, amountOf, unitsOf } from "./mapping.ts"
import type { BridgePayins } from "./payins.ts"
import type { BridgeParts, BridgeTransfers } from "./transfers.ts"

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

  /** The lines of deposits whose USDC is in the wallet: what the payers sent. */
  const arrivedIn = Effect.fnUntraced(function* (from: number, to: number) {
    const lines: Array<StatementLine> = []
    for (const item of yield* calls.activity(from)) {
      const at = Date.parse(item.created_at)
      const news = newsIn(item)
      if (at < from || at >= to || news === null || typeof news === "string" || news.port !== "confirmed") continue
      const arrival = (yield* deposit(news.deposit_id))?.arrival ?? null
      if (arrival === null) continue
      const { currency, narration, units } = arrival
      const line = { id: `deposit/${news.deposit_id}`, booked_at: at, direction: "credit", currency } as const
      lines.push(
        ...changedLines({ ...line, amount: amountOf(BigInt(units)) }, { payin_id: news.deposit_id, narration })
      )
    }
    return lines
  })

  return {
    balances: Effect.map(calls.balance, (units) => [
      { currency: "USDC", network: null, available: amountOf(units), pending: amountOf(0n) }
    ]),
    lines: Effect.fnUntraced(function* (after: string | null): Effect.fn.Return<StatementPage, ProviderFault> {
      const from = after !== null && /^\d{1,15}$/.test(after) ? Number(after) : 0
      const to = (yield* wallNow) - unsettledMs
      if (to <= from) return { lines: [], cursor: after }
      const lines: Array<StatementLine> = []
      const unreadable: Array<Json> = []
      for (const item of yield* calls.history(from)) {
        const at = Date.parse(item.created_at)
        if (at < from || at >= to) continue
        const moved = yield* movedBy(item)
        // It was read from JSON.
        if (moved === undefined) unreadable.push(item as unknown as Json)
        else lines.push(...moved)
      }
      if (config.payins.length > 0) lines.push(...(yield* arrivedIn(from, to)))
      lines.sort((a, b) => a.booked_at - b.booked_at || (a.id < b.id ? -1 : 1))
      const isMoved = after === null || lines.length + unreadable.length > 0
      return { lines, ...(unreadable.length > 0 && { unreadable }), cursor: isMoved ? String(to) : after }
    })
  }
}
