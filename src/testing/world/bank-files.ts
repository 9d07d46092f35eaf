/** The files in which the bank of a simulation writes its statements: the same bookings in each format that its account can have. */
import { formatMinorUnits } from "../program/amounts.ts"

/** What a booking says that it pays: a statement reference, and its part of the booking. */
export interface NamedPayment {
  readonly name: string
  readonly amount: bigint
}

/** A booking of the account. `amount`: what left it; below zero, what came back. `payments`: none where the bank names none. */
export interface BankBooking {
  /** The day, as `YYYY-MM-DD`. */
  readonly date: string
  readonly amount: bigint
  readonly reference: string
  readonly payments: ReadonlyArray<NamedPayment>
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
  readonly bookings: ReadonlyArray<BankBooking>
}

export const computeClosing = ({ bookings, opening }: DayOfBookings): bigint =>
  bookings.reduce((sum, { amount }) => sum - amount, opening)

const formatAmount = (amount: bigint, currency: string): string =>
  amount < 0n ? `-${formatMinorUnits(-amount, currency)}` : formatMinorUnits(amount, currency)

const abs = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/** Returns the name of a booking's only payment as `one`, or the names of several as `text`. */
const quoteNames = ({ payments }: BankBooking): { readonly one: string; readonly text: string } => {
  const names = payments.map(({ name }) => name)
  return names.length === 1 ? { one: names[0]!, text: "" } : { one: "", text: names.join(" ") }
}

/** Whether camt writes a booking as a batch with a line for each payment: the payments sum to its amount. */
const isBatch = ({ amount, payments }: BankBooking): boolean =>
  payments.length > 1 && payments.reduce((sum, one) => sum + one.amount, 0n) === amount

/** How each format is written. Codes of four letters are those of CSV alone. */
const writers = {
  csv: ({ bookings, currency }: DayOfBookings): string =>
    [
      "Date,Amount,Reference,Payment,Text",
      ...bookings.map((booking) => {
        const { one, text } = quoteNames(booking)
        return `${booking.date},${formatAmount(-booking.amount, currency)},${booking.reference},${one},${text}`
      }),
      ""
    ].join("\n"),
  "camt.053": (statement: DayOfBookings): string => {
    const { account_number, bookings, currency, date, n, opening } = statement
    const sum = (amount: bigint): string => `<Amt Ccy="${currency}">${formatMinorUnits(abs(amount), currency)}</Amt>`
    const towards = (amount: bigint): string => `<CdtDbtInd>${amount < 0n ? "DBIT" : "CRDT"}</CdtDbtInd>`
    const balance = (type: string, amount: bigint): string =>
      `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>${sum(amount)}${towards(amount)}<Dt><Dt>${date}</Dt></Dt></Bal>`
    const entry = (booking: BankBooking): string => {
      const { amount, payments, reference } = booking
      const { text } = quoteNames(booking)
      const batch = text === "" ? "" : `<Btch><NbOfTxs>${payments.length}</NbOfTxs></Btch>`
      const transactions = payments.map((one) => {
        const part = batch === "" ? "" : `<AmtDtls><TxAmt>${sum(one.amount)}</TxAmt></AmtDtls>`
        return `<TxDtls><Refs><EndToEndId>${one.name}</EndToEndId></Refs>${part}</TxDtls>`
      })
      const details = `<NtryDtls>${batch}${transactions.join("") || "<TxDtls/>"}</NtryDtls>`
      // What an entry says of itself, each of its transactions without a text says too.
      const about = text === "" || isBatch(booking) ? "" : `<AddtlNtryInf>${text}</AddtlNtryInf>`
      const reversal = amount < 0n ? "<RvslInd>true</RvslInd>" : ""
      return `<Ntry>${sum(amount)}${towards(-amount)}${reversal}<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>${date}</Dt></BookgDt><AcctSvcrRef>${reference}</AcctSvcrRef><BkTxCd/>${details}${about}</Ntry>`
    }
    const at = `<CreDtTm>${date}T00:00:00Z</CreDtTm>`
    return [
      '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>',
      `<GrpHdr><MsgId>M${n}</MsgId>${at}</GrpHdr><Stmt><Id>S${n}</Id>${at}`,
      `<Acct><Id><Othr><Id>${account_number}</Id></Othr></Id><Ccy>${currency}</Ccy></Acct>`,
      balance("OPBD", opening),
      balance("CLBD", computeClosing(statement)),
      ...bookings.map(entry),
      "</Stmt></BkToCstmrStmt></Document>"
    ].join("\n")
  },
  mt940: (statement: DayOfBookings): string => {
    const { account_number, bookings, currency, date, number, opening } = statement
    const day = date.slice(2).replaceAll("-", "")
    const text = (amount: bigint): string => formatMinorUnits(amount, currency).replace(".", ",")
    const balance = (amount: bigint): string => `${amount < 0n ? "D" : "C"}${day}${currency}${text(abs(amount))}`
    const writeBooking = (booking: BankBooking): ReadonlyArray<string> => {
      const { amount, reference } = booking
      const { one, text: names } = quoteNames(booking)
      const line = `:61:${day}${day.slice(2)}${amount < 0n ? "RD" : "D"}${text(abs(amount))}NTRF${one || "NONREF"}//${reference}`
      return [line, ...(names === "" ? [] : [`:86:${names.match(/.{1,65}/g)!.join("\n")}`])]
    }
    return [
      `:20:S${number}`,
      `:25:${account_number}`,
      `:28C:${number}/1`,
      `:60F:${balance(opening)}`,
      ...bookings.flatMap(writeBooking),
      `:62F:${balance(computeClosing(statement))}`,
      "-",
      ""
    ].join("\n")
  },
  bai2: (statement: DayOfBookings): string => {
    const { account_number, bookings, currency, date, n, opening } = statement
    const day = date.slice(2).replaceAll("-", "")
    const closing = computeClosing(statement)
    const total = opening + closing + bookings.reduce((sum, { amount }) => sum + abs(amount), 0n)
    const lines = bookings.map((booking) => {
      const { one, text } = quoteNames(booking)
      const type = booking.amount < 0n ? "252" : "495"
      return `16,${type},${abs(booking.amount)},Z,${booking.reference},${one},PAYOUT ${text}/`
    })
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
}

export type BankFormat = keyof typeof writers

export const listFormats = (currency: string): ReadonlyArray<BankFormat> =>
  currency.length === 3 ? ["csv", "camt.053", "mt940", "bai2"] : ["csv"]

/** Splits a booking into the lines that a format writes for it: one for each payment of a batch, or one for all. */
export const splitBooking = (format: BankFormat, booking: BankBooking): ReadonlyArray<ReadonlyArray<NamedPayment>> =>
  format === "camt.053" && isBatch(booking) ? booking.payments.map((one) => [one]) : [booking.payments]

export const writeFile = (format: BankFormat, statement: DayOfBookings): string => writers[format](statement)
