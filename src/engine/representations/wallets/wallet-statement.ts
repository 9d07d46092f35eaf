/** The `/v1` shape of a wallet's statement (STATEMENT-11), and its files. */
import { Schema } from "effect"
import { camt053Rows } from "../../../statements/camt/write.ts"
import { writeCsvRows } from "../../../statements/csv/write.ts"
import { describe } from "../../input/schemas.ts"
import {
  amountOf,
  anyIdOf,
  currencyCodeOf,
  FeeLineItemBody,
  idOf,
  orNull,
  rateBody,
  textOf,
  timeOf,
  wordOf
} from "../members.ts"

const dateOf = (description: string, example: string) => textOf(description, example)

export const WalletStatementLineBody = Schema.Struct({
  at: timeOf("When it was booked."),
  resource_id: anyIdOf("The id of the movement or of the deposit.", "ofr"),
  type: textOf("What the resource is: `onramp`, `offramp`, `conversion`, `transfer` or `deposit`.", "offramp"),
  reference: orNull(textOf("The reference of the movement. Null for most deposits.", "INV/2026/1042")),
  direction: wordOf(["credit", "debit"], "Whether the wallet gains or loses it."),
  amount: amountOf("What the wallet gains or loses, fees included.", "100.00"),
  balance: amountOf("The balance of the wallet after the line.", "975.00"),
  fees: describe(
    Schema.Array(FeeLineItemBody),
    "The fees of the movement. Empty if nothing is charged: of a movement that failed or was returned, on both of its lines."
  ),
  rate: orNull(
    describe(
      rateBody,
      "The rate of the movement. Null without an exchange, also on both lines of a movement that failed or was returned."
    )
  )
}).annotate({ identifier: "WalletStatementLine", description: "What changed the balance of a wallet." })
export type WalletStatementLineBody = typeof WalletStatementLineBody.Type

export const WalletStatementBody = Schema.Struct({
  wallet_id: idOf("wal", "The wallet."),
  currency: currencyCodeOf("The currency of all amounts except those of fees."),
  from: dateOf("The first day.", "2026-01-01"),
  to: dateOf("The last day.", "2026-01-31"),
  opening_balance: amountOf("The balance when the first day began: available, reserved and held.", "1075.00"),
  closing_balance: amountOf(
    "The balance when the last day ended, or now if it has not: available, reserved and held.",
    "975.00"
  ),
  lines: describe(
    Schema.Array(WalletStatementLineBody),
    "What changed the balance, oldest first. What moves between available, reserved and held is no line."
  )
}).annotate({
  identifier: "WalletStatement",
  description: "The statement of a wallet: the opening balance and the lines make the closing balance exactly."
})
export type WalletStatementBody = typeof WalletStatementBody.Type

const columns = ["at", "resource_id", "type", "reference", "direction", "amount", "balance", "fees", "rate"]

/** A text that is made in steps of some milliseconds, between which others run. */
type TextSteps = Generator<void, string>

/** Rows of a file that are written in one step. */
const rowsInStep = 500

/** The day's end, or `now` if it has not come: a balance is never of a later time. */
const notAfter = (at: string, now: string): string => (at < now ? at : now)

/** Formats a statement as CSV at `now`: a row for each balance at the ends, and one for each line between them. */
export function* formatStatementCsv(
  { closing_balance, from, lines, opening_balance, to }: WalletStatementBody,
  now: string
): TextSteps {
  const balanceRow = (at: string, type: string, balance: string) => [
    at,
    null,
    type,
    null,
    null,
    null,
    balance,
    null,
    null
  ]
  const parts = [
    writeCsvRows([columns, balanceRow(notAfter(`${from}T00:00:00.000Z`, now), "opening_balance", opening_balance)])
  ]
  for (let at = 0; at < lines.length; at += rowsInStep) {
    const rows = lines
      .slice(at, at + rowsInStep)
      .map((line) => [
        line.at,
        line.resource_id,
        line.type,
        line.reference,
        line.direction,
        line.amount,
        line.balance,
        line.fees.map(({ amount, currency }) => `${amount} ${currency}`).join("; "),
        line.rate
      ])
    parts.push(writeCsvRows(rows))
    yield
  }
  parts.push(writeCsvRows([balanceRow(notAfter(`${to}T23:59:59.999Z`, now), "closing_balance", closing_balance)]))
  return parts.join("")
}

/** Formats a statement as camt.053 at `now`. References that are longer than its 35 characters are in the remittance alone. */
export function* formatStatementCamt053(statement: WalletStatementBody, now: string): TextSteps {
  const { closing_balance, currency, from, lines, opening_balance, to, wallet_id } = statement
  const today = now.slice(0, 10)
  const rows = camt053Rows({
    id: wallet_id,
    created_at: now,
    account: { scheme: "account_number", value: wallet_id },
    currency,
    from,
    to,
    opening_balance: { date: notAfter(from, today), amount: opening_balance },
    closing_balance: { date: notAfter(to, today), amount: closing_balance },
    lines: lines.map(({ amount, at, direction, reference, resource_id, type }) => ({
      at,
      direction,
      amount,
      bank_reference: resource_id,
      end_to_end_id: reference !== null && reference.length <= 35 ? reference : null,
      code: type,
      remittance: reference
    }))
  })
  const parts: Array<string> = []
  for (const row of rows) if (parts.push(row) % rowsInStep === 0) yield
  return parts.join("\n")
}
