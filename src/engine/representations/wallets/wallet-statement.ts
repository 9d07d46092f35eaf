/** The `/v1` shape of a wallet's statement (STATEMENT-11), and its files. */
import { Schema } from "effect"
import { writeCamt053, writeCsv } from "../../../statements/index.ts"
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

/** Formats a statement as CSV: a row for each balance at the ends, and one for each line between them. */
export const formatStatementCsv = ({
  closing_balance,
  from,
  lines,
  opening_balance,
  to
}: WalletStatementBody): string => {
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
  return writeCsv(columns, [
    balanceRow(`${from}T00:00:00.000Z`, "opening_balance", opening_balance),
    ...lines.map((line) => [
      line.at,
      line.resource_id,
      line.type,
      line.reference,
      line.direction,
      line.amount,
      line.balance,
      line.fees.map(({ amount, currency }) => `${amount} ${currency}`).join("; "),
      line.rate
    ]),
    balanceRow(`${to}T23:59:59.999Z`, "closing_balance", closing_balance)
  ])
}

/** Formats a statement as camt.053. References that are longer than its 35 characters are in the remittance alone. */
export const formatStatementCamt053 = (statement: WalletStatementBody, created_at: string): string => {
  const { closing_balance, currency, from, lines, opening_balance, to, wallet_id } = statement
  return writeCamt053({
    id: wallet_id,
    created_at,
    account: { scheme: "account_number", value: wallet_id },
    currency,
    from,
    to,
    opening_balance: { date: from, amount: opening_balance },
    closing_balance: { date: to, amount: closing_balance },
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
}
