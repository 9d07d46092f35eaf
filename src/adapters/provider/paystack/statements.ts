/** Balances, and the ledger as a statement. */
import { Effect, Result } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { StatementLine, StatementPage, Statements } from "../../../engine/ports/Provider.ts"
import type { Json } from "../../../engine/ports/Storage.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { toStorableText } from "../company/client.ts"
import { makeLine } from "../company/statement-lines.ts"
import { readWindows } from "../company/windows.ts"
import type { LedgerRow, PaystackCalls, Readable } from "./calls.ts"
import { formatPaystackAmount } from "./mapping.ts"
import type { PaystackParts } from "./payouts.ts"

/** Before this no integration has a ledger, epoch milliseconds. */
const beginning = Date.UTC(2016, 0)
/** The first window; while windows are empty, they double. */
const windowMs = 24 * 3_600_000
/** Rows as young as this may not all be listed yet. */
const unsettledMs = 60_000
/** The most windows of one read: of one currency so many pages of the ledger, each at most of so many requests as a list has pages. */
const windowsMax = 8

/** Up to when the ledger of each currency was read, epoch milliseconds. */
type Cursor = { readonly [currency: string]: number }

const cursorIn = (text: string | null): Cursor => {
  try {
    const read: unknown = JSON.parse(text ?? "{}")
    return Object.fromEntries(
      Object.entries(read ?? {}).filter((one): one is [string, number] => Number.isSafeInteger(one[1]))
    )
  } catch {
    return {}
  }
}

/**
 * The rows of the first window after `from` that has any, oldest first, and its end.
 * Errors: also where even the shortest window has too many.
 */
const windowAfter = Effect.fnUntraced(function* (calls: PaystackCalls, from: number, now: number) {
  const end = now - unsettledMs
  let place: Readable<LedgerRow> & { readonly at: number } = { items: [], unreadable: [], at: from }
  let windows = 0
  if (from < end)
    yield* readWindows<Readable<LedgerRow>>({ from, to: end }, now, {
      ...{ name: `the statement in ${calls.currency}`, width: windowMs, growth: 4 },
      list: ({ from, to }) => calls.ledger(from, to ?? end),
      read: ({ items, unreadable }, to) =>
        Effect.sync(() => {
          // Whether the bounds of the list count is not certain; these do not overlap.
          const rows = items.filter(({ createdAt, currency }) => {
            const time = Date.parse(createdAt)
            return currency === calls.currency && time >= place.at && time < to
          })
          rows.sort(
            (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (BigInt(a.id) < BigInt(b.id) ? -1 : 1)
          )
          place = { items: rows, unreadable, at: to }
          windows++
        }),
      isEnough: Effect.sync(() => windows >= windowsMax || place.items.length + place.unreadable.length > 0)
    })
  return place
})

export const makeStatements = ({ books, entries }: PaystackParts, all: ReadonlyArray<PaystackCalls>): Statements => {
  /** The command that a row of the ledger is of, by Paystack's id of the transfer or the refund. */
  const lineOf = Effect.fnUntraced(function* (row: LedgerRow): Effect.fn.Return<StatementLine, ProviderFault> {
    const { createdAt, currency, difference, id, model_responsible, reason } = row
    const model = typeof row.model_row === "string" ? row.model_row : ""
    const isPayin = model_responsible === "Transaction" && model !== ""
    const payment =
      model === "" || (model_responsible !== "Transfer" && model_responsible !== "Refund")
        ? undefined
        : yield* books.read<{ readonly command_id: string }>(
            entries.keys.payment(model_responsible === "Transfer" ? "payout" : "refund", model)
          )
    const units = BigInt(difference)
    return makeLine({
      ...{ id: `${currency}/${id}`, booked_at: Date.parse(createdAt), direction: units < 0n ? "debit" : "credit" },
      ...{ amount: formatPaystackAmount(units < 0n ? -units : units), currency, narration: toStorableText(reason) },
      ...{ command_id: payment?.command_id ?? null, payin_id: isPayin ? model : null }
    })
  })

  return {
    balances: Effect.map(
      Effect.forEach(all, ({ balances, currency }) =>
        Effect.map(balances, (found) =>
          found
            .filter((one) => one.currency === currency)
            .map(({ balance }) => ({
              currency,
              network: null,
              available: formatPaystackAmount(BigInt(balance)),
              pending: formatPaystackAmount(0n)
            }))
        )
      ),
      (found) => found.flat()
    ),
    lines: Effect.fnUntraced(function* (after: string | null): Effect.fn.Return<StatementPage, ProviderFault> {
      const cursor = cursorIn(after)
      const now = yield* wallNow
      const lines: Array<StatementLine> = []
      const others: Array<Json> = []
      const next: { [currency: string]: number } = { ...cursor }
      const faults: Array<ProviderFault> = []
      for (const calls of all) {
        const read = yield* Effect.result(windowAfter(calls, cursor[calls.currency] ?? beginning, now))
        if (Result.isFailure(read)) {
          faults.push(read.failure)
          continue
        }
        const { at, items, unreadable } = read.success
        // They were read from JSON.
        others.push(...(unreadable as ReadonlyArray<Json>))
        for (const row of items) lines.push(yield* lineOf(row))
        next[calls.currency] = at
      }
      // The others go on, and when they have nothing more the fault is told.
      if (faults[0] !== undefined && lines.length + others.length === 0) return yield* faults[0]
      const isMoved =
        lines.length + others.length > 0 || all.some(({ currency }) => (next[currency] ?? 0) < now - unsettledMs)
      const page = others.length === 0 ? { lines } : { lines, unreadable: others }
      return { ...page, cursor: isMoved || after === null ? JSON.stringify(next) : after }
    })
  }
}
