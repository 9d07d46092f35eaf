/** The files in which the bank of a simulation writes its statements: the same bookings in each format that its account can have. */
import { decimal } from "../program/amounts.ts"

/** A debit of the account. `payment` is empty where the bank names none. */
export interface BookedDebit {
  /** The day, as `YYYY-MM-DD`. */
  readonly date: string
  readonly amount: bigint
  readonly reference: string
  readonly payment: string
}

export interface DayOfBookings {
  readonly n: number
  /** Of its series: the account's statements with numbers. */
  readonly number: number
  readonly currency: string
  readonly account_number: string
  /** The day of the statement, and of all its bookings but those that a CSV repeats. */
  readonly date: string
  readonly opening: bigint
  readonly bookings: ReadonlyArray<BookedDebit>
}

export const closingOf = ({ bookings, opening }: DayOfBookings): bigint =>
  bookings.reduce((sum, { amount }) => sum - amount, opening)

const signed = (amount: bigint, currency: string): string =>
  amount < 0n ? `-${decimal(-amount, currency)}` : decimal(amount, currency)

const csv = ({ bookings, currency }: DayOfBookings): string =>
  [
    "Date,Amount,Reference,Payment,Text",
    ...bookings.map(
      ({ amount, date, payment, reference }) => `${date},${signed(-amount, currency)},${reference},${payment},`
    ),
    ""
  ].join("\n")

const camt053 = (statement: DayOfBookings): string => {
  const { account_number, bookings, currency, date, n, opening } = statement
  const sum = (amount: bigint): string =>
    `<Amt Ccy="${currency}">${decimal(amount < 0n ? -amount : amount, currency)}</Amt>`
  const balance = (type: string, amount: bigint): string =>
    `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>${sum(amount)}<CdtDbtInd>${amount < 0n ? "DBIT" : "CRDT"}</CdtDbtInd><Dt><Dt>${date}</Dt></Dt></Bal>`
  const entry = ({ amount, payment, reference }: BookedDebit): string => {
    const named = payment === "" ? "" : `<Refs><EndToEndId>${payment}</EndToEndId></Refs>`
    return `<Ntry>${sum(amount)}<CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${date}</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef><BkTxCd/><NtryDtls><TxDtls>${named}</TxDtls></NtryDtls></Ntry>`
  }
  const at = `<CreDtTm>${date}T00:00:00Z</CreDtTm>`
  return [
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>',
    `<GrpHdr><MsgId>M${n}</MsgId>${at}</GrpHdr><Stmt><Id>S${n}</Id>${at}`,
    `<Acct><Id><Othr><Id>${account_number}</Id></Othr></Id><Ccy>${currency}</Ccy></Acct>`,
    balance("OPBD", opening),
    balance("CLBD", closingOf(statement)),
    ...bookings.map(entry),
    "</Stmt></BkToCstmrStmt></Document>"
  ].join("\n")
}

const mt940 = (statement: DayOfBookings): string => {
  const { account_number, bookings, currency, date, number, opening } = statement
  const day = date.slice(2).replaceAll("-", "")
  const text = (amount: bigint): string => decimal(amount, currency).replace(".", ",")
  const balance = (amount: bigint): string =>
    `${amount < 0n ? "D" : "C"}${day}${currency}${text(amount < 0n ? -amount : amount)}`
  return [
    `:20:S${number}`,
    `:25:${account_number}`,
    `:28C:${number}/1`,
    `:60F:${balance(opening)}`,
    ...bookings.map(
      ({ amount, payment, reference }) =>
        `:61:${day}${day.slice(2)}D${text(amount)}NTRF${payment === "" ? "NONREF" : payment}//${reference}`
    ),
    `:62F:${balance(closingOf(statement))}`,
    "-",
    ""
  ].join("\n")
}

const bai2 = (statement: DayOfBookings): string => {
  const { account_number, bookings, currency, date, n, opening } = statement
  const day = date.slice(2).replaceAll("-", "")
  const closing = closingOf(statement)
  const total = opening + closing + bookings.reduce((sum, { amount }) => sum + amount, 0n)
  const lines = bookings.map(({ amount, payment, reference }) => `16,495,${amount},Z,${reference},${payment},PAYOUT/`)
  return [
    `01,BANK,CORRIDOR,${day},0000,${n},,,2/`,
    `02,CORRIDOR,BANK,1,${day},,${currency},2/`,
    `03,${account_number},${currency},010,${opening},,,015,${closing},,/`,
    ...lines,
    `49,${total},${lines.length + 2}/`,
    `98,${total},1,${lines.length + 4}/`,
    `99,${total},1,${lines.length + 6}/`,
    ""
  ].join("\n")
}

/** How each format is written. Codes of four letters are those of CSV alone. */
const writers = { csv, "camt.053": camt053, mt940, bai2 }

export type BankFormat = keyof typeof writers

/** The formats that an account in a currency can have. */
export const formatsOf = (currency: string): ReadonlyArray<BankFormat> =>
  currency.length === 3 ? ["csv", "camt.053", "mt940", "bai2"] : ["csv"]

/** The statement as a file of a format. */
export const fileOf = (format: BankFormat, statement: DayOfBookings): string => writers[format](statement)
