/** What the books, the statements and their lines say of an external account up to a day (CLOSE-1, CLOSE-4). */
import { DateTime, Effect } from "effect"
import type { BreakDifference } from "../../../machines/reconciliation/break.ts"
import type { ClosingData } from "../../../machines/reconciliation/closing.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import type { StatementLineData } from "../../../machines/reconciliation/statement-line.ts"
import { readAllRows } from "../../calls/reads.ts"
import { BoundedMap } from "../../ports/bounded-map.ts"
import type { StorageFault } from "../../ports/errors.ts"
import { PLATFORM_MERCHANT, type Row, type Storage } from "../../ports/Storage.ts"
import type { StatementRelations } from "../../../machines/kernel/bookings.ts"
import { readAccountStatements } from "./account-statements.ts"
import { walkStatements, walkReadPages } from "./balance-differences.ts"
import { isReadOwn } from "./provider-statement.ts"
import { sumSigned } from "./signed.ts"
import { closingKind } from "./statement-kinds.ts"
import { isFull, findLastDay } from "./statement-plan.ts"
import { listDays, nextDay, previousDay } from "./statement-roster.ts"
import { accountKey, visitOpenLines, StatementLineKind } from "./statement-line.ts"

export type Store = Storage["Service"]
export type AccountRow = Row<ExternalAccountData>
export type LineRow = Row<StatementLineData>

/** Computing the beginning of a day asks the time zone twice: those asked for last are kept. */
const dayStarts = new BoundedMap<string, number>(20_000)

/** The first instant of a day of a time zone. */
export const findDayStart = (date: string, time_zone: string): number => {
  const key = `${time_zone} ${date}`
  const known = dayStarts.get(key)
  if (known !== undefined) return known
  const midnight = DateTime.makeZonedUnsafe(`${date}T00:00:00`, { timeZone: time_zone, adjustForTimeZone: true })
  const start = DateTime.toEpochMillis(midnight)
  dayStarts.set(key, start)
  return start
}

/** The instants from which on the books of a side have payouts and pay-ins: what moved before is in opening balances. */
export interface Beginnings {
  readonly payouts: number
  readonly payins: number
}

/** Finds the beginnings of the accounts of a side: the first account with the use counts, or the first of all if none has it. */
export const findBeginnings = (mirrors: ReadonlyArray<AccountRow>): Beginnings => {
  const begin = (use: "payouts" | "payins"): number => {
    const own = mirrors.filter(({ data }) => data.uses.includes(use))
    return Math.min(
      ...(own.length > 0 ? own : mirrors).map(({ data }) => findDayStart(data.opening.date, data.time_zone))
    )
  }
  return { payouts: begin("payouts"), payins: begin("payins") }
}

/** Finds when the money of lines moved: from the beginning of their first day, or of the day on which one booked ahead arrived. */
export const findMovedAt = (lines: ReadonlyArray<LineRow>, time_zone: string): number =>
  Math.min(...lines.map(({ created_at, data }) => Math.min(created_at, findDayStart(data.booked_on, time_zone))))

/** The first instant after a day of a time zone. */
export const findDayEnd = (date: string, time_zone: string): number => findDayStart(nextDay(date), time_zone)

/** Lines that are read at once. */
const LINES = 1_000

const readEveryRow = (storage: Store, kind: string, index_keys: ReadonlyArray<string>) =>
  readAllRows(storage, { merchant_id: PLATFORM_MERCHANT, kinds: [kind], index_keys }, () => true, LINES)

/** The lines that the close of a day counts, or that were booked on it. */
export const readLinesOn = (
  storage: Store,
  id: string,
  date: string,
  by: "accounted_on" | "booked_on" = "accounted_on"
) =>
  Effect.map(readEveryRow(storage, StatementLineKind.kind, [accountKey(id), `${by}=${date}`]), (rows) =>
    (rows as ReadonlyArray<LineRow>).filter(({ state }) => state !== "withdrawn")
  )

/** Credits less debits. */
export const sumDayLines = (lines: ReadonlyArray<LineRow>): bigint => sumSigned(lines.map(({ data }) => data))

/** The unmatched lines of an account that were booked up to a day. */
export const listOpenLinesUntil = Effect.fnUntraced(function* (storage: Store, id: string, date: string) {
  const found: Array<LineRow> = []
  yield* visitOpenLines(storage, id, (rows) =>
    Effect.sync(() => void found.push(...rows.filter(({ data }) => data.booked_on <= date)))
  )
  return found
})

/** What is in an account at the end of a day, as a statement says. */
interface StatedBalance {
  readonly date: string
  readonly amount: bigint
}

/**
 * The statements of an account that say all that happened, and what the days end with by what they state, the latest last: of two that end on
 * one day, the balance that the lines lead to. A provider's own follow one another as they came.
 */
export const readStatedBalances = Effect.fnUntraced(function* (storage: Store, account: AccountRow) {
  const { data, id } = account
  const statements = yield* readAccountStatements(storage, id)
  const closings = (yield* isReadOwn(storage, id))
    ? walkReadPages(data, statements).closings
    : (yield* walkStatements(storage, { ...data, id }, statements)).closings
  const balances = [...closings].map(([date, amount]): StatedBalance => ({ date, amount }))
  return {
    rows: statements.rows.filter((row) => isFull(row.data)),
    relations: statements.relations,
    balances: balances.toSorted((a, b) => (a.date < b.date ? -1 : 1))
  }
})

/** The first day whose balance has a line: that of its booking, or the first of its statement where that dates the line earlier. */
const findCountedDay = ({ sinceOf }: Pick<StatementRelations, "sinceOf">, { data }: Pick<LineRow, "data">): string =>
  sinceOf(data.booked_on, [
    ...(data.bookings ?? [data]).map(({ statement_id }) => statement_id),
    ...(data.within ?? [])
  ])

/** The latest balance of the day or of one before it. */
const findLatestBalance = (balances: ReadonlyArray<StatedBalance>, date: string): StatedBalance | undefined =>
  balances.findLast((one) => one.date <= date)

/** Credits less debits of the lines that were booked, or that closes count, on a span of days. `from` and `to` are included. */
export const sumLinesBetween = Effect.fnUntraced(function* (
  storage: Store,
  id: string,
  by: "accounted_on" | "booked_on",
  [from, to]: readonly [from: string, to: string],
  isCounted: (line: LineRow) => boolean
): Effect.fn.Return<bigint, StorageFault> {
  const query = { merchant_id: PLATFORM_MERCHANT, kinds: [StatementLineKind.kind], index_keys: [accountKey(id)] }
  const isWanted = (line: LineRow): boolean => line.state !== "withdrawn" && isCounted(line)
  const { total } = yield* storage.list({ ...query, offset: 0, limit: 0 })
  const days = (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1
  let net = 0n
  if (total > days * LINES) {
    for (const day of listDays(from, to))
      net += sumDayLines((yield* readLinesOn(storage, id, day, by)).filter(isWanted))
    return net
  }
  // Few lines, or many days: each is read once, and none is kept.
  const add = (row: Row): boolean => {
    const line = row as LineRow
    if (line.data[by] >= from && line.data[by] <= to && isWanted(line)) net += sumDayLines([line])
    return false
  }
  yield* readAllRows(storage, query, add, LINES)
  return net
})

/** Whether a line was booked before its account begins here: it is in the opening balance. */
export const isBefore = ({ opening }: Pick<ExternalAccountData, "opening">, { data }: Pick<LineRow, "data">): boolean =>
  data.booked_on < opening.date

/**
 * Whether the opening balance has a line of these: it was booked before the account's first day, and names nothing, or nothing any more, as one
 * whose match a person has undone. Law: such a line is in no break, whoever holds it (CLOSE-4). `named`: the resources, and the lines that name
 * them.
 */
export const isInOpening = (
  account: Pick<ExternalAccountData, "opening">,
  named: Pick<BreakDifference, "line_ids" | "resource_ids">,
  line: Pick<LineRow, "data" | "id">
): boolean => isBefore(account, line) && (named.resource_ids.length === 0 || !named.line_ids.includes(line.id))

const pickLatest = (closes: ReadonlyArray<ClosingData>): ClosingData | undefined =>
  closes.reduce<ClosingData | undefined>((a, b) => (a === undefined || b.date > a.date ? b : a), undefined)

/** The days after seals of a day or of later ones: closes of these count the lines that came after a seal. */
const listDaysOfLate = (seals: ReadonlyArray<ClosingData>, date: string): ReadonlyArray<string> =>
  seals.flatMap((one) => (one.date >= date ? [nextDay(one.date)] : []))

const readSeals = (storage: Store, id: string) =>
  Effect.map(readEveryRow(storage, closingKind, [`external_account_id=${id}`]), (rows) =>
    (rows as ReadonlyArray<Row<ClosingData>>).map(({ data }) => data)
  )

/** The first day of which a line may count that a balance does not have: what a later statement has booked back stands among days before it. */
const findFirstSince = (relations: StatementRelations, { opening }: ExternalAccountData, stated: string): string => {
  const from = relations.all
    .filter(({ first, id }) => first <= stated && relations.startOf(id) > stated)
    .reduce((day, { first }) => (first < day ? first : day), nextDay(stated))
  return from < opening.date ? opening.date : from
}

/** A part of what statements state otherwise than lines lead to. `since`: the first balance that has it. `day`: whose close counts it. */
export interface CountedDifference {
  readonly amount: bigint
  readonly since: string
  readonly day: string
}

/**
 * Finds the balance of an account at the beginning of a day, from what is there now. Law: it is the opening balance, the lines that closes of
 * days before count, and what statements state otherwise that these count, accepted or explained. So each day follows on the one before,
 * whatever comes late. It is computed from the latest earlier balance that a statement states, by what this has of other days; where none
 * does, from the latest seal. `lines`: those that the day's close counts.
 */
export const findOpening = Effect.fnUntraced(function* (
  storage: Store,
  account: AccountRow,
  date: string,
  lines: ReadonlyArray<LineRow>,
  differences: ReadonlyArray<CountedDifference> = []
): Effect.fn.Return<bigint, StorageFault> {
  const { data, id } = account
  // An account that begins later by now begins with its opening balance, whatever was sealed before.
  const isSince = (day: string): boolean => day < date && day >= data.opening.date
  const seals = yield* readSeals(storage, id)
  const { balances, relations } = yield* readStatedBalances(storage, account)
  const stated = findLatestBalance(
    balances.filter((one) => isSince(one.date)),
    date
  )
  const isIn = (line: LineRow): boolean =>
    isBefore(data, line) || (stated !== undefined && findCountedDay(relations, line) <= stated.date)
  const sealed = pickLatest(seals.filter((one) => isSince(one.date)))
  const base =
    stated ??
    (sealed === undefined
      ? { date: previousDay(data.opening.date), amount: BigInt(data.opening.balance) }
      : { date: sealed.date, amount: BigInt(sealed.statement_closing ?? sealed.closing) })
  const start = stated === undefined ? nextDay(base.date) : findFirstSince(relations, data, stated.date)
  const isLater = (line: LineRow): boolean => !isIn(line)
  const since =
    date > start ? yield* sumLinesBetween(storage, id, "accounted_on", [start, previousDay(date)], isLater) : 0n
  const own = base.amount + since - sumDayLines(lines.filter(isIn))
  if (stated === undefined) return own
  const late = yield* Effect.forEach(listDaysOfLate(seals, date), (day) => readLinesOn(storage, id, day))
  const isLate = (line: LineRow): boolean => !isBefore(data, line) && isIn(line)
  return differences.reduce(
    (sum, part) =>
      sum + (part.day < date && part.since < date ? part.amount : 0n) - (part.since <= stated.date ? part.amount : 0n),
    own - sumDayLines(late.flat().filter(isLate))
  )
})

/** Sums the lines that were booked up to a day, and that closes of later days count: they came after its seal, or a later one. */
const sumLateLines = Effect.fnUntraced(function* (storage: Store, { data: { opening }, id }: AccountRow, date: string) {
  const days = listDaysOfLate(yield* readSeals(storage, id), date)
  const lines = (yield* Effect.forEach(days, (day) => readLinesOn(storage, id, day))).flat()
  return sumDayLines(lines.filter((line) => line.data.booked_on <= date && !isBefore({ opening }, line)))
})

/**
 * Reads the balance of an account at the end of a day by its statements: the latest closing balance, of the day `stated`, or without one
 * the first balance and the lines since. Null `stated`: no statement has a balance. `last`: the last day of a statement. Zero before its
 * first day. `since`: what the lines come to that were booked by the end of the day, and that the balance does not have, whichever close
 * counts them.
 */
export const readStatementBalance = Effect.fnUntraced(function* (storage: Store, account: AccountRow, date: string) {
  const { balances, relations, rows } = yield* readStatedBalances(storage, account)
  const { opening } = account.data
  const stated = findLatestBalance(
    balances.filter((one) => one.date >= opening.date),
    date
  )
  const days = rows.map((one) => findLastDay(one.data)).filter((day) => day !== "" && day <= date)
  const last = days.reduce<string | null>((a, b) => (a === null || b > a ? b : a), null)
  if (opening.date > date) return { balance: 0n, stated: null, last, since: 0n }
  if (stated === undefined) {
    const balance = yield* findOpening(storage, account, nextDay(date), [])
    return { balance, stated: null, last, since: yield* sumLateLines(storage, account, date) }
  }
  const isSince = (line: LineRow): boolean =>
    line.data.booked_on >= opening.date && findCountedDay(relations, line) > stated.date
  const begin = findFirstSince(relations, account.data, stated.date)
  const since = begin > date ? 0n : yield* sumLinesBetween(storage, account.id, "booked_on", [begin, date], isSince)
  return { balance: stated.amount, stated: stated.date, last, since }
})
