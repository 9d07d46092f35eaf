/**
 * Reads camt.052, camt.053 and camt.054 of ISO 20022, versions 01 to 13. Elements are kept for one entry and one transaction at a time.
 * Entities of a file's own and document types are refused (STATEMENT-3).
 */
import { SaxesParser } from "saxes"
import { checkLines, checkStatements } from "../bounds.ts"
import { findPreviousDay } from "../date.ts"
import type { Units } from "../decimal.ts"
import {
  type BankStatement,
  type BankStatementLine,
  type StatementFormat,
  type StatementWarning,
  UnreadableStatement
} from "../statement.ts"
import { makeDecoder, detectEncoding, quote } from "../text.ts"
import { type PlacedBalance, isSameAccount, joinPages, applySign, completeStatement } from "../whole.ts"
import {
  findElement,
  checkOnce,
  listChildren,
  type Element,
  describePlace,
  makeElementError,
  countElements,
  readTextAt
} from "./element.ts"
import { readEntryLines, refuseStatus, readEntryStatus, type Transaction, readTransaction } from "./entry.ts"
import { checkTotals, noEntries, addEntrySums, type EntrySums, toEntrySums } from "./totals.ts"
import {
  readAmount,
  currencyPattern,
  readDate,
  readDirection,
  readFlag,
  readIdentifier,
  readInstant,
  isMidnight
} from "./values.ts"

const namespacePattern = /\bcamt\.(052|053|054)\.001\.(\d\d)$/
const lastVersion = 13

interface Message {
  readonly format: StatementFormat
  /** What the message is called below `Document`, and what a statement is called below that. */
  readonly root: string
  readonly statement: string
  readonly page: string
}

const messages: Readonly<Record<string, Message>> = {
  "052": { format: "camt.052", root: "BkToCstmrAcctRpt", statement: "Rpt", page: "RptPgntn" },
  "053": { format: "camt.053", root: "BkToCstmrStmt", statement: "Stmt", page: "StmtPgntn" },
  "054": { format: "camt.054", root: "BkToCstmrDbtCdtNtfctn", statement: "Ntfctn", page: "NtfctnPgntn" }
}

const takenNamespaces = `a Document of camt.052, camt.053 or camt.054, versions 01 to ${lastVersion}`

/** A statement while it is read. */
interface Open {
  readonly element: Element
  readonly lines: Array<BankStatementLine>
  readonly pending: Array<BankStatementLine>
  readonly warnings: Array<StatementWarning>
  net: Units
  currency: string | null
  own: ReadonlySet<string> | undefined
  entrySums: EntrySums
  /** The first entry without a status. */
  unsaid: Element | undefined
}

/** Starts to collect a statement, at its element. */
const startStatement = (element: Element): Open => ({
  element,
  lines: [],
  pending: [],
  warnings: [],
  net: 0n,
  currency: null,
  own: undefined,
  entrySums: noEntries,
  unsaid: undefined
})

/** Lists the balances of a type. Only the types of booked balances are read: the others may be in any currency. */
const listBalancesOfType = (statement: Element, type: string): ReadonlyArray<Element> =>
  listChildren(statement, "Bal").filter(
    (balance) => readTextAt(balance, "Tp/CdOrPrtry/Cd", "Tp/CdOrPrtry/Prtry", "Tp/Cd") === type
  )

const bookedTypes = ["OPBD", "PRCD", "CLBD", "ITBD"]

const readCurrency = (statement: Element): string | null => {
  const named = findElement(statement, "Acct/Ccy")
  if (named !== undefined) {
    const text = named.text.trim()
    if (!currencyPattern.test(text)) throw makeElementError(named, "", "a currency of three capitals")
    return text
  }
  const [balance] = bookedTypes.flatMap((type) => listBalancesOfType(statement, type))
  return balance === undefined ? null : readAmount(balance, "Amt").currency
}

/** Whether a balance says on which side it is. */
const hasSign = (balance: Element): boolean => findElement(balance, "CdtDbtInd") !== undefined

interface Balances {
  readonly opening: PlacedBalance | null
  readonly closing: PlacedBalance | null
  /** The closing balance of a report within the day, which may have only the entries since the report before it. */
  readonly isInterim: boolean
}

const readBalances = (statement: Element, currency: string): Balances => {
  const of = (type: string) =>
    listBalancesOfType(statement, type).map((balance) => {
      checkOnce(balance, "Amt", "CdtDbtInd")
      const amount = readAmount(balance, "Amt")
      if (amount.currency !== currency)
        throw new UnreadableStatement(
          describePlace(amount.element),
          `a balance in ${amount.currency}`,
          `the statement's currency, ${currency}`
        )
      const date = readDate(balance, "Dt/Dt", "Dt/DtTm", "Dt")
      if (date === null) throw makeElementError(balance, "Dt", "a date")
      const direction = hasSign(balance) ? readDirection(balance) : "credit"
      return { date, units: applySign(direction, amount.units), place: describePlace(balance) }
    })
  const [openings, closings, interims] = [[...of("OPBD"), ...of("PRCD")], of("CLBD"), of("ITBD")]
  // A page of several begins or ends with an interim balance.
  const opening = openings[0] ?? (closings.length > 0 || interims.length > 1 ? interims.shift() : undefined)
  const interim = closings.length === 0 ? interims.at(-1) : undefined
  const closing = closings.at(-1) ?? interim
  return { opening: opening ?? null, closing: closing ?? null, isInterim: interim !== undefined }
}

/** The days that a statement names. `moved`: the day at whose begin it ends, which is none of them. */
interface Period {
  readonly from: string | null
  readonly to: string | null
  readonly moved: string | null
}

/**
 * Reads the days that a statement covers.
 *
 * A period that ends at midnight ends with the day before: the next one begins there. Of banks that write every date so, the begin is the
 * same day, or something else is of the day: an entry, or a balance at another time of it.
 */
const readPeriod = ({ element, lines }: Pick<Open, "element" | "lines">): Period => {
  const [from, to] = [
    readDate(element, "FrToDt/FrDtTm", "FrToDt/FrDt"),
    readDate(element, "FrToDt/ToDtTm", "FrToDt/ToDt")
  ]
  const end = findElement(element, "FrToDt/ToDtTm")
  const isOfDay = (balance: Element): boolean => {
    const time = findElement(balance, "Dt/DtTm")
    return readDate(balance, "Dt/Dt", "Dt/DtTm", "Dt") === to && (time === undefined || !isMidnight(time))
  }
  const isBefore =
    end !== undefined &&
    isMidnight(end) &&
    from !== null &&
    from < to! &&
    !listBalancesOfType(element, "CLBD").some(isOfDay) &&
    !lines.some(({ booked_on }) => booked_on === to)
  return isBefore ? { from, to: findPreviousDay(to!), moved: to } : { from, to, moved: null }
}

/**
 * Lists the warning about a balance without a sign. Some banks leave out the status of entries and the sign of balances: two balances that
 * fit together prove that the entries are booked, and that neither balance is below zero if anything was booked. Errors:
 * `UnreadableStatement` without two such balances.
 */
const listAssumptions = ({ element, unsaid }: Open, isHeld: boolean): ReadonlyArray<StatementWarning> => {
  if (unsaid !== undefined && !isHeld) throw refuseStatus(unsaid)
  const unsigned = bookedTypes.flatMap((type) => listBalancesOfType(element, type)).find((each) => !hasSign(each))
  if (unsigned === undefined) return []
  if (!isHeld) readDirection(unsigned)
  const message = "A balance does not say on which side it is: it is taken for a credit."
  return [{ code: "assumed_direction", message, place: describePlace(unsigned) }]
}

/** What a message says of all its statements. */
interface GroupHeader {
  readonly message_id: string | null
  readonly made_at: string | null
}

const finishStatement = (open: Open, { made_at, message_id }: GroupHeader, message: Message): BankStatement => {
  const { element, lines, net, pending, warnings } = open
  const account = readIdentifier(findElement(element, "Acct"))
  if (account === null) throw makeElementError(element, "Acct/Id", "the number of the account")
  const currency = open.currency ?? readCurrency(element)
  if (currency === null) throw makeElementError(element, "Acct/Ccy", "a currency of three capitals")
  const all = readBalances(element, currency)
  const { opening } = all
  const isPartial =
    message.format === "camt.052" &&
    all.isInterim &&
    opening !== null &&
    all.closing !== null &&
    opening.units + net !== all.closing.units
  const { from, moved, to } = readPeriod(open)
  const last = all.closing !== null && all.closing.date === moved ? { ...all.closing, date: to! } : all.closing
  const closing = isPartial ? null : last
  return completeStatement({
    format: message.format,
    message_id,
    number: readTextAt(element, "ElctrncSeqNb", "LglSeqNb"),
    account: {
      identifiers: [account],
      currency: readTextAt(element, "Acct/Ccy"),
      bank: readTextAt(
        element,
        "Acct/Svcr/FinInstnId/BICFI",
        "Acct/Svcr/FinInstnId/BIC",
        "Acct/Svcr/FinInstnId/ClrSysMmbId/MmbId",
        "Acct/Svcr/FinInstnId/CmbndId/BIC"
      )
    },
    currency,
    from,
    to: to ?? last?.date ?? null,
    made_at: readInstant(element, "CreDtTm") ?? made_at,
    opening,
    closing,
    net,
    lines,
    pending,
    warnings: [...warnings, ...listAssumptions(open, opening !== null && closing !== null)],
    place: describePlace(element),
    saysEmpty:
      readTextAt(element, "TxsSummry/TtlNtries/NbOfNtries") === "0" ||
      (message.format === "camt.052" && findElement(element, "Bal") !== undefined)
  })
}

const addEntry = (open: Open, entry: Element, transactions: ReadonlyArray<Transaction>): void => {
  const { element } = open
  const named = open.currency ?? readCurrency(element)
  if (named === null) {
    const message = "The file names no currency for the account: it is taken from the entries."
    open.warnings.push({ code: "assumed_currency", message, place: describePlace(element) })
  }
  open.currency = named ?? readAmount(entry, "Amt").currency
  if (readEntryStatus(entry) === null) open.unsaid ??= entry
  open.own ??= new Set([readIdentifier(findElement(element, "Acct"))?.value ?? ""])
  const { direction, isBooked, lines, units, warnings } = readEntryLines(entry, transactions, {
    currency: open.currency,
    own: open.own,
    // Where an entry without a day is booked: at the end of the statement, else when that was made.
    fallback: () =>
      readPeriod({ element, lines: [] }).to ??
      listBalancesOfType(element, "CLBD").map((balance) => readDate(balance, "Dt/Dt", "Dt/DtTm", "Dt"))[0] ??
      readDate(element, "CreDtTm")
  })
  const to = isBooked ? open.lines : open.pending
  for (const line of lines) to.push(line)
  open.warnings.push(...warnings)
  if (isBooked) open.net += applySign(direction, units)
  open.entrySums = addEntrySums(open.entrySums, toEntrySums(direction, units, lines.length, isBooked))
}

/** The number of elements within another, at most: a valid message has some twenty. */
const depthMax = 100

/** The most elements that are kept at once: those of a statement without its entries, of an entry without its transactions, and of one. */
const elementsMax = 100_000

/** The most attributes of an element: those of a valid message have one or two. */
const attributesMax = 1000

/** The longest name of an element, in characters: those of a valid message have some twenty. */
const nameMax = 100

/** Builds statements from the events of the parser. */
class Builder {
  readonly statements: Array<BankStatement> = []
  /** The first element of the file, which may wrap the document. */
  root: { readonly name: string; readonly namespace: string } | undefined
  private readonly stack: Array<Element> = []
  /** How many elements are open, those around the document included. */
  private depth = 0
  /** How many elements are kept, those of pages apart. */
  private elements = 0
  private pageElements = 0
  private attributes = 0
  /** How many lines the file has so far. */
  private lines = 0
  private message: Message | undefined
  private header: GroupHeader = { message_id: null, made_at: null }
  private open: Open | undefined
  private transactions: Array<Transaction> = []
  /** The pages of the statement whose last page was not read yet. */
  private readonly pages: Array<Open> = []
  /** What says of the last page that was read that another follows. */
  private following: Element | undefined
  /** What says that another message follows this one. */
  private messagePage: Element | undefined

  begin(name: string, namespace: string, currency: string | undefined, line: number): void {
    const { stack } = this
    this.root ??= { name, namespace }
    this.attributes = 0
    if (++this.depth > depthMax)
      throw new UnreadableStatement(`line ${line}`, "elements too deep", `at most ${depthMax} within another`)
    // The place of a line has the names of its elements.
    if (name.length > nameMax)
      throw new UnreadableStatement(
        `line ${line}`,
        `an element ${quote(name)}`,
        `names of at most ${nameMax} characters`
      )
    const parent = stack.at(-1)
    if (parent === undefined) {
      if (name !== "Document") return
      const [, type = "", version = ""] = namespacePattern.exec(namespace) ?? []
      const message = messages[type]
      if (message === undefined || Number(version) < 1 || Number(version) > lastVersion)
        throw new UnreadableStatement(`Document, line ${line}`, `the namespace ${quote(namespace)}`, takenNamespaces)
      this.message = message
    }
    const before = this.elements
    if (++this.elements + this.pageElements > elementsMax)
      throw new UnreadableStatement(
        `line ${line}`,
        "too many elements",
        `at most ${elementsMax} in a statement, one entry and one transaction of it`
      )
    const counts = parent?.counts
    const position = (counts?.get(name) ?? 0) + 1
    counts?.set(name, position)
    const element: Element = {
      name,
      currency,
      parent,
      position,
      line,
      before,
      text: "",
      children: [],
      counts: new Map()
    }
    if (stack.length === 1) this.checkRoot(element)
    if (stack.length === 2 && name === this.message?.statement) {
      checkStatements(this.statements.length + 1, `line ${line}`)
      this.open = startStatement(element)
    }
    stack.push(element)
  }

  private checkRoot(element: Element): void {
    const { root = "" } = this.message ?? {}
    if (element.name.replace(/V\d\d$/, "") !== root)
      throw new UnreadableStatement(describePlace(element), `<${element.name}>`, `<${root}>, which the namespace names`)
  }

  attribute(line: number): void {
    if (++this.attributes > attributesMax)
      throw new UnreadableStatement(`line ${line}`, "too many attributes", `at most ${attributesMax} of an element`)
  }

  text(text: string): void {
    const element = this.stack.at(-1)
    if (element !== undefined) element.text += text
  }

  end(): void {
    const { message, open, stack } = this
    this.depth--
    const element = stack.pop()
    if (element === undefined || message === undefined) return
    const { before, name, parent } = element
    const depth = stack.length
    // What is kept goes on to count; all else is dropped here.
    const kept = this.elements
    this.elements = before
    if (depth === 2 && name === "GrpHdr") {
      this.header = { message_id: readTextAt(element, "MsgId"), made_at: readInstant(element, "CreDtTm") }
      this.messagePage = readFlag(element, "MsgPgntn/LastPgInd")
        ? undefined
        : findElement(element, "MsgPgntn/LastPgInd")
    } else if (depth === 2 && open?.element === element) {
      this.endStatement(open, message)
      // Pages are kept until the last of their statement, with what they say of its entries.
      this.pageElements = this.pages.length === 0 ? 0 : this.pageElements + countElements(element)
    } else if (name === "TxDtls" && (depth === 5 || (depth === 4 && parent?.name === "Ntry"))) {
      // Version 01 has no `NtryDtls` around them.
      this.transactions.push(readTransaction(element))
      checkLines(++this.lines, `line ${element.line}`)
    } else if (depth === 3 && name === "Ntry" && open !== undefined) {
      addEntry(open, element, this.transactions)
      if (this.transactions.length === 0) checkLines(++this.lines, `line ${element.line}`)
      this.transactions = []
    } else if (depth > 2 && name !== "NtryDtls") {
      parent?.children.push(element)
      this.elements = kept
    }
  }

  /**
   * Pages that are not the last, and the one after them, are one statement. Errors: `UnreadableStatement` for a page without those before
   * it, or after it.
   */
  private endStatement(open: Open, message: Message): void {
    const { element } = open
    const { pages, statements } = this
    const statement = finishStatement(open, this.header, message)
    const before = pages.length === 0 ? undefined : statements.at(-1)
    if (before === undefined) {
      const number = readTextAt(element, `${message.page}/PgNb`) ?? "1"
      if (Number(number) > 1)
        throw makeElementError(element, `${message.page}/PgNb`, "1: the pages before it in this file")
      statements.push(statement)
    } else {
      const isNext = before.number === null || statement.number === null || before.number === statement.number
      if (!isSameAccount(before, statement) || !isNext) this.checkLast()
      statements.splice(-1, 1, joinPages(before, statement, describePlace(element)))
    }
    pages.push(open)
    const last = `${message.page}/LastPgInd`
    const isLast = readTextAt(element, last) === null || readFlag(element, last)
    // Whether a statement ends with an interim balance. Where another message follows, it goes on there: version 02
    // says it nowhere else.
    this.following = isLast
      ? message.format === "camt.053" &&
        listBalancesOfType(element, "ITBD").length > 0 &&
        listBalancesOfType(element, "CLBD").length === 0
        ? this.messagePage
        : undefined
      : findElement(element, last)
    if (isLast) this.endPages()
    else element.children.splice(0, Infinity, ...listChildren(element, "TxsSummry"))
    this.open = undefined
  }

  private endPages(): void {
    const { pages, statements } = this
    const last = statements.pop()!
    const isHeld = last.opening_balance !== null && last.closing_balance !== null
    const whole = pages.reduce((entrySums, page) => addEntrySums(entrySums, page.entrySums), noEntries)
    const warnings = pages.flatMap(({ element, entrySums }) =>
      checkTotals(element, pages.length === 1 ? [entrySums] : [entrySums, whole], isHeld)
    )
    statements.push({ ...last, warnings: [...last.warnings, ...warnings] })
    pages.length = 0
  }

  /** Errors: `UnreadableStatement` where the last page that was read says that another follows. */
  checkLast(): void {
    if (this.following !== undefined)
      throw makeElementError(this.following, "", "true: all pages of the statement in this file")
  }
}

const findEncoding = (bytes: Uint8Array): string => {
  const marked = detectEncoding(bytes)
  if (marked !== undefined) return marked
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 200))
  const named = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1] ?? "utf-8"
  // In UTF-16, its name has two bytes for each letter: some programs write it above text in UTF-8.
  if (/^utf-?16/i.test(named))
    throw new UnreadableStatement(
      "line 1",
      `the encoding ${quote(named)} above text that is not`,
      "the text's own encoding"
    )
  return named
}

const stepBytes = 256 * 1024

/** Reads all statements of a camt file. Errors: `UnreadableStatement`. */
export function* readCamt(bytes: Uint8Array): Generator<void, ReadonlyArray<BankStatement>> {
  const builder = new Builder()
  const parser = new SaxesParser({ xmlns: true })
  parser.on("doctype", () => {
    throw new UnreadableStatement(`line ${parser.line}`, "a document type (DOCTYPE)", "a file without one")
  })
  parser.on("error", ({ message }) => {
    const reason = message.replace(/^(?:[^:]*:)?\d+:\d+: /, "")
    throw new UnreadableStatement(
      `line ${parser.line}`,
      `XML that is not well-formed (${reason})`,
      "well-formed XML without entities of its own"
    )
  })
  parser.on("attribute", () => builder.attribute(parser.line))
  parser.on("opentag", ({ attributes, local, uri }) => builder.begin(local, uri, attributes["Ccy"]?.value, parser.line))
  parser.on("text", (text) => builder.text(text))
  parser.on("cdata", (text) => builder.text(text))
  parser.on("closetag", () => builder.end())
  const encoding = findEncoding(bytes)
  const decoder = makeDecoder(encoding)
  const decode = (part?: Uint8Array): string => {
    try {
      return part === undefined ? decoder.decode() : decoder.decode(part, { stream: true })
    } catch {
      throw new UnreadableStatement(`line ${parser.line}`, `bytes that are not ${encoding}`, `text in ${encoding}`)
    }
  }
  for (let from = 0; from < bytes.length; from += stepBytes) {
    const text = decode(bytes.subarray(from, from + stepBytes))
    // Nothing may stand before the XML declaration; some banks begin with an empty line.
    parser.write(from === 0 ? text.trimStart() : text)
    yield
  }
  parser.write(decode())
  parser.close()
  builder.checkLast()
  const { root, statements } = builder
  if (statements.length === 0) {
    if (root?.name === "Document" && namespacePattern.test(root.namespace))
      throw new UnreadableStatement("Document, line 1", "no statement", "at least one")
    throw new UnreadableStatement(
      "line 1",
      `<${root?.name ?? ""}> of the namespace ${quote(root?.namespace)}`,
      takenNamespaces
    )
  }
  return statements
}
