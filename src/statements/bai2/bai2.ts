/** Reads BAI2: accounts of banks in the United States, with control totals at three levels (STATEMENT-7). */
import { checkLines, checkStatements } from "../bounds.ts"
import { parseInstant, parseShortDate } from "../date.ts"
import { formatUnits, parseDecimal, type Units } from "../decimal.ts"
import { type BankStatement, type BankStatementLine, type StatementWarning, UnreadableStatement } from "../statement.ts"
import { toPlace, quote, readReference, decodeText, trimToNull } from "../text.ts"
import { applySign, completeStatement, type PlacedBalance } from "../whole.ts"
import { boundary, type Record2, readRecords } from "./records.ts"

/** The decimals that amounts of BAI2 imply, by currency (ISO 4217). Two, where not named. */
const decimals: ReadonlyArray<readonly [number, string]> = [
  [0, "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF"],
  [3, "BHD IQD JOD KWD LYD OMR TND"],
  [4, "CLF UYW"]
]
const byCurrency = new Map(decimals.flatMap(([count, names]) => names.split(" ").map((name) => [name, count] as const)))

const findDecimals = (currency: string): number => byCurrency.get(currency) ?? 2

const toPlainField = (field: string | undefined): string => (field ?? "").replace(boundary, "").trim()

const makeRecordError = ({ code, number }: Record2, found: string | undefined, taken: string): UnreadableStatement =>
  new UnreadableStatement(toPlace(number), `record ${code} with ${quote(toPlainField(found))}`, taken)

/** Parses a whole number with a sign, in the smallest unit of a currency. Only a total may have more than 18 digits. */
const parseInteger = (
  record: Record2,
  field: string | undefined,
  what: string,
  pattern = /^[+-]?0*\d{1,18}$/
): bigint => {
  const text = toPlainField(field)
  if (text.length > 40 || !pattern.test(text)) throw makeRecordError(record, text, `${what}: a whole number`)
  return BigInt(text.replace("+", ""))
}

/** Converts an amount in the smallest unit of a currency to {@link Units}. */
const centsToUnits = (cents: bigint, currency: string): Units => {
  const digits = (cents < 0n ? -cents : cents).toString().padStart(5, "0")
  const decimals = findDecimals(currency)
  const text = decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
  const units = parseDecimal(text) ?? 0n
  return cents < 0n ? -units : units
}

interface Funds {
  readonly value_on: string | null
  /** How many fields the type and what follows it take. */
  readonly length: number
}

/** Reads the type of funds at a place in the fields: `V` has a date and a time, `S` three amounts, `D` a count and as many pairs. */
const readFunds = (record: Record2, from: number): Funds => {
  const { fields } = record
  const type = toPlainField(fields[from]).toUpperCase()
  switch (type) {
    case "V": {
      const text = toPlainField(fields[from + 1])
      const value_on = text === "" ? null : parseShortDate(text)
      if (value_on === undefined) throw makeRecordError(record, text, "a value date of the calendar (YYMMDD)")
      return { value_on, length: 3 }
    }
    case "S":
      return { value_on: null, length: 4 }
    case "D": {
      const count = Number(toPlainField(fields[from + 1]))
      if (!Number.isInteger(count) || count < 0 || count > 100)
        throw makeRecordError(record, fields[from + 1], "a count of days")
      return { value_on: null, length: 2 + 2 * count }
    }
    case "":
    case "Z":
    case "0":
    case "1":
    case "2":
      return { value_on: null, length: 1 }
    default:
      throw makeRecordError(record, fields[from], "a type of funds: 0, 1, 2, D, S, V or Z")
  }
}

interface Group {
  readonly record: Record2
  readonly date: string
  readonly currency: string | null
  readonly isInterim: boolean
  accounts: number
  total: bigint
  records: number
}

interface Summary {
  readonly cents: bigint
  readonly place: string
}

interface Account {
  readonly record: Record2
  readonly number: string
  readonly currency: string
  /** Amounts by type: `010` is the opening balance. */
  readonly summaries: ReadonlyMap<string, Summary>
  readonly lines: Array<BankStatementLine>
  readonly warnings: Array<StatementWarning>
  net: Units
  total: bigint
  records: number
}

/** Reads the direction from a type. Credits: 100 to 399, and a bank's own 920 to 959. Debits: 400 to 699, 960 to 999. */
const readDirection = (record: Record2, type: string): BankStatementLine["direction"] => {
  const code = Number(type)
  if ((code >= 100 && code < 400) || (code >= 920 && code < 960)) return "credit"
  if ((code >= 400 && code < 700) || (code >= 960 && code < 1000)) return "debit"
  throw makeRecordError(record, type, "a type of a credit (100 to 399, 920 to 959) or a debit (400 to 699, 960 to 999)")
}

const readType = (record: Record2, field: string | undefined): string => {
  const type = toPlainField(field)
  if (!/^\d{3}$/.test(type)) throw makeRecordError(record, type, "a type of three digits")
  return type
}

/** As-of date modifiers of interim reports, of the day before and of the same day. 2 and 4 are final; a group may have none. */
const interimModifiers: ReadonlySet<string> = new Set(["1", "3"])

const readGroup = (record: Record2): Group => {
  const [, , status, date, , currency, modifier] = record.fields.map(toPlainField)
  if (status === "2" || status === "4")
    throw makeRecordError(record, status, "a group that updates or corrects (1 or 3), no deletion and no test")
  const day = parseShortDate(date ?? "")
  if (day === undefined) throw makeRecordError(record, date, "the date that it is of (YYMMDD)")
  return {
    record,
    date: day,
    currency: trimToNull(currency),
    isInterim: interimModifiers.has(modifier ?? ""),
    accounts: 0,
    total: 0n,
    records: record.count
  }
}

const readAccount = (record: Record2, group: Group): Account => {
  const { fields } = record
  const number = toPlainField(fields[0])
  if (number === "") throw makeRecordError(record, number, "the number of the account")
  const currency = trimToNull(toPlainField(fields[1])) ?? group.currency ?? "USD"
  if (!/^[A-Z]{3}$/.test(currency)) throw makeRecordError(record, currency, "a currency of three capitals")
  const summaries = new Map<string, Summary>()
  let total = 0n
  for (let at = 2; at < fields.length; ) {
    if (toPlainField(fields[at]) === "") {
      // Some banks end a record with an empty field before its continuation.
      if (fields[at + 1]?.startsWith(boundary)) {
        at++
        continue
      }
      if (toPlainField(fields[at + 1]) !== "")
        throw makeRecordError(record, fields[at], "a type of three digits before the amount")
      at += 4
      continue
    }
    const type = readType(record, fields[at])
    const amount = toPlainField(fields[at + 1])
    if (amount !== "") {
      const cents = parseInteger(record, amount, `the amount of type ${type}`)
      total += cents
      summaries.set(type, { cents, place: toPlace(record.number) })
    }
    at += 3 + readFunds(record, at + 3).length
  }
  return { record, number, currency, summaries, lines: [], warnings: [], net: 0n, total, records: record.count }
}

/** Finds the value of `KEY: value`, which some banks write in continuations. */
const findKeyedText = (fields: ReadonlyArray<string>, key: string): string | null =>
  fields
    .filter((field) => field.startsWith(`${boundary}${key}:`))
    .map((field) => trimToNull(field.slice(key.length + 2)))
    .find((value) => value !== null) ?? null

/** Adds the booking of a record 16. Type 890 has no amount: it is text about the account. */
const addDetail = (account: Account, record: Record2, date: string): void => {
  const { fields } = record
  const type = readType(record, fields[0])
  if (type === "890") return
  const cents = parseInteger(record, fields[1], "an amount")
  if (cents < 0n) throw makeRecordError(record, fields[1], "an amount without a sign: its type says which it is")
  const { length, value_on } = readFunds(record, 2)
  const direction = readDirection(record, type)
  const units = centsToUnits(cents, account.currency)
  const [bank, own] = fields.slice(2 + length, 4 + length).map(toPlainField)
  const rest = fields.slice(4 + length)
  account.total += cents
  account.net += applySign(direction, units)
  account.lines.push({
    booked_on: date,
    value_on,
    direction,
    amount: formatUnits(units),
    currency: account.currency,
    bank_reference: readReference(bank),
    end_to_end_id: readReference(findKeyedText(rest, "EREF")) ?? readReference(own),
    uetr: null,
    transaction_hash: null,
    counterparty: {
      name: findKeyedText(rest, direction === "credit" ? "DBNM" : "CRNM"),
      account: findKeyedText(rest, direction === "credit" ? "DACT" : "CACT")
    },
    // The text behind the references: its commas again, and a space where a continuation begins.
    remittance: trimToNull(
      rest
        .map((field, at) =>
          at === 0 || field.startsWith(boundary) ? ` ${field.replace(boundary, "").trim()}` : `,${field}`
        )
        .join("")
        .replace(/\s+/g, " ")
    ),
    code: type,
    reversal: false,
    place: toPlace(record.number)
  })
}

/**
 * Compares the control total of a record, and its numbers of records or parts, with what was read. Returns a warning for each wrong number.
 * Errors: `UnreadableStatement` for a wrong total.
 */
const checkControl = (
  record: Record2,
  total: bigint,
  counts: ReadonlyArray<readonly [name: string, found: number]>
): ReadonlyArray<StatementWarning> => {
  const [control, ...others] = record.fields
  // Nothing is the total of nothing.
  const expected =
    toPlainField(control) === "" && total === 0n ? 0n : parseInteger(record, control, "a control total", /^[+-]?\d+$/)
  if (expected !== total)
    throw new UnreadableStatement(
      toPlace(record.number),
      `record ${record.code} with the control total ${expected}`,
      `${total}, the sum of its amounts`
    )
  return counts.flatMap(([name, found], at) => {
    const text = toPlainField(others[at])
    if (text === "" || Number(text) === found) return []
    const count = text.length > 20 ? quote(text) : text
    const message = `Record ${record.code} counts ${count} ${name}; there are ${found}.`
    return [{ code: "line_count" as const, message, place: toPlace(record.number) }]
  })
}

const opening = "010"
const closing = "015"
/** The sums of all credits and of all debits. */
const totals = [
  ["100", "credit"],
  ["400", "debit"]
] as const

const findBalance = ({ currency, summaries }: Account, type: string, date: string): PlacedBalance | null => {
  const summary = summaries.get(type)
  return summary === undefined ? null : { date, units: centsToUnits(summary.cents, currency), place: summary.place }
}

/** Warns if the sums of the summary differ from the details. Without two balances, only they say whether the details are complete. */
const listTotalWarnings = ({ currency, lines, summaries }: Account): ReadonlyArray<StatementWarning> =>
  totals.flatMap(([type, direction]) => {
    const summary = summaries.get(type)
    if (summary === undefined) return []
    const sum = lines
      .filter((line) => line.direction === direction)
      .reduce((all, line) => all + (parseDecimal(line.amount) ?? 0n), 0n)
    const expected = centsToUnits(summary.cents < 0n ? -summary.cents : summary.cents, currency)
    if (sum === expected) return []
    const message = `The summary has ${direction}s of ${formatUnits(expected)}; the details have ${formatUnits(sum)}.`
    return [{ code: "line_count" as const, message, place: summary.place }]
  })

/** Makes the warning that a statement is an interim report. */
const warnOfInterim = ({ number }: Record2): StatementWarning => ({
  code: "interim",
  message: "An interim report, by its as-of date modifier: the final one of the day decides about it.",
  place: toPlace(number)
})

const toStatement = (account: Account, { date, isInterim, record }: Group, file: Record2): BankStatement => {
  const { currency, lines, net, number, summaries } = account
  const isMoved = [...summaries].some(([type, { cents }]) => Number(type) >= 100 && cents !== 0n)
  // When record 01 says that the file was made: a date and a time of four digits, in which 2400 is the end of the
  // day.
  const { fields } = file
  const [day, time] = [parseShortDate(toPlainField(fields[2])), toPlainField(fields[3]).padStart(4, "0")]
  return completeStatement({
    format: "bai2",
    message_id: trimToNull(toPlainField(file.fields[4])),
    number: null,
    account: {
      identifiers: [{ scheme: "account_number", value: number }],
      currency: trimToNull(toPlainField(account.record.fields[1])),
      bank: trimToNull(toPlainField(record.fields[1]))
    },
    currency,
    from: date,
    to: date,
    made_at: day === undefined ? null : parseInstant(`${day}T${time.slice(0, 2)}:${time.slice(2)}`),
    opening: findBalance(account, opening, date),
    closing: findBalance(account, closing, date),
    net,
    lines,
    pending: [],
    warnings: [...account.warnings, ...listTotalWarnings(account), ...(isInterim ? [warnOfInterim(record)] : [])],
    ...(isInterim ? { interim: true as const } : {}),
    place: toPlace(account.record.number),
    saysEmpty: !isMoved
  })
}

/** Follows the three levels: the file, its groups, and their accounts. */
class Levels {
  readonly statements: Array<BankStatement> = []
  private file: { readonly record: Record2; groups: number; total: bigint; records: number } | undefined
  private group: Group | undefined
  private account: Account | undefined
  private last: Record2 | undefined
  /** How many lines the file has so far. */
  private lines = 0
  private groups = 0

  private expected(record: Record2, isRight: boolean, taken: string): void {
    if (!isRight) throw new UnreadableStatement(toPlace(record.number), `record ${record.code} here`, taken)
  }

  add(record: Record2): void {
    const { account, file, group } = this
    const { code, count } = record
    this.last = record
    if (file !== undefined) file.records += count
    switch (code) {
      case "01":
        this.expected(record, file === undefined, "record 99 of the file before it")
        this.file = { record, groups: 0, total: 0n, records: count }
        return
      case "02":
        this.expected(
          record,
          file !== undefined && group === undefined,
          "record 01, or record 98 of the group before it"
        )
        checkStatements(++this.groups, toPlace(record.number), "groups")
        this.group = readGroup(record)
        return
      case "03":
        this.expected(
          record,
          group !== undefined && account === undefined,
          "record 02, or record 49 of the account before it"
        )
        this.account = readAccount(record, group!)
        return
      case "16":
        this.expected(record, account !== undefined, "record 03 before it")
        account!.records += count
        checkLines(++this.lines, toPlace(record.number))
        return addDetail(account!, record, group!.date)
      case "49":
        this.expected(record, account !== undefined, "record 03 before it")
        return this.endAccount(account!, group!, record)
      case "98":
        this.expected(record, group !== undefined && account === undefined, "record 49 before it")
        return this.endGroup(group!, record)
      default:
        this.expected(record, file !== undefined && group === undefined, "record 98 before it")
        this.warn(
          checkControl(record, file!.total, [
            ["groups", file!.groups],
            ["records", file!.records]
          ])
        )
        this.file = undefined
    }
  }

  private endAccount(account: Account, group: Group, record: Record2): void {
    account.records += record.count
    account.warnings.push(...checkControl(record, account.total, [["records", account.records]]))
    group.accounts++
    group.total += account.total
    group.records += account.records
    checkStatements(this.statements.length + 1, toPlace(account.record.number))
    this.statements.push(toStatement(account, group, this.file!.record))
    this.account = undefined
  }

  private endGroup(group: Group, record: Record2): void {
    const { file } = this
    group.records += record.count
    this.warn(
      checkControl(record, group.total, [
        ["accounts", group.accounts],
        ["records", group.records]
      ])
    )
    file!.groups++
    file!.total += group.total
    this.group = undefined
  }

  /** What is noticed of a group or of the file stands with its last account. */
  private warn(warnings: ReadonlyArray<StatementWarning>): void {
    const of = this.statements.at(-1)?.warnings as Array<StatementWarning> | undefined
    of?.push(...warnings)
  }

  finish(): void {
    const { file, last } = this
    if (file !== undefined)
      throw new UnreadableStatement(
        toPlace(last?.number ?? 1),
        "the last record of the file",
        "records 49, 98 and 99 at its end"
      )
  }
}

const stepRecords = 5000

/** Reads all accounts of a BAI2 file. Errors: `UnreadableStatement`. */
export function* readBai2(bytes: Uint8Array): Generator<void, ReadonlyArray<BankStatement>> {
  const levels = new Levels()
  let count = 0
  for (const record of readRecords(decodeText(bytes))) {
    levels.add(record)
    if (++count % stepRecords === 0) yield
  }
  levels.finish()
  if (levels.statements.length === 0) throw new UnreadableStatement("line 1", "no account (record 03)", "at least one")
  return levels.statements
}
