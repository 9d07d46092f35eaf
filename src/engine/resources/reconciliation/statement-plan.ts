/** What is to be written of statements that were read: checked whole before anything is written (INGEST-3). */
import { Clock, Context, Effect } from "effect"
import { parseExactAmount } from "../../../machines/kernel/money.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import { isProvisional } from "../../../machines/kernel/bookings.ts"
import type { BalanceOnDate, NoticedWarning, StatementData } from "../../../machines/reconciliation/statement.ts"
import type { BookedLine } from "../../../machines/reconciliation/statement-line.ts"
import { toSignedAmount } from "./signed.ts"
import {
  type BankStatement,
  type BankStatementLine,
  type StatementBalance,
  UnreadableStatement
} from "../../../statements/statement.ts"
import { makeFieldRefusal, InvalidInput } from "../../ports/errors.ts"
import type { Row } from "../../ports/Storage.ts"
import { type Currency, requireCurrency, isCurrencyCode } from "../../reference/currencies.ts"
import { isWithin, findPossibleDays, type Span, SPAN_MAX_DAYS } from "./possible-days.ts"
import { runInSteps } from "./statement-reader.ts"

/** The most lines of a chunk, which is one write. */
export const ChunkLines = Context.Reference<number>("corridor/engine/ChunkLines", { defaultValue: () => 500 })

type Account = Row<ExternalAccountData>

/** A statement that was read, and its account. */
export interface PlannedStatement {
  readonly account: Account
  readonly read: BankStatement
  readonly data: StatementData
  /** The lines of each of its chunks but the last. */
  readonly size: number
}

/** The refusal of a file: nothing of it is taken. */
export const toFileRefusal = ({ found, message, place, taken }: UnreadableStatement): InvalidInput => {
  const { errors } = makeFieldRefusal("file", "invalid_format", message)
  return new InvalidInput({ message, errors: errors.map((one) => ({ ...one, place, found, taken })) })
}

const throwUnreadable = (place: string, found: string, taken: string): never => {
  throw new UnreadableStatement(place, found, taken)
}

/** The parts of an identifier between strokes. Spaces and small letters only show it otherwise. */
const splitIdentifier = (value: string): ReadonlyArray<string> =>
  value.replace(/\s/g, "").toUpperCase().split(/[/-]+/).filter(Boolean)

/** Whether two identifiers are one: banks write strokes where others write none, but none of them moves a stroke. */
const isSameIdentifier = (one: string, other: string): boolean => {
  const [a, b] = [splitIdentifier(one), splitIdentifier(other)]
  return a.join("") === b.join("") && (a.length < 2 || b.length < 2 || a.join() === b.join())
}

const describeAccount = ({ account, currency }: BankStatement): string =>
  `${account.identifiers.map(({ value }) => `…${value.slice(-4)}`).join(" or ") || "an account without a number"} in ${currency}`

/**
 * The external account of a statement: the given one, or the active one with an identifier of the statement in its currency.
 * Throws `UnreadableStatement` for an unknown account, and for another account or currency than the given one.
 */
const chooseAccount = (statement: BankStatement, accounts: ReadonlyArray<Account>, given?: Account): Account => {
  const { place } = statement
  const { identifiers } = statement.account
  const has = ({ data }: Account): boolean =>
    data.identifiers.some(({ value }) => identifiers.some((one) => isSameIdentifier(value, one.value)))
  if (given !== undefined) {
    if (given.data.currency !== statement.currency)
      return throwUnreadable(place, `currency ${statement.currency}`, `${given.data.currency}, that of ${given.id}`)
    return identifiers.length === 0 || has(given)
      ? given
      : throwUnreadable(place, describeAccount(statement), `an identifier of ${given.id}`)
  }
  const [found, ...others] = accounts.filter((one) => one.data.currency === statement.currency && has(one))
  if (found !== undefined && others.length === 0) return found
  const taken =
    identifiers.length === 0
      ? "external_account_id with a file that names no account"
      : found === undefined
        ? "an identifier of an active external account in its currency"
        : `external_account_id with a number that is of ${[found, ...others].map(({ id }) => id).join(" and ")}`
  return throwUnreadable(place, describeAccount(statement), taken)
}

const decimals = /^(-?)(\d+)(?:\.(\d+))?$/

/** Minor units of an amount. Throws `UnreadableStatement` where the ledger keeps fewer decimals. */
export const toMinor = (amount: string, { code, ledger_scale }: Currency, place: string): string => {
  const [, sign = "", whole = "", fraction = ""] = decimals.exec(amount) ?? []
  if (whole === "" || whole.length > 18 || fraction.replace(/0+$/, "").length > ledger_scale)
    return throwUnreadable(place, `the amount ${amount}`, `at most 18 digits and ${ledger_scale} decimals in ${code}`)
  const minor = parseExactAmount(fraction === "" ? whole : `${whole}.${fraction}`, ledger_scale)
  return (sign === "" ? minor : -minor).toString()
}

/**
 * Converts a balance to minor units of the ledger. Null: the statement has none. Throws `UnreadableStatement` at `place` for more digits or decimals
 * than the ledger keeps.
 */
const toMinorBalance = (balance: StatementBalance | null, currency: Currency, place: string): BalanceOnDate | null =>
  balance === null ? null : { date: balance.date, amount: toMinor(balance.amount, currency, place) }

const chunkLine = (line: BankStatementLine, currency: Currency): BookedLine => {
  if (line.currency !== currency.code) return throwUnreadable(line.place, `currency ${line.currency}`, currency.code)
  const booked_on =
    line.booked_on ?? throwUnreadable(line.place, "no booking date", "the date on which the bank booked it")
  const { entry, ...others } = line
  return {
    ...others,
    booked_on,
    amount: toMinor(line.amount, currency, line.place),
    ...(entry === undefined ? {} : { entry: { ...entry, amount: toMinor(entry.amount, currency, line.place) } })
  }
}

/** Whether a statement says all that happened between two balances. The others report a part, or before the day ends. */
export const isFull = (one: Pick<StatementData, "format" | "interim">): boolean => !isProvisional(one)

/** The last day that a statement reaches. Empty: it names none. */
export const findLastDay = ({ closing_balance, to }: Pick<StatementData, "closing_balance" | "to">): string =>
  closing_balance?.date ?? to ?? ""

/** The bookings of a statement in chunks, in order: at least one. Throws `UnreadableStatement`. */
export function* splitChunks({
  account,
  read,
  size
}: Omit<PlannedStatement, "data">): Generator<ReadonlyArray<BookedLine>> {
  const currency = requireCurrency(account.data.currency)
  let from = 0
  do {
    yield read.lines.slice(from, from + size).map((one) => chunkLine(one, currency))
    from += size
  } while (from < read.lines.length)
}

/** The most warnings of a file that a statement keeps: each of its lines may have one. */
const warningsMax = 500

const limitWarnings = (warnings: ReadonlyArray<NoticedWarning>): ReadonlyArray<NoticedWarning> => {
  if (warnings.length <= warningsMax) return warnings
  const counts = new Map<string, number>()
  for (const { code } of warnings) counts.set(code, (counts.get(code) ?? 0) + 1)
  // Readers say of the statement last: that nothing holds its lines must not be lost behind what is said of each of them.
  const rarest = warnings.toSorted((a, b) => counts.get(a.code)! - counts.get(b.code)!)
  const kept = rarest.slice(0, warningsMax)
  const last = kept.pop()!
  const message = `${last.message} ${warnings.length - warningsMax} more warnings follow, which are not kept.`
  return [...kept, { ...last, message }]
}

/** The most days that a statement may be of: each of them is compared with other statements. */
const DAYS_MAX = 4_000

const countDays = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / 86_400_000

/**
 * Finds the days of a statement. The dates of its opening balance and of its export do not count, nor does an end that is far from
 * everything else in the statement, or beyond `possible`.
 */
const findSpan = (
  { closing_balance, from, made_at, to }: BankStatement,
  booked: ReadonlyArray<string>,
  possible: Span
): Span => {
  const known = [...booked, closing_balance?.date, made_at?.slice(0, 10)].filter((day) => day !== undefined).sort()
  const isNear = (day: string): boolean =>
    known.length === 0
      ? from === null || to === null || countDays(from, to) <= SPAN_MAX_DAYS
      : countDays(known.at(-1)!, day) <= SPAN_MAX_DAYS && countDays(day, known[0]!) <= SPAN_MAX_DAYS
  const ends = [from, to ?? closing_balance?.date ?? null].filter(
    (day) => day !== null && isWithin(possible, day) && isNear(day)
  )
  const days = [...booked, ...(ends as ReadonlyArray<string>)].sort()
  return { first: days[0] ?? "", last: days.at(-1) ?? "" }
}

function* planStatement(
  read: BankStatement,
  accounts: ReadonlyArray<Account>,
  given: Account | undefined,
  size: number,
  now: number
): Generator<void, PlannedStatement> {
  const account = chooseAccount(read, accounts, given)
  const { place } = read
  if (!isCurrencyCode(read.currency)) throwUnreadable(place, `currency ${read.currency}`, "a supported currency")
  const currency = requireCurrency(read.currency)
  const possible = findPossibleDays(account.data.time_zone, now)
  const check = (name: string, date: string | null | undefined, place: string): void => {
    if (date !== undefined && date !== null && !isWithin(possible, date))
      throwUnreadable(place, `the ${name} ${date}`, `a date from ${possible.first} to ${possible.last}`)
  }
  // A CSV that has no booking, as of an empty month, may state its balances in rows without a date.
  for (const [name, balance] of [
    ["opening", read.opening_balance] as const,
    ["closing", read.closing_balance] as const
  ])
    if (balance?.date === "")
      throwUnreadable(
        place,
        `no date of the ${name} balance, and no booking that has one`,
        "a date in the row of the balance"
      )
  check("date of the opening balance", read.opening_balance?.date, place)
  check("date of the closing balance", read.closing_balance?.date, place)
  check("creation date", read.made_at?.slice(0, 10), place)
  const nets = new Map<string, bigint>()
  for (const lines of splitChunks({ account, read, size })) {
    for (const line of lines) {
      check("booking date", line.booked_on, line.place)
      check("value date", line.value_on, line.place)
      nets.set(line.booked_on, (nets.get(line.booked_on) ?? 0n) + toSignedAmount(line))
    }
    yield
  }
  const span = findSpan(read, [...nets.keys()], possible)
  if (span.first !== "" && countDays(span.first, span.last) > DAYS_MAX)
    throwUnreadable(place, `bookings from ${span.first} to ${span.last}`, `the bookings of at most ${DAYS_MAX} days`)
  const data: StatementData = {
    external_account_id: account.id,
    format: read.format,
    message_id: read.message_id,
    number: read.number,
    from: read.from,
    to: read.to,
    currency: read.currency,
    opening_balance: toMinorBalance(read.opening_balance, currency, place),
    closing_balance: toMinorBalance(read.closing_balance, currency, place),
    lines: read.lines.length,
    pending: read.pending.length,
    chunks: Math.max(1, Math.ceil(read.lines.length / size)),
    warnings: limitWarnings(read.warnings),
    made_at: read.made_at,
    ...(read.interim === true ? { interim: true as const } : {}),
    ...span,
    days: Object.fromEntries([...nets].map(([day, net]) => [day, net.toString()]))
  }
  return { account, read, data, size }
}

/**
 * Plans all statements of a file, each for its account, and checks every line of them.
 * Errors: `UnreadableStatement` with the place, what was found and what is taken.
 */
export const planStatements = (
  statements: ReadonlyArray<BankStatement>,
  accounts: ReadonlyArray<Account>,
  given?: Account
): Effect.Effect<ReadonlyArray<PlannedStatement>, UnreadableStatement> =>
  Effect.flatMap(Effect.all([ChunkLines, Clock.currentTimeMillis]), ([size, now]) =>
    runInSteps(function* () {
      if (statements.length === 0) throwUnreadable("the file", "no statement", "at least one statement")
      const plan: Array<PlannedStatement> = []
      for (const read of statements) plan.push(yield* planStatement(read, accounts, given, size, now))
      return plan
    })
  )
