/** Balances, and the ledger as a statement. */
import { Effect, Result } from "effect"
import type { ProviderFault } from "../../../engine/ports/errors.ts"
import type { StatementLine, StatementPage, Statements } from "../../../engine/ports/Provider.ts"
import type { Json } from "../../../engine/ports/Storage.ts"
import { wallNow } from "../../../engine/ports/Time.ts"
import { toStorableText } from "../company/client.ts"
import {
  hasMoved,
  type ListedHours,
  makeLine,
  membersOf,
  readPlace,
  readStatement,
  startPlace,
  type StatementPlace,
  writePlace
} from "../company/statement.ts"
import type { Readable } from "../company/lists.ts"
import { type LedgerRow, listedAtOnce, type PaystackCalls } from "./calls.ts"
import { formatPaystackAmount } from "./mapping.ts"
import type { PaystackParts } from "./payouts.ts"

/** Before this no integration has a ledger, epoch milliseconds. */
const beginning = Date.UTC(2016, 0)
/** A page asks for no other window of a ledger after so many requests: a window takes at most as many as a list has pages. */
const requestsMax = 40

/** Up to when the ledger of each currency was read. */
type Cursor = { readonly [currency: string]: StatementPlace }

const cursorIn = (text: string | null): Cursor =>
  Object.fromEntries(
    Object.entries(membersOf(text)).flatMap(([currency, value]) => {
      const place = readPlace(value)
      return place === undefined ? [] : [[currency, place] as const]
    })
  )

const writeCursor = (cursor: Cursor): string =>
  JSON.stringify(Object.fromEntries(Object.entries(cursor).map(([currency, place]) => [currency, writePlace(place)])))

const toItem = (row: LedgerRow) => ({ key: row.id, at: Date.parse(row.createdAt), row })

/** What a window of a ledger has. */
interface FoundRows {
  readonly items: ReadonlyArray<ReturnType<typeof toItem>>
  readonly unreadable: ReadonlyArray<unknown>
}

/** The requests that a list took. Undefined: the first one said that it is too long. */
const requestsFor = (found: Readable<LedgerRow> | undefined): number =>
  1 + Math.floor(((found?.items.length ?? 0) + (found?.unreadable.length ?? 0)) / listedAtOnce)

/** A currency whose ledger is read. */
interface ReadLedger extends PaystackCalls {
  readonly hours: ListedHours<FoundRows>
}

/**
 * The rows of the ledger of a currency that come next, oldest first, and how far it was read. `budget`: the requests that are left of a page.
 *
 * Errors: also where even the shortest window has too many.
 */
const readLedger = Effect.fnUntraced(function* (
  { currency, hours, ledger }: ReadLedger,
  from: StatementPlace,
  now: number,
  budget: { requests: number }
) {
  const rows: Array<LedgerRow> = []
  const unreadable: Array<unknown> = []
  const place = yield* readStatement(from, now, {
    ...{ name: `the statement in ${currency}`, hours },
    list: ({ from, to = now }) =>
      Effect.map(ledger(from, to), (found) => {
        budget.requests -= requestsFor(found)
        const own = found?.items.filter((row) => row.currency === currency) ?? []
        own.sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
        return found && { items: own.map(toItem), unreadable: found.unreadable }
      }),
    take: (found, end, isLate) => {
      rows.push(...found.items.map(({ row }) => row))
      if (!isLate) unreadable.push(...found.unreadable)
      return end
    },
    tellUnread: (found) => void unreadable.push(...found.unreadable),
    isEnough: () => budget.requests <= 0 || rows.length + unreadable.length > 0
  })
  return { place, rows, unreadable }
})

export const makeStatements = ({ books, entries }: PaystackParts, all: ReadonlyArray<PaystackCalls>): Statements => {
  /** In turns: what one ledger leaves of the requests of a page is for the next. */
  let ledgers: ReadonlyArray<ReadLedger> = all.map((calls) => ({ ...calls, hours: new Map() }))
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
      const next: { [currency: string]: StatementPlace } = { ...cursor }
      const faults: Array<ProviderFault> = []
      const budget = { requests: requestsMax }
      const turn = ledgers
      ledgers = [...turn.slice(1), ...turn.slice(0, 1)]
      for (const calls of turn) {
        if (budget.requests <= 0) break
        const from = cursor[calls.currency] ?? startPlace(beginning)
        const read = yield* Effect.result(readLedger(calls, from, now, budget))
        if (Result.isFailure(read)) {
          faults.push(read.failure)
          continue
        }
        const { place, rows, unreadable } = read.success
        // They were read from JSON.
        others.push(...(unreadable as ReadonlyArray<Json>))
        for (const row of rows) lines.push(yield* lineOf(row))
        next[calls.currency] = place
      }
      // The others go on, and when they have nothing more the fault is told.
      if (faults[0] !== undefined && lines.length + others.length === 0) return yield* faults[0]
      const isMoved =
        lines.length + others.length > 0 ||
        Object.entries(next).some(([currency, place]) => hasMoved(cursor[currency], place, now))
      const page = others.length === 0 ? { lines } : { lines, unreadable: others }
      return { ...page, cursor: isMoved || after === null ? writeCursor(next) : after }
    })
  }
}
