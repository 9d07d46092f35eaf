/** The lines of an entry: one for each of its transactions where they sum to it, otherwise the entry (STATEMENT-5). */
import { formatUnits, type Units } from "../decimal.ts"
import {
  type BankStatementLine,
  type StatementCounterparty,
  type StatementWarning,
  UnreadableStatement
} from "../statement.ts"
import { readReference, trimToNull, withReferences } from "../text.ts"
import { applySign } from "../whole.ts"
import { at, checkOnce, childrenOf, type Element, describePlace, makeElementError, textAt } from "./element.ts"
import {
  type CamtAmount,
  amountAt,
  codeAt,
  dateAt,
  directionAt,
  flagAt,
  identifierAt,
  readPartyName,
  referenceInCode
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

const partyOf = (parties: Element | undefined, role: "Dbtr" | "Cdtr"): StatementCounterparty => ({
  name: readPartyName(at(parties, role)) ?? readPartyName(at(parties, `Ultmt${role}`)),
  account: identifierAt(at(parties, `${role}Acct`))?.value ?? null
})

/** The length at which banks cut a remittance into several, in characters. */
const cut = 140

const isCut = (part: string): boolean => part.length >= cut && part.length <= 2 * cut && [...part].length === cut

/** The parts of a text: with a space between them, except where one has been cut at its length. */
const joinParts = (parts: ReadonlyArray<string>): string =>
  parts.reduce((text, part, index) => {
    const before = parts[index - 1]
    const isWithin = before !== undefined && isCut(before)
    const start = isWithin ? part : part.trimStart()
    return `${text}${index === 0 || isWithin ? "" : " "}${isCut(part) ? start : start.trimEnd()}`
  }, "")

/** The amount of a transaction, the first path first. The last one is its value in the account's currency where the others have another. */
const amountPaths = ["Amt", "AmtDtls/TxAmt/Amt", "AmtDtls/InstdAmt/Amt", "AmtDtls/CntrValAmt/Amt"]

export const transactionOf = (details: Element): Transaction => {
  checkOnce(details, "Amt", "CdtDbtInd")
  const references = at(details, "Refs")
  const end_to_end_id = readReference(textAt(references, "EndToEndId"))
  const bank_reference = readReference(textAt(references, "AcctSvcrRef"))
  const own = ["InstrId", "PmtInfId", "MsgId"].map((name) => readReference(textAt(references, name)))
  const parties = at(details, "RltdPties")
  const info = at(details, "RmtInf")
  const free = joinParts(childrenOf(info, "Ustrd").map(({ text }) => text))
  const structured = childrenOf(info, "Strd").flatMap((each) => [
    textAt(each, "CdtrRefInf/Ref", "CdtrRefInf/CdtrRef"),
    ...childrenOf(each, "AddtlRmtInf").map(({ text }) => text.trim())
  ])
  const all = [free, ...structured, textAt(details, "AddtlTxInf")].filter((part) => part !== null && part !== "")
  return {
    amounts: amountPaths.filter((path) => at(details, path) !== undefined).map((path) => amountAt(details, path)),
    direction: at(details, "CdtDbtInd") === undefined ? null : directionAt(details),
    bank_reference,
    end_to_end_id,
    uetr: textAt(references, "UETR")?.toLowerCase() ?? null,
    parties: { debit: partyOf(parties, "Cdtr"), credit: partyOf(parties, "Dbtr") },
    remittance: withReferences(trimToNull(all.join(" ")), own, [end_to_end_id, bank_reference]),
    code: codeAt(details),
    code_reference: referenceInCode(details),
    place: describePlace(details)
  }
}

/** The other side. A reversal has the sides of the booking that it takes back; a side with the account's own number is not it. */
const counterpartyOf = (
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
  readonly net: Units
  readonly warnings: ReadonlyArray<StatementWarning>
}

export const readEntryStatus = (entry: Element): string | null => textAt(entry, "Sts/Cd", "Sts")

export const refuseStatus = (entry: Element): UnreadableStatement =>
  makeElementError(entry, at(entry, "Sts/Cd") === undefined ? "Sts" : "Sts/Cd", "BOOK, PDNG, INFO or FUTR")

/** An entry without a status is booked if the balances of its statement say so. */
const isBooked = (entry: Element): boolean => {
  const status = readEntryStatus(entry)
  if (status === null || status === "BOOK") return true
  if (status === "PDNG" || status === "INFO" || status === "FUTR") return false
  throw refuseStatus(entry)
}

const splitOf = (transactions: ReadonlyArray<Transaction>, currency: string, direction: Direction, total: Units) =>
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

export const entryLines = (
  entry: Element,
  transactions: ReadonlyArray<Transaction>,
  { currency, own, fallback }: Surroundings
): EntryLines => {
  checkOnce(entry, "Amt", "CdtDbtInd", "Sts")
  const amount = amountAt(entry, "Amt")
  const direction = directionAt(entry)
  if (amount.currency !== currency)
    throw new UnreadableStatement(
      describePlace(amount.element),
      `an amount in ${amount.currency}`,
      `the statement's currency, ${currency}`
    )
  const booked = isBooked(entry)
  const reversal = flagAt(entry, "RvslInd")
  const value_on = dateAt(entry, "ValDt/Dt", "ValDt/DtTm")
  const booked_on = dateAt(entry, "BookgDt/Dt", "BookgDt/DtTm") ?? (booked ? (value_on ?? fallback()) : null)
  if (booked && booked_on === null) throw makeElementError(entry, "BookgDt", "a date")
  const code = codeAt(entry)
  const entryReference = readReference(textAt(entry, "AcctSvcrRef"))
  const codeReference = referenceInCode(entry)
  const about = textAt(entry, "AddtlNtryInf")
  const net = applySign(direction, amount.units)

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
    counterparty: of === undefined ? { name: null, account: null } : counterpartyOf(of, part.direction, reversal, own),
    remittance: of?.remittance ?? about,
    code: of?.code ?? code,
    reversal,
    ...(of !== undefined && (transactions.length > 1 || (of.bank_reference ?? entryReference) !== entryReference)
      ? { entry: { reference: entryReference, direction, amount: formatUnits(amount.units), part: nth } }
      : {}),
    place: of?.place ?? describePlace(entry)
  })

  const whole = { units: amount.units, direction }
  const [first] = transactions
  const parts = first === undefined ? undefined : splitOf(transactions, currency, direction, net)
  if (parts !== undefined)
    return {
      isBooked: booked,
      lines: transactions.map((each, index) => lineOf(each, parts[index]!, index)),
      net,
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
  return { isBooked: booked, lines: [line], net, warnings: isSilent ? [] : [warning] }
}
