/** Reads the CSV of a bank by a mapping (STATEMENT-8). */
import { checkLines } from "../bounds.ts"
import { formatUnits, type Units } from "../decimal.ts"
import { type BankStatement, type BankStatementLine, type StatementWarning, UnreadableStatement } from "../statement.ts"
import { toPlace, readReference, quote, decodeText, trimToNull } from "../text.ts"
import { type PlacedBalance, completeStatement } from "../whole.ts"
import { parseCellAmount, type CellAmount, toColumnName, parseDate, refuseCell } from "./cells.ts"
import type { CsvAccount, CsvColumn, CsvColumns, CsvMapping, CsvRows } from "./mapping.ts"
import { checkWidth, type CsvRow, isBlankRow, readCsvRows } from "./rows.ts"
import { toPlainSign, listSigns } from "./signs.ts"

/** How many rows may stand above the header. */
const preambleMax = 200

/** Finds the columns of rows. */
class Header {
  private readonly names: ReadonlyMap<string, number>
  private readonly width: number
  private readonly least: number
  private readonly position: number
  private readonly repeated: ReadonlyMap<string, ReadonlyArray<number>>

  /** Of a header row: its cells, how many of them up to the last that has a name, and the places of names that it has twice. */
  constructor(
    names: ReadonlyMap<string, number>,
    width: number,
    least: number,
    position: number,
    repeated: ReadonlyMap<string, ReadonlyArray<number>> = new Map()
  ) {
    this.names = names
    this.width = width
    this.least = least
    this.position = position
    this.repeated = repeated
  }

  /** Without a header row: as many columns as the mapping has places for. */
  static byPlaces(mapping: CsvMapping): Header {
    return new Header(new Map(), Infinity, Math.max(...listColumns(mapping).map(Number)), 0)
  }

  index(column: CsvColumn): number {
    return typeof column === "number" ? column - 1 : (this.names.get(column.trim()) ?? -1)
  }

  cell({ cells }: CsvRow, column: CsvColumn | undefined): string {
    return column === undefined ? "" : (cells[this.index(column)]?.trim() ?? "")
  }

  /** Refuses a row of another width than the header, and one whose cells differ in the columns of a repeated name. */
  check(row: CsvRow, least = this.least): void {
    checkWidth(row, least, this.position > 0 ? this.width : Infinity)
    this.checkRepeated(row, this.repeated.keys())
  }

  /** Refuses a row whose cells differ in the columns of one of the names. */
  checkRepeated({ cells, number }: CsvRow, names: Iterable<CsvColumn | undefined>): void {
    for (const name of names) {
      const places = typeof name === "string" ? (this.repeated.get(name) ?? []) : []
      const [first = "", ...others] = places.map((at) => cells[at]?.trim() ?? "")
      const other = others.find((cell) => cell !== first)
      if (other !== undefined)
        throw new UnreadableStatement(
          `${toPlace(number)}, ${toColumnName(name!)}`,
          `${quote(first)} and ${quote(other)}, as the header has the name twice`,
          "the same in both, or a mapping that has the column by its place"
        )
    }
  }
}

const listColumns = ({
  closing,
  columns,
  ignore = [],
  opening,
  pending = []
}: CsvMapping): ReadonlyArray<CsvColumn> => [
  ...Object.values(columns as unknown as Record<string, CsvColumn | ReadonlyArray<CsvColumn> | undefined>)
    .flat()
    .filter((column) => column !== undefined),
  ...[...ignore, ...pending].map(({ column }) => column),
  // The rows of balances may stand above the header, where no column has a name.
  ...[opening, closing].flatMap((rows) => (rows === undefined || columns.balance === undefined ? [] : [rows.column]))
]

const listNames = ({ cells }: CsvRow): ReadonlyArray<string> => cells.map((cell) => cell.replace(/^\ufeff/, "").trim())

const listMissing = (row: CsvRow, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const cells = listNames(row)
  return names.filter((name) => !cells.includes(name.trim()))
}

const findHeader = (row: CsvRow, names: ReadonlyArray<string>): Header | undefined => {
  if (listMissing(row, names).length > 0) return undefined
  const cells = listNames(row)
  const known = new Map(cells.map((cell, at) => [cell, at] as const).toReversed())
  const placesOf = (name: string) => cells.flatMap((cell, at) => (cell === name ? [at] : []))
  const repeated = new Map(
    names.map((name) => [name, placesOf(name.trim())] as const).filter(([, places]) => places.length > 1)
  )
  return new Header(known, cells.length, cells.findLastIndex((cell) => cell !== "") + 1, row.number, repeated)
}

interface Booked {
  readonly line: BankStatementLine
  readonly units: Units
  readonly balance: Units | undefined
  readonly row: CsvRow
}

/** What the rows are read with. */
interface Context {
  readonly mapping: CsvMapping
  readonly account: CsvAccount
  readonly header: Header
}

/** Whether a row has the text by which a mapping recognises rows of a sort. */
const matchesRow = ({ header }: Context, row: CsvRow, { column, text }: CsvRows): boolean =>
  header.cell(row, column) === text.trim()

const readAmount = (
  { account, header, mapping }: Context,
  row: CsvRow,
  column: CsvColumn | undefined
): CellAmount | undefined => {
  const cell = header.cell(row, column)
  if (column === undefined || cell === "") return undefined
  const amount = parseCellAmount(cell, mapping, account.currency)
  if (amount === undefined)
    throw refuseCell(
      row,
      column,
      cell,
      `an amount of ${account.currency} with the decimal sign ${quote(mapping.decimal)}${mapping.thousands ? ` and thousands with ${quote(mapping.thousands)}` : " and no separator of thousands"}`
    )
  return amount
}

const zero: CellAmount = { units: 0n, mark: undefined }

const listAmountColumns = ({ amount, credit, debit }: CsvColumns): ReadonlyArray<CsvColumn> =>
  [amount, credit, debit].filter((column) => column !== undefined)

const readRowAmount = (context: Context, row: CsvRow): Units => {
  const { header, mapping } = context
  const { amount, direction } = mapping.columns
  if (amount === undefined) {
    // The amount from the columns of credits and debits, of which a row fills one.
    const { columns, debits = "positive" } = context.mapping
    const { credit: creditColumn = "", debit: debitColumn = "" } = columns
    const [credit = zero, debit = zero] = [creditColumn, debitColumn].map((column) => readAmount(context, row, column))
    const [cell, text] = [creditColumn, context.header.cell(row, creditColumn)]
    const debitText = context.header.cell(row, debitColumn)
    if (credit.units !== 0n && debit.units !== 0n)
      throw refuseCell(
        row,
        cell,
        text,
        `an amount in ${toColumnName(creditColumn)} or in ${toColumnName(debitColumn)}, not in both`
      )
    if (text === "" && debitText === "") throw refuseCell(row, cell, text, "an amount")
    if (credit.units < 0n) throw refuseCell(row, cell, text, "an amount without a minus sign")
    if (debit.mark === "credit") throw refuseCell(row, debitColumn, debitText, "an amount without CR")
    if (debit.units !== 0n && debit.mark === undefined && debit.units < 0n !== (debits === "negative"))
      throw refuseCell(row, debitColumn, debitText, `an amount with${debits === "negative" ? "" : "out"} a minus sign`)
    return credit.units !== 0n ? credit.units : debit.units < 0n ? debit.units : -debit.units
  }
  const found = readAmount(context, row, amount)
  if (found === undefined) throw refuseCell(row, amount, "", "an amount")
  const { mark, units } = found
  if (direction === undefined) return units
  const word = header.cell(row, direction)
  const { credit = [], debit = [] } = mapping.words ?? {}
  const sign = credit.includes(word) ? 1n : debit.includes(word) ? -1n : undefined
  if (sign === undefined) throw refuseCell(row, direction, word, [...credit, ...debit].map(quote).join(", "))
  if (units < 0n && sign === 1n)
    throw refuseCell(row, amount, header.cell(row, amount), "an amount without a minus sign")
  if (mark === "credit" && sign === -1n) throw refuseCell(row, amount, header.cell(row, amount), "an amount without CR")
  return sign * (units < 0n ? -units : units)
}

const joinRemittance = ({ header, mapping }: Context, row: CsvRow): string | null => {
  const { remittance = [] } = mapping.columns
  const columns = Array.isArray(remittance) ? (remittance as ReadonlyArray<CsvColumn>) : [remittance as CsvColumn]
  return trimToNull(
    columns
      .map((column) => header.cell(row, column))
      .filter((cell) => cell !== "")
      .join(" ")
  )
}

/** Refuses a row of another account or another currency. */
const checkRowAccount = ({ account, header, mapping }: Context, row: CsvRow): void => {
  const { account: accountColumn, currency: currencyColumn } = mapping.columns
  const currency = header.cell(row, currencyColumn)
  if (currencyColumn !== undefined && !listSigns(account.currency).includes(toPlainSign(currency)))
    throw refuseCell(row, currencyColumn, currency, `the account's currency, ${account.currency}`)
  const number = header.cell(row, accountColumn).replace(/\s/g, "")
  if (accountColumn !== undefined && !account.identifiers.some(({ value }) => value.replace(/\s/g, "") === number))
    throw refuseCell(row, accountColumn, number, "the number of the account")
}

const parts: Readonly<Record<string, string>> = { y: "year", m: "month", d: "day" }

const describeDate = ({ dates }: CsvMapping): string =>
  `a date of the calendar, ${[...dates].map((part) => parts[part]).join(", ")}`

const readDate = ({ header, mapping }: Context, row: CsvRow, column: CsvColumn): string => {
  const date = parseDate(header.cell(row, column), mapping)
  if (date === undefined) throw refuseCell(row, column, header.cell(row, column), describeDate(mapping))
  return date
}

/** Reads the line of a row. `isPending`: it is not booked, and needs no date. */
const readLine = (context: Context, row: CsvRow, isPending: boolean): Booked => {
  const { account, header, mapping } = context
  const { columns } = mapping
  header.check(row)
  checkRowAccount(context, row)
  const isDated = !isPending || header.cell(row, columns.booked_on) !== ""
  const booked_on = isDated ? readDate(context, row, columns.booked_on) : null
  const units = readRowAmount(context, row)
  const text = (column: CsvColumn | undefined) => trimToNull(header.cell(row, column))
  const line: BankStatementLine = {
    booked_on: isPending ? null : booked_on,
    value_on:
      columns.value_on === undefined || text(columns.value_on) === null
        ? null
        : readDate(context, row, columns.value_on),
    direction: units < 0n ? "debit" : "credit",
    amount: formatUnits(units < 0n ? -units : units),
    currency: account.currency,
    bank_reference: readReference(text(columns.bank_reference)),
    end_to_end_id: readReference(text(columns.end_to_end_id)),
    uetr: text(columns.uetr),
    transaction_hash: text(columns.transaction_hash),
    counterparty: { name: text(columns.counterparty_name), account: text(columns.counterparty_account) },
    remittance: joinRemittance(context, row),
    code: text(columns.code),
    reversal: false,
    place: toPlace(row.number)
  }
  return { line, units, balance: readAmount(context, row, columns.balance)?.units, row }
}

/** Rows in the order of their bookings. The balances are those before the first and after the last; none without any. */
interface Chain {
  readonly rows: ReadonlyArray<Booked>
  readonly balances: readonly [opening: Units, closing: Units] | undefined
  /** The first row whose balance is not that before it with the amounts since. */
  readonly gap: Booked | undefined
}

/** Follows the balances of rows that are given oldest first. `gap`: the first row whose balance does not follow. */
const chainBalances = (rows: ReadonlyArray<Booked>): Chain => {
  let [net, opening]: [Units, Units | undefined] = [0n, undefined]
  for (const row of rows) {
    net += row.units
    if (row.balance === undefined) continue
    opening ??= row.balance - net
    if (opening + net !== row.balance) return { rows, balances: undefined, gap: row }
  }
  return { rows, balances: opening === undefined ? undefined : [opening, opening + net], gap: undefined }
}

interface Ordered {
  readonly rows: ReadonlyArray<Booked>
  readonly opening: PlacedBalance | null
  readonly closing: PlacedBalance | null
}

/**
 * Chooses between two orders of rows that both fit the balances: by their days, or else the order whose last row has a balance, because
 * banks that write one balance a day write it last. Undefined: nothing decides, and the orders lead to different balances.
 */
const chooseOrder = (oldestFirst: Chain, newestFirst: Chain): Chain | undefined => {
  const [first, last] = [oldestFirst.rows[0]!, oldestFirst.rows.at(-1)!]
  const [begin, end] = [first.line.booked_on!, last.line.booked_on!]
  if (begin !== end) return begin < end ? oldestFirst : newestFirst
  const isSame = [0, 1].every((at) => oldestFirst.balances![at] === newestFirst.balances![at])
  if (isSame) return oldestFirst
  const [isFirst, isLast] = [first.balance !== undefined, last.balance !== undefined]
  return isFirst === isLast ? undefined : isLast ? oldestFirst : newestFirst
}

const makeOrderWarning = ({ row }: Booked): StatementWarning => ({
  code: "no_balances",
  message:
    "The balances after the rows fit the rows in either order, and all are of one day: the statement has no opening and no closing balance, so that nothing holds its lines.",
  place: toPlace(row.number)
})

/** Sorts rows by the balances after them into the order of their bookings, oldest first, and returns both balances. */
const orderByBalances = (context: Context, rows: ReadonlyArray<Booked>, warnings: Array<StatementWarning>): Ordered => {
  const { balance: column = "" } = context.mapping.columns
  const [oldestFirst, newestFirst] = [chainBalances(rows), chainBalances(rows.toReversed())]
  const { gap } = oldestFirst
  if (gap !== undefined && newestFirst.gap !== undefined)
    throw refuseCell(gap.row, column, formatUnits(gap.balance!), "the balance before it and the amounts since")
  const [row] = rows
  if (rows.every(({ balance }) => balance === undefined))
    throw refuseCell(row!.row, column, "", "the balance after the row")
  const chain =
    gap !== undefined
      ? newestFirst
      : newestFirst.gap !== undefined
        ? oldestFirst
        : chooseOrder(oldestFirst, newestFirst)
  if (chain === undefined) {
    warnings.push(makeOrderWarning(row!))
    return { rows, opening: null, closing: null }
  }
  const at = (of: Booked, units: Units): PlacedBalance => ({
    date: of.line.booked_on!,
    units,
    place: toPlace(of.row.number)
  })
  const [opening, closing] = chain.balances!
  return { rows: chain.rows, opening: at(chain.rows[0]!, opening), closing: at(chain.rows.at(-1)!, closing) }
}

/** Reads the amount of a row that has a balance: in the column of balances, else the first cell behind the text that is one. */
const readBalanceRow = (context: Context, row: CsvRow, { column, text }: CsvRows): Units => {
  const { account, header, mapping } = context
  header.checkRepeated(row, [mapping.columns.balance])
  const named = readAmount(context, row, mapping.columns.balance)
  if (named !== undefined) return named.units
  const from = row.cells.findIndex((cell) => cell.trim() === text.trim())
  const units = row.cells
    .slice(from + 1)
    .map((cell) => parseCellAmount(cell, mapping, account.currency)?.units)
    .find((each) => each !== undefined)
  if (units === undefined)
    throw refuseCell(row, column, header.cell(row, column), `the amount of ${quote(text)} in the row`)
  return units
}

/** Collects rows: a preamble, the header, bookings with the rows that continue their text, and rows of balances. */
class Rows {
  readonly booked: Array<Booked> = []
  readonly pending: Array<Booked> = []
  /** The rows that have no date where the mapping does not say what is pending. */
  readonly undated: Array<CsvRow> = []
  /** Where the row right before this one is kept, if the text of its line may go on. */
  private last: Array<Booked> | undefined
  /** By where they are kept: the rows that continue the last of these lines. */
  private readonly behind = new Map<Array<Booked>, Array<CsvRow>>()
  opening: { readonly units: Units; readonly row: CsvRow } | undefined
  closing: { readonly units: Units; readonly row: CsvRow } | undefined
  context: Context | undefined
  private readonly mapping: CsvMapping
  private readonly account: CsvAccount
  private readonly names: ReadonlyArray<string>
  private preamble = 0
  /** The row before the header that has the most of its columns, and those that it has not. */
  private nearest: { readonly row: CsvRow; readonly missing: ReadonlyArray<string> } | undefined

  constructor(mapping: CsvMapping, account: CsvAccount) {
    this.mapping = mapping
    this.account = account
    this.names = listColumns(mapping).filter((column) => typeof column === "string")
    if (mapping.header === false) this.context = { mapping, account, header: Header.byPlaces(mapping) }
  }

  private hasBalance(row: CsvRow): boolean {
    const { mapping } = this
    const blind = {
      mapping,
      account: this.account,
      header: this.context?.header ?? new Header(new Map(), Infinity, 0, 0)
    }
    for (const which of ["opening", "closing"] as const) {
      const rows = mapping[which]
      if (rows === undefined) continue
      const isThis =
        mapping.columns.balance === undefined
          ? row.cells.some((cell) => cell.trim() === rows.text.trim())
          : this.context !== undefined && matchesRow(this.context, row, rows)
      if (!isThis) continue
      if (this[which] !== undefined) throw refuseCell(row, rows.column, rows.text, `one row of the ${which} balance`)
      this[which] = { units: readBalanceRow(blind, row, rows), row }
      return true
    }
    return false
  }

  /**
   * Whether a row continues the text of the one right before it: it has a text, and nothing else that a line has. It may end behind its text,
   * but not before an empty date or amount has ended, without which it may be a booking that is cut off.
   */
  private continues(context: Context, row: CsvRow): boolean {
    const { header, mapping } = context
    const { columns } = mapping
    const isOther = (name: string): boolean => !["account", "currency", "remittance"].includes(name)
    const others = Object.entries(columns as unknown as Record<string, CsvColumn>).filter(([name]) => isOther(name))
    const isFilled = (column: CsvColumn | undefined): boolean => header.cell(row, column) !== ""
    if (joinRemittance(context, row) === null || others.some(([, column]) => isFilled(column))) return false
    const [date, amount] = [[columns.booked_on], listAmountColumns(columns)].map((all) =>
      Math.max(...all.map((each) => header.index(each)))
    )
    header.check(row, Math.min(date!, amount!) + 2)
    if (isFilled(columns.account) || isFilled(columns.currency)) checkRowAccount(context, row)
    return true
  }

  add(row: CsvRow): void {
    const { last } = this
    this.last = undefined
    if (isBlankRow(row) || this.hasBalance(row)) return
    const { account, context, mapping } = this
    if (context === undefined) {
      const header = findHeader(row, this.names)
      if (header !== undefined) this.context = { mapping, account, header }
      else {
        const missing = listMissing(row, this.names)
        if (missing.length < (this.nearest?.missing.length ?? this.names.length)) this.nearest = { row, missing }
        if (++this.preamble > preambleMax) throw this.noHeader()
      }
      return
    }
    const { ignore = [] } = mapping
    if (ignore.some((rows) => matchesRow(context, row, rows))) return
    if (last !== undefined && this.continues(context, row)) {
      const { line, ...booked } = last.pop()!
      const remittance = [line.remittance, joinRemittance(context, row)].filter((text) => text !== null).join(" ")
      last.push({ ...booked, line: { ...line, remittance } })
      this.behind.get(last)!.push(row)
      this.last = last
      return
    }
    const { columns, pending = [] } = mapping
    const isEmptyIn = (column: CsvColumn | undefined): boolean => context.header.cell(row, column) === ""
    const isUndated =
      pending.length === 0 &&
      isEmptyIn(columns.booked_on) &&
      isEmptyIn(columns.balance) &&
      !listAmountColumns(columns).every(isEmptyIn)
    const isPending = isUndated || pending.some((rows) => matchesRow(context, row, rows))
    const found = readLine(context, row, isPending)
    if (isUndated) this.undated.push(row)
    checkLines(this.booked.length + this.pending.length + 1, toPlace(row.number))
    this.last = isPending ? this.pending : this.booked
    this.last.push(found)
    this.behind.set(this.last, [])
  }

  /**
   * Warns of rows that continue the last of the bookings, or the last that is pending: the foot of a file, or the heading of what is pending,
   * looks the same.
   */
  warnOfLastTexts(context: Context): ReadonlyArray<StatementWarning> {
    const all = [...this.behind.values()].flat().toSorted((a, b) => a.number - b.number)
    const [first] = all
    if (first === undefined) return []
    const stand = all.length === 1 ? "A row stands" : `${all.length} rows stand`
    const message = `${stand} behind the last booking with nothing but a text, ${quote(joinRemittance(context, first))}: taken for the rest of its text. Name what is none under \`ignore\`.`
    return [{ code: "assumed_text", message, place: toPlace(first.number) }]
  }

  noHeader(): UnreadableStatement {
    const { nearest } = this
    return new UnreadableStatement(
      toPlace(nearest?.row.number ?? 1),
      `no header row${nearest === undefined ? "" : `: this one has no ${nearest.missing.map(quote).join(", ")}`}`,
      `a row with the columns ${this.names.map(quote).join(", ")}`
    )
  }
}

/**
 * Checks that rows without a date stand before or after all booked rows. Between these, they may be booked on the day named above them,
 * which no mapping states.
 */
const checkUndatedRows = ({ booked, undated }: Rows, mapping: CsvMapping): void => {
  const [first, last] = [booked[0]?.row.number ?? 0, booked.at(-1)?.row.number ?? 0]
  const among = undated.find(({ number }) => number > first && number < last)
  if (among !== undefined) throw refuseCell(among, mapping.columns.booked_on, "", describeDate(mapping))
}

const toStatement = (rows: Rows, mapping: CsvMapping, account: CsvAccount): BankStatement => {
  const { booked, closing: end, context, opening: begin, pending, undated } = rows
  if (context === undefined) throw rows.noHeader()
  for (const [name, row] of [["opening", begin] as const, ["closing", end] as const])
    if (mapping[name] !== undefined && row === undefined)
      throw new UnreadableStatement(
        "the file",
        `no row of the ${name} balance`,
        `a row with ${quote(mapping[name].text)}`
      )
  checkUndatedRows(rows, mapping)
  const isRunning = mapping.columns.balance !== undefined && booked.length > 0
  const warnings: Array<StatementWarning> =
    undated.length === 0
      ? []
      : [
          {
            code: "assumed_pending",
            message: `${undated.length === 1 ? "A row has" : `${undated.length} rows have`} no date: taken for pending, which no balance has.`,
            place: toPlace(undated[0]!.number)
          }
        ]
  warnings.push(...rows.warnOfLastTexts(context))
  const ordered: Ordered = isRunning
    ? orderByBalances(context, booked, warnings)
    : { rows: booked, opening: null, closing: null }
  const lines = ordered.rows.map(({ line }) => line)
  const days = lines.map(({ booked_on }) => booked_on!).toSorted()
  const [from = null, to = null] = [days[0], days.at(-1)]
  const given = (found: typeof begin, day: string | null): PlacedBalance | null => {
    if (found === undefined) return null
    const date = parseDate(context.header.cell(found.row, mapping.columns.booked_on), mapping) ?? day
    return { date: date ?? "", units: found.units, place: toPlace(found.row.number) }
  }
  const [opening, closing] = [given(begin, from) ?? ordered.opening, given(end, to) ?? ordered.closing]
  return completeStatement({
    format: "csv",
    message_id: null,
    number: null,
    account: { ...account, bank: null },
    currency: account.currency,
    from: null,
    to: null,
    made_at: null,
    opening,
    closing,
    net: booked.reduce((sum, { units }) => sum + units, 0n),
    lines,
    pending: pending.map(({ line }) => line),
    warnings,
    place: "line 1",
    saysEmpty: false
  })
}

/** Reads the statement of a CSV by a mapping. Errors: `UnreadableStatement`. */
export function* readCsv(
  bytes: Uint8Array,
  mapping: CsvMapping,
  account: CsvAccount
): Generator<void, ReadonlyArray<BankStatement>> {
  const rows = new Rows(mapping, account)
  for (const row of readCsvRows(decodeText(bytes, mapping.encoding), mapping.separator)) {
    if (row === undefined) yield
    else rows.add(row)
  }
  return [toStatement(rows, mapping, account)]
}
