/**
 * Reads MT940 and MT942 of SWIFT, with or without the blocks of the network around them (STATEMENT-6). MT950, which is an MT940
 * without `:86:`, reads as that.
 */
import { checkLines, checkRecord, checkStatements } from "../bounds.ts"
import { type DaySpan, parseInstant } from "../date.ts"
import { formatUnits, type Units, parseDecimal } from "../decimal.ts"
import {
  type AccountIdentifier,
  type BankStatement,
  type BankStatementLine,
  type StatementAccount,
  type StatementWarning,
  UnreadableStatement
} from "../statement.ts"
import { toPlace, splitLines, quote, decodeText, trimToNull, addReferences } from "../text.ts"
import { joinPages, applySign, completeStatement } from "../whole.ts"
import {
  parseBalance,
  parseBooking,
  parseDetails,
  type Field,
  parseFloor,
  type NamedBalance,
  parseTotal
} from "./fields.ts"

/** The tags of a message. Text that a bank wraps can begin a line with a colon and digits: only these are fields. */
const fieldPattern = /^:(20|21|25P?|28C?|60[FM]|61|86|62[FM]|64|65|13D?|34F|90[CD]|NS|9[45][0-2]):(.*)$/s

/** Tags that say nothing that is kept. */
const ignored = new Set(["21", "64", "65", "NS", "940", "941", "942", "950"])

interface Entry {
  readonly field: Field
  /** Several `:86:` of one booking are one text. */
  readonly details: Array<Field>
}

interface Draft940 {
  readonly number: number
  reference: string
  account: Field | undefined
  sequence: Field | undefined
  opening: Field | undefined
  closing: Field | undefined
  made: Field | undefined
  readonly floors: Array<Field>
  readonly totals: Array<Field>
  readonly entries: Array<Entry>
}

const makeDraft = (number: number, reference: string): Draft940 => ({
  number,
  reference,
  account: undefined,
  sequence: undefined,
  opening: undefined,
  closing: undefined,
  made: undefined,
  floors: [],
  totals: [],
  entries: []
})

const readFirstLine = (field: Field | undefined): string => field?.lines[0]?.trim() ?? ""

/** Reads `:25:`: an IBAN, `bank/number` or a number, with the currency behind it at some banks. */
const readAccount = (field: Field, currency: string): StatementAccount => {
  const text = readFirstLine(field).replace(/\s/g, "")
  if (text === "")
    throw new UnreadableStatement(toPlace(field.number), ":25: with nothing", "the number of the account")
  const plain = text.replace(new RegExp(`/?${currency}$`), "")
  const slash = plain.indexOf("/")
  const number = plain.slice(slash + 1)
  const identifiers: Array<AccountIdentifier> = /^[A-Z]{2}\d\d[A-Z0-9]{11,30}$/.test(number)
    ? [{ scheme: "iban", value: number }]
    : slash > 0
      ? [
          { scheme: "bban", value: plain },
          { scheme: "account_number", value: number }
        ]
      : [{ scheme: "account_number", value: number }]
  const bank = slash > 0 ? plain.slice(0, slash) : trimToNull(field.tag === "25P" ? field.lines[1] : null)
  return { identifiers, currency: text === plain ? null : currency, bank }
}

const readLine = (
  { details, field }: Entry,
  currency: string,
  span: DaySpan | undefined
): readonly [BankStatementLine, Units, boolean] => {
  const booking = parseBooking(field, span)
  const { bank_reference, reference, supplement, units } = booking
  const described = parseDetails(details.flatMap((each) => each.lines))
  const end_to_end_id = described.end_to_end_id ?? described.own_reference ?? reference
  const line: BankStatementLine = {
    booked_on: booking.isExpected ? null : booking.booked_on,
    value_on: booking.value_on,
    direction: booking.direction,
    amount: formatUnits(units),
    currency,
    bank_reference,
    end_to_end_id,
    uetr: null,
    transaction_hash: null,
    counterparty: described.counterparty,
    remittance: addReferences(
      described.remittance ?? supplement,
      [described.own_reference, reference, supplement],
      [end_to_end_id, bank_reference]
    ),
    code: trimToNull(booking.code),
    reversal: booking.reversal,
    place: toPlace(field.number)
  }
  return [line, applySign(booking.direction, units), booking.isExpected]
}

const requireCurrency = (balance: NamedBalance, currency: string): NamedBalance => {
  if (balance.currency === null || balance.currency === currency) return balance
  throw new UnreadableStatement(
    balance.place,
    `a balance in ${balance.currency}`,
    `the statement's currency, ${currency}`
  )
}

interface Listed {
  readonly lines: Array<BankStatementLine>
  readonly pending: Array<BankStatementLine>
  readonly net: Units
}

const stepEntries = 1000

/** The lines of a message, in steps of some milliseconds: one message may have all lines of a file. */
function* readLines(
  entries: ReadonlyArray<Entry>,
  currency: string,
  span: DaySpan | undefined
): Generator<void, Listed> {
  const lines: Array<BankStatementLine> = []
  const pending: Array<BankStatementLine> = []
  let net = 0n
  for (const [at, entry] of entries.entries()) {
    const [line, units, isExpected] = readLine(entry, currency, span)
    ;(isExpected ? pending : lines).push(line)
    if (!isExpected) net += units
    if ((at + 1) % stepEntries === 0) yield
  }
  return { lines, pending, net }
}

/**
 * Compares the totals of a report with its lines, for each direction. Returns a warning for a wrong number of lines. Errors:
 * `UnreadableStatement` for a wrong sum, unless entries below a floor are not listed.
 */
const checkTotals = (
  draft: Draft940,
  lines: ReadonlyArray<BankStatementLine>,
  currency: string
): ReadonlyArray<StatementWarning> => {
  const warnings: Array<StatementWarning> = []
  const hasFloor = draft.floors.some((field) => parseFloor(field).units > 0n)
  for (const field of draft.totals) {
    const total = parseTotal(field)
    const direction = field.tag === "90C" ? "credit" : "debit"
    const of = lines.filter((line) => line.direction === direction)
    const sum = formatUnits(of.reduce((all, { amount }) => all + (parseDecimal(amount) ?? 0n), 0n))
    const place = toPlace(field.number)
    if (total.currency !== currency)
      throw new UnreadableStatement(place, `a total in ${total.currency}`, `the report's currency, ${currency}`)
    if (sum === formatUnits(total.units) && of.length === total.count) continue
    const found = `:${field.tag}: with ${total.count} entries of ${formatUnits(total.units)}`
    const taken = `${of.length} entries of ${sum}, as the report lists them`
    // Entries below the floor are counted and not listed.
    if (sum !== formatUnits(total.units) && !hasFloor) throw new UnreadableStatement(place, found, taken)
    warnings.push({ code: "line_count", message: `The report has ${found}; it has ${taken}.`, place })
  }
  return warnings
}

/** The number of a statement, with its page where that is not the first: `5`, `5/2`. Null without one. */
const toSequence = (draft: Draft940): string | null => {
  const [number, page = ""] = readFirstLine(draft.sequence).split("/")
  return trimToNull(/^\s*0*1?\s*$/.test(page) ? number : `${number}/${page}`)
}

const makeMissingError = (draft: Draft940, taken: string): UnreadableStatement =>
  new UnreadableStatement(`line ${draft.number}`, "a message without it", taken)

/** Parses the day of `:13D:` or `:13:`. Null without the field. */
const parseCreationDay = (field: Field | undefined): string | null => {
  if (field === undefined) return null
  const day = parseBalance({ ...field, lines: [`C${readFirstLine(field).slice(0, 6)}0,`] })
  return day.date
}

/** Parses the instant of `:13D:`, which has a zone, or of `:13:`. Null without a time. */
const parseCreationTime = (field: Field | undefined): string | null => {
  const [, hour, minute, offset = ""] = /^\d{6}(\d\d)(\d\d)([+-]\d{4})?$/.exec(readFirstLine(field)) ?? []
  return hour === undefined ? null : parseInstant(`${parseCreationDay(field)}T${hour}:${minute}${offset}`)
}

function* toStatement(draft: Draft940): Generator<void, BankStatement> {
  const { account, closing: last, number, opening: begin, reference, totals } = draft
  if (begin === undefined) throw makeMissingError(draft, "an opening balance (:60F: or :60M:)")
  if (last === undefined) throw makeMissingError(draft, "a closing balance (:62F: or :62M:)")
  if (account === undefined) throw makeMissingError(draft, "an account (:25:)")
  const opening = parseBalance(begin)
  const { currency } = opening
  if (currency === null)
    throw new UnreadableStatement(toPlace(begin.number), quote(readFirstLine(begin)), "a balance with its currency")
  const closing = requireCurrency(parseBalance(last), currency)
  const span = { from: opening.date, to: closing.date }
  const { lines, net, pending } = yield* readLines(draft.entries, currency, span)
  return completeStatement({
    format: "mt940",
    message_id: trimToNull(reference),
    number: toSequence(draft),
    account: readAccount(account, currency),
    currency,
    from: null,
    to: closing.date,
    made_at: parseCreationTime(draft.made),
    opening,
    closing,
    net,
    lines,
    pending,
    warnings: totals.length === 0 ? [] : checkTotals(draft, lines, currency),
    place: toPlace(number),
    saysEmpty: false
  })
}

function* readReport(draft: Draft940): Generator<void, BankStatement> {
  const { account, floors, made, number, reference, totals } = draft
  if (account === undefined) throw makeMissingError(draft, "an account (:25:)")
  const currency =
    floors[0] === undefined ? totals[0] && parseTotal(totals[0]).currency : parseFloor(floors[0]).currency
  if (currency === undefined) throw makeMissingError(draft, "a currency (:34F:, :90C: or :90D:)")
  const day = parseCreationDay(made)
  const span = day === null ? undefined : { from: day, to: day }
  const { lines, net, pending } = yield* readLines(draft.entries, currency, span)
  return completeStatement({
    format: "mt942",
    message_id: trimToNull(reference),
    number: toSequence(draft),
    account: readAccount(account, currency),
    currency,
    from: null,
    to: day,
    made_at: parseCreationTime(made),
    opening: null,
    closing: null,
    net,
    lines,
    pending,
    warnings: checkTotals(draft, lines, currency),
    place: toPlace(number),
    saysEmpty: totals.length > 0 && totals.every((field) => parseTotal(field).count === 0)
  })
}

/** The blocks of the network before the text of a message. A message has five, and a block some ten fields. */
const blocksPattern = /^(?:-?\}?\s*)?(?:\{[1235]:[^{}]*(?:\{[^{}]*\}[^{}]*){0,100}\}\s*){0,10}(?:\{4:)?/

/** A statement whose last page has not come, with the place of the last one that has. */
interface Unfinished {
  readonly statement: BankStatement
  readonly place: string
}

const refuseLonePage = (place: string): UnreadableStatement =>
  new UnreadableStatement(place, ":60M:", "a statement from its first page (:60F:) to its last (:62F:) in one file")

/** Collects messages, and the pages of one statement. */
class Collector940 {
  readonly statements: Array<BankStatement> = []
  /** By their accounts. */
  private readonly unfinished = new Map<string, Array<Unfinished>>()
  private unfinishedCount = 0
  private draft: Draft940 | undefined
  private field: Field | undefined
  private inBlock = false
  /** The characters of the field so far, with one for the end of each line but the first. */
  private length = 0
  /** How many lines the file has so far. */
  private count = 0

  private *end(): Generator<void> {
    const { draft } = this
    this.draft = undefined
    this.field = undefined
    if (draft === undefined) return
    if (
      draft.opening === undefined &&
      (draft.floors.length > 0 || draft.totals.length > 0 || draft.made !== undefined)
    ) {
      checkStatements(this.statements.length + this.unfinishedCount + 1, toPlace(draft.number))
      this.statements.push(yield* readReport(draft))
      return
    }
    this.page(draft, yield* toStatement(draft))
  }

  /** `:60M:` continues the statement of its account that ended with `:62M:`. */
  private page(draft: Draft940, page: BankStatement): void {
    const { statements, unfinished } = this
    const place = toPlace(draft.opening?.number ?? draft.number)
    // Statements of one account: two have the same one where their currencies and the numbers behind their banks
    // are the same.
    const key = `${page.currency} ${page.account.identifiers.at(-1)?.value ?? ""}`
    const open = unfinished.get(key) ?? []
    let statement = page
    if (draft.opening?.tag === "60M") {
      const before = open.shift()
      if (before === undefined) throw refuseLonePage(place)
      this.unfinishedCount--
      statement = joinPages(before.statement, page, place)
    }
    checkStatements(statements.length + this.unfinishedCount + 1, toPlace(draft.number))
    if (draft.closing?.tag === "62M") {
      open.push({ statement, place: toPlace(draft.closing.number) })
      this.unfinishedCount++
    } else statements.push(statement)
    if (open.length === 0) unfinished.delete(key)
    else unfinished.set(key, open)
  }

  *line({ number, text }: { readonly number: number; readonly text: string }): Generator<void> {
    let rest = text
    if (rest.includes("{")) rest = yield* this.blocks(rest, number)
    const [, tag, value = ""] = fieldPattern.exec(rest) ?? []
    if (tag !== undefined) yield* this.begin({ tag, lines: [value], number })
    else if (rest.startsWith("-}") || (!this.goesOn() && /^-(?:\s*|[A-Z]{3})$/.test(rest))) {
      this.inBlock = false
      yield* this.end()
    } else if (this.field !== undefined) {
      this.length += rest.length + 1
      checkRecord("a field", this.length, toPlace(number))
      this.field.lines.push(rest)
    } else if (/^:\d\d\w?:/.test(rest))
      throw new UnreadableStatement(toPlace(number), quote(rest), "a field of MT940 or MT942")
  }

  /** Whether a message cannot end yet: text may begin with a dash, and an MT940 ends with its closing balance. */
  private goesOn(): boolean {
    const { draft } = this
    return draft?.opening !== undefined && draft.closing === undefined
  }

  /** Takes the blocks of the network off a line: `{1:…}{2:O940…}{4:`. The second names the type of the message. */
  private *blocks(text: string, number: number): Generator<void, string> {
    const [start] = blocksPattern.exec(text) ?? [""]
    if (!/\{[1-5]:/.test(start)) return text
    if (start.startsWith("-")) {
      this.inBlock = false
      yield* this.end()
    }
    const [, type] = /\{2:[IO](\d{3})/.exec(start) ?? []
    if (type !== undefined && !["940", "942", "950"].includes(type))
      throw new UnreadableStatement(toPlace(number), `a message MT${type}`, "MT940 or MT942")
    if (start.endsWith("{4:")) {
      if (this.inBlock)
        throw new UnreadableStatement(toPlace(number), "a message within another", "the end of the one before (-})")
      this.inBlock = true
    }
    return text.slice(start.length)
  }

  private *begin(field: Field): Generator<void> {
    const { number, tag } = field
    this.length = field.lines[0]!.length
    checkRecord("a field", this.length, toPlace(number))
    if (tag === "61") checkLines(++this.count, toPlace(number))
    if (tag === "20") {
      yield* this.end()
      this.draft = makeDraft(number, readFirstLine(field))
      this.field = field
      return
    }
    const { draft } = this
    // The statements of some banks have no `:20:`: they begin with the account.
    if ((tag === "25" || tag === "25P") && (draft === undefined || draft.closing !== undefined)) {
      yield* this.end()
      this.keep((this.draft = makeDraft(number, "")), field)
      this.field = field
      return
    }
    if (draft === undefined) {
      if (ignored.has(tag)) return
      if (tag === "60M") throw refuseLonePage(toPlace(number))
      throw new UnreadableStatement(
        toPlace(number),
        `:${tag}: outside a message`,
        "the begin of a message (:20: or :25:)"
      )
    }
    this.keep(draft, field)
    this.field = field
  }

  private keep(draft: Draft940, field: Field): void {
    const { number, tag } = field
    const twice = () => new UnreadableStatement(toPlace(number), `:${tag}: twice in a message`, "one")
    const once = (name: "account" | "sequence" | "opening" | "closing" | "made"): void => {
      if (draft[name] !== undefined) throw twice()
      draft[name] = field
    }
    switch (tag) {
      case "25":
      case "25P":
        return once("account")
      case "28":
      case "28C":
        return once("sequence")
      case "60F":
      case "60M":
        return once("opening")
      case "62F":
      case "62M":
        return once("closing")
      case "13":
      case "13D":
        return once("made")
      case "34F":
        draft.floors.push(field)
        return
      case "90C":
      case "90D":
        // Each is held against all lines.
        if (draft.totals.some((total) => total.tag === tag)) throw twice()
        draft.totals.push(field)
        return
      case "61":
        if (draft.closing !== undefined)
          throw new UnreadableStatement(toPlace(number), ":61: after the closing balance", "entries before it")
        draft.entries.push({ field, details: [] })
        return
      case "86":
        // One after the closing balance is about the statement.
        if (draft.closing === undefined && draft.totals.length === 0) draft.entries.at(-1)?.details.push(field)
    }
  }

  *finish(): Generator<void, ReadonlyArray<BankStatement>> {
    if (this.inBlock) throw new UnreadableStatement("the end of the file", "a message that is cut off", "its end (-})")
    yield* this.end()
    const [open] = [...this.unfinished.values()].flat()
    if (open !== undefined)
      throw new UnreadableStatement(open.place, ":62M: without the next page", "all pages up to :62F:")
    return this.statements
  }
}

const stepLines = 5000

/** Replaces `@@` by line breaks in a file from FinTS: if it stands before a field, it is a line break everywhere. */
const restoreLineBreaks = (text: string): string =>
  /(?:^|@@)\s*:2[05]P?:[^\r\n]*@@:\d\d\w?:/.test(text) ? text.replaceAll("@@", "\n") : text

/** Reads all statements of an MT940 or MT942 file. Errors: `UnreadableStatement`. */
export function* readMt940(bytes: Uint8Array): Generator<void, ReadonlyArray<BankStatement>> {
  const collector = new Collector940()
  for (const { number, text } of splitLines(restoreLineBreaks(decodeText(bytes)))) {
    // Some banks put the characters that begin and end a transmission into the file.
    yield* collector.line({ number, text: text.replace(/[\u0001\u0002\u0003\u001a\ufeff]/g, "") })
    if (number % stepLines === 0) yield
  }
  const statements = yield* collector.finish()
  if (statements.length === 0)
    throw new UnreadableStatement("line 1", "no message of MT940 or MT942", "messages that begin with :20: or :25:")
  return statements
}
