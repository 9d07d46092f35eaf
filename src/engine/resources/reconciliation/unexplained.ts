/** What of a day nothing accounts for: its open breaks, and no more (CLOSE-1, CLOSE-5). */
import { Effect } from "effect"
import { listDifferenceParts } from "../../../machines/kernel/balances.ts"
import { type BreakData, isOfLines } from "../../../machines/reconciliation/break.ts"
import { readAllRows } from "../../calls/reads.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type Storage } from "../../ports/Storage.ts"
import { type AccountRow, type CountedDifference, isBefore, type LineRow } from "./account-days.ts"
import { findAccountDifferences, listDifferenceKeys, isMoneyDifference } from "./balance-differences.ts"
import { lineBreakKey, statementBreakKey } from "./break.ts"
import { readBreaksUnder } from "./break-writing.ts"
import { type CountingDays, readCountingDays } from "./counting-days.ts"
import { sumSigned, toSignedDifference, toSignedAmount } from "./signed.ts"
import { accountKey, StatementLineKind } from "./statement-line.ts"

type Store = Storage["Service"]
type BreakRow = Row<BreakData>

const platform = { merchant_id: PLATFORM_MERCHANT } as const

/** What is open, and the day whose close counts it. `isDiffering`: not so of a gap of numbers alone. */
interface OpenDifference {
  readonly keys: ReadonlyArray<string>
  readonly amount: bigint
  readonly day: string
  readonly isDiffering: boolean
}

const compareDays = (a: LineRow, b: LineRow): number =>
  a.data.accounted_on < b.data.accounted_on ? -1 : a.data.accounted_on > b.data.accounted_on ? 1 : a.id < b.id ? -1 : 1

/**
 * What open lines come to, each on its day: as their breaks have them, and what matching has not looked at yet. What a break is told from counts
 * with the first of its lines. What a person has dismissed is explained, and what was before the account's first day is in its opening balance.
 */
const listLineDifferences = Effect.fnUntraced(function* (
  storage: Store,
  account: AccountRow,
  counting: CountingDays,
  lines: ReadonlyArray<LineRow>
) {
  const found = yield* readBreaksUnder(
    storage,
    lines.map(({ id }) => lineBreakKey(id))
  )
  const breaks = [...new Map([...found.values()].flat().map((row) => [row.id, row])).values()].filter(
    ({ data, state }) => isOfLines(data.kind) && (state === "open" || data.action === "dismiss")
  )
  const byId = new Map(lines.map((row) => [row.id, row]))
  const inBreaks = new Set(breaks.flatMap(({ data }) => data.line_ids))
  const others = [...inBreaks].filter((id) => !byId.has(id))
  const known = yield* storage.get(others.map((id) => ({ ...platform, kind: StatementLineKind.kind, id })))
  for (const row of known as ReadonlyArray<LineRow>) byId.set(row.id, row)
  const partsOf = ({ data }: BreakRow): ReadonlyArray<readonly [LineRow, bigint]> => {
    const own = data.line_ids.flatMap((id) => byId.get(id) ?? []).toSorted(compareDays)
    const offset = toSignedDifference(data) - sumSigned(own.map((line) => line.data))
    return own.map((line, n) => [line, toSignedAmount(line.data) + (n === 0 ? offset : 0n)])
  }
  return [
    ...breaks
      .filter(({ state }) => state === "open")
      .flatMap((row) => partsOf(row).map((part) => [...part, row] as const)),
    ...lines
      .filter((line) => !inBreaks.has(line.id) && !isBefore(account.data, line))
      .map((line) => [line, toSignedAmount(line.data)] as const)
  ].flatMap(([{ data, id }, amount, row]): ReadonlyArray<OpenDifference> => {
    const keys = [`${id} ${amount}`]
    const day = counting.dayOf({ keys, day: data.accounted_on, row })
    return amount === 0n ? [] : [{ keys, amount, day, isDiffering: true }]
  })
})

/** Lists the differences between what the statements of an account state and what its lines lead to, by day; also those that were dismissed. */
const listCountedDifferences = Effect.fnUntraced(function* (
  storage: Store,
  { data, id }: AccountRow,
  counting: CountingDays
) {
  const { differences, explained, same } = yield* findAccountDifferences(storage, { ...data, id })
  const listKeys = ({ kind, statement_ids }: (typeof differences)[number]): ReadonlyArray<string> =>
    same(statement_ids.at(-1)!).map((statement_id) => statementBreakKey(statement_id, kind))
  const breaks = yield* readBreaksUnder(storage, differences.flatMap(listKeys))
  const counted = differences.map((one) => {
    const own = listKeys(one).flatMap((key) => breaks.get(key) ?? [])
    const dismissed = own.find(
      (row) => row.state === "resolved" && row.data.action === "dismiss" && toSignedDifference(row.data) === one.amount
    )
    const open = own.find(({ state }) => state === "open")
    const keys = listDifferenceKeys({ same }, one)
    const day =
      dismissed === undefined
        ? counting.dayOf({ keys, day: one.day, row: open })
        : (dismissed.data.accounted_on ?? one.day)
    const isDiffering = isMoneyDifference(one)
    return {
      keys,
      amount: one.amount,
      day,
      isDiffering,
      isDismissed: dismissed !== undefined,
      parts: listDifferenceParts(one)
    }
  })
  return { counted, explained }
})

const listStatementDifferences = (storage: Store, account: AccountRow, counting: CountingDays) =>
  Effect.map(listCountedDifferences(storage, account, counting), ({ counted }) =>
    counted.filter(({ isDismissed }) => !isDismissed)
  )

/** Lists what the statements of an account state otherwise than its lines lead to, each part with the day whose close counts it. */
export const listCountedParts = Effect.fnUntraced(function* (
  storage: Store,
  account: AccountRow
): Effect.fn.Return<ReadonlyArray<CountedDifference>, StorageFault> {
  const { counted, explained } = yield* listCountedDifferences(
    storage,
    account,
    yield* readCountingDays(storage, account.id)
  )
  return [
    ...counted.flatMap(({ day, parts }) => parts.map((part) => ({ ...part, day }))),
    ...explained.flatMap(({ day, parts }) => parts.map(({ amount, since }) => ({ amount: -amount, since, day })))
  ]
})

const sumOn = (open: ReadonlyArray<OpenDifference>, date: string): bigint =>
  open.reduce((sum, { amount, day }) => (day === date ? sum + amount : sum), 0n)

/**
 * Reads what is open up to a day: the sum of what this day counts, credits less debits, whether any difference of it is open (two may
 * cancel each other out), and what a seal of the day keeps. Law: `unexplained` is the sum of the open breaks that the day counts, whatever
 * has been dismissed or explained. `open`: the open lines that the closes up to the day count.
 */
export const readOpenDifferences = Effect.fnUntraced(function* (
  storage: Store,
  account: AccountRow,
  date: string,
  open: ReadonlyArray<LineRow>
) {
  const counting = yield* readCountingDays(storage, account.id)
  const lines = yield* listLineDifferences(storage, account, counting, open)
  const all = [...lines, ...(yield* listStatementDifferences(storage, account, counting))]
  const kept = all.filter(({ day, keys }) => day <= date && !counting.isSealed(keys))
  return {
    unexplained: sumOn(all, date),
    isOpen: all.some((one) => one.day === date && one.isDiffering),
    open: Object.fromEntries(kept.map(({ day, keys }) => [keys[0]!, day])),
    counts: all.filter(({ day }) => day === date).flatMap(({ keys }) => keys)
  }
})

/** Computes the unexplained amount of a day, as its close would have it. `lines`: the open lines that the closes up to it count. */
export const findUnexplained = Effect.fnUntraced(function* (
  storage: Store,
  account: AccountRow,
  date: string,
  lines: ReadonlyArray<LineRow>
): Effect.fn.Return<bigint, StorageFault> {
  const counting = yield* readCountingDays(storage, account.id)
  // What a day counts that is not sealed, up to the first open one, may be of any day before it.
  const isOfAny = counting.first !== undefined && date <= counting.first
  const counted = isOfAny ? lines : lines.filter(({ data }) => data.accounted_on === date)
  const open = [
    ...(yield* listLineDifferences(storage, account, counting, counted)),
    ...(yield* listStatementDifferences(storage, account, counting))
  ]
  return sumOn(open, date)
})

/** Finds when the oldest open break of an account began, in epoch milliseconds. Null: none is open. */
export const findOldestBreak = Effect.fnUntraced(function* (storage: Store, id: string) {
  let oldest = Infinity
  const index_keys = [accountKey(id), "status=open"]
  yield* readAllRows(
    storage,
    { ...platform, kinds: ["break"], index_keys },
    ({ created_at, data }) => {
      oldest = Math.min(oldest, (data as Partial<BreakData>).since ?? created_at)
      return false
    },
    1_000
  )
  return oldest === Infinity ? null : oldest
})
