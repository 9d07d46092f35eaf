/** What the books, the statements and their lines say of an external account up to a day (CLOSE-1, CLOSE-4). */
import { DateTime, Effect } from "effect"
import type { ClosingData } from "../../../machines/reconciliation/closing.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import { world } from "../../../machines/kernel/ledger.ts"
import type { StatementData } from "../../../machines/reconciliation/statement.ts"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { everyRow } from "../../calls/every-row.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type Storage } from "../../ports/Storage.ts"
import { placesOf } from "./books.ts"
import { ExternalAccountKind } from "./external-account.ts"
import { nextDay } from "./statement-chunks.ts"
import { closingKind, StatementKind } from "./statement-kinds.ts"
import { isFull, isLater } from "./statement-plan.ts"
import { accountKey, eachOpenLine, StatementLineKind } from "./statement-line.ts"

type Store = Storage["Service"]
export type AccountRow = Row<ExternalAccountData>
export type LineRow = Row<StatementLineData>

/** The first instant after a day of a time zone. */
export const endOf = (date: string, time_zone: string): number =>
  DateTime.toEpochMillis(
    DateTime.makeZonedUnsafe(`${nextDay(date)}T00:00:00`, { timeZone: time_zone, adjustForTimeZone: true })
  )

/** The day of an instant in a time zone. */
export const dayOf = (at: number, time_zone: string): string =>
  DateTime.formatIsoDate(DateTime.makeZonedUnsafe(at, { timeZone: time_zone }))

const rowsOf = (storage: Store, kind: string, index_keys: ReadonlyArray<string>) =>
  everyRow(storage, { merchant_id: PLATFORM_MERCHANT, kinds: [kind], index_keys }, () => true)

/** The lines that the close of a day counts. */
export const linesOn = (storage: Store, id: string, date: string) =>
  Effect.map(
    rowsOf(storage, StatementLineKind.kind, [accountKey(id), `accounted_on=${date}`]),
    (rows) => rows as ReadonlyArray<LineRow>
  )

/** Credits less debits. */
export const netOf = (lines: ReadonlyArray<LineRow>): bigint =>
  lines.reduce((sum, { data }) => sum + (data.direction === "credit" ? BigInt(data.amount) : -BigInt(data.amount)), 0n)

export const sumOf = (lines: ReadonlyArray<LineRow>): bigint =>
  lines.reduce((sum, { data }) => sum + BigInt(data.amount), 0n)

/** The lines of an account up to a day that nothing accounts for. */
export const openLines = Effect.fnUntraced(function* (storage: Store, id: string, date: string) {
  const found: Array<LineRow> = []
  yield* eachOpenLine(storage, id, (rows) =>
    Effect.sync(() => void found.push(...rows.filter(({ data }) => data.accounted_on <= date)))
  )
  return found
})

const statementsOf = (storage: Store, id: string) =>
  Effect.map(rowsOf(storage, StatementKind.kind, [`external_account_id=${id}`]), (rows) =>
    (rows as ReadonlyArray<Row<StatementData>>).filter(({ data }) => isFull(data.format))
  )

/** The latest statement of an account up to a day that has a closing balance, by the day of that balance. */
export const latestStatement = Effect.fnUntraced(function* (
  storage: Store,
  id: string,
  date: string
): Effect.fn.Return<Row<StatementData> | undefined, StorageFault> {
  const closed = (yield* statementsOf(storage, id)).filter(
    ({ data: { closing_balance } }) => closing_balance !== null && closing_balance.date <= date
  )
  // Newest first: of two alike, the one that came last corrects the other.
  return closed.reduce<Row<StatementData> | undefined>(
    (last, one) => (last === undefined || isLater(one.data, last.data) ? one : last),
    undefined
  )
})

const latest = (closes: ReadonlyArray<ClosingData>): ClosingData | undefined =>
  closes.reduce<ClosingData | undefined>((a, b) => (a === undefined || b.date > a.date ? b : a), undefined)

/**
 * What was in an account when a day began: the closing of the latest sealed day before it, and the lines since. A statement's balance that
 * a close has accepted against its lines has all that was booked by then: what comes late of it is not added again.
 */
export const openingOf = Effect.fnUntraced(function* (
  storage: Store,
  { data, id }: AccountRow,
  date: string,
  lines: ReadonlyArray<LineRow>
): Effect.fn.Return<bigint, StorageFault> {
  const rows = (yield* rowsOf(storage, closingKind, [`external_account_id=${id}`])) as ReadonlyArray<Row<ClosingData>>
  const sealed = rows.map((row) => row.data).filter((one) => one.date < date)
  const last = latest(sealed)
  const accepted = latest(sealed.filter((one) => (one.statement_closing ?? one.closing) !== one.closing))
  const isIn = ({ data }: LineRow): boolean => accepted !== undefined && data.booked_on <= accepted.date
  let balance = last === undefined ? BigInt(data.opening.balance) : BigInt(last.statement_closing ?? last.closing)
  for (let day = last === undefined ? data.opening.date : nextDay(last.date); day < date; day = nextDay(day))
    balance += netOf((yield* linesOn(storage, id, day)).filter((one) => !isIn(one)))
  return balance - netOf(lines.filter(isIn))
})

/** All accounts of a provider and a currency. */
export const mirrorsOf = Effect.fnUntraced(function* (
  storage: Store,
  { currency, provider }: ExternalAccountData
): Effect.fn.Return<ReadonlyArray<AccountRow>, StorageFault> {
  const rows = yield* rowsOf(storage, ExternalAccountKind.kind, [`provider=${provider}`, `currency=${currency}`])
  return rows as ReadonlyArray<AccountRow>
})

/** Entries that are read at once. */
const ENTRIES = 1_000

/** The balance of `world`, credits less debits, before an instant, whatever is posted meanwhile. */
export const worldBefore = Effect.fnUntraced(function* (
  storage: Store,
  { currency, provider }: Pick<ExternalAccountData, "currency" | "provider">,
  before: number
): Effect.fn.Return<bigint, StorageFault> {
  const account = world(provider)
  const places = yield* placesOf(storage, account)
  let [balance, end] = [0n, -1]
  // Of which postings the balance is: none came while it was read.
  while (end !== places.total()) {
    end = places.total()
    const balances = yield* storage.platformBalances(["world"])
    const own = balances.filter((one) => one.account === account && one.currency === currency)
    balance = own.reduce((sum, one) => sum + BigInt(one.balance), 0n)
    yield* places.at(end, 1)
  }
  // Newest first: what was posted since is taken back.
  for (; end > 0; end -= ENTRIES) {
    const items = yield* places.at(Math.max(0, end - ENTRIES), Math.min(ENTRIES, end))
    for (const { amount, at, credit, currency: posted } of items)
      if (at >= before && posted === currency) balance += credit === account ? -BigInt(amount) : BigInt(amount)
    if (items[0]!.at < before) break
  }
  return balance
})

/** What a closing balance of an account is: the statement's, or what was in it at first. Null before its first day. */
export const statementBalance = Effect.fnUntraced(function* (storage: Store, { data, id }: AccountRow, date: string) {
  const latest = yield* latestStatement(storage, id, date)
  const balance = BigInt(latest?.data.closing_balance!.amount ?? (data.opening.date <= date ? data.opening.balance : 0))
  return { balance, day: latest?.data.closing_balance!.date ?? null }
})

/**
 * The books of a provider and a currency against the statements of all their accounts, at the end of a day of one account.
 *
 * Law: `ledger` is the opening balances less `world`; `statements` = `ledger` − `outstanding` + what statements have and the books do
 * not: the open lines. `outstanding` is what the books have and no statement has yet.
 */
export const positionOf = Effect.fnUntraced(function* (storage: Store, { data }: AccountRow, date: string) {
  const mirrors = yield* mirrorsOf(storage, data)
  const balance = yield* worldBefore(storage, data, endOf(date, data.time_zone))
  let [ledger, statements, open] = [-balance, 0n, 0n]
  for (const one of mirrors) {
    if (one.data.opening.date <= date) ledger += BigInt(one.data.opening.balance)
    const { balance: stated, day } = yield* statementBalance(storage, one, date)
    statements += stated
    // Lines after the latest balance are in no balance yet.
    open += netOf(
      (yield* openLines(storage, one.id, date)).filter(({ data }) => day !== null && data.accounted_on <= day)
    )
  }
  const difference = statements - ledger
  return { ledger, statements, difference, outstanding: open - difference }
})
