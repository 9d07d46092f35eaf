/** The fields of MT940 and MT942 that have money or a date. */
import { type DaySpan, findNearestDate, parseShortDate } from "../date.ts"
import { parseDecimal, type Units } from "../decimal.ts"
import { type StatementCounterparty, UnreadableStatement } from "../statement.ts"
import { toPlace, quote, readReference, trimToNull } from "../text.ts"
import { applySign, type PlacedBalance } from "../whole.ts"

/** A field with the lines that continue it. */
export interface Field {
  readonly tag: string
  readonly lines: Array<string>
  /** Of its first line. */
  readonly number: number
}

const makeFieldError = ({ lines, number, tag }: Field, taken: string, found = lines[0]): UnreadableStatement =>
  new UnreadableStatement(`line ${number}`, `:${tag}: with ${quote(found)}`, taken)

/** Parses an amount of SWIFT: digits with a comma, without separators of thousands. */
const parseSwiftAmount = (field: Field, text: string): Units => {
  const units = /^\d+,\d*$/.test(text) ? parseDecimal(text.replace(",", ".")) : undefined
  if (units === undefined) throw makeFieldError(field, "an amount with a comma, such as 1000,50", text)
  return units
}

export interface NamedBalance extends PlacedBalance {
  /** Null where a bank leaves it out: it is that of the opening balance. */
  readonly currency: string | null
}

const balancePattern = /^([CD])(\d{6})([A-Z]{3})?(.*)$/

export const parseBalance = (field: Field): NamedBalance => {
  const [, mark, date, currency, amount] = balancePattern.exec(field.lines[0]?.trim() ?? "") ?? []
  if (mark === undefined || date === undefined || amount === undefined)
    throw makeFieldError(field, "C or D, a date, a currency and an amount, such as C260131EUR1000,50")
  const day = parseShortDate(date)
  if (day === undefined) throw makeFieldError(field, "a date of the calendar (YYMMDD)", date)
  return {
    date: day,
    currency: currency ?? null,
    units: applySign(mark === "C" ? "credit" : "debit", parseSwiftAmount(field, amount)),
    place: toPlace(field.number)
  }
}

/** A booking as `:61:` has it. */
export interface Booking {
  readonly booked_on: string
  readonly value_on: string
  readonly direction: "credit" | "debit"
  readonly units: Units
  readonly reversal: boolean
  /** Whether the entry is expected, and not booked (`EC`, `ED`). */
  readonly isExpected: boolean
  /** Null where a bank leaves it out: its own reference follows. */
  readonly code: string | null
  readonly reference: string | null
  readonly bank_reference: string | null
  readonly supplement: string | null
}

const bookingPattern = /^(\d{6})(\d{4}|\s{4})?(R[CD]|E[CD]|[CD])([A-Z])?(\d+,\d*)\s*(?:([A-Z].{3})|(?=\/\/))(.*)$/
const takenBooking =
  "a date, C or D, an amount with a comma, a type of four characters and a reference, such as 2601310131C1000,50NTRFREFERENCE"

/** Splits references: the customer's of at most 16 characters, the bank's after `//`, and the text behind them. */
const splitReferences = (text: string): readonly [own: string, bank: string, rest: string] => {
  const slashes = text.indexOf("//")
  if (slashes >= 0) return [text.slice(0, slashes), text.slice(slashes + 2), ""]
  // Whole characters: half of one is no text that a store keeps.
  const [own = ""] = /^.{0,16}/su.exec(text) ?? []
  return [own, "", text.slice(own.length)]
}

/** Parses `:61:`. `CR` is a credit in a currency that ends in R, since the sign of a reversal comes first. `span`: of the statement. */
export const parseBooking = (field: Field, span: DaySpan | undefined): Booking => {
  const [first = "", ...others] = field.lines
  const [, value, entry = "", mark, , amount, code, rest = ""] = bookingPattern.exec(first.trimEnd()) ?? []
  if (value === undefined || mark === undefined || amount === undefined) throw makeFieldError(field, takenBooking)
  const value_on = parseShortDate(value)
  if (value_on === undefined) throw makeFieldError(field, "a value date of the calendar (YYMMDD)", value)
  const booked_on = entry.trim() === "" ? value_on : findNearestDate(entry, value_on, span)
  if (booked_on === undefined) throw makeFieldError(field, "an entry date of the calendar (MMDD)", entry)
  const [own, bank, behind] = splitReferences(rest)
  return {
    booked_on,
    value_on,
    // `RC` takes a credit back: it is a debit. `RD` is a credit.
    direction: mark === "C" || mark === "EC" || mark === "RD" ? "credit" : "debit",
    units: parseSwiftAmount(field, amount),
    reversal: mark.startsWith("R"),
    isExpected: mark.startsWith("E"),
    code: code ?? null,
    reference: readReference(own),
    bank_reference: readReference(bank),
    supplement: trimToNull([behind, ...others].map((line) => line.trim()).join(" "))
  }
}

/** The count and the sum of `:90C:` and `:90D:`. */
export interface Total {
  readonly count: number
  readonly currency: string
  readonly units: Units
}

export const parseTotal = (field: Field): Total => {
  const [, count, currency, amount] = /^(\d{1,5})([A-Z]{3})(.*)$/.exec(field.lines[0]?.trim() ?? "") ?? []
  if (count === undefined || currency === undefined || amount === undefined)
    throw makeFieldError(field, "a count, a currency and an amount, such as 2EUR1000,50")
  return { count: Number(count), currency, units: parseSwiftAmount(field, amount) }
}

/** Parses `:34F:`: the currency, and the amount below which entries are not listed. */
export const parseFloor = (field: Field): { readonly currency: string; readonly units: Units } => {
  const [, currency, amount] = /^([A-Z]{3})[CD]?(\d+(?:,\d*)?)$/.exec(field.lines[0]?.trim() ?? "") ?? []
  if (currency === undefined || amount === undefined)
    throw makeFieldError(field, "a currency and an amount, such as EUR0,")
  return { currency, units: parseSwiftAmount(field, amount.includes(",") ? amount : `${amount},`) }
}

// The field `:86:`: the structures that banks agree on by country, and plain text.

/** What `:86:` says of a booking. */
export interface Details {
  readonly end_to_end_id: string | null
  /** A reference of the account's owner that is no end-to-end id. */
  readonly own_reference: string | null
  readonly counterparty: StatementCounterparty
  readonly remittance: string | null
}

/** Germany and others: a code of three digits, and fields of two digits after a sign (`166?00GUTSCHRIFT?20EREF+…`). */
const fields = /^\s*\d{3}([?>~@+#$^!])(?=\d\d)/

const sepaKeys = /(EREF|KREF|MREF|CRED|DEBT|COAM|OAMT|SVWZ|ABWA|ABWE|PURP|RREF|SQTP)\+/g

const dutchKeys =
  /\/(EREF|REMI|NAME|IBAN|BIC|BENM|ORDP|CNTP|MARF|CSID|ISDT|TRTP|RTRN|TRCD|PREF|PURP|ULTC|ULTD|ULTB|ADDR|SVCL|OCMT|CHGS|ID)\//g

/** Removes the slashes at either end. A pattern would look at each run of slashes as often as it is long. */
const trimSlashes = (text: string): string => {
  let [from, to] = [0, text.length]
  while (text[from] === "/") from++
  while (to > from && text[to - 1] === "/") to--
  return text.slice(from, to)
}

/** Parses the lines of one or several `:86:`. Structures are cut at the length of a line, in the middle of a word. */
export const parseDetails = (lines: ReadonlyArray<string>): Details => {
  const joined = lines.join("")
  const separator = fields.exec(joined)?.[1]
  if (separator !== undefined) {
    const values = new Map<number, string>()
    let at = 0
    for (const part of joined.split(separator).slice(1)) {
      const number = /^\d\d/.exec(part)?.[0]
      // Text may have the sign, too.
      if (number === undefined) values.set(at, `${values.get(at) ?? ""}${separator}${part}`)
      else {
        at = Number(number)
        values.set(at, `${values.get(at) ?? ""}${part.slice(2)}`)
      }
    }
    const between = (from: number, to: number): string =>
      [...values]
        .filter(([at]) => at >= from && at <= to)
        .map(([, value]) => value)
        .join("")
    const free = between(20, 29) + between(60, 63)
    const found = [...free.matchAll(sepaKeys)]
    const keys = new Map(
      found.map(({ 0: all, 1: key = "", index }, at) => [
        key,
        free.slice(index + all.length, found[at + 1]?.index).trim()
      ])
    )
    return {
      end_to_end_id: readReference(keys.get("EREF")),
      own_reference: readReference(keys.get("KREF")),
      counterparty: {
        name: trimToNull(between(32, 33)),
        account: trimToNull(values.get(38))?.replace(/\s/g, "") ?? trimToNull(values.get(31))
      },
      remittance: trimToNull(keys.get("SVWZ")) ?? trimToNull(free) ?? trimToNull(values.get(0))
    }
  }
  if (joined.search(dutchKeys) >= 0) {
    // The Netherlands and others: `/EREF/…//BENM//NAME/…/REMI/…`.
    const found = [...joined.matchAll(dutchKeys)]
    const values = new Map<string, string>()
    for (const [at, { 0: all, 1: key = "", index }] of found.entries()) {
      const value = trimSlashes(joined.slice(index + all.length - 1, found[at + 1]?.index))
      if (value.trim() !== "" && !values.has(key)) values.set(key, value.trim())
    }
    // The other side in one key: its account, its bank, its name.
    const [account, , name] = values.get("CNTP")?.split("/") ?? []
    const remittance = values.get("REMI")?.replace(/^(?:USTD|STRD)\/\//, "")
    return {
      end_to_end_id: readReference(values.get("EREF")),
      own_reference: readReference(values.get("PREF")),
      counterparty: {
        name: trimToNull(values.get("NAME")) ?? trimToNull(name),
        account: trimToNull(values.get("IBAN")) ?? trimToNull(account)
      },
      remittance: trimToNull(remittance) ?? trimToNull(joined)
    }
  }
  return {
    end_to_end_id: null,
    own_reference: null,
    counterparty: { name: null, account: null },
    remittance: trimToNull(
      lines
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join(" ")
    )
  }
}
