/** What a bank says of an account: one shape for every format that `corridor/statements` reads. */

/** The formats of files. MT942 is the interim report of MT940, as camt.052 is that of camt.053; camt.054 has no balances. */
export const statementFormats = ["camt.052", "camt.053", "camt.054", "mt940", "mt942", "bai2", "csv"] as const
export type StatementFormat = (typeof statementFormats)[number]

/** How a bank names an account: `bban` is a national number with its bank code, `account_number` any other text. */
export interface AccountIdentifier {
  readonly scheme: "iban" | "bban" | "account_number"
  readonly value: string
}

/** The account of a statement. `bank` is its BIC or routing number, as far as the file says it. */
export interface StatementAccount {
  readonly identifiers: ReadonlyArray<AccountIdentifier>
  readonly currency: string | null
  readonly bank: string | null
}

/** A booked balance at the start or the end of `date`; `amount` is decimal text, with `-` where the account is overdrawn. */
export interface StatementBalance {
  readonly date: string
  readonly amount: string
}

/** Who paid or was paid, as far as the bank says it. `account` is an IBAN or another account number. */
export interface StatementCounterparty {
  readonly name: string | null
  readonly account: string | null
}

/**
 * A booking in parts, as the bank says it on statements that have its total alone. `reference`: the bank's of all of it; null: none. `part`:
 * the place of a line among them, from 0.
 */
export interface StatementEntry {
  readonly reference: string | null
  readonly direction: "credit" | "debit"
  readonly amount: string
  readonly part: number
}

/**
 * One booking of a statement.
 *
 * `amount` is canonical decimal text (`"1000"`, `"0.00001"`: no sign, no exponent, no zeros at either end that say nothing), exactly as
 * booked. `direction` is as booked: `credit` is to the account's owner. `reversal` says that the line takes an earlier one back, and
 * turns neither. Dates are `YYYY-MM-DD`; `booked_on` is null only for what is not booked. A reference that a bank writes for "none"
 * (`NONREF`, `NOTPROVIDED`) is null. `code` is the bank's own word for the kind of booking (`PMNT/RCDT/ESCT`, `NTRF`, `142`).
 * `entry` is the booking of which the line is a part, where it has several. `place` says where the file has it,
 * in the words of `UnreadableStatement.place`.
 */
export interface BankStatementLine {
  readonly booked_on: string | null
  readonly value_on: string | null
  readonly direction: "credit" | "debit"
  readonly amount: string
  readonly currency: string
  readonly bank_reference: string | null
  readonly end_to_end_id: string | null
  readonly uetr: string | null
  readonly transaction_hash: string | null
  readonly counterparty: StatementCounterparty
  readonly remittance: string | null
  readonly code: string | null
  readonly reversal: boolean
  readonly entry?: StatementEntry
  readonly place: string
}

/**
 * What a reader noticed and did not refuse. `sum_of_transactions`: the transactions of a batch entry do not sum to it, and the entry is
 * the line. `no_balances`: a statement that names no opening or closing balance, so that nothing holds its lines. `interim`: a
 * BAI2 file of an interim report, about which the final one decides. `line_count`: the
 * file counts its records or entries otherwise. `assumed_currency`: the file names no currency for the account. `assumed_direction`: a
 * balance does not say on which side it is. `assumed_pending`: rows of a CSV have no date, and are not booked yet.
 * `assumed_text`: rows behind the last booking of a CSV have nothing but a text, and are taken for the rest of its text.
 */
export interface StatementWarning {
  readonly code:
    | "sum_of_transactions"
    | "no_balances"
    | "interim"
    | "line_count"
    | "assumed_currency"
    | "assumed_direction"
    | "assumed_pending"
    | "assumed_text"
  readonly message: string
  readonly place: string
}

/**
 * One statement of one account, whole.
 *
 * `message_id` names the file's message and `number` the statement within its series, where the bank numbers it. `from` and `to` are
 * dates, both included: the days that the file names, else those of its entries up to its closing balance; the date of an opening balance is
 * none of them. `made_at` is when the file says that the statement was made: an instant in UTC (`2026-01-31T11:00:00.000Z`), where a time
 * without an offset counts as UTC; null where the file says none that can be read. `pending` has entries that are pending or for information: they are not booked, and no balance has them.
 * Law: where both balances are there, opening + credits − debits of `lines` = closing, exactly; and lines have the statement's currency.
 */
export interface BankStatement {
  readonly format: StatementFormat
  readonly message_id: string | null
  readonly number: string | null
  readonly account: StatementAccount
  readonly currency: string
  readonly from: string | null
  readonly to: string | null
  readonly made_at: string | null
  readonly opening_balance: StatementBalance | null
  readonly closing_balance: StatementBalance | null
  readonly lines: ReadonlyArray<BankStatementLine>
  readonly pending: ReadonlyArray<BankStatementLine>
  readonly warnings: ReadonlyArray<StatementWarning>
  /** Whether it is an interim report, where its format does not say so: a BAI2 file with the as-of date modifier 1 or 3. */
  readonly interim?: true
  /** Where the file begins it, in the words of `UnreadableStatement.place`. */
  readonly place: string
}

/** Shortens the message of a parser: it quotes its input, which may be the whole file. */
const shortenMessage = (text: string): string => (text.length > 1000 ? `${text.slice(0, 1000)}…` : text)

/**
 * Why a file is refused, whole: nothing of it is taken.
 *
 * `place` is a line (`line 12`) or the path of an element with its line (`Document/BkToCstmrStmt/Stmt[1]/Ntry[3]/Amt, line 40`), `found`
 * what stands there (shortened), and `taken` what is accepted instead. The message says all three in one sentence.
 */
export class UnreadableStatement extends Error {
  override readonly name = "UnreadableStatement"
  readonly place: string
  readonly found: string
  readonly taken: string

  constructor(place: string, found: string, taken: string) {
    const short = { place: shortenMessage(place), found: shortenMessage(found), taken: shortenMessage(taken) }
    super(`${short.place}: found ${short.found}, where ${short.taken} is taken`)
    this.place = short.place
    this.found = short.found
    this.taken = short.taken
  }
}
