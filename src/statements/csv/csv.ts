/** Reads the CSV of a bank by a mapping (STATEMENT-8). */
import { CsvError, parse } from "csv-parse/sync"
import { checkLines, checkRecord, recordMax } from "../bounds.ts"
import { textOf, type Units } from "../decimal.ts"
import { unescapeFormula } from "../formulas.ts"
import { type BankStatement, type BankStatementLine, type StatementWarning, UnreadableStatement } from "../statement.ts"
import { lineAt, referenceOf, shown, textIn, trimmed } from "../text.ts"
import { type PlacedBalance, whole } from "../whole.ts"
import { columnName, type CsvRow, dateIn, refusedCell, signedAmount } from "./cells.ts"
import type { CsvAccount, CsvColumn, CsvMapping, CsvRows } from "./mapping.ts"

/** How many rows may stand above the header. */
const preambleMax = 200
const stepCharacters = 512 * 1024

const breaksIn = (text: string): number => text.match(/\r\n|\n|\r/g)?.length ?? 0

interface ParsedRow {
  readonly record: ReadonlyArray<string>
  readonly info: { readonly lines: number }
}

const parsed = (text: string, { separator }: CsvMapping, before: number): ReadonlyArray<CsvRow> => {
  try {
    const rows = parse(text, {
      delimiter: separator,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      record_delimiter: ["\r\n", "\n", "\r"]
    }) as unknown as ReadonlyArray<ParsedRow>
    return rows.map(({ info, record }) => ({ cells: record.map(unescapeFormula), number: before + info.lines }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const line = before + Number((error as { readonly lines?: unknown }).lines ?? 1)
    throw new UnreadableStatement(
      lineAt(line),
      `a row that is no CSV (${error.message})`,
      "cells in double quotes where they have quotes"
    )
  }
}

/** Pieces of the text that end with a row: a line break that is in no quotes. Errors: `UnreadableStatement` for a row that is too long. */
function* piecesOf(text: string, mapping: CsvMapping): Generator<string> {
  let from = 0
  let isQuoted = false
  for (let at = 0, end = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34) isQuoted = !isQuoted
    else if (!isQuoted && (code === 10 || (code === 13 && text.charCodeAt(at + 1) !== 10))) {
      end = at + 1
      if (end - from >= stepCharacters) {
        yield text.slice(from, end)
        from = end
      }
    }
    if (at - end > recordMax) {
      // The parser names a quote that makes it so long.
      parsed(text.slice(from, at), mapping, breaksIn(text.slice(0, from)))
      checkRecord("a row", at - end, lineAt(breaksIn(text.slice(0, end)) + 1))
    }
  }
  if (from < text.length) yield text.slice(from)
}

function* rowsOf(text: string, mapping: CsvMapping): Generator<CsvRow | undefined> {
  let before = 0
  for (const piece of piecesOf(text, mapping)) {
    yield* parsed(piece, mapping, before)
    before += breaksIn(piece)
    yield undefined
  }
}

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
    return new Header(new Map(), Infinity, Math.max(...columnsOf(mapping).map(Number)), 0)
  }

  index(column: CsvColumn): number {
    return typeof column === "number" ? column - 1 : (this.names.get(column.trim()) ?? -1)
  }

  cell({ cells }: CsvRow, column: CsvColumn | undefined): string {
    return column === undefined ? "" : (cells[this.index(column)]?.trim() ?? "")
  }

  /**
   * Refuses a row that has more cells than the header, because a separator without quotes moves what stands behind it, and one that has
   * fewer: it is cut off.
   */
  check({ cells, number }: CsvRow): void {
    if (cells.length < this.least)
      throw new UnreadableStatement(lineAt(number), `a row of ${cells.length} cells`, `${this.least} columns`)
    const more = cells.findIndex((cell, at) => at >= this.width && cell.trim() !== "")
    if (this.position > 0 && more >= 0)
      throw new UnreadableStatement(
        lineAt(number),
        `a cell ${shown(cells[more])} behind the last column`,
        `${this.width} columns, as in the header`
      )
    this.checkRepeated({ cells, number }, this.repeated.keys())
  }

  /** Refuses a row whose cells differ in the columns of one of the names. */
  checkRepeated({ cells, number }: CsvRow, names: Iterable<CsvColumn | undefined>): void {
    for (const name of names) {
      const places = typeof name === "string" ? (this.repeated.get(name) ?? []) : []
      const [first = "", ...others] = places.map((at) => cells[at]?.trim() ?? "")
      const other = others.find((cell) => cell !== first)
      if (other !== undefined)
        throw new UnreadableStatement(
          `${lineAt(number)}, ${columnName(name!)}`,
          `${shown(first)} and ${shown(other)}, as the header has the name twice`,
          "the same in both, or a mapping that has the column by its place"
        )
    }
  }
}

const columnsOf = ({ closing, columns, ignore = [], opening, pending = [] }: CsvMapping): ReadonlyArray<CsvColumn> => [
  ...Object.values(columns as unknown as Record<string, CsvColumn | ReadonlyArray<CsvColumn> | undefined>)
    .flat()
    .filter((column) => column !== undefined),
  ...[...ignore, ...pending].map(({ column }) => column),
  // The rows of balances may stand above the header, where no column has a name.
  ...[opening, closing].flatMap((rows) => (rows === undefined || columns.balance === undefined ? [] : [rows.column]))
]

const namesIn = ({ cells }: CsvRow): ReadonlyArray<string> => cells.map((cell) => cell.replace(/^\ufeff/, "").trim())

const missingIn = (row: CsvRow, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const cells = namesIn(row)
  return names.filter((name) => !cells.includes(name.trim()))
}

const headerIn = (row: CsvRow, names: ReadonlyArray<string>): Header | undefined => {
  if (missingIn(row, names).length > 0) return undefined
  const cells = namesIn(row)
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

const isRow = ({ header }: Context, row: CsvRow, { column, text }: CsvRows): boolean =>
  header.cell(row, column) === text.trim()

const filledAmount = ({ header, mapping }: Context, row: CsvRow, column: CsvColumn | undefined): Units | undefined => {
  const cell = header.cell(row, column)
  if (column === undefined || cell === "") return undefined
  const units = signedAmount(cell, mapping)
  if (units === undefined)
    throw refusedCell(
      row,
      column,
      cell,
      `an amount with the decimal sign ${shown(mapping.decimal)}${mapping.thousands ? ` and thousands with ${shown(mapping.thousands)}` : " and no separator of thousands"}`
    )
  return units
}

/** The amount from the columns of credits and debits, of which a row fills one. */
const fromTwoColumns = (context: Context, row: CsvRow): Units => {
  const { columns, debits = "positive" } = context.mapping
  const { credit: creditColumn = "", debit: debitColumn = "" } = columns
  const [credit = 0n, debit = 0n] = [filledAmount(context, row, creditColumn), filledAmount(context, row, debitColumn)]
  const [cell, text] = [creditColumn, context.header.cell(row, creditColumn)]
  if (credit !== 0n && debit !== 0n)
    throw refusedCell(
      row,
      cell,
      text,
      `an amount in ${columnName(creditColumn)} or in ${columnName(debitColumn)}, not in both`
    )
  if (text === "" && context.header.cell(row, debitColumn) === "") throw refusedCell(row, cell, text, "an amount")
  if (credit < 0n) throw refusedCell(row, cell, text, "an amount without a minus sign")
  if (debit !== 0n && debit < 0n !== (debits === "negative"))
    throw refusedCell(
      row,
      debitColumn,
      context.header.cell(row, debitColumn),
      `an amount with${debits === "negative" ? "" : "out"} a minus sign`
    )
  return credit !== 0n ? credit : debit < 0n ? debit : -debit
}

const amountIn = (context: Context, row: CsvRow): Units => {
  const { header, mapping } = context
  const { amount, direction } = mapping.columns
  if (amount === undefined) return fromTwoColumns(context, row)
  const units = filledAmount(context, row, amount)
  if (units === undefined) throw refusedCell(row, amount, "", "an amount")
  if (direction === undefined) return units
  const word = header.cell(row, direction)
  const { credit = [], debit = [] } = mapping.words ?? {}
  const sign = credit.includes(word) ? 1n : debit.includes(word) ? -1n : undefined
  if (sign === undefined) throw refusedCell(row, direction, word, [...credit, ...debit].map(shown).join(", "))
  if (units < 0n && sign === 1n)
    throw refusedCell(row, amount, header.cell(row, amount), "an amount without a minus sign")
  return sign * (units < 0n ? -units : units)
}

const remittanceIn = ({ header, mapping }: Context, row: CsvRow): string | null => {
  const { remittance = [] } = mapping.columns
  const columns = Array.isArray(remittance) ? (remittance as ReadonlyArray<CsvColumn>) : [remittance as CsvColumn]
  return trimmed(
    columns
      .map((column) => header.cell(row, column))
      .filter((cell) => cell !== "")
      .join(" ")
  )
}

const checkOwn = ({ account, header, mapping }: Context, row: CsvRow): void => {
  const { account: accountColumn, currency: currencyColumn } = mapping.columns
  const currency = header.cell(row, currencyColumn)
  if (currencyColumn !== undefined && currency !== account.currency)
    throw refusedCell(row, currencyColumn, currency, `the account's currency, ${account.currency}`)
  const number = header.cell(row, accountColumn).replace(/\s/g, "")
  if (accountColumn !== undefined && !account.identifiers.some(({ value }) => value.replace(/\s/g, "") === number))
    throw refusedCell(row, accountColumn, number, "the number of the account")
}

const lineIn = (context: Context, row: CsvRow): Booked => {
  const { account, header, mapping } = context
  const { columns } = mapping
  header.check(row)
  checkOwn(context, row)
  const dateAt = (column: CsvColumn): string => {
    const date = dateIn(header.cell(row, column), mapping)
    if (date === undefined)
      throw refusedCell(
        row,
        column,
        header.cell(row, column),
        `a date of the calendar, ${mapping.dates
          .split("")
          .map((part) => ({ y: "year", m: "month", d: "day" })[part])
          .join(", ")}`
      )
    return date
  }
  const booked_on = dateAt(columns.booked_on)
  const units = amountIn(context, row)
  const text = (column: CsvColumn | undefined) => trimmed(header.cell(row, column))
  const line: BankStatementLine = {
    booked_on,
    value_on: columns.value_on === undefined || text(columns.value_on) === null ? null : dateAt(columns.value_on),
    direction: units < 0n ? "debit" : "credit",
    amount: textOf(units < 0n ? -units : units),
    currency: account.currency,
    bank_reference: referenceOf(text(columns.bank_reference)),
    end_to_end_id: referenceOf(text(columns.end_to_end_id)),
    uetr: text(columns.uetr),
    transaction_hash: text(columns.transaction_hash),
    counterparty: { name: text(columns.counterparty_name), account: text(columns.counterparty_account) },
    remittance: remittanceIn(context, row),
    code: text(columns.code),
    reversal: false,
    place: lineAt(row.number)
  }
  return { line, units, balance: filledAmount(context, row, columns.balance), row }
}

/** Whether each balance is that of the row before it and its own amount. The first that is not, if there is one. */
const firstGap = (rows: ReadonlyArray<Booked>): Booked | undefined =>
  rows.find((row, at) => {
    const before = rows[at - 1]
    return before !== undefined && before.balance! + row.units !== row.balance
  })

interface Ordered {
  readonly rows: ReadonlyArray<Booked>
  readonly opening: PlacedBalance | null
  readonly closing: PlacedBalance | null
}

/** By the balance after each row: the rows in the order in which they were booked, oldest first, and both balances. */
const byBalances = (context: Context, rows: ReadonlyArray<Booked>): Ordered => {
  const { balance: column = "" } = context.mapping.columns
  const none = rows.find(({ balance }) => balance === undefined)
  if (none !== undefined) throw refusedCell(none.row, column, "", "the balance after the row")
  const newestFirst = rows.toReversed()
  const gap = firstGap(rows)
  // A payment and its return have balances that fit in either order: then their days say which it is.
  const isNewestFirst = rows.length > 1 && rows[0]!.line.booked_on! > rows.at(-1)!.line.booked_on!
  const ordered = gap === undefined && !(isNewestFirst && firstGap(newestFirst) === undefined) ? rows : newestFirst
  if (gap !== undefined && firstGap(newestFirst) !== undefined)
    throw refusedCell(
      gap.row,
      column,
      textOf(gap.balance!),
      "the balance of the row before it and the amount of this one"
    )
  const [first, last] = [ordered[0], ordered.at(-1)]
  if (first === undefined || last === undefined) return { rows, opening: null, closing: null }
  const at = (of: Booked, units: Units): PlacedBalance => ({
    date: of.line.booked_on!,
    units,
    place: lineAt(of.row.number)
  })
  return { rows: ordered, opening: at(first, first.balance! - first.units), closing: at(last, last.balance!) }
}

/** The amount of a row that has a balance: in the column of balances, else the first cell behind the text that is one. */
const balanceRow = (context: Context, row: CsvRow, { column, text }: CsvRows): Units => {
  const { header, mapping } = context
  header.checkRepeated(row, [mapping.columns.balance])
  const named = filledAmount(context, row, mapping.columns.balance)
  if (named !== undefined) return named
  const from = row.cells.findIndex((cell) => cell.trim() === text.trim())
  const units = row.cells
    .slice(from + 1)
    .map((cell) => signedAmount(cell, mapping))
    .find((each) => each !== undefined)
  if (units === undefined)
    throw refusedCell(row, column, header.cell(row, column), `the amount of ${shown(text)} in the row`)
  return units
}

/** Collects rows: a preamble, the header, bookings, and rows of balances. */
class Rows {
  readonly booked: Array<Booked> = []
  readonly pending: Array<BankStatementLine> = []
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
    this.names = columnsOf(mapping).filter((column) => typeof column === "string")
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
          : this.context !== undefined && isRow(this.context, row, rows)
      if (!isThis) continue
      if (this[which] !== undefined) throw refusedCell(row, rows.column, rows.text, `one row of the ${which} balance`)
      this[which] = { units: balanceRow(blind, row, rows), row }
      return true
    }
    return false
  }

  add(row: CsvRow): void {
    if (row.cells.every((cell) => cell.trim() === "") || this.hasBalance(row)) return
    const { account, context, mapping } = this
    if (context === undefined) {
      const header = headerIn(row, this.names)
      if (header !== undefined) this.context = { mapping, account, header }
      else {
        const missing = missingIn(row, this.names)
        if (missing.length < (this.nearest?.missing.length ?? this.names.length)) this.nearest = { row, missing }
        if (++this.preamble > preambleMax) throw this.noHeader()
      }
      return
    }
    const { ignore = [], pending = [] } = mapping
    if (ignore.some((rows) => isRow(context, row, rows))) return
    const booked = lineIn(context, row)
    checkLines(this.booked.length + this.pending.length + 1, lineAt(row.number))
    if (pending.some((rows) => isRow(context, row, rows))) this.pending.push({ ...booked.line, booked_on: null })
    else this.booked.push(booked)
  }

  noHeader(): UnreadableStatement {
    const { nearest } = this
    return new UnreadableStatement(
      lineAt(nearest?.row.number ?? 1),
      `no header row${nearest === undefined ? "" : `: this one has no ${nearest.missing.map(shown).join(", ")}`}`,
      `a row with the columns ${this.names.map(shown).join(", ")}`
    )
  }
}

const statementOf = (rows: Rows, mapping: CsvMapping, account: CsvAccount): BankStatement => {
  const { booked, closing: end, context, opening: begin, pending } = rows
  if (context === undefined) throw rows.noHeader()
  for (const [name, row] of [["opening", begin] as const, ["closing", end] as const])
    if (mapping[name] !== undefined && row === undefined)
      throw new UnreadableStatement(
        "the file",
        `no row of the ${name} balance`,
        `a row with ${shown(mapping[name].text)}`
      )
  const isRunning = mapping.columns.balance !== undefined && booked.length > 0
  const ordered: Ordered = isRunning ? byBalances(context, booked) : { rows: booked, opening: null, closing: null }
  const lines = ordered.rows.map(({ line }) => line)
  const days = lines.map(({ booked_on }) => booked_on!).toSorted()
  const [from = null, to = null] = [days[0], days.at(-1)]
  const given = (found: typeof begin, day: string | null): PlacedBalance | null => {
    if (found === undefined) return null
    const date = dateIn(context.header.cell(found.row, mapping.columns.booked_on), mapping) ?? day
    return { date: date ?? "", units: found.units, place: lineAt(found.row.number) }
  }
  const [opening, closing] = [given(begin, from) ?? ordered.opening, given(end, to) ?? ordered.closing]
  const warnings: Array<StatementWarning> = []
  return whole({
    format: "csv",
    message_id: null,
    number: null,
    account: { ...account, bank: null },
    currency: account.currency,
    from: from ?? opening?.date ?? null,
    to: to ?? closing?.date ?? null,
    opening,
    closing,
    net: booked.reduce((sum, { units }) => sum + units, 0n),
    lines,
    pending,
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
  for (const row of rowsOf(textIn(bytes, mapping.encoding), mapping)) {
    if (row === undefined) yield
    else rows.add(row)
  }
  return [statementOf(rows, mapping, account)]
}
