/** The lines of an entry: one for each of its transactions where they sum to it, otherwise the entry (STATEMENT-5). */
import { formatUnits, type Units } from "../decimal.ts"
import {
  type BankStatementLine,
  type StatementCounterparty,
  type StatementWarning,
  UnreadableStatement
} from "../statement.ts"
import { readReference, trimToNull, addReferences } from "../text.ts"
import { applySign } from "../whole.ts"
import {
  findElement,
  checkOnce,
  listChildren,
  type Element,
  describePlace,
  makeElementError,
  readTextAt
} from "./element.ts"
import {
  type CamtAmount,
  readAmount,
  readCode,
  readDate,
  readDirection,
  readFlag,
  readIdentifier,
  readPartyName,
  findReferenceInCode
} from "./values.ts"

type Direction = BankStatementLine["direction"]

/** What is kept of a `TxDtls` when its element has ended. */
export interface Transaction {
  readonly amounts: ReadonlyArray<CamtAmount>
  readonly direction: Direction | null
  readonly bank_reference: string | null
  readonly end_to_end_id: string | null
  readonly uetr: string | null
  /** The debtor and the creditor. */
  readonly parties: { readonly [K in Direction]: StatementCounterparty }
  readonly remittance: string | null
  readonly code: string | null
  readonly code_reference: string | null
  readonly place: string
}

const readParty = (parties: Element | undefined, role: "Dbtr" | "Cdtr"): StatementCounterparty => ({
  name: readPartyName(findElement(parties, role)) ?? readPartyName(findElement(parties, `Ultmt${role}`)),
  account: readIdentifier(findElement(parties, `${role}Acct`))?.value ?? null
})

/** The length at which banks cut a remittance into several, in characters. */
const cut = 140

const isCutPart = (part: string): boolean => part.length >= cut && part.length <= 2 * cut && [...part].length === cut

/** Joins the parts of a text with a space, but without one where a part was cut at its full length. */
const joinParts = (parts: ReadonlyArray<string>): string =>
  parts.reduce((text, part, index) => {
    const before = parts[index - 1]
    const isWithin = before !== undefined && isCutPart(before)
    const start = isWithin ? part : part.trimStart()
    return `${text}${index === 0 || isWithin ? "" : " "}${isCutPart(part) ? start : start.trimEnd()}`
  }, "")

/** The amount of a transaction, the first path first. The last one is its value in the account's currency where the others have another. */
const amountPaths = ["Amt", "AmtDtls/TxAmt/Amt", "AmtDtls/InstdAmt/Amt", "AmtDtls/CntrValAmt/Amt"]

export const readTransaction = (details: Element): Transaction => {
  checkOnce(details, "Amt", "CdtDbtInd")
  const references = findElement(details, "Refs")
  const end_to_end_id = readReference(readTextAt(references, "EndToEndId"))
  const bank_reference = readReference(readTextAt(references, "AcctSvcrRef"))
  const own = ["InstrId", "PmtInfId", "MsgId"].map((name) => readReference(readTextAt(references, name)))
  const parties = findElement(details, "RltdPties")
  const info = findElement(details, "RmtInf")
  const free = joinParts(listChildren(info, "Ustrd").map(({ text }) => text))
  const structured = listChildren(info, "Strd").flatMap((each) => [
    readTextAt(each, "CdtrRefInf/Ref", "CdtrRefInf/CdtrRef"),
    ...listChildren(each, "AddtlRmtInf").map(({ text }) => text.trim())
  ])
  const all = [free, ...structured, readTextAt(details, "AddtlTxInf")].filter((part) => part !== null && part !== "")
  return {
    amounts: amountPaths
      .filter((path) => findElement(details, path) !== undefined)
      .map((path) => readAmount(details, path)),
    direction: findElement(details, "CdtDbtInd") === undefined ? null : readDirection(details),
    bank_reference,
    end_to_end_id,
    uetr: readTextAt(references, "UETR")?.toLowerCase() ?? null,
    parties: { debit: readParty(parties, "Cdtr"), credit: readParty(parties, "Dbtr") },
    remittance: addReferences(trimToNull(all.join(" ")), own, [end_to_end_id, bank_reference]),
    code: readCode(details),
    code_reference: findReferenceInCode(details),
    place: describePlace(details)
  }
}

/**
 * Finds the other party of a transaction. A reversal has the parties of the booking that it takes back. A party with the account's own
 * number is not the other one.
 */
const findCounterparty = (
  { parties }: Transaction,
  direction: Direction,
  reversal: boolean,
  own: ReadonlySet<string>
): StatementCounterparty => {
  const opposite = { credit: "debit", debit: "credit" } as const
  const first = reversal ? opposite[direction] : direction
  const isOther = (party: StatementCounterparty) =>
    (party.name !== null || party.account !== null) && !(party.account !== null && own.has(party.account))
  const found = [parties[first], parties[opposite[first]]].find(isOther)
  return found ?? { name: null, account: null }
}

/** What an entry is read in. */
export interface Surroundings {
  readonly currency: string
  /** The numbers of the statement's account. */
  readonly own: ReadonlySet<string>
  /** The day of an entry that has none. */
  readonly fallback: () => string | null
}

export interface EntryLines {
  readonly isBooked: boolean
  readonly lines: ReadonlyArray<BankStatementLine>
  readonly direction: Direction
  readonly units: Units
  readonly warnings: ReadonlyArray<StatementWarning>
}

export const readEntryStatus = (entry: Element): string | null => readTextAt(entry, "Sts/Cd", "Sts")

export const refuseStatus = (entry: Element): UnreadableStatement =>
  makeElementError(entry, findElement(entry, "Sts/Cd") === undefined ? "Sts" : "Sts/Cd", "BOOK, PDNG, INFO or FUTR")

/** Whether an entry is booked. One without a status is, if the balances of its statement say so. */
const isBooked = (entry: Element): boolean => {
  const status = readEntryStatus(entry)
  if (status === null || status === "BOOK") return true
  if (status === "PDNG" || status === "INFO" || status === "FUTR") return false
  throw refuseStatus(entry)
}

/** Splits an entry into its transactions, if their amounts in the currency sum to its total. Undefined otherwise. */
const splitEntry = (transactions: ReadonlyArray<Transaction>, currency: string, direction: Direction, total: Units) =>
  amountPaths
    .map((_, preferred) => {
      // The amounts of all transactions in the currency, with their directions, by the first path of each that has
      // one.
      const parts = transactions.map(({ amounts, ...transaction }) => {
        const inCurrency = amounts.filter((amount) => amount.currency === currency)
        const units = (inCurrency[preferred] ?? inCurrency[0])?.units
        return units === undefined ? undefined : { units, direction: transaction.direction ?? direction }
      })
      return parts.every((part) => part !== undefined) ? parts : undefined
    })
    .find((parts) => parts?.reduce((sum, part) => sum + applySign(part.direction, part.units), 0n) === total)

export const readEntryLines = (
  entry: Element,
  transactions: ReadonlyArray<Transaction>,
  { currency, own, fallback }: Surroundings
): EntryLines => {
  checkOnce(entry, "Amt", "CdtDbtInd", "Sts")
  const amount = readAmount(entry, "Amt")
  const direction = readDirection(entry)
  if (amount.currency !== currency)
    throw new UnreadableStatement(
      describePlace(amount.element),
      `an amount in ${amount.currency}`,
      `the statement's currency, ${currency}`
    )
  const booked = isBooked(entry)
  const reversal = readFlag(entry, "RvslInd")
  const value_on = readDate(entry, "ValDt/Dt", "ValDt/DtTm")
  const booked_on = readDate(entry, "BookgDt/Dt", "BookgDt/DtTm") ?? (booked ? (value_on ?? fallback()) : null)
  if (booked && booked_on === null) throw makeElementError(entry, "BookgDt", "a date")
  const code = readCode(entry)
  const entryReference = readReference(readTextAt(entry, "AcctSvcrRef"))
  const codeReference = findReferenceInCode(entry)
  const text = readTextAt(entry, "AddtlNtryInf")

  const lineOf = (
    of: Transaction | undefined,
    part: { readonly units: Units; readonly direction: Direction },
    nth: number
  ): BankStatementLine => ({
    booked_on,
    value_on,
    direction: part.direction,
    amount: formatUnits(part.units),
    currency,
    bank_reference: of?.bank_reference ?? entryReference ?? of?.code_reference ?? codeReference,
    end_to_end_id: of?.end_to_end_id ?? null,
    uetr: of?.uetr ?? null,
    transaction_hash: null,
    counterparty:
      of === undefined ? { name: null, account: null } : findCounterparty(of, part.direction, reversal, own),
    remittance: of?.remittance ?? text,
    code: of?.code ?? code,
    reversal,
    ...(of !== undefined && (transactions.length > 1 || (of.bank_reference ?? entryReference) !== entryReference)
      ? { entry: { reference: entryReference, direction, amount: formatUnits(amount.units), part: nth } }
      : {}),
    place: of?.place ?? describePlace(entry)
  })

  const whole = { units: amount.units, direction }
  const about = { isBooked: booked, ...whole }
  const [first] = transactions
  const parts =
    first === undefined ? undefined : splitEntry(transactions, currency, direction, applySign(direction, amount.units))
  if (parts !== undefined)
    return {
      ...about,
      lines: transactions.map((each, index) => lineOf(each, parts[index]!, index)),
      warnings: []
    }
  // A transaction alone may have the amount in its own currency only, or none.
  const isSilent =
    first === undefined || (transactions.length === 1 && !first.amounts.some((each) => each.currency === currency))
  const warning: StatementWarning = {
    code: "sum_of_transactions",
    message: `The ${transactions.length} transactions of the entry do not sum to ${formatUnits(amount.units)} ${currency}: the entry is the line.`,
    place: describePlace(entry)
  }
  const line =
    transactions.length === 1
      ? { ...lineOf(first, whole, 0), place: describePlace(entry) }
      : lineOf(undefined, whole, 0)
  return { ...about, lines: [line], warnings: isSilent ? [] : [warning] }
}
