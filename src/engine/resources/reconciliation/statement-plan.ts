/** What is to be written of statements that were read: checked whole before anything is written (INGEST-3). */
import { Context, Effect } from "effect"
import { exactAmount } from "../../../machines/kernel/money.ts"
import type { ExternalAccountData } from "../../../machines/reconciliation/external-account.ts"
import type {
  BalanceOnDate,
  ChunkLine,
  NoticedWarning,
  StatementData
} from "../../../machines/reconciliation/statement.ts"
import type { BookedLine } from "../../../machines/reconciliation/statement-line.ts"
import {
  type BankStatement,
  type BankStatementLine,
  type StatementBalance,
  UnreadableStatement
} from "../../../statements/statement.ts"
import { field, InvalidInput } from "../../ports/errors.ts"
import type { Row } from "../../ports/Storage.ts"
import { type Currency, currencyOf, isCurrencyCode } from "../../reference/currencies.ts"
import { inSteps } from "./statement-reader.ts"

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
export const unreadable = ({ found, message, place, taken }: UnreadableStatement): InvalidInput => {
  const { errors } = field("file", "invalid_format", message)
  return new InvalidInput({ message, errors: errors.map((one) => ({ ...one, place, found, taken })) })
}

const refuse = (place: string, found: string, taken: string): never => {
  throw new UnreadableStatement(place, found, taken)
}

/** An identifier as it is compared: banks write spaces, strokes and small letters where others do not. */
const compared = (value: string): string => value.replace(/[\s/-]/g, "").toUpperCase()

const shownAccount = ({ account, currency }: BankStatement): string =>
  `${account.identifiers.map(({ value }) => `…${value.slice(-4)}`).join(" or ") || "an account without a number"} in ${currency}`

/**
 * The external account of a statement: the given one, or the active one with an identifier of the statement in its currency.
 * Throws `UnreadableStatement` for an unknown account, and for another account or currency than the given one.
 */
const accountOf = (statement: BankStatement, accounts: ReadonlyArray<Account>, given?: Account): Account => {
  const { place } = statement
  const numbers = new Set(statement.account.identifiers.map(({ value }) => compared(value)))
  const has = ({ data }: Account): boolean => data.identifiers.some(({ value }) => numbers.has(compared(value)))
  if (given !== undefined) {
    if (given.data.currency !== statement.currency)
      return refuse(place, `currency ${statement.currency}`, `${given.data.currency}, that of ${given.id}`)
    return numbers.size === 0 || has(given)
      ? given
      : refuse(place, shownAccount(statement), `an identifier of ${given.id}`)
  }
  const found = accounts.find((one) => one.data.currency === statement.currency && has(one))
  return (
    found ??
    refuse(
      place,
      shownAccount(statement),
      numbers.size === 0
        ? "external_account_id with a file that names no account"
        : "an identifier of an active external account in its currency"
    )
  )
}

const decimals = /^(-?)(\d+)(?:\.(\d+))?$/

/** Minor units of an amount. Throws `UnreadableStatement` where the ledger keeps fewer decimals. */
const minorIn = (amount: string, { code, ledger_scale }: Currency, place: string): string => {
  const [, sign = "", whole = "", fraction = ""] = decimals.exec(amount) ?? []
  if (whole === "" || whole.length > 18 || fraction.replace(/0+$/, "").length > ledger_scale)
    return refuse(place, `the amount ${amount}`, `at most 18 digits and ${ledger_scale} decimals in ${code}`)
  const minor = exactAmount(fraction === "" ? whole : `${whole}.${fraction}`, ledger_scale)
  return (sign === "" ? minor : -minor).toString()
}

const balanceOf = (balance: StatementBalance | null, currency: Currency, place: string): BalanceOnDate | null =>
  balance === null ? null : { date: balance.date, amount: minorIn(balance.amount, currency, place) }

const chunkLine = (line: BankStatementLine, currency: Currency): BookedLine => {
  if (line.currency !== currency.code) return refuse(line.place, `currency ${line.currency}`, currency.code)
  const booked_on = line.booked_on ?? refuse(line.place, "no booking date", "the date on which the bank booked it")
  const { entry, ...others } = line
  return {
    ...others,
    booked_on,
    amount: minorIn(line.amount, currency, line.place),
    ...(entry === undefined ? {} : { entry: { ...entry, amount: minorIn(entry.amount, currency, line.place) } })
  }
}

/** Whether a format says all that happened between two balances. The others report a part, or before the day ends. */
export const isFull = (format: string): boolean => !["camt.052", "camt.054", "mt942"].includes(format)

type Preceding = Pick<StatementData, "format" | "number" | "from" | "to" | "opening_balance" | "closing_balance">

/** The last day that a statement reaches. Empty: it names none. */
export const lastDayOf = ({ closing_balance, to }: Pick<StatementData, "closing_balance" | "to">): string =>
  closing_balance?.date ?? to ?? ""

/** Whether a statement says again, perhaps corrected, what another said: a second one of a number, or of days and an opening. */
const isAgain = (statement: StatementData, other: Preceding): boolean =>
  statement.number === null
    ? statement.from === other.from &&
      statement.to === other.to &&
      statement.opening_balance?.amount === other.opening_balance?.amount
    : statement.number === other.number && lastDayOf(statement) === lastDayOf(other)

const numbered = (number: string | null): number | undefined => {
  const [digits] = /^\d{1,9}/.exec(number ?? "") ?? []
  return digits === undefined ? undefined : Number(digits)
}

type Ended = Pick<StatementData, "number" | "closing_balance" | "to">

/** Whether a statement is of a later time than another: it ends later, or has a higher number among those of one day. */
export const isLater = (one: Ended, other: Ended): boolean => {
  const [day, otherDay] = [lastDayOf(one), lastDayOf(other)]
  const [number, otherNumber] = [numbered(one.number), numbered(other.number)]
  return day === otherDay && number !== undefined && otherNumber !== undefined ? number > otherNumber : day > otherDay
}

/** The latest full statement that ends before another begins: of two alike, the one that came last corrects the other. */
const before = (statement: StatementData, others: ReadonlyArray<Preceding>): Preceding | undefined => {
  const start = statement.from ?? statement.opening_balance?.date ?? ""
  return others
    .filter(
      (one) =>
        isFull(one.format) &&
        lastDayOf(one) <= start &&
        !isAgain(statement, one) &&
        !((one.from ?? "") === start && isLater(one, statement))
    )
    .reduce<Preceding | undefined>((last, one) => (last === undefined || !isLater(last, one) ? one : last), undefined)
}

const gap = (message: string): NoticedWarning => ({ code: "gap", message, place: null })

/**
 * What is missing between a statement and the one before: a number of the series, or money between their balances. `others`: those that came
 * before it, oldest first.
 */
export const gapsOf = (statement: StatementData, others: ReadonlyArray<Preceding>): ReadonlyArray<NoticedWarning> => {
  if (!isFull(statement.format)) return []
  const last = before(statement, others)
  if (last === undefined) return []
  const [number, lastNumber] = [numbered(statement.number), numbered(last.number)]
  const { opening_balance } = statement
  const warnings: Array<NoticedWarning> = []
  // A series begins again, with each year for instance.
  if (number !== undefined && lastNumber !== undefined && number > lastNumber + 1)
    warnings.push(
      gap(
        `Number ${statement.number} follows number ${last.number}: ${number - lastNumber === 2 ? `number ${number - 1} is` : `numbers ${lastNumber + 1} to ${number - 1} are`} missing.`
      )
    )
  if (
    opening_balance !== null &&
    last.closing_balance !== null &&
    BigInt(opening_balance.amount) !== BigInt(last.closing_balance.amount)
  )
    warnings.push(
      gap(
        `The opening balance of ${opening_balance.date} is not the closing balance of the statement before, of ${last.closing_balance.date}.`
      )
    )
  return warnings
}

/** Whether nothing is missing any more between a statement and the one before, which is among `others`. */
export const isFollowing = (statement: StatementData, others: ReadonlyArray<Preceding>): boolean =>
  before(statement, others) !== undefined && gapsOf(statement, others).length === 0

/** What the lines of a statement that are under one bank reference, in one direction and on one day sum to, where they are several. */
const batchesIn = (
  lines: ReadonlyArray<BankStatementLine>,
  currency: Currency
): ((line: BankStatementLine) => { readonly batch?: string }) => {
  const keyOf = ({ bank_reference, booked_on, direction }: BankStatementLine): string =>
    `${direction} ${booked_on} ${bank_reference}`
  const counts = new Map<string, number>()
  for (const one of lines) if (one.bank_reference !== null) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1)
  const sums = new Map<string, bigint>()
  for (const one of lines)
    if ((counts.get(keyOf(one)) ?? 0) > 1)
      sums.set(keyOf(one), (sums.get(keyOf(one)) ?? 0n) + BigInt(minorIn(one.amount, currency, one.place)))
  return (line) => {
    const sum = sums.get(keyOf(line))
    return sum === undefined ? {} : { batch: sum.toString() }
  }
}

/** Counts bookings of one direction, amount and bank reference. */
const counting = () => {
  const counts = new Map<string, number>()
  return (direction: string, amount: string, reference: string, isNext = true): number => {
    const key = `${direction} ${amount} ${reference}`
    const count = (counts.get(key) ?? 0) + (isNext ? 1 : 0)
    counts.set(key, count)
    return count - 1
  }
}

/** The lines of a statement in chunks, in order. Throws `UnreadableStatement`. */
export function* chunksOf({
  account,
  read,
  size
}: Omit<PlannedStatement, "data">): Generator<ReadonlyArray<ChunkLine>> {
  const currency = currencyOf(account.data.currency)
  const nthOf = counting()
  const batchOf = batchesIn(read.lines, currency)
  for (let from = 0; from < read.lines.length; from += size)
    yield read.lines.slice(from, from + size).map((one) => {
      const line = chunkLine(one, currency)
      const { bank_reference, entry } = line
      if (bank_reference === null) return { ...line, nth: 0 }
      const nth = nthOf(line.direction, line.amount, bank_reference)
      const ofEntry =
        entry === undefined
          ? {}
          : { entry_nth: nthOf(entry.direction, entry.amount, entry.reference, entry.part === 0) }
      return { ...line, nth, ...ofEntry, ...batchOf(one) }
    })
}

/** The most warnings of a file that a statement keeps: each of its lines may have one. */
const warningsMax = 500

const keptOf = (warnings: ReadonlyArray<NoticedWarning>): ReadonlyArray<NoticedWarning> => {
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

const planned = (
  read: BankStatement,
  accounts: ReadonlyArray<Account>,
  given: Account | undefined,
  size: number
): PlannedStatement => {
  const account = accountOf(read, accounts, given)
  const { place } = read
  if (!isCurrencyCode(read.currency)) refuse(place, `currency ${read.currency}`, "a supported currency")
  const currency = currencyOf(read.currency)
  const data: StatementData = {
    external_account_id: account.id,
    format: read.format,
    message_id: read.message_id,
    number: read.number,
    from: read.from,
    to: read.to,
    currency: read.currency,
    opening_balance: balanceOf(read.opening_balance, currency, place),
    closing_balance: balanceOf(read.closing_balance, currency, place),
    lines: read.lines.length,
    pending: read.pending.length,
    chunks: Math.ceil(read.lines.length / size),
    warnings: keptOf(read.warnings)
  }
  return { account, read, data, size }
}

/**
 * Plans all statements of a file, each for its account, and checks every line of them.
 * Errors: `UnreadableStatement` with the place, what was found and what is taken.
 */
export const planOf = (
  statements: ReadonlyArray<BankStatement>,
  accounts: ReadonlyArray<Account>,
  given?: Account
): Effect.Effect<ReadonlyArray<PlannedStatement>, UnreadableStatement> =>
  Effect.flatMap(ChunkLines, (size) =>
    inSteps(function* () {
      if (statements.length === 0) refuse("the file", "no statement", "at least one statement")
      const plan = statements.map((read) => planned(read, accounts, given, size))
      for (const one of plan) yield* chunksOf(one)
      return plan
    })
  )
