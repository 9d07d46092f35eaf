/** Files of statements for tests of what is taken of them: their bytes are the statements as JSON. */
import { Effect, Layer } from "effect"
import { StatementFileReader } from "../../../src/engine/resources/reconciliation/statement-reader.ts"
import {
  type BankStatement,
  type BankStatementLine,
  type StatementAccount,
  UnreadableStatement
} from "../../../src/statements/statement.ts"

export const iban = "DE89370400440532013000"
export const account: StatementAccount = { identifiers: [{ scheme: "iban", value: iban }], currency: "EUR", bank: null }

/** A credit of 10.00 EUR on 5 January 2026. */
export const line = (different: Partial<BankStatementLine> = {}): BankStatementLine => ({
  booked_on: "2026-01-05",
  value_on: "2026-01-05",
  direction: "credit",
  amount: "10",
  currency: "EUR",
  bank_reference: null,
  end_to_end_id: null,
  uetr: null,
  transaction_hash: null,
  counterparty: { name: null, account: null },
  remittance: null,
  code: null,
  reversal: false,
  place: "line 1",
  ...different
})

/** An end-of-day statement of 5 January 2026. */
export const statement = (different: Partial<BankStatement> = {}): BankStatement => ({
  format: "camt.053",
  message_id: null,
  number: null,
  account,
  currency: "EUR",
  from: "2026-01-05",
  to: "2026-01-05",
  made_at: null,
  opening_balance: null,
  closing_balance: null,
  lines: [line()],
  pending: [],
  warnings: [],
  place: "line 1",
  ...different
})

export const fileOf = (...statements: ReadonlyArray<BankStatement>): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(statements))

/** Reads what {@link fileOf} makes, and refuses everything else at its first byte. */
export const readable = Layer.succeed(StatementFileReader, (bytes) =>
  Effect.try({
    try: () => JSON.parse(new TextDecoder().decode(bytes)) as ReadonlyArray<BankStatement>,
    catch: () => new UnreadableStatement("line 1", "no statement", "statements as JSON")
  })
)
