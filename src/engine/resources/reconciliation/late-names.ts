/** The matched lines that name what has come into the books since: another name may be stronger than what they are (MATCH-2, MATCH-7). */
import { Effect } from "effect"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { readAllRowsUnder } from "../../calls/reads.ts"
import { amountKey, normalise, termKey } from "../../commit/index-keys.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type RowKey } from "../../ports/Storage.ts"
import { displayAmount } from "../../reference/currencies.ts"
import { findDayStart } from "./account-days.ts"
import {
  type BooksDeps,
  CROSSED_MS,
  makeNameLister,
  type MatchedAccount,
  readMovements,
  streamPostings,
  readRowsById
} from "./books.ts"
import { StatementLineKind } from "./statement-line.ts"

type Line = Row<StatementLineData>

/** A text as its letters and digits: a name that stands in it, however it is cut, stands in these. */
const compact = (text: string): string =>
  text
    .split(/\s+/)
    .map((word) => normalise(word))
    .join("")
    .replace(/[^\p{L}\p{N}]/gu, "")

/** Joins all texts of a line's statements in which a name may stand. */
const textOf = ({ data }: Line): string =>
  [data, ...(data.bookings ?? []).map(({ stated }) => (stated ?? {}) as Partial<StatementLineData>)]
    .flatMap(({ bank_reference, end_to_end_id, remittance, transaction_hash, uetr }) =>
      [bank_reference, end_to_end_id, uetr, transaction_hash, remittance].map((text) => compact(text ?? ""))
    )
    .join(" ")

/** The lines that may be what has moved since a look. `since`: when the oldest of that was made. */
interface LateNames {
  readonly lines: ReadonlyArray<Line>
  readonly since: number
}

export const noneLate: LateNames = { lines: [], since: Infinity }

/**
 * Finds the lines of the side that name a movement which came into the books after the last look, and that are not matched to it: lines
 * with its amount, and lines with its reference. `first`: the first day that is not sealed.
 */
export const findLateNames = Effect.fnUntraced(function* (
  deps: BooksDeps,
  account: MatchedAccount,
  looked: number,
  first: string,
  now: number
): Effect.fn.Return<LateNames, StorageFault> {
  const { storage } = deps
  const { currency } = account
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [StatementLineKind.kind] }
  // What is sealed stays. A line of a later day comes after that began, unless its bank books ahead.
  const created_after = findDayStart(first, account.time_zone)
  const listNames = makeNameLister(deps)
  const lines = new Map<string, Line>()
  let since = Infinity
  yield* streamPostings(deps, account.account, looked - CROSSED_MS, now + 1, (postings) =>
    Effect.gen(function* () {
      const keys = postings.flatMap(({ merchant_id, resource_id: id }): ReadonlyArray<RowKey> => {
        const kind = deps.kinds.ofId(id)?.kind
        return kind === undefined ? [] : [{ merchant_id, kind, id }]
      })
      const rows = yield* readRowsById(deps, keys)
      for (const { created_at } of rows.values()) since = Math.min(since, created_at)
      const moved = yield* readMovements(deps, account, [...rows.values()])
      const payments = new Map(
        moved.flatMap((one) => (one.payment === undefined ? [] : [[one.resource_id, one.payment]]))
      )
      const paid = yield* readRowsById(
        deps,
        [...payments].flatMap(([id, payment]): ReadonlyArray<RowKey> => {
          const kind = deps.kinds.ofId(payment)?.kind
          return kind === undefined ? [] : [{ merchant_id: rows.get(id)!.merchant_id, kind, id: payment }]
        })
      )
      const names = new Map(
        [...rows].map(([id, row]) => {
          const payment = paid.get(payments.get(id) ?? "")
          return [id, [...listNames(row), ...(payment === undefined ? [] : listNames(payment))]]
        })
      )
      const amounts = Map.groupBy(moved, ({ amount }) => displayAmount(amount.toString(), currency))
      const stated = new Map([...names].map(([id, all]) => [id, all.map(compact)]))
      const mayBe = (row: Row): boolean => {
        const { data } = row as Line
        const text = textOf(row as Line)
        const own = amounts.get(displayAmount(data.amount, data.currency)) ?? []
        return own.some(
          ({ resource_id }) =>
            data.matches.every((one) => one.resource_id !== resource_id) &&
            stated.get(resource_id)?.some((name) => text.includes(name)) === true
        )
      }
      const ofAmounts = yield* readAllRowsUnder(
        storage,
        { ...query, keys: [...amounts.keys()].map((amount) => amountKey(amount, currency)), created_after },
        mayBe
      )
      const references = new Set([...names.values()].flat().map((name) => termKey("reference", normalise(name))))
      const named = yield* readAllRowsUnder(storage, { ...query, keys: [...references] }, ({ data }) =>
        (data as StatementLineData).matches.every(({ resource_id }) => !names.has(resource_id))
      )
      for (const row of [...ofAmounts, ...named] as ReadonlyArray<Line>) lines.set(row.id, row)
      return true
    })
  )
  return { lines: [...lines.values()], since: Math.max(since, created_after) }
})
