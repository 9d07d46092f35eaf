/** Amounts, dates, accounts and names of a camt message, under the names that they have in any version. */
import { toDate, parseInstant } from "../date.ts"
import { type Units, parseDecimal } from "../decimal.ts"
import { type AccountIdentifier, type BankStatementLine, UnreadableStatement } from "../statement.ts"
import { findElement, type Element, describePlace, makeElementError, readTextAt } from "./element.ts"
import { quote } from "../text.ts"

export const currencyPattern = /^[A-Z]{3}$/

export interface CamtAmount {
  readonly units: Units
  readonly currency: string
  readonly element: Element
}

/** Parses decimal text without a sign, also `.5`, to units of 10^-18. Errors: `UnreadableStatement` at the place of the element. */
const parseDigits = (element: Element, text: string): Units => {
  const units = parseDecimal(text.replace(/^\.(?=\d)/, "0."))
  if (units === undefined) throw makeElementError(element, "", "an amount such as 1000.50")
  return units
}

/** Parses a decimal as XML has it (`+5.50`, `.5`), without a minus sign. */
export const parseUnsignedDecimal = (element: Element): Units =>
  parseDigits(element, element.text.trim().replace(/^\+/, ""))

/** Parses a decimal that may be below zero, such as a sum. */
export const parseSignedDecimal = (element: Element): Units => {
  const text = element.text.trim()
  return text.startsWith("-") ? -parseDigits(element, text.slice(1)) : parseUnsignedDecimal(element)
}

/** Reads the amount at a path. Errors: `UnreadableStatement` if it is missing, or is no plain decimal with a currency. */
export const readAmount = (parent: Element, path: string): CamtAmount => {
  const element = findElement(parent, path)
  if (element === undefined) throw makeElementError(parent, path, "an amount")
  const units = parseUnsignedDecimal(element)
  const { currency = "" } = element
  if (!currencyPattern.test(currency))
    throw new UnreadableStatement(`${describePlace(element)}, @Ccy`, quote(currency), "a currency of three capitals")
  return { units, currency, element }
}

export const readDirection = (parent: Element): BankStatementLine["direction"] => {
  const text = readTextAt(parent, "CdtDbtInd")
  if (text === "CRDT") return "credit"
  if (text === "DBIT") return "debit"
  throw makeElementError(parent, "CdtDbtInd", "CRDT or DBIT")
}

export const readFlag = (parent: Element, path: string): boolean => {
  const text = readTextAt(parent, path)
  if (text === null || text === "false" || text === "0") return false
  if (text === "true" || text === "1") return true
  throw makeElementError(parent, path, "true or false")
}

const datePattern = /^(\d{4})-(\d\d)-(\d\d)(?:T.*|Z|[+-]\d\d:\d\d)?$/s

/** Reads the day at the first of the paths that has an element. Null without one. */
export const readDate = (parent: Element, ...paths: ReadonlyArray<string>): string | null => {
  for (const path of paths) {
    const element = findElement(parent, path)
    if (element !== undefined) {
      // The day of an element that has a date or an instant, as the bank wrote it: in its own time zone.
      const [, year, month, day] = datePattern.exec(element.text.trim()) ?? []
      const date = year === undefined ? undefined : toDate(Number(year), Number(month), Number(day))
      if (date === undefined) throw makeElementError(element, "", "a date such as 2026-01-31")
      return date
    }
  }
  return null
}

/** Reads the instant at a path. Null without one that can be read. */
export const readInstant = (parent: Element, path: string): string | null =>
  parseInstant(readTextAt(parent, path) ?? "")

/** Whether a time is the first of its day. A period that ends then has ended with the day before. */
export const isMidnight = (element: Element): boolean =>
  /T00:00(?::00(?:\.0+)?)?(?:Z|[+-]\d\d:\d\d)?$/.test(element.text.trim())

/** Reads the number of an account from an element such as `Acct`, `DbtrAcct` or `CdtrAcct`. */
export const readIdentifier = (account: Element | undefined): AccountIdentifier | null => {
  const iban = readTextAt(account, "Id/IBAN")
  if (iban !== null) return { scheme: "iban", value: iban.replace(/\s/g, "").toUpperCase() }
  const bban = readTextAt(account, "Id/BBAN")
  if (bban !== null) return { scheme: "bban", value: bban }
  const value = readTextAt(account, "Id/Othr/Id", "Id/PrtryAcct/Id", "Id/UPIC")
  if (value === null) return null
  return { scheme: readTextAt(account, "Id/Othr/SchmeNm/Cd") === "BBAN" ? "bban" : "account_number", value }
}

/** Reads the bank's code for the kind of booking: of its domain, or its own. */
export const readCode = (parent: Element): string | null => {
  const code = findElement(parent, "BkTxCd")
  const domain = readTextAt(code, "Domn/Cd")
  if (domain === null) return readTextAt(code, "Prtry/Cd")
  const rest = [readTextAt(code, "Domn/Fmly/Cd"), readTextAt(code, "Domn/Fmly/SubFmlyCd")]
  return [domain, ...rest.filter((part) => part !== null)].join("/")
}

/**
 * Finds a payment number that some banks write only as their own code of the kind of booking: a word, a hyphen and digits. A code that
 * others have agreed on names its issuer.
 */
export const findReferenceInCode = (parent: Element): string | null => {
  const own = findElement(parent, "BkTxCd/Prtry")
  const code = readTextAt(own, "Cd")
  return code !== null && findElement(own, "Issr") === undefined && /^[A-Z][A-Z_]*-(?=.*\d)[\w-]+$/i.test(code)
    ? code
    : null
}

export const readPartyName = (party: Element | undefined): string | null =>
  readTextAt(party, "Pty/Nm", "Nm", "Agt/FinInstnId/Nm", "Agt/FinInstnId/BICFI", "Pty/Id/OrgId/AnyBIC")
